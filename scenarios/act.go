package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// do does what a step says.
func (d *director) do(i int, c *sim.Control) {
	if d.over {
		return
	}
	step := &d.scenario.Timeline[i]
	p := &d.steps[i]
	p.fired = true
	if step.When != nil {
		d.pending--
	}
	if p.times++; p.times == 1 {
		p.first = c.Now()
	}
	d.stirs(c)
	d.again(i, c)
	if by := c.Cause(); step.Mark != "" {
		c.Act(sim.Note{Code: protocol.NoteMark, Body: &protocol.Text{Text: step.Mark, Line: step.Pos.Line}}, 0)
		c.Because(by)
	}
	if step.Do == nil {
		return
	}
	_, cuts := step.Do.(Cut)
	c.Act(sim.Note{Code: protocol.NoteAct, Body: &protocol.Text{Text: step.Text, Line: step.Pos.Line, Cuts: cuts}}, 0)
	d.steps[i].effects += d.act(i, c)
}

// again sets a step that repeats for its next time.
func (d *director) again(i int, c *sim.Control) {
	if s := &d.scenario.Timeline[i]; s.Again > 0 && (s.Times == 0 || int64(d.steps[i].times) < s.Times) {
		c.After(s.Again, wakeKey(wakeStep, i))
	}
}

// act does what a step does, and says on how many things it had an effect.
func (d *director) act(i int, c *sim.Control) int {
	switch a := d.scenario.Timeline[i].Do.(type) {
	case performer:
		return a.play(d, c)
	case Arrive:
		return d.arrange(i, a, c)
	case Hold, Drop, Delay:
		return d.addRules(i, c)
	case Release:
		return d.release(a, c)
	case Disconnect:
		return c.Disconnect(d.node(c, a.Of), d.other(c, a.From))
	case Cut:
		return d.cut(i, &a, c)
	case Heal:
		return d.heal(&a, c)
	case Latency:
		return d.latency(&a, c)
	case Crash:
		return d.crashBroker(i, &a, c)
	case Move:
		return d.moveCoordinator(i, &a, c)
	case StallLog:
		return d.troubleLog(i, &coordinator.Hold{Partition: d.part}, a.For, c)
	case FailLog:
		return d.troubleLog(i, &coordinator.FailAppends{Partition: d.part, Error: a.Error}, a.For, c)
	case CreateTopic:
		return d.createTopic(a.Topic, c)
	case AddPartitions:
		return d.addPartitions(&a, c)
	case DeleteTopic:
		return d.deleteTopic(a.Topic, c)
	}
	return d.actOnProcesses(i, c)
}

// actOnProcesses does what a step does with members' and brokers' processes.
func (d *director) actOnProcesses(i int, c *sim.Control) int {
	tell := func(members []string, order sim.Body) int {
		return d.each(members, func(m int) bool {
			c.Command(d.members[m], order)
			return c.World().Alive(d.members[m])
		})
	}
	switch a := d.scenario.Timeline[i].Do.(type) {
	case Start:
		if a.Brokers {
			n := 0
			for _, name := range a.Of {
				if d.bootBroker(d.brokerPlace(name), 0, c) {
					n++
				}
			}
			return n
		}
		return d.each(a.Of, func(m int) bool {
			closing := d.lives[m].phase == stopping
			if d.boot(m, c) {
				return true
			}
			d.steps[i].vain = d.scenario.Members[m].Name + " runs already"
			if closing {
				d.steps[i].vain = d.scenario.Members[m].Name + " was still closing"
			}
			return false
		})
	case Close:
		return d.each(a.Members, func(m int) bool { return d.stop(m, a.Grace, none, c) })
	case Kill:
		return d.each(a.Members, func(m int) bool {
			alive := c.World().Alive(d.members[m])
			if alive { // nobody waits for it to be ready any more
				d.leaveTask(m, c)
				d.lives[m].phase, d.lives[m].task = atEase, none
			}
			c.Crash(d.members[m])
			return alive
		})
	case Restart:
		return d.beginTask(i, d.processes(a.Of, a.Brokers), c)
	case Deploy:
		return d.beginTask(i, d.processes(a.By, false), c)
	case Scale:
		return d.beginTask(i, d.scaled(&a, c), c)
	case Freeze:
		return d.each(a.Members, func(m int) bool {
			if !c.World().Alive(d.members[m]) {
				return false
			}
			c.Freeze(d.members[m])
			d.pending++
			c.After(a.For, wakeKey(wakeThaw, m))
			return true
		})
	case Slow:
		return d.each(a.Members, func(m int) bool { return d.slow(m, a.For, c) })
	case Subscribe:
		for _, name := range a.Members {
			d.lives[d.memberPlace(name)].quiet = len(a.Topics) == 0 && a.Pattern == ""
		}
		return tell(a.Members, subscribeOrder(&a))
	case EnforceRebalance:
		return tell(a.Members, enforceOrder(a.Reason))
	case CommitNow:
		return tell(a.Members, commitOrder(&a))
	}
	return 0
}

