package invariants

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Done ends the run and gives what it broke, in the order in which it showed: one
// Finding for each signature. A run that broke nothing gives nil.
func (m *Monitor) Done(end End) []Finding {
	if m.in.formed {
		m.stepEnds()
	}
	if end.At > m.now {
		m.overlapsLast()
	}
	m.now, m.rec = max(m.now, end.At), nil
	if b := m.coordinator(); b != nil {
		m.overdue(b)
	}
	for i := range m.clients {
		for k := range m.clients[i].serves {
			m.zombieEnds(&m.clients[i], k)
		}
	}
	if m.Excuse(end) == "" {
		m.settles(end)
	}
	return m.findings
}

// overdue looks for what should have happened by now.
func (m *Monitor) overdue(b *broker) {
	g := &b.group
	took := m.ms() - g.since.Millis()
	if b.clockOff {
		return
	}
	switch g.state {
	case protocol.PreparingRebalance:
		if took > g.bound && !g.onlyAbsent() {
			m.find(b, nil, "phase-ends", g.state.String(), "the group has been collecting for %d ms, and its longest rebalance timeout is %d ms", took, g.bound)
		}
	case protocol.CompletingRebalance:
		if took > g.bound && !g.wedged {
			m.find(b, nil, "phase-ends", g.state.String(), "the group has been waiting for its leader for %d ms; %d ms is the most", took, g.bound)
		}
	}
	for i := range g.members {
		m.stillLives(b, &g.members[i])
	}
}

// Excuse says why a run need not have come to rest, or not with everyone in the group;
// "" if it must have.
func (m *Monitor) Excuse(end End) string {
	if end.Excuse != "" {
		return end.Excuse
	}
	for i := range m.clients {
		c := &m.clients[i]
		if why := m.excuse(c); why != "" {
			return m.f.Name(c.node) + " " + why
		}
		for j := range m.clients[:i] {
			if id := c.instance(); id != "" && id == m.clients[j].instance() {
				return m.f.Name(m.clients[j].node) + " and " + m.f.Name(c.node) + " have one group.instance.id"
			}
		}
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

// excuse is what a client does that keeps a group from rest.
func (m *Monitor) excuse(c *client) string {
	if !c.alive || c.cfg == nil {
		return ""
	}
	limit, name := c.cfg.Settings.MaxPollInterval, "max.poll.interval.ms"
	if !c.cfg.Rules.HeartbeatThread {
		limit, name = c.cfg.Settings.SessionTimeout, "session.timeout.ms"
	}
	switch {
	case c.pause(false) >= limit:
		return fmt.Sprintf("does not poll for up to %d ms, and its %s is %d", c.pause(false), name, limit)
	case c.frozen:
		return "stands still"
	case c.clockOff:
		return "has a clock that is off"
	case c.willBe > 0, c.busy > 0 && c.busy+sim.Time(c.pause(true))*sim.Millisecond >= m.now: // it finishes what it has in hand, then polls
		return "is kept busy"
	case c.cfg.Program.Driven:
		return "does what it is told only"
	case throws(c):
		return "has a listener that throws"
	case c.asksStill() || c.isUnheard() || c.looksUpInVain() || c.awaitsFormed:
		return "waits for an answer"
	case len(c.commits) > pipelined, c.jammed > 0 && m.now-c.jammed < sim.Time(2*limit+c.cfg.Settings.SessionTimeout)*sim.Millisecond:
		return "commits more often than the log can take, and what it asks waits behind"
	case c.hurries:
		return "looks for topics by a pattern, and gives that less time than it takes"
	case c.refused != protocol.None && c.refused != protocol.UnknownMemberID:
		return "is refused: " + c.refused.String()
	}
	return ""
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

// isUnheard reports whether the client waits for an answer to a commit that will not come, as
// long as its request timeout: its program may not poll meanwhile.
func (c *client) isUnheard() bool {
	for i := range c.asked {
		if a := &c.asked[i]; a.kind == protocol.KindOffsetCommit && a.unheard {
			return true
		}
	}
	return false
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

// settles: a run that nothing disturbs any more comes to rest with everyone in the
// group, in its generation and with its part.
func (m *Monitor) settles(end End) {
	b := m.coordinator()
	endless := m.goesOn(b)
	if endless != "" && !end.Settled {
		m.find(b, nil, "settles", endless, "the group did not come to rest: %s", m.waits(b))
		return
	}
	var last *client
	found := false
	for i := range m.clients {
		c := &m.clients[i]
		if !c.alive || c.closed || c.closing || !c.subscribed || c.cfg == nil {
			continue
		}
		last = c
		if place, what := m.missing(b, c); what != "" {
			switch {
			case c.goesRound() != "":
				place = c.goesRound()
			case endless != "" && b != nil && b.group.state != protocol.Stable:
				place = endless
			}
			m.find(b, c, "settles", place, "%s %s: %s", m.f.Name(c.node), what, m.waits(b))
			found = true
		}
	}
	if !end.Settled && !found && last != nil {
		m.find(b, last, "settles", "never", "the group did not come to rest: %s", m.waits(b))
	}
}

// goesOn is what makes a group rebalance for ever, as far as that is known: who is in it at the end
// is chance then.
func (m *Monitor) goesOn(b *broker) (place string) {
	switch {
	case b != nil && m.assignsByOlder(b):
		return "never: metadata that was asked for earlier"
	case slices.ContainsFunc(m.clients, func(c client) bool { return c.alive && c.insists }):
		return commitsTheGone
	}
	for i := range m.clients {
		if place := m.clients[i].goesRound(); place != "" {
			return place
		}
	}
	return ""
}

// commitsTheGone is a client that tries a commit of a partition that is not there again and again
// before it joins.
const commitsTheGone = "a commit of a partition that is gone"

// goesRound is what the client's session is too short for, so that it joins again and again: once
// is none, it may have got in the next time, or have forgotten to ask again.
func (c *client) goesRound() string {
	if !c.alive || c.rounds < 2 {
		return ""
	}
	return c.outlived
}

// assignsByOlder reports whether the leader's last assignment was made by metadata that lacks a
// topic of the group: the answer to what it asked for before it led.
func (m *Monitor) assignsByOlder(b *broker) bool {
	rec := m.log.stored.record
	if rec == nil || rec.Leader == "" {
		return false
	}
	p := m.ids.list[m.ids.number(rec.Leader)].client
	if p == none || m.clients[p].assignedBy == nil {
		return false
	}
	known := m.clients[p].assignedBy.Topics
	for i := range rec.Members {
		if md := rec.Members[i].Metadata; md != nil && slices.ContainsFunc(md.Topics, func(t string) bool {
			return !slices.ContainsFunc(known, func(k protocol.TopicMetadata) bool { return k.Name == t })
		}) {
			return true
		}
	}
	return false
}

// missing says what a client lacks of what it should have in a group at rest.
func (m *Monitor) missing(b *broker, c *client) (place, what string) {
	switch {
	case m.knowsTheDead(c):
		return "knows no broker that lives", "knows no broker that lives"
	case b == nil:
		return "no coordinator", "has no coordinator"
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
			if m.isDoubled(&b.group) {
				return "a claim that the leader cannot place", "serves " + m.parts.name(p) + ", which was given twice"
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
