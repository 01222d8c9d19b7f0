package consumer

import "github.com/rebalsim/rebalsim/protocol"

// Before KIP-62 (0.10.1) there is no heartbeat thread: heartbeats and auto-commit are
// delayed tasks that run inside the user's poll, so whoever processes for longer than
// the session is out. There a poll also waits without end for the group.

// oldPoll is the user's call before 0.10.1.
func oldPoll(c *Consumer, f *frame) {
	const (
		turn = iota
		found
		joined
		positioned
		polled
	)
	switch f.pc {
	case turn:
		if c.wakeup && !c.wakeupsOff {
			c.wakeup = false
			c.throwFor(thrown(Wakeup), c.because.wakeup)
			return
		}
		if !c.runCommitCallbacks() {
			return
		}
		c.snapshotMetadata()
		f.pc = found
		if c.coordinatorUnknown() {
			c.callFor(MaxTime, frame{proc: pCoordinatorReady, flags: monitor})
		}
	case found:
		f.pc = joined
		if c.rejoinNeeded() {
			c.callFor(MaxTime, frame{proc: pJoinIfNeeded})
		}
	case joined:
		f.pc = positioned
		c.callFor(MaxTime, frame{proc: pUpdatePositions})
	case positioned:
		c.runTasks()
		if c.collect() {
			c.endOldPoll(f)
			return
		}
		c.sendFetches()
		f.pc = polled
		c.pollOnce(f.clock, 0)
	case polled:
		if c.collect() {
			c.endOldPoll(f)
			return
		}
		if c.expired(f.clock) {
			c.ret(false)
			return
		}
		f.pc = turn
	default:
		c.ret(true)
	}
}

func (c *Consumer) endOldPoll(f *frame) {
	c.sendFetches()
	f.pc = 100
	c.pollOnce(0, noWakeup)
}

// nextTask is how long a network poll may wait for the sake of delayed tasks.
func (c *Consumer) nextTask() int64 {
	next := MaxTime
	if c.heart.enabled {
		next = min(next, c.out.Left(c.heart.beat))
	}
	if c.autoTask {
		next = min(next, c.out.Left(c.clocks[c.autoClock].id))
	}
	return next
}

// runTasks runs the delayed tasks that are due.
func (c *Consumer) runTasks() {
	h := &c.heart
	if h.enabled && c.out.Due(h.beat) {
		h.enabled = false
		switch {
		case c.gen.id < 0 || c.rejoin || c.coordinatorUnknown():
		case c.out.Due(h.session):
			c.coordinatorLost(true, protocol.RuleSessionOver, c.out.SetBy(h.session))
		default:
			c.out.Arm(h.beat, c.cfg.Settings.HeartbeatInterval)
			h.waiting = true
			c.queue(c.heartbeat())
		}
	}
	if c.autoTask && c.out.Due(c.clocks[c.autoClock].id) {
		if c.coordinatorUnknown() {
			c.resetClock(c.autoClock, c.cfg.Settings.RetryBackoff)
		} else {
			c.resetClock(c.autoClock, c.cfg.Settings.AutoCommitInterval)
			if c.st == stable {
				c.asyncCommits++
				c.sendCommit(c.sub.positions(), commitDone{kind: doneAuto}, protocol.RuleAutoCommit)
			}
		}
	}
}

// restartHeartbeatTask schedules the task anew, with a full session.
func (c *Consumer) restartHeartbeatTask() {
	h := &c.heart
	if c.gen.id <= 0 {
		return
	}
	c.out.Arm(h.session, c.cfg.Settings.SessionTimeout)
	c.out.Arm(h.beat, c.cfg.Settings.HeartbeatInterval)
	h.enabled = !h.waiting
}

func (c *Consumer) taskReceived() {
	h := &c.heart
	h.waiting = false
	h.enabled = true
	c.out.Arm(h.session, c.cfg.Settings.SessionTimeout)
}

func (c *Consumer) taskFailed() {
	h := &c.heart
	h.waiting = false
	h.enabled = true
	c.out.Arm(h.beat, c.cfg.Settings.RetryBackoff)
}

// awaitPending polls until no request to the coordinator is pending: before 0.10.1 a
// JoinGroup is only sent on a silent connection, so that none is sent twice; close waits
// like this for LeaveGroup.
// f.n is the connection.
func awaitPending(c *Consumer, f *frame) {
	if f.n < 0 || !c.pendingTo(int16(f.n)) || c.expired(f.clock) {
		c.ret(true)
		return
	}
	c.pollOnce(f.clock, f.flags)
}
