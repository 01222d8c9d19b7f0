package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// A member that gets no records polls on and on: poll ends after its timeout with
// nothing, the program calls it again, and nothing has changed but when the user polled
// last. Such polls are not played. The user thread waits until something may change, and
// the timers that every poll would set anew repeat by themselves. Whatever happens ends
// this, and finds the thread in the poll in which it would have been.

// idleWait is told that a poll for records is about to wait so many milliseconds in the
// network, metadata for its part so many. It is how long the thread waits: until the
// poll's end, or longer if the polls to come need not be played.
func (c *Consumer) idleWait(wait, metadata int64) int64 {
	if !c.canIdle() {
		return wait
	}
	left := c.left(c.stack[2].own)
	if wait != left || c.left(c.stack[1].clock) != left {
		return wait // something comes before this poll is over
	}
	next := metadata
	c.calm = c.quietTurn()
	switch {
	case c.calm:
		next = min(next, c.out.Left(c.heart.beat), c.autoCommitLeft())
	case c.joinStands():
		ms, _ := c.nextHeartbeat()
		next = min(next, ms)
	default:
		return wait
	}
	if next = c.idleEnds(left, next); next <= wait {
		return wait
	}
	c.beginIdle(left)
	return next
}

// autoCommitLeft is how long until the program's positions are committed.
func (c *Consumer) autoCommitLeft() int64 {
	if !c.cfg.Settings.AutoCommit {
		return MaxTime
	}
	return c.out.Left(c.clocks[c.autoClock].id)
}

// idleEnds is how long polls may go on that are not played, of which the present one ends
// in left milliseconds: as long as given, and as long as nothing is due that they look at.
func (c *Consumer) idleEnds(left, next int64) int64 {
	if c.heart.enabled {
		next = c.seenBy(next, left, c.out.Left(c.heart.session))
	}
	for i := range c.inflight {
		if r := &c.inflight[i]; c.out.Left(r.timer) < next {
			c.goesOn(r)
			next = c.seenBy(next, left, c.out.Left(r.timer))
		}
	}
	return next
}

// seenBy is next, or earlier if what is due in so many milliseconds is seen before.
func (c *Consumer) seenBy(next, left, ms int64) int64 {
	if ms >= next {
		return next
	}
	return min(next, c.pollEnd(left, ms))
}

// pollEnd is when, after so many milliseconds, a poll ends: what is only looked at is seen
// then.
func (c *Consumer) pollEnd(left, ms int64) int64 {
	if ms <= left {
		return left
	}
	every := c.cfg.Program.Poll
	return left + (ms-left+every-1)/every*every
}

// beginIdle lets be set again and again what polls set: the present one ends in so many
// milliseconds, then one ends every so many, and the heartbeat thread has its next turn
// as one does.
func (c *Consumer) beginIdle(left int64) {
	c.dozes = true
	h, s, every := &c.heart, &c.cfg.Settings, c.cfg.Program.Poll
	poll, fetch := c.idleClocks()
	c.out.Repeat(poll.id, left, every, every)
	c.out.Repeat(fetch.id, left, every, every)
	c.out.Repeat(h.poll, left, every, s.MaxPollInterval)
	if h.enabled {
		turn, turns := c.nextTurn(left, c.out.Left(h.raw))
		c.out.Repeat(h.first, turn, turns, s.RetryBackoff)
		c.out.Repeat(h.raw, turn, turns, s.RetryBackoff)
	}
}

// nextTurn is when the heartbeat thread has its next turn, and how often it has one: as polls
// end, of which the present one does in left milliseconds. The thread's pause takes rest more.
func (c *Consumer) nextTurn(left, rest int64) (turn, turns int64) {
	return c.pollEnd(left, rest), c.pollEnd(c.cfg.Program.Poll, c.cfg.Settings.RetryBackoff)
}

// canIdle reports whether the thread is in the program's poll, with nothing to do that a
// later one would.
func (c *Consumer) canIdle() bool {
	p, s, h := &c.cfg.Program, &c.cfg.Settings, &c.heart
	return !c.cfg.EveryTick && c.watch == nil && !p.Driven && !p.CountsPolls && p.Idle == 0 && p.Poll > 0 &&
		len(c.stack) == 4 && c.stack[2].proc == pPollFetches && c.stack[1].proc == pPoll &&
		len(c.orders) == 0 && !c.stopping && !c.wakeup && !c.lostLate && c.refused == 0 &&
		h.exists && h.failed.None() && (!h.enabled || h.waiting && c.joinedGroup()) &&
		c.cfg.Rules.PollNotifiesHeartbeat && c.out.Left(h.lag) == 0 && c.out.Runs() &&
		s.RetryBackoff > 0 && s.MaxPollInterval > p.Poll && c.maxPoll() >= p.Poll && s.RequestTimeout >= p.Poll &&
		len(c.unsent) == 0 && len(c.completions) == 0 && len(c.closing) == 0 && len(c.aborted) == 0 &&
		c.fetchesStand()
}

