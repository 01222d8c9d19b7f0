package consumer

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// future is the outcome of something asked for over the network.
type future struct {
	id   int32
	done bool
	err  Thrown
	body sim.Body
	ref  sim.Ref // the record that completed it
	read bool    // an assignment that has been taken over, or has begun to be
}

func (c *Consumer) newFuture() int32 {
	c.lastFuture++
	c.futures = append(c.futures, future{id: c.lastFuture})
	return c.lastFuture
}

func (c *Consumer) future(id int32) *future {
	for i := range c.futures {
		if c.futures[i].id == id {
			return &c.futures[i]
		}
	}
	return nil
}

// drop forgets a future; its answer, if it still comes, concerns nobody.
func (c *Consumer) drop(id int32) {
	for i := range c.futures {
		if c.futures[i].id == id {
			last := len(c.futures) - 1
			copy(c.futures[i:], c.futures[i+1:])
			c.futures[last] = future{}
			c.futures = c.futures[:last]
			return
		}
	}
}

func (c *Consumer) complete(id int32, body sim.Body, ref sim.Ref) {
	if f := c.future(id); f != nil && !f.done {
		f.done, f.body, f.ref = true, body, ref
	}
}

func (c *Consumer) fail(id int32, err Thrown, ref sim.Ref) {
	if f := c.future(id); f != nil && !f.done {
		f.done, f.err, f.ref = true, err, ref
	}
}

// failed makes a future that has failed already.
func (c *Consumer) failedFuture(err Thrown) int32 {
	id := c.newFuture()
	c.fail(id, err, c.cause)
	return id
}

// pending reports whether a future is yet to be done.
func (c *Consumer) pending(id int32) bool {
	f := c.future(id)
	return f != nil && !f.done
}

// coordinatorUnknown reports whether there is no coordinator to speak to. One whose
// connection failed and must not be tried again yet is given up by asking.
func (c *Consumer) coordinatorUnknown() bool {
	if c.coord >= 0 && c.unavailable(c.coord) {
		c.coordinatorLost(true, protocol.RuleCoordinatorConnectionLost, c.lostRef)
	}
	return c.coord < 0
}

// coordinatorLost marks the coordinator unknown. Unless its connection is closed
// already it will be, at the next network poll (KAFKA-6366). State, generation and
// wish to rejoin stay as they are.
func (c *Consumer) coordinatorLost(closed bool, why protocol.Rule, ref sim.Ref) {
	if c.coord < 0 {
		return
	}
	old := c.coord
	c.coord = -1
	c.coordWhy, c.coordRef = why, ref
	c.because.lookup = 0
	if closed {
		return
	}
	if c.cfg.Rules.DisconnectsLostCoordinator {
		c.closeAsync(old)
		return
	}
	kept := c.unsent[:0]
	for _, r := range c.unsent {
		if r.conn == old {
			c.completions = append(c.completions, completion{req: r, err: thrown(CoordinatorNotAvailable), ref: ref})
		} else {
			kept = append(kept, r)
		}
	}
	c.unsent = kept
}

// lookup asks some broker who coordinates, unless that is under way.
func (c *Consumer) lookup() int32 {
	if c.find != 0 {
		return c.find
	}
	i := c.leastLoaded()
	if i < 0 {
		return c.failedFuture(thrown(NoBrokers))
	}
	c.find = c.newFuture()
	why, ref := c.coordWhy, c.coordRef
	if c.because.lookup != 0 {
		why, ref = protocol.RuleLookupFailed, c.because.lookup
	}
	c.queue(request{conn: i, use: useFind, fut: c.find, why: why, ref: ref, body: c.findBody})
	return c.find
}

func (c *Consumer) forgetFind() {
	c.drop(c.find)
	c.find = 0
}

