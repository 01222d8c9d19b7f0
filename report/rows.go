package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// row is a line of the story: one thing that the coordinator handled or that happened to a
// process, or several of one kind in a row.
type row struct {
	at    sim.Time
	who   []string
	says  string // of what happened to a process; else the next three
	asks  string
	group string
	reply string
	waits sim.Time // how long the answer took, 0: it was given at once
	rest  string   // of the reply: what comes behind that
	why   protocol.Rule
	act   string   // the heading of the act that it begins, if any
	turn  string   // what kind of turn of the story it is, "": it is none
	names []string // of the events that it tells

	fold  string          // rows with equal folds that follow each other become one
	kind  string          // rows of one kind can be gathered into one; "": it ends what is gathered
	had   map[string]bool // those of who, once it has taken other rows
	light bool            // it is so in every rebalance: the rule behind it can do without being told
}

// teller makes the rows of a story.
type teller struct {
	h     *history.History
	with  map[sim.Ref][]*history.Request    // what was answered by handling a record
	moved map[sim.Ref][]history.Move        // what moved the group then
	lives map[sim.NodeID][]sim.Ref          // the beginnings of its processes
	asked map[string]*history.Request       // what each member id came by
	gone  map[sim.Ref][]removal             // who was removed by handling a record
	lost  map[sim.LinkID][]*history.Request // parked, and the client had no answer
	ends  map[sim.LinkID][]sim.Time         // when clients closed or lost connections
	died  map[sim.NodeID][]sim.Time         // when processes ended
	lasts map[sim.Ref]sim.Time              // how long what an event begins lasts: a freeze, a callback, a process's absence
	told  map[sim.NodeID]sim.Time           // to stop, and when
	step  *history.Event                    // of the timeline: nothing has been told of it yet
	steps map[string]bool                   // those that were told
	rows  []row
}

func tell(r *Run) []row {
	t := &teller{h: r.History, lasts: lasts(r.History),
		with: map[sim.Ref][]*history.Request{}, moved: map[sim.Ref][]history.Move{}, gone: map[sim.Ref][]removal{},
		lost: map[sim.LinkID][]*history.Request{}, ends: map[sim.LinkID][]sim.Time{}, died: map[sim.NodeID][]sim.Time{},
		asked: map[string]*history.Request{}, lives: map[sim.NodeID][]sim.Ref{}, told: map[sim.NodeID]sim.Time{}, steps: map[string]bool{}}
	t.index()
	t.indexMembers()
	t.merge()
	return folded(t.rows)
}

// index finds what was answered or moved together, and what ended.
func (t *teller) index() {
	for _, q := range t.h.Requests {
		if q.Answer != nil && !q.AtOnce() && !q.Quiet() {
			t.with[q.AnswerBy] = append(t.with[q.AnswerBy], q)
		}
		if q.Waits != 0 && (q.Lost || q.Answer == nil) {
			t.lost[q.Link] = append(t.lost[q.Link], q)
		}
	}
	for _, m := range t.h.Moves {
		t.moved[m.By] = append(t.moved[m.By], m)
	}
	for i := range t.h.Events {
		switch r := &t.h.Events[i].Rec; r.Op {
		case sim.OpClose, sim.OpClosed:
			t.ends[r.Msg.Link] = append(t.ends[r.Msg.Link], r.At)
		case sim.OpCrash, sim.OpExit:
			t.died[r.Node] = append(t.died[r.Node], r.At)
		}
	}
}

// indexMembers finds what each member id came by, and which were removed.
func (t *teller) indexMembers() {
	newest := map[sim.NodeID]string{}
	for i := range t.h.Joined {
		j := &t.h.Joined[i]
		if q := t.h.By(j.By); q != nil && !j.Gone {
			t.asked[j.Member], newest[q.Client] = q, j.Member
		}
		if q := t.asked[j.Member]; j.Gone {
			t.gone[j.By] = append(t.gone[j.By], removal{j.Name, q, q != nil && newest[q.Client] != j.Member})
		}
	}
}

