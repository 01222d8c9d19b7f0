package consumer

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// heart is the heartbeat thread (KIP-62) and the three timers that it watches.
//
// The thread never waits in the network: each of its turns is a quick network poll and
// one of a few acts, then it waits retry.backoff.ms. So it plays at the ticks of a grid
// that its last turn began, unless it is notified earlier. It needs the network lock for
// its poll, and the coordinator's monitor for all of it: while the user thread waits in
// the network, or inside the monitor, its turn comes when that is over.
type heart struct {
	exists   bool
	enabled  bool
	failed   Thrown
	failedBy sim.Ref
	waiting  bool // in a timed wait: raw is its end
	notified bool
	// hasWaited: it stood at the network lock, past the completions that come before.
	hasWaited bool
	failures  int32
	spun      int8 // turns of a lookup that spins, in the present millisecond

	beat    sim.TimerID // a heartbeat is due
	session sim.TimerID // the session is over
	poll    sim.TimerID // the user has not polled for too long
	first   sim.TimerID // passive: the end of the present timed wait
	raw     sim.TimerID // passive: the end of the last of such waits that has to be played
	past    sim.TimerID // passive: the user thread has run in this millisecond, so this millisecond's tick is over
	lag     sim.TimerID // passive: until the clock shows again what it has shown before it was put back
	spins   sim.TimerID // passive: the millisecond in which spun is counted
	tick    sim.TimerID // the next turn that can change something
}

// makeHeart creates the timers.
func (c *Consumer) makeHeart() {
	h := &c.heart
	h.beat = c.out.NewTimer(sim.ClassPassive, timerPassive, 1)
	h.session = c.out.NewTimer(sim.ClassPassive, timerPassive, 2)
	h.poll = c.out.NewTimer(sim.ClassPassive, timerPassive, 3)
	h.raw = c.out.NewTimer(sim.ClassPassive, timerPassive, 4)
	h.first = c.out.NewTimer(sim.ClassPassive, timerPassive, 7)
	h.past = c.out.NewTimer(sim.ClassPassive, timerPassive, 8)
	h.lag = c.out.NewTimer(sim.ClassPassive, timerPassive, 10)
	h.spins = c.out.NewTimer(sim.ClassPassive, timerPassive, 12)
	h.tick = c.out.NewTimer(sim.ClassTick, timerHeartbeat, 0)
}

// enableHeartbeats lets the thread watch a new generation: all timers begin anew.
func (c *Consumer) enableHeartbeats() {
	h := &c.heart
	if !h.exists {
		return
	}
	h.enabled = true
	c.resetTimeouts()
	h.notified = true
}

func (c *Consumer) resetTimeouts() {
	h := &c.heart
	c.armHeart(h.beat, c.cfg.Settings.HeartbeatInterval)
	c.armHeart(h.session, c.cfg.Settings.SessionTimeout)
	c.armHeart(h.poll, c.cfg.Settings.MaxPollInterval)
}

// coordinatorFound is told that a lookup has named the coordinator.
func (c *Consumer) coordinatorFound() {
	switch {
	case !c.cfg.Rules.HeartbeatThread:
		c.restartHeartbeatTask()
	case c.cfg.Rules.FoundResetsPollTimer:
		c.armHeart(c.heart.session, c.cfg.Settings.SessionTimeout)
		c.armHeart(c.heart.poll, c.cfg.Settings.MaxPollInterval)
	default:
		c.armHeart(c.heart.session, c.cfg.Settings.SessionTimeout)
	}
}

// heartbeatReady reports whether the heartbeat thread can take a turn now.
func (c *Consumer) heartbeatReady() bool {
	h := &c.heart
	if !h.exists || c.netLocked || c.monitors > 0 || c.heartbeatHeld() {
		return false
	}
	return h.notified || h.waiting && c.out.Due(h.raw)
}

// heartbeatHeld: a habit is to do nothing while the program processes.
func (c *Consumer) heartbeatHeld() bool { return c.cfg.Habits.BeatsInPoll && !c.insideCall() }

