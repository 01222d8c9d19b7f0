package coordinator

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// partition is a partition of __consumer_offsets: its log, and what waits for it.
type partition struct {
	state partState
	epoch int32
	log   []*protocol.LogRecord // from offset base on; records are never written to
	base  int64
	end   int64 // offset of the next record
	hw    int64 // all before it is committed
	held  bool  // the high watermark stands still
	fail  protocol.Error

	live int // records that the cleaner left

	queue  []waiting // in the order of the offsets that they wait for
	commit sim.TimerID

	load    *Load // under way
	loading sim.TimerID
	cleanup sim.TimerID
}

// partState says what a broker has to do with a partition.
type partState uint8

const (
	partOther   partState = iota // nothing
	partQueued                   // it will load it
	partLoading                  // it is loading it
	partOwned                    // it coordinates its groups
)

// waiting is something that goes on when the log is committed up to an offset.
type waiting struct {
	op    uint32
	until int64
	what  uint8
	group int32
	born  uint32
	timer sim.TimerID

	req        sim.Request
	answer     sim.Body
	why        protocol.Rule
	generation int32
	record     *protocol.LogRecord
	first      int64 // offset of its first record
	static     *restart
	// timer entries: what is tried again if it fails
	kind   uint8
	member string
}

// body is the record as a body, nil if there is none.
func (w *waiting) body() sim.Body {
	if w.record == nil {
		return nil
	}
	return w.record
}

// What can wait.
const (
	waitAssign  uint8 = iota // the leader's assignment
	waitStatic               // the new id of a static member
	waitOffsets              // an offset commit
	waitAnswer               // an answer that is ready
	waitParked               // nothing, but the request has an error if the log fails
	waitTimer                // what a timer did
)

// append puts a record into the log and returns the log's refusal, if any. Where nobody
// looks what becomes of a tombstone it asks for no acknowledgement: it is in the log of a
// partition that has too few replicas, and not in one that the broker does not lead.
func (b *Broker) append(n int32, r *protocol.LogRecord, why protocol.Rule) protocol.Error {
	p := &b.parts[n]
	switch {
	case p.fail == protocol.None:
	case !r.Tombstone || b.cfg.Rules.TombstonesAwaited:
		b.failed = p.fail
		return p.fail
	case p.fail == protocol.NotLeaderOrFollower, p.fail == protocol.NotCoordinator:
		b.out.Note(sim.Note{Code: protocol.NoteUnwritten, A: int64(n), Body: r.Freeze()}, uint16(why), 0)
		return protocol.None
	}
	p.log = append(p.log, r.Freeze())
	p.end++
	if !r.IsOffset {
		if i := b.byGroup.find(r.Group); i != none {
			b.groups[i].stored = r
		}
	}
	b.wrote = true
	later := int64(0)
	if p.held || b.cfg.AppendLinger > 0 {
		later = 1
	}
	b.out.Note(sim.Note{Code: protocol.NoteAppend, A: int64(n), B: p.end - 1, C: later, Body: r}, uint16(why), 0)
	switch {
	case p.held:
	case b.cfg.AppendLinger == 0:
		p.hw = p.end
		p.clean()
	default:
		if p.commit == 0 {
			p.commit = b.newTimer(TimerCommit, n, none, uint64(n), "")
		}
		if !b.out.Armed(p.commit) {
			b.out.Arm(p.commit, b.cfg.AppendLinger)
		}
	}
	return protocol.None
}

// wait lets w go on when everything that is in the log now is committed: at once, if
// it is.
func (b *Broker) wait(n int32, w waiting) {
	p := &b.parts[n]
	w.until = p.end
	if p.hw >= w.until {
		b.goOn(&w, protocol.None)
		return
	}
	b.lastOp++
	w.op = b.lastOp
	w.timer = b.newTimer(TimerWrite, n, none, uint64(n), "")
	b.out.Arm(w.timer, b.cfg.CommitTimeout)
	p.queue = append(p.queue, w)
}

// goOn does what w waited for, or undoes it if the log has failed it.
func (b *Broker) goOn(w *waiting, err protocol.Error) {
	var g *group
	if w.group != none {
		if g = b.groups[w.group]; g != nil && g.born != w.born {
			g = nil
		}
	}
	switch w.what {
	case waitAssign:
		b.assigned(g, w, err)
	case waitStatic:
		b.restartStored(g, w, err)
	case waitOffsets:
		b.offsetsStored(g, w, err)
	case waitAnswer:
		b.answerWritten(w, err)
	case waitParked:
		b.parkedFails(w, err)
	case waitTimer:
		if err != protocol.None && err != protocol.NotLeaderOrFollower && g != nil {
			b.retryTimer(g, w.kind, w.member)
		}
	}
}

