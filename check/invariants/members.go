package invariants

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// newMemberTimeout is how long a new member may wait in the join phase, ms (KAFKA-7610).
const newMemberTimeout = 300_000

// memberChanges takes in that a member came into a group, or left it.
func (m *Monitor) memberChanges(b *broker, c *protocol.MemberChange, why protocol.Rule) {
	g := &b.group
	if !g.there {
		g = m.makes(b, b.begins())
	}
	id := m.ids.number(c.Member)
	x := g.find(id)
	if c.What == "added" {
		if x != nil {
			m.find(b, nil, "member-once", "added", "%s comes into the group, and is in it", c.Member)
			return
		}
		if o := g.owner(c.Instance); o != nil {
			m.find(b, nil, "member-once", "instance id", "%s comes with the group.instance.id %s, which %s has", c.Member, c.Instance, m.ids.name(o.id))
		}
		m.comes(b, id, c, why)
		return
	}
	if x == nil {
		m.find(b, nil, "member-once", c.What, "%s goes out of the group, and is not in it", c.Member)
		return
	}
	if c.What == "removed" {
		m.goes(b, x, why)
		g.refused = g.refused || why == protocol.RuleMaxSize
	}
	m.in.removed = true
	old := g.remove(id)
	if c.What == "replaced" {
		g.replaced = old
		return
	}
	if g.leader == id {
		g.leader = unknown
	}
}

// comes adds a member to the group.
func (m *Monitor) comes(b *broker, id int32, c *protocol.MemberChange, why protocol.Rule) {
	g := &b.group
	x := member{id: id, instance: c.Instance, added: m.ms(), most: never}
	p := &m.ids.list[id]
	p.instance, p.handedAt = c.Instance, none
	switch why {
	case protocol.RuleLoaded, protocol.RuleFormed:
		m.learns(c.Member, c.Client, c.Instance)
		m.restores(b, &x, why)
	case protocol.RuleStaticReplaced, protocol.RuleStaticFailed:
		old := g.replaced
		x.session, x.rebalance, x.protocols, x.assignment = old.session, old.rebalance, old.protocols, old.assignment
		x.wanted = old.session
		x.isNew = old.isNew && !b.rules.StaticIsNoMoreNew
		x.least, x.most = m.ms()+int64(x.session), m.ms()+int64(x.session)
		if g.leader == old.id {
			g.leader = id
		}
		if why == protocol.RuleStaticReplaced {
			x.before = &member{session: old.session, rebalance: old.rebalance, protocols: old.protocols}
			m.belongs(id)
			m.idIsNew(b, id)
		} else if before := old.before; before != nil { // it has all again that it had, timeouts as well
			g.tookBack = g.state == protocol.CompletingRebalance
			x.session, x.rebalance, x.wanted = before.session, before.rebalance, before.session
			x.least, x.most = m.ms(), m.ms()+int64(x.session)
			if b.rules.StaticRevertsProtocols {
				x.protocols = before.protocols
			}
		}
	default:
		m.belongs(id)
		if r := m.joining(); r != nil {
			x.set(b, r)
			g.typ = r.ProtocolType
		}
		x.isNew = b.rules.NewMemberTimeout
		x.least = m.ms() + newMemberTimeout
		if x.isNew {
			x.most = never // it goes off although the request is parked: see mayGo
		}
		m.idIsNew(b, id)
	}
	m.in.added = id
	if took := m.ms() - g.since.Millis(); g.state == protocol.PreparingRebalance && took > g.bound && g.onlyAbsent() {
		g.bound = took + g.longest() // the phase has gone on for the absent, and its timer is set anew each time
	}
	g.add(x)
}

// belongs notes that an id is the client's whose request is handled.
func (m *Monitor) belongs(id int32) {
	if m.in.client != none {
		m.ids.list[id].client = m.in.client
	}
}

// joining is the JoinGroup that is handled, nil if it is something else.
func (m *Monitor) joining() *protocol.JoinGroupRequest {
	if q := m.handled(); q != nil {
		r, _ := q.body.(*protocol.JoinGroupRequest)
		return r
	}
	return nil
}

// set takes over what a JoinGroup brings.
func (x *member) set(b *broker, r *protocol.JoinGroupRequest) {
	x.session, x.rebalance, x.protocols = r.SessionTimeout, r.RebalanceTimeout, r.Protocols
	x.wanted = r.SessionTimeout
	switch {
	case r.Version == 0 || !b.rules.RebalanceTimeout:
		x.rebalance = r.SessionTimeout
	}
}

