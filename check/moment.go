package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

func (e *ExpectMoment) judge(r *run) string {
	at, ref, problem := r.place(e.At)
	if problem != "" {
		return problem
	}
	g, lead := r.Group(r.group), "the group is"
	if e.At.Given {
		g, lead = r.groupUntil(at, ref), "the group was"
	}
	return firstOf(
		stateDiffers(lead, e.State, g.To),
		e.Generation.differs(r, "the generation", int64(g.Generation)),
		leaderDiffers(r, e.Leader, g.Leader),
		e.members(r, g),
		e.holds(r, at, ref),
		e.committed(r, at, ref))
}

// place is a moment's time, and the record up to which things have happened then: all of
// that time, unless a mark says more. At the end, all have.
func (r *run) place(m Moment) (at sim.Time, ref sim.Ref, problem string) {
	const all = sim.Ref(math.MaxUint64)
	switch {
	case !m.Given:
		return r.End, all, ""
	case m.Mark == "" && m.At > r.End:
		return 0, 0, fmt.Sprintf("the run was over at %s s", r.End)
	case m.Mark == "":
		return m.At, all, ""
	}
	mark := r.mark(m.Mark)
	if mark == nil {
		return 0, 0, m.Mark + " never came"
	}
	return mark.At, mark.ID, ""
}

// within is a test of what lies in a window. The moment of From is in it, that of To is not.
func (r *run) within(w Window) (in func(sim.Time, sim.Ref) bool, problem string) {
	from, fromRef, problem := r.place(w.From)
	if problem != "" {
		return nil, problem
	}
	to, toRef, problem := r.place(w.To)
	return func(at sim.Time, ref sim.Ref) bool {
		after := !w.From.Given || at > from || at == from && (w.From.Mark == "" || ref > fromRef)
		before := !w.To.Given || at < to || at == to && w.To.Mark != "" && ref < toRef
		return after && before
	}, problem
}

// mark is the record of a mark, the first if it came again; nil if it never came.
func (r *run) mark(name string) *sim.Rec {
	for i := range r.Events {
		rec := &r.Events[i].Rec
		if t, ok := rec.Note.Body.(*protocol.Text); ok && rec.Note.Code == protocol.NoteMark && t.Text == name {
			return rec
		}
	}
	return nil
}

// groupUntil is how the group was once all that had happened up to a moment.
func (r *run) groupUntil(at sim.Time, ref sim.Ref) (g protocol.GroupChange) {
	for _, m := range r.Moves {
		if m.Group == r.group && m.At <= at && m.Ref < ref {
			g = m.GroupChange
		}
	}
	return g
}

// members compares names with those of the clients that the group's last change left
// in it, as far as they know their ids.
func (e *ExpectMoment) members(r *run, g protocol.GroupChange) string {
	if e.Members == nil {
		return ""
	}
	if e.Members.Names == nil {
		return memberCount(e.Members, int(g.Members))
	}
	return e.Members.differs(r, r.Members(r.group))
}

func (e *ExpectMoment) holds(r *run, at sim.Time, ref sim.Ref) string {
	for _, holds := range e.Holds {
		for _, c := range r.Clients {
			if r.World.Name(c.Node) != holds.Member {
				continue
			}
			held := c.Serves
			if e.At.Given {
				held = r.held(c.Node, at, ref)
			}
			if problem := holds.Partitions.differs(held); problem != "" {
				return problem + " for " + holds.Member
			}
		}
	}
	return ""
}

// held is what a client served at a moment.
func (r *run) held(node sim.NodeID, at sim.Time, ref sim.Ref) (held []protocol.TopicPartition) {
	for i := range r.Events {
		x := &r.Events[i].Rec
		if x.Node != node || x.At > at || x.ID > ref {
			continue
		}
		list, _ := x.Note.Body.(*protocol.PartitionList)
		switch {
		case x.Op == sim.OpCrash || x.Op == sim.OpExit || x.Op == sim.OpStart:
			held = nil
		case x.Op != sim.OpNote || list == nil:
		case x.Note.Code == protocol.NoteServes:
			held = list.Partitions
		case x.Note.Code == protocol.NoteRevoked || x.Note.Code == protocol.NoteLost:
			held = slices.DeleteFunc(slices.Clone(held), func(p protocol.TopicPartition) bool { return slices.Contains(list.Partitions, p) })
		}
	}
	return held
}

func (e *ExpectMoment) committed(r *run, at sim.Time, ref sim.Ref) string {
	for _, c := range e.Committed {
		offset, ok := r.committed(c.Partition, at, ref)
		switch {
		case !ok && c.Offset != nil:
			return fmt.Sprintf("nothing was committed of %s", c.Partition)
		case ok && c.Offset == nil:
			return fmt.Sprintf("the committed offset of %s was %d", c.Partition, offset)
		case ok:
			if problem := c.Offset.differs(r, "the committed offset of "+c.Partition.String(), offset); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// committed is the committed offset of a partition at a moment: what the group's log
// had then that was committed itself.
func (r *run) committed(p protocol.TopicPartition, at sim.Time, ref sim.Ref) (offset int64, ok bool) {
	var pending []*sim.Rec
	take := func(x *sim.Rec) {
		if b := x.Note.Body.(*protocol.LogRecord); b.IsOffset && b.Group == r.group && b.Partition == p {
			offset, ok = b.Offset, !b.Tombstone
		}
	}
	for i := range r.Events {
		x := &r.Events[i].Rec
		if x.Op != sim.OpNote || x.At > at || x.ID > ref {
			continue
		}
		switch x.Note.Code {
		case protocol.NoteAppend:
			if x.Note.C == 0 {
				take(x)
			} else {
				pending = append(pending, x)
			}
		case protocol.NoteCommitted:
			var rest []*sim.Rec
			for _, y := range pending {
				if y.Node == x.Node && y.Note.A == x.Note.A && y.Note.B < x.Note.B {
					take(y)
				} else {
					rest = append(rest, y)
				}
			}
			pending = rest
		}
	}
	return offset, ok
}

// groupAt is how the group was when the record came about.
func (r *run) groupAt(ref sim.Ref) (g protocol.GroupChange) {
	for _, m := range r.Moves {
		if m.Group == r.group && m.Ref < ref {
			g = m.GroupChange
		}
	}
	return g
}
