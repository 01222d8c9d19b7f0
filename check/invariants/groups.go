package invariants

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// groupMoves takes in that a coordinator moves the group into a state.
func (m *Monitor) groupMoves(b *broker, c *protocol.GroupChange, why protocol.Rule) {
	g := &b.group
	if c.Protocol != "" {
		m.chosen = c.Protocol
	}
	switch {
	case why == protocol.RuleLoaded:
		m.loads(b, c)
		return
	case why == protocol.RuleFormed:
		g = m.makes(b, protocol.NoGroup)
	case !g.there:
		g = m.makes(b, b.begins())
	}
	m.moveIsLegal(b, c)
	from := g.state
	g.state, g.protocol, g.refused = c.To, c.Protocol, false
	if why == protocol.RuleFormed {
		g.generation, g.leader = c.Generation, m.ids.number(c.Leader)
		g.since, g.formedAt = m.now, m.ms()
		if m.log.formed != nil {
			for i := range m.log.formed.Members {
				g.bound = max(g.bound, int64(m.log.formed.Members[i].RebalanceTimeout)+b.cfg.CommitTimeout)
			}
		}
		return
	}
	if c.To == protocol.PreparingRebalance {
		m.hasReason(b, from, why)
	}
	m.phaseEnds(b, from)
	g.since = m.now
	m.generationIsNext(b, c)
	g.generation = c.Generation
	g.leader = m.ids.number(c.Leader)
	m.in.formed = true
	switch c.To {
	case protocol.PreparingRebalance:
		m.collects(b, from)
	case protocol.CompletingRebalance:
		m.completes(b)
	case protocol.Stable:
		m.isStored(b)
	case protocol.Dead:
		switch {
		case why != protocol.RuleUnloaded:
		case !m.isOurs(b, b.unloads):
			m.find(b, nil, "unload-in-order", "another partition", "a broker gives the group up by an order for another partition of __consumer_offsets")
		case b.unload < b.epoch && m.latest(b):
			m.find(b, nil, "unload-in-order", "an older order", "a broker gives the group up by an order of leader epoch %d, after it has loaded it in epoch %d", b.unload, b.epoch)
		}
		g.forget()
	}
}

// begins is the state in which groups begin.
func (b *broker) begins() protocol.GroupState {
	if b.rules.EmptyState {
		return protocol.Empty
	}
	return protocol.Stable
}

// moveIsLegal compares a move with the table of section 2.1 of the coordinator's
// specification.
func (m *Monitor) moveIsLegal(b *broker, c *protocol.GroupChange) {
	from := b.group.state
	if from != c.From && from != protocol.NoGroup {
		m.find(b, nil, "legal-move", from.String()+" is left as "+c.From.String(),
			"the group was %s, and leaves %s for %s", from, c.From, c.To)
	}
	if c.From != protocol.NoGroup && !legalMove(b.rules, c.From, c.To) {
		m.find(b, nil, "legal-move", c.From.String()+" to "+c.To.String(), "the group goes from %s to %s", c.From, c.To)
	}
}

func legalMove(rules *protocol.BrokerRules, from, to protocol.GroupState) bool {
	switch to {
	case protocol.Empty:
		return rules.EmptyState && from == protocol.PreparingRebalance
	case protocol.PreparingRebalance:
		return from == protocol.Stable || from == protocol.CompletingRebalance || rules.EmptyState && from == protocol.Empty
	case protocol.CompletingRebalance:
		return from == protocol.PreparingRebalance
	case protocol.Stable:
		return from == protocol.CompletingRebalance
	}
	return to == protocol.Dead
}

// generationIsNext: a generation is the one before and one more, at the end of a join
// phase, and nothing else changes it.
func (m *Monitor) generationIsNext(b *broker, c *protocol.GroupChange) {
	g := &b.group
	want := g.generation
	if c.To == protocol.CompletingRebalance || c.To == protocol.Empty {
		want++
		g.madeIn = g.incarnation
	}
	if c.Generation != want {
		m.find(b, nil, "next-generation", c.From.String()+" to "+c.To.String(),
			"generation %d follows on %d, and should be %d", c.Generation, g.generation, want)
	}
}

// collects: a join phase begins.
func (m *Monitor) collects(b *broker, from protocol.GroupState) {
	g := &b.group
	g.initial = from == protocol.Empty && b.rules.InitialDelay
	g.bound, g.collecting = g.longest(), m.now
	if g.initial {
		g.bound = max(g.bound, int64(b.cfg.InitialRebalanceDelay))
	}
	if from == protocol.CompletingRebalance {
		for i := range g.members {
			g.members[i].assignment = nil
		}
	}
}

