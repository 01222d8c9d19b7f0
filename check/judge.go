package check

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// Judge says what was instead of what was expected of the group in the run, "" if it
// was as expected. The gauge has measured the run; nil will do where nothing that is
// expected is a figure.
func Judge(e Expected, h *history.History, group string, gauge *Gauge) string {
	return e.judge(&run{h, group, gauge})
}

type run struct {
	*history.History
	group string
	gauge *Gauge
}

func (e *ExpectEvent) judge(r *run) string {
	switch e.Event.Verb {
	case VerbRequest, VerbAnswer:
		q := r.request(e.Event)
		if q == nil {
			return "there was no " + e.Event.String() + r.nearest(e.Event)
		}
		return e.judgeRequest(r, q)
	case VerbGroup:
		m := r.move(e.Event)
		if m == nil {
			return "there was no " + e.Event.String()
		}
		return firstOf(
			e.Generation.differs(r, "the generation", int64(m.Generation)),
			leaderDiffers(r, e.Leader, m.Leader),
			e.Members.differs(r.after(m)),
			e.when(r, m.At))
	}
	ev := r.event(e.Event)
	if ev == nil {
		return "there was no " + e.Event.String()
	}
	s := r.scene(ev.Rec.At, ev.Rec.ID)
	var list []protocol.TopicPartition
	if p, ok := ev.Rec.Note.Body.(*protocol.PartitionList); ok {
		list = p.Partitions
	}
	return firstOf(
		e.throws(&ev.Rec),
		stateDiffers("the group was", e.State, s.group.To),
		e.Generation.differs(r, "the generation", int64(s.group.Generation)),
		leaderDiffers(r, e.Leader, s.group.Leader),
		e.Members.differs(s.names()),
		e.Partitions.differs(list),
		e.when(r, ev.Rec.At))
}

// throws says what was thrown instead of what is expected.
func (e *ExpectEvent) throws(r *sim.Rec) string {
	if e.Exception == "" || thrownIn(r).Is(e.Exception) {
		return ""
	}
	return "the exception was " + thrownIn(r).String()
}

// thrownIn is the exception that a record tells of.
func thrownIn(r *sim.Rec) consumer.Thrown {
	if r.Op != sim.OpNote || r.Note.Code != protocol.NoteThrown {
		return consumer.Thrown{}
	}
	return consumer.Thrown{Class: consumer.Class(r.Note.A), Cause: consumer.Class(r.Note.B)}
}

func (e *ExpectEvent) judgeRequest(r *run, q *history.Request) string {
	parked := !q.AtOnce() && (q.Answer != nil || q.Waits != 0)
	generation, leader, members, partitions := r.answerParts(q)
	return firstOf(
		stateDiffers("the group was", e.In, q.In.To),
		e.Answered.differs(r, q),
		e.waits(r, parked, q),
		e.together(r, q),
		e.moved(q),
		e.after(r, q),
		e.Generation.differs(r, "the generation", generation),
		leaderDiffers(r, e.Leader, leader),
		e.Members.differs(members),
		e.failed(r, q),
		e.Partitions.differs(partitions),
		e.when(r, q.Arrived))
}

// answerParts picks what an answer says, for those kinds that say it.
func (r *run) answerParts(q *history.Request) (generation int64, leader string, members []string, partitions []protocol.TopicPartition) {
	switch a := q.Answer.(type) {
	case *protocol.JoinGroupAnswer:
		for i := range a.Members {
			members = append(members, r.MemberName(a.Members[i].ID))
		}
		return int64(a.Generation), a.Leader, members, nil
	case *protocol.SyncGroupAnswer:
		if req, ok := q.Body.(*protocol.SyncGroupRequest); ok {
			generation = int64(req.Generation)
		}
		if a.Assignment != nil {
			partitions = a.Assignment.Partitions
		}
	case *protocol.HeartbeatAnswer:
		if req, ok := q.Body.(*protocol.HeartbeatRequest); ok {
			generation = int64(req.Generation)
		}
	}
	return generation, "", nil, partitions
}

