package check

import (
	"fmt"
	"slices"
	"strings"

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
			memberCount(e.Members, int(m.Members)),
			e.when(r, m.At))
	}
	ev := r.event(e.Event)
	if ev == nil {
		return "there was no " + e.Event.String()
	}
	at := ev.Rec.ID
	g := r.groupAt(at)
	var list []protocol.TopicPartition
	if p, ok := ev.Rec.Note.Body.(*protocol.PartitionList); ok {
		list = p.Partitions
	}
	return firstOf(
		stateDiffers("the group was", e.State, g.To),
		e.Generation.differs(r, "the generation", int64(g.Generation)),
		e.Partitions.differs(list),
		e.when(r, ev.Rec.At))
}

func (e *ExpectEvent) judgeRequest(r *run, q *history.Request) string {
	parked := !q.AtOnce() && (q.Answer != nil || q.Waits != 0)
	generation, leader, members, partitions := answerParts(q)
	return firstOf(
		stateDiffers("the group was", e.In, q.In.To),
		e.Answered.differs(q),
		e.waits(parked, q),
		e.together(r, q),
		e.moved(q),
		e.after(r, q),
		e.Generation.differs(r, "the generation", generation),
		leaderDiffers(r, e.Leader, leader),
		e.Members.differs(r, members),
		e.failed(q),
		e.Partitions.differs(partitions),
		e.when(r, q.Arrived))
}

// answerParts picks what an answer says, for those kinds that say it.
func answerParts(q *history.Request) (generation int64, leader string, members []string, partitions []protocol.TopicPartition) {
	switch a := q.Answer.(type) {
	case *protocol.JoinGroupAnswer:
		for i := range a.Members {
			members = append(members, a.Members[i].ID)
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

func (a Answered) differs(q *history.Request) string {
	switch {
	case a == AnsweredAnyhow,
		a == AnsweredAtOnce && q.AtOnce(),
		a == AnsweredLater && q.Answer != nil && !q.AtOnce(),
		a == AnsweredNever && q.Answer == nil,
		a == AnsweredDisconnected && q.Lost:
		return ""
	}
	return q.Name + " was " + howAnswered(q)
}

func howAnswered(q *history.Request) string {
	switch {
	case q.Lost:
		return "lost with its connection, or its answer was"
	case q.Answer == nil:
		return "not answered"
	case q.AtOnce():
		return "answered at once: " + history.Body(q.Answer)
	}
	return fmt.Sprintf("answered after %s s: %s", q.Answered-q.Arrived, history.Body(q.Answer))
}

func (e *ExpectEvent) waits(parked bool, q *history.Request) string {
	if e.Waits == Unsaid || (e.Waits == Yes) == parked {
		return ""
	}
	return q.Name + " was " + howAnswered(q)
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
		return fmt.Sprintf("%s was %s, and %s was %s", q.Name, howAnswered(q), with.Name, howAnswered(with))
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

func (e *ExpectEvent) failed(q *history.Request) string {
	if !e.HasError || q.Answer != nil && q.Error() == e.Error {
		return ""
	}
	if q.Answer == nil {
		return q.Name + " was " + howAnswered(q)
	}
	return "the error was " + q.Error().String()
}

func (e *ExpectEvent) when(r *run, at sim.Time) string {
	if !e.HasAt {
		return ""
	}
	since, problem := r.since(e)
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

// since is the moment from which the time of an event counts.
func (r *run) since(e *ExpectEvent) (at sim.Time, problem string) {
	if !e.After.None() {
		found := r.all(e.After)
		if len(found) == 0 {
			return 0, "there was no " + e.After.String()
		}
		return found[0].at, ""
	}
	if e.AfterMark == "" {
		return 0, ""
	}
	mark := r.mark(e.AfterMark)
	if mark == nil {
		return 0, e.AfterMark + " never came"
	}
	return mark.At, ""
}

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
		if in(x.at, x.ref) && (!e.HasError || x.answered(e.Error)) {
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
}

// all lists what a name means, in the order in which it happened.
func (r *run) all(name EventName) []occurrence {
	var list []occurrence
	switch name.Verb {
	case 0:
	case VerbRequest:
		for _, q := range r.Requests {
			if name.Matches(q.Name) {
				list = append(list, occurrence{q.Name, q.Arrived, q.Arrival, q})
			}
		}
	case VerbAnswer:
		for _, q := range r.Requests {
			if q.Answer != nil && name.Matches(q.Name+".answer") {
				list = append(list, occurrence{q.Name + ".answer", q.Answered, q.AnswerRef, q})
			}
		}
	case VerbGroup:
		for i := range r.Moves {
			if m := &r.Moves[i]; name.Matches(m.Name) {
				list = append(list, occurrence{m.Name, m.At, m.Ref, nil})
			}
		}
	default:
		for i := range r.Events {
			if ev := &r.Events[i]; name.Matches(ev.Name) {
				list = append(list, occurrence{ev.Name, ev.Rec.At, ev.Rec.ID, nil})
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

func stateDiffers(lead string, want, got protocol.GroupState) string {
	if want == protocol.NoGroup || want == got {
		return ""
	}
	return fmt.Sprintf("%s %s", lead, got)
}

func leaderDiffers(r *run, want, got string) string {
	if want == "" || want == r.MemberName(got) {
		return ""
	}
	return "the leader was " + r.MemberName(got)
}

func memberCount(want *Members, got int) string {
	if want == nil {
		return ""
	}
	n := want.Count
	if want.Names != nil {
		n = len(want.Names)
	}
	if n == got {
		return ""
	}
	return fmt.Sprintf("there were %d members", got)
}

func (n *Number) differs(r *run, what string, got int64) string {
	if n == nil {
		return ""
	}
	base := int64(0)
	if n.Relative {
		base = int64(r.generationAt(n.Since))
	}
	if n.Min+base <= got && got <= n.Max+base {
		return ""
	}
	return fmt.Sprintf("%s was %d", what, got)
}

// generationAt is the group's generation at a mark, or with "" at the beginning.
func (r *run) generationAt(mark string) int32 {
	if m := r.mark(mark); m != nil {
		return r.groupAt(m.ID).Generation
	}
	for _, m := range r.Moves {
		if m.Group == r.group {
			if m.At > 0 {
				break // the group was not formed when the run began
			}
			return m.Generation
		}
	}
	return 0
}

func (m *Members) differs(r *run, ids []string) string {
	if m == nil {
		return ""
	}
	if m.Names == nil {
		return memberCount(m, len(ids))
	}
	got := make([]string, 0, len(ids))
	for _, id := range ids {
		got = append(got, r.MemberName(id))
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(m.Names))
	if slices.Equal(got, want) {
		return ""
	}
	if len(got) == 0 {
		return "there were no members"
	}
	return "the members were " + strings.Join(got, ", ")
}

func (p *Partitions) differs(got []protocol.TopicPartition) string {
	if p == nil || p.List == nil && p.Count == len(got) {
		return ""
	}
	if p.List != nil {
		a, b := slices.Clone(got), slices.Clone(p.List)
		slices.SortFunc(a, protocol.TopicPartition.Compare)
		slices.SortFunc(b, protocol.TopicPartition.Compare)
		if slices.Equal(a, b) {
			return ""
		}
	}
	if len(got) == 0 {
		return "there were no partitions"
	}
	return "the partitions were " + history.Partitions(got)
}

func firstOf(problems ...string) string {
	for _, p := range problems {
		if p != "" {
			return p
		}
	}
	return ""
}
