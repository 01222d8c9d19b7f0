package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// row is a line of the story: one thing that the coordinator handled, or several of
// one kind in a row.
type row struct {
	at    sim.Time
	who   []string
	asks  string
	group string
	reply string
	why   protocol.Rule
	act   string // the heading of the act that it begins, if any
	fold  string // rows with equal folds that follow each other become one
}

// teller makes the rows of a story.
type teller struct {
	h     *history.History
	group string
	with  map[sim.Ref][]*history.Request // what was answered by handling a record
	rows  []row
}

func tell(r *Run) []row {
	t := &teller{h: r.History, group: r.Group, with: map[sim.Ref][]*history.Request{}}
	for _, q := range t.h.Requests {
		if q.Answer != nil && !q.AtOnce() && !q.Quiet() {
			t.with[q.AnswerBy] = append(t.with[q.AnswerBy], q)
		}
	}
	t.merge()
	return t.folded()
}

// merge takes requests, timers and faults in the order of their records.
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
}

func (t *teller) name(id sim.NodeID) string { return t.h.World.Name(id) }

func (t *teller) request(q *history.Request) {
	if q.Quiet() {
		return
	}
	r := row{at: q.Arrived, who: []string{t.name(q.Client)}, asks: protocol.KindName(q.Kind),
		group: stateText(q.In.To, q.In.Generation), why: q.Why}
	if !q.AtOnce() && q.Waits != 0 {
		r.why = q.Waits
	}
	r.act = t.act(&r, q.Moves)
	if n := len(q.Moves); n > 0 {
		last := q.Moves[n-1]
		r.group = "-> " + shortState(last.To, last.Generation)
		r.why = last.Why
	}
	r.reply = t.reply(q)
	if len(q.Moves) == 0 {
		reply := r.reply
		if q.Kind == protocol.KindSyncGroup && q.AtOnce() {
			reply = q.Error().String()
		}
		r.fold = fmt.Sprint(r.asks, "|", r.group, "|", reply, "|", r.why)
	}
	t.rows = append(t.rows, r)
}

// reply says how the request was answered.
func (t *teller) reply(q *history.Request) string {
	others := t.with[q.Arrival]
	e := q.Error()
	switch {
	case q.Answer == nil && q.Lost:
		return "lost"
	case q.Answer == nil:
		return "never"
	case e != protocol.None && q.AtOnce():
		return e.String()
	case e != protocol.None:
		return fmt.Sprintf("%s after %s", e, span(q.Answered-q.Arrived))
	case len(others) > 0:
		n := len(others)
		if q.AtOnce() {
			n++
		}
		switch q.Kind {
		case protocol.KindJoinGroup:
			return fmt.Sprintf("all %s, together", number(n))
		case protocol.KindSyncGroup:
			return fmt.Sprintf("all %s: their part", number(n))
		}
		return fmt.Sprintf("at once, and %s more", number(len(others)))
	case !q.AtOnce():
		return "waits " + span(q.Answered-q.Arrived)
	}
	return "at once" + t.detail(q)
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

// event makes a row of what moved a group without a request, and of faults.
func (t *teller) event(e *history.Event) {
	r := row{at: e.Rec.At}
	if e.Rec.Node != sim.Nobody {
		r.who = []string{t.name(e.Rec.Node)}
	}
	switch e.Rec.Op {
	case sim.OpCrash:
		r.asks, r.reply = "", "dies"
	case sim.OpClosed:
		r.reply = "is disconnected"
		r.fold = "disconnected"
	case sim.OpTimer:
		moves := t.movedBy(e.Rec.ID)
		if len(moves) == 0 && len(t.with[e.Rec.ID]) == 0 {
			return
		}
		r.asks = "timer"
		r.act = t.act(&r, moves)
		if n := len(moves); n > 0 {
			r.group = "-> " + shortState(moves[n-1].To, moves[n-1].Generation)
			r.why = moves[n-1].Why
		}
		if n := len(t.with[e.Rec.ID]); n > 0 {
			r.reply = fmt.Sprintf("all %s, together", number(n))
		}
	default:
		return
	}
	t.rows = append(t.rows, r)
}

func (t *teller) movedBy(ref sim.Ref) []history.Move {
	var moves []history.Move
	for _, m := range t.h.Moves {
		if m.By == ref {
			moves = append(moves, m)
		}
	}
	return moves
}

// act is the heading for a row that moves the group, "" if it begins no act.
func (t *teller) act(r *row, moves []history.Move) string {
	for _, m := range moves {
		if m.To == protocol.PreparingRebalance {
			if r.asks == "timer" {
				return "time is up: a rebalance begins"
			}
			return strings.Join(r.who, " ") + " " + verbs[r.asks] + ": a rebalance begins"
		}
	}
	return ""
}

var verbs = map[string]string{"JoinGroup": "asks", "LeaveGroup": "leaves", "SyncGroup": "asks"}

// folded joins rows that follow each other and say the same, and gives the acts that
// no move begins their headings.
func (t *teller) folded() []row {
	var out []row
	for _, r := range t.rows {
		if n := len(out); n > 0 && r.act == "" && out[n-1].takes(&r) {
			continue
		}
		out = append(out, r)
	}
	for i := range out {
		if i > 0 && out[i].asks == "SyncGroup" && strings.HasPrefix(out[i-1].group, "-> Completing") {
			out[i].act = "the leader assigns"
		}
	}
	return out
}

// takes joins a row that says the same of somebody else.
func (r *row) takes(next *row) bool {
	switch {
	case r.fold == "" || r.fold != next.fold:
		return false
	case r.asks == "SyncGroup" && r.reply != next.reply:
		r.reply = "at once: their parts"
	}
	for _, who := range next.who {
		if !slices.Contains(r.who, who) {
			r.who = append(r.who, who)
		}
	}
	return true
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
