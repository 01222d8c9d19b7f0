package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// armSession sets the timer of a member, or of an id given out.
func (b *Broker) armSession(g *group, i int32, ms int32) {
	m := g.at(i)
	if !b.cfg.Rules.SignsOfLife {
		b.supersede(m)
	}
	if m.timer == 0 {
		m.timer = b.newTimer(TimerSession, g.slot, i, sim.HashString(m.id)^g.sum, m.id)
	}
	m.newTimer = false
	b.out.Arm(m.timer, int64(ms))
}

// supersede ends the timers that a member has set before. Where a timer is only ended
// by a later sign of life, one of the same millisecond stays beside the new one.
func (b *Broker) supersede(m *member) {
	kept := m.extra[:0]
	for _, t := range m.extra {
		if b.out.Armed(t) && b.out.Left(t) >= int64(m.session) {
			kept = append(kept, t)
		} else {
			b.freeTimer(&t)
		}
	}
	m.extra = kept
	if b.out.Armed(m.timer) && b.out.Left(m.timer) >= int64(m.session) && !(m.newTimer && b.cfg.Rules.AbsentTimersIdle) {
		m.extra = append(m.extra, m.timer)
		m.timer = 0
	}
}

// stopSession leaves a member without a timer.
func (b *Broker) stopSession(m *member) {
	b.out.Disarm(m.timer)
	b.freeExtra(m)
}

func (b *Broker) freeExtra(m *member) {
	for _, t := range m.extra {
		b.freeTimer(&t)
	}
	m.extra = nil
}

// freeTimers ends all timers of a member.
func (b *Broker) freeTimers(m *member) {
	b.freeTimer(&m.timer)
	b.freeExtra(m)
}

// leaveTimers lets those timers of a member that are set run on without it.
func (b *Broker) leaveTimers(g *group, m *member, kind uint8) {
	for _, t := range append(m.extra, m.timer) {
		if b.out.Armed(t) {
			o := &b.timers[t]
			o.kind, o.group, o.member = kind, g.slot, none
		} else {
			b.freeTimer(&t)
		}
	}
	m.timer, m.extra = 0, nil
}

// dropTimers is what becomes of the timers of a member that is replaced or refused.
func (b *Broker) dropTimers(g *group, m *member) {
	if b.cfg.Rules.ReplacedTimersStay {
		b.leaveTimers(g, m, TimerIdle)
	} else {
		b.freeTimers(m)
	}
}

// freeIdle ends a timer that has been left behind under an id.
func (b *Broker) freeIdle(g *group, id string) {
	for t := range b.timers {
		if o := &b.timers[t]; o.kind == TimerIdle && o.group == g.slot && o.id == id {
			id := sim.TimerID(t)
			b.freeTimer(&id)
		}
	}
}

// renewSession gives a member its whole session again. While it has a request parked
// it needs none: the timer is stopped, until the request is answered.
func (b *Broker) renewSession(g *group, i int32) {
	m := g.at(i)
	if !b.cfg.Rules.TimerStaysParked && (m.join.set || m.sync.set) && !(m.isNew && b.cfg.Rules.SignsOfLife) {
		if !m.isNew || b.out.Left(m.timer) < newMemberTimeout { // that is later than the timer
			b.stopSession(m)
		}
		return
	}
	b.armSession(g, i, m.session)
}

// sessionEnds: a member has not been heard of for its session timeout, or a new one
// has waited for five minutes, or an id given out was not used.
func (b *Broker) sessionEnds(g *group, i int32, t sim.TimerID) {
	m := g.at(i)
	ref := b.out.SetBy(t)
	if !m.isMember {
		b.freeTimer(&m.timer)
		id := m.id
		b.takeOut(g, i)
		b.afterExpiry(g, protocol.RulePendingExpired)
		b.timerWrote(g, TimerSession, id)
		return
	}
	if m.sync.set || m.join.set && !b.newExpires(m) || t != m.timer && b.out.Left(m.timer) > 0 {
		return // it waits for the group, not the group for it
	}
	why := protocol.RuleSessionExpired
	if m.isNew && m.join.set {
		why = protocol.RuleNewMemberGivenUp
	}
	if !b.cfg.Rules.AbsentTimersIdle {
		b.leaveTimers(g, m, TimerLeftover)
	}
	id := m.id
	b.remove(g, i, "removed", why, ref)
	b.afterExpiry(g, why)
	b.timerWrote(g, TimerSession, id)
}

