package metrics

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// log is the group's log as far as it is committed: the last assignment in it is the one
// that is stored. It is there whether a coordinator lives or not.
type log struct {
	partition int32 // of __consumer_offsets; none: not known yet
	pending   []pending
	slots     []stored // what is stored for a member; it stays in its slot
	now       []int32  // the slots of the stored assignment, in the order of the record
	free      []int32
	stamp     uint32 // counts stored assignments
	byID      map[string]int32
	byStatic  map[string]int32
	ids       map[string]int32 // whose an id is, of those stored or in the group

	generation  int32      // the group's
	atRest      bool       // it is Stable
	coordinator sim.NodeID // the broker that coordinates the group, or did last
	living      bool

	spare, changed, gone []int32 // of storeGroup
}

// pending is a record that a broker has appended and that is not committed.
type pending struct {
	node   sim.NodeID
	offset int64
	record *protocol.LogRecord
}

// stored is a member in the stored assignment.
type stored struct {
	id, instance string
	member       int32 // none: nobody that we know
	assignment   uint64
	metadata     uint64
	topics       []string
	parts        []int32
	before       []int32 // what parts was in the record before
	stamp        uint32  // of the last record that has it
}

// roster are the ids that the coordinator has.
type roster struct {
	byID     map[string]int32 // the member
	byStatic map[string]string
}

func (r *roster) clear() { r.byID, r.byStatic = map[string]int32{}, map[string]string{} }

func (l *log) clearIndex() { l.byID, l.byStatic = map[string]int32{}, map[string]int32{} }

// appended takes in a record of the group's.
func (f *Fold) appended(r *sim.Rec, b *protocol.LogRecord) {
	f.log.partition = int32(r.Note.A)
	if r.Note.C != 0 {
		f.log.pending = append(f.log.pending, pending{r.Node, r.Note.B, b})
		return
	}
	f.store(b)
}

// committed takes in that records which were not committed at once are committed now.
func (f *Fold) committed(r *sim.Rec) {
	if int32(r.Note.A) != f.log.partition {
		return
	}
	list := f.log.pending
	f.log.pending = nil
	for _, p := range list {
		if p.node == r.Node && p.offset < r.Note.B {
			f.store(p.record)
		} else {
			f.log.pending = append(f.log.pending, p)
		}
	}
}

// forgetPending loses what a broker had appended and not committed.
func (f *Fold) forgetPending(node sim.NodeID) {
	f.log.pending = slices.DeleteFunc(f.log.pending, func(p pending) bool { return p.node == node })
}

func (f *Fold) store(b *protocol.LogRecord) {
	if b.IsOffset {
		f.storeOffset(b)
		return
	}
	f.storeGroup(b)
}

// storeGroup makes a record the stored assignment. Most members have what they had: what
// follows looks only at the others, and at those who are gone.
func (f *Fold) storeGroup(b *protocol.LogRecord) {
	l := &f.log
	l.stamp++
	l.changed, l.gone = l.changed[:0], l.gone[:0]
	next := l.spare[:0]
	for i := range b.Members {
		k, changed := f.slotOf(&b.Members[i])
		next = append(next, k)
		if changed {
			l.changed = append(l.changed, k)
		}
	}
	for _, k := range l.now {
		if l.slots[k].stamp != l.stamp {
			l.gone = append(l.gone, k)
		}
	}
	l.spare, l.now = l.now, next
	f.countMoves()
	f.subscribed()
	for _, k := range l.changed {
		s := &l.slots[k]
		right := f.resolve(s)
		for _, i := range s.parts {
			p := &f.parts[i]
			p.owner = k
			if !p.known {
				f.settle(p)
				p.known = true
				p.right = right
				f.after(i)
			} else {
				f.setRight(i, right)
			}
		}
	}
	for _, k := range l.changed {
		f.noLonger(k, l.slots[k].before)
	}
	for _, k := range l.gone {
		f.noLonger(k, l.slots[k].parts)
	}
	f.want()
	f.freeSlots()
}

