package consumer

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// handleJoin handles the answer to JoinGroup.
func (c *Consumer) handleJoin(d *completion) {
	answer, _ := d.body.(*protocol.JoinGroupAnswer)
	if answer == nil {
		c.fail(d.req.fut, d.err, d.ref)
		return
	}
	r := &c.cfg.Rules
	err := thrown(classOf(answer.Error))
	switch e := answer.Error; e {
	case protocol.None:
		c.joined(d, answer)
		return
	case protocol.UnknownMemberID:
		if c.sameGeneration(&d.req) {
			c.resetOnError(e, protocol.KindJoinGroup, false, d.ref)
		}
	case protocol.CoordinatorNotAvailable, protocol.NotCoordinator:
		c.coordinatorLost(false, protocol.RuleCoordinatorChanged, d.ref)
	case protocol.MemberIDRequired:
		c.setGeneration(generation{id: -1, member: answer.Member}, protocol.RuleMemberIDGiven, d.ref)
		switch {
		case r.FailedJoinRejoins:
			c.requestRejoin("need to re-join with the given member-id: "+answer.Member, protocol.RuleMemberIDGiven, d.ref)
		case !r.HeartbeatsWhileCompleting:
			c.requestRejoin("", protocol.RuleMemberIDGiven, d.ref)
		}
		c.rejoinWhy, c.rejoinRef = protocol.RuleMemberIDGiven, d.ref
	case protocol.RebalanceInProgress:
		if !r.ToleratesRebalanceInJoin {
			err = thrown(Kafka)
		}
	case protocol.CoordinatorLoadInProgress, protocol.FencedInstanceID, protocol.InconsistentGroupProtocol, protocol.InvalidSessionTimeout,
		protocol.InvalidGroupID, protocol.GroupAuthorizationFailed, protocol.GroupMaxSizeReached, protocol.UnsupportedVersion:
	default:
		err = thrown(Kafka)
	}
	c.fail(d.req.fut, err, d.ref)
}

// joined takes in a successful JoinGroup: the member has a generation, and asks for its part.
func (c *Consumer) joined(d *completion, answer *protocol.JoinGroupAnswer) {
	r := &c.cfg.Rules
	if r.ChecksProtocol && answer.ProtocolType.Valid && answer.ProtocolType.Value != "consumer" {
		c.fail(d.req.fut, thrown(InconsistentGroupProtocol), d.ref)
		return
	}
	if r.HeartbeatThread && c.st != preparing {
		c.fail(d.req.fut, thrown(UnjoinedGroup), d.ref)
		return
	}
	g := generation{id: answer.Generation, member: answer.Member, protocol: answer.Protocol.Value}
	c.gen, c.beatBody = g, nil
	if r.HeartbeatsWhileCompleting {
		c.st = completing
		if !c.cfg.Habits.BeatsWhenStable {
			c.enableHeartbeats()
		}
	}
	if r.JoinClearsRejoin {
		c.rejoin = false
	}
	c.noteClient(protocol.RuleJoined, d.ref)
	if answer.Leader == answer.Member {
		c.lead(d, answer)
		return
	}
	c.sendSync(d.req.fut, nil, protocol.RuleFollowerSyncs, d.ref)
}

// sendSync asks for the assignment; a leader brings everyone's.
func (c *Consumer) sendSync(fut int32, all []protocol.MemberAssignment, why protocol.Rule, ref sim.Ref) {
	if c.coordinatorUnknown() {
		c.fail(fut, thrown(CoordinatorNotAvailable), ref)
		return
	}
	body := &protocol.SyncGroupRequest{Version: c.cfg.Versions[protocol.KindSyncGroup], Group: c.cfg.Group,
		Generation: c.gen.id, Member: c.gen.member, Assignments: all}
	if c.cfg.Rules.StaticMembers {
		body.Instance = c.cfg.Settings.InstanceID
	}
	if c.cfg.Rules.ChecksProtocol {
		body.ProtocolType, body.Protocol = protocol.Some("consumer"), protocol.Some(c.gen.protocol)
	}
	c.queue(request{conn: c.coord, use: useSync, fut: fut, gen: c.gen, why: why, ref: ref, body: body.Freeze()})
}

// handleSync handles the answer to SyncGroup.
func (c *Consumer) handleSync(d *completion) {
	r := &c.cfg.Rules
	answer, _ := d.body.(*protocol.SyncGroupAnswer)
	if answer == nil { // no answer: until 0.11 nothing then told the member to rejoin (KAFKA-5154)
		c.fail(d.req.fut, d.err, d.ref)
		return
	}
	err := thrown(classOf(answer.Error))
	switch e := answer.Error; e {
	case protocol.None:
		err = c.synced(d, answer)
		if err.None() {
			c.complete(d.req.fut, answer, d.ref)
			return
		}
	case protocol.RebalanceInProgress:
		if r.RebalanceDuringSyncResets {
			c.resetState(true, "encountered REBALANCE_IN_PROGRESS from SYNC_GROUP response", protocol.RuleRebalanceDuringSync, d.ref)
		}
	case protocol.UnknownMemberID:
		if c.sameGeneration(&d.req) {
			c.resetOnError(e, protocol.KindSyncGroup, false, d.ref)
		}
	case protocol.IllegalGeneration:
		if c.sameGeneration(&d.req) {
			c.resetOnError(e, protocol.KindSyncGroup, true, d.ref)
		}
	case protocol.CoordinatorNotAvailable, protocol.NotCoordinator:
		c.coordinatorLost(false, protocol.RuleCoordinatorChanged, d.ref)
	case protocol.FencedInstanceID, protocol.GroupAuthorizationFailed:
	default:
		err = thrown(Kafka)
	}
	c.syncFailed(d, err)
}

func (c *Consumer) syncFailed(d *completion, err Thrown) {
	if c.cfg.Rules.SyncErrorRejoins {
		c.rejoin = true
		c.rejoinWhy, c.rejoinRef = c.failureRule(err, d.ref)
	}
	c.fail(d.req.fut, err, d.ref)
}

// synced takes in a successful SyncGroup.
func (c *Consumer) synced(d *completion, answer *protocol.SyncGroupAnswer) Thrown {
	r := &c.cfg.Rules
	if r.ChecksProtocol && answer.ProtocolType.Valid && answer.ProtocolType.Value != "consumer" {
		return thrown(InconsistentGroupProtocol)
	}
	if r.HeartbeatsWhileCompleting {
		if c.lostGeneration(&c.gen) || c.st != completing {
			return thrown(IllegalGeneration)
		}
	}
	if r.ChecksProtocol && answer.Protocol.Valid && !c.lostGeneration(&c.gen) && answer.Protocol.Value != c.gen.protocol {
		return thrown(InconsistentGroupProtocol)
	}
	switch {
	case r.HeartbeatsWhileCompleting:
		c.rejoin, c.reason = false, ""
		c.setState(stable, protocol.RuleSynced, d.ref)
		if c.cfg.Habits.BeatsWhenStable {
			c.enableHeartbeats()
		}
	case r.HeartbeatThread:
		if c.gen == noGeneration && r.ChecksGenerationAfterSync {
			c.setState(unjoined, protocol.RuleJoinOvertaken, d.ref)
			return Thrown{}
		}
		c.rejoin = false
		c.setState(stable, protocol.RuleSynced, d.ref)
		c.enableHeartbeats()
	default:
		c.rejoin = false
		c.setState(stable, protocol.RuleSynced, d.ref)
	}
	return Thrown{}
}
