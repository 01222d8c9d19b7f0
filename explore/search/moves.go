package search

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// moves lists what may come next. Those that the bound forbids are counted.
func (m *model) moves(n *node, list []move, choices []sim.Choice) ([]move, []sim.Choice) {
	choices = n.world.Choices(choices[:0])
	only := sim.Nobody
	if m.reduce {
		if i := m.alone(n, choices); i >= 0 {
			return append(list, move{choice: choices[i]}), choices
		}
		only = m.first(n, choices)
	}
	for _, c := range choices {
		if m.takesTime(n, c) && int(n.used.waits) == m.bound.Waits {
			continue
		}
		if only == sim.Nobody || m.whose(n, c) == only {
			list = append(list, move{choice: c})
		}
	}
	if int(n.used.late) < m.bound.Late && !m.anyTime {
		list = m.fates(n, list, sim.ChoiceLate)
	}
	if int(n.used.faults) == m.bound.Faults {
		return list, choices
	}
	if m.faults.DropAnswer {
		list = m.fates(n, list, sim.ChoiceLose)
	}
	if m.faults.LoseAnswer {
		list = m.fates(n, list, sim.ChoiceBreak)
	}
	for i := range m.steps {
		if m.may(n, i) && (only == sim.Nobody || m.steps[i].kill == only) {
			list = append(list, move{step: i + 1})
		}
	}
	return list, choices
}

// fates appends what else may become of the messages whose arrival is listed.
func (m *model) fates(n *node, list []move, fate sim.ChoiceKind) []move {
	for _, v := range list {
		if c := v.choice; v.step == 0 && c.Kind == sim.ChoiceArrive {
			if msg := n.world.Message(c); fate == sim.ChoiceLate || msg.Answer && msg.Body != nil {
				list = append(list, move{choice: c.As(fate)})
			}
		}
	}
	return list
}

// may reports whether a free step can happen in a state.
func (m *model) may(n *node, i int) bool {
	s := &m.steps[i]
	switch {
	case n.used.done&(1<<i) != 0:
		return false
	case s.crash != sim.Nobody:
		leader, _ := scenarios.Coordinator(n.world)
		return leader == s.crash && n.world.Alive(s.crash)
	case s.kill != sim.Nobody:
		return n.world.Alive(s.kill)
	}
	return true
}

// reads are the requests that a broker answers from what it knows of the cluster. They
// leave it as it was, so it does not matter what else it handles before and after them.
const reads uint64 = 1<<protocol.KindMetadata | 1<<protocol.KindFindCoordinator

// whose is the node to which a choice happens: the arrival of a request that only reads
// is a part of what its client does.
func (m *model) whose(n *node, c sim.Choice) sim.NodeID {
	if c.Kind == sim.ChoiceArrive {
		if msg := n.world.Message(c); !msg.Answer && msg.Body != nil && reads&(1<<msg.Kind()) != 0 {
			return msg.From
		}
	}
	return n.world.Whose(c)
}

// first is a client whose events may be tried alone, and all others after them, without a
// loss; sim.Nobody if there is none. It is a client that has something due that may not
// wait, and to which nothing else can come before the clock moves: it is owed no answer,
// and nobody but brokers acts. In whichever order things happen, its own events happen in
// one of the orders that are tried here, none of them touches another node, and none of
// what the others do touches it; what lateness, waits and faults cost is the same in any
// order.
//
// Without clocks no event has to happen. But what may happen to the client and takes no time
// can happen first, since it costs nothing, in any run in which it does not happen.
func (m *model) first(n *node, choices []sim.Choice) sim.NodeID {
	if !m.brokersStay(n) {
		return sim.Nobody
	}
	first := sim.Nobody
	for _, c := range choices {
		switch id := m.whose(n, c); {
		case c.Kind == sim.ChoiceWake:
			return sim.Nobody
		case m.takesTime(n, c):
		case id != sim.Nobody && m.isClient[id] && (first == sim.Nobody || id < first) && !n.world.Owed(id, reads):
			first = id
		}
	}
	return first
}

// brokersStay reports whether nothing is left that may break a broker, or make one answer
// otherwise, but what the timeline has at a time.
func (m *model) brokersStay(n *node) bool {
	return !m.triggers && !(m.brokersFail && int(n.used.faults) < m.bound.Faults)
}

// take makes a move on a fork.
func (m *model) take(n *node, v move, watch sim.Observer) *node {
	c := &node{world: n.world.Fork(), used: n.used}
	if watch != nil {
		c.world.Watch(watch)
	}
	m.make(c, v)
	return c
}

// make makes a move.
func (m *model) make(c *node, v move) {
	if m.anyTime {
		c.world.Answer(v.answers)
	}
	switch {
	case v.step > 0:
		c.used.faults++
		c.used.done |= 1 << (v.step - 1)
		scenarios.Do(c.world, m.steps[v.step-1].index)
		m.atOnce(c.world)
		return
	case v.choice.Kind == sim.ChoiceLose || v.choice.Kind == sim.ChoiceBreak:
		c.used.faults++
	case v.choice.Kind == sim.ChoiceLate:
		c.used.late++
	}
	c.world.Take(v.choice)
}

// count counts what a move has used up.
func (m *model) count(c *node, v move, w *watch) {
	c.used.generations += w.generations
	if m.anyTime && m.passesTime(c, v) {
		c.used.waits++
	}
}

// atOnce lets what the director has set for this moment happen: a crash is noticed and a
// new leader elected together with it, unless the step says that this takes time.
func (m *model) atOnce(w *sim.World) {
	for {
		i := slices.IndexFunc(w.Choices(nil), func(c sim.Choice) bool { return c.Kind == sim.ChoiceWake && c.At() <= w.Now() })
		if i < 0 {
			return
		}
		w.Take(w.Choices(nil)[i])
	}
}

// hash is the identity of a state.
func (m *model) hash(n *node) uint64 {
	var h sim.Hasher
	h.Uint(n.world.StateHash())
	h.Uint(uint64(n.used.waits)<<24 | uint64(n.used.late)<<16 | uint64(n.used.generations)<<8 | uint64(n.used.faults))
	h.Uint(uint64(n.used.done))
	return h.Sum()
}