// noLonger takes the right to those partitions away that are not stored for a member, nor
// for another, any more.
func (f *Fold) noLonger(k int32, before []int32) {
	for _, i := range before {
		if p := &f.parts[i]; p.owner == k && p.stamp != f.log.stamp {
			p.owner = none
			f.setRight(i, none)
		}
	}
}

// slotOf takes in what is stored for a member, and gives the slot that keeps it. Changed
// is that it is another assignment or subscription than in the record before.
func (f *Fold) slotOf(m *protocol.StoredMember) (k int32, changed bool) {
	l := &f.log
	k, there := l.byID[m.ID]
	if !there {
		if n := len(l.free); n > 0 {
			k, l.free = l.free[n-1], l.free[:n-1]
		} else {
			k = int32(len(l.slots))
			l.slots = append(l.slots, stored{})
		}
		l.slots[k] = stored{id: m.ID, instance: m.Instance, member: f.whose(m.ID, m.ClientID)}
		l.byID[m.ID] = k
		if m.Instance != "" {
			l.byStatic[m.Instance] = k
		}
	}
	s := &l.slots[k]
	s.stamp = l.stamp
	assignment, metadata := m.Assignment.Sum(), m.Metadata.Sum()
	if there && s.assignment == assignment && s.metadata == metadata {
		return k, false
	}
	if !there || s.metadata != metadata {
		s.metadata, s.topics = metadata, nil
		if m.Metadata != nil {
			s.topics = m.Metadata.Topics
		}
	}
	s.before = s.parts
	if !there || s.assignment != assignment {
		s.assignment, s.parts = assignment, nil
		if m.Assignment != nil {
			s.parts = make([]int32, len(m.Assignment.Partitions))
			for j, tp := range m.Assignment.Partitions {
				s.parts[j] = f.place(tp)
			}
		}
	}
	return k, true
}

// freeSlots forgets who is gone, and ids that nobody will name again.
func (f *Fold) freeSlots() {
	l := &f.log
	for _, k := range l.changed {
		l.slots[k].before = nil
	}
	for _, k := range l.gone {
		s := &l.slots[k]
		delete(l.byID, s.id)
		if l.byStatic[s.instance] == k {
			delete(l.byStatic, s.instance)
		}
		f.forgetID(s.id)
		*s = stored{member: none}
		l.free = append(l.free, k)
	}
}

// subscribed counts who wants which topic, if that has changed. A group without members
// wants what it wanted last.
func (f *Fold) subscribed() {
	l := &f.log
	if len(l.now) == 0 || len(l.changed) == 0 && len(l.gone) == 0 {
		return
	}
	counts := f.topicCounts[:0]
	for range f.topics {
		counts = append(counts, 0)
	}
	for _, k := range l.now {
		for _, name := range l.slots[k].topics {
			n := f.topicNamed(name)
			for int(n) >= len(counts) {
				counts = append(counts, 0)
			}
			counts[n]++
		}
	}
	f.topicCounts = counts
	for n := range counts {
		if t := &f.topics[n]; t.subscribers != counts[n] {
			f.recount(t, func() { t.subscribers = counts[n] })
		}
	}
}

// setRight makes a member the rightful one of a partition.
func (f *Fold) setRight(i, m int32) {
	p := &f.parts[i]
	if p.right == m {
		return
	}
	f.settle(p)
	p.right = m
	if at := p.servedBy(m); at != none {
		p.servers[at].told = false
	}
	f.after(i)
}

// resolve finds the rightful member of what is stored for s: the member itself if the
// coordinator has its id, or has another id for its group.instance.id; or if there is no
// coordinator, which could take the right away.
func (f *Fold) resolve(s *stored) int32 {
	if !f.log.living {
		return s.member
	}
	if m, ok := f.roster.byID[s.id]; ok {
		return m
	}
	if s.instance != "" {
		if id, ok := f.roster.byStatic[s.instance]; ok {
			return f.roster.byID[id]
		}
	}
	return none
}

// resolveAll looks at all rights again.
func (f *Fold) resolveAll() {
	for _, k := range f.log.now {
		f.resolveStored(k)
	}
}

func (f *Fold) resolveStored(k int32) {
	s := &f.log.slots[k]
	right := f.resolve(s)
	for _, i := range s.parts {
		if f.parts[i].owner == k {
			f.setRight(i, right)
		}
	}
}

