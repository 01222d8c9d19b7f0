package consumer

import "github.com/rebalsim/rebalsim/protocol"

// condition is what a network poll is for. A poll that has nothing to wait for any
// more does not wait.
type condition uint8

const (
	untilIO      condition = iota
	untilFuture            // f.fut is done
	untilFetched           // a fetch has brought something
)

// netPoll is one network poll of the user thread, bounded by the frame's clock (none: it does
// not wait). f.n is the condition.
func netPoll(c *Consumer, f *frame) {
	const (
		begin = iota
		locked
		waited
		finish
	)
	switch f.pc {
	case begin:
		if c.heartbeatReady() { // it goes first as the user thread begins a network poll
			c.heartbeatTurns()
			c.thread = userThread
		}
		f.pc = locked
		if len(c.completions) > 0 {
			c.call(frame{proc: pRunCompletions, flags: f.flags & noWakeup})
			return
		}
		fallthrough
	case locked:
		c.netLocked = true
		c.closePending()
		delay := c.trySend()
		wait := int64(0)
		if f.clock != 0 && len(c.completions) == 0 && c.shouldBlock(f) {
			wait = min(c.left(f.clock), delay)
			if len(c.inflight) == 0 && c.cfg.Rules.IdleWaitIsBackoff && !c.cfg.NoFetches {
				wait = min(wait, c.cfg.Settings.RetryBackoff)
			}
		}
		f.pc = waited
		if len(c.aborted) > 0 {
			f.pc = finish
			c.completeAborted()
			return
		}
		if !c.cfg.Rules.HeartbeatThread {
			wait = min(wait, c.nextTask())
		}
		metadata := c.maybeUpdateMetadata()
		wait = min(wait, metadata, c.cfg.Settings.RequestTimeout)
		if c.cfg.Habits.ReadTimeout > 0 {
			wait = min(wait, c.joinTimeLeft())
		}
		if c.lostLate {
			wait = min(wait, c.cfg.Settings.RetryBackoff)
		}
		if wait > 0 && !c.somethingToRead() {
			f.flags |= marked
			c.enterLockedWait()
			c.waits = waitsNetwork
			c.out.Arm(c.userTimer, c.idleWait(wait, metadata))
			return
		}
		fallthrough
	case waited:
		c.out.Disarm(c.userTimer)
		c.out.Disarm(c.wakeTimer)
		due := f.flags&marked != 0 && !c.somethingToRead() && c.metadataDue() == 0
		c.read()
		if due {
			c.duringWait()
		}
		f.pc = finish
		fallthrough
	case finish:
		if f.clock != 0 {
			c.update(f.clock)
		}
		c.failUnreachable()
		if f.clock != 0 && !c.cfg.Rules.HeartbeatThread {
			c.runTasks()
		}
		throws := f.flags&noWakeup == 0 && c.wakeup && !c.wakeupsOff
		if !throws {
			c.trySend()
			c.failExpired()
		}
		c.netLocked = false
		f.pc++
		c.releaseNetwork()
		if throws {
			c.wakeup = false
			c.throwFor(thrown(Wakeup), c.because.wakeup)
			return
		}
		if len(c.completions) > 0 {
			c.call(frame{proc: pRunCompletions, flags: f.flags & noWakeup})
			return
		}
		fallthrough
	default:
		c.ret(true)
	}
}

func (c *Consumer) shouldBlock(f *frame) bool {
	switch condition(f.n) {
	case untilFuture:
		return c.pending(f.fut)
	case untilFetched:
		return !c.fetchedSomething()
	}
	return true
}

func (c *Consumer) completeAborted() {
	for _, r := range c.aborted {
		c.disconnected(r, protocol.RuleCoordinatorConnectionLost, c.cause)
	}
	clear(c.aborted)
	c.aborted = c.aborted[:0]
}

// quickPoll is a network poll of the heartbeat thread, or one that cannot wait: the
// same steps without a wait.
func (c *Consumer) quickPoll() {
	c.runCompletions()
	c.quickPollLocked()
}

// quickPollLocked is quickPoll from the moment at which the thread has the network lock.
func (c *Consumer) quickPollLocked() {
	c.closePending()
	c.trySend()
	if len(c.aborted) > 0 {
		c.completeAborted()
	} else {
		c.maybeUpdateMetadata()
		c.read()
	}
	c.failUnreachable()
	c.trySend()
	c.failExpired()
	c.runCompletions()
}

// pollFuture polls the network until a future is done or the frame's clock has run out;
// always at least once.
func pollFuture(c *Consumer, f *frame) {
	if f.pc == 1 && (!c.pending(f.fut) || f.clock == 0 || c.expired(f.clock)) {
		c.ret(true)
		return
	}
	f.pc = 1
	c.call(frame{proc: pNetPoll, clock: f.clock, n: int32(untilFuture), fut: f.fut, flags: f.flags & noWakeup})
}

// waitFor calls pollFuture.
func (c *Consumer) waitFor(fut int32, clock clockID, flags uint8) {
	c.call(frame{proc: pPollFuture, fut: fut, clock: clock, flags: flags & noWakeup})
}

// pollOnce calls one network poll that waits for anything.
func (c *Consumer) pollOnce(clock clockID, flags uint8) {
	c.call(frame{proc: pNetPoll, clock: clock, flags: flags & noWakeup})
}

// procRunCompletions is the user thread's running of completions: handlers may need
// frames of their own. Whoever has run any wakes the select, as the other thread may be
// waiting for just that; if nobody is, the mark stays, and the next select does not wait.
func procRunCompletions(c *Consumer, f *frame) {
	if len(c.completions) == 0 {
		c.awake = c.awake || c.cfg.Rules.HeartbeatThread
		c.ret(true)
		return
	}
	done := c.completions[0]
	n := copy(c.completions, c.completions[1:])
	c.completions[n] = completion{}
	c.completions = c.completions[:n]
	c.handle(&done)
}

// runCompletions is the heartbeat thread's.
func (c *Consumer) runCompletions() {
	for len(c.completions) > 0 {
		c.awake = true
		done := c.completions[0]
		if done.req.use == useJoin && done.body != nil && c.thread == heartbeatThread {
			return // a leader's work is the user thread's; see spec K3
		}
		n := copy(c.completions, c.completions[1:])
		c.completions[n] = completion{}
		c.completions = c.completions[:n]
		c.handle(&done)
	}
}