// joinStands reports whether polls do nothing but wait for the answer to a JoinGroup or
// SyncGroup.
func (c *Consumer) joinStands() bool {
	return c.cfg.Rules.Poll >= protocol.PollJoinZero && c.join != 0 && c.pending(c.join) && !c.needsPrepare &&
		c.coord >= 0 && c.conns[c.coord].state == connUp && c.conns[c.coord].sent > 0 &&
		!c.commitFenced && len(c.finished) == 0 && c.prepareCommit == 0 &&
		c.meta.version == c.sub.snapshotVersion && c.sub.kind == subTopics && c.sub.allPositions() && c.rejoinNeeded() &&
		c.cfg.Habits.ReadTimeout == 0 &&
		(!c.cfg.Settings.AutoCommit || c.left(c.autoClock) >= c.cfg.Program.Poll)
}

// fetchesStand reports whether whatever can be fetched is asked for by the fetches under
// way, and nothing else is.
func (c *Consumer) fetchesStand() bool {
	if c.cfg.NoFetches {
		return true
	}
	open := 0
	for i := range c.sub.parts {
		if c.sub.parts[i].fetchable() {
			open++
		}
	}
	for i := range c.inflight {
		if r := &c.inflight[i]; r.use == useFetch {
			asked := r.body.(*protocol.FetchRequest).Partitions
			if !c.stillAsked(c.conns[r.conn].node, asked) {
				return false
			}
			open -= len(asked)
		}
	}
	return open == 0 && (len(c.inflight) > 0 || c.emptyWaitIsWhole())
}

// emptyWaitIsWhole reports whether a poll waits for all of its time even if no request is
// under way.
func (c *Consumer) emptyWaitIsWhole() bool {
	return c.cfg.NoFetches || !c.cfg.Rules.IdleWaitIsBackoff || c.cfg.Settings.RetryBackoff >= c.cfg.Program.Poll
}

// stillAsked reports whether a leader would be asked for the same now.
func (c *Consumer) stillAsked(node sim.NodeID, asked []protocol.PartitionOffset) bool {
	for i := range c.sub.parts {
		p := &c.sub.parts[i]
		if p.leader != node || !p.fetchable() {
			continue
		}
		if len(asked) == 0 || asked[0].Offset != p.position || p.buffered != p.position || asked[0].TopicPartition != p.tp {
			return false
		}
		asked = asked[1:]
	}
	return len(asked) == 0
}

// idleTurn takes a turn of both threads of which all that comes is known: the heartbeat is
// due, or its answer tells nothing new, and polls go on as before. It reports false if there
// is more to be looked at; then the answer may have been taken, and nothing else is done.
func (c *Consumer) idleTurn(in *sim.Input) bool {
	h, s := &c.heart, &c.cfg.Settings
	if in.Timer.Kind != timerUser || !c.idleGoesOn() || !c.hearsNothingNew() {
		return false
	}
	left, ok := c.idleLeft()
	if !ok {
		return false
	}
	if len(c.inbox) > 0 {
		c.takeAnswer(&c.inbox[0])
		clear(c.inbox)
		c.inbox, c.awake = c.inbox[:0], true
	}
	beats := c.out.Due(h.beat)
	ends := left == 0 // and the program makes its next poll
	if ends {
		left = c.cfg.Program.Poll
	}
	next := c.out.Left(c.userTimer)
	woken := next > 0 // by an answer, which makes nothing due sooner
	if !woken {
		beat := s.HeartbeatInterval
		if !beats {
			beat = c.out.Left(h.beat)
		}
		next = c.idleEnds(left, c.metadataWithin(min(c.autoCommitLeft(), beat)))
		if beats {
			next = c.seenBy(next, left, s.RequestTimeout+1)
		}
	}
	if next <= left || len(c.inflight) == 0 && !beats && !c.emptyWaitIsWhole() {
		return false
	}
	if beats {
		c.out.Arm(h.beat, s.HeartbeatInterval)
		r := c.heartbeat()
		c.fill(&r)
		c.write(&r)
	}
	if ends {
		poll, fetch := c.idleClocks()
		c.out.ArmEvery(poll.id, left, left, left)
		c.out.ArmEvery(fetch.id, left, left, left)
	}
	c.idleOn(left, beats)
	c.out.Disarm(c.wakeTimer)
	if !woken {
		c.out.Arm(c.userTimer, next)
	}
	return true
}

