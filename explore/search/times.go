package search

import (
	"fmt"

	"github.com/rebalsim/rebalsim/sim"
)

// A path has an order for what happens at one moment, and a plain run has its own. It has
// the path's if messages take some microseconds: clocks show whole milliseconds, so no
// process sees them, and no deadline moves.

// addition is a step of the timeline that a path asks for.
type addition struct {
	at    sim.Time
	do    string // "drop", "lose", "delay", or a free step as it is written
	msg   string
	by    sim.Time
	fault bool
}

// step is it as a timeline has it.
func (a *addition) step() string {
	switch {
	case a.do == "delay":
		return fmt.Sprintf("{at: 0s, delay: {message: %s, by: %s}}", a.msg, length(a.by))
	case a.msg != "":
		return fmt.Sprintf("{at: 0s, %s: %s}", a.do, a.msg)
	}
	return fmt.Sprintf("{at: %s, %s}", length(a.at), a.do)
}

// length writes a length of time as scenarios do.
func length(t sim.Time) string {
	switch {
	case t == 0:
		return "0s"
	case t%sim.Second == 0:
		return fmt.Sprintf("%ds", t/sim.Second)
	case t < sim.Millisecond:
		return fmt.Sprintf("%dus", t)
	case t < sim.Second && t%sim.Millisecond == 0:
		return fmt.Sprintf("%dms", t/sim.Millisecond)
	}
	return t.String() + "s"
}

// schedule gives each move of a path a moment, no sooner than the path has it.
type schedule struct {
	at     []sim.Time          // by move
	lowest map[int]sim.Time    // moves that may not be sooner
	since  map[string]int      // by what may happen: the move that brought it about
	sent   map[string]sim.Time // by message
	now    sim.Time            // the path's
	floor  sim.Time            // after the last fault
	latest sim.Time
	events int                     // of this moment
	came   map[sim.NodeID]sim.Time // the last message of this moment, by node
	went   map[sim.NodeID]sim.Time // the last step of a thread
	list   []addition
	again  bool // some of lowest was not known
}

// additions are the steps with which a plain run is to have the path's order. There may be
// none with which it has: a timer of a broker goes off before the messages of its moment,
// and a thread of a client after them.
func (x *search) additions(moves []uint32) []addition {
	s := &schedule{lowest: map[int]sim.Time{}}
	for range 100 {
		s.begin()
		n := x.walk(moves, func(n *node, v move) { s.place(x, n, v) }, s)
		s.putOff(n.world, n.world.Choices(nil), s.latest+1)
		if !s.again {
			break
		}
	}
	return s.list
}

func (s *schedule) begin() {
	*s = schedule{lowest: s.lowest, since: map[string]int{}, sent: map[string]sim.Time{}}
	s.moment(0)
}

// moment begins a moment of the path.
func (s *schedule) moment(now sim.Time) {
	s.now, s.floor, s.latest, s.events = now, now, now, 0
	s.came, s.went = map[sim.NodeID]sim.Time{}, map[sim.NodeID]sim.Time{}
}

// Observe notes when messages are sent.
func (s *schedule) Observe(r *sim.Rec) {
	if r.Op == sim.OpSend {
		s.sent[stableName(r.Msg.Client(), &r.Msg)] = s.at[len(s.at)-1]
	}
}

// stableName is messageName for machines.
func stableName(client sim.NodeID, m *sim.Message) string {
	return fmt.Sprintf("%d.%d#%d %t", client, m.Kind(), m.Ord, m.Answer)
}

