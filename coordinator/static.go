package coordinator

import "github.com/rebalsim/rebalsim/protocol"

// restart is what is needed to take back the new id of a static member that
// restarted, if it cannot be stored.
type restart struct {
	oldID, newID, instance, oldLeader string
	protocols                         []protocol.GroupProtocol
	session, rebalance                int32
	version                           int16
}

// replaceStatic: a static member has restarted and asks without an id (KIP-345). It
// gets a new id in the same place, and whoever still uses the old one is fenced.
func (b *Broker) replaceStatic(g *group, r *protocol.JoinGroupRequest, i int32, id string) {
	rules := &b.cfg.Rules
	m := g.at(i)
	back := &restart{oldID: m.id, newID: id, instance: m.instance, oldLeader: g.leaderID(), protocols: m.protocols,
		session: m.session, rebalance: m.rebalance, version: r.Version}
	b.dropTimers(g, m)
	b.rename(g, i, id, protocol.RuleStaticReplaced)
	if rules.StaticIsNoMoreNew {
		m.isNew = false
	}
	b.armSession(g, i, m.session)
	switch g.state {
	case protocol.Stable, protocol.CompletingRebalance:
		if g.state == protocol.CompletingRebalance && rules.StaticMovesCompleting {
			b.joinAgain(g, r, i, protocol.RuleStaticMoves)
			return
		}
		if g.state == protocol.Stable && rules.StaticStored {
			b.restartStable(g, r, i, back)
			return
		}
		b.updateMember(g, m, r)
		a := b.joined(g, m, g.leaderID(), r.Version)
		a.Leader = back.oldLeader
		b.replyJoin(a, protocol.RuleStaticKnown, g.movedBy)
	case protocol.PreparingRebalance:
		b.joinAgain(g, r, i, b.whyParked(g, 0))
	default: // no group that is Empty has a member
		b.throws(protocol.RuleThrows)
	}
}

// rename gives a member a new id. What waits under the old one is fenced. In the
// order of members it counts as added anew.
func (b *Broker) rename(g *group, i int32, id string, why protocol.Rule) {
	m := g.at(i)
	old := m.id
	b.answerJoin(g, m, b.joinError(m.join.version, old, protocol.FencedInstanceID), protocol.RuleFenced)
	b.answerSync(g, m, b.syncError(protocol.FencedInstanceID), protocol.RuleFenced)
	b.noteMember(g, m, "replaced", why, 0)
	if m.owes != 0 { // the set of members that owe a SyncGroup still has the old id
		g.owingOld = append(g.owingOld, owing{old, m.owes})
		m.owes = 0
		g.owing--
	}
	b.setID(g, i, id)
	g.unlink(&g.members, i)
	g.link(&g.members, i, b.place(g))
	b.noteMember(g, m, "added", why, 0)
}

func (b *Broker) setID(g *group, i int32, id string) {
	m := g.at(i)
	g.byID.remove(m.id)
	m.id = id
	g.byID.put(id, i)
}

// restartStable: the new id is stored with the generation as it is, unless the
// member's protocols would change which one is selected (KAFKA-10284).
func (b *Broker) restartStable(g *group, r *protocol.JoinGroupRequest, i int32, back *restart) {
	m := g.at(i)
	b.updateMember(g, m, r)
	b.parkJoin(g, i, r, protocol.RuleStaticStored)
	m.join.stores = true
	if name, ok := g.vote(b.cfg.Rules.HashOrder); !ok || name != g.protocol {
		b.prepareRebalance(g, protocol.RuleStaticOtherProtocol)
		return
	}
	record, _ := b.groupRecord(g, false)
	w := waiting{what: waitStatic, group: g.slot, born: g.born, generation: g.generation, record: record, static: back}
	if err := b.append(g.partition, record, protocol.RuleStaticStored); err != protocol.None {
		b.failed = protocol.None
		b.restartStored(g, &w, err)
		return
	}
	b.wait(g.partition, w)
}

// restartStored answers the restarted member, or gives it its old id back.
func (b *Broker) restartStored(g *group, w *waiting, err protocol.Error) {
	if g == nil {
		return
	}
	back := w.static
	i := g.member(back.newID)
	if i == none && err == protocol.None && b.cfg.Rules.StaticAnswersAny {
		i = g.byStatic.find(back.instance)
	}
	if err != protocol.None {
		b.takeBack(g, i, back, b.storeError(err, false))
		return
	}
	if i == none {
		return
	}
	m := g.at(i)
	a := b.joined(g, m, g.leaderID(), back.version)
	a.Member = back.newID
	if back.version >= 9 && b.cfg.Rules.SkipAssignment {
		if i == g.leader {
			a.Members, a.SkipAssignment = g.list(), true
		}
	} else {
		a.Leader = back.oldLeader
	}
	b.answerJoin(g, m, a, protocol.RuleStaticAnswered)
}

// takeBack undoes a restart that the log refused. Scala's coordinator forgets that
// the protocols have been replaced as well. If the group has moved meanwhile, the member has been
// answered, and may wait for something else: a SyncGroup is fenced, and a JoinGroup forgotten.
func (b *Broker) takeBack(g *group, i int32, back *restart, err protocol.Error) {
	if i == none {
		return
	}
	m := g.at(i)
	a := b.joinError(back.version, "", err)
	a.Generation, a.Leader, a.Protocol = g.generation, back.oldLeader, protocol.Some(g.protocol)
	if b.cfg.Rules.SyncNamesProtocol {
		a.ProtocolType = protocol.Some(g.typ)
	}
	switch {
	case m.join.stores:
		b.answerJoin(g, m, a, protocol.RuleStaticFailed)
	case m.join.set:
		b.forget(&m.join, protocol.RuleStaticFailed)
		g.joined--
	}
	b.rename(g, i, back.oldID, protocol.RuleStaticFailed)
	if b.cfg.Rules.StaticRevertsProtocols {
		g.count(m.protocols, -1)
		m.protocols = back.protocols
		g.count(m.protocols, 1)
	}
	m.session, m.rebalance = back.session, back.rebalance
	b.dropTimers(g, m)
	b.freeIdle(g, m.id)
	b.armSession(g, i, m.session)
}
