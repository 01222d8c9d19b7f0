package invariants

import (
	"slices"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// log is the group's log as far as it is committed.
type log struct {
	partition int32   // of __consumer_offsets
	met       bool    // something was written
	strangers []int32 // whom the leader gave what they do not subscribe to, when it assigned last
	stored    stored
	doubled   faulty            // gave a partition twice, since a claim was beyond what its leader knew
	older     faulty            // was made by metadata which lacks a topic of the group
	formed    *coordinator.Form // how the scenario formed the group
	formedAs  map[int32]int     // by member id: the place in it
}

// faulty is the last generation whose assignment has a fault, and the one whose assignment came
// next, which undoes it: between the two there may be generations without any.
type faulty struct{ last, next int32 }

// assigns takes in that a generation is assigned, when that of another is stored.
func (f *faulty) assigns(generation int32, stored *protocol.LogRecord) {
	if stored != nil && stored.Generation == f.last {
		f.next = generation
	}
}

// lasts reports whether what has come of the fault may last in a generation.
func (f *faulty) lasts(generation int32) bool {
	return f.last > 0 && generation <= max(f.last+1, f.next)
}

// stored is the group's last record: the assignment that holds.
type stored struct {
	record *protocol.LogRecord
	madeIn int32               // the incarnation that handed its generation out
	at     int64               // when it was written, ms
	known  *protocol.LogRecord // by which the coordinator knows what the members subscribe to
	byID   map[int32]int32
	ids    []int32
	parts  [][]int32 // by place in the record
}

// member is a member in the record, nil if it is not in it.
func (s *stored) member(id int32) *protocol.StoredMember {
	if i, ok := s.byID[id]; ok {
		return &s.record.Members[i]
	}
	return nil
}

// pending is a record that a broker has written and that is not committed.
type pending struct {
	offset int64
	record *protocol.LogRecord
	madeIn int32
	by     int32 // the client that wrote it, none
	sentAt sim.Time
	at     int64
	async  bool
	sought bool // by a program that had moved positions by itself
	failed bool // by a commit that was answered with an error
}

// appended takes in that a coordinator has written a record of the group's.
func (m *Monitor) appended(b *broker, r *sim.Rec, rec *protocol.LogRecord) {
	m.log.partition, m.log.met = int32(r.Note.A), true
	p := pending{offset: r.Note.B, record: rec, madeIn: b.group.madeIn, by: m.in.client, at: m.ms()}
	if q := m.handled(); q != nil {
		q.wrote = r.Note.B + 1
		q.records++
		sent := &m.clients[m.in.client].handled
		p.sentAt, p.async, p.sought = sent.sentAt, sent.async, sent.sought
	}
	if rec.IsOffset && rec.Tombstone && protocol.Rule(r.Why) == protocol.RuleExpired {
		m.mayExpire(b, rec)
	}
	if !rec.IsOffset && !rec.Tombstone {
		m.writesGroup(b, rec, protocol.Rule(r.Why))
	}
	b.unwritten = slices.DeleteFunc(b.unwritten, func(r *protocol.LogRecord) bool {
		return r.IsOffset == rec.IsOffset && r.Partition == rec.Partition
	})
	if r.Note.C != 0 {
		b.pending = append(b.pending, p)
		return
	}
	b.hw = r.Note.B + 1
	m.stores(b, &p)
}

// committed takes in that what a broker has written before an offset is committed.
func (m *Monitor) committed(b *broker, partition int32, until int64) {
	if !m.log.met || partition != m.log.partition {
		return
	}
	b.hw = max(b.hw, until)
	n := 0
	for n < len(b.pending) && b.pending[n].offset < until {
		m.stores(b, &b.pending[n])
		n++
	}
	b.pending = slices.Delete(b.pending, 0, n)
}

// writesGroup looks at a record of the group as it is written.
func (m *Monitor) writesGroup(b *broker, rec *protocol.LogRecord, why protocol.Rule) {
	g := &b.group
	if last := m.lastWritten(b); last != nil && rec.Generation < last.Generation {
		m.find(b, nil, "log-generation", "falls", "the log has generation %d, and %d is written", last.Generation, rec.Generation)
	}
	if rec.Generation != g.generation {
		m.find(b, nil, "log-generation", "not the group's", "generation %d is written, and the group is in %d", rec.Generation, g.generation)
	}
	m.oneOwner(b, rec)
	if why == protocol.RuleAssigned {
		g.assigned++
		m.allAssigned(b, rec)
		m.log.older.assigns(rec.Generation, m.log.stored.record)
		if m.assignsByOlder(rec) {
			m.log.older.last = rec.Generation
		}
		m.onlySubscribers(b, rec)
	}
	if q := m.handled(); why == protocol.RuleAssigned && q != nil {
		if r, ok := q.body.(*protocol.SyncGroupRequest); ok {
			m.isAsAssigned(b, rec, r, q.member)
		}
	}
	if why == protocol.RuleAssigned && rec.Protocol.Value == "cooperative-sticky" {
		m.takesTwoSteps(b, rec)
	}
}

// lastWritten is the last record of the group in the log as a broker has it, nil if there
// is none, or the broker has forgotten it.
func (m *Monitor) lastWritten(b *broker) *protocol.LogRecord {
	if slices.ContainsFunc(b.unwritten, func(r *protocol.LogRecord) bool { return !r.IsOffset }) {
		return nil
	}
	for i := len(b.pending) - 1; i >= 0; i-- {
		if r := b.pending[i].record; !r.IsOffset {
			if r.Tombstone {
				return nil
			}
			return r
		}
	}
	return m.log.stored.record
}

// oneOwner: within one assignment each partition has at most one member.
func (m *Monitor) oneOwner(b *broker, rec *protocol.LogRecord) {
	m.log.doubled.assigns(rec.Generation, m.log.stored.record)
	m.parts.marks++
	for i := range rec.Members {
		a := rec.Members[i].Assignment
		if a == nil {
			continue
		}
		for _, tp := range a.Partitions {
			p := m.parts.number(tp)
			if m.parts.list[p].mark == m.parts.marks {
				place := rec.Protocol.Value
				if m.claimsBeyond(rec) || m.log.doubled.last == rec.Generation { // it may be stored again, when a static leader has restarted
					place = "a claim that the leader cannot place"
					m.log.doubled.last = rec.Generation
				}
				m.find(b, nil, "one-owner", place, "generation %d gives %s to two members", rec.Generation, tp)
			}
			m.parts.list[p].mark = m.parts.marks
		}
	}
}

// claimsBeyond reports whether a member claims a partition that the leader does not know of:
// one that is newer than its metadata.
func (m *Monitor) claimsBeyond(rec *protocol.LogRecord) bool {
	p := m.ids.list[m.ids.number(rec.Leader)].client
	if p == none || m.clients[p].assignedBy == nil {
		return false
	}
	for i := range rec.Members {
		if isBeyond(rec.Members[i].Metadata, m.clients[p].assignedBy) {
			return true
		}
	}
	return false
}

// isBeyond reports whether a member claims a partition that is not in some metadata, though its
// topic is.
func isBeyond(md *protocol.Metadata, by *protocol.MetadataAnswer) bool {
	if md == nil {
		return false
	}
	for _, claims := range [][]protocol.TopicPartition{md.Owned, md.UserData.Partitions} {
		for _, tp := range claims {
			for k := range by.Topics {
				if t := &by.Topics[k]; t.Name == tp.Topic && int(tp.Partition) >= len(t.Leaders) {
					return true
				}
			}
		}
	}
	return false
}

// isDoubled reports whether the last assignment, or the one before, gives a partition to two
// members since a claim was beyond what the leader knew.
func (m *Monitor) isDoubled(g *group) bool { return m.log.doubled.lasts(g.generation) }

// isAsAssigned: what is stored is what the leader has sent, for the members there are.
func (m *Monitor) isAsAssigned(b *broker, rec *protocol.LogRecord, r *protocol.SyncGroupRequest, sender int32) {
	g := &b.group
	if g.leader != unknown && sender != g.leader {
		m.find(b, nil, "stored-as-assigned", "not the leader's", "the assignment of %s is stored, and %s leads", m.ids.name(sender), m.ids.name(g.leader))
	}
	if len(rec.Members) != len(g.members) {
		m.find(b, nil, "stored-as-assigned", "members", "%d members are stored, and the group has %d", len(rec.Members), len(g.members))
		return
	}
	k := 0
	for i := range r.Assignments {
		a := &r.Assignments[i]
		for j := 0; j < len(rec.Members) && rec.Members[k%len(rec.Members)].ID != a.Member; j++ {
			k++
		}
		k %= len(rec.Members)
		if s := &rec.Members[k]; s.ID == a.Member && s.Assignment.Sum() != a.Assignment.Sum() {
			m.find(b, nil, "stored-as-assigned", "assignment", "%s is stored with something else than what the leader gave it", s.ID)
		}
	}
}

// stores takes in that a record is committed.
func (m *Monitor) stores(b *broker, p *pending) {
	if p.record.IsOffset {
		m.storesOffset(b, p)
		return
	}
	s := &m.log.stored
	if p.record.Tombstone {
		*s = stored{byID: map[int32]int32{}}
		m.owners()
		return
	}
	if s.record == nil || s.record.Generation != p.record.Generation {
		s.known = p.record
	}
	s.record, s.madeIn, s.at = p.record, p.madeIn, p.at
	clear(s.byID)
	s.ids = s.ids[:0]
	for len(s.parts) < len(p.record.Members) {
		s.parts = append(s.parts, nil)
	}
	s.parts = s.parts[:len(p.record.Members)]
	for i := range p.record.Members {
		x := &p.record.Members[i]
		id := m.learns(x.ID, x.ClientID, x.Instance)
		s.byID[id] = int32(i)
		s.ids = append(s.ids, id)
		s.parts[i] = s.parts[i][:0]
		if x.Assignment != nil {
			s.parts[i] = m.parts.numbers(s.parts[i], x.Assignment.Partitions)
		}
	}
	m.owners()
}

// isStored: a group becomes Stable with an assignment that is committed for its
// generation and its members.
func (m *Monitor) isStored(b *broker) {
	g, s := &b.group, &m.log.stored
	switch {
	case s.record == nil || s.record.Generation != g.generation:
		m.find(b, nil, "stable-is-stored", "generation", "generation %d is Stable, and its assignment is not in the log", g.generation)
		return
	case len(s.record.Members) != len(g.members):
		m.find(b, nil, "stable-is-stored", "members", "generation %d is Stable with %d members, and the log has %d", g.generation, len(g.members), len(s.record.Members))
		return
	}
	for i := range g.members {
		x := &g.members[i]
		r := s.member(x.id)
		if r == nil {
			m.find(b, nil, "stable-is-stored", "members", "%s is in the generation, and not in the log", m.ids.name(x.id))
			return
		}
		x.assignment = r.Assignment
	}
}

// loads takes in a group as a new coordinator makes it from the log: that, and nothing
// else.
func (m *Monitor) loads(b *broker, c *protocol.GroupChange) {
	g := m.makes(b, c.To)
	s := &m.log.stored
	b.unwritten = nil
	g.generation, g.leader, g.protocol = c.Generation, m.ids.number(c.Leader), c.Protocol
	g.madeIn, s.known = s.madeIn, s.record
	if g.incarnation == overtaken { // it reads the log as it was when that began
		return
	}
	want := protocol.Empty
	if s.record != nil && len(s.record.Members) > 0 || !b.rules.EmptyState {
		want = protocol.Stable
	}
	generation, members := int32(0), 0
	if s.record != nil {
		generation, members = s.record.Generation, len(s.record.Members)
	}
	switch {
	case c.To != want:
		m.find(b, nil, "load-is-log", "state", "the group is loaded as %s, and the log makes it %s", c.To, want)
	case c.Generation != generation:
		m.find(b, nil, "load-is-log", "generation", "generation %d is loaded, and the log has %d", c.Generation, generation)
	case int(c.Members) != members:
		m.find(b, nil, "load-is-log", "members", "%d members are loaded, and the log has %d", c.Members, members)
	}
}