// whose is the member that has, or had, the id; by its client id, which is the member's
// name, if the id was given before the run began.
func (f *Fold) whose(id, client string) int32 {
	if m, ok := f.log.ids[id]; ok {
		return m
	}
	return int32(slices.IndexFunc(f.members, func(m member) bool { return m.name == client }))
}

func (f *Fold) forgetID(id string) {
	_, stored := f.log.byID[id]
	_, there := f.roster.byID[id]
	if !stored && !there {
		delete(f.log.ids, id)
	}
}

// trusts reports whether a broker's word on the group counts: an old coordinator that
// does not know yet that it is none is not heard.
func (f *Fold) trusts(r *sim.Rec) bool {
	l := &f.log
	if protocol.Rule(r.Why) == protocol.RuleLoaded || !l.living {
		if r.Node != l.coordinator || !l.living {
			l.coordinator, l.living = r.Node, true
			f.roster.clear()
			f.resolveAll()
		}
	}
	return r.Node == l.coordinator
}

// memberChanges takes in who is in the group.
func (f *Fold) memberChanges(r *sim.Rec, b *protocol.MemberChange) {
	if !f.trusts(r) {
		return
	}
	id := b.Member
	m, there := f.roster.byID[id]
	switch {
	case b.What == "added":
		m = f.whose(id, b.Client)
		if r.Cause == f.arrival.ref && f.arrival.kind == protocol.KindJoinGroup && f.arrival.member != none {
			m = f.arrival.member
		}
		f.joins(id, b.Instance, m)
	case there:
		delete(f.roster.byID, id)
		if b.Instance != "" && f.roster.byStatic[b.Instance] == id {
			delete(f.roster.byStatic, b.Instance)
		}
		f.removed = removal{r.Cause, m}
		f.detected(m)
		f.forgetID(id)
	case b.What == "replaced": // the log refused the new id, and the old one is back
		if now, ok := f.roster.byStatic[b.Instance]; ok {
			delete(f.roster.byID, now)
			f.forgetID(now)
		}
		f.joins(id, b.Instance, f.whose(id, b.Client))
	}
	if m != none {
		f.fence(m)
	}
	if k, ok := f.log.byID[id]; ok {
		f.resolveStored(k)
	}
	if k, ok := f.log.byStatic[b.Instance]; ok && b.Instance != "" {
		f.resolveStored(k)
	}
}

func (f *Fold) joins(id, instance string, m int32) {
	f.roster.byID[id] = m
	f.log.ids[id] = m
	if instance != "" {
		f.roster.byStatic[instance] = id
	}
}

// loaded takes in that a broker coordinates the group now.
func (f *Fold) loaded(r *sim.Rec) {
	if int32(r.Note.A) == f.log.partition {
		f.trusts(r)
		f.coordinatorBack()
	}
}

// unloaded takes in that a broker does not coordinate the group any more.
func (f *Fold) unloaded(r *sim.Rec) {
	if int32(r.Note.A) == f.log.partition {
		f.noCoordinator(r.Node)
	}
}

func (f *Fold) brokerStops(r *sim.Rec) {
	if r.Node == f.log.coordinator && f.log.living && r.Op == sim.OpCrash {
		f.faulty(none, CoordinatorLost)
	}
	f.noCoordinator(r.Node)
}

func (f *Fold) noCoordinator(node sim.NodeID) {
	f.forgetPending(node)
	if node == f.log.coordinator && f.log.living {
		f.log.living, f.log.atRest = false, false
		f.fenceAll()
		f.resolveAll()
	}
}

// fence sees whether a member is out of step with a group that is at rest: then its
// commits are refused, whatever it may read.
func (f *Fold) fence(m int32) {
	x := &f.members[m]
	of, there := f.roster.byID[x.id]
	fenced := f.log.atRest && (x.generation != f.log.generation || !there || of != m)
	if fenced == x.fenced {
		return
	}
	for _, i := range x.holds {
		f.settle(&f.parts[i])
	}
	x.fenced = fenced
}

func (f *Fold) fenceAll() {
	for m := range f.members {
		f.fence(int32(m))
	}
}