// idleAnswer takes the turn in which idleTurn would take an answer that all is well, if nothing
// comes before that turn: it is the commonest of all, and of no concern to others.
func (c *Consumer) idleAnswer(in *sim.Input) bool {
	answer, ok := in.Msg.Body.(*protocol.HeartbeatAnswer)
	if !ok || answer.Error != protocol.None || len(c.inbox) > 0 || len(c.inflight) < 2 ||
		!c.idleGoesOn() || c.out.Due(c.heart.beat) || !c.out.Alone() {
		return false
	}
	left, ok := c.idleLeft()
	if !ok || left == 0 || c.out.Left(c.userTimer) <= left {
		return false
	}
	c.takeAnswer(&arrival{link: in.Link, kind: in.Msg.Kind(), ord: in.Msg.Ord})
	c.idleOn(left, false)
	return true
}

// idleGoesOn reports whether the threads may go on as beginIdle has found them.
func (c *Consumer) idleGoesOn() bool {
	return c.calm && c.heart.enabled && c.out.Runs() && !c.out.Due(c.heart.poll)
}

// idleClocks are those of the poll and of its wait for records.
func (c *Consumer) idleClocks() (poll, fetch *clock) {
	return &c.clocks[c.stack[1].clock], &c.clocks[c.stack[2].own]
}

// idleLeft is how long the poll still waits. It is not ok if it waits by an old picture of the
// time that it has left.
func (c *Consumer) idleLeft() (ms int64, ok bool) {
	poll, fetch := c.idleClocks()
	ms = c.out.Left(fetch.id)
	return ms, c.out.Agree(fetch.id, poll.id) || ms == c.out.Left(poll.id)
}

// idleOn lets both threads go on as before, in a poll that ends in so many milliseconds.
func (c *Consumer) idleOn(left int64, beats bool) {
	h, s := &c.heart, &c.cfg.Settings
	c.spinning = 0
	c.out.Arm(h.past, 1)
	if beats || c.out.Due(h.raw) {
		h.waiting = true
		turn, turns := c.nextTurn(left, s.RetryBackoff)
		c.out.ArmEvery(h.first, s.RetryBackoff, turn, turns)
		c.out.ArmEvery(h.raw, s.RetryBackoff, turn, turns)
	}
	poll, fetch := c.idleClocks()
	poll.left, fetch.left = left, left
	if s.AutoCommit {
		c.update(c.autoClock)
	}
	c.out.ArmEvery(h.poll, s.MaxPollInterval, left, c.cfg.Program.Poll)
	c.hasPositions, c.result, c.awake = true, false, false
}

// hearsNothingNew reports whether nothing has arrived, or only the answer to a heartbeat
// that all is well.
func (c *Consumer) hearsNothingNew() bool {
	if len(c.inbox) == 0 {
		return true
	}
	answer, ok := c.inbox[0].body.(*protocol.HeartbeatAnswer)
	return ok && len(c.inbox) == 1 && answer.Error == protocol.None
}

// takeAnswer reads and handles an answer to a heartbeat that all is well.
func (c *Consumer) takeAnswer(a *arrival) {
	conn := c.connOf(a.link)
	for j := range c.inflight {
		if r := &c.inflight[j]; r.conn == conn && r.ord == a.ord && r.kind == a.kind {
			c.freeRequest(r)
			c.inflight = slices.Delete(c.inflight, j, j+1)
			c.conns[conn].sent--
			c.heartbeatReceived()
			break
		}
	}
}

// endIdle ends the time in which polls are not played, before something happens. It is
// called when a closed connection ends the wait at once; otherwise that ends with the poll.
// That the thread is idle no more is told only when it has had its turn: it may be so again.
func (c *Consumer) endIdle(in *sim.Input) {
	c.dozes = false
	c.holdIdle()
	if in.Kind == sim.InputCommand || in.Kind == sim.InputClock || in.Timer.Kind == timerHeartbeat {
		c.out.Arm(c.userTimer, min(c.out.Left(c.userTimer), c.out.Left(c.clocks[c.stack[2].own].id)))
	}
}

// holdIdle ends what beginIdle lets repeat.
func (c *Consumer) holdIdle() {
	for _, id := range [...]sim.TimerID{c.clocks[c.stack[1].clock].id, c.clocks[c.stack[2].own].id, c.heart.poll, c.heart.first, c.heart.raw} {
		c.out.Hold(id)
	}
}
