package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/sim"
)

// A new coordinator is known to the cluster before it knows itself: until its broker has
// heard of it, it answers NOT_COORDINATOR. And brokers that have not heard of it name the
// old one.

// installLater is install by a step for a broker that does not know of it for a while.
func (d *director) installLater(step int, b sim.NodeID, unaware, load sim.Time, c *sim.Control) {
	if unaware == 0 {
		d.install(b, load, c)
		return
	}
	d.toldAll(b, c)
	if !d.ctl.unaware {
		d.ctl.unaware, d.ctl.before = true, d.ctl.leader
	}
	d.ctl.epoch++
	d.ctl.leader = b
	d.pending++
	c.After(unaware, wakeKey(wakeAware, step))
}

// becomesAware lets the new coordinator know, unless it is one no more.
func (d *director) becomesAware(step int, c *sim.Control) {
	d.recovered(c)
	b := d.ctl.leader
	if !d.ctl.unaware || d.ctl.image.OffsetsLeaders[d.part] != b || !c.World().Alive(b) {
		return
	}
	var load sim.Time
	switch a := d.scenario.Timeline[step].Do.(type) {
	case Crash:
		load = a.LoadTime
	case Move:
		load = a.LoadTime
	}
	d.loadNow(load, c)
}

// loadNow lets the coordinator that was not aware of it load the group.
func (d *director) loadNow(load sim.Time, c *sim.Control) {
	records := d.log(c)
	d.ctl.unaware = false
	c.Command(d.ctl.leader, &coordinator.Load{Partition: d.part, Epoch: d.ctl.epoch, Records: records, Takes: load.Millis()})
}

// vacant is the image without a coordinator: to a broker that starts and is one, but does not have
// the group's log yet.
func (d *director) vacant() *coordinator.Image {
	image := *d.ctl.image
	image.OffsetsLeaders = slices.Clone(image.OffsetsLeaders)
	image.OffsetsLeaders[d.part] = sim.Nobody
	return &image
}

// deafen keeps all news from brokers for a time.
func (d *director) deafen(step int, u Unheard, c *sim.Control) {
	if u.For == 0 {
		return
	}
	for _, name := range u.By {
		d.ctl.deaf = append(slices.Clip(d.ctl.deaf), d.brokerNamed(name))
	}
	d.pending++
	c.After(u.For, wakeKey(wakeHears, step))
}

// hears tells brokers what they have missed.
func (d *director) hears(step int, c *sim.Control) {
	d.recovered(c)
	var u Unheard
	switch a := d.scenario.Timeline[step].Do.(type) {
	case Crash:
		u = a.Unheard
	case Move:
		u = a.Unheard
	}
	d.fill(c)
	for _, name := range u.By {
		b := d.brokerNamed(name)
		if i := slices.Index(d.ctl.deaf, b); i >= 0 {
			d.ctl.deaf = slices.Delete(slices.Clone(d.ctl.deaf), i, i+1)
		}
		if c.World().Alive(b) && !slices.Contains(d.ctl.deaf, b) {
			c.Command(b, &coordinator.SetImage{Image: d.ctl.image})
		}
	}
}
