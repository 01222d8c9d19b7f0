package consumer

import (
	"github.com/rebalsim/rebalsim/protocol"
)

// closeConsumer is close(timeout): commit, leave, wait for what is under way. f.a is the
// timeout.
func closeConsumer(c *Consumer, f *frame) {
	const (
		begin = iota
		committed
		queued
		queuedFound
		queuedPolled
		leave
		prepared
		left
		awaited
		sessions
		failed
		sessionsPolled
		sessionsClosed
	)
	r := &c.cfg.Rules
	switch f.pc {
	case begin:
		c.wakeupsOff = true
		c.wakeup = false
		limit := f.a
		if r.HeartbeatThread {
			limit = min(limit, c.cfg.Settings.RequestTimeout)
		} else {
			limit = MaxTime
		}
		f.own = c.newClock(limit)
		f.clock = f.own
		f.pc = queued
		if c.cfg.Group == "" {
			f.pc = sessions
			return
		}
		if c.cfg.Settings.AutoCommit {
			f.pc, f.catch = committed, committed
			c.call(frame{proc: pCommitSync, clock: f.clock, fut: commitAll, flags: noWakeup, a: int64(protocol.RuleCloseCommits)})
		}
	case committed:
		f.catch = 0
		f.pc = queued
	case queued:
		if len(c.queuedCommits) == 0 || c.expired(f.clock) {
			f.pc = leave
			return
		}
		f.pc = queuedFound
		c.readyCoordinator(f.clock, noWakeup)
	case queuedFound:
		f.pc = queuedPolled
		c.pollOnce(f.clock, noWakeup)
	case queuedPolled:
		f.pc, f.catch = queued, leave
		if c.runCommitCallbacks() {
			f.catch = 0
		}
	case leave:
		f.catch = 0
		c.stopHeartbeats()
		f.pc = awaited
		if c.cfg.Settings.LeaveOnClose && !c.cfg.Habits.StaysOnClose {
			f.pc, f.catch = prepared, failed
			c.call(frame{proc: pLeavePrepare, n: int32(protocol.RuleClosed)})
		}
	case prepared:
		f.catch = 0
		f.pc = left
		c.call(frame{proc: pLeaveGroup, n: int32(protocol.RuleClosed)})
	case left:
		f.pc = awaited
	case awaited:
		f.pc = sessions
		if r.CloseAwaitsLeave && !c.coordinatorUnknown() {
			c.call(frame{proc: pAwaitPending, clock: f.clock, n: int32(c.coord), flags: noWakeup})
		}
	case sessions:
		f.pc = sessionsClosed
		c.extendClock(f.clock, f.a-min(f.a, c.cfg.Settings.RequestTimeout))
		if r.CloseAwaitsSessions && c.closeSessions() && !c.expired(f.clock) {
			f.pc = sessionsPolled
			c.pollOnce(f.clock, noWakeup)
		}
	case sessionsPolled:
		if c.fetchesPending() && !c.expired(f.clock) {
			c.pollOnce(f.clock, noWakeup)
			return
		}
		f.pc = sessionsClosed
	case sessionsClosed:
		c.shutDown()
		if c.closeError.None() {
			c.ret(true)
			return
		}
		c.throwFor(c.closeError, c.because.callback)
	case failed:
		c.closeError = Thrown{Class: Kafka, Cause: c.exception.Class}
		f.pc = sessions
	}
}

// closeSessions tells brokers that fetch sessions end, and reports whether there were any.
func (c *Consumer) closeSessions() bool {
	any := false
	for i := range c.conns {
		if k := &c.conns[i]; k.session && k.state == connUp {
			k.session = false
			any = true
			c.queue(request{conn: int16(i), use: useFetch, why: protocol.RuleClosed, ref: c.cause, body: (&protocol.FetchRequest{}).Freeze()})
		}
	}
	return any
}

func (c *Consumer) fetchesPending() bool {
	for i := range c.conns {
		if c.fetching(int16(i)) {
			return true
		}
	}
	return false
}

// shutDown closes every connection and forgets what was under way.
func (c *Consumer) shutDown() {
	for i := range c.conns {
		if c.conns[i].state == connUp {
			c.out.Close(c.conns[i].link, uint16(protocol.RuleClosed), c.because.end)
			c.conns[i].state = connDown
		}
	}
	for i := range c.unsent {
		c.freeRequest(&c.unsent[i])
	}
	for i := range c.inflight {
		c.freeRequest(&c.inflight[i])
	}
	c.unsent, c.inflight, c.inbox, c.completions = nil, nil, nil, nil
	c.closed = true
	c.sub.parts = nil
	c.cause = c.because.end
	c.noteServes(protocol.RuleClosed)
}

// leavePrepare tells the listener, before a member leaves, that its partitions are
// revoked, or lost if its generation is (KIP-429). f.n is the rule.
func leavePrepare(c *Consumer, f *frame) {
	why := protocol.Rule(f.n)
	r := &c.cfg.Rules
	switch f.pc {
	case 0:
		f.pc = 1
		owned := c.sub.assigned()
		c.listenerErrs = c.listenerErrs[:0]
		if !r.Cooperative || !c.sub.auto() || len(owned) == 0 {
			return
		}
		lost := c.gen == noGeneration
		if r.KeepsMemberID {
			lost = c.gen.id == -1 || c.gen.member == ""
		}
		if r.LeaveDuringRebalanceLoses && (c.st == preparing || c.st == completing) {
			lost = true
		}
		ref := c.cause
		if why == protocol.RuleClosed {
			ref = c.because.end
		}
		if lost {
			c.callback(cbLost, owned, afterDropAll, protocol.RuleGenerationLost, c.because.state)
		} else {
			c.callback(cbRevoked, owned, afterDropAll, why, ref)
		}
	default:
		if err := c.listenerError(); !err.None() {
			c.throwFor(err, c.because.callback)
			return
		}
		c.ret(true)
	}
}

// unsubscribe leaves the group and drops what is held.
func unsubscribe(c *Consumer, f *frame) {
	switch f.pc {
	case 0:
		f.pc = 1
		if !c.cfg.Rules.Cooperative {
			c.clearSubscription()
		}
		c.call(frame{proc: pLeavePrepare, n: int32(protocol.RuleUnsubscribed)})
	case 1:
		f.pc = 2
		if c.cfg.Group != "" {
			c.call(frame{proc: pLeaveGroup, n: int32(protocol.RuleUnsubscribed), flags: monitor})
		}
	default:
		c.clearSubscription()
		c.ret(true)
	}
}

func (c *Consumer) clearSubscription() {
	s := &c.sub
	s.kind, s.topics, s.pattern, s.groupTopics = subNone, nil, nil, nil
	c.setAssignment(nil)
}
