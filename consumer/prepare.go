package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// prepare is what a member does before it asks to join: commit what it consumed if
// auto-commit is on, give up what it owns, tell the listener.
func prepare(c *Consumer, f *frame) {
	const (
		begin = iota
		committed
		slept
		revoke
		revoked
	)
	r := &c.cfg.Rules
	switch f.pc {
	case begin:
		// What counts is the generation before the commit, even if its answer ends it.
		if c.generationLost() {
			f.a = 1
		}
		f.pc = revoke
		switch r.PrepareCommit {
		case protocol.PrepareCommitSync:
			if c.cfg.Settings.AutoCommit {
				bound := MaxTime
				if r.BoundedPrepareCommit {
					bound = c.cfg.Settings.MaxPollInterval
				}
				f.own = c.newClock(bound)
				f.catch = revoke
				c.cause = c.rejoinRef
				c.call(frame{proc: pCommitSync, clock: f.own, fut: commitAll, flags: f.flags & noWakeup, a: int64(protocol.RuleJoinAwaitsCommit)})
			}
		case protocol.PrepareCommitForgotten:
			if c.cfg.Settings.AutoCommit {
				f.pc = committed
				c.call(frame{proc: pCommitAsync, n: int32(donePrepare), fut: commitAll})
			}
		case protocol.PrepareCommitAwaited:
			c.beginAwaitedCommit(f, committed)
		}
	case committed:
		c.endAwaitedCommit(f, slept, revoke)
	case slept:
		if c.prepareWait != 0 {
			c.update(c.prepareWait)
		}
		c.update(f.clock)
		c.ret(false)
	case revoke:
		f.pc = revoked
		if f.catch == 0 && c.exception.Class == Wakeup && r.PrepareCommit == protocol.PrepareCommitSync && f.own != 0 {
			t := c.exception
			c.exception = Thrown{}
			c.throwFor(t, c.thrownRef)
			return
		}
		f.catch = 0
		c.listenerErrs = c.listenerErrs[:0]
		c.giveUp(f)
	case revoked:
		c.leads = false
		c.sub.groupTopics = nil
		if c.prepareClock != 0 {
			c.freeClock(c.prepareClock)
			c.prepareClock = 0
		}
		c.drop(c.prepareCommit)
		c.prepareCommit = 0
		if err := c.listenerError(); !err.None() && r.ListenerErrorsThrown {
			c.throwFor(err, c.because.callback)
			return
		}
		c.ret(f.flags&marked == 0)
	}
}

// beginAwaitedCommit sends the prepare commit and polls for its answer, within the
// rebalance timeout and the time that the caller has (KAFKA-14024).
func (c *Consumer) beginAwaitedCommit(f *frame, committed uint8) {
	if c.prepareClock == 0 {
		c.prepareClock = c.newClock(c.cfg.Settings.MaxPollInterval)
	} else {
		c.update(c.prepareClock)
	}
	if !c.cfg.Settings.AutoCommit && c.prepareCommit == 0 {
		return
	}
	f.pc = committed
	if c.prepareCommit == 0 {
		if c.cfg.Rules.PausesWhilePreparing && !c.cooperative.on {
			c.sub.pendingRevocation()
			c.cause = c.rejoinRef
			c.noteServes(protocol.RulePausedForCommit)
		}
		c.call(frame{proc: pCommitAsync, n: int32(donePrepare), fut: commitAll})
	}
}

