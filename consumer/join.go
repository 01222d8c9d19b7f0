package consumer

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// rejoinNeeded reports whether the member has to join, or is joining.
func (c *Consumer) rejoinNeeded() bool {
	if !c.sub.auto() || c.staysOut {
		return false
	}
	r := &c.cfg.Rules
	if c.sub.snapshotSet && !c.cfg.Habits.IgnoresMetadata && !sameCounts(c.sub.assignmentSnapshot, c.sub.metadataSnapshot) {
		if r.RemembersSnapshotChange && !(r.SnapshotKeepsReason && c.rejoin) {
			c.requestRejoin("cached metadata has changed", protocol.RuleMetadataChanged, c.cause)
		}
		return true
	}
	if c.sub.joined != nil && !slices.Equal(c.sub.joined, c.sub.topics) {
		if r.RemembersSnapshotChange && !(r.SnapshotKeepsReason && c.rejoin) {
			c.requestRejoin("subscription has changed", protocol.RuleSubscriptionChanged, c.cause)
		}
		return true
	}
	return c.rejoin || c.join != 0
}

// activeGroup makes the member an active one: coordinator, heartbeat thread, join.
func activeGroup(c *Consumer, f *frame) {
	switch f.pc {
	case 0:
		f.pc = 1
		c.readyCoordinator(f.clock, f.flags)
	case 1:
		if !c.result {
			c.ret(false)
			return
		}
		if c.cfg.Rules.HeartbeatThread && !c.heart.exists {
			c.heart.exists = true
		}
		f.pc = 2
		c.call(frame{proc: pJoinIfNeeded, clock: f.clock, flags: f.flags})
	case 2:
		c.ret(c.result)
	}
}

// joinIfNeeded is the join loop: it joins until there is no need to any more.
func joinIfNeeded(c *Consumer, f *frame) {
	const (
		begin = iota
		found
		prepared
		answered
		completed
		slept
		silent
		initiate
		hesitated
		forgotten
	)
	r := &c.cfg.Rules
	switch f.pc {
	case begin:
		if !c.rejoinNeeded() {
			c.ret(true)
			return
		}
		if r.AwaitsPendingBeforeJoin && c.needsPrepare { // before 0.10.1 the listener is called first
			f.pc = prepared
			c.call(frame{proc: pPrepare, clock: f.clock, flags: f.flags})
			return
		}
		f.pc = found
		c.readyCoordinator(f.clock, f.flags)
	case found:
		if !c.result {
			c.ret(false)
			return
		}
		f.pc = prepared
		c.result = true
		if c.needsPrepare {
			if r.PrepareOnce {
				c.needsPrepare = false
			}
			c.call(frame{proc: pPrepare, clock: f.clock, flags: f.flags})
		}
	case prepared:
		if !c.result {
			c.needsPrepare = true
			c.ret(false)
			return
		}
		if !r.PrepareOnce {
			c.needsPrepare = false
		}
		if r.AwaitsPendingBeforeJoin && c.join == 0 {
			f.pc = silent
			if c.coordinatorUnknown() {
				c.readyCoordinator(f.clock, f.flags)
			}
			return
		}
		f.pc = initiate
	case silent:
		if c.coord >= 0 && c.pendingTo(c.coord) {
			f.pc = begin
			c.call(frame{proc: pAwaitPending, clock: f.clock, n: int32(c.coord), flags: f.flags})
			return
		}
		f.pc = initiate
	case initiate:
		f.pc = hesitated
		if after := c.cfg.Habits.RejoinsAfter; after > 0 && c.join == 0 && c.gen.id >= 0 {
			c.sleep(after)
		}
	case hesitated:
		c.initiateJoin()
		f.pc = answered
		c.waitFor(c.join, f.clock, f.flags)
	case answered:
		fut := c.future(c.join)
		switch {
		case !fut.done:
			c.ret(false)
		case fut.err.None():
			c.joinSucceeded(f, completed, forgotten)
		default:
			c.joinFailed(f, fut.err, fut.ref, slept)
		}
	case completed:
		f.catch = 0
		c.drop(c.join)
		c.join = 0
		c.needsPrepare = true
		if !r.HeartbeatThread {
			c.restartHeartbeatTask()
		}
		f.pc = begin
	case slept:
		c.update(f.clock)
		f.pc = begin
	case forgotten: // what taking over the assignment threw goes on, and nobody takes it over again (KAFKA-5611)
		c.drop(c.join)
		c.join = 0
		c.needsPrepare = true
		c.throwFor(c.exception, c.thrownRef)
	}
}

