package invariants

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// excuses says why a run need not have come to rest, or not with everyone in the group;
// "" if it must have.
func (m *Monitor) excuses(end End) string {
	if end.Excuse != "" {
		return end.Excuse
	}
	for i := range m.clients {
		if why := m.excuse(&m.clients[i], end.Settled); why != "" {
			return m.f.Name(m.clients[i].node) + " " + why
		}
	}
	return ""
}

// excuse is what a client does that keeps a group from rest, or itself from a group that is at
// rest. What only takes its time is no reason why a group has not come to rest at last.
func (m *Monitor) excuse(c *client, settled bool) string {
	if !c.alive || c.cfg == nil {
		return ""
	}
	limit, name := c.cfg.Settings.MaxPollInterval, "max.poll.interval.ms"
	if !c.cfg.Rules.HeartbeatThread {
		limit, name = c.cfg.Settings.SessionTimeout, "session.timeout.ms"
	}
	switch {
	case m.twin(c) != nil:
		return "has the group.instance.id of " + m.f.Name(m.twin(c).node)
	case c.pause(false) >= limit:
		return fmt.Sprintf("does not poll for up to %s, and its %s is %s", span(c.pause(false)), name, span(limit))
	case c.frozen:
		return "stands still"
	case c.runsOff:
		return "has a clock that does not run as time does"
	case m.now < c.setBack:
		return "has a clock that was set back"
	case c.willBe > 0, c.busy > 0 && c.busy+sim.Time(c.pause(true))*sim.Millisecond >= m.now: // it finishes what it has in hand, then polls
		return "is kept busy"
	case c.cfg.Program.Driven:
		return "does what it is told only"
	case throws(c):
		return "has a listener that throws"
	case c.isUnheard() || c.looksUpInVain() || c.awaitsFormed || settled && c.asksStill():
		return "waits for an answer"
	case settled && c.reach.retries > 0 && (m.now-c.reach.retries).Millis() <= slack:
		return "waits for a commit that is tried again"
	case settled && m.now-c.turned < sim.Time(c.pause(false)+slack)*sim.Millisecond:
		return "has not polled since"
	case settled && c.thrownAt > 0 && m.now-c.thrownAt < sim.Time(c.pause(false)+slack)*sim.Millisecond:
		return "has just met an exception"
	case settled && c.reach.broken > 0 && m.now-c.reach.broken < sim.Time(c.pause(false)+slack)*sim.Millisecond:
		return "has to look for its coordinator first"
	case c.jammed > 0 && m.now-c.jammed < sim.Time(2*limit+c.cfg.Settings.SessionTimeout)*sim.Millisecond:
		return "commits more often than the log can take, and what it asks waits behind"
	case c.hurries:
		return "looks for topics by a pattern, and gives that less time than it takes"
	case c.refused != protocol.None && c.refused != protocol.UnknownMemberID:
		return "is refused: " + c.refused.String()
	}
	return ""
}

// instance is the client's group.instance.id, "" if it has none or its release knows none.
func (c *client) instance() string {
	if c.cfg == nil || !c.cfg.Rules.StaticMembers {
		return ""
	}
	return c.cfg.Settings.InstanceID
}

// twin is another client with the same group.instance.id, nil if there is none.
func (m *Monitor) twin(c *client) *client {
	id := c.instance()
	for i := range m.clients {
		if o := &m.clients[i]; id != "" && o.node != c.node && o.instance() == id {
			return o
		}
	}
	return nil
}

// pipelined is how many requests a client has under way on a connection at most; the next ones
// wait.
const pipelined = 100

// asksStill reports whether the client waits for the answer to a JoinGroup or a SyncGroup.
func (c *client) asksStill() bool {
	for i := range c.asked {
		if k := c.asked[i].kind; k == protocol.KindJoinGroup || k == protocol.KindSyncGroup {
			return true
		}
	}
	return false
}

// isUnheard reports whether the client waits for an answer that will not come, as long as its
// request timeout: with a commit its program may not poll meanwhile.
func (c *client) isUnheard() bool {
	return slices.ContainsFunc(c.asked, func(a asked) bool { return a.unheard && a.kind != protocol.KindHeartbeat })
}

// looksUpInVain reports whether the client does not get on before it is told what it will not be
// told: it waits for that until its connection breaks, as long as its request timeout.
func (c *client) looksUpInVain() bool {
	return c.isDeaf(protocol.KindFindCoordinator) || c.isUnplaced() ||
		c.isDeaf(protocol.KindMetadata) && (c.leads && c.unsynced || c.pattern && c.state != "STABLE")
}

// isUnplaced reports whether the client waits for committed offsets that will not come: before
// KIP-266 the poll that asks waits for them.
func (c *client) isUnplaced() bool {
	return c.cfg != nil && c.cfg.Rules.Poll < protocol.PollBounded && c.isDeaf(protocol.KindOffsetFetch)
}