// merge takes requests, timers and what happened to processes in the order of their records.
func (t *teller) merge() {
	events := t.h.Events
	for _, q := range t.h.Requests {
		for len(events) > 0 && events[0].Rec.ID < q.Arrival {
			t.event(&events[0])
			events = events[1:]
		}
		t.request(q)
	}
	for i := range events {
		t.event(&events[i])
	}
	t.tellStep()
}

// name is a node's name, and of one that has started again the how manieth process: "F1#2".
func (t *teller) name(id sim.NodeID, at sim.Ref) string {
	lives := t.lives[id]
	n := len(lives)
	for n > 1 && lives[n-1] > at {
		n--
	}
	if n < 2 {
		return t.h.World.Name(id)
	}
	return fmt.Sprintf("%s#%d", t.h.World.Name(id), n)
}

// removal is that a member was removed.
type removal struct {
	name  string
	asked *history.Request // that it came by, nil: the scenario begins with it
	old   bool             // its client has another id by then
}

// removed names those who were removed by handling a record.
func (t *teller) removed(by sim.Ref) (names []string) {
	for _, x := range t.gone[by] {
		if x.asked != nil {
			x.name = t.name(x.asked.Client, x.asked.Cause)
		}
		if x.old {
			x.name += "'s old id"
		}
		names = append(names, x.name)
	}
	return names
}

func (t *teller) add(r row) {
	t.tellStep()
	t.rows = append(t.rows, r)
}

func (t *teller) request(q *history.Request) {
	if q.Quiet() {
		return
	}
	who := []string{t.name(q.Client, q.Cause)}
	if q.Kind == protocol.KindLeaveGroup && q.Asks == protocol.RulePollTimeout {
		t.add(row{at: q.Sent, who: who, says: "has not polled for max.poll.interval.ms: leaves", why: q.Asks})
	}
	r := row{at: q.Arrived, who: who, asks: protocol.KindName(q.Kind),
		group: stateText(q.In.To, q.In.Generation), why: q.Why, names: []string{q.Name, q.Name + ".answer"}}
	if !q.AtOnce() && q.Waits != 0 {
		r.why = q.Waits
	}
	r.moves(q.Moves)
	r.reply = t.reply(q)
	r.waits = t.waited(q)
	r.rest = strings.TrimPrefix(r.reply, waits(r.waits))
	if q.Answer != nil {
		r.light = routine(q.Error()) && r.waits < long && r.act == ""
	}
	if len(q.Moves) == 0 {
		reply := r.reply
		if q.Kind == protocol.KindSyncGroup && q.AtOnce() {
			reply = q.Error().String()
		}
		r.fold = fmt.Sprint(r.asks, "|", r.group, "|", reply, "|", r.why)
		if len(t.with[q.Arrival]) == 0 {
			r.kind = fmt.Sprint(r.asks, "|", r.group, "|", q.Error(), "|", q.AtOnce(), "|", q.Answer == nil, "|", q.Lost, "|", r.why)
		}
	}
	t.add(r)
}

// routine reports whether an answer is one that every rebalance has.
func routine(e protocol.Error) bool {
	return e == protocol.None || e == protocol.RebalanceInProgress || e == protocol.MemberIDRequired
}

// moves says what the row does to the group.
func (r *row) moves(moves []history.Move) {
	for _, m := range moves {
		r.names = append(r.names, m.Name)
		if m.To == protocol.PreparingRebalance {
			r.act = strings.Join(r.who, " ") + " " + verbs[r.asks] + begins
		}
	}
	if n := len(moves); n > 0 {
		r.group = "-> " + shortState(moves[n-1].To, moves[n-1].Generation)
		r.why = moves[n-1].Why
	}
}

// begins is how the heading of an act ends that is a rebalance.
const begins = ": a rebalance begins"

var verbs = map[string]string{"JoinGroup": "asks", "LeaveGroup": "leaves", "SyncGroup": "asks", "loads": "loads", timer: "waits no longer"}