func enforceOrder(reason string) sim.Body {
	return &consumer.Call{Op: consumer.OpEnforceRebalance, Reason: reason}
}

func subscribeOrder(a *Subscribe) sim.Body {
	switch {
	case a.Pattern != "":
		return &consumer.Call{Op: consumer.OpSubscribePattern, Pattern: a.Pattern}
	case len(a.Topics) > 0:
		return &consumer.Call{Op: consumer.OpSubscribe, Topics: a.Topics}
	}
	return &consumer.Call{Op: consumer.OpUnsubscribe}
}

// commitOrder commits all positions; a commitSync gives up after a minute, as
// default.api.timeout.ms does.
func commitOrder(a *CommitNow) sim.Body {
	if a.Async {
		return &consumer.Call{Op: consumer.OpCommitAsync}
	}
	return &consumer.Call{Op: consumer.OpCommitSync, Timeout: sim.Minute.Millis()}
}

// slow keeps a member's program busy with what it has in hand, or has next if there will be
// something, and reports whether it runs.
func (d *director) slow(m int, long sim.Time, c *sim.Control) bool {
	l, id := &d.lives[m], d.members[m]
	l.busy = max(l.busy, c.Now()) + long // one after the other
	d.pending++
	c.After(l.busy-c.Now(), wakeKey(wakeBusyEnds, 0))
	client, ok := c.World().Actor(id).(*consumer.Consumer)
	c.Command(id, &consumer.Call{Op: consumer.OpBusy, Timeout: long.Millis(), Batch: ok && d.areWritten(client.Serves())})
	return c.World().Alive(id)
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
func (d *director) addRules(i int, c *sim.Control) int {
	p := &d.steps[i]
	if len(p.rules) > 0 {
		return 0
	}
	rule := sim.Rule{Tag: holdTag(i)}
	var messages EventName
	var once bool
	switch a := d.scenario.Timeline[i].Do.(type) {
	case Hold:
		rule.Do, messages, once = sim.Hold, a.Messages, a.It
	case Drop:
		rule.Do, rule.Share, messages, once = sim.Drop, a.Share, a.Messages, a.It
		if a.Break {
			rule.Do = sim.Break
		}
	case Delay:
		rule.Do, rule.Delay, rule.Share, messages, once = sim.Delay, a.By, a.Share, a.Messages, a.It
	}
	rule.Kind, rule.AnyKind = messages.Request, messages.Request == 0
	rule.Answer = messages.Verb == VerbAnswer
	rule.First, rule.Last = messages.First, messages.Last
	if once && !d.scenario.Timeline[i].Every {
		rule.Times = 1
	}
	for _, id := range d.nodesOf(messages.Node) {
		rule.From, rule.To = id, sim.Nobody
		if rule.Answer {
			rule.From, rule.To = sim.Nobody, id
		}
		p.rules = append(p.rules, c.AddRule(rule))
	}
	return len(p.rules)
}

func (d *director) release(a Release, c *sim.Control) (released int) {
	for i := range d.scenario.Timeline {
		if _, ok := d.scenario.Timeline[i].Do.(Hold); !ok || a.Hold >= 0 && a.Hold != i {
			continue
		}
		for _, rule := range d.steps[i].rules {
			c.StopRule(rule)
		}
		n, _ := c.Release(holdTag(i), c.Now())
		released += n
	}
	return released
}

// arrange holds the members' next requests until it is their turn.
func (d *director) arrange(i int, a Arrive, c *sim.Control) int {
	at := arrival{step: i, last: -1, held: make([]bool, len(a.Order))}
	for j, name := range a.Order {
		id := d.node(c, name)
		at.who = append(at.who, id)
		d.steps[i].rules = append(d.steps[i].rules, c.AddRule(sim.Rule{
			From: id, To: sim.Nobody, Kind: a.Request, Times: 1, Do: sim.Hold, Tag: arriveTag(i, j)}))
	}
	d.arrives = append(d.arrives, at)
	return len(at.who)
}

// each does something with members, by their places, and counts where it had an effect.
func (d *director) each(members []string, do func(m int) bool) (n int) {
	for _, name := range members {
		if do(d.memberPlace(name)) {
			n++
		}
	}
	return n
}

// processes are the places of members or brokers among all processes.
func (d *director) processes(names []string, brokers bool) (list []int) {
	for _, name := range names {
		if brokers {
			list = append(list, len(d.members)+d.brokerPlace(name))
		} else {
			list = append(list, d.memberPlace(name))
		}
	}
	return list
}

func (p *plan) memberPlace(name string) int { return p.places[name] }

func (p *plan) brokerPlace(name string) int {
	return slices.IndexFunc(p.scenario.Brokers, func(b Broker) bool { return b.Name == name })
}

func (d *director) place(id sim.NodeID) int {
	return max(-1, int(id)-len(d.brokers)) // members come after the brokers
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
			if rules[r].Share > 0 { // chance may take none
				hits++
			}
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
