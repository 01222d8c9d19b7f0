package search

import (
	"slices"

	"github.com/rebalsim/rebalsim/sim"
)

// Without clocks a move has several ways, one for each way in which what is asked in it
// about deadlines can be answered, and a path has so many moves that take time.

// each makes a move on forks, once for each way in which what is asked in it about
// deadlines can be answered, until f has seen enough.
func (m *model) each(n *node, v move, watch func() sim.Observer, f func(v move, c *node) bool) bool {
	for {
		c := m.take(n, v, watch())
		if !f(v, c) {
			return false
		}
		if !m.anyTime {
			return true
		}
		if v.answers = others(c.world.Asked(), int(n.used.waits) < m.bound.Waits); v.answers == nil {
			return true
		}
	}
}

func unwatched() sim.Observer { return nil }

// others are the next answers after those to the questions of a move, as numbers are
// counted; nil: there are none. Only with time may a deadline have been reached.
func others(asked []sim.Ask, time bool) []sim.Ask {
	next := slices.Clone(asked)
	for len(next) > 0 {
		last := &next[len(next)-1]
		if last.Answer++; last.Answer == last.N {
			next = next[:len(next)-1]
		} else if time || last.Answer != sim.AskReached {
			return next
		}
	}
	return nil
}

// reached reports whether a deadline was found to have been reached.
func reached(list []sim.Ask) bool {
	return slices.ContainsFunc(list, func(a sim.Ask) bool { return a.Answer == sim.AskReached })
}

// nth is a move from a state by its place among all, answers included.
func (m *model) nth(n *node, list []move, place uint32) (nth move) {
	if !m.anyTime {
		return list[place]
	}
	for _, v := range list {
		if !m.each(n, v, unwatched, func(v move, _ *node) bool {
			nth = v
			place--
			return place != ^uint32(0)
		}) {
			break
		}
	}
	return nth
}

// takesTime reports whether a choice is a timer that was not set for at once, in a world
// without clocks.
func (m *model) takesTime(n *node, c sim.Choice) bool {
	return m.anyTime && c.Kind == sim.ChoiceTimer && c.At() > n.world.Now()
}

// passesTime reports whether time passes with a move that has been made.
func (m *model) passesTime(after *node, v move) bool {
	if m.anyTime && reached(after.world.Asked()) {
		return true
	}
	return v.step == 0 && (v.choice.Kind == sim.ChoiceMove || m.takesTime(after, v.choice))
}

// alone is a choice without clocks that may be tried alone, and all others after it, without
// a loss; -1 if there is none. It is that a request arrives which only reads. Nothing that
// it reads will change any more, so its broker is as it was, and says the same at any time.
func (m *model) alone(n *node, choices []sim.Choice) int {
	if !m.anyTime || !m.brokersStay(n) {
		return -1
	}
	if slices.ContainsFunc(choices, func(c sim.Choice) bool { return c.Kind == sim.ChoiceWake }) {
		return -1
	}
	return slices.IndexFunc(choices, func(c sim.Choice) bool {
		if c.Kind != sim.ChoiceArrive {
			return false
		}
		msg := n.world.Message(c)
		return !msg.Answer && msg.Body != nil && reads&(1<<msg.Kind()) != 0
	})
}

// isMoment reports whether a state is one of those that must be reached whatever is left
// out on the way: to which the clock has moved, or, without clocks, in which nothing may be
// tried alone.
func (m *model) isMoment(n *node, v move) bool {
	if !m.anyTime {
		return v.step == 0 && v.choice.Kind == sim.ChoiceMove
	}
	choices := n.world.Choices(nil)
	return m.alone(n, choices) < 0 && m.first(n, choices) == sim.Nobody
}