// reply says how the request was answered. A wait is never left out.
func (t *teller) reply(q *history.Request) string {
	if q.Answer == nil {
		return unanswered(t.waited(q))
	}
	reply := "at once"
	if !q.AtOnce() {
		reply = waits(q.Answered - q.Arrived)
	}
	lost := ""
	if q.Lost && q.Got < 0 {
		lost = ", lost"
	}
	switch e := q.Error(); {
	case e != protocol.None && q.AtOnce():
		return e.String() + lost
	case e != protocol.None:
		return reply + lost + ": " + e.String()
	case !q.AtOnce():
		return reply + lost
	}
	if all := t.answered(q); all != "" {
		return all
	}
	return reply + t.detail(q) + lost
}

const never = "no answer"

// unanswered says how long a request was waited for that had no answer.
func unanswered(t sim.Time) string {
	if t < sim.Millisecond {
		return never
	}
	return never + " in " + span(t)
}

// waited is how long a request waited: for its answer, or until its client waited no more.
func (t *teller) waited(q *history.Request) sim.Time {
	if q.Answer != nil {
		return q.Answered - q.Arrived
	}
	until := t.h.End
	for _, ends := range [][]sim.Time{t.ends[q.Link], t.died[q.Client]} {
		if i, _ := slices.BinarySearch(ends, q.Arrived); i < len(ends) {
			until = min(until, ends[i])
		}
	}
	return until - q.Arrived
}

// waits says how long an answer took.
func waits(t sim.Time) string {
	if t < sim.Millisecond {
		return "waits < 1 ms"
	}
	return "waits " + span(t)
}

// answered says who else was answered as a request was handled, "" if nobody.
func (t *teller) answered(q *history.Request) string {
	others := t.with[q.Arrival]
	if len(others) == 0 {
		return ""
	}
	for _, o := range others {
		if o.Kind != q.Kind || o.Error() != protocol.None {
			return ""
		}
	}
	switch q.Kind {
	case protocol.KindJoinGroup:
		return together(append(others, q), ", together")
	case protocol.KindSyncGroup:
		return together(append(others, q), ": their parts")
	}
	return ""
}

// together says of answers that were given at the same time what they were, or how many of
// them did not get through.
func together(answers []*history.Request, what string) string {
	lost := 0
	for _, q := range answers {
		if q.Lost && q.Got < 0 {
			lost++
		}
	}
	if lost > 0 {
		what = ", " + number(lost) + " lost"
	}
	if len(answers) == 2 {
		return "both" + what
	}
	return "all " + number(len(answers)) + what
}

func (t *teller) detail(q *history.Request) string {
	switch a := q.Answer.(type) {
	case *protocol.JoinGroupAnswer:
		switch {
		case a.SkipAssignment:
			return ": no new assignment"
		case a.Leader == a.Member && len(a.Members) > 0:
			return fmt.Sprintf(": leads gen. %d", a.Generation)
		case a.Generation == q.In.Generation:
			return fmt.Sprintf(": still gen. %d", a.Generation)
		}
		return fmt.Sprintf(": generation %d", a.Generation)
	case *protocol.SyncGroupAnswer:
		if a.Assignment == nil || len(a.Assignment.Partitions) == 0 {
			return ": nothing"
		}
		if list := history.Partitions(a.Assignment.Partitions); len(list) <= 16 {
			return ": " + list
		}
		return fmt.Sprintf(": %d partitions", len(a.Assignment.Partitions))
	case *protocol.LeaveGroupAnswer:
		return ": goodbye"
	}
	return ""
}

func stateText(s protocol.GroupState, generation int32) string {
	switch s {
	case protocol.NoGroup, protocol.PreparingRebalance, protocol.Dead, protocol.Empty:
		return s.String()
	}
	return fmt.Sprintf("%s %d", s, generation)
}

// shortState is stateText for behind an arrow.
func shortState(s protocol.GroupState, generation int32) string {
	if s == protocol.CompletingRebalance {
		return fmt.Sprintf("CompletingRebal. %d", generation)
	}
	return stateText(s, generation)
}

var numbers = [...]string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

func number(n int) string {
	if n < len(numbers) {
		return numbers[n]
	}
	return fmt.Sprint(n)
}

// span is a length of time in seconds, to the millisecond.
func span(t sim.Time) string { return seconds(t) + " s" }
