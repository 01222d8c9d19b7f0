package check

import (
	"fmt"
	"math"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

func (e *ExpectMoment) judge(r *run) string {
	at, ref, problem := r.place(e.At)
	if problem != "" {
		return problem
	}
	return e.How.differs(r, r.scene(at, ref))
}

// differs says what a scene has otherwise, "" if nothing.
func (h *How) differs(r *run, s *scene) string {
	return firstOf(
		stateDiffers("the group was", h.State, s.group.To),
		h.Generation.differs(r, "the generation", int64(s.group.Generation)),
		leaderDiffers(r, h.Leader, s.group.Leader),
		h.members(s),
		h.holds(r, s),
		h.owns(s),
		h.committed(r, s),
		h.allServed(s),
		h.lag(r, s))
}

func (h *How) members(s *scene) string {
	if h.Members == nil {
		return ""
	}
	return h.Members.differs(s.names())
}

func (h *How) holds(r *run, s *scene) string {
	for _, want := range h.Holds {
		for _, c := range r.Clients {
			if r.World.Name(c.Node) != want.Member {
				continue
			}
			if problem := want.Partitions.differs(s.serves[c.Node]); problem != "" {
				return problem + " for " + want.Member
			}
		}
	}
	return ""
}

func (h *How) owns(s *scene) string {
	for _, want := range h.Owns {
		if problem := want.Partitions.differs(s.owns(want.Member)); problem != "" {
			return problem + " that " + want.Member + " had the right to"
		}
	}
	return ""
}

func (h *How) committed(r *run, s *scene) string {
	for _, c := range h.Committed {
		offset, ok := s.offsets[c.Partition]
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

func (h *How) allServed(s *scene) string {
	switch {
	case h.AllServed == Unsaid, (h.AllServed == Yes) == (s.still == 0):
		return ""
	case s.still < 0:
		return "no partition had been assigned"
	case s.still == 0:
		return "all partitions were served"
	case s.still == 1:
		return "one partition stood still"
	}
	return fmt.Sprintf("%d partitions stood still", s.still)
}

func (h *How) lag(r *run, s *scene) string {
	switch {
	case h.Lag == nil:
		return ""
	case s.lag < 0:
		return "there was no lag: nothing had been committed or read"
	case s.seen < s.at:
		return "the lag grew"
	}
	return h.Lag.differs(r, "the lag", s.lag)
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