// advance moves the high watermark to the log's end and lets go on what waited.
func (b *Broker) advance(n int32) {
	p := &b.parts[n]
	if p.hw < p.end {
		b.out.Note(sim.Note{Code: protocol.NoteCommitted, A: int64(n), B: p.end}, uint16(protocol.RuleReplicated), 0)
	}
	p.hw = p.end
	p.clean()
	b.promote(n)
	for len(p.queue) > 0 && p.queue[0].until <= p.hw {
		w := p.queue[0]
		p.queue = slices.Delete(p.queue, 0, 1)
		b.freeTimer(&w.timer)
		b.goOn(&w, protocol.None)
	}
}

func (b *Broker) commitsLinger(n int32) {
	if p := &b.parts[n]; !p.held && p.fail != protocol.NotLeaderOrFollower { // another leads, which does not have it
		b.advance(n)
	}
}

func (b *Broker) hold(o *Hold) {
	b.parts[o.Partition].held = !o.Release
	if o.Release {
		b.commitsLinger(o.Partition)
	}
}

// failAppends makes appends fail from now on, or no more. What was written before is
// committed a while later.
func (b *Broker) failAppends(o *FailAppends) {
	p := &b.parts[o.Partition]
	p.fail = o.Error
	if p.fail == protocol.None && !p.held && p.hw < p.end {
		if p.commit == 0 {
			p.commit = b.newTimer(TimerCommit, o.Partition, none, uint64(o.Partition), "")
		}
		if !b.out.Armed(p.commit) {
			b.out.Arm(p.commit, b.cfg.AppendLinger)
		}
	}
}

// writeTimesOut fails what has waited for offsets.commit.timeout.ms. Its records stay
// in the log.
func (b *Broker) writeTimesOut(n int32, t sim.TimerID) {
	p := &b.parts[n]
	for i := range p.queue {
		if p.queue[i].timer == t {
			w := p.queue[i]
			p.queue = slices.Delete(p.queue, i, i+1)
			b.freeTimer(&w.timer)
			b.goOn(&w, protocol.RequestTimedOut)
			return
		}
	}
}

// failQueue fails all that waits, as when the broker stops leading the partition.
func (b *Broker) failQueue(n int32, err protocol.Error) {
	p := &b.parts[n]
	for len(p.queue) > 0 {
		w := p.queue[0]
		p.queue = slices.Delete(p.queue, 0, 1)
		b.freeTimer(&w.timer)
		b.goOn(&w, err)
	}
}

// settle notes that the request of a queued entry has been answered.
func (b *Broker) settle(n int32, op uint32) {
	q := b.parts[n].queue
	i, found := slices.BinarySearchFunc(q, op, func(w waiting, op uint32) int { return int(w.op) - int(op) })
	if found {
		q[i].req = sim.Request{}
	}
}

// answer answers the request being handled, which may have written to partition n: in
// Scala's coordinator at once, in Java's when all that has been written is committed.
func (b *Broker) answer(n int32, body sim.Body, why protocol.Rule, ref sim.Ref) {
	p := &b.parts[n]
	if !b.cfg.Rules.WaitsForLog || b.failed == protocol.None && p.hw >= p.end {
		b.reply(body, why, ref)
		return
	}
	w := waiting{what: waitAnswer, group: none, req: b.req, answer: body, why: why}
	if b.failed != protocol.None {
		b.answerWritten(&w, b.failed)
		return
	}
	b.park(protocol.RuleWaitsForLog)
	b.wait(n, w)
}

func (b *Broker) answerWritten(w *waiting, err protocol.Error) {
	if err == protocol.None {
		b.out.Reply(w.req, w.answer, uint16(w.why), w.req.Ref)
		return
	}
	b.out.Reply(w.req, errorAnswer(w.answer, b.storeError(err, false)), uint16(protocol.RuleStoreFailed), w.req.Ref)
}

// errorAnswer is an answer of the same kind with an error for the whole request.
func errorAnswer(like sim.Body, err protocol.Error) sim.Body {
	switch a := like.(type) {
	case *protocol.HeartbeatAnswer:
		return protocol.AnswerHeartbeat(err)
	case *protocol.LeaveGroupAnswer:
		return (&protocol.LeaveGroupAnswer{Error: err}).Freeze()
	case *protocol.OffsetFetchAnswer:
		return (&protocol.OffsetFetchAnswer{Error: err}).Freeze()
	case *protocol.OffsetDeleteAnswer:
		return (&protocol.OffsetDeleteAnswer{Error: err}).Freeze()
	case *protocol.DeleteGroupsAnswer:
		c := &protocol.DeleteGroupsAnswer{Groups: slices.Clone(a.Groups)}
		for i := range c.Groups {
			c.Groups[i].Error = err
		}
		return c.Freeze()
	case *protocol.OffsetCommitAnswer:
		c := &protocol.OffsetCommitAnswer{Partitions: slices.Clone(a.Partitions)}
		for i := range c.Partitions {
			c.Partitions[i].Error = err
		}
		return c.Freeze()
	case *protocol.TxnOffsetCommitAnswer:
		c := &protocol.TxnOffsetCommitAnswer{Partitions: slices.Clone(a.Partitions)}
		for i := range c.Partitions {
			c.Partitions[i].Error = err
		}
		return c.Freeze()
	}
	return like
}

