package search

import "github.com/rebalsim/rebalsim/sim"

// A path without clocks has an order and no moments. These are what clocks that run alike
// would say of its moments; if they can all hold, it is a run that can happen.

// constraint is that one event is no sooner than so long after another; of negative length,
// that the other is no later than so long after the one.
type constraint struct {
	before, after int
	least         sim.Time
}

// timed is a path without clocks whose moments are looked for.
type timed struct {
	list   []constraint
	n      int // events so far
	set    map[timerOf]setting
	faults []additionAt
	comes  map[string]int // messages by name: the event in which each arrives
}

// timerOf is a timer of a node.
type timerOf struct {
	node sim.NodeID
	id   sim.TimerID
}

// setting is the event in which a timer was set, and for how long.
type setting struct {
	event  int
	length sim.Time
}

// additionAt is a fault, at the moment of an event.
type additionAt struct {
	addition
	event int
}

// moments are those of what a path asks of a plain run.
type moments struct {
	faults []addition
	comes  map[string]sim.Time // messages by name: when each arrives, if not later
	end    sim.Time
}

// momentsOf gives the events of a path the earliest moments that all constraints allow. It
// is nil if there are none: the path needs clocks that run apart.
func (x *search) momentsOf(moves []uint32) *moments {
	c := &timed{comes: map[string]int{}, set: map[timerOf]setting{}}
	n := x.walk(moves, func(n *node, v move) {
		c.settled(n.world)
		c.next(x, n, v)
	})
	c.settled(n.world)
	at, ok := solve(c.n, c.list)
	if !ok {
		return nil
	}
	t := &moments{comes: map[string]sim.Time{}, end: at[c.n-1]}
	for _, a := range c.faults {
		if a.msg == "" {
			a.at = at[a.event]
		}
		t.faults = append(t.faults, a.addition)
	}
	for name, event := range c.comes {
		t.comes[name] = at[event]
	}
	for _, choice := range n.world.Choices(nil) {
		if m := n.world.Message(choice); choice.Kind == sim.ChoiceArrive && m.Body != nil {
			t.comes[messageName(n.world, &m)] = t.end + 1
		}
	}
	return t
}

// settled takes in what the last event asked and set. A deadline that was not reached lies
// ahead, and so does each timer that has not gone off. One that was set for a millisecond is
// left out: it may have been set for what was left of another.
func (c *timed) settled(w *sim.World) {
	i := c.n - 1
	if i < 0 {
		return
	}
	for _, a := range w.Asked() {
		s, ok := c.set[timerOf{a.Node, a.Timer.ID}]
		switch {
		case !ok:
		case a.Answer == sim.AskReached:
			c.list = append(c.list, constraint{s.event, i, s.length})
		default:
			c.list = append(c.list, constraint{i, s.event, 1 - s.length})
		}
	}
	for _, s := range w.Settings() {
		t := timerOf{s.Node, s.Timer}
		if c.set[t] = (setting{i, s.For}); s.For == sim.Millisecond {
			delete(c.set, t)
		}
	}
	for _, choice := range w.Choices(nil) {
		if choice.Kind == sim.ChoiceTimer {
			id, f := w.Timer(choice)
			if s, ok := c.set[timerOf{id, f.ID}]; ok {
				c.list = append(c.list, constraint{i, s.event, -s.length})
			}
		}
	}
}

// next begins the next event.
func (c *timed) next(x *search, n *node, v move) {
	i := c.n
	c.n++
	if i > 0 {
		c.list = append(c.list, constraint{i - 1, i, 0})
	}
	w, choice := n.world, v.choice
	switch {
	case v.step > 0:
		c.faults = append(c.faults, additionAt{addition{do: x.steps[v.step-1].text, fault: true}, i})
	case choice.Kind == sim.ChoiceTimer:
		id, f := w.Timer(choice)
		if s, ok := c.set[timerOf{id, f.ID}]; ok {
			c.list = append(c.list, constraint{s.event, i, s.length})
		}
	case choice.Kind == sim.ChoiceArrive:
		if m := w.Message(choice); m.Body != nil {
			c.comes[messageName(w, &m)] = i
		}
	case choice.Kind == sim.ChoiceLose, choice.Kind == sim.ChoiceBreak:
		m := w.Message(choice)
		c.faults = append(c.faults, additionAt{addition{do: lossOf(choice), msg: messageName(w, &m), fault: true}, i})
	}
}

// solve gives the earliest moments that the constraints allow, by Bellman and Ford: whatever
// is too soon is put off, and if that does not end within so many rounds as there are
// events, it goes round in a circle.
func solve(n int, list []constraint) (at []sim.Time, ok bool) {
	at = make([]sim.Time, n)
	for range n + 1 {
		ok = true
		for _, c := range list {
			if least := at[c.before] + c.least; at[c.after] < least {
				at[c.after], ok = least, false
			}
		}
		if ok {
			return at, true
		}
	}
	return nil, false
}
