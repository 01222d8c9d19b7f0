package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// updatePositions gives every assigned partition a position: the committed offset, or
// what the reset policy says.
func updatePositions(c *Consumer, f *frame) {
	if f.pc == 1 {
		if !c.result {
			c.ret(false)
			return
		}
		c.takeCommitted(c.committed)
		c.committed = nil
		c.resetPositions()
		return
	}
	c.hasPositions = c.sub.allPositions()
	if c.hasPositions {
		c.ret(true)
		return
	}
	if c.cfg.Rules.PausedFetchesOffsets {
		c.sub.forgetPaused()
	}
	wanted := c.initializing()
	if c.cfg.Group == "" || len(wanted) == 0 {
		c.resetPositions()
		return
	}
	f.pc = 1
	c.fetchCommitted(wanted, f.clock, f.flags)
}

// committedCall is the user's committed() of the partitions in c.present.
func committedCall(c *Consumer, f *frame) {
	switch {
	case f.pc == 0 && c.cfg.Group == "":
		c.throw(thrown(InvalidGroupID))
	case f.pc == 0 && len(c.present.Partitions) > 0:
		f.pc = 1
		c.fetchCommitted(c.present.Partitions, f.clock, f.flags)
	case f.pc == 1 && !c.result:
		c.throw(thrown(Timeout))
	default:
		c.committed = nil
		c.ret(true)
	}
}

// fetchCommitted calls the procedure that asks for committed offsets. A request for the same
// in the same generation that is still under way is not sent again.
func (c *Consumer) fetchCommitted(wanted []protocol.TopicPartition, clock clockID, flags uint8) {
	g := c.gen
	if c.st != stable {
		g = noGeneration
	}
	if c.offsetsFuture != 0 && (!slices.Equal(c.offsetsOf, wanted) || c.offsetsGen != g) {
		c.drop(c.offsetsFuture)
		c.offsetsFuture = 0
	}
	c.offsetsOf, c.offsetsGen = wanted, g
	c.call(frame{proc: pFetchCommitted, clock: clock, flags: flags & noWakeup})
}