func (a Answered) differs(r *run, q *history.Request) string {
	switch {
	case a == AnsweredAnyhow,
		a == AnsweredAtOnce && q.AtOnce(),
		a == AnsweredLater && q.Answer != nil && !q.AtOnce(),
		a == AnsweredNever && q.Answer == nil,
		a == AnsweredDisconnected && (q.Lost || r.hungUp(q)):
		return ""
	}
	return q.Name + " was " + r.howAnswered(q)
}

// hungUp reports whether the client learned that the connection of a request is closed,
// and had no answer.
func (r *run) hungUp(q *history.Request) bool {
	return q.Answer == nil && slices.ContainsFunc(r.Events, func(e history.Event) bool {
		return e.Rec.Op == sim.OpClosed && e.Rec.Msg.Link == q.Link && e.Rec.ID > q.Arrival
	})
}

func (r *run) howAnswered(q *history.Request) string {
	switch {
	case q.Lost:
		return "lost with its connection, or its answer was"
	case r.hungUp(q):
		return "not answered: its connection was closed"
	case q.Answer == nil:
		return "not answered"
	case q.AtOnce():
		return "answered at once: " + history.Body(q.Answer)
	}
	return fmt.Sprintf("answered after %s s: %s", q.Answered-q.Arrived, history.Body(q.Answer))
}

func (e *ExpectEvent) waits(r *run, parked bool, q *history.Request) string {
	if e.Waits == Unsaid || (e.Waits == Yes) == parked {
		return ""
	}
	return q.Name + " was " + r.howAnswered(q)
}

func (e *ExpectEvent) together(r *run, q *history.Request) string {
	if e.With.None() {
		return ""
	}
	with := r.request(e.With)
	switch {
	case with == nil:
		return "there was no " + e.With.String()
	case with.Answer == nil || q.Answer == nil || with.AnswerBy != q.AnswerBy:
		return fmt.Sprintf("%s was %s, and %s was %s", q.Name, r.howAnswered(q), with.Name, r.howAnswered(with))
	}
	return ""
}

func (e *ExpectEvent) moved(q *history.Request) string {
	if e.Stays && len(q.Moves) > 0 {
		return fmt.Sprintf("%s moved the group to %s", q.Name, q.Moves[0].To)
	}
	if e.MovesTo == protocol.NoGroup && e.MovesFrom == protocol.NoGroup {
		return ""
	}
	for _, m := range q.Moves {
		if (e.MovesFrom == protocol.NoGroup || e.MovesFrom == m.From) && (e.MovesTo == protocol.NoGroup || e.MovesTo == m.To) {
			return ""
		}
	}
	if len(q.Moves) == 0 {
		return fmt.Sprintf("%s left the group in %s", q.Name, q.In.To)
	}
	return fmt.Sprintf("%s moved the group from %s to %s", q.Name, q.Moves[0].From, q.Moves[len(q.Moves)-1].To)
}

func (e *ExpectEvent) after(r *run, q *history.Request) string {
	state := q.In.To
	if n := len(q.Moves); n > 0 {
		state = q.Moves[n-1].To
	}
	return stateDiffers("after it the group was", e.State, state)
}

func (e *ExpectEvent) failed(r *run, q *history.Request) string {
	if !e.HasError || q.Answer != nil && q.Error() == e.Error {
		return ""
	}
	if q.Answer == nil {
		return q.Name + " was " + r.howAnswered(q)
	}
	return "the error was " + q.Error().String()
}

func (e *ExpectEvent) when(r *run, at sim.Time) string {
	if !e.HasAt {
		return ""
	}
	since, problem := r.since(e.After, e.AfterMark)
	switch {
	case problem != "":
		return problem
	case e.At.Contains(at - since):
		return ""
	case since == 0:
		return fmt.Sprintf("it was at %s s", at)
	case at < since:
		return fmt.Sprintf("it was at %s s, %s s before that", at, since-at)
	}
	return fmt.Sprintf("it was at %s s, %s s after that", at, at-since)
}

// since is the moment of an event or a mark, whichever is given; the beginning without.
func (r *run) since(event EventName, mark string) (at sim.Time, problem string) {
	if !event.None() {
		found := r.all(event)
		if len(found) == 0 {
			return 0, "there was no " + event.String()
		}
		return found[0].at, ""
	}
	if mark == "" {
		return 0, ""
	}
	rec := r.mark(mark)
	if rec == nil {
		return 0, mark + " never came"
	}
	return rec.At, ""
}
