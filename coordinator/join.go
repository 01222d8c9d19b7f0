package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
)

// JoinGroup. Version 0 has no rebalance timeout; from 4 on (KIP-394) a new member is
// given its id first; 5 knows instance ids (KIP-345); answers carry the protocol type
// from 7 (KIP-559) and skipAssignment from 9 (KIP-814).
func (b *Broker) joinGroup(r *protocol.JoinGroupRequest) {
	rules := &b.cfg.Rules
	inRange := r.SessionTimeout >= b.cfg.MinSessionTimeout && r.SessionTimeout <= b.cfg.MaxSessionTimeout
	if rules.SessionRangeFirst && !inRange && r.Group != "" {
		b.refuseJoin(r, "", protocol.InvalidSessionTimeout, protocol.RuleSessionRange, 0)
		return
	}
	if err, why := b.admit(r.Group, protocol.KindJoinGroup); err != protocol.None {
		id := r.Member
		if rules.RefusalAnonymous {
			id = ""
		}
		b.refuseJoin(r, id, err, why, 0)
		return
	}
	if !inRange {
		b.refuseJoin(r, r.Member, protocol.InvalidSessionTimeout, protocol.RuleSessionRange, 0)
		return
	}
	g := b.group(r.Group)
	created := g == nil
	if created {
		if r.Member != "" {
			b.refuseJoin(r, r.Member, protocol.UnknownMemberID, protocol.RuleNoGroup, 0)
			return
		}
		g = b.createGroup(r)
	}
	if b.join(g, r, created) && g.state == protocol.PreparingRebalance {
		b.tryComplete(g)
	}
	if b.thrown {
		b.joinThrows(g, r)
		return
	}
	if rules.WaitsForLog {
		b.joinWritten(g, r, created)
	}
}

// createGroup makes the group of a JoinGroup. Where only offsets were known of it
// before, they stay.
func (b *Broker) createGroup(r *protocol.JoinGroupRequest) *group {
	var offsets []offsetEntry
	if i := b.byGroup.find(r.Group); i != none {
		offsets = b.groups[i].offsets
		b.dropGroup(b.groups[i])
	}
	g := b.newGroup(r.Group, protocol.CoordinatorPartition(r.Group, int32(len(b.parts))))
	g.offsets = offsets
	if !b.cfg.Rules.EmptyState {
		g.typ = r.ProtocolType
	}
	return g
}

// join decides what becomes of a JoinGroup. It reports whether the join phase may be
// complete now.
func (b *Broker) join(g *group, r *protocol.JoinGroupRequest, created bool) bool {
	rules := &b.cfg.Rules
	i := g.find(r.Member)
	if r.Member == "" {
		i = none
	}
	if rules.MaxSize != protocol.MaxSizeNone && !created && b.full(g, r, i) {
		b.refuseForSize(g, r, i)
		return rules.RefusalCompletes
	}
	if g.state == protocol.Dead {
		return b.refuseJoin(r, r.Member, b.deadError(), protocol.RuleDead, g.movedBy)
	}
	if !g.supports(rules, r.ProtocolType, r.Protocols) {
		why := protocol.RuleNoCommonProtocol
		if g.members.n == 0 {
			why = protocol.RuleNoProtocols
		}
		b.refuseJoin(r, r.Member, protocol.InconsistentGroupProtocol, why, g.movedBy)
		return true
	}
	switch {
	case r.Member == "":
		b.joinNew(g, r)
	case i != none && !g.at(i).isMember:
		b.joinPending(g, r, i)
	default:
		if err, why := b.judge(g, i, r.Instance, true); err != protocol.None {
			a := b.joinError(r.Version, r.Member, err)
			if rules.Nameless == protocol.NamelessUnknown {
				a.Protocol = protocol.Null{}
			}
			b.replyJoin(a, why, g.movedBy)
			return true
		}
		b.joinKnown(g, r, i)
	}
	return true
}

// full applies group.max.size.
func (b *Broker) full(g *group, r *protocol.JoinGroupRequest, i int32) bool {
	known := i != none && g.at(i).isMember
	waits := known && g.at(i).join.set
	if b.cfg.Rules.MaxSize == protocol.MaxSizeFirst {
		return known && !waits && g.members.n > b.cfg.MaxSize || r.Member == "" && g.members.n >= b.cfg.MaxSize
	}
	switch g.state {
	case protocol.PreparingRebalance:
		return !waits && g.joined >= b.cfg.MaxSize
	case protocol.CompletingRebalance, protocol.Stable:
		return !known && g.members.n >= b.cfg.MaxSize
	}
	return false
}

// refuseForSize refuses a member and takes it out. No rebalance follows from that.
func (b *Broker) refuseForSize(g *group, r *protocol.JoinGroupRequest, i int32) {
	if i != none && (g.at(i).isMember || b.cfg.Rules.RefusalDropsPending) {
		m := g.at(i)
		if m.isMember {
			b.noteMember(g, m, "removed", protocol.RuleMaxSize, 0)
		}
		b.forget(&m.sync, protocol.RuleSyncOfRemoved)
		b.dropTimers(g, m)
		b.takeOut(g, i)
	}
	b.refuseJoin(r, "", protocol.GroupMaxSizeReached, protocol.RuleMaxSize, 0)
}

// joinNew takes on a member that has no id.
func (b *Broker) joinNew(g *group, r *protocol.JoinGroupRequest) {
	rules := &b.cfg.Rules
	if rules.StaticIDByTime && r.Instance != "" && g.moved < 0 { // KAFKA-8715: no time to make the id of
		b.refuseJoin(r, r.Member, protocol.UnknownServerError, protocol.RuleThrows, 0)
		return
	}
	id := b.makeID(g, r.ClientID, b.instance(r.Instance))
	if r.Instance != "" && rules.StaticMembers {
		if i := g.byStatic.find(r.Instance); i != none {
			b.replaceStatic(g, r, i, id)
			return
		}
	} else if rules.MemberIDRequired && r.Version >= 4 {
		b.giveID(g, r, id)
		return
	}
	b.admitMember(g, r, id)
}

