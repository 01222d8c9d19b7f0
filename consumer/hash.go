package consumer

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Hash writes all that the consumer's future depends on. Numbers that only have to
// differ (futures, the order of connection attempts) are written as places, and how often
// something has failed as the pause that follows from it.
func (c *Consumer) Hash(h *sim.Hasher) {
	h.Int(int64(len(c.stack)))
	for i := range c.stack {
		f := &c.stack[i]
		h.Uint(uint64(f.proc)<<24 | uint64(f.pc)<<16 | uint64(f.catch)<<8 | uint64(f.flags))
		h.Int(int64(f.clock))
		h.Int(int64(f.n))
		h.Int(c.placeOf(f.fut))
		h.Int(f.a)
	}
	h.Uint(uint64(c.waits)<<16 | uint64(c.exception.Class)<<8 | uint64(c.exception.Cause))
	for _, b := range [...]bool{c.result, c.netLocked, c.wakeup, c.wakeupsOff, c.closed, c.hangs, c.stopping, c.awake, c.rejoin, c.needsPrepare,
		c.leads, c.staysOut, c.requestRejoinLater, c.lostLate, c.hasPositions, c.dozes, c.toldIdle, c.autoTask, c.commitFenced} {
		h.Bool(b)
	}
	h.Int(int64(len(c.orders)))
	for _, o := range c.orders {
		h.Body(o.Call)
		h.Bool(o.awaitsBatch)
	}
	h.Bool(c.present != nil)
	if c.present != nil {
		h.Body(c.present)
	}
	h.Int(int64(len(c.clocks)))
	for i := range c.clocks {
		h.Int(c.clocks[i].left)
	}
	c.hashNetwork(h)
	c.hashGroup(h)
	c.hashSubscription(h)
}

func (c *Consumer) placeOf(fut int32) int64 {
	for i := range c.futures {
		if c.futures[i].id == fut {
			return int64(i)
		}
	}
	return -1
}

func (c *Consumer) hashRequest(h *sim.Hasher, r *request) {
	h.Uint(uint64(r.conn)<<16 | uint64(r.use)<<8 | uint64(r.done.kind))
	h.Int(r.done.id)
	h.Int(c.placeOf(r.fut))
	h.Int(r.timeout)
	hashGeneration(h, &r.gen)
	h.Body(r.body)
}

func hashGeneration(h *sim.Hasher, g *generation) {
	h.Int(int64(g.id))
	h.Str(g.member)
	h.Str(g.protocol)
}

func (c *Consumer) hashNetwork(h *sim.Hasher) {
	h.Int(int64(len(c.conns)))
	for i := range c.conns {
		k := &c.conns[i]
		earlier := 0
		for j := range c.conns {
			if c.conns[j].tried < k.tried {
				earlier++
			}
		}
		h.Uint(uint64(uint32(k.node))<<32 | uint64(k.channel)<<16 | uint64(k.state))
		h.Int(c.reconnectBackoff(k.fails))
		h.Int(int64(earlier))
		h.Bool(k.session)
	}
	for _, list := range [...][]request{c.unsent, c.inflight, c.aborted} {
		h.Int(int64(len(list)))
		for i := range list {
			c.hashRequest(h, &list[i])
		}
	}
	for i := range c.inflight { // answers say which they are to
		h.Uint(uint64(c.lastOrd[c.inflight[i].kind] - c.inflight[i].ord))
	}
	h.Int(int64(len(c.inbox)))
	for i := range c.inbox {
		if !c.inbox[i].closed {
			h.Uint(uint64(c.lastOrd[c.inbox[i].kind] - c.inbox[i].ord))
		}
		h.Int(int64(c.inbox[i].link))
		h.Bool(c.inbox[i].closed)
		h.Body(c.inbox[i].body)
	}
	h.Int(int64(len(c.completions)))
	for i := range c.completions {
		c.hashRequest(h, &c.completions[i].req)
		h.Body(c.completions[i].body)
		h.Uint(uint64(c.completions[i].err.Class))
	}
	h.Int(int64(len(c.closing)))
	for _, i := range c.closing {
		h.Int(int64(i))
	}
	h.Int(int64(len(c.futures)))
	for i := range c.futures {
		f := &c.futures[i]
		h.Bool(f.read)
		h.Bool(f.done)
		h.Uint(uint64(f.err.Class))
		h.Body(f.body)
	}
	m := &c.meta
	h.Int(int64(len(m.brokers)))
	for _, n := range m.brokers {
		h.Int(int64(n))
	}
	h.Int(int64(len(m.topics)))
	for i := range m.topics {
		h.Str(m.topics[i].Name)
		h.Int(int64(m.topics[i].Error))
		for _, n := range m.topics[i].Leaders {
			h.Int(int64(n))
		}
	}
	h.Bool(m.asked < m.requests)
	h.Int(c.retryBackoff(m.failures))
	h.Int(c.retryBackoff(m.same))
	h.Bool(m.full)
	h.Bool(m.partial)
	h.Bool(m.inFlight)
	h.Int(int64(c.refused))
	h.Bool(c.sub.snapshotVersion == m.version)
}