// handleFind handles the answer to FindCoordinator.
func (c *Consumer) handleFind(d *completion) {
	if !c.cfg.Rules.KeepsFindFuture && c.find == d.req.fut {
		c.find = 0
	}
	answer, _ := d.body.(*protocol.FindCoordinatorAnswer)
	if c.because.lookup = d.ref; answer != nil && answer.Error == protocol.None {
		c.because.lookup = 0
	}
	switch {
	case answer == nil:
		c.fail(d.req.fut, d.err, d.ref)
	case answer.Error == protocol.None:
		c.coord = c.connTo(answer.Node, ChannelCoordinator)
		if c.canConnect(c.coord) {
			c.connect(c.coord)
		}
		c.coordinatorFound()
		c.complete(d.req.fut, nil, d.ref)
	default:
		c.fail(d.req.fut, thrown(classOf(answer.Error)), d.ref)
	}
	err := d.err
	if answer != nil && answer.Error != protocol.None {
		err = thrown(classOf(answer.Error))
	}
	c.findDone(d.req.fut, err)
	if c.find != d.req.fut && c.findAwaited != d.req.fut {
		c.drop(d.req.fut)
	}
}

// coordinatorReady looks for the coordinator until there is one or the clock has run out. It
// holds the coordinator's monitor all the time, so the heartbeat thread stands still.
// f.n counts attempts.
func coordinatorReady(c *Consumer, f *frame) {
	const (
		begin = iota
		asked
		retry
		refreshed
		turn
	)
	switch f.pc {
	case begin:
		if !c.coordinatorUnknown() {
			c.ret(true)
			return
		}
		f.pc = asked
		f.fut = c.lookup()
		c.findAwaited = f.fut
		c.waitFor(f.fut, f.clock, f.flags)
	case asked:
		fut := c.future(f.fut)
		if !fut.done { // another lookup's answer may have named it
			c.findAwaited = 0
			c.ret(!c.coordinatorUnknown())
			return
		}
		err := fut.err
		f.pc = turn
		switch {
		case !err.None() && err.Class.Retriable():
			f.pc = refreshed
			if c.cfg.Rules.ExponentialRetry {
				f.pc = retry
				c.sleepOn(f.clock, c.retryBackoff(f.n))
				f.n++
			}
		case !err.None():
			ref := fut.ref
			c.endFind(f)
			c.throwFor(err, ref)
		case c.coord >= 0 && c.unavailable(c.coord):
			c.coordinatorLost(false, protocol.RuleCoordinatorUnreachable, fut.ref)
			c.sleepOn(f.clock, c.retryBackoff(f.n))
			f.n++
		}
	case retry:
		c.update(f.clock)
		f.pc = refreshed
	case refreshed:
		f.pc = turn
		c.call(frame{proc: pAwaitMetadata, clock: f.clock, flags: f.flags & noWakeup})
	case turn:
		c.update(f.clock)
		c.endFind(f)
		if c.coordinatorUnknown() && !c.expired(f.clock) {
			f.pc = begin
			return
		}
		c.ret(!c.coordinatorUnknown())
	}
}

func (c *Consumer) endFind(f *frame) {
	c.findAwaited = 0
	if c.cfg.Rules.KeepsFindFuture || c.find == f.fut {
		c.find = 0
	}
	c.drop(f.fut)
}

// retryBackoff is the pause after n failures (KIP-580), without jitter.
func (c *Consumer) retryBackoff(n int32) int64 {
	s := &c.cfg.Settings
	if !c.cfg.Rules.ExponentialRetry {
		return s.RetryBackoff
	}
	return exponential(s.RetryBackoff, s.RetryBackoffMax, n)
}

func exponential(base, limit int64, n int32) int64 {
	if limit <= base {
		return min(base, limit)
	}
	ms := base
	for ; n > 0 && ms < limit; n-- {
		ms *= 2
	}
	return min(ms, limit)
}

// readyCoordinator calls coordinatorReady if it has anything to do, and reports whether it did.
func (c *Consumer) readyCoordinator(clock clockID, flags uint8) {
	c.call(frame{proc: pCoordinatorReady, clock: clock, flags: flags&noWakeup | monitor})
}
