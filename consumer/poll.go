package consumer

import "github.com/rebalsim/rebalsim/protocol"

// spinTurns bounds the turns that poll takes at one moment. Some releases spin while a heartbeat
// is due and its thread asleep (KAFKA-5512); a real spin takes time.
const spinTurns = 10

// poll is the user's call from 0.10.1 on. f.clock is its timeout. A marked frame is
// poll(long), of which the timeout is for fetching only, as before KIP-266.
func poll(c *Consumer, f *frame) {
	const (
		begin = iota
		turn
		updated
		fetched
	)
	switch f.pc {
	case begin:
		if c.sub.kind == subNone && c.cfg.Rules.HeartbeatThread {
			c.throw(thrown(IllegalState))
			return
		}
		f.pc = turn
	case turn:
		if c.wakeup && !c.wakeupsOff {
			c.wakeup = false
			c.throwFor(thrown(Wakeup), c.because.wakeup)
			return
		}
		if c.spinning++; c.spinning > spinTurns {
			c.sleep(1)
			return
		}
		if c.quietTurn() {
			if !c.userPolls() {
				return
			}
			c.hasPositions = true
			f.pc = fetched
			c.call(frame{proc: pPollFetches, clock: f.clock})
			return
		}
		f.pc = updated
		switch long := f.flags & marked; {
		case long != 0 || c.cfg.Rules.Poll == protocol.PollHeartbeatLast:
			c.callFor(MaxTime, frame{proc: pUpdateAssignment, flags: long})
		case c.cfg.Rules.Poll == protocol.PollZeroTimer:
			c.callFor(0, frame{proc: pUpdateAssignment})
		default:
			c.call(frame{proc: pUpdateAssignment, clock: f.clock})
		}
	case updated:
		if !c.result && f.flags&marked != 0 {
			f.pc = turn // it is still waiting for metadata
			return
		}
		if !c.result && c.cfg.Rules.Poll <= protocol.PollBounded {
			c.ret(false) // nothing is fetched before the group has answered
			return
		}
		f.pc = fetched
		c.call(frame{proc: pPollFetches, clock: f.clock})
	case fetched:
		if c.result {
			if c.sendFetches() || len(c.unsent) > 0 || len(c.inflight) > 0 {
				c.transmitSends()
			}
			c.ret(true)
			return
		}
		if c.expired(f.clock) {
			c.ret(false)
			return
		}
		f.pc = turn
	}
}

// quietTurn reports whether updateAssignment would find nothing to do but to note that
// the user polls, as in most turns.
func (c *Consumer) quietTurn() bool {
	if c.join != 0 || c.rejoin || c.commitFenced || len(c.finished) > 0 || c.coord < 0 || c.cfg.Rules.Poll < protocol.PollBounded ||
		c.meta.version != c.sub.snapshotVersion || c.conns[c.coord].state != connUp || !c.sub.auto() || !c.sub.allPositions() || c.rejoinNeeded() {
		return false
	}
	if !c.cfg.Settings.AutoCommit {
		return true
	}
	if c.out.Due(c.clocks[c.autoClock].id) {
		return false
	}
	c.update(c.autoClock)
	return true
}

// transmitSends writes what is queued and reads what lies there, without handling it.
func (c *Consumer) transmitSends() {
	c.trySend()
	c.maybeUpdateMetadata()
	c.read()
}

// updateAssignment is what a poll does before it fetches: the coordinator's part, then positions.
func updateAssignment(c *Consumer, f *frame) {
	switch f.pc {
	case 0:
		f.pc = 1
		c.result = true
		if c.cfg.Group != "" {
			c.call(frame{proc: pCoordinatorPoll, clock: f.clock, flags: f.flags & marked})
		}
	case 1:
		if !c.result {
			c.ret(false)
			return
		}
		f.pc = 2
		c.call(frame{proc: pUpdatePositions, clock: f.clock})
	case 2:
		c.ret(c.result)
	}
}

// coordinatorPoll is the coordinator's part of a poll.
func coordinatorPoll(c *Consumer, f *frame) {
	const (
		begin = iota
		found
		refreshed
		join
		joined
		auto
		end
		lookedUp
	)
	r := &c.cfg.Rules
	switch f.pc {
	case begin:
		c.snapshotMetadata()
		if !c.runCommitCallbacks() {
			return
		}
		if !c.sub.auto() {
			f.pc = auto
			if r.ManualPollLooksUp && c.coordinatorUnknown() {
				f.pc = lookedUp
				c.readyCoordinator(f.clock, f.flags)
			}
			return
		}
		if r.Poll >= protocol.PollBounded && !c.userPolls() {
			return
		}
		f.pc = found
		c.result = true
		if c.coordinatorUnknown() {
			c.readyCoordinator(f.clock, f.flags)
		}
	case found:
		if !c.result {
			c.ret(false)
			return
		}
		if !c.rejoinNeeded() {
			f.pc = auto
			return
		}
		f.pc = join
		c.result = true
		if c.sub.kind == subPattern {
			f.pc = refreshed
			if r.RefreshesBeforeJoin && c.metadataAllowed() == 0 {
				c.requestMetadata()
			}
			if c.freshMetadataNeeded() {
				c.call(frame{proc: pAwaitMetadata, clock: f.clock})
			}
		}
	case refreshed:
		if !c.result {
			c.ret(false)
			return
		}
		c.snapshotMetadata()
		f.pc = join
	case join:
		f.pc = joined
		clock := f.clock
		if r.Poll >= protocol.PollJoinZero && f.flags&marked == 0 {
			if f.own == 0 {
				f.own = c.newClock(0)
			}
			clock = f.own
		}
		c.call(frame{proc: pActiveGroup, clock: clock})
	case joined:
		if !c.result {
			if r.RefreshesClockAfterJoin {
				c.update(f.clock)
			}
			c.ret(false)
			return
		}
		f.pc = auto
	case auto:
		if c.sub.auto() && r.Poll < protocol.PollBounded && !c.userPolls() {
			return
		}
		f.pc = end
		c.maybeAutoCommit()
	case lookedUp:
		if !c.result {
			c.ret(false)
			return
		}
		f.pc = auto
	case end:
		c.ret(true)
	}
}

// pollFetches waits for records, as long as nothing else is to be done.
func pollFetches(c *Consumer, f *frame) {
	switch f.pc {
	case 0:
		wait := c.left(f.clock)
		if c.cfg.Group != "" {
			ms, err := c.nextHeartbeat()
			if !err.None() {
				c.throwFor(err, c.heart.failedBy)
				return
			}
			if c.cfg.Settings.AutoCommit {
				ms = min(ms, c.left(c.autoClock))
			}
			wait = min(wait, ms)
		}
		if c.collect() {
			c.ret(true)
			return
		}
		c.sendFetches()
		if !c.hasPositions && c.cfg.Rules.ShortWaitWithoutPositions {
			wait = min(wait, c.cfg.Settings.RetryBackoff)
		}
		f.own = c.newClock(wait)
		f.pc = 1
		c.call(frame{proc: pNetPoll, clock: f.own, n: int32(untilFetched)})
	case 1:
		c.update(f.clock)
		if c.cfg.Rules.RebalanceBeforeRecords && c.rejoinNeeded() {
			c.ret(false)
			return
		}
		c.ret(c.collect())
	}
}
