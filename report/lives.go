package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

const (
	timer  = "timer"
	dies   = "dies"
	ends   = "ends"
	throws = "throws "
)

// long is how long a callback, a close or a wait takes that is told of for its length.
const long = sim.Second

// lasts is how long that lasts which an event begins, a freeze or a callback, and of a start
// how long the process was away.
func lasts(h *history.History) map[sim.Ref]sim.Time {
	open, list := map[sim.NodeID]*sim.Rec{}, map[sim.Ref]sim.Time{}
	called, ended := map[sim.NodeID]*sim.Rec{}, map[sim.NodeID]sim.Time{}
	for i := range h.Events {
		r := &h.Events[i].Rec
		switch r.Op {
		case sim.OpFreeze:
			open[r.Node] = r
		case sim.OpThaw:
			if begun := open[r.Node]; begun != nil {
				list[begun.ID] = r.At - begun.At
			}
		case sim.OpCrash, sim.OpExit:
			ended[r.Node] = r.At
		case sim.OpStart:
			if at, ok := ended[r.Node]; ok {
				list[r.ID] = r.At - at
			}
		case sim.OpNote:
			switch r.Note.Code {
			case protocol.NoteRevoked, protocol.NoteAssigned, protocol.NoteLost:
				called[r.Node] = r
			case protocol.NoteCallbackEnd:
				if begun := called[r.Node]; begun != nil {
					list[begun.ID] = r.At - begun.At
				}
			}
		}
	}
	return list
}

// event makes a row of what moved a group without a request, and of what happened to a
// process.
func (t *teller) event(e *history.Event) {
	r := row{at: e.Rec.At, names: []string{e.Name}}
	if e.Rec.Node != sim.Nobody {
		if e.Rec.Op == sim.OpStart {
			t.lives[e.Rec.Node] = append(t.lives[e.Rec.Node], e.Rec.ID)
		}
		r.who = []string{t.name(e.Rec.Node, e.Rec.ID)}
	}
	switch e.Rec.Op {
	case sim.OpAct:
		if e.Rec.Note.Code == protocol.NoteAct {
			t.tellStep()
			t.step = e
		}
		return
	case sim.OpTimer:
		t.timer(e, r)
		return
	case sim.OpCommand:
		t.command(e, r)
		return
	}
	if r.says = t.says(&e.Rec); r.says == "" {
		return
	}
	r.fold = r.says
	if many[e.Rec.Op] {
		r.kind = r.says
	}
	r.turn = turnOf(&e.Rec, r.says)
	t.shows(&r)
	t.add(r)
}

// turnOf is what kind of turn it is that something happened to a process.
func turnOf(r *sim.Rec, says string) string {
	switch {
	case says == dies || says == ends, r.Op == sim.OpNote && strings.Contains(says, throws):
		return says
	}
	return ""
}

// many are what happens to many at once, and tells no more if each is told of.
var many = map[sim.Op]bool{sim.OpNote: true, sim.OpExit: true, sim.OpClosed: true}

// says tells what happened to a process, "" if it is not worth a row.
func (t *teller) says(r *sim.Rec) string {
	lasts, known := t.lasts[r.ID]
	after := ", after " + span(lasts)
	if lasts < sim.Millisecond {
		after = " at once"
	}
	switch r.Op {
	case sim.OpStart:
		switch {
		case len(t.lives[r.Node]) > 1:
			return "starts again" + after
		case r.At > 0:
			return "starts"
		}
	case sim.OpCrash:
		return dies
	case sim.OpExit:
		at, told := t.told[r.Node]
		delete(t.told, r.Node)
		switch {
		case !told:
			return ends
		case r.At-at >= long:
			return "has closed, which took " + span(r.At-at)
		}
	case sim.OpFreeze:
		if !known {
			return "freezes"
		}
		return "freezes for " + span(lasts)
	case sim.OpThaw:
		return "goes on"
	case sim.OpClosed:
		return "is disconnected"
	case sim.OpClose:
		for i, q := range t.lost[r.Msg.Link] {
			if q.Client == r.Node && q.Sent < r.At && (q.Answered < 0 || q.Answered >= r.At) {
				t.lost[r.Msg.Link] = t.lost[r.Msg.Link][i+1:]
				return fmt.Sprintf("gives up: no answer to %s for %s", protocol.KindName(q.Kind), span(r.At-q.Sent))
			}
		}
	case sim.OpClock:
		return clock(&r.Note)
	case sim.OpNote:
		return t.notes(r, lasts)
	}
	return ""
}

// clock says what became of a machine's clock.
func clock(n *sim.Note) string {
	jump := sim.Time(n.A) * sim.Millisecond
	switch {
	case jump < 0:
		return "has the clock put back by " + span(-jump)
	case jump > 0:
		return "has the clock put forward by " + span(jump)
	}
	return fmt.Sprintf("has a clock that is %d millionths fast", n.B)
}