func (c *Consumer) joinSucceeded(f *frame, completed, forgotten uint8) {
	r := &c.cfg.Rules
	if r.ChecksGenerationAfterSync && (c.lostGeneration(&c.gen) || c.st != stable) {
		ref := c.future(c.join).ref
		c.drop(c.join)
		c.join = 0
		f.pc = 0
		c.resetState(false, c.overtakenReason(), protocol.RuleJoinOvertaken, ref)
		if !r.LoopsAfterOvertaken {
			c.ret(false)
		}
		return
	}
	f.pc = completed
	if r.DropsJoinFirst {
		f.catch = forgotten
	}
	c.taken = c.gen
	c.cause = c.future(c.join).ref
	c.call(frame{proc: pComplete, clock: f.clock, flags: f.flags})
}

// overtakenReason is the client's own text, which it sends with the next JoinGroup.
func (c *Consumer) overtakenReason() string {
	name := c.gen.protocol
	if name == "" {
		name = "null"
	}
	return fmt.Sprintf("rebalance failed since the generation/state was modified by heartbeat thread to Generation{generationId=%d, memberId='%s', protocol='%s'}/%s before the rebalance callback triggered",
		c.gen.id, c.gen.member, name, c.stateName())
}

func (c *Consumer) joinFailed(f *frame, err Thrown, ref sim.Ref, slept uint8) {
	r := &c.cfg.Rules
	c.drop(c.join)
	c.join = 0
	if !r.HeartbeatsWhileCompleting { // before KAFKA-10134 a failure left nothing of the rebalance
		c.setState(unjoined, protocol.RuleJoinFailed, ref)
	}
	why, by := c.failureRule(err, ref)
	c.rejoinWhy, c.rejoinRef = why, by
	if r.FailedJoinRejoins && !(err.Class == MemberIDRequired && r.MemberIDReasonStays) {
		c.requestRejoin("rebalance failed due to "+err.Class.String(), why, by)
	}
	f.pc = 0
	switch err.Class {
	case UnknownMemberID, IllegalGeneration, RebalanceInProgress, MemberIDRequired:
		return
	}
	if !err.Class.Retriable() {
		c.throwFor(err, ref)
		return
	}
	if r.RetriableFailureResets {
		c.resetState(false, "rebalance failed with retriable error", protocol.RuleRetriableReset, ref)
	}
	if r.LeavesExpiredLoop && c.expired(f.clock) {
		c.ret(false)
		return
	}
	f.pc = slept
	c.sleepOn(f.clock, c.cfg.Settings.RetryBackoff)
}

// failureRule names why a member joins again after a failure, and the record that this rests on.
func (c *Consumer) failureRule(err Thrown, ref sim.Ref) (protocol.Rule, sim.Ref) {
	switch err.Class {
	case UnknownMemberID:
		return protocol.RuleMemberUnknown, ref
	case IllegalGeneration:
		return protocol.RuleGenerationOver, ref
	case RebalanceInProgress:
		return protocol.RuleRebalanceDuringSync, ref
	case MemberIDRequired:
		return protocol.RuleMemberIDGiven, ref
	case UnjoinedGroup:
		return protocol.RuleJoinOvertaken, ref
	case NotCoordinator:
		return protocol.RuleCoordinatorChanged, ref
	case CoordinatorNotAvailable, Disconnect, Timeout:
		switch {
		case c.coord < 0 && c.coordWhy != protocol.RuleFirstLookup: // whatever has lost the coordinator has lost the answer
			return rejoins(c.coordWhy), c.coordRef
		case err.Class == CoordinatorNotAvailable:
			return protocol.RuleCoordinatorChanged, ref
		}
		return protocol.RuleAnswerLost, ref
	}
	return protocol.RuleJoinFailed, ref
}

