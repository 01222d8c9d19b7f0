package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// controller is the director in the part of the cluster's controller: it knows who
// lives and who leads what, elects leaders, and tells the brokers.
//
// Of __consumer_offsets, only the partition of the scenario's group is loaded and
// unloaded: there are no groups in the others. What a new leader loads is the committed
// log of the last one: that is what replicas have.
type controller struct {
	image  *coordinator.Image // frozen; a change makes a new one
	epoch  int32              // of the leader of the group's partition
	leader sim.NodeID         // of the group's partition, or its last one
	// elections are those that a crash has made necessary and that are still to come.
	elections int
	// unaware: the leader does not know yet, and the log is that of the one before.
	unaware bool
	before  sim.NodeID
	// others is the epoch of the leaders of other partitions that have moved.
	others int32
	// deaf are brokers that hear of no change.
	deaf []sim.NodeID
}

// change makes a new image and gives it to the brokers that live, but not to those
// left out.
func (d *director) change(c *sim.Control, f func(*coordinator.Image), leftOut ...sim.NodeID) {
	d.fill(c)
	image := *d.ctl.image
	image.Brokers = slices.Clone(image.Brokers)
	image.OffsetsLeaders = slices.Clone(image.OffsetsLeaders)
	image.Topics = slices.Clone(image.Topics)
	f(&image)
	d.ctl.image = &image
	for _, b := range d.brokers {
		if c.World().Alive(b) && !slices.Contains(leftOut, b) && !slices.Contains(d.ctl.deaf, b) {
			c.Command(b, &coordinator.SetImage{Image: &image})
		}
	}
}

// lead gives every partition that the broker led, or that has no leader, to another
// one; sim.Nobody: to the next that lives.
func lead(image *coordinator.Image, of, to sim.NodeID, order func(sim.NodeID) sim.NodeID) {
	next := func(leader sim.NodeID) sim.NodeID {
		switch {
		case leader != of:
			return leader
		case order != nil:
			return order(leader)
		}
		return to
	}
	for p := range image.OffsetsLeaders {
		image.OffsetsLeaders[p] = next(image.OffsetsLeaders[p])
	}
	for i := range image.Topics {
		t := &image.Topics[i]
		t.Leaders = slices.Clone(t.Leaders)
		for p := range t.Leaders {
			t.Leaders[p] = next(t.Leaders[p])
		}
	}
}

// heir is the broker that comes after one: the next in the file's order that lives,
// sim.Nobody if none does. (One that is dead without anyone knowing takes nothing over
// either: the controller learns of it as it tries.)
func (d *director) heir(image *coordinator.Image, of sim.NodeID, c *sim.Control) sim.NodeID {
	at := max(0, slices.Index(d.brokers, of))
	for k := 1; k <= len(d.brokers); k++ {
		if b := d.brokers[(at+k)%len(d.brokers)]; d.canLead(image, b, c) {
			return b
		}
	}
	return sim.Nobody
}

func (d *director) canLead(image *coordinator.Image, b sim.NodeID, c *sim.Control) bool {
	return slices.Contains(image.Brokers, b) && c.World().Alive(b)
}

// successor is the broker that coordinates the group after the one that does now.
func (d *director) successor(image *coordinator.Image, c *sim.Control) sim.NodeID {
	for _, b := range d.next {
		if b != d.ctl.leader && d.canLead(image, b, c) {
			return b
		}
	}
	return d.heir(image, d.ctl.leader, c)
}

// log is what is committed of the group's partition.
func (d *director) log(c *sim.Control) []*protocol.LogRecord {
	last := d.ctl.leader
	if d.ctl.unaware {
		last = d.ctl.before
	}
	b, ok := c.World().Actor(last).(*coordinator.Broker)
	if !ok {
		return nil
	}
	return b.Log(d.part)
}

// install makes a broker that lives the group's coordinator.
func (d *director) install(b sim.NodeID, load sim.Time, c *sim.Control) {
	d.toldAll(b, c)
	records := d.log(c)
	d.ctl.epoch++
	d.ctl.leader, d.ctl.unaware = b, false
	c.Command(b, &coordinator.Load{Partition: d.part, Epoch: d.ctl.epoch, Records: records, Takes: load.Millis()})
}

// crashBroker ends a broker's process, and lets the others notice.
func (d *director) crashBroker(step int, a *Crash, c *sim.Control) int {
	b := d.node(c, a.Broker)
	if !c.World().Alive(b) {
		return 0
	}
	c.Crash(b)
	d.pending++
	d.ctl.elections++
	c.After(a.Noticed, wakeKey(wakeNoticed, step))
	return 1
}

