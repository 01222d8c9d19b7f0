package scenarios

import (
	"fmt"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Unrest says why a run that is over need not have come to rest: trouble that was still
// going on, or is yet to come. "" if nothing kept it from rest.
func (c *Cluster) Unrest() string {
	d := c.director()
	if d.scenario.End.HasAt {
		return fmt.Sprintf("it ends at %s s, at rest or not", d.scenario.End.At)
	}
	for i := range d.steps {
		step := &d.scenario.Timeline[i]
		p := &d.steps[i]
		switch {
		case !p.fired && step.When == nil:
			return fmt.Sprintf("%q is yet to come", step.Text)
		case p.fired && (step.Again > 0 && (step.Times == 0 || int64(p.times) < step.Times)):
			return fmt.Sprintf("%q goes on", step.Text)
		case p.fired && d.goesOn(i, c.World):
			return fmt.Sprintf("%q is not over", step.Text)
		}
	}
	if d.pending > 0 {
		return "trouble is not over"
	}
	return d.slowNetwork(c.World)
}

// Patience is until when a run that the scenario disturbs may take to come to rest, if nothing goes
// wrong: a minute after the last step, and what members take at the most to be missed, and to be
// waited for.
func (c *Cluster) Patience(p *Prepared) sim.Time {
	var longest int64
	for _, m := range p.clients {
		longest = max(longest, m.Settings.MaxPollInterval, int64(m.Settings.SessionTimeout))
	}
	return c.director().stirred + 2*sim.Time(longest)*sim.Millisecond + sim.Minute
}

// goesOn reports whether what a step has done lasts.
func (d *director) goesOn(i int, w *sim.World) bool {
	switch a := d.scenario.Timeline[i].Do.(type) {
	case Cut:
		return a.For == 0 && !d.undone(i, func(x Action) bool { _, ok := x.(Heal); return ok })
	case Hold:
		return !d.undone(i, func(x Action) bool { _, ok := x.(Release); return ok })
	case Drop, Delay:
		rules := w.Rules()
		for _, r := range d.steps[i].rules {
			if x := &rules[r]; x.Do != sim.Count && (x.Times == 0 || x.Hits < x.Times) && x.Last == 0 {
				return true
			}
		}
	case StallLog:
		return a.For == 0
	case FailLog:
		return a.For == 0
	case Crash:
		return !w.Alive(d.brokerAt(a.Broker, w)) && d.ctl.leader == d.brokerAt(a.Broker, w)
	}
	return false
}

// undone reports whether a later step of a kind has happened.
func (d *director) undone(i int, is func(Action) bool) bool {
	for j := range d.steps {
		if d.steps[j].fired && d.steps[j].first >= d.steps[i].first && is(d.scenario.Timeline[j].Do) {
			return true
		}
	}
	return false
}

func (d *director) brokerAt(name string, w *sim.World) sim.NodeID {
	for _, b := range d.brokers {
		if w.Name(b) == name {
			return b
		}
	}
	return sim.Nobody
}

// Latency is the longest that a message may take by the network that the scenario has made.
func (c *Cluster) Latency() sim.Time { return c.director().latencyMax() }

func (d *director) latencyMax() sim.Time {
	longest := d.scenario.Latency.Max
	for i := range d.steps {
		if a, ok := d.scenario.Timeline[i].Do.(Latency); ok && d.steps[i].fired {
			longest = max(longest, a.Is.Max)
		}
	}
	return longest
}

// slowNetwork says if messages may take so long that a member's heartbeats come too late, or their
// answers: they are heartbeat.interval.ms apart, and under way. Before KIP-266 the first one waits
// for the answers to SyncGroup and OffsetFetch.
func (d *director) slowNetwork(w *sim.World) string {
	longest := d.latencyMax()
	for i, id := range d.members {
		c, ok := w.Actor(id).(*consumer.Consumer)
		if !ok || !w.Alive(id) {
			continue
		}
		s, takes := &c.Config().Settings, longest.Millis()
		beats := int64(s.HeartbeatInterval) + 2*takes
		if c.Config().Rules.Poll < protocol.PollBounded {
			beats = max(beats, 4*takes)
		}
		if beats >= int64(s.SessionTimeout) {
			return fmt.Sprintf("a message may take %d ms, and the session of %s is %d ms", takes, d.scenario.Members[i].Name, s.SessionTimeout)
		}
	}
	return ""
}