// rejoins is why a member joins again whose coordinator was lost by a rule.
func rejoins(lost protocol.Rule) protocol.Rule {
	if lost == protocol.RuleCoordinatorConnectionLost {
		return protocol.RuleAnswerLost
	}
	return lost
}

// initiateJoin sends JoinGroup, unless one is under way.
func (c *Consumer) initiateJoin() {
	if c.join != 0 {
		return
	}
	if c.cfg.Rules.HeartbeatThread && !c.cfg.Rules.HeartbeatsWhileCompleting {
		c.heart.enabled = false
	}
	c.setState(preparing, c.rejoinWhy, c.rejoinRef)
	c.sendJoin()
}

func (c *Consumer) sendJoin() {
	if c.coordinatorUnknown() {
		c.join = c.failedFuture(thrown(CoordinatorNotAvailable))
		return
	}
	c.forgetMember()
	s, r := &c.cfg.Settings, &c.cfg.Rules
	body := &protocol.JoinGroupRequest{
		Version: c.joinVersion(), Group: c.cfg.Group, ClientID: s.ClientID, Member: c.gen.member,
		SessionTimeout: int32(s.SessionTimeout), ProtocolType: "consumer", Protocols: c.protocols(),
	}
	if r.StaticMembers {
		body.Instance = s.InstanceID
	}
	if r.HeartbeatThread {
		body.RebalanceTimeout = int32(s.MaxPollInterval)
	}
	if r.TellsReasons {
		body.Reason = shorten(c.reason)
	}
	c.join = c.newFuture()
	c.queue(request{conn: c.coord, use: useJoin, fut: c.join, gen: c.gen, timeout: c.joinTimeout(),
		why: c.rejoinWhy, ref: c.rejoinRef, body: body.Freeze()})
}

// joinTimeout is how long the client waits for an answer to JoinGroup.
func (c *Consumer) joinTimeout() int64 {
	s := &c.cfg.Settings
	if ms := c.cfg.Habits.ReadTimeout; ms > 0 {
		return ms
	}
	longer := s.MaxPollInterval + 5000
	switch c.cfg.Rules.JoinTimeout {
	case protocol.JoinTimeoutRebalance:
		if longer > 1<<31-1 {
			longer = s.MaxPollInterval
		}
		return longer
	case protocol.JoinTimeoutAtLeastRequest:
		if longer > 1<<31-1 { // it overflows (KAFKA-13126)
			longer = 0
		}
		return max(s.RequestTimeout, longer)
	case protocol.JoinTimeoutGuarded:
		if longer > 1<<31-1 {
			longer = s.MaxPollInterval
		}
		return max(s.RequestTimeout, longer)
	}
	return s.RequestTimeout
}

// protocols builds the member's subscription, once for each assignor.
func (c *Consumer) protocols() []protocol.GroupProtocol {
	r := &c.cfg.Rules
	c.sub.joined = c.sub.topics
	base := protocol.Metadata{Version: r.SubscriptionVersion, Topics: c.sub.topics, Generation: -1}
	if r.SubscriptionVersion >= 1 {
		base.Owned = c.sub.assigned()
	}
	if r.SubscriptionVersion >= 3 {
		base.Generation = c.gen.id
		if c.cfg.Settings.Rack != "" {
			base.Rack = protocol.Some(c.cfg.Settings.Rack)
		}
	}
	list := make([]protocol.GroupProtocol, 0, len(c.cfg.Settings.Strategy))
	for _, name := range c.cfg.Settings.Strategy {
		m := base
		m.UserData = c.userData(name)
		list = append(list, protocol.GroupProtocol{Name: name, Metadata: m.Freeze()})
	}
	return list
}

// userData is what an assignor adds to the subscription.
func (c *Consumer) userData(name string) protocol.UserData {
	switch {
	case name == "sticky" && c.sticky.known:
		return protocol.UserData{Kind: protocol.UserDataSticky, Partitions: c.sticky.parts, Generation: c.sticky.generation}
	case name == "cooperative-sticky" && c.cfg.Assignor.CooperativeGeneration != protocol.CooperativeGenerationAbsent:
		g := int32(-1)
		if c.cooperative.known {
			g = c.cooperative.generation
		}
		return protocol.UserData{Kind: protocol.UserDataGeneration, Generation: g}
	}
	return protocol.UserData{}
}
