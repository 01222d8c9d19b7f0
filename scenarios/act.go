package scenarios

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// do does what a step says.
func (d *director) do(i int, c *sim.Control) {
	if d.over {
		return
	}
	step := &d.scenario.Timeline[i]
	d.steps[i].fired = true
	d.settled = c.Now()
	if step.Mark != "" {
		c.Act(sim.Note{Code: protocol.NoteMark, Body: &protocol.Text{Text: step.Mark}}, 0)
	}
	if step.Do == nil {
		return
	}
	c.Act(sim.Note{Code: protocol.NoteAct, Body: &protocol.Text{Text: step.Text}}, 0)
	switch a := step.Do.(type) {
	case Arrive:
		d.arrange(i, a, c)
	case Start:
		d.each(a.Members, func(id sim.NodeID) { c.Start(id, nil) })
	case Close:
		d.each(a.Members, func(id sim.NodeID) { c.Command(id, stopOrder()) })
	case Kill:
		d.each(a.Members, c.Crash)
	case Disconnect:
		of, from := d.node(c, a.Of), sim.Nobody
		if a.From != "" {
			from = d.node(c, a.From)
		}
		c.Disconnect(of, from)
	case Hold, Drop, Delay:
		d.addRules(i, c)
	case Release:
		d.release(a, c)
	case Freeze:
		d.each(a.Members, func(id sim.NodeID) {
			c.Freeze(id)
			c.After(a.For, wakeKey(wakeThaw, d.place(id)))
		})
	case Subscribe:
		d.each(a.Members, func(id sim.NodeID) { c.Command(id, subscribeOrder(a.Topics)) })
	case EnforceRebalance:
		d.each(a.Members, func(id sim.NodeID) { c.Command(id, enforceOrder(a.Reason)) })
	}
}

// arm prepares a step that waits for a trigger: one that holds or loses the very
// message that triggers it must have its rule before the message is sent.
func (d *director) arm(i int, c *sim.Control) {
	switch a := d.scenario.Timeline[i].Do.(type) {
	case Hold:
		if a.It {
			d.addRules(i, c)
		}
	case Drop:
		if a.It {
			d.addRules(i, c)
		}
	case Delay:
		if a.It {
			d.addRules(i, c)
		}
	}
}

// addRules adds the message rules of a step, unless it has them already.
func (d *director) addRules(i int, c *sim.Control) {
	p := &d.steps[i]
	if len(p.rules) > 0 {
		return
	}
	rule := sim.Rule{Tag: holdTag(i)}
	var messages EventName
	var once bool
	switch a := d.scenario.Timeline[i].Do.(type) {
	case Hold:
		rule.Do, messages, once = sim.Hold, a.Messages, a.It
	case Drop:
		rule.Do, messages, once = sim.Drop, a.Messages, a.It
		if a.Break {
			rule.Do = sim.Break
		}
	case Delay:
		rule.Do, rule.Delay, messages, once = sim.Delay, a.By, a.Messages, a.It
	}
	rule.Kind, rule.AnyKind = messages.Request, messages.Request == 0
	rule.Answer = messages.Verb == VerbAnswer
	rule.First, rule.Last = messages.First, messages.Last
	if once && !d.scenario.Timeline[i].Every {
		rule.Times = 1
	}
	for _, id := range nodesOf(c.World(), messages.Node) {
		rule.From, rule.To = id, sim.Nobody
		if rule.Answer {
			rule.From, rule.To = sim.Nobody, id
		}
		p.rules = append(p.rules, c.AddRule(rule))
	}
}

func (d *director) release(a Release, c *sim.Control) {
	for i := range d.scenario.Timeline {
		if _, ok := d.scenario.Timeline[i].Do.(Hold); !ok || a.Hold >= 0 && a.Hold != i {
			continue
		}
		for _, rule := range d.steps[i].rules {
			c.StopRule(rule)
		}
		c.Release(holdTag(i), c.Now())
	}
}

// arrange holds the members' next requests until it is their turn.
func (d *director) arrange(i int, a Arrive, c *sim.Control) {
	at := arrival{step: i, last: -1, held: make([]bool, len(a.Order))}
	for j, name := range a.Order {
		id := d.node(c, name)
		at.who = append(at.who, id)
		d.steps[i].rules = append(d.steps[i].rules, c.AddRule(sim.Rule{
			From: id, To: sim.Nobody, Kind: a.Request, Times: 1, Do: sim.Hold, Tag: arriveTag(i, j)}))
	}
	d.arrives = append(d.arrives, at)
}

func (d *director) each(members []string, do func(sim.NodeID)) {
	for _, name := range members {
		for i := range d.scenario.Members {
			if d.scenario.Members[i].Name == name {
				do(d.members[i])
			}
		}
	}
}

func (d *director) place(id sim.NodeID) int {
	for i := range d.members {
		if d.members[i] == id {
			return i
		}
	}
	return -1
}

func (d *director) node(c *sim.Control, name string) sim.NodeID {
	for id := range sim.NodeID(c.World().Nodes()) {
		if c.World().Name(id) == name {
			return id
		}
	}
	return sim.Nobody
}

// idle lists the steps that were armed and never happened, or held and lost nothing.
func (d *director) idle(w *sim.World) []string {
	var list []string
	rules := w.Rules()
	for i := range d.steps {
		p := &d.steps[i]
		hits := uint32(0)
		for _, r := range p.rules {
			hits += rules[r].Hits
		}
		switch {
		case !p.fired:
			list = append(list, d.scenario.Timeline[i].Text+": never happened")
		case len(p.rules) > 0 && hits == 0:
			list = append(list, d.scenario.Timeline[i].Text+": no such message was sent")
		}
	}
	return list
}