// notes tells what a member made known of its program.
func (t *teller) notes(r *sim.Rec, lasts sim.Time) string {
	n := &r.Note
	switch n.Code {
	case protocol.NoteBusy:
		return fmt.Sprintf("is busy for %s: no poll", span(sim.Time(n.A)*sim.Millisecond))
	case protocol.NoteRevoked, protocol.NoteAssigned, protocol.NoteLost:
		if lasts >= long {
			return fmt.Sprintf("%s takes %s", callbacks[n.Code], span(lasts))
		}
	case protocol.NoteCallbackEnd:
		if n.B != 0 {
			return callbacks[consumer.CallbackNote(n.A)] + " " + throws + consumer.Class(n.B).String()
		}
	case protocol.NoteThrown:
		if x := consumer.Class(n.A); x != consumer.Wakeup {
			return throws + exception(n)
		}
	}
	return ""
}

// exception names what a note says was thrown.
func exception(n *sim.Note) string {
	return consumer.Thrown{Class: consumer.Class(n.A), Cause: consumer.Class(n.B)}.String()
}

// timer makes a row of a timer that moved the group or let others be answered.
func (t *teller) timer(e *history.Event, r row) {
	moves, answered, gone := t.moved[e.Rec.ID], t.with[e.Rec.ID], t.removed(e.Rec.ID)
	if len(moves) == 0 && len(answered) == 0 && len(gone) == 0 {
		return
	}
	r.asks = timer
	r.moves(moves)
	if r.why == protocol.RuleLoaded {
		r.turn = "loads"
	}
	var does []string
	if len(gone) > 0 {
		who := strings.Join(gone, " ")
		if len(gone) > 3 {
			who = number(len(gone)) + " members"
		}
		if r.act != "" {
			r.act = who + " " + agreeing("is out", len(gone)) + begins
		}
		does = append(does, "removes "+who)
	}
	if len(answered) > 0 {
		does = append(does, t.answers(answered))
	}
	r.reply = strings.Join(does, "; ")
	t.add(r)
}

// answers says what a timer's going off meant to those who waited.
func (t *teller) answers(list []*history.Request) string {
	all := func(kind uint8) bool {
		return !slices.ContainsFunc(list, func(q *history.Request) bool { return q.Kind != kind || q.Error() != protocol.None })
	}
	joined := all(protocol.KindJoinGroup)
	switch {
	case len(list) == 1 && list[0].Error() == protocol.None:
		return "answers " + t.name(list[0].Client, list[0].Cause)
	case len(list) == 1:
		return "ends " + t.name(list[0].Client, list[0].Cause) + "'s wait"
	case joined:
		return together(list, ", together")
	case all(protocol.KindSyncGroup):
		return together(list, ": their parts")
	}
	return "ends the wait of " + number(len(list))
}

// command makes a row of an order that stops a program, or gives or takes a broker groups.
func (t *teller) command(e *history.Event, r row) {
	if b, ok := e.Rec.Body.(*consumer.Call); ok && b.Op == consumer.OpBusy {
		t.shows(&r) // told as it begins
		return
	}
	if stops(&e.Rec) {
		t.told[e.Rec.Node] = e.Rec.At
		r.says, r.fold = "closes", "closes"
		t.shows(&r)
		t.add(r)
		return
	}
	moves := t.moved[e.Rec.ID]
	if len(moves) == 0 || e.Rec.At == 0 {
		return
	}
	r.asks = "loads"
	r.moves(moves)
	if r.why == protocol.RuleUnloaded {
		r.asks, r.act = "unloads", ""
	}
	r.turn = r.asks
	t.shows(&r)
	t.add(r)
}

// stops reports whether a program is told to close its consumer and end.
func stops(r *sim.Rec) bool {
	if r.Op != sim.OpCommand {
		return false
	}
	b, ok := r.Body.(*consumer.Call)
	return ok && (b.Op == consumer.OpClose || b.Op == consumer.OpStop)
}

// shows is that a row tells what a step of the timeline did, if it is of its moment.
func (t *teller) shows(r *row) {
	if t.step != nil && t.step.Rec.At == r.at {
		t.step, r.turn = nil, turnStep
	}
}

// turnStep is the turn that a step of the timeline is.
const turnStep = "step"

// tellStep tells a step of the timeline whose doing shows in no row of its own.
func (t *teller) tellStep() {
	e := t.step
	if e == nil {
		return
	}
	t.step = nil
	if body, ok := e.Rec.Note.Body.(*protocol.Text); ok && !t.steps[body.Text] {
		text := body.Text
		t.steps[text] = true // of one that repeats it says how often
		if key, rest, cut := strings.Cut(text, ", "); cut && strings.HasPrefix(key, "at: ") {
			text = rest // when it happens the row says
		}
		t.rows = append(t.rows, row{at: e.Rec.At, who: []string{"-"}, says: text, turn: turnStep, names: []string{e.Name}})
	}
}

var plurals = map[string]string{"is": "are", "has": "have", "dies": "die", "ends": "end", "starts": "start", "closes": "close",
	"freezes": "freeze", "goes": "go", "throws": "throw", "gives": "give"}

// agreeing is what is said of one as it is said of so many.
func agreeing(says string, n int) string {
	verb, rest, _ := strings.Cut(says, " ")
	if p := plurals[verb]; n > 1 && p != "" {
		return strings.TrimRight(p+" "+rest, " ")
	}
	return says
}