// enterLockedWait is told that the user thread waits in the network with the lock. The
// heartbeat thread's present wait may end meanwhile: its turn comes after.
func (c *Consumer) enterLockedWait() {
	h := &c.heart
	if !h.exists || !h.waiting || c.out.Due(h.raw) {
		return
	}
	next := c.nextTick()
	c.out.Arm(h.raw, next)
	if c.monitors == 0 && h.enabled && !c.joinedGroup() {
		c.out.Arm(h.tick, next)
	} else {
		c.out.Disarm(h.tick)
	}
}

// heartbeatStops lets a thread that has nothing to watch go to rest: that takes the monitor
// only, so it happens while the user thread waits in the network, too.
func (c *Consumer) heartbeatStops() {
	h := &c.heart
	if !h.exists || c.monitors > 0 || !(h.notified || h.waiting && c.out.Due(h.raw)) {
		return
	}
	if h.enabled && (!c.joinedGroup() || !h.failed.None()) {
		h.enabled = false
	}
	if !h.enabled {
		h.notified, h.waiting = false, false
		c.out.Disarm(h.tick)
	}
}

// releaseNetwork lets a heartbeat thread go first that waited for the network lock.
func (c *Consumer) releaseNetwork() {
	if c.heartbeatReady() {
		c.heart.hasWaited = true
		c.heartbeatTurns()
		c.thread = userThread
	}
}

// nextTick is how long the present timed wait still takes, in milliseconds.
func (c *Consumer) nextTick() int64 {
	h := &c.heart
	if !c.out.Due(h.first) {
		return c.out.Left(h.first)
	}
	step := c.cfg.Settings.RetryBackoff
	left := c.out.Left(h.raw) % step
	if left == 0 && (!c.out.Ticks() || c.out.Left(h.past) > 0) {
		left = step // the tick of this millisecond is over
	}
	return left
}

// settleHeartbeat computes the next turn of a waiting heartbeat thread in which it can
// do something: idle ticks are not played, unless the slow mode asks for them.
func (c *Consumer) settleHeartbeat() {
	h := &c.heart
	if !h.exists || !h.waiting || c.waits == waitsNetwork || c.monitors > 0 || c.heartbeatHeld() {
		return
	}
	next := c.nextTick()
	if !c.cfg.EveryTick && c.heartbeatIdle() {
		due := c.heartbeatDue()
		if step := c.cfg.Settings.RetryBackoff; due > next {
			next += (due - next + step - 1) / step * step
		}
	}
	c.out.Arm(h.raw, next)
	c.out.Arm(h.tick, next)
}

// heartbeatIdle reports that nothing lies around for the next turn.
func (c *Consumer) heartbeatIdle() bool {
	return c.heart.enabled && c.heart.failed.None() && c.coord >= 0 && !c.unavailable(c.coord) && c.joinedGroup() &&
		len(c.inbox) == 0 && len(c.completions) == 0 && len(c.unsent) == 0 && len(c.closing) == 0 && len(c.aborted) == 0
}

// heartbeatDue is the time to the first deadline at which a turn would do something.
func (c *Consumer) heartbeatDue() int64 {
	h := &c.heart
	due := min(c.out.Left(h.beat), c.out.Left(h.session), c.out.Left(h.poll))
	if !c.meta.inFlight {
		due = min(due, c.metadataDue())
	}
	for i := range c.inflight {
		due = min(due, c.out.Left(c.inflight[i].timer))
	}
	return due
}

// joinedGroup: heartbeats have a meaning.
func (c *Consumer) joinedGroup() bool {
	return c.st == stable || c.st == completing && c.cfg.Rules.HeartbeatsWhileCompleting && !c.cfg.Habits.BeatsWhenStable
}