func (b *Broker) instance(id string) string {
	if b.cfg.Rules.StaticMembers {
		return id
	}
	return ""
}

// giveID hands out an id that the client has to come back with (KIP-394). The group
// does not move.
func (b *Broker) giveID(g *group, r *protocol.JoinGroupRequest, id string) {
	i := g.newSlot()
	g.slots[i] = member{id: id, client: r.ClientID}
	g.byID.put(id, i)
	g.link(&g.waiting, i, none)
	b.armSession(g, i, r.SessionTimeout)
	b.refuseJoin(r, id, protocol.MemberIDRequired, protocol.RuleMemberIDRequired, 0)
}

// joinPending takes on a member that comes back with the id that it was given.
func (b *Broker) joinPending(g *group, r *protocol.JoinGroupRequest, i int32) {
	if r.Instance != "" {
		id := r.Member
		if b.cfg.Rules.RefusalAnonymous {
			id = ""
		}
		b.refuseJoin(r, id, protocol.UnknownServerError, protocol.RulePendingStatic, 0)
		return
	}
	b.admitMember(g, r, r.Member)
}

// admitMember adds a member and lets its JoinGroup wait.
func (b *Broker) admitMember(g *group, r *protocol.JoinGroupRequest, id string) {
	rules := &b.cfg.Rules
	why := protocol.RuleNewMember
	switch {
	case g.state == protocol.Empty && rules.InitialDelay:
		why = protocol.RuleFirstMember
	case g.members.n == 0:
		why = protocol.RuleFirstAlone
	}
	if g.members.n == 0 {
		g.typ = r.ProtocolType
	}
	if rules.InitialDelay && g.state == protocol.PreparingRebalance &&
		(rules.DelayByState && g.previous == protocol.Empty || !rules.DelayByState && g.generation == 0) {
		g.newcomer = true
	}
	m := b.addMember(g, id, r.ClientID, b.instance(r.Instance))
	m.session, m.rebalance = r.SessionTimeout, b.rebalanceTimeout(r)
	m.protocols = r.Protocols
	m.isNew = rules.NewMemberTimeout
	g.count(m.protocols, 1)
	i := g.find(id)
	if g.leader == none {
		g.leader = i
	}
	b.noteMember(g, m, "added", why, 0)
	b.parkJoin(g, i, r, b.whyParked(g, why))
	if rules.NewMemberTimeout {
		b.armSession(g, i, newMemberTimeout)
		g.at(i).newTimer = true
	}
	b.prepareRebalance(g, why)
}

// whyParked explains a parked JoinGroup by what it does to the group.
func (b *Broker) whyParked(g *group, moves protocol.Rule) protocol.Rule {
	if g.state == protocol.PreparingRebalance {
		if g.delaying {
			return protocol.RuleDelayed
		}
		return protocol.RuleCollecting
	}
	return moves
}

func (b *Broker) rebalanceTimeout(r *protocol.JoinGroupRequest) int32 {
	switch {
	case r.Version == 0 && b.cfg.Rules.JoinV0NoTimeout:
		return -1
	case r.Version == 0 || !b.cfg.Rules.RebalanceTimeout:
		return r.SessionTimeout
	}
	return r.RebalanceTimeout
}

// joinKnown handles a member that asks again. This has been the same since 0.9: only
// the leader, or other protocols than before, move a group that is Stable.
func (b *Broker) joinKnown(g *group, r *protocol.JoinGroupRequest, i int32) {
	m := g.at(i)
	same := m.sameProtocols(r.Protocols)
	switch g.state {
	case protocol.PreparingRebalance:
		b.joinAgain(g, r, i, b.whyParked(g, 0))
	case protocol.CompletingRebalance:
		if same {
			a := b.joined(g, m, g.leaderID(), r.Version)
			if i == g.leader {
				a.Members = g.list()
			}
			b.replyJoin(a, protocol.RuleKnownCompleting, g.movedBy)
			return
		}
		b.joinAgain(g, r, i, protocol.RuleChangedCompleting)
	case protocol.Stable:
		switch {
		case i == g.leader:
			b.joinAgain(g, r, i, protocol.RuleLeaderRejoins)
		case !same:
			b.joinAgain(g, r, i, protocol.RuleFollowerChanged)
		default:
			b.replyJoin(b.joined(g, m, g.leaderID(), r.Version), protocol.RuleKnownUnchanged, g.movedBy)
		}
	default:
		b.refuseJoin(r, r.Member, protocol.UnknownMemberID, protocol.RuleUnknownMember, g.movedBy)
	}
}

// joinAgain takes what a known member brings and lets it wait; the group collects.
func (b *Broker) joinAgain(g *group, r *protocol.JoinGroupRequest, i int32, why protocol.Rule) {
	m := g.at(i)
	b.updateMember(g, m, r)
	b.parkJoin(g, i, r, why)
	b.prepareRebalance(g, why)
}

func (b *Broker) updateMember(g *group, m *member, r *protocol.JoinGroupRequest) {
	if !m.sameProtocols(r.Protocols) {
		g.count(m.protocols, -1)
		m.protocols = r.Protocols
		g.count(m.protocols, 1)
	}
	if b.cfg.Rules.RejoinTimeouts {
		m.session, m.rebalance = r.SessionTimeout, b.rebalanceTimeout(r)
	}
}