// crashNoticed takes a broker's partitions from it.
func (d *director) crashNoticed(step int, c *sim.Control) {
	a := d.scenario.Timeline[step].Do.(Crash)
	b := d.node(c, a.Broker)
	if c.World().Alive(b) { // it is back before anyone noticed
		d.recovered(c)
		d.ctl.elections--
		d.fillVacancy(b, a.LoadTime, c) // but it may have died again, and been noticed
		return
	}
	d.deafen(step, a.Unheard, c)
	d.change(c, func(image *coordinator.Image) {
		image.Brokers = slices.DeleteFunc(image.Brokers, func(x sim.NodeID) bool { return x == b })
		lead(image, b, sim.Nobody, nil)
	})
	c.After(a.Elected, wakeKey(wakeElected, step))
}

// crashSettled elects leaders for what has none.
func (d *director) crashSettled(step int, c *sim.Control) {
	d.recovered(c)
	d.ctl.elections--
	a := d.scenario.Timeline[step].Do.(Crash)
	if next := d.elect(d.node(c, a.Broker), c); next != sim.Nobody {
		d.installLater(step, next, a.Unaware, a.LoadTime, c)
	}
}

// elect gives what has no leader to brokers that live, after the one that led it, and
// says which one is to coordinate the group, if none did.
func (d *director) elect(last sim.NodeID, c *sim.Control) sim.NodeID {
	vacant := d.ctl.image.OffsetsLeaders[d.part] == sim.Nobody
	next := sim.Nobody
	d.change(c, func(image *coordinator.Image) {
		next = d.successor(image, c)
		lead(image, sim.Nobody, d.heir(image, last, c), nil)
		if vacant {
			image.OffsetsLeaders[d.part] = next
		}
	})
	if !vacant {
		return sim.Nobody
	}
	return next
}

// stopBroker shuts a broker down in order: what it leads goes to others first, and
// parked requests are answered.
func (d *director) stopBroker(i int, load sim.Time, c *sim.Control) {
	b := d.brokers[i]
	if !c.World().Alive(b) {
		return
	}
	coordinates := d.ctl.image.OffsetsLeaders[d.part] == b
	next := sim.Nobody
	d.change(c, func(image *coordinator.Image) {
		image.Brokers = slices.DeleteFunc(image.Brokers, func(x sim.NodeID) bool { return x == b })
		next = d.successor(image, c)
		lead(image, b, d.heir(image, b, c), nil)
		if coordinates {
			image.OffsetsLeaders[d.part] = next
		}
	})
	if coordinates {
		c.Command(b, &coordinator.Unload{Partition: d.part, Epoch: d.ctl.epoch + 1})
		if next != sim.Nobody {
			d.install(next, load, c)
		}
	}
	c.Exit(b)
}

// bootBroker starts a broker. It leads what has no leader, unless an election is to come.
func (d *director) bootBroker(i int, load sim.Time, c *sim.Control) bool {
	b := d.brokers[i]
	if c.World().Alive(b) {
		return false
	}
	back := slices.Contains(d.ctl.image.Brokers, b) // nobody has noticed that it was away
	if !back {
		d.change(c, func(image *coordinator.Image) {
			image.Brokers = append(image.Brokers, b)
			slices.Sort(image.Brokers)
		})
	}
	d.fill(c)
	image := d.ctl.image
	unaware := back && b == d.ctl.leader && d.ctl.unaware // it died before it knew that it leads
	if unaware {
		image = d.vacant()
	}
	var with sim.Body = &coordinator.SetImage{Image: image}
	if n := d.lives[len(d.members)+i].config; n > 0 {
		o := d.changes.brokers[n][i]
		with = coordinator.NewRestart(image, o.release, o.config)
	}
	c.Start(b, with)
	switch {
	case unaware:
		c.Command(b, &coordinator.SetImage{Image: d.ctl.image})
		d.loadNow(load, c)
	case back && b == d.ctl.leader:
		d.ctl.epoch++ // it has loaded its own log anew
	default:
		d.fillVacancy(b, load, c)
	}
	return true
}

// fillVacancy elects leaders for what has none, now that a broker lives, unless an
// election is to come anyway.
func (d *director) fillVacancy(b sim.NodeID, load sim.Time, c *sim.Control) {
	if d.ctl.image.OffsetsLeaders[d.part] != sim.Nobody || d.ctl.elections > 0 {
		return
	}
	if next := d.elect(b, c); next != sim.Nobody {
		d.install(next, load, c)
	}
}