// storeError is what a client is told when the log has refused a record.
func (b *Broker) storeError(err protocol.Error, commit bool) protocol.Error {
	rules := &b.cfg.Rules
	switch err {
	case protocol.UnknownTopicOrPartition:
		return protocol.CoordinatorNotAvailable
	case protocol.NotEnoughReplicas:
		if rules.ReplicasMapped {
			return protocol.CoordinatorNotAvailable
		}
	case protocol.NotEnoughReplicasAfter:
		if rules.ReplicasMapped && !rules.AfterAppendPassed {
			return protocol.CoordinatorNotAvailable
		}
	case protocol.NotLeaderOrFollower:
		return protocol.NotCoordinator
	case protocol.KafkaStorageError:
		if rules.StorageMapped {
			return protocol.NotCoordinator
		}
	case protocol.NotCoordinator: // the broker does not have the partition any more
		if !rules.LostPartitionAnswered {
			return protocol.UnknownServerError
		}
	case protocol.RequestTimedOut:
		switch {
		case rules.StoreTimeout == protocol.StoreTimeoutUnavailable:
			return protocol.CoordinatorNotAvailable
		case rules.StoreTimeout == protocol.StoreTimeoutRebalances && !commit:
			return protocol.RebalanceInProgress
		}
	case protocol.MessageTooLarge, protocol.RecordListTooLarge, protocol.InvalidFetchSize:
		if commit && !rules.CommitSizeUnknown {
			return protocol.InvalidCommitOffsetSize
		}
		return protocol.UnknownServerError
	}
	return err
}

// cleanAt is the number of records from which on a log is cleaned.
const cleanAt = 4096

// clean drops the records that later ones replace, as Kafka's log cleaner does, when
// they are more than half. A load finds the same as before. Offsets stay as they are:
// of the records that are left the first one's would be wrong, which nobody asks.
func (p *partition) clean() {
	if len(p.log) < max(cleanAt, 2*p.live) {
		return
	}
	type key struct {
		offset    bool
		group     string
		partition protocol.TopicPartition
	}
	seen := make(map[key]bool, p.live)
	kept := make([]*protocol.LogRecord, 0, p.live)
	for i := len(p.log) - 1; i >= 0; i-- {
		r := p.log[i]
		k := key{r.IsOffset, r.Group, r.Partition}
		if !seen[k] {
			seen[k] = true
			kept = append(kept, r)
		}
	}
	slices.Reverse(kept)
	p.base += int64(len(p.log) - len(kept))
	p.log, p.live = kept, len(kept)
}

// committedLog is the log without what is not committed.
func (p *partition) committedLog() []*protocol.LogRecord {
	return slices.Clip(p.log[:p.hw-p.base])
}

// Log is the committed log of a partition of __consumer_offsets as this broker has
// it, oldest first: what a load by another broker replays. It is not to be written to.
func (b *Broker) Log(partition int32) []*protocol.LogRecord {
	return b.parts[partition].committedLog()
}

func (p *partition) hash(b *Broker, h *sim.Hasher) {
	if p.state == partOther && len(p.log) == 0 {
		h.Uint(0)
		return
	}
	h.Uint(uint64(p.state) + 1)
	h.Int(int64(p.epoch))
	h.Bool(p.held)
	h.Int(int64(p.fail))
	h.Int(p.end - p.hw)
	log := p.log
	if p.state == partOwned { // what is committed stands in the groups
		log = log[p.hw-p.base:]
	}
	h.Int(int64(len(log)))
	for _, r := range log {
		h.Uint(r.Sum())
	}
	h.Int(int64(len(p.queue)))
	for i := range p.queue {
		w := &p.queue[i]
		h.Int(w.until - p.hw)
		h.Uint(uint64(w.what))
		if w.group != none && b.groups[w.group] != nil && b.groups[w.group].born == w.born {
			h.Uint(b.groups[w.group].sum)
		}
		h.Body(w.body())
		h.Str(w.member)
		if w.static != nil {
			h.Str(w.static.newID)
			h.Str(w.static.oldID)
			h.Str(w.static.oldLeader)
			hashProtocols(h, w.static.protocols)
		}
		h.Int(int64(w.generation))
		h.Int(int64(w.req.Link))
		h.Body(w.answer)
	}
	if p.load != nil {
		h.Uint(p.load.Sum())
	}
}