// updates takes over what the JoinGroup of a known member brings.
func (x *member) updates(b *broker, r *protocol.JoinGroupRequest) {
	session, rebalance := x.session, x.rebalance
	x.set(b, r)
	if !b.rules.RejoinTimeouts {
		x.session, x.rebalance = session, rebalance
	}
}

// restores sets a member as the log has it, or as the scenario formed it.
func (m *Monitor) restores(b *broker, x *member, why protocol.Rule) {
	if why == protocol.RuleLoaded {
		if s := m.log.stored.member(x.id); s != nil {
			x.session, x.rebalance, x.assignment = s.SessionTimeout, s.RebalanceTimeout, s.Assignment
			x.protocols = []protocol.GroupProtocol{{Name: b.group.protocol, Metadata: s.Metadata}}
		}
	} else if m.log.formed != nil {
		if i, ok := m.log.formedAs[x.id]; ok {
			f := &m.log.formed.Members[i]
			x.session, x.rebalance, x.protocols, x.assignment = f.SessionTimeout, f.RebalanceTimeout, f.Protocols, f.Assignment
		}
		b.group.typ = m.log.formed.ProtocolType
	}
	if b.group.typ == "" {
		b.group.typ = "consumer"
	}
	x.wanted = x.session
	x.least, x.most = m.ms()+int64(x.session), m.ms()+int64(x.session)
}

// goes takes in that a member is removed: whether for a reason that holds, and what came too late.
func (m *Monitor) goes(b *broker, x *member, why protocol.Rule) {
	if !b.clockOff {
		m.mayGo(b, x, why)
	}
	switch why {
	case protocol.RuleSessionExpired:
		m.outlives(x.id, tooLate(x), sim.Time(max(x.renewed, x.added))*sim.Millisecond)
	case protocol.RuleNotRejoined:
		if !x.join {
			m.comesLate(b, x.id, b.group.since)
		}
	case protocol.RuleSyncTimeout:
		m.comesLate(b, x.id, sim.Time(b.group.formedAt)*sim.Millisecond)
	}
}

// mayGo looks whether a member is removed for a reason that holds, and in time.
func (m *Monitor) mayGo(b *broker, x *member, why protocol.Rule) {
	g := &b.group
	now, id := m.ms(), m.ids.name(x.id)
	switch why {
	case protocol.RuleSessionExpired:
		switch {
		case x.join && !x.isNew || x.sync:
			m.find(b, nil, "expired-in-time", "waits", "%s is expired while its request waits for the group", id)
		case now < x.least && now >= x.least-int64(x.wanted)+int64(x.session):
			m.find(b, nil, "expired-in-time", "an older session timeout", "%s is expired by a session timeout of %s, and its last JoinGroup said %s", id, span(x.session), span(x.wanted))
		case now < x.least:
			m.find(b, nil, "expired-in-time", "after "+x.by, "%s is expired %s before its session ends, which %s has renewed", id, span(x.least-now), x.by)
		}
		m.silent(b, x)
	case protocol.RuleNewMemberGivenUp:
		if now < min(x.least, x.added+newMemberTimeout) && !g.wedged { // then some are as new as before
			m.find(b, nil, "expired-in-time", "new member", "%s is given up after %s", id, span(now-x.added))
		}
	case protocol.RuleNotRejoined:
		wait := g.longest()
		if g.initial {
			wait = int64(b.cfg.InitialRebalanceDelay)
		}
		if x.join {
			m.find(b, nil, "expired-in-time", "has asked", "%s is dropped as if it had not asked to join", id)
		} else if took := now - g.since.Millis(); took < min(wait, g.bound) {
			m.find(b, nil, "expired-in-time", "join phase", "%s is dropped after %s of a join phase that may take %s", id, span(took), span(g.bound))
		} else {
			m.didNotJoin(b, x)
		}
	case protocol.RuleSyncTimeout:
		if took := now - g.formedAt; x.synced || took < g.longest() {
			m.find(b, nil, "expired-in-time", "sync phase", "%s is removed for a SyncGroup that was not due", id)
		}
	}
}

