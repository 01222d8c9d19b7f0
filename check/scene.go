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
	mover   sim.NodeID // the broker that moved the group last
	members []history.Member
	serves  map[sim.NodeID][]protocol.TopicPartition
	stored  []protocol.StoredMember // the assignment that the group's log holds committed
	offsets map[protocol.TopicPartition]int64
	pending []*sim.Rec // what is appended to the group's log and not committed
	standing
}

// reel goes through a run change by change. Its scene is how things stand before the next.
type reel struct {
	*run
	moves, joined, events, standings int // how many have been taken
	coming                           coming
	scene
}

func (r *run) reel() *reel {
	return &reel{run: r, scene: scene{serves: map[sim.NodeID][]protocol.TopicPartition{},
		offsets: map[protocol.TopicPartition]int64{}, standing: standing{still: -1, lag: -1}}}
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
// that another has already.
func (l *reel) takeMove() {
	m := &l.Moves[l.moves]
	l.moves++
	if m.Group == l.run.group && (m.Why != protocol.RuleUnloaded || l.mover == m.Node) {
		l.scene.group, l.mover = m.GroupChange, m.Node
	}
}

func (l *reel) takeJoined() {
	j := &l.Joined[l.joined]
	l.joined++
	switch {
	case j.Group != l.run.group:
	case j.Gone:
		l.members = slices.DeleteFunc(l.members, func(m history.Member) bool { return m.ID == j.ID })
	default:
		l.members = append(l.members, j.Member)
	}
}

func (l *reel) takeEvent() {
	x := &l.Events[l.events].Rec
	l.events++
	switch x.Op {
	case sim.OpCrash, sim.OpExit, sim.OpStart:
		l.forget(x.Node)
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
		switch {
		case x.Note.Code != protocol.NoteAppend || body.Group != l.run.group:
		case x.Note.C == 0:
			l.store(body)
		default:
			l.pending = append(l.pending, x)
		}
	default:
		switch x.Note.Code {
		case protocol.NoteCommitted:
			l.commit(x)
		case protocol.NoteUnloaded:
			l.forget(x.Node)
		}
	}
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

// forget loses what a broker had appended and not committed.
func (l *reel) forget(node sim.NodeID) {
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
		m := &s.members[i]
		if m.Name != name {
			continue
		}
		for j := range s.stored {
			st := &s.stored[j]
			if st.Assignment != nil && (st.ID == m.ID || m.Instance != "" && st.Instance == m.Instance) {
				return st.Assignment.Partitions
			}
		}
	}
	return nil
}