// heartbeatTurns lets the heartbeat thread run until it waits.
func (c *Consumer) heartbeatTurns() {
	h := &c.heart
	c.thread = heartbeatThread
	h.notified, h.waiting = false, false
	c.out.Disarm(h.tick)
	for h.exists {
		if !h.enabled {
			h.hasWaited = false
			return
		}
		if !c.joinedGroup() || !h.failed.None() {
			h.enabled = false
			continue
		}
		if h.hasWaited {
			c.quickPollLocked()
		} else {
			c.quickPoll()
		}
		h.hasWaited = false
		h.notified = false
		if !c.heartbeatAct() {
			wait := c.cfg.Settings.RetryBackoff
			if c.coord < 0 && c.find == 0 && c.couldNotLookUp && c.spinsLookingUp() {
				wait = 1
			}
			c.heartbeatPauses(wait)
			return
		}
	}
}

// heartbeatPauses lets the thread wait for so many milliseconds.
func (c *Consumer) heartbeatPauses(ms int64) {
	c.heart.waiting = true
	c.out.Arm(c.heart.first, ms)
	c.out.Arm(c.heart.raw, ms)
}

// heartbeatAct is what a turn does after its network poll. It reports whether another
// turn follows at once.
func (c *Consumer) heartbeatAct() bool {
	h := &c.heart
	switch {
	case c.coordinatorUnknown():
		return c.heartbeatLooksUp()
	case c.out.Due(h.session) && c.cfg.Habits.SessionJoinsAnew:
		c.resetState(false, "session timed out", protocol.RuleSessionJoinsAnew, c.out.SetBy(h.session))
		return true
	case c.out.Due(h.session):
		c.coordinatorLost(false, protocol.RuleSessionOver, c.out.SetBy(h.session))
		return true
	case c.out.Due(h.poll):
		ref := c.because.away
		if ref == 0 {
			ref = c.out.SetBy(h.poll)
		}
		if c.leave("consumer poll timeout has expired.", protocol.RulePollTimeout, ref) {
			c.quickPoll()
		}
		c.leftGroup(protocol.RulePollTimeout, ref)
		return true
	case !c.out.Due(h.beat):
		return false
	}
	c.armHeart(h.beat, c.cfg.Settings.HeartbeatInterval)
	c.queue(c.heartbeat())
	return true
}

// heartbeatLooksUp lets the heartbeat thread look for the coordinator: one lookup in
// two turns, as it forgets the last one before it begins another.
func (c *Consumer) heartbeatLooksUp() bool {
	r := &c.cfg.Rules
	if c.find != 0 {
		switch r.HeartbeatLookup {
		case protocol.LookupWaits, protocol.LookupSpins:
			c.forgetFind()
			c.couldNotLookUp = false
		}
		return false
	}
	fut := c.lookup()
	failed := fut != c.find
	c.couldNotLookUp = failed
	if failed {
		c.drop(fut)
	}
	switch r.HeartbeatLookup {
	case protocol.LookupWaits:
		return false
	case protocol.LookupWaitsIfFailed:
		return !failed
	}
	if !failed {
		return true
	}
	// The real thread spins as fast as it can. Here it rests a millisecond after three
	// turns of one, as in the recorded runs.
	h := &c.heart
	if c.out.Left(h.spins) == 0 {
		h.spun = 0
		c.out.Arm(h.spins, 1)
	}
	h.spun++
	return h.spun < 3
}

// spinsLookingUp: a lookup that finds no broker to ask is tried again at once.
func (c *Consumer) spinsLookingUp() bool {
	return c.cfg.Rules.HeartbeatLookup == protocol.LookupSpins || c.cfg.Rules.HeartbeatLookup == protocol.LookupWaitsWhilePending
}

// heartbeat is a heartbeat with the ids of the moment. Its body is built once for each
// generation.
func (c *Consumer) heartbeat() request {
	if c.beatBody == nil {
		body := &protocol.HeartbeatRequest{Group: c.cfg.Group, Generation: c.gen.id, Member: c.gen.member}
		if c.cfg.Rules.StaticMembers {
			body.Instance = c.cfg.Settings.InstanceID
		}
		c.beatBody = body.Freeze()
	}
	return request{conn: c.coord, use: useHeartbeat, gen: c.gen, why: protocol.RuleHeartbeatDue, ref: c.because.state, body: c.beatBody}
}