// newExpires says whether the timer that went off ends a new member's waiting.
func (b *Broker) newExpires(m *member) bool {
	return m.isNew && (m.newTimer || b.cfg.Rules.SignsOfLife || m.session >= newMemberTimeout)
}

// afterExpiry lets the group go on without a member whose time ran out.
func (b *Broker) afterExpiry(g *group, why protocol.Rule) {
	b.afterRemoval(g, why)
	if b.cfg.Rules.ExpiryEndsDelay && g.state == protocol.PreparingRebalance && g.allJoined() {
		b.completeJoin(g, protocol.RuleAllJoined)
	}

}

// afterRemoval: a formed generation that lost a member collects anew; a group that
// collects may have been waiting for just that member.
func (b *Broker) afterRemoval(g *group, why protocol.Rule) {
	switch g.state {
	case protocol.Stable, protocol.CompletingRebalance:
		if why != protocol.RulePendingExpired && why != protocol.RulePendingLeft {
			b.prepareRebalance(g, why)
		}
	case protocol.PreparingRebalance:
		b.tryComplete(g)
	}
}

// leftoverEnds: the member is long gone, but the group rebalances once more.
func (b *Broker) leftoverEnds(o owner, t sim.TimerID) {
	b.freeTimer(&t)
	if o.group == none || o.kind == TimerIdle {
		return
	}
	g := b.groups[o.group]
	b.afterRemoval(g, protocol.RuleLeftoverTimer)
}

// syncTimeEnds: the members that have sent no SyncGroup are removed (KAFKA-12890).
func (b *Broker) syncTimeEnds(g *group) {
	if g.state != protocol.CompletingRebalance && g.state != protocol.Stable {
		return
	}
	for i := g.members.first; i != none; {
		next := g.slots[i].next
		if g.slots[i].owes != 0 {
			b.remove(g, i, "removed", protocol.RuleSyncTimeout, g.movedBy)
		}
		i = next
	}
	b.prepareRebalance(g, protocol.RuleSyncTimeout)
	b.timerWrote(g, TimerSync, "")

}

// timerWrote ends what a timer did as the runtime in Java does: if the log refuses it,
// or does not commit it in time, the timer is set once more, 500 ms later. What it
// then does is mostly nothing, since it was done the first time.
func (b *Broker) timerWrote(g *group, kind uint8, member string) {
	if !b.cfg.Rules.RetriesTimers {
		return
	}
	if b.failed != protocol.None {
		b.retryTimer(g, kind, member)
		return
	}
	if p := &b.parts[g.partition]; p.hw < p.end {
		b.wait(g.partition, waiting{what: waitTimer, group: g.slot, born: g.born, kind: kind, member: member})
	}
}

const timerRetry = 500

func (b *Broker) retryTimer(g *group, kind uint8, member string) {
	switch kind {
	case TimerSession:
		if i := g.find(member); i == none {
			b.out.Arm(b.newTimer(TimerIdle, g.slot, none, sim.HashString(member)^g.sum, member), timerRetry)
		} else {
			b.armSession(g, i, timerRetry)
		}
	case TimerJoin:
		b.armJoin(g, timerRetry)
	case TimerSync:
		b.armSync(g, timerRetry)
	}
}

func (b *Broker) armSync(g *group, ms int32) {
	if g.syncTimer == 0 {
		g.syncTimer = b.newTimer(TimerSync, g.slot, none, g.sum, "")
	}
	b.out.Arm(g.syncTimer, int64(ms))
}
