package check

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

func (e *ExpectNever) judge(r *run) string {
	in, problem := r.within(e.Window)
	if problem != "" {
		return problem
	}
	for _, m := range r.Moves {
		if m.Group == r.group && e.State != protocol.NoGroup && m.To == e.State && in(m.At, m.Ref) {
			return fmt.Sprintf("at %s s the group was %s", m.At, m.To)
		}
	}
	for _, q := range r.Requests {
		if e.HasError && q.Answer != nil && q.Error() == e.Error && in(q.Answered, q.AnswerRef) {
			return fmt.Sprintf("at %s s %s was answered %s", q.Answered, q.Name, e.Error)
		}
	}
	for i := range r.Events {
		x := &r.Events[i]
		if e.Exception != "" && thrownIn(&x.Rec).Is(e.Exception) && in(x.Rec.At, x.Rec.ID) {
			return fmt.Sprintf("at %s s %s was %s", x.Rec.At, x.Name, thrownIn(&x.Rec))
		}
	}
	for _, x := range r.all(e.Event) {
		if in(x.at, x.ref) {
			return fmt.Sprintf("at %s s there was %s", x.at, x.name)
		}
	}
	return ""
}

func (e *ExpectOrder) judge(r *run) string {
	var before occurrence
	for i, name := range e.Events {
		found := r.all(name)
		if len(found) == 0 {
			return "there was no " + name.String()
		}
		if i > 0 && found[0].ref < before.ref {
			return fmt.Sprintf("%s came before %s", found[0].name, before.name)
		}
		before = found[0]
	}
	return ""
}

func (e *ExpectCount) judge(r *run) string {
	in, problem := r.within(e.Window)
	if problem != "" {
		return problem
	}
	n := int64(0)
	for _, x := range r.all(e.Event) {
		if in(x.at, x.ref) && (!e.HasError || x.answered(e.Error)) && (e.Exception == "" || thrownIn(x.rec).Is(e.Exception)) {
			n++
		}
	}
	return e.Times.differs(r, "the number", n)
}

// answered reports whether a request, or the answer to it, got the error.
func (x *occurrence) answered(e protocol.Error) bool {
	return x.request != nil && x.request.Answer != nil && x.request.Error() == e
}

// occurrence is an event that happened.
type occurrence struct {
	name    string
	at      sim.Time
	ref     sim.Ref
	request *history.Request // nil: it is something else
	rec     *sim.Rec         // of an event, nil: it is something else
}

// all lists what a name means, in the order in which it happened.
func (r *run) all(name EventName) []occurrence {
	var list []occurrence
	switch name.Verb {
	case 0:
	case VerbRequest:
		for _, q := range r.Requests {
			if name.Matches(q.Name) {
				list = append(list, occurrence{q.Name, q.Arrived, q.Arrival, q, nil})
			}
		}
	case VerbAnswer:
		for _, q := range r.Requests {
			if q.Answer != nil && name.Matches(q.Name+".answer") {
				list = append(list, occurrence{q.Name + ".answer", q.Answered, q.AnswerRef, q, nil})
			}
		}
	case VerbGroup:
		for i := range r.Moves {
			if m := &r.Moves[i]; name.Matches(m.Name) {
				list = append(list, occurrence{m.Name, m.At, m.Ref, nil, nil})
			}
		}
	default:
		for i := range r.Events {
			if ev := &r.Events[i]; name.Matches(ev.Name) {
				list = append(list, occurrence{ev.Name, ev.Rec.At, ev.Rec.ID, nil, &ev.Rec})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b occurrence) int { return int(int64(a.ref) - int64(b.ref)) })
	return list
}

func (r *run) request(name EventName) *history.Request {
	for _, q := range r.Requests {
		if name.Matches(q.Name) || name.Verb == VerbAnswer && name.Matches(q.Name+".answer") {
			return q
		}
	}
	return nil
}

func (r *run) move(name EventName) *history.Move {
	for i := range r.Moves {
		if name.Matches(r.Moves[i].Name) {
			return &r.Moves[i]
		}
	}
	return nil
}

func (r *run) event(name EventName) *history.Event {
	for i := range r.Events {
		if name.Matches(r.Events[i].Name) {
			return &r.Events[i]
		}
	}
	return nil
}

// nearest says how many such requests there were.
func (r *run) nearest(name EventName) string {
	name.First, name.Last = 0, 0
	found := r.all(name)
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("; the last was %s", found[len(found)-1].name)
}
