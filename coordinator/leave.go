package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
)

// LeaveGroup. Before version 3 it names one member; from 3 on several, by id or by
// instance id, each with an outcome of its own (KIP-345).
func (b *Broker) leaveGroup(r *protocol.LeaveGroupRequest) {
	if err, why := b.admit(r.Group, protocol.KindLeaveGroup); err != protocol.None {
		b.reply((&protocol.LeaveGroupAnswer{Error: err}).Freeze(), why, 0)
		return
	}
	g := b.group(r.Group)
	if g != nil && g.state == protocol.Dead {
		b.reply((&protocol.LeaveGroupAnswer{Error: b.deadError()}).Freeze(), protocol.RuleDead, g.movedBy)
		return
	}
	a := &protocol.LeaveGroupAnswer{Members: make([]protocol.LeavingMember, len(r.Members))}
	copy(a.Members, r.Members)
	why, ref := protocol.RuleLeft, b.out.Cause()
	removed := false
	for i := range a.Members {
		m := &a.Members[i]
		if g == nil {
			m.Error, why, ref = protocol.UnknownMemberID, protocol.RuleNoGroup, 0
			continue
		}
		slot, err, refusal := b.findLeaving(g, m)
		if refusal == protocol.RulePendingStatic {
			b.thrown = true
			b.reply((&protocol.LeaveGroupAnswer{Error: err}).Freeze(), refusal, g.movedBy)
			return
		}
		if m.Error = err; err != protocol.None {
			why, ref = refusal, g.movedBy
			continue
		}
		removed = true
		left := b.leave(g, slot)
		if !b.cfg.Rules.LeaveOnce {
			b.afterRemoval(g, left)
		}
	}
	if removed && b.cfg.Rules.LeaveOnce {
		b.afterRemoval(g, protocol.RuleLeft)
	}
	if r.Version < 3 {
		a.Error = firstError(a.Members)
		a.Members = nil
	}
	if g == nil {
		b.reply(a.Freeze(), why, ref)
		return
	}
	b.answer(g.partition, a.Freeze(), why, ref)
}

func firstError(list []protocol.LeavingMember) protocol.Error {
	for i := range list {
		if list[i].Error != protocol.None {
			return list[i].Error
		}
	}
	return protocol.None
}

// findLeaving finds the member, or the id given out, that is to leave.
func (b *Broker) findLeaving(g *group, m *protocol.LeavingMember) (int32, protocol.Error, protocol.Rule) {
	rules := &b.cfg.Rules
	i := g.find(m.Member)
	if m.Member == "" {
		i = none
	}
	if !rules.BatchLeave {
		if i == none {
			return none, protocol.UnknownMemberID, protocol.RuleUnknownMember
		}
		return i, protocol.None, 0
	}
	owner := none
	if m.Instance != "" {
		owner = g.byStatic.find(m.Instance)
	}
	if rules.MemberUnified {
		switch {
		case m.Member == "" && owner != none:
			return owner, protocol.None, 0
		case m.Member == "":
			return none, protocol.UnknownMemberID, protocol.RuleUnknownInstance
		case i != none && !g.at(i).isMember:
			return i, protocol.None, 0
		}
		err, why := b.judge(g, i, m.Instance, false)
		return i, err, why
	}
	switch {
	case m.Member != "" && owner != none && owner != i:
		return none, protocol.FencedInstanceID, protocol.RuleFenced
	case i != none && !g.at(i).isMember && m.Instance != "":
		return none, protocol.UnknownServerError, protocol.RulePendingStatic
	case owner != none:
		return owner, protocol.None, 0
	case i != none:
		return i, protocol.None, 0
	}
	return none, protocol.UnknownMemberID, protocol.RuleUnknownMember
}

// leave takes out a member, or an id given out, and says which it was.
func (b *Broker) leave(g *group, i int32) protocol.Rule {
	if m := g.at(i); !m.isMember {
		b.freeTimer(&m.timer)
		b.takeOut(g, i)
		return protocol.RulePendingLeft
	}
	b.remove(g, i, "removed", protocol.RuleLeft, b.out.Cause())
	return protocol.RuleLeft
}
