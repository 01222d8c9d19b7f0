package invariants

import (
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// offset is the committed offset of a partition.
type offset struct {
	at       int64 // none: there is none
	visible  int64 // what the coordinator has said last that is committed
	by       int32 // the client that committed it
	offset   int64 // of the record that has it, in the log
	failed   bool  // the commit that wrote that was answered with an error
	sentAt   sim.Time
	storedAt sim.Time
	time     int64 // of the commit, as the coordinator has it: before the log has committed it
}

// reader is a client that reads, or is about to read, a partition.
type reader struct {
	client int32
	last   int64 // the highest position that it has had
	next   int64 // the record that it is to get next; none: not known
	// A position that it was told, and has not taken yet: none, or the offset.
	told    int64
	askedAt sim.Time // when the coordinator answered
	// When it took its position, and whether the reset policy gave it.
	tookAt sim.Time
	reset  bool
	reads  bool // it was given records since it was assigned the partition
	held   bool // it was told that although it had a position
	// [from, to) was delivered and is not finished.
	from, to int64
	dropped  bool // its program gave records up after an exception
}

// begins sets a position.
func (r *reader) begins(at int64, when sim.Time) {
	r.next, r.tookAt, r.told = at, when, none
	r.last = max(r.last, at)
}

// reader is the client's entry of a partition; it is made if there is none.
func (m *Monitor) reader(c *client, p int32) *reader {
	i, x := m.clientOf[c.node], &m.parts.list[p]
	for k := range x.readers {
		if x.readers[k].client == i {
			return &x.readers[k]
		}
	}
	x.readers = append(x.readers, reader{client: i, next: none, told: none})
	return &x.readers[len(x.readers)-1]
}

func (p *part) forgetReader(i int32) {
	for k := range p.readers {
		if p.readers[k].client == i {
			p.readers = append(p.readers[:k], p.readers[k+1:]...)
			return
		}
	}
}

// learnsPositions takes in positions that a client is told: committed offsets, or with
// reset what the reset policy asked for.
func (m *Monitor) learnsPositions(c *client, list []protocol.PartitionOffset, reset bool) {
	for i := range list {
		if o := &list[i]; o.Error == protocol.None && o.Offset >= 0 {
			r := m.reader(c, m.parts.number(o.TopicPartition))
			r.told, r.reset = o.Offset, reset
			r.held = r.reads
		}
	}
}

// takesPosition lets a client take the position that it was told, as it begins to serve
// a partition.
func (m *Monitor) takesPosition(c *client, p int32) {
	if r := m.reader(c, p); r.told >= 0 && !r.held {
		r.begins(r.told, m.now)
	}
}

// delivers takes in that poll hands records to the program.
func (m *Monitor) delivers(c *client, tp protocol.TopicPartition, from, to int64) {
	r := m.reader(c, m.parts.number(tp))
	if from != r.next && r.next >= 0 && !c.sought {
		if from == r.told && !r.held {
			r.begins(from, m.now)
		} else {
			m.find(nil, c, "nothing-skipped", "poll", "%s is given %s from %d on, and its position is %d", m.f.Name(c.node), tp, from, r.next)
		}
	}
	r.next, r.from, r.to, r.last, r.reads = to, from, to, max(r.last, to), true
	m.readsNoMore(c)
	m.autoCommits(c)
}

// finishes takes in that the program is done with records.
func (m *Monitor) finishes(c *client, tp protocol.TopicPartition, from, to int64) {
	r := m.reader(c, m.parts.number(tp))
	r.from, r.to = 0, 0
}

// drops: after an exception the program does not finish what it has in hand.
func (m *Monitor) drops(c *client) {
	for i := range m.parts.list {
		for k := range m.parts.list[i].readers {
			if r := &m.parts.list[i].readers[k]; r.client == m.clientOf[c.node] && r.to > r.from {
				r.from, r.to = 0, 0
			}
		}
	}
}

// commitsWhatItHas looks at a commit as the client sends it: nothing is committed that was not
// delivered, or, where the program commits what it has processed, that is not finished.
func (m *Monitor) commitsWhatItHas(c *client, body *protocol.OffsetCommitRequest) {
	if c.sought || c.manual() {
		return
	}
	for i := range body.Offsets {
		o := &body.Offsets[i]
		r := m.reader(c, m.parts.number(o.TopicPartition))
		limit := max(r.last, r.told) // one that has waited for a coordinator is older
		if r.to > r.from && c.cfg.Program.Commit != consumer.CommitBefore {
			limit = max(r.from, r.told)
		}
		switch {
		case o.Offset <= limit:
		case o.Offset <= max(r.last, r.told):
			m.find(nil, c, "commit-finished", commitStyle(c), "%s commits %s up to %d, and has finished %d", m.f.Name(c.node), o.TopicPartition, o.Offset, limit)
		default:
			m.find(nil, c, "commit-delivered", commitStyle(c), "%s commits %s up to %d, and its position is %d", m.f.Name(c.node), o.TopicPartition, o.Offset, limit)
		}
	}
}

func commitStyle(c *client) string {
	switch c.cfg.Program.Commit {
	case consumer.CommitSync:
		return "sync"
	case consumer.CommitAsync:
		return "async"
	case consumer.CommitBefore:
		return "before"
	}
	return "auto"
}

// commitComes judges a commit as it reaches the coordinator.
func (m *Monitor) commitComes(b *broker, c *client, q *request, r *protocol.OffsetCommitRequest) {
	g := &b.group
	sent, ok := c.takeCommit(q.ord)
	c.handled = sent
	for i := range r.Offsets {
		if b.lacks(r.Offsets[i].TopicPartition) {
			q.unknown++
		}
	}
	switch {
	case !q.there:
		if r.Generation >= 0 {
			q.refuse, q.refusePlace = "there is no such group", "no group"
		}
	case r.Generation < 0:
		if g.state != protocol.Empty && g.state != protocol.NoGroup {
			q.refuse, q.refusePlace = "it names no member, and the group has members", "simple commit in "+g.state.String()
		}
	case g.state == protocol.Empty && len(g.members) == 0:
		q.refuse, q.refusePlace = "the group has no members", "Empty"
	case !q.known:
		q.refuse, q.refusePlace = "it is no member's", "no member"
	case r.Generation != g.generation:
		q.refuse, q.refusePlace = "it is of another generation", "generation"
	case g.state == protocol.CompletingRebalance:
		q.refuse, q.refusePlace = "the leader assigns", "CompletingRebalance"
	case ok && sent.madeIn != 0 && sent.madeIn != g.madeIn && m.latest(b):
		q.refuse, q.refusePlace = "its generation is one of the same number, that another coordinator handed out", role(g.find(q.member))+" member of a generation that came twice"
	}
}

// answersCommit looks at the answer to a commit.
func (m *Monitor) answersCommit(b *broker, c *client, q *request, x *member, a *protocol.OffsetCommitAnswer) {
	r := q.body.(*protocol.OffsetCommitRequest)
	accepted, failed := 0, false
	for i := range a.Partitions {
		if a.Partitions[i].Error == protocol.None {
			accepted++
			if i < len(r.Offsets) && (m.latest(b) || m.coordinator() == nil && !m.isOvertaken(b)) {
				m.parts.list[m.parts.number(a.Partitions[i].TopicPartition)].offset.visible = r.Offsets[i].Offset
			}
		} else {
			failed = true
			m.failsToCommit(b, q, a.Partitions[i].TopicPartition)
		}
	}
	if x != nil && r.Generation >= 0 && b.group.there && q.refuse == "" {
		if accepted > 0 {
			x.renews(q.at, "a commit")
		} else if failed && q.wrote > 0 || m.mayFail(b) {
			x.most, x.maybe = max(x.most, q.at+int64(x.session)), max(x.maybe, q.at)
		}
	}
	if accepted == 0 {
		return
	}
	if q.refuse != "" {
		m.find(b, c, "commit-current", q.refusePlace, "a commit of %s is accepted, and %s", m.f.Name(c.node), q.refuse)
	}
	if q.wrote > b.hw || q.records < accepted {
		m.find(b, c, "commit-stored", "", "a commit of %s is accepted, and is not in the log", m.f.Name(c.node))
	}
}

// failsToCommit takes in that a commit is answered with an error. The log may have what it wrote all
// the same; the coordinator does not know it.
func (m *Monitor) failsToCommit(b *broker, q *request, tp protocol.TopicPartition) {
	wrote := func(offset int64) bool { return offset < q.wrote && offset >= q.wrote-int64(q.records) }
	for i := range b.pending {
		if p := &b.pending[i]; wrote(p.offset) && p.record.Partition == tp {
			p.failed = true
			return
		}
	}
	if o := &m.parts.list[m.parts.number(tp)].offset; o.at != none && wrote(o.offset) && m.latest(b) {
		o.failed = true
	}
}

// storesOffset takes in that an offset is committed.
func (m *Monitor) storesOffset(b *broker, p *pending) {
	i := m.parts.number(p.record.Partition)
	o := &m.parts.list[i].offset
	if p.record.Tombstone {
		*o = offset{at: none, visible: none, by: none}
		return
	}
	if p.record.Offset < o.at && p.by != none && !o.failed {
		m.fell(b, p, i)
	}
	o.at, o.by, o.sentAt, o.storedAt = p.record.Offset, p.by, p.sentAt, m.now
	o.offset, o.failed, o.time = p.offset, p.failed, p.record.CommitTime
	if p.by == none {
		o.visible = o.at
	}
}

// mayExpire: an offset is kept as long as a member may want it, and for its retention time
// after that (KIP-211).
func (m *Monitor) mayExpire(b *broker, rec *protocol.LogRecord) {
	g, s := &b.group, &m.log.stored
	o := &m.parts.list[m.parts.number(rec.Partition)].offset
	if !g.there || b.clockOff {
		return
	}
	age, of := m.ms()-o.time, "an Empty group"
	switch {
	case g.state != protocol.Empty && g.state != protocol.Stable:
		of = "a group that rebalances"
		age = 0
	case g.state == protocol.Stable && s.record != nil && subscribed(s.record, rec.Partition.Topic):
		of = "a living group"
		if s.known != nil && !subscribed(s.known, rec.Partition.Topic) {
			of = "a static member that has come back"
		}
		age = 0
	case g.state == protocol.Stable:
		of = "a topic that nobody subscribes to"
	case g.state == protocol.Empty && s.record != nil && len(s.record.Members) == 0:
		age = m.ms() - s.at
	case g.state == protocol.Empty && g.generation > 0: // the log has refused that it is
		age = m.ms() - g.since.Millis()
	}
	if age < b.cfg.OffsetsRetention {
		m.find(b, nil, "offset-kept", of, "the committed offset of %s expires: it is one of %s", rec.Partition, of)
	}
}

// fell: the committed offset has become lower, which must have a reason.
func (m *Monitor) fell(b *broker, p *pending, i int32) {
	c := &m.clients[p.by]
	o := &m.parts.list[i].offset
	r := m.reader(c, i)
	switch {
	case p.sought, r.reset && o.sentAt <= r.tookAt:
	case p.async, p.sentAt < o.sentAt: // it waited for a coordinator to be found, or was sent before the one that it undoes
	case o.storedAt > r.askedAt && (o.by != p.by || o.sentAt <= r.tookAt): // an older owner's, after this one had begun
	case !c.alive:
	default:
		who := "another member"
		if o.by == p.by {
			who = "the same member"
		}
		m.find(b, c, "committed-falls", who, "the committed offset of %s falls from %d to %d, committed by %s, for no reason", m.parts.name(i), o.at, p.record.Offset, m.f.Name(c.node))
	}
}

// answersFetch looks at what a coordinator says is committed.
func (m *Monitor) answersFetch(b *broker, c *client, q *request, a *protocol.OffsetFetchAnswer) {
	if a.Error != protocol.None {
		return
	}
	for i := range a.Partitions {
		x := &a.Partitions[i]
		m.reader(c, m.parts.number(x.TopicPartition)).askedAt = m.now
		if len(q.written) == len(a.Partitions) {
			if x.Error == protocol.None && x.Offset != q.written[i] && m.latest(b) {
				m.find(b, c, "committed-is-told", "as it was when it was asked", "%s is told that %s is committed up to %d, and it was %d", m.f.Name(c.node), x.TopicPartition, x.Offset, q.written[i])
			}
			continue
		}
		o := &m.parts.list[m.parts.number(x.TopicPartition)].offset
		if m.latest(b) && x.Error == protocol.None && x.Offset != o.at && x.Offset != o.visible && !(x.Offset < 0 && b.deletes(x.TopicPartition)) {
			m.find(b, c, "committed-is-told", "", "%s is told that %s is committed up to %d, and the log has %d", m.f.Name(c.node), x.TopicPartition, x.Offset, o.at)
		}
	}
}

// writtenNow is what a broker has written last of some partitions' offsets, committed or not.
func (m *Monitor) writtenNow(b *broker, list []protocol.TopicPartition) []int64 {
	now := make([]int64, len(list))
	for i, tp := range list {
		now[i] = m.parts.list[m.parts.number(tp)].offset.at
		for k := range b.pending {
			switch r := b.pending[k].record; {
			case !r.IsOffset || r.Partition != tp:
			case r.Tombstone:
				now[i] = none
			default:
				now[i] = r.Offset
			}
		}
	}
	return now
}

// deletes reports whether the broker has deleted a committed offset, and the log has not
// committed that yet or has refused it: it forgets the offset at once.
func (b *broker) deletes(tp protocol.TopicPartition) bool {
	is := func(r *protocol.LogRecord) bool { return r.IsOffset && r.Tombstone && r.Partition == tp }
	return slices.ContainsFunc(b.pending, func(p pending) bool { return is(p.record) }) || slices.ContainsFunc(b.unwritten, is)
}

// isOlderClaim reports whether a member claims a partition that another claims by a later
// generation.
func isOlderClaim(md *protocol.Metadata, members []protocol.StoredMember, tp protocol.TopicPartition) bool {
	of, claims := claimOf(md, tp)
	return claims && slices.ContainsFunc(members, func(x protocol.StoredMember) bool {
		later, too := claimOf(x.Metadata, tp)
		return too && later > of
	})
}

// claimOf is the generation by which a member of a cooperative group claims a partition.
func claimOf(md *protocol.Metadata, tp protocol.TopicPartition) (generation int32, claims bool) {
	if md == nil || !contains(md.Owned, tp) {
		return none, false
	}
	return max(md.Generation, md.UserData.Generation), true
}

// takesTwoSteps: a cooperative assignment gives nobody a partition that another of its
// members still holds.
func (m *Monitor) takesTwoSteps(b *broker, rec *protocol.LogRecord) {
	for i := range rec.Members {
		a := rec.Members[i].Assignment
		if a == nil {
			continue
		}
		to := m.ids.list[m.learns(rec.Members[i].ID, rec.Members[i].ClientID, rec.Members[i].Instance)].client
		for _, tp := range a.Partitions {
			p := &m.parts.list[m.parts.number(tp)]
			for _, s := range p.servers {
				if s == to || to == none {
					continue
				}
				c := &m.clients[s]
				if x := b.group.find(c.member); x != nil {
					kind := role(x)
					if x.absent {
						p.robbed = s
					}
					if p.robbed == s {
						kind += " and absent"
					}
					if c.stale {
						kind = "a claim without generation"
					}
					if isOlderClaim(rec.Members[i].Metadata, rec.Members, tp) {
						kind = "two claim it, and the older has it"
					}
					if m.isDoubled(&b.group) {
						kind = "a claim that the leader cannot place"
					}
					m.find(b, c, "cooperative-waits", kind, "generation %d gives %s to %s, while %s still serves it", rec.Generation, tp, m.clientName(to), m.f.Name(c.node))
				}
			}
		}
	}
}
