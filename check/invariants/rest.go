package invariants

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// settles: a run that nothing disturbs any more comes to rest with everyone in the
// group, in its generation and with its part. In a group that is at rest only who has an
// excuse may be missing; no group need be that has such a client.
func (m *Monitor) settles(end End) {
	b := m.coordinator()
	rests := end.Settled && (b == nil || b.group.state != protocol.PreparingRebalance && b.group.state != protocol.CompletingRebalance)
	if end.Excuse != "" || !rests && m.excuses(end) != "" {
		return
	}
	endless := m.goesOn(b, end)
	if !end.Settled && (endless != "" || b != nil && m.now-b.group.since < lately) {
		if endless == "" {
			endless = "never"
		}
		m.find(b, nil, "settles", endless, "the group did not come to rest: %s", m.waits(b))
		return
	}
	found, any := false, false
	for i := range m.clients {
		c := &m.clients[i]
		if !c.alive || c.closed || c.closing || !c.subscribed || c.cfg == nil {
			continue
		}
		any = true
		if place, what := m.missing(b, c); what != "" && m.excuse(c, end.Settled) == "" {
			switch {
			case m.goesRound(c, end) != "":
				place = m.goesRound(c, end)
			case endless != "" && !rests:
				place = endless
			}
			who := c
			if !rests { // it may be another that the group waits for
				who = nil
			}
			m.find(b, who, "settles", place, "%s %s: %s", m.f.Name(c.node), what, m.waits(b))
			found = true
		}
	}
	if !end.Settled && !found && any {
		m.find(b, nil, "settles", "never", "the group did not come to rest: %s", m.waits(b))
	}
}

// lately is how long the state of a group lasts at most that goes round: a longer one is stuck.
const lately = sim.Minute

// missing says what a client lacks of what it should have in a group at rest.
func (m *Monitor) missing(b *broker, c *client) (place, what string) {
	switch {
	case m.knowsTheDead(c):
		return "knows no broker that lives", "knows no broker that lives"
	case b == nil:
		return "no coordinator", "has no coordinator"
	case b.group.state == protocol.PreparingRebalance && b.group.refused && b.group.allAsk(): // the client may not know its id yet
		return "PreparingRebalance: whom it waited for was refused", "is in a group that waits for nobody"
	case b.group.find(c.member) == nil:
		return "not a member", "is not in the group"
	case b.group.state != protocol.Stable:
		return b.group.state.String(), "is in a group that is " + b.group.state.String()
	case c.generation != b.group.generation:
		return "other generation", fmt.Sprintf("is in generation %d, and the group in %d", c.generation, b.group.generation)
	case c.state != "STABLE":
		return "client " + c.state, "takes itself for " + c.state
	}
	for _, p := range c.serves {
		if !m.rightful(c, p) {
			switch {
			case m.isDoubled(&b.group):
				return "a claim that the leader cannot place", "serves " + m.parts.name(p) + ", which was given twice"
			case b.group.assigned > 1:
				return twoAssignments, "serves " + m.parts.name(p) + ", which the log gives to another"
			}
			return "zombie", "serves " + m.parts.name(p) + ", which is not its own"
		}
	}
	return "", ""
}

// knowsTheDead reports whether all brokers that a client was told of are dead. It asks nobody else.
func (m *Monitor) knowsTheDead(c *client) bool {
	return c.meta != nil && len(c.meta.Brokers) > 0 && !slices.ContainsFunc(c.meta.Brokers, func(id sim.NodeID) bool {
		b := m.broker(id)
		return b != nil && b.alive
	})
}

// waits says what the group waits for.
func (m *Monitor) waits(b *broker) string {
	if b == nil {
		return "it has no coordinator"
	}
	g := &b.group
	s := fmt.Sprintf("it is %s in generation %d", g.state, g.generation)
	for i := range g.members {
		x := &g.members[i]
		switch {
		case g.state == protocol.PreparingRebalance && !x.join:
			s += fmt.Sprintf(", waits for the JoinGroup of %s", m.ids.name(x.id))
		case g.state == protocol.CompletingRebalance && x.id == g.leader && !x.sync:
			s += fmt.Sprintf(", waits for the SyncGroup of its leader %s", m.ids.name(x.id))
		}
	}
	return s
}