// What a session can be too short for: how long the client's messages take, and its program until
// it polls again.
const (
	tooLateToJoin     = "never: an id that runs out before it is used"
	goneWithGroup     = "never: an id that is gone with its group"
	tooLateToSync     = "never: the answer to its JoinGroup is read too late"
	syncRenewsNothing = "never: a SyncGroup that renews no session"
	resetByLateError  = "never: a late error that resets a join"
	tooLateToBeat     = "never: the answer to its SyncGroup is read too late"
)

// tooLate is what the session was too short for of a member that has expired, "" if it has been
// more than a joining one.
func tooLate(x *member) string {
	switch {
	case x.by == ownSync:
		return tooLateToBeat
	case x.by == joinPhase && x.synced:
		return syncRenewsNothing
	case x.by == joinPhase, x.by == "" && x.before != nil: // a static member that is back has joined without one
		return tooLateToSync
	}
	return ""
}

// outlives notes that an id's session was over before its client came to use it, although nothing
// has kept that from its coordinator since it began.
func (m *Monitor) outlives(id int32, place string, since sim.Time) {
	p := m.ids.list[id].client
	if p == none {
		return
	}
	if place == tooLateToSync && m.ids.list[id].dropped {
		place = resetByLateError
	}
	if c := &m.clients[p]; place != "" && m.isCalm(c, since) {
		c.outlived, c.rounds, c.times = place, c.rounds+1, c.times+1
		c.lasted, c.ranOut = (m.now - since).Millis(), m.now
	}
}

// isCalm reports whether nothing has kept the client from its coordinator since then.
func (m *Monitor) isCalm(c *client, since sim.Time) bool {
	return c.alive && !c.frozen && !c.runsOff && m.now >= c.setBack && since >= max(c.reach.broken, c.reach.lost, m.busyUntil(c))
}

// comesLate notes that a member was not waited for any longer.
func (m *Monitor) comesLate(b *broker, id int32, since sim.Time) {
	p := m.ids.list[id].client
	if p == none {
		return
	}
	if c := &m.clients[p]; m.isCalm(c, since) {
		c.lateAt, c.lateIn, c.lateFor = m.now, (m.now - since).Millis(), c.waited
	}
}

// idIsNew: no id is given out twice.
func (m *Monitor) idIsNew(b *broker, id int32) {
	p := &m.ids.list[id]
	if p.instance != "" && p.handedBy != 0 {
		m.find(b, nil, "id-once", "static", "the member id %s is given out again", p.id)
	}
	p.handedBy = b.group.incarnation
}

// stillLives: a member from which something comes has not been silent for longer than
// its session.
func (m *Monitor) stillLives(b *broker, x *member) {
	late := int64(0)
	if m.f.AnyOrder {
		late = 1
	}
	now := m.ms()
	if m.rec == nil {
		now-- // what is due at the last moment may not have come yet
	}
	if now >= x.most+late && !b.clockOff && !x.join && !x.sync && !b.group.wedged {
		m.find(b, nil, "expired-at-last", "session", "%s is still a member %s after its session has ended", m.ids.name(x.id), span(now-x.most))
		x.most = never
	}
}

// silent: a process that lives, and that takes itself for a member, is heard of within its
// session, if nothing keeps it from that.
func (m *Monitor) silent(b *broker, x *member) {
	p := m.ids.list[x.id].client
	if p == none {
		return
	}
	c := &m.clients[p]
	session := sim.Time(x.session) * sim.Millisecond
	if c.leads && c.state != "STABLE" {
		return // what a leader does to assign, as waiting for metadata, holds its heartbeats up
	}
	if !c.alive || c.frozen || c.closing || c.mayClose || c.asksFor(protocol.KindMetadata) || c.clockOff || c.cfg == nil || len(c.asked) > 0 || c.member != x.id || c.generation != b.group.generation || c.state == "UNJOINED" {
		return
	}
	if c.askedAt >= c.calm && m.now-c.askedAt >= session {
		place := c.state
		switch {
		case c.unread && c.state == "PREPARING_REBALANCE":
			place = "the answer to its JoinGroup is not read"
		case c.unbeaten:
			place = "the thread failed after the join"
		}
		m.find(b, c, "heartbeats-go-on", place, "%s lives, and has not been heard of for its session of %s: it takes itself for %s in generation %d", m.f.Name(c.node), span(x.session), c.state, c.generation)
	}
}