// moveCoordinator makes another broker the coordinator while both live.
func (d *director) moveCoordinator(step int, a *Move, c *sim.Control) int {
	old, b := d.ctl.leader, d.node(c, a.To)
	if b == old || !c.World().Alive(b) {
		return 0
	}
	if a.Other {
		return d.moveOther(old, b, c)
	}
	var leftOut []sim.NodeID
	if a.Noticed > 0 && c.World().Alive(old) {
		leftOut = append(leftOut, old)
	}
	d.deafen(step, a.Unheard, c)
	d.change(c, func(image *coordinator.Image) { image.OffsetsLeaders[d.part] = b }, leftOut...)
	if len(leftOut) > 0 { // what it writes is refused by those who know
		d.steps[step].on, d.steps[step].zombie = old, true
		d.pending++
		c.Command(old, &coordinator.FailAppends{Partition: d.part, Error: protocol.NotLeaderOrFollower})
		c.After(a.Noticed, wakeKey(wakeMoveNoticed, step))
	} else {
		c.Command(old, &coordinator.Unload{Partition: d.part, Epoch: d.ctl.epoch + 1})
	}
	if a.Again > 0 {
		d.steps[step].on, d.steps[step].epoch = old, d.ctl.epoch+1
		d.pending++
		c.After(a.Again, wakeKey(wakeToldAgain, step))
	}
	d.installLater(step, b, a.Unaware, a.LoadTime, c)
	return 1
}

// moveOther moves another partition of __consumer_offsets than the group's.
func (d *director) moveOther(old, b sim.NodeID, c *sim.Control) int {
	for p, leader := range d.ctl.image.OffsetsLeaders {
		if leader != old || p == int(d.part) || !c.World().Alive(old) {
			continue
		}
		d.ctl.others++
		d.change(c, func(image *coordinator.Image) { image.OffsetsLeaders[p] = b })
		c.Command(old, &coordinator.Unload{Partition: int32(p), Epoch: d.ctl.others})
		c.Command(b, &coordinator.Load{Partition: int32(p), Epoch: d.ctl.others})
		return 1
	}
	return 0
}

// toldAgain tells an old coordinator once more what it was told at its time, as a controller
// does that has had no answer. It may be the coordinator again since.
func (d *director) toldAgain(step int, c *sim.Control) {
	d.recovered(c)
	if s := &d.steps[step]; c.World().Alive(s.on) {
		c.Command(s.on, &coordinator.Unload{Partition: d.part, Epoch: s.epoch})
	}
}

// moveNoticed tells the old coordinator that it is one no more.
func (d *director) moveNoticed(step int, c *sim.Control) {
	d.recovered(c)
	if d.steps[step].zombie {
		d.undeceive(step, c)
	}
}

// undeceive tells the zombie of a step that it coordinates nothing.
func (d *director) undeceive(step int, c *sim.Control) {
	old := d.steps[step].on
	d.steps[step].zombie = false
	c.Command(old, &coordinator.FailAppends{Partition: d.part})
	if d.ctl.leader != old {
		d.fill(c)
		c.Command(old, &coordinator.SetImage{Image: d.ctl.image})
		c.Command(old, &coordinator.Unload{Partition: d.part, Epoch: d.ctl.epoch})
	}
}

// toldAll makes sure that a broker that is to be the coordinator knows that it was not.
func (d *director) toldAll(b sim.NodeID, c *sim.Control) {
	for i := range d.steps {
		if d.steps[i].zombie && d.steps[i].on == b {
			d.undeceive(i, c)
		}
	}
}

// troubleLog stalls or fails the coordinator's log, and lets it recover.
func (d *director) troubleLog(step int, order sim.Body, last sim.Time, c *sim.Control) int {
	b := d.ctl.leader
	if !c.World().Alive(b) {
		return 0
	}
	d.steps[step].on = b
	c.Command(b, order)
	if last > 0 {
		d.pending++
		c.After(last, wakeKey(wakeLogWorks, step))
	}
	return 1
}

// logWorks ends the trouble with a broker's log, unless it takes itself for the
// coordinator and is none: then what it writes is refused until it knows.
func (d *director) logWorks(step int, c *sim.Control) {
	d.recovered(c)
	on := d.steps[step].on
	if slices.ContainsFunc(d.steps, func(p progress) bool { return p.zombie && p.on == on }) {
		return
	}
	if _, stalled := d.scenario.Timeline[step].Do.(StallLog); stalled {
		c.Command(on, &coordinator.Hold{Partition: d.part, Release: true})
	} else {
		c.Command(on, &coordinator.FailAppends{Partition: d.part})
	}
}

func (ctl *controller) hash(h *sim.Hasher) {
	h.Uint((&coordinator.SetImage{Image: ctl.image}).Sum())
	h.Int(int64(ctl.epoch))
	h.Int(int64(ctl.others))
	h.Int(int64(ctl.leader))
	h.Int(int64(ctl.elections))
	h.Bool(ctl.unaware)
	h.Int(int64(ctl.before))
	for _, b := range ctl.deaf {
		h.Int(int64(b))
	}
}