// place gives the next move its moment.
func (s *schedule) place(x *search, n *node, v move) {
	s.noteChoices(n.world, x.choices)
	i := len(s.at)
	t := max(s.now, s.lowest[i])
	c := v.choice
	switch {
	case v.step > 0:
		if s.events > 0 {
			t = s.latest + 1
		}
		s.floor = t
		s.putOff(n.world, x.choices, t+1)
		s.list = append(s.list, addition{at: t, do: x.steps[v.step-1].text, fault: true})
	case c.Kind == sim.ChoiceMove:
		s.moment(c.At())
		s.at = append(s.at, c.At())
		return
	case c.Kind == sim.ChoiceLate:
		s.at = append(s.at, t)
		return
	case c.Kind == sim.ChoiceLose, c.Kind == sim.ChoiceBreak:
		m := n.world.Message(c)
		s.list = append(s.list, addition{do: lossOf(c), msg: messageName(n.world, &m), fault: true})
	case c.Kind == sim.ChoiceArrive:
		t = s.arrival(x, n.world, c, max(t, s.floor))
	case c.Kind == sim.ChoiceTimer:
		t = s.timer(x, n.world, c)
	}
	s.events++
	s.latest = max(s.latest, t)
	s.at = append(s.at, t)
}

// lossOf is what loses a message so.
func lossOf(c sim.Choice) string {
	if c.Kind == sim.ChoiceBreak {
		return "lose"
	}
	return "drop"
}

// arrival lets a message arrive after what its node has done before.
func (s *schedule) arrival(x *search, w *sim.World, c sim.Choice, t sim.Time) sim.Time {
	m, node := w.Message(c), w.Whose(c)
	t = max(t, s.appeared(key(w, c)))
	if last, ok := s.came[node]; ok {
		if !x.isClient[node] {
			last++
		}
		t = max(t, last)
	}
	if last, ok := s.went[node]; ok {
		t = max(t, last+1)
	}
	s.came[node] = t
	s.delay(w, &m, t)
	return t
}

// putOff lets what could have arrived, and did not, arrive later than that.
func (s *schedule) putOff(w *sim.World, choices []sim.Choice, t sim.Time) {
	for _, c := range choices {
		if c.Kind == sim.ChoiceArrive {
			m := w.Message(c)
			s.delay(w, &m, t)
		}
	}
}

// delay lets a message arrive at a moment. News of a closed connection come by themselves.
func (s *schedule) delay(w *sim.World, m *sim.Message, t sim.Time) {
	sent := s.sent[stableName(m.Client(), m)]
	if m.Body == nil || t <= sent {
		return
	}
	name := messageName(w, m)
	for i := range s.list {
		if a := &s.list[i]; a.do == "delay" && a.msg == name {
			a.by = t - sent
			return
		}
	}
	s.list = append(s.list, addition{do: "delay", msg: name, by: t - sent})
}

// timer lets a timer go off when it does: at its moment, or with what set it. What its node
// got before, in the path, must not be later.
func (s *schedule) timer(x *search, w *sim.World, c sim.Choice) sim.Time {
	node := w.Whose(c)
	t := s.appeared(key(w, c))
	if last, ok := s.came[node]; ok && last > t {
		if by := s.since[key(w, c)]; s.lowest[by] < last {
			s.lowest[by], s.again = last, true
		}
	}
	if x.isClient[node] {
		s.went[node] = max(s.went[node], t)
	}
	return t
}

// noteChoices notes what has become possible by the last move.
func (s *schedule) noteChoices(w *sim.World, choices []sim.Choice) {
	was := s.since
	s.since = make(map[string]int, len(choices))
	for _, c := range choices {
		if c.Kind != sim.ChoiceArrive && c.Kind != sim.ChoiceTimer {
			continue
		}
		k := key(w, c)
		by, ok := was[k]
		if !ok {
			by = len(s.at) - 1
		}
		s.since[k] = by
	}
}

// appeared is the moment at which something became possible.
func (s *schedule) appeared(k string) sim.Time {
	if by := s.since[k]; by >= 0 && by < len(s.at) {
		return max(s.now, s.at[by])
	}
	return s.now
}

// key tells what may happen apart.
func key(w *sim.World, c sim.Choice) string {
	switch c.Kind {
	case sim.ChoiceWake:
		return fmt.Sprintf("wake %x", c.Wakes())
	case sim.ChoiceTimer:
		id, f := w.Timer(c)
		return fmt.Sprintf("timer %d %d", id, f.ID)
	}
	m := w.Message(c)
	if m.Body == nil {
		return fmt.Sprintf("closed %d", m.Link)
	}
	return stableName(m.Client(), &m)
}