// fetchCommitted leaves the answer in c.committed, unless the time is over before.
func fetchCommitted(c *Consumer, f *frame) {
	const (
		turn = iota
		found
		answered
		slept
	)
	switch f.pc {
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
		if c.offsetsFuture == 0 {
			c.sendOffsetFetch(c.offsetsOf)
		}
		f.pc = answered
		c.waitFor(c.offsetsFuture, f.clock, f.flags)
	case answered:
		fut := c.future(c.offsetsFuture)
		if !fut.done {
			c.ret(false)
			return
		}
		done := *fut
		c.drop(c.offsetsFuture)
		c.offsetsFuture = 0
		c.cause = done.ref
		switch {
		case done.err.None():
			c.committed = done.body.(*protocol.OffsetFetchAnswer)
			c.ret(true)
		case !done.err.Class.Retriable():
			c.throw(done.err)
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
	}
}

func (c *Consumer) initializing() []protocol.TopicPartition {
	var list []protocol.TopicPartition
	for i := range c.sub.parts {
		if c.sub.parts[i].state == posNone {
			list = append(list, c.sub.parts[i].tp)
		}
	}
	return list
}

func (c *Consumer) sendOffsetFetch(list []protocol.TopicPartition) {
	if c.coordinatorUnknown() {
		c.offsetsFuture = c.failedFuture(thrown(CoordinatorNotAvailable))
		return
	}
	c.offsetsFuture = c.newFuture()
	body := &protocol.OffsetFetchRequest{Version: c.cfg.Versions[protocol.KindOffsetFetch], Group: c.cfg.Group,
		Partitions: list, RequireStable: c.cfg.Rules.RequiresStableOffsets}
	c.queue(request{conn: c.coord, use: useOffsets, fut: c.offsetsFuture, gen: c.gen, why: protocol.RuleOffsetsWanted, ref: c.cause, body: body.Freeze()})
}

// handleOffsets handles the answer to OffsetFetch.
func (c *Consumer) handleOffsets(d *completion) {
	answer, _ := d.body.(*protocol.OffsetFetchAnswer)
	if answer == nil {
		c.fail(d.req.fut, d.err, d.ref)
		return
	}
	r := &c.cfg.Rules
	switch e := answer.Error; e {
	case protocol.None:
	case protocol.CoordinatorLoadInProgress, protocol.GroupAuthorizationFailed:
		c.fail(d.req.fut, thrown(classOf(e)), d.ref)
		return
	case protocol.NotCoordinator:
		c.coordinatorLost(false, protocol.RuleCoordinatorChanged, d.ref)
		c.fail(d.req.fut, thrown(classOf(e)), d.ref)
		return
	case protocol.CoordinatorNotAvailable:
		if r.OffsetFetchRetries {
			c.coordinatorLost(false, protocol.RuleCoordinatorChanged, d.ref)
			c.fail(d.req.fut, thrown(classOf(e)), d.ref)
			return
		}
		c.fail(d.req.fut, thrown(Kafka), d.ref)
		return
	default:
		err := thrown(Kafka)
		if r.OffsetFetchRetries && classOf(e).Retriable() {
			err = thrown(classOf(e))
		}
		c.fail(d.req.fut, err, d.ref)
		return
	}
	var unauthorized, unstable bool
	for i := range answer.Partitions {
		switch answer.Partitions[i].Error {
		case protocol.None:
		case protocol.TopicAuthorizationFailed:
			unauthorized = true
		case protocol.UnstableOffsetCommit:
			unstable = true
		default:
			c.fail(d.req.fut, thrown(Kafka), d.ref)
			return
		}
	}
	switch {
	case unauthorized && r.CollectsTopicAuthorization:
		c.fail(d.req.fut, thrown(TopicAuthorization), d.ref)
	case unauthorized:
		c.fail(d.req.fut, thrown(Kafka), d.ref)
	case unstable:
		c.fail(d.req.fut, thrown(UnstableOffsetCommit), d.ref)
	default:
		c.complete(d.req.fut, answer, d.ref)
	}
}

// takeCommitted sets positions to committed offsets.
func (c *Consumer) takeCommitted(answer *protocol.OffsetFetchAnswer) {
	for _, o := range answer.Partitions {
		if p := c.sub.find(o.TopicPartition); p != nil && p.state == posNone && o.Offset >= 0 {
			c.sub.seek(o.TopicPartition, o.Offset)
		}
	}
}

// resetPositions lets the reset policy find the positions that are not committed, and
// ends updatePositions. Where a partition begins or ends is asked of its leader, and not
// waited for.
func (c *Consumer) resetPositions() {
	for i := range c.sub.parts {
		p := &c.sub.parts[i]
		if p.state != posNone {
			continue
		}
		if c.cfg.Settings.OffsetReset == ResetNone {
			c.throw(thrown(NoOffsetForPartition))
			return
		}
		p.state = posReset
	}
	c.listOffsets()
	c.noteServes(protocol.RulePositionsKnown)
	c.ret(true)
}

// listOffsets asks the leaders of partitions that await a reset, one request each.
func (c *Consumer) listOffsets() {
	if c.out.Left(c.listAllowed) > 0 {
		return
	}
	where := protocol.Latest
	if c.cfg.Settings.OffsetReset == ResetEarliest {
		where = protocol.Earliest
	}
	for i := range c.sub.parts {
		if p := &c.sub.parts[i]; p.state == posReset && !slices.Contains(c.meta.brokers, p.leader) {
			c.requestMetadata() // whom to ask is not known
			break
		}
	}
	for _, node := range c.meta.brokers {
		var list []protocol.PartitionOffset
		for i := range c.sub.parts {
			p := &c.sub.parts[i]
			if p.state == posReset && p.leader == node && !c.listing(p.tp) {
				list = append(list, protocol.PartitionOffset{TopicPartition: p.tp, Offset: where})
			}
		}
		if len(list) > 0 {
			body := &protocol.ListOffsetsRequest{Partitions: list}
			c.queue(request{conn: c.connTo(node, ChannelBroker), use: useList, why: protocol.RuleOffsetReset, ref: c.cause, body: body.Freeze()})
		}
	}
}

// listing reports whether a partition's offset has been asked for, and the answer was not taken in
// yet. What asks has its partitions in order, as the subscription has: the logarithm of their number
// for each request.
func (c *Consumer) listing(tp protocol.TopicPartition) bool {
	return slices.ContainsFunc(c.unsent, func(r request) bool { return r.lists(tp) }) ||
		slices.ContainsFunc(c.inflight, func(r request) bool { return r.lists(tp) }) ||
		slices.ContainsFunc(c.completions, func(d completion) bool { return d.req.lists(tp) })
}

// lists reports whether the request asks for a partition's offset.
func (r *request) lists(tp protocol.TopicPartition) bool {
	b, ok := r.body.(*protocol.ListOffsetsRequest)
	if !ok {
		return false
	}
	_, found := slices.BinarySearchFunc(b.Partitions, tp, func(o protocol.PartitionOffset, tp protocol.TopicPartition) int { return o.Compare(tp) })
	return found
}

// handleList handles the answer to ListOffsets.
func (c *Consumer) handleList(d *completion) {
	answer, _ := d.body.(*protocol.ListOffsetsAnswer)
	if answer == nil {
		c.listFailed()
		return
	}
	stale := false
	for _, o := range answer.Partitions {
		p := c.sub.find(o.TopicPartition)
		if o.Error != protocol.None {
			stale = true
			continue
		}
		if p != nil && p.state == posReset {
			c.sub.seek(o.TopicPartition, o.Offset)
		}
	}
	if stale {
		c.listFailed()
	}
	c.noteServes(protocol.RulePositionsKnown)
}

// listFailed lets a leader be asked again after a pause, whoever that is by then.
func (c *Consumer) listFailed() {
	c.requestMetadata()
	c.out.Arm(c.listAllowed, c.cfg.Settings.RetryBackoff)
}
