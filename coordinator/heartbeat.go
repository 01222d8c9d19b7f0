package coordinator

import "github.com/rebalsim/rebalsim/protocol"

// Heartbeat. It is how members learn that the group collects. Version 3 knows
// instance ids (KIP-345).
func (b *Broker) heartbeat(r *protocol.HeartbeatRequest) {
	if err, why := b.admit(r.Group, protocol.KindHeartbeat); err != protocol.None || why != 0 {
		b.reply(protocol.AnswerHeartbeat(err), why, 0)
		return
	}
	g := b.group(r.Group)
	if g == nil {
		b.reply(protocol.AnswerHeartbeat(protocol.UnknownMemberID), protocol.RuleNoGroup, 0)
		return
	}
	i := g.member(r.Member)
	err, why := b.judgeHeartbeat(g, r, i)
	if err != protocol.None && why != protocol.RuleHeartbeatCollecting {
		b.reply(protocol.AnswerHeartbeat(err), why, g.movedBy)
		return
	}
	b.renewSession(g, i)
	b.answer(g.partition, protocol.AnswerHeartbeat(err), why, g.movedBy)
}

func (b *Broker) judgeHeartbeat(g *group, r *protocol.HeartbeatRequest, i int32) (protocol.Error, protocol.Rule) {
	rules := &b.cfg.Rules
	if g.state == protocol.Dead {
		return b.deadError(), protocol.RuleDead
	}
	if rules.Heartbeat == protocol.HeartbeatBlind && g.state != protocol.Stable {
		return protocol.RebalanceInProgress, protocol.RuleHeartbeatBlind
	}
	if err, why := b.judge(g, i, r.Instance, false); err != protocol.None {
		return err, why
	}
	if g.state == protocol.CompletingRebalance && rules.Heartbeat == protocol.HeartbeatPhases {
		return protocol.RebalanceInProgress, protocol.RuleHeartbeatCompleting
	}
	if r.Generation != g.generation {
		return protocol.IllegalGeneration, protocol.RuleIllegalGeneration
	}
	switch g.state {
	case protocol.PreparingRebalance:
		return protocol.RebalanceInProgress, protocol.RuleHeartbeatCollecting
	case protocol.CompletingRebalance:
		if rules.CompletingAlive {
			return protocol.None, protocol.RuleAliveCompleting
		}
		return protocol.RebalanceInProgress, protocol.RuleHeartbeatCompleting
	case protocol.Stable:
		return protocol.None, protocol.RuleAlive
	}
	return protocol.UnknownMemberID, protocol.RuleUnknownMember
}