func (c *Consumer) hashGroup(h *sim.Hasher) {
	h.Int(int64(c.coord))
	h.Int(c.placeOf(c.find))
	h.Uint(uint64(c.st))
	hashGeneration(h, &c.gen)
	hashGeneration(h, &c.taken)
	h.Str(c.reason)
	h.Int(c.placeOf(c.join))
	if c.leading != nil {
		h.Body(c.leading)
	}
	h.Int(int64(len(c.assignment)))
	for i := range c.assignment {
		h.Str(c.assignment[i].Member)
		h.Uint(c.assignment[i].Assignment.Sum())
	}
	h.Int(int64(c.prepareClock)<<16 | int64(c.prepareWait))
	h.Int(c.placeOf(c.prepareCommit))
	t := &c.heart
	for _, b := range [...]bool{t.exists, t.enabled, t.waiting, t.notified} {
		h.Bool(b)
	}
	h.Uint(uint64(t.failed.Class))
	h.Int(c.retryBackoff(t.failures))
	for _, s := range [...]*stickyMemory{&c.sticky, &c.cooperative} {
		h.Bool(s.known)
		h.Int(int64(s.generation))
		hashList(h, s.parts)
	}
	h.Bool(c.assignState.TopGeneration.Known)
	h.Int(int64(c.assignState.TopGeneration.Number))
	for _, n := range c.calls {
		h.Int(int64(n))
	}
	h.Int(int64(len(c.listenerErrs)))
	hashList(h, c.called)
}

func hashList(h *sim.Hasher, list []protocol.TopicPartition) {
	h.Int(int64(len(list)))
	for _, p := range list {
		h.Str(p.Topic)
		h.Int(int64(p.Partition))
	}
}

func hashOffsets(h *sim.Hasher, list []protocol.PartitionOffset) {
	h.Int(int64(len(list)))
	for _, p := range list {
		h.Str(p.Topic)
		h.Int(int64(p.Partition))
		h.Int(p.Offset)
	}
}

func (c *Consumer) hashSubscription(h *sim.Hasher) {
	s := &c.sub
	h.Uint(uint64(s.kind))
	h.Strs(s.topics)
	h.Bool(s.joined == nil)
	h.Strs(s.joined)
	h.Strs(s.groupTopics)
	h.Int(int64(len(s.parts)))
	for i := range s.parts {
		p := &s.parts[i]
		h.Str(p.tp.Topic)
		h.Uint(uint64(uint32(p.tp.Partition))<<32 | uint64(p.state))
		h.Int(int64(p.leader))
		h.Int(p.position)
		h.Int(p.buffered)
		h.Bool(p.paused)
		h.Bool(p.revoking)
	}
	h.Bool(s.snapshotSet)
	h.Bool(s.snapshotDue)
	for _, list := range [...][]topicCount{s.metadataSnapshot, s.assignmentSnapshot} {
		h.Int(int64(len(list)))
		for _, t := range list {
			h.Str(t.topic)
			h.Int(int64(t.count))
			h.Uint(t.racks)
		}
	}
	h.Int(c.placeOf(c.offsetsFuture))
	hashList(h, c.offsetsOf)
	hashGeneration(h, &c.offsetsGen)
	hashOffsets(h, c.given)
	h.Int(int64(c.asyncCommits))
	h.Int(int64(len(c.finished)))
	for _, f := range c.finished {
		h.Uint(uint64(f.kind)<<8 | uint64(f.err.Class))
		h.Int(f.id)
	}
	h.Int(int64(len(c.queuedCommits)))
	for i := range c.queuedCommits {
		h.Int(c.placeOf(c.queuedCommits[i].fut))
		hashOffsets(h, c.queuedCommits[i].offsets)
	}
	h.Int(int64(len(c.batch)))
	for _, d := range c.batch {
		hashList(h, d.list.Partitions)
		h.Int(d.from)
		h.Int(d.to)
	}
}