// hasReason: a generation that is formed is given up for a member that comes, goes or
// wants it, or because it could not be stored; not for nothing.
func (m *Monitor) hasReason(b *broker, from protocol.GroupState, why protocol.Rule) {
	if m.in.removed || why == protocol.RuleStoreFailed || why == protocol.RuleOversized {
		return
	}
	q := m.handled()
	switch {
	case q == nil || q.kind != protocol.KindJoinGroup:
		place := why.String()
		if q != nil && q.kind == protocol.KindLeaveGroup && !q.known {
			place = "who leaves is no member"
		}
		m.find(b, nil, "moves-for-a-reason", place, "the group leaves %s, and no member came, went or asked for it", from)
	case q.known && q.same && q.member != b.group.leader && b.group.leader != unknown:
		m.find(b, nil, "moves-for-a-reason", "unchanged follower", "the group leaves %s for a JoinGroup of %s, which does not lead and offers what it did", from, m.ids.name(q.member))
	}
}

// completes: a generation is formed.
func (m *Monitor) completes(b *broker) {
	g := &b.group
	if x := g.find(g.leader); x == nil {
		m.find(b, nil, "leader-is-member", "CompletingRebalance", "%s leads, and is no member", m.ids.name(g.leader))
	}
	if b.rules.MaxSize != protocol.MaxSizeNone && len(g.members) > int(b.cfg.MaxSize) {
		place := "CompletingRebalance"
		if g.hasStatic() {
			place = "static members in CompletingRebalance"
		}
		m.find(b, nil, "within-size", place, "the generation has %d members, and group.max.size is %d", len(g.members), b.cfg.MaxSize)
	}
	g.tookBack, g.foreign, g.assigned = false, false, 0
	g.wedged = b.rules.OldLeaderWedges && g.hasStatic() && g.leaderIsOld(m)
	g.bound = g.longest() + b.cfg.CommitTimeout
	now := m.ms()
	g.formedAt = now
	for i := range g.members {
		x := &g.members[i]
		if !x.join && !x.answeredEarly && (x.instance == "" || now < g.since.Millis()) {
			m.find(b, nil, "all-have-asked", role(x), "%s is in the generation, and has not asked to be", m.ids.name(x.id))
		}
		x.absent = !x.join && !x.answeredEarly
		if x.absent {
			m.comesLate(b, x.id, g.since)
		}
		x.isNew, x.synced, x.answeredEarly = false, false, false
		if g.wedged {
			x.most = never
			if x.absent {
				continue // behind the leader, perhaps: then its session is as it was
			}
		} else {
			x.most = now + int64(max(x.session, x.wanted))
		}
		x.least, x.by, x.renewed = now+int64(x.wanted), joinPhase, now
	}
}

func (g *group) hasStatic() bool {
	for i := range g.members {
		if g.members[i].instance != "" {
			return true
		}
	}
	return false
}

// leaderIsOld reports whether the leader waits with a JoinGroup from before version 5.
func (g *group) leaderIsOld(m *Monitor) bool {
	for i := range m.clients {
		for j := range m.clients[i].requests {
			q := &m.clients[i].requests[j]
			if r, ok := q.body.(*protocol.JoinGroupRequest); ok && q.member == g.leader && r.Version < 5 {
				return true
			}
		}
	}
	return false
}

func role(x *member) string {
	if x.instance != "" {
		return "static"
	}
	return "dynamic"
}

// phaseEnds looks at how long the group was in the state that it leaves.
func (m *Monitor) phaseEnds(b *broker, from protocol.GroupState) {
	g := &b.group
	took := m.ms() - g.since.Millis()
	if b.clockOff {
		return
	}
	switch from {
	case protocol.PreparingRebalance:
		if took > g.bound && !g.onlyAbsent() {
			m.find(b, nil, "phase-ends", from.String(), "the group collected for %s, and its longest rebalance timeout is %s", span(took), span(g.bound))
		}
	case protocol.CompletingRebalance:
		if took > g.bound {
			m.find(b, nil, "phase-ends", from.String(), "the group waited for its leader for %s; its longest rebalance timeout and a write allow %s", span(took), span(g.bound))
		}
	}
}

// onlyAbsent reports whether all members are static: then a join phase to which nobody
// comes goes on, until their sessions end.
func (g *group) onlyAbsent() bool {
	for i := range g.members {
		if g.members[i].instance == "" {
			return false
		}
	}
	return true
}

// allAsk reports whether every member waits for the answer to its JoinGroup.
func (g *group) allAsk() bool {
	return !slices.ContainsFunc(g.members, func(x member) bool { return !x.join })
}

// stepEnds looks at the group when the step in which it moved is over: whoever waited
// for the move has its answer.
func (m *Monitor) stepEnds() {
	m.in.formed = false
	for i := range m.brokers {
		b := &m.brokers[i]
		g := &b.group
		if !g.there || g.wedged {
			continue
		}
		for j := range g.members {
			x := &g.members[j]
			switch {
			case x.join && (g.state == protocol.CompletingRebalance || g.state == protocol.Empty):
				m.find(b, nil, "parked-is-answered", "JoinGroup in "+g.state.String(),
					"%s waits for the answer to its JoinGroup, and the join phase is over", m.ids.name(x.id))
			case x.sync && (g.state == protocol.Stable || g.state == protocol.PreparingRebalance || g.state == protocol.Empty):
				m.find(b, nil, "parked-is-answered", "SyncGroup in "+g.state.String(),
					"%s waits for the answer to its SyncGroup, and the group is %s", m.ids.name(x.id), g.state)
			}
		}
	}
}
