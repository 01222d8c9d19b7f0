package consumer

import (
	"regexp"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// commitSyncCall is the user's commitSync: one that runs out of time throws.
func commitSyncCall(c *Consumer, f *frame) {
	if f.pc == 0 {
		f.pc = 1
		if f.clock == 0 {
			f.own = c.newClock(c.apiTimeout())
			f.clock = f.own
		}
		c.call(frame{proc: pCommitSync, clock: f.clock, fut: f.fut, a: int64(protocol.RuleCommitSync)})
		return
	}
	if !c.result {
		c.throw(thrown(Timeout))
		return
	}
	c.ret(true)
}

// position waits until every assigned partition has a position.
func position(c *Consumer, f *frame) {
	const (
		turn = iota
		updated
		polled
	)
	switch f.pc {
	case turn:
		if c.sub.allPositions() {
			c.ret(true)
			return
		}
		f.pc = updated
		c.call(frame{proc: pUpdatePositions, clock: f.clock})
	case updated:
		f.pc = polled
		c.pollOnce(f.clock, 0)
	case polled:
		switch {
		case c.sub.allPositions():
			c.ret(true)
		case c.expired(f.clock):
			c.throw(thrown(Timeout))
		default:
			f.pc = turn
		}
	}
}

// begin makes an ordered call.
func (c *Consumer) begin(o order) {
	c.present, c.cause = o.Call, o.ref
	if o.Op == OpClose {
		c.because.end = o.ref
	}
	c.see(Seen{What: SeenCall, Call: o.Call, Op: o.Op})
	c.call(frame{proc: pUserCall})
}

// userCall makes the call in c.present and tells how it ended.
func userCall(c *Consumer, f *frame) {
	const (
		begin = iota
		returned
		threw
		slept
	)
	b := c.present
	switch f.pc {
	case begin:
		f.pc, f.catch = returned, threw
		switch b.Op {
		case OpSubscribe:
			if len(b.Topics) == 0 {
				c.call(frame{proc: pUnsubscribe})
				return
			}
			c.subscribe(b.Topics)
		case OpSubscribePattern:
			c.subscribePattern(b.Pattern)
		case OpAssign:
			if len(b.Partitions) == 0 {
				c.call(frame{proc: pUnsubscribe})
				return
			}
			c.call(frame{proc: pAssign})
		case OpUnsubscribe:
			c.call(frame{proc: pUnsubscribe})
		case OpPoll:
			c.callPoll(b.Timeout, false)
		case OpPollLong:
			c.callPoll(b.Timeout, true)
		case OpCommitSync:
			c.callFor(c.bounded(b.Timeout), frame{proc: pCommitSyncCall, fut: c.chosen(b)})
		case OpCommitAsync:
			c.call(frame{proc: pCommitAsync, n: int32(doneUser), a: b.ID, fut: c.chosen(b)})
		case OpAdvance:
			for i := range c.sub.parts {
				c.sub.seek(c.sub.parts[i].tp, b.Offset)
			}
			c.noteServes(protocol.RuleProgramSeeks)
		case OpSeek:
			if !c.sub.has(b.Partitions) {
				c.throw(thrown(IllegalState))
				return
			}
			for _, p := range b.Partitions {
				c.sub.seek(p, b.Offset)
			}
			c.noteServes(protocol.RuleProgramSeeks)
		case OpEnforceRebalance:
			c.enforceRebalance(b.Reason)
		case OpClose:
			c.call(frame{proc: pClose, a: b.Timeout})
		case OpPause, OpResume:
			if !c.sub.has(b.Partitions) {
				c.throw(thrown(IllegalState))
				return
			}
			c.sub.pause(b.Partitions, b.Op == OpPause)
			c.noteServes(protocol.RuleProgramPauses)
		case OpPosition:
			c.callFor(c.bounded(b.Timeout), frame{proc: pPosition})
		case OpCommitted:
			c.callFor(c.bounded(b.Timeout), frame{proc: pCommitted})
		case OpBusy:
			c.because.away = c.out.Note(sim.Note{Code: protocol.NoteBusy, A: b.Timeout, Comment: true}, uint16(protocol.RuleBusy), c.cause)
			c.sleep(b.Timeout)
		}
	case returned:
		c.returned(Thrown{})
	case threw:
		c.returned(c.exception)
	}
}

func (c *Consumer) returned(t Thrown) {
	b := c.present
	if !t.None() {
		c.noteThrown(t, c.thrownRef)
	}
	c.see(Seen{What: SeenReturn, Call: b, Op: b.Op, Thrown: t})
	c.present = nil
	c.ret(t.None())
}

func (c *Consumer) chosen(b *Call) int32 {
	if b.Offsets == nil {
		return commitAll
	}
	c.given = b.Offsets
	return commitGiven
}

func (c *Consumer) subscribeAtStart() {
	s := &c.cfg.Subscription
	switch {
	case c.cfg.Formed != nil: // subscribed already
	case len(s.Topics) > 0:
		c.subscribe(s.Topics)
	case s.Pattern != "":
		c.subscribePattern(s.Pattern)
	case len(s.Manual) > 0:
		c.assignManually(s.Manual)
	}
}

// subscribe changes the topics; what is held stays until the next rebalance from KIP-70 on.
func (c *Consumer) subscribe(topics []string) {
	s := &c.sub
	if s.kind == subManual || s.kind == subPattern {
		c.throw(thrown(IllegalState))
		return
	}
	topics = slices.Clone(topics)
	slices.Sort(topics)
	topics = slices.Compact(topics)
	s.kind = subTopics
	if slices.Equal(s.topics, topics) {
		return
	}
	s.topics = topics
	if s.dropUnsubscribed(topics, !c.cfg.Rules.KeepsUnsubscribed) {
		c.noteServes(protocol.RuleHeldChanges)
	}
	c.requestTopics()
}

func (c *Consumer) subscribePattern(pattern string) {
	s := &c.sub
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil || s.kind == subManual || s.kind == subTopics {
		c.throw(thrown(IllegalState))
		return
	}
	s.kind, s.pattern = subPattern, re
	c.matchTopics()
	c.requestTopics()
}

// assign is the user's assign() of the partitions in c.present: what an earlier assignment
// has read is committed first, if auto-commit is due, or in any case until 1.0 if the
// coordinator is known.
func assign(c *Consumer, f *frame) {
	switch f.pc {
	case 0:
		f.pc = 1
		if c.sub.auto() {
			c.throw(thrown(IllegalState))
			return
		}
		switch {
		case c.cfg.Group == "" || !c.cfg.Settings.AutoCommit:
		case c.cfg.Rules.AutoCommitLooksUp:
			c.maybeAutoCommit()
		case !c.coordinatorUnknown():
			c.call(frame{proc: pCommitAsync, n: int32(doneAuto), fut: commitAll})
		}
	default:
		c.assignManually(c.present.Partitions)
		c.ret(true)
	}
}

func (c *Consumer) assignManually(list []protocol.TopicPartition) {
	s := &c.sub
	if s.auto() {
		c.throw(thrown(IllegalState))
		return
	}
	s.kind = subManual
	c.setAssignment(list)
	c.requestTopics()
}

func (c *Consumer) enforceRebalance(reason string) {
	if c.cfg.Group == "" {
		c.throw(thrown(IllegalState))
		return
	}
	if reason == "" || !c.cfg.Rules.TellsReasons {
		reason = "rebalance enforced by user"
	}
	c.requestRejoin(reason, protocol.RuleEnforced, c.cause)
}