func (c *Consumer) endAwaitedCommit(f *frame, slept, revoke uint8) {
	if c.cfg.Rules.PrepareCommit == protocol.PrepareCommitForgotten {
		fut := c.future(c.prepareCommit)
		f.n = 0
		switch {
		case fut == nil || fut.done && (fut.err.None() || !fut.err.Class.Retriable()):
			f.pc = revoke
		default:
			c.drop(c.prepareCommit)
			c.prepareCommit = 0
			f.pc = revoke
			f.flags |= marked // revokes, and does not join yet
		}
		return
	}
	if f.n == 0 { // the wait
		f.n = 1
		if c.prepareCommit == 0 {
			f.pc = revoke
			return
		}
		c.prepareWait = f.clock
		if c.left(f.clock) >= c.left(c.prepareClock) {
			c.prepareWait = c.prepareClock
		}
		c.waitFor(c.prepareCommit, c.prepareWait, f.flags)
		return
	}
	c.update(c.prepareClock)
	fut := c.future(c.prepareCommit)
	f.pc = revoke
	switch {
	case c.expired(c.prepareClock):
	case !fut.done:
		f.pc = slept
	case !fut.err.None() && fut.err.Class.Retriable():
		c.drop(c.prepareCommit)
		c.prepareCommit = 0
		f.pc = slept
	}
	if f.pc == slept {
		c.sleepOn(c.prepareWait, c.cfg.Settings.RetryBackoff)
	}
}

// generationLost reports whether others may own the member's partitions by now.
func (c *Consumer) generationLost() bool {
	if c.cfg.Rules.KeepsMemberID {
		return c.gen.id == -1 || c.gen.member == ""
	}
	return c.gen.id == -1 && c.gen.member == ""
}

// giveUp revokes before a join: all for an eager member, what it does not subscribe to
// any more for a cooperative one, and what is lost if the generation is.
func (c *Consumer) giveUp(f *frame) {
	owned := c.sub.assigned()
	r := &c.cfg.Rules
	lost := f.a == 1
	switch {
	case !r.Cooperative: // before KIP-429 everything is revoked, and kept until the new assignment
		c.callback(cbRevoked, owned, afterKeep, protocol.RuleRevokeAll, c.rejoinRef)
	case lost:
		if len(owned) > 0 {
			c.callback(cbLost, owned, afterDropAll, protocol.RuleGenerationLost, c.rejoinRef)
		}
	case !c.cooperative.on:
		c.callback(cbRevoked, owned, afterDropAll, protocol.RuleRevokeAll, c.rejoinRef)
	default:
		gone := slices.DeleteFunc(slices.Clone(owned), func(p protocol.TopicPartition) bool {
			return slices.Contains(c.sub.topics, p.Topic)
		})
		if len(gone) > 0 {
			c.callback(cbRevoked, gone, afterDropCalled, protocol.RuleRevokeUnsubscribed, c.rejoinRef)
		}
	}
}

// Callbacks of the rebalance listener.
const (
	cbRevoked int32 = iota
	cbAssigned
	cbLost
)

// What follows a callback.
const (
	afterKeep       int64 = iota // the assignment stays
	afterDropAll                 // everything is dropped
	afterDropCalled              // what the callback spoke of is dropped
)

var callbackNotes = [...]uint8{cbRevoked: protocol.NoteRevoked, cbAssigned: protocol.NoteAssigned, cbLost: protocol.NoteLost}

// CallbackNote is the note that a callback begins with, by the A of its NoteCallbackEnd.
func CallbackNote(a int64) uint8 { return callbackNotes[a] }

// callback calls the listener.
func (c *Consumer) callback(kind int32, parts []protocol.TopicPartition, after int64, why protocol.Rule, ref sim.Ref) {
	c.called = parts
	c.calledWhy, c.calledRef = why, ref
	c.call(frame{proc: pCallback, n: kind, a: after})
}

