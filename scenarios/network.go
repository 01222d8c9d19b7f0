package scenarios

import "github.com/rebalsim/rebalsim/sim"

// other is a node by its name, and with "" every one.
func (d *director) other(c *sim.Control, name string) sim.NodeID {
	if name == "" {
		return sim.Nobody
	}
	return d.node(c, name)
}

// ways calls f for a node and each other that it may have to do with.
func (d *director) ways(c *sim.Control, of, from string, f func(of, from sim.NodeID)) int {
	a, b := d.node(c, of), d.other(c, from)
	n := 0
	for id := range sim.NodeID(c.World().Nodes()) {
		if id != a && (b == sim.Nobody || id == b) {
			f(a, id)
			n++
		}
	}
	return n
}

func (d *director) cut(step int, a *Cut, c *sim.Control) int {
	if a.For > 0 {
		d.pending++
		c.After(a.For, wakeKey(wakeHeal, step))
	}
	return d.ways(c, a.Of, a.From, func(of, from sim.NodeID) {
		if a.ToIt {
			c.Cut(from, of)
		}
		if a.FromIt {
			c.Cut(of, from)
		}
	})
}

// heals ends a cut that lasts for a time.
func (d *director) heals(step int, c *sim.Control) {
	d.recovered(c)
	a := d.scenario.Timeline[step].Do.(Cut)
	d.heal(&Heal{a.Of, a.From}, c)
}

func (d *director) heal(a *Heal, c *sim.Control) int {
	return d.ways(c, a.Of, a.From, func(of, from sim.NodeID) {
		c.Heal(from, of)
		c.Heal(of, from)
	})
}

func (d *director) latency(a *Latency, c *sim.Control) int {
	return d.ways(c, a.Of, a.From, func(of, from sim.NodeID) {
		c.SetLatency(of, from, a.Is.Min, a.Is.Max-a.Is.Min)
		c.SetLatency(from, of, a.Is.Min, a.Is.Max-a.Is.Min)
	})
}
