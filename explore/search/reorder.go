package search

import (
	"slices"

	"github.com/rebalsim/rebalsim/sim"
)

// came is who got what, in order.
type came struct {
	world *sim.World
	list  []receipt
	sent  []receipt
	own   func(*sim.World) string // see Setup
	broke bool
}

// receipt is a message that arrived.
type receipt struct {
	node sim.NodeID
	sim.Message
	at sim.Time
}

// Observe takes one record.
func (c *came) Observe(r *sim.Rec) {
	c.broke = c.broke || c.own != nil && c.own(c.world) != ""
	if r.Op == sim.OpSend {
		c.sent = append(c.sent, receipt{r.Node, r.Msg, r.At})
	}
	if r.Op == sim.OpArrive && reads&(1<<r.Msg.Kind()) == 0 {
		c.list = append(c.list, receipt{r.Node, r.Msg, r.At})
	}
}

// places gives the place of each message, by its name.
func (c *came) places() map[string]int {
	m := make(map[string]int, len(c.list))
	for i := range c.list {
		m[c.list[i].key()] = i
	}
	return m
}

func (a *receipt) key() string { return stableName(a.Client(), &a.Message) }

// reorder lets messages take longer, one after the other, until each node of the plain run
// gets what it got on the path in the same order: the first that comes too early is put off
// until behind what should have come before it. It reports whether the run shows what is
// wrong then.
func (r *reteller) reorder(s story) (story, bool) {
	for range mostPutOff {
		early, by := r.tooEarly()
		if early == nil {
			break
		}
		s.steps = slices.Clone(s.steps)
		putOff(&s.steps, messageName(r.came.world, &early.Message), by)
		if r.shows(s) {
			return s, true
		}
	}
	return s, false
}

// onTime lets messages take as long as it takes to arrive at the moments of the path. What
// is sent when hangs on that, so it takes some rounds.
func (r *reteller) onTime(s story) (story, bool) {
	for range mostPutOff {
		steps := faultsOf(s.steps)
		for i := range r.came.sent {
			m := &r.came.sent[i]
			name := messageName(r.came.world, &m.Message)
			if at, ok := r.broken.moments.comes[name]; ok && at > m.at {
				steps = append(steps, addition{do: "delay", msg: name, by: at - m.at})
			}
		}
		if slices.Equal(steps, s.steps) {
			break
		}
		if s.steps = steps; r.shows(s) {
			return s, true
		}
	}
	return s, false
}

// mostPutOff is how often messages are put off.
const mostPutOff = 300

// tooEarly is the first message of the run before which its node should have got another,
// and by how much.
func (r *reteller) tooEarly() (*receipt, sim.Time) {
	path, run := r.broken.came.places(), r.came.places()
	for i := range r.came.list {
		a := &r.came.list[i]
		for j := range path[a.key()] {
			b := &r.broken.came.list[j]
			if k, ok := run[b.key()]; ok && k > i && b.node == a.node {
				return a, r.came.list[k].at - a.at + 1
			}
		}
	}
	return nil, 0
}

// putOff lets a message take longer.
func putOff(list *[]addition, name string, by sim.Time) {
	for i := range *list {
		if a := &(*list)[i]; a.do == "delay" && a.msg == name {
			a.by += by
			return
		}
	}
	*list = append(*list, addition{do: "delay", msg: name, by: by})
}