// callListener runs one callback: the note, the listener's steps, the note of its end. What it
// throws is kept; wakeups go on at once. f.fut is the step's index, -1 for none.
func callListener(c *Consumer, f *frame) {
	const (
		begin = iota
		committed
		slept
		threw
		afterCommit
	)
	switch f.pc {
	case begin:
		parts := &protocol.PartitionList{Partitions: c.called}
		c.because.callback = c.out.Note(sim.Note{Code: callbackNotes[f.n], Body: parts}, uint16(c.calledWhy), c.calledRef)
		c.cause = c.because.callback
		c.see(Seen{What: SeenCallback, Note: callbackNotes[f.n], Parts: c.called})
		f.fut = c.nextStep(f.n)
		f.pc = committed
		if s := c.step(f); c.cfg.Listener.PausesAll || s != nil && s.Pauses {
			c.sub.pauseAll()
		}
		if s := c.step(f); s != nil && s.Commits {
			c.see(Seen{What: SeenNestedCall, Op: OpCommitSync})
			f.catch = threw
			timeout := s.CommitSync
			if timeout < 0 {
				timeout = c.apiTimeout()
			}
			f.own = c.newClock(timeout)
			c.call(frame{proc: pCommitSyncCall, clock: f.own, fut: commitAll})
		}
	case committed:
		f.pc = afterCommit
		if s := c.step(f); s != nil && s.Commits {
			f.catch = 0
			c.see(Seen{What: SeenNestedReturn, Op: OpCommitSync})
		}
	case afterCommit:
		f.pc = slept
		if s := c.step(f); s != nil {
			if s.Seeks {
				for _, p := range c.called {
					c.sub.seek(p, s.Seek)
				}
			}
			if c.sleep(s.Sleep); s.Sleep > 0 {
				c.because.away = c.because.callback
			}
		}
	case slept:
		var t Thrown
		if s := c.step(f); s != nil {
			t = s.Throw
		}
		c.callbackEnds(f, t)
	case threw: // the listener catches what its commit throws
		c.see(Seen{What: SeenNestedReturn, Op: OpCommitSync, Thrown: c.exception})
		f.pc = afterCommit
	}
}

func (c *Consumer) callbackEnds(f *frame, t Thrown) {
	c.see(Seen{What: SeenCallbackEnd, Note: callbackNotes[f.n], Thrown: t})
	c.out.Note(sim.Note{Code: protocol.NoteCallbackEnd, A: int64(f.n), B: int64(t.Class)}, uint16(c.calledWhy), c.because.callback)
	if t.Class == Wakeup { // it goes on at once, and what was to follow does not happen
		c.throwFor(t, c.because.callback)
		return
	}
	if !t.None() {
		c.listenerErrs = append(c.listenerErrs, t)
	}
	switch f.a {
	case afterDropAll:
		c.setAssignment(nil)
	case afterDropCalled:
		rest := slices.DeleteFunc(slices.Clone(c.sub.assigned()), func(p protocol.TopicPartition) bool {
			return slices.Contains(c.called, p)
		})
		c.setAssignment(rest)
	}
	c.ret(t.None())
}

// step is what the running call of the listener does.
func (c *Consumer) step(f *frame) *CallbackStep {
	if f.fut < 0 {
		return nil
	}
	return &c.steps(c.handler(f.n))[f.fut]
}

// handler is the callback that is run: a listener that does not handle onPartitionsLost
// has onPartitionsRevoked called in its place.
func (c *Consumer) handler(kind int32) int32 {
	if kind == cbLost && !c.cfg.Listener.HandlesLost {
		return cbRevoked
	}
	return kind
}

func (c *Consumer) steps(kind int32) []CallbackStep {
	switch kind {
	case cbRevoked:
		return c.cfg.Listener.Revoked
	case cbAssigned:
		return c.cfg.Listener.Assigned
	}
	return c.cfg.Listener.Lost
}

func (c *Consumer) nextStep(kind int32) int32 {
	kind = c.handler(kind)
	list := c.steps(kind)
	n := c.calls[kind]
	c.calls[kind]++
	switch {
	case int(n) < len(list):
		return n
	case c.cfg.Listener.Repeat && len(list) > 0:
		c.calls[kind] = int32(len(list))
		return int32(len(list) - 1)
	}
	return -1
}

// listenerError is the first exception of the listener's, as the caller of poll sees it.
func (c *Consumer) listenerError() Thrown {
	if len(c.listenerErrs) == 0 {
		return Thrown{}
	}
	return Thrown{Class: Kafka, Cause: c.listenerErrs[0].Class}
}
