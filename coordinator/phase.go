package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
)

// canRebalance: the states from which PreparingRebalance can be reached.
func canRebalance(s protocol.GroupState) bool {
	return s == protocol.Empty || s == protocol.Stable || s == protocol.CompletingRebalance
}

// prepareRebalance makes the group collect its members. In PreparingRebalance it does
// nothing: a second reason neither restarts the phase nor prolongs it.
func (b *Broker) prepareRebalance(g *group, why protocol.Rule) {
	if !canRebalance(g.state) {
		return
	}
	if g.state == protocol.CompletingRebalance {
		b.resetAssignments(g, protocol.RebalanceInProgress, protocol.RuleParkedSyncVoid)
	}
	b.freeTimer(&g.syncTimer)
	g.clearOwing()
	if g.state == protocol.Empty && b.cfg.Rules.InitialDelay {
		g.delaying = true
		g.delay = b.cfg.InitialRebalanceDelay
		g.delayLeft = max(g.maxRebalance()-g.delay, 0)
		b.move(g, protocol.PreparingRebalance, why)
		b.armJoin(g, g.delay)
		return
	}
	b.move(g, protocol.PreparingRebalance, why)
	if g.allJoined() {
		b.completeJoin(g, protocol.RuleAllJoined)
	} else {
		b.armJoin(g, g.maxRebalance())
	}
}

func (g *group) clearOwing() {
	for i := g.members.first; i != none; i = g.slots[i].next {
		g.slots[i].owes = 0
	}
	g.owing, g.owingOld = 0, nil
}

func (b *Broker) armJoin(g *group, ms int32) {
	if g.joinTimer == 0 {
		g.joinTimer = b.newTimer(TimerJoin, g.slot, none, g.sum, "")
	}
	b.out.Arm(g.joinTimer, int64(ms))
}

// tryComplete ends the join phase if nobody is missing any more. The initial delay
// does not end before its time. A phase without its timer has thrown at its end, and
// is stuck (KAFKA-6005).
func (b *Broker) tryComplete(g *group) {
	if g.state == protocol.PreparingRebalance && !g.delaying && g.joinTimer != 0 && g.allJoined() {
		b.completeJoin(g, protocol.RuleAllJoined)
	}
}

// joinTimeEnds is the end of the initial delay, or of the rebalance timeout.
func (b *Broker) joinTimeEnds(g *group) {
	if g.state != protocol.PreparingRebalance {
		return
	}
	defer b.timerWrote(g, TimerJoin, "")
	if !g.delaying {
		b.completeJoin(g, protocol.RuleJoinTimeout)
		return
	}
	if g.newcomer && g.delayLeft != 0 {
		g.newcomer = false
		last := g.delay
		g.delay = min(b.cfg.InitialRebalanceDelay, g.delayLeft)
		g.delayLeft = max(g.delayLeft-last, 0)
		b.armJoin(g, g.delay)
		return
	}
	b.completeJoin(g, protocol.RuleDelayOver)
}

// completeJoin ends the join phase with the members that have asked, and answers
// them all.
func (b *Broker) completeJoin(g *group, why protocol.Rule) {
	rules := &b.cfg.Rules
	b.freeTimer(&g.joinTimer)
	g.delaying = false
	b.dropMissing(g)
	if g.members.n == 0 && !rules.EmptyState {
		b.die(g, protocol.RuleGroupDied)
		return
	}
	if rules.StaticMembers && g.leader != none && !g.at(g.leader).join.set {
		if i := g.firstJoined(); i != none {
			g.leader = i
		} else if g.members.n > 0 {
			b.armJoin(g, g.maxRebalance())
			return
		}
	}
	g.generation++
	g.clearOwing()
	if g.members.n == 0 {
		g.protocol = ""
		b.move(g, protocol.Empty, protocol.RuleGroupEmptied)
		g.learnTopics()
		b.storeEmpty(g)
		return
	}
	name, ok := g.vote(rules.HashOrder)
	if !ok {
		b.throws(protocol.RuleNoCommonProtocol)
		return
	}
	g.protocol = name
	b.move(g, protocol.CompletingRebalance, why)
	g.learnTopics()
	b.answerJoined(g, why)
}

// dropMissing removes the members that have not asked: all, or from 2.3 on the
// dynamic ones.
func (b *Broker) dropMissing(g *group) {
	if g.joined == g.members.n {
		return
	}
	rules := &b.cfg.Rules
	for i := g.members.first; i != none; {
		m := g.at(i)
		next := m.next
		if !m.join.set && (m.instance == "" || !rules.StaticMembers) {
			b.noteMember(g, m, "removed", protocol.RuleNotRejoined, g.movedBy)
			if rules.DropsTimer {
				b.freeTimers(m)
			} else {
				b.leaveTimers(g, m, TimerLeftover)
			}
			b.forget(&m.sync, protocol.RuleSyncOfRemoved)
			b.takeOut(g, i)
		}
		i = next
	}
}

func (g *group) firstJoined() int32 {
	for i := g.members.first; i != none; i = g.slots[i].next {
		if g.slots[i].join.set {
			return i
		}
	}
	return none
}

// answerJoined answers every parked JoinGroup of the generation that has been formed.
func (b *Broker) answerJoined(g *group, why protocol.Rule) {
	rules := &b.cfg.Rules
	leader := g.leaderID()
	wedges := rules.OldLeaderWedges && g.hasStatic()
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		if wedges && i == g.leader && m.join.set && m.join.version < 5 {
			b.throws(protocol.RuleOldLeader) // nobody after it is answered
			return
		}
		if m.join.set {
			a := b.joined(g, m, leader, m.join.version)
			if i == g.leader {
				a.Members = g.list()
			}
			b.answerJoin(g, m, a, why)
		}
		if rules.NewMembersUnwatched && m.isNew {
			b.stopSession(m)
		} else {
			b.renewSession(g, i)
		}
		m.isNew = false
		if rules.PendingSync {
			g.owing++
			m.owes = g.owing
		}
	}
	if rules.PendingSync {
		b.armSync(g, g.maxRebalance())
	}
}

func (g *group) hasStatic() bool {
	for i := g.members.first; i != none; i = g.slots[i].next {
		if g.slots[i].instance != "" {
			return true
		}
	}
	return false
}

// list is the group as its leader is told of it.
func (g *group) list() []protocol.JoinedMember {
	all := make([]protocol.JoinedMember, 0, g.members.n)
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		md, _ := m.metadata(g.protocol)
		all = append(all, protocol.JoinedMember{ID: m.id, Instance: m.instance, Metadata: md})
	}
	return all
}

// die ends a group that has lost its last member, where Empty does not exist.
func (b *Broker) die(g *group, why protocol.Rule) {
	b.append(g.partition, &protocol.LogRecord{Group: g.id, Tombstone: true}, why)
	b.move(g, protocol.Dead, why)
	offsets := g.offsets
	b.dropGroup(g)
	if len(offsets) > 0 {
		rest := b.newGroup(g.id, g.partition)
		rest.state, rest.offsets = protocol.NoGroup, offsets
	}
}
