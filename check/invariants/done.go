package invariants

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
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
		if why := m.excuse(c, end.Settled); why != "" {
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
	case c.isUnheard() || c.looksUpInVain() || c.awaitsFormed || settled && c.asksStill():
		return "waits for an answer"
	case settled && c.reach.retries > 0 && (m.now-c.reach.retries).Millis() <= slack:
		return "waits for a commit that is tried again"
	case settled && m.now-c.turned < sim.Time(c.pause(false)+slack)*sim.Millisecond:
		return "has not polled since"
	case len(c.commits) > pipelined, c.jammed > 0 && m.now-c.jammed < sim.Time(2*limit+c.cfg.Settings.SessionTimeout)*sim.Millisecond:
		return "commits more often than the log can take, and what it asks waits behind"
	case c.hurries || !settled && c.pattern && c.metaTook >= c.cfg.Program.Poll:
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

// settles: a run that nothing disturbs any more comes to rest with everyone in the
// group, in its generation and with its part.
func (m *Monitor) settles(end End) {
	b := m.coordinator()
	endless := m.goesOn(b, end)
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
			case m.goesRound(c, end) != "":
				place = m.goesRound(c, end)
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
func (m *Monitor) goesOn(b *broker, end End) (place string) {
	switch {
	case b != nil && m.assignsByOlder(b):
		return "never: metadata that was asked for earlier"
	case slices.ContainsFunc(m.clients, func(c client) bool { return c.alive && c.insists }):
		return commitsTheGone
	}
	for i := range m.clients {
		if place := m.goesRound(&m.clients[i], end); place != "" {
			return place
		}
	}
	for i := range m.clients {
		if m.isLateAgain(&m.clients[i], end) {
			return tooLateForAll
		}
	}
	return ""
}

// commitsTheGone is a client that tries a commit of a partition that is not there again and again
// before it joins.
const commitsTheGone = "a commit of a partition that is gone"

// tooLateForAll is that a rebalance timeout is too short for a member: it comes back, and others
// may come late to the rebalance that this begins.
const tooLateForAll = "never: a join phase that is over too early"

// isLateAgain reports whether the client's group has lately not waited for it any longer, and its
// rebalance timeout is shorter than what it may need.
func (m *Monitor) isLateAgain(c *client, end End) bool {
	if !c.alive || c.cfg == nil || c.lateAt == 0 {
		return false
	}
	need := m.joinsWithin(c, end.Latency.Millis())
	return c.lateIn <= need && (m.now-c.lateAt).Millis() <= 2*(c.lateIn+need)
}

// joinsWithin is the longest that a member may take from when the group collects until its
// JoinGroup is there, ms: the heartbeat by which it hears of it, what its program is at, and
// before it asks the topics that match its pattern, the commit before the join and its listener's,
// which the log may keep waiting.
func (m *Monitor) joinsWithin(c *client, latency int64) int64 {
	l := &c.cfg.Listener
	hears := max(int64(c.cfg.Settings.HeartbeatInterval), 2*latency) + 2*latency
	turn, commit := m.turn(c, latency)
	return hears + turn + 2*latency + commit + max(sleeps(l.Revoked), sleeps(l.Lost)) + commit + latency
}

// beatsWithin is the longest that a member may take from the answer to a JoinGroup until its first
// heartbeat is there, ms: its program reads that, and the answer to its SyncGroup, if it need not
// ask for metadata before that.
func (m *Monitor) beatsWithin(c *client, latency int64) int64 {
	turn, _ := m.turn(c, latency)
	return latency + turn + 2*latency + 2*latency + turn + int64(c.cfg.Settings.HeartbeatInterval) + latency
}

// turn is the longest from one poll of the program to the next, ms, and what a commit takes of that.
func (m *Monitor) turn(c *client, latency int64) (turn, commit int64) {
	for i := range m.brokers {
		commit = max(commit, 2*latency+m.brokers[i].cfg.AppendLinger)
	}
	p := &c.cfg.Program
	return max(p.BatchMax+p.Idle, sleeps(c.cfg.Listener.Assigned)) + commit, commit
}

// sleeps is the longest that a call of a listener takes by itself, ms.
func sleeps(steps []consumer.CallbackStep) (longest int64) {
	for i := range steps {
		longest = max(longest, steps[i].Sleep)
	}
	return longest
}

// goesRound is why a client joins again and again, "" if it does not: once is none, it may get on
// the next time, or have forgotten to ask again.
func (m *Monitor) goesRound(c *client, end End) string {
	switch {
	case !c.alive || c.cfg == nil:
	case c.unwanted >= 2 && contains(m.log.strangers, c.member):
		return givenBack
	case c.unwanted >= 2 && c.instance() != "":
		return backWithOthers
	case c.rounds >= 2 && c.lasted <= m.beatsWithin(c, end.Latency.Millis()):
		return c.outlived
	}
	return ""
}

// What a member is given again and again although it does not subscribe to it.
const (
	givenBack      = "never: " + previousOwner
	backWithOthers = "never: a static member that is back with other topics"
)

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
