package check

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// scene is how things stand at a moment, as far as the trace tells.
type scene struct {
	at      sim.Time
	group   protocol.GroupChange
	members []*history.Joined
	// The broker that coordinates the group, Nobody if none lives, and the partition of
	// __consumer_offsets that it leads, -1 while that is not known.
	coordinator sim.NodeID
	partition   int64
	serves      map[sim.NodeID][]protocol.TopicPartition
	stored      []protocol.StoredMember // the assignment that the group's log holds committed
	offsets     map[protocol.TopicPartition]int64
	pending     []*sim.Rec // what is appended to the group's log and not committed
	standing
}

// reel goes through a run change by change. Its scene is how things stand before the next.
type reel struct {
	*run
	moves, joined, events, standings int // how many have been taken
	coming                           coming
	word                             sim.NodeID // the broker that is believed; Nobody: whoever coordinates
	scene
}

func (r *run) reel() *reel {
	return &reel{run: r, word: sim.Nobody, scene: scene{coordinator: sim.Nobody, partition: -1, standing: standing{still: -1, lag: -1},
		serves: map[sim.NodeID][]protocol.TopicPartition{}, offsets: map[protocol.TopicPartition]int64{}}}
}

// scene is how things stand once all has happened up to a moment and a record.
func (r *run) scene(at sim.Time, ref sim.Ref) *scene {
	l := r.reel()
	for l.next() && l.coming.at <= at && l.coming.ref <= ref {
		l.take()
	}
	l.scene.at = at
	return &l.scene
}

// coming is the next change of a run.
type coming struct {
	at  sim.Time
	ref sim.Ref
	by  func(l *reel)
}

// next looks for the next change; there is none at the end of the run.
func (l *reel) next() bool {
	l.coming.by = nil
	if l.moves < len(l.Moves) {
		m := &l.Moves[l.moves]
		l.sooner(m.At, m.Ref, (*reel).takeMove)
	}
	if l.joined < len(l.Joined) {
		j := &l.Joined[l.joined]
		l.sooner(j.At, j.Ref, (*reel).takeJoined)
	}
	if l.events < len(l.Events) {
		x := &l.Events[l.events].Rec
		l.sooner(x.At, x.ID, (*reel).takeEvent)
	}
	if list := l.gauge.stood(); l.standings < len(list) {
		s := &list[l.standings]
		l.sooner(s.seen, s.ref, (*reel).takeStanding)
	}
	return l.coming.by != nil
}

func (l *reel) sooner(at sim.Time, ref sim.Ref, by func(l *reel)) {
	if l.coming.by == nil || ref < l.coming.ref {
		l.coming = coming{at, ref, by}
	}
}

// take brings the change that was found into the scene.
func (l *reel) take() {
	l.scene.at = l.coming.at
	l.coming.by(l)
}

func (l *reel) takeStanding() {
	l.standing = l.gauge.stood()[l.standings]
	l.standings++
}

// takeMove takes in a change of the group's state, unless a broker gives the group up
// that coordinates it no more.
func (l *reel) takeMove() {
	m := &l.Moves[l.moves]
	l.moves++
	if m.Group != l.run.group || m.Why == protocol.RuleUnloaded && l.coordinator != m.Node {
		return
	}
	if l.trusts(m.Node, m.Why) {
		l.scene.group = m.GroupChange
	}
}

func (l *reel) takeJoined() {
	j := &l.Joined[l.joined]
	l.joined++
	switch {
	case j.Group != l.run.group || !l.trusts(j.Node, j.Why):
	case j.Gone:
		l.members = slices.DeleteFunc(l.members, func(m *history.Joined) bool { return m.Member == j.Member })
	default:
		l.members = append(l.members, j)
	}
}

// trusts reports whether a broker's word on the group counts: that of an old
// coordinator that does not know yet that it is none does not. A new one begins with nobody.
func (l *reel) trusts(node sim.NodeID, why protocol.Rule) bool {
	if l.word != sim.Nobody {
		return l.word == node
	}
	if l.coordinator != node && (l.coordinator == sim.Nobody || why == protocol.RuleLoaded) {
		l.coordinator, l.members = node, nil
	}
	return l.coordinator == node
}

func (l *reel) takeEvent() {
	x := &l.Events[l.events].Rec
	l.events++
	switch x.Op {
	case sim.OpCrash, sim.OpExit, sim.OpStart:
		l.givesUp(x.Node)
		delete(l.serves, x.Node)
	case sim.OpNote:
		l.takeNote(x)
	}
}

func (l *reel) takeNote(x *sim.Rec) {
	switch body := x.Note.Body.(type) {
	case *protocol.PartitionList:
		switch x.Note.Code {
		case protocol.NoteServes:
			l.serves[x.Node] = body.Partitions
		case protocol.NoteRevoked, protocol.NoteLost:
			l.serves[x.Node] = slices.DeleteFunc(slices.Clone(l.serves[x.Node]), func(p protocol.TopicPartition) bool {
				return slices.Contains(body.Partitions, p)
			})
		}
	case *protocol.LogRecord:
		if x.Note.Code == protocol.NoteAppend && body.Group == l.run.group {
			l.partition = x.Note.A
			l.append(x, body)
		}
	default:
		switch ours := l.partition < 0 || l.partition == x.Note.A; {
		case !ours:
		case x.Note.Code == protocol.NoteCommitted:
			l.commit(x)
		case x.Note.Code == protocol.NoteLoaded:
			l.trusts(x.Node, protocol.RuleLoaded)
		case x.Note.Code == protocol.NoteUnloaded:
			l.givesUp(x.Node)
		}
	}
}

func (l *reel) append(x *sim.Rec, body *protocol.LogRecord) {
	if x.Note.C == 0 {
		l.store(body)
		return
	}
	l.pending = append(l.pending, x)
}

// commit takes in that what a broker appended before an offset is committed now.
func (l *reel) commit(x *sim.Rec) {
	l.pending = slices.DeleteFunc(l.pending, func(y *sim.Rec) bool {
		done := y.Node == x.Node && y.Note.A == x.Note.A && y.Note.B < x.Note.B
		if done {
			l.store(y.Note.Body.(*protocol.LogRecord))
		}
		return done
	})
}

// givesUp takes in that a broker coordinates no more: what it had appended and not committed
// is lost.
func (l *reel) givesUp(node sim.NodeID) {
	if l.coordinator == node {
		l.coordinator = sim.Nobody
	}
	if l.word == node {
		l.members = nil
	}
	l.pending = slices.DeleteFunc(l.pending, func(y *sim.Rec) bool { return y.Node == node })
}

func (s *scene) store(b *protocol.LogRecord) {
	switch {
	case !b.IsOffset:
		s.stored = b.Members
	case b.Tombstone:
		delete(s.offsets, b.Partition)
	default:
		s.offsets[b.Partition] = b.Offset
	}
}

// names are the members' by which they are known.
func (s *scene) names() []string {
	list := make([]string, 0, len(s.members))
	for i := range s.members {
		list = append(list, s.members[i].Name)
	}
	return list
}

// owns is what the stored assignment gives to a member whose id the group has, or another
// id under the same group.instance.id.
func (s *scene) owns(name string) []protocol.TopicPartition {
	for i := range s.members {
		m := s.members[i]
		if m.Name != name {
			continue
		}
		for j := range s.stored {
			st := &s.stored[j]
			if st.Assignment != nil && (st.ID == m.Member || m.Instance != "" && st.Instance == m.Instance) {
				return st.Assignment.Partitions
			}
		}
	}
	return nil
}
