package consumer

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// state is how a member sees itself.
type state uint8

const (
	unjoined state = iota
	preparing
	completing
	stable
)

// generation is what a member is in its group: (-1, "", "") is nothing.
type generation struct {
	id       int32
	member   string
	protocol string
}

var noGeneration = generation{id: -1}

// stateName is the Java client's name of the state.
func (c *Consumer) stateName() string {
	switch c.st {
	case unjoined:
		return "UNJOINED"
	case stable:
		return "STABLE"
	case completing:
		if c.cfg.Rules.HeartbeatsWhileCompleting {
			return "COMPLETING_REBALANCE"
		}
	case preparing:
		if c.cfg.Rules.HeartbeatsWhileCompleting {
			return "PREPARING_REBALANCE"
		}
	}
	return "REBALANCING"
}

// setState moves the member and makes it known.
func (c *Consumer) setState(s state, why protocol.Rule, ref sim.Ref) {
	if c.st == s {
		return
	}
	c.st = s
	c.noteClient(why, ref)
}

func (c *Consumer) setGeneration(g generation, why protocol.Rule, ref sim.Ref) {
	if c.gen == g {
		return
	}
	c.gen = g
	c.beatBody = nil
	c.noteClient(why, ref)
}

func (c *Consumer) noteClient(why protocol.Rule, ref sim.Ref) {
	c.because.state = c.out.Note(sim.Note{Code: protocol.NoteClient, Body: &protocol.ClientChange{
		State: c.stateName(), Generation: c.gen.id, Member: c.gen.member, Leader: c.leads}}, uint16(why), ref)
}

// lostGeneration reports whether the generation was reset: the one at hand, or another that was read before.
func (c *Consumer) lostGeneration(g *generation) bool {
	if c.cfg.Rules.KeepsMemberID { // the member id is not looked at any more
		return g.id == -1 && g.protocol == ""
	}
	return *g == noGeneration
}

// requestRejoin makes the next poll join again. The latest reason wins.
func (c *Consumer) requestRejoin(reason string, why protocol.Rule, ref sim.Ref) {
	c.rejoin = true
	c.reason = reason
	c.rejoinWhy, c.rejoinRef = why, ref
}

// resetState leaves the generation behind: all of it, or all but the member id
// (KAFKA-13419). What the member owns stays: the user thread finds out at the next
// join, and tells the listener that it is lost.
func (c *Consumer) resetState(keepID bool, reason string, why protocol.Rule, ref sim.Ref) {
	if c.cfg.Habits.StaysOut && c.gen.id >= 0 && why != protocol.RuleUnsubscribed && why != protocol.RuleClosed {
		c.staysOut = true
	}
	g := noGeneration
	if keepID && c.cfg.Rules.KeepsMemberID {
		g.member = c.gen.member
	}
	if c.cfg.Rules.ResetKeepsGenerationNumber {
		g = generation{id: c.gen.id, protocol: c.gen.protocol}
	}
	if c.st == preparing && c.cfg.Rules.ResetKeepsRebalancing {
		// KAFKA-9801: the answer to the JoinGroup under way is still taken.
	} else {
		c.st = unjoined
	}
	c.gen, c.beatBody = g, nil
	c.noteClient(why, ref)
	if c.cfg.Rules.ResetNeedsPrepare {
		c.needsPrepare = true
	}
	c.requestRejoin(reason, why, ref)
}

// resetOnError is resetState after an answer.
func (c *Consumer) resetOnError(e protocol.Error, kind uint8, keepID bool, ref sim.Ref) {
	why := protocol.RuleMemberUnknown
	switch e {
	case protocol.IllegalGeneration:
		why = protocol.RuleGenerationOver
	case protocol.FencedInstanceID:
		why = protocol.RuleClientFenced
	}
	c.resetState(keepID, "encountered "+e.String()+" from "+apiName(kind)+" response", why, ref)
}

func apiName(kind uint8) string {
	switch kind {
	case protocol.KindJoinGroup:
		return "JOIN_GROUP"
	case protocol.KindSyncGroup:
		return "SYNC_GROUP"
	case protocol.KindHeartbeat:
		return "HEARTBEAT"
	case protocol.KindOffsetCommit:
		return "OFFSET_COMMIT"
	}
	return protocol.KindName(kind)
}

// sameGeneration reports whether the member is still what it was when it sent a
// request: a late error about an old generation must not reset the new one (KAFKA-9823).
func (c *Consumer) sameGeneration(r *request) bool {
	return !c.cfg.Rules.IgnoresStaleErrors || c.gen == r.gen
}

// leave sends LeaveGroup if the member is one to send it, and forgets the generation.
func (c *Consumer) leave(reason string, why protocol.Rule, ref sim.Ref) (sent bool) {
	s := &c.cfg.Settings
	if (s.InstanceID == "" || !c.cfg.Rules.StaticMembers) && !c.coordinatorUnknown() && c.mayLeave() {
		m := protocol.LeavingMember{Member: c.gen.member}
		if c.cfg.Rules.TellsReasons {
			m.Reason = shorten(reason)
		}
		body := &protocol.LeaveGroupRequest{Version: c.cfg.Versions[protocol.KindLeaveGroup], Group: c.cfg.Group, Members: []protocol.LeavingMember{m}}
		c.queue(request{conn: c.coord, use: useLeave, gen: c.gen, why: why, ref: ref, body: body.Freeze()})
		sent = true
	}
	return sent
}

// left is what follows leave once the request has been written.
func (c *Consumer) leftGroup(why protocol.Rule, ref sim.Ref) {
	c.resetState(false, "consumer pro-actively leaving the group", why, ref)
}

func (c *Consumer) mayLeave() bool {
	switch {
	case c.cfg.Rules.LeavesWithMemberID:
		return c.st != unjoined && c.gen.member != ""
	case c.cfg.Rules.HeartbeatThread:
		return c.st != unjoined && c.gen != noGeneration
	}
	return c.gen.id > 0
}

// leaveGroup of the user thread: the request, one quick network poll, the reset. f.n is
// the rule.
func leaveGroup(c *Consumer, f *frame) {
	why := protocol.Rule(f.n)
	reason := "the consumer is being closed"
	if why == protocol.RuleUnsubscribed {
		reason = "the consumer unsubscribed from all topics"
	}
	ref := c.cause
	if why == protocol.RuleClosed {
		ref = c.because.end
	}
	if f.pc == 0 {
		f.pc = 1
		if c.leave(reason, why, ref) {
			c.pollOnce(0, noWakeup)
			return
		}
	}
	c.leftGroup(why, ref)
	c.ret(true)
}

// shorten bounds a reason as the protocol does (KAFKA-13998).
func shorten(reason string) string {
	if len(reason) > 255 {
		return reason[:255]
	}
	return reason
}

// handle takes in one completion.
func (c *Consumer) handle(d *completion) {
	c.freeRequest(&d.req)
	cause := c.cause
	c.cause = d.ref
	if d.body == nil && d.err.Class == Disconnect && d.req.use != useFind && d.req.conn == c.coord && c.conns[d.req.conn].channel == ChannelCoordinator {
		c.coordinatorLost(true, d.why, d.ref)
	}
	switch d.req.use {
	case useFind:
		c.handleFind(d)
	case useJoin:
		c.handleJoin(d)
	case useSync:
		c.handleSync(d)
	case useHeartbeat:
		c.handleHeartbeat(d)
	case useLeave:
	case useCommit:
		c.handleCommit(d)
	case useOffsets:
		c.handleOffsets(d)
	case useFetch:
		c.handleFetch(d)
	case useList:
		c.handleList(d)
	}
	c.cause = cause
}