// handleHeartbeat handles the answer to Heartbeat.
func (c *Consumer) handleHeartbeat(d *completion) {
	answer, _ := d.body.(*protocol.HeartbeatAnswer)
	if answer == nil {
		c.heartbeatFailed()
		return
	}
	r := &c.cfg.Rules
	stale := !c.sameGeneration(&d.req)
	switch e := answer.Error; e {
	case protocol.None:
		c.heartbeatReceived()
	case protocol.CoordinatorNotAvailable, protocol.NotCoordinator:
		c.coordinatorLost(false, protocol.RuleCoordinatorChanged, d.ref)
		c.heartbeatFailed()
	case protocol.RebalanceInProgress:
		if c.st == stable || !r.HeartbeatsWhileCompleting {
			c.requestRejoin("group is already rebalancing", protocol.RuleRebalanceHeard, d.ref)
		}
		c.heartbeatReceived()
	case protocol.IllegalGeneration, protocol.UnknownMemberID:
		if stale {
			c.heartbeatReceived()
			return
		}
		if e == protocol.IllegalGeneration && r.ResetKeepsGenerationNumber {
			c.requestRejoin("", protocol.RuleGenerationOver, d.ref)
		} else {
			c.resetOnError(e, protocol.KindHeartbeat, e == protocol.IllegalGeneration, d.ref)
		}
		c.heartbeatFailed()
	case protocol.FencedInstanceID:
		if stale {
			c.heartbeatReceived()
			return
		}
		if r.FencedResets {
			c.resetOnError(e, protocol.KindHeartbeat, false, d.ref)
		}
		c.heart.failed, c.heart.failedBy = thrown(FencedInstanceID), d.ref
	default:
		c.heartbeatFailed()
	}
}

func (c *Consumer) heartbeatReceived() {
	c.heart.failures = 0
	if !c.cfg.Rules.HeartbeatThread {
		c.taskReceived()
		return
	}
	c.armHeart(c.heart.session, c.cfg.Settings.SessionTimeout)
}

// heartbeatFailed lets the next heartbeat come after the back-off.
func (c *Consumer) heartbeatFailed() {
	if !c.cfg.Rules.HeartbeatThread {
		c.taskFailed()
		return
	}
	c.armHeart(c.heart.beat, c.retryBackoff(c.heart.failures))
	c.heart.failures++
	c.heart.notified = true
}

// userPolls is told that the user has called poll: the poll timer begins anew, and a
// failure of the heartbeat thread comes to light. It reports false if it has thrown.
func (c *Consumer) userPolls() bool {
	h := &c.heart
	if !h.exists {
		return true
	}
	if !h.failed.None() {
		t, ref := h.failed, h.failedBy
		h.exists, h.enabled, h.waiting, h.notified, h.failed = false, false, false, false, Thrown{}
		c.out.Disarm(h.tick)
		c.throwFor(t, ref)
		return false
	}
	if c.out.Due(h.beat) && c.cfg.Rules.PollNotifiesHeartbeat {
		h.notified = true
	}
	c.armHeart(h.poll, c.cfg.Settings.MaxPollInterval)
	return true
}

// nextHeartbeat is how long a poll may wait for the sake of heartbeats.
func (c *Consumer) nextHeartbeat() (ms int64, err Thrown) {
	if c.st == unjoined || c.st == preparing && c.cfg.Rules.HeartbeatsWhileCompleting {
		return MaxTime, Thrown{}
	}
	if h := &c.heart; h.exists && !h.failed.None() && c.cfg.Rules.FailureEndsWait {
		return 0, h.failed
	}
	return c.out.Left(c.heart.beat), Thrown{}
}

// stopHeartbeats ends the thread.
func (c *Consumer) stopHeartbeats() {
	h := &c.heart
	h.exists, h.enabled, h.waiting, h.notified = false, false, false, false
	c.out.Disarm(h.tick)
}
