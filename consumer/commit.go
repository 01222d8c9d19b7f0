package consumer

import (
	"cmp"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// doneKind says who is told how a commit ended.
type doneKind uint8

const (
	doneSync    doneKind = iota // the loop of commitSync, by its future
	doneAuto                    // auto-commit: a retriable failure is tried again soon
	donePrepare                 // the commit before a join
	doneUser                    // the callback of commitAsync
)

// commitDone is whom to tell.
type commitDone struct {
	kind doneKind
	id   int64 // of the user's call
}

// finishedCommit is a commit whose callback has not been run.
type finishedCommit struct {
	commitDone
	err Thrown
	ref sim.Ref
}

// queuedCommit is a commit that waits for a coordinator to be found.
type queuedCommit struct {
	fut     int32
	done    commitDone
	offsets []protocol.PartitionOffset
}

// commitAll stands for the positions of all partitions; commitGiven for those in c.given.
const (
	commitAll int32 = iota
	commitGiven
)

func (c *Consumer) toCommit(which int32) []protocol.PartitionOffset {
	if which == commitGiven {
		return c.given
	}
	return c.sub.positions()
}

// sendCommit sends OffsetCommit, or fails at once if the member is in no state to. It
// returns the future.
func (c *Consumer) sendCommit(offsets []protocol.PartitionOffset, done commitDone, why protocol.Rule) int32 {
	fut := c.newFuture()
	r := &c.cfg.Rules
	switch {
	case len(offsets) == 0:
		c.commitEnds(fut, done, Thrown{}, c.cause)
		return fut
	case c.coordinatorUnknown():
		c.commitEnds(fut, done, thrown(CoordinatorNotAvailable), c.cause)
		return fut
	}
	body := &protocol.OffsetCommitRequest{Version: c.cfg.Versions[protocol.KindOffsetCommit], Group: c.cfg.Group,
		Generation: -1, Retention: -1, Offsets: offsets}
	if c.sub.auto() || !r.HeartbeatThread {
		if r.HeartbeatThread && c.st != stable {
			err := thrown(CommitFailed)
			if r.CommitKnowsRebalance && c.st != unjoined {
				err = thrown(RebalanceInProgress)
			}
			c.commitEnds(fut, done, err, c.because.state)
			return fut
		}
		body.Generation, body.Member = c.gen.id, c.gen.member
		body.Instance = c.cfg.Settings.InstanceID
	} else if !r.ManualCommitWithoutInstance {
		body.Instance = c.cfg.Settings.InstanceID
	}
	if !r.StaticMembers {
		body.Instance = ""
	}
	c.queue(request{conn: c.coord, use: useCommit, done: done, fut: fut, gen: c.gen, why: why, ref: c.commitRef(done), body: body.Freeze()})
	return fut
}

// commitEnds completes a commit and files it for its callback.
func (c *Consumer) commitEnds(fut int32, done commitDone, err Thrown, ref sim.Ref) {
	if err.None() {
		c.complete(fut, nil, ref)
	} else {
		c.fail(fut, err, ref)
	}
	if done.kind == doneSync {
		return
	}
	c.asyncCommits--
	if err.Class.Retriable() {
		err = Thrown{Class: RetriableCommitFailed, Cause: err.Class}
	}
	if err.Class == FencedInstanceID {
		c.commitFenced, c.because.fenced = true, ref
	}
	c.finished = append(c.finished, finishedCommit{done, err, ref})
	if done.kind != donePrepare {
		c.drop(fut)
	}
}

// runCommitCallbacks runs the callbacks of finished asynchronous commits. It reports
// false, having thrown, if one was fenced: no later call goes through (KIP-345).
func (c *Consumer) runCommitCallbacks() bool {
	if c.commitFenced {
		c.throwFor(thrown(FencedInstanceID), c.because.fenced)
		return false
	}
	for len(c.finished) > 0 {
		done := c.finished[0]
		n := copy(c.finished, c.finished[1:])
		c.finished = c.finished[:n]
		switch done.kind {
		case doneAuto, donePrepare:
			if done.err.Class == RetriableCommitFailed {
				c.resetClock(c.autoClock, c.cfg.Settings.RetryBackoff)
			}
		case doneUser:
			c.see(Seen{What: SeenCommitCallback, ID: done.id, Thrown: done.err})
			c.out.Note(sim.Note{Code: protocol.NoteCommitCallback, A: done.id, B: int64(done.err.Class)}, uint16(protocol.RuleCommitCallback), done.ref)
		}
	}
	return true
}

// handleCommit handles the answer to OffsetCommit.
func (c *Consumer) handleCommit(d *completion) {
	answer, _ := d.body.(*protocol.OffsetCommitAnswer)
	err := d.err
	if answer != nil {
		err = c.commitError(d, answer)
	}
	c.commitEnds(d.req.fut, d.req.done, err, d.ref)
}

// commitError is what an answer to OffsetCommit comes to: the first error decides, only
// those of authorization are collected.
func (c *Consumer) commitError(d *completion, answer *protocol.OffsetCommitAnswer) Thrown {
	r := &c.cfg.Rules
	var unauthorized bool
	for i := range answer.Partitions {
		switch e := answer.Partitions[i].Error; e {
		case protocol.None:
		case protocol.TopicAuthorizationFailed:
			unauthorized = true
		case protocol.GroupAuthorizationFailed, protocol.OffsetMetadataTooLarge, protocol.InvalidCommitOffsetSize, protocol.CoordinatorLoadInProgress:
			return thrown(classOf(e))
		case protocol.UnknownTopicOrPartition:
			if !r.CommitRetriesUnknownTopic {
				return thrown(Kafka)
			}
			return thrown(classOf(e))
		case protocol.CoordinatorNotAvailable, protocol.NotCoordinator, protocol.RequestTimedOut:
			c.coordinatorLost(false, protocol.RuleCoordinatorChanged, d.ref)
			return thrown(classOf(e))
		case protocol.FencedInstanceID:
			if c.sameGeneration(&d.req) {
				return thrown(FencedInstanceID)
			}
			return c.overtakenCommit()
		case protocol.RebalanceInProgress:
			switch {
			case r.CommitKeepsGeneration:
				c.requestRejoin("offset commit failed since group is already rebalancing", protocol.RuleRebalanceDuringCommit, d.ref)
				if r.CommitKnowsRebalance {
					return thrown(RebalanceInProgress)
				}
			default:
				c.resetState(false, "", protocol.RuleRebalanceDuringCommit, d.ref)
			}
			return thrown(CommitFailed)
		case protocol.UnknownMemberID, protocol.IllegalGeneration:
			if !c.sameGeneration(&d.req) && c.st == preparing {
				return c.overtakenCommit()
			}
			c.resetOnError(e, protocol.KindOffsetCommit, e == protocol.IllegalGeneration, d.ref)
			return thrown(CommitFailed)
		default:
			return thrown(Kafka)
		}
	}
	if unauthorized {
		return thrown(TopicAuthorization)
	}
	return Thrown{}
}

// overtakenCommit: the member has another generation by now.
func (c *Consumer) overtakenCommit() Thrown {
	if c.st == preparing {
		return thrown(RebalanceInProgress)
	}
	return thrown(CommitFailed)
}

// commitSync commits and tries again until it has succeeded, failed for good or run out
// of time. f.fut is first what to commit, then the future; f.n counts attempts, f.a is the rule.
func commitSync(c *Consumer, f *frame) {
	const (
		begin = iota
		turn
		found
		sent
		slept
		waitAsync
		asyncFound
		asyncPolled
		asyncSlept
	)
	switch f.pc {
	case begin:
		if !c.runCommitCallbacks() {
			return
		}
		c.given = c.toCommit(f.fut)
		f.fut = 0
		if len(c.given) == 0 {
			if c.cfg.Rules.EmptyCommitWaits && c.asyncCommits > 0 {
				f.pc = waitAsync
				return
			}
			c.ret(true)
			return
		}
		f.pc = turn
	case turn:
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
		f.fut = c.sendCommit(c.given, commitDone{kind: doneSync}, protocol.Rule(f.a))
		f.pc = sent
		c.waitFor(f.fut, f.clock, f.flags)
	case sent:
		fut := *c.future(f.fut)
		if c.cfg.Rules.AsyncCallbacksFirst && !c.runCommitCallbacks() {
			return
		}
		c.drop(f.fut)
		f.fut = 0
		if fut.done {
			c.cause = fut.ref
		}
		switch {
		case fut.done && fut.err.None():
			c.ret(true)
		case fut.done && !fut.err.Class.Retriable():
			c.throwFor(fut.err, fut.ref)
		default:
			f.pc = slept
			c.sleepOn(f.clock, c.retryBackoff(f.n))
			f.n++
		}
	case slept:
		c.update(f.clock)
		if c.expired(f.clock) {
			c.ret(false)
			return
		}
		f.pc = turn
	case waitAsync:
		f.pc = asyncFound
		c.readyCoordinator(f.clock, f.flags)
	case asyncFound:
		f.pc = asyncPolled
		c.pollOnce(f.clock, f.flags)
	case asyncPolled:
		if !c.runCommitCallbacks() {
			return
		}
		if c.asyncCommits == 0 {
			c.ret(true)
			return
		}
		f.pc = asyncSlept
		c.sleepOn(f.clock, c.retryBackoff(f.n))
		f.n++
	case asyncSlept:
		c.update(f.clock)
		if c.expired(f.clock) {
			c.ret(false)
			return
		}
		f.pc = waitAsync
	}
}

// commitAsync sends a commit and does not wait for its answer. f.n is the doneKind, f.a
// the id of the user's call, f.fut what to commit.
func commitAsync(c *Consumer, f *frame) {
	const (
		begin = iota
		found
		polled
	)
	done := commitDone{kind: doneKind(f.n), id: f.a}
	switch f.pc {
	case begin:
		if !c.runCommitCallbacks() {
			return
		}
		c.given = c.toCommit(f.fut)
		f.fut = 0
		c.result = true
		f.pc = found
		if len(c.given) > 0 && c.coordinatorUnknown() && c.cfg.Rules.AsyncCommitLooksUp {
			f.own = c.newClock(0)
			flags := noWakeup
			if !c.cfg.Rules.AsyncLookupKeepsWakeup {
				flags = 0
			}
			c.readyCoordinator(f.own, flags)
		}
	case found:
		f.pc = polled
		given := c.given
		if len(given) == 0 && c.cfg.Rules.AsyncCommitLooksUp || c.result && !c.coordinatorUnknown() {
			c.asyncCommits++
			fut := c.sendCommit(given, done, c.commitRule(done))
			if done.kind == donePrepare {
				c.prepareCommit = fut
			}
		} else {
			fut := c.lookup()
			if fut != c.find {
				err := c.future(fut).err
				c.drop(fut)
				c.finished = append(c.finished, finishedCommit{done, Thrown{Class: RetriableCommitFailed, Cause: err.Class}, c.cause})
			} else if f2 := c.future(fut); f2.done {
				c.queuedCommits = append(c.queuedCommits, queuedCommit{fut: fut, done: done, offsets: given})
				c.findDone(fut, f2.err)
			} else {
				c.queuedCommits = append(c.queuedCommits, queuedCommit{fut: fut, done: done, offsets: given})
			}
		}
		c.pollOnce(0, noWakeup)
	default:
		c.ret(true)
	}
}

func (c *Consumer) commitRule(done commitDone) protocol.Rule {
	switch done.kind {
	case doneAuto:
		return protocol.RuleAutoCommit
	case donePrepare:
		return protocol.RulePrepareCommit
	}
	return protocol.RuleCommitAsync
}

// commitRef is what a commit rests on: who commits by itself does so for what it has read,
// or for the rebalance that it is about to join.
func (c *Consumer) commitRef(done commitDone) sim.Ref {
	switch {
	case done.kind == donePrepare:
		return c.rejoinRef
	case done.kind == doneAuto:
		return cmp.Or(c.because.batch, c.because.serves, c.cause)
	}
	return c.cause
}

// findDone sends, or fails, the commits that waited for a lookup.
func (c *Consumer) findDone(fut int32, err Thrown) {
	sent := false
	for i := 0; i < len(c.queuedCommits); {
		q := c.queuedCommits[i]
		if q.fut != fut {
			i++
			continue
		}
		c.queuedCommits = append(c.queuedCommits[:i:i], c.queuedCommits[i+1:]...)
		if err.None() {
			c.asyncCommits++
			c.sendCommit(q.offsets, q.done, c.commitRule(q.done))
			sent = true
		} else {
			c.finished = append(c.finished, finishedCommit{q.done, Thrown{Class: RetriableCommitFailed, Cause: err.Class}, c.cause})
		}
	}
	if !sent {
		return
	}
	if c.thread == heartbeatThread {
		c.quickPoll()
	} else {
		c.pollOnce(0, noWakeup)
	}
}

// maybeAutoCommit commits if auto-commit is on and due.
func (c *Consumer) maybeAutoCommit() {
	if !c.cfg.Settings.AutoCommit {
		return
	}
	if !c.cfg.Rules.AutoCommitLooksUp && c.coordinatorUnknown() {
		c.resetClock(c.autoClock, c.cfg.Settings.RetryBackoff)
		return
	}
	c.update(c.autoClock)
	if !c.expired(c.autoClock) {
		return
	}
	c.resetClock(c.autoClock, c.cfg.Settings.AutoCommitInterval)
	c.call(frame{proc: pCommitAsync, n: int32(doneAuto), fut: commitAll})
}
