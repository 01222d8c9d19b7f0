package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Op is a call on the consumer, or an order to its program.
type Op uint8

// The calls. The user thread makes them, one after the other; Wakeup and the orders at
// the end take effect at once.
const (
	OpSubscribe Op = 1 + iota
	OpSubscribePattern
	OpAssign
	OpUnsubscribe
	OpPoll
	OpCommitSync
	OpCommitAsync
	OpAdvance // seek of every assigned partition to Offset
	OpSeek
	OpEnforceRebalance
	OpClose
	OpPause     // of Partitions, or of all
	OpResume    // of Partitions, or of all
	OpPosition  // waits until every assigned partition has a position
	OpCommitted // of Partitions: what is committed is asked for
	OpPollLong  // poll(long): its timeout is for fetching only, however long the group takes (until 3.9)

	OpWakeup          // consumer.wakeup() from another thread
	OpRefreshMetadata // the client is told to ask for metadata
	OpStop            // SIGTERM: wakeup, then close
	OpBusy            // after its present call the program does not poll for Timeout ms: it works on what it has in hand
)

// String is the name that traces have: numbers change as calls are added.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return ""
}

// OpNamed is the call of a name, 0 if there is none.
func OpNamed(name string) Op {
	if i := slices.Index(opNames[:], name); i > 0 && name != "" {
		return Op(i)
	}
	return 0
}

var opNames = [...]string{OpSubscribe: "subscribe", OpSubscribePattern: "subscribePattern", OpAssign: "assign", OpUnsubscribe: "unsubscribe", OpPoll: "poll",
	OpCommitSync: "commitSync", OpCommitAsync: "commitAsync", OpAdvance: "advance", OpSeek: "seek", OpEnforceRebalance: "enforceRebalance", OpClose: "close",
	OpPause: "pause", OpResume: "resume", OpPosition: "position", OpPollLong: "pollLong", OpCommitted: "committed",
	OpWakeup: "wakeup", OpRefreshMetadata: "refreshMetadata", OpStop: "stop", OpBusy: "busy"}

// Call is the body of a command to a consumer.
type Call struct {
	Op         Op
	Topics     []string
	Pattern    string
	Partitions []protocol.TopicPartition
	Timeout    int64 // ms
	Offset     int64
	Offsets    []protocol.PartitionOffset // OpCommitSync, OpCommitAsync; nil: all positions
	ID         int64                      // OpCommitAsync: names the callback
	Reason     string
	// Batch: OpBusy begins with the next batch, unless a call throws, or what the consumer fetches changes, before.
	Batch bool
	// OtherThread: the call comes from another thread than the program's. If that one is inside a
	// call, this one ends at once with ConcurrentModification.
	OtherThread bool
}

// Kind is one of the client's orders.
func (b *Call) Kind() uint8 { return protocol.KindClientOrders }

// Sum is a hash of the content.
func (b *Call) Sum() uint64 {
	var h sim.Hasher
	h.Str(b.Op.String())
	h.Strs(b.Topics)
	h.Str(b.Pattern)
	h.Int(int64(len(b.Partitions)))
	for _, p := range b.Partitions {
		h.Str(p.Topic)
		h.Int(int64(p.Partition))
	}
	h.Int(b.Timeout)
	h.Int(b.Offset)
	h.Bool(b.Offsets == nil)
	for _, o := range b.Offsets {
		h.Str(o.Topic)
		h.Int(int64(o.Partition))
		h.Int(o.Offset)
	}
	h.Int(b.ID)
	h.Str(b.Reason)
	h.Bool(b.OtherThread)
	if b.Batch {
		h.Bool(true)
	}
	return h.Sum()
}

// Restart is the body of a start of a client that has another Config than before: it
// was deployed anew. It does not begin inside a group.
type Restart struct {
	// What says what is new.
	What   string
	config *Config
}

// NewRestart is a Restart with the Config, which must have passed Check.
func NewRestart(what string, cfg *Config) *Restart {
	c := *cfg
	c.Formed = nil
	return &Restart{What: what, config: &c}
}

// Config is what the client has from then on. It is not to be written to.
func (b *Restart) Config() *Config { return b.config }

// Kind is one of the client's orders.
func (*Restart) Kind() uint8 { return protocol.KindClientOrders + 1 }

// Sum is a hash of the content.
func (b *Restart) Sum() uint64 { return sim.HashString(b.What) }

// order takes a command.
func (c *Consumer) order(body sim.Body) {
	b, ok := body.(*Call)
	if !ok {
		return
	}
	switch b.Op {
	case OpWakeup:
		c.wake()
	case OpRefreshMetadata:
		c.requestMetadata()
		c.awake = true
		c.wakeSelect()
	case OpStop:
		c.stopping = true
		c.because.end = c.cause
		c.wake()
		c.arouse()
	default:
		if b.OtherThread && c.insideCall() {
			c.noteThrown(thrown(ConcurrentModification), c.cause)
			c.see(Seen{What: SeenReturn, Call: b, Op: b.Op, Thrown: thrown(ConcurrentModification)})
			return
		}
		c.orders = append(c.orders, order{b, c.cause, b.Batch})
		c.arouse()
	}
}

// insideCall reports whether the user thread is inside a call on the consumer.
func (c *Consumer) insideCall() bool {
	for i := range c.stack {
		switch c.stack[i].proc {
		case pPoll, pOldPoll, pCommitSyncCall, pCommitAsync, pPosition, pCommitted, pUnsubscribe, pClose:
			return true
		}
	}
	return false
}

func (c *Consumer) wake() {
	c.because.wakeup = c.cause
	c.wakeup = true
	c.awake = true
	c.wakeSelect()
}

// arouse lets a user thread go on that waits for a call.
func (c *Consumer) arouse() {
	if c.waits == waitsCall {
		c.out.Arm(c.userTimer, 0)
	}
}

// program is the bottom frame: the user's program.
func program(c *Consumer, f *frame) {
	const (
		begin = iota
		turn
		returned
		polled
		processed
		committed
		threw
		closing
		closed
		processedAfter
	)
	p := &c.cfg.Program
	switch f.pc {
	case begin:
		c.subscribeAtStart()
		f.pc = turn
	case turn:
		f.catch = 0
		switch {
		case len(c.orders) > 0 && !c.orders[0].awaitsBatch:
			c.finishBatch()
			c.begin(c.nextOrder())
		case c.closed && p.Driven:
			c.waits = waitsCall
		case c.closed:
			f.pc = closed
		case c.stopping:
			f.pc = closing
		case p.Driven:
			c.waits = waitsCall
		default:
			f.pc, f.catch = returned, threw
			if p.CountsPolls {
				f.n++
			}
			c.callPoll(p.Poll, p.PollLong)
		}
	case returned:
		c.see(Seen{What: SeenReturn, Op: OpPoll})
		f.pc = polled
	case polled:
		c.because.away = 0
		if p.CountsPolls {
			c.seekAll(int64(f.n))
		}
		if len(c.batch) == 0 {
			f.pc = turn
			c.idle()
			return
		}
		f.pc = processed
		if p.Commit == CommitBefore {
			c.callCommit(OpCommitSync)
			return
		}
		c.process()
	case processed:
		if p.Commit == CommitBefore {
			f.pc = processedAfter
			c.process()
			return
		}
		if c.worksOn() {
			return
		}
		f.pc = committed
		c.finishBatch()
		switch p.Commit {
		case CommitSync:
			c.callCommit(OpCommitSync)
		case CommitAsync:
			c.callCommit(OpCommitAsync)
		}
	case processedAfter:
		if c.worksOn() {
			return
		}
		c.finishBatch()
		f.pc = turn
		c.idle()
	case committed:
		f.pc = turn
		c.idle()
	case threw:
		c.batch = c.batch[:0]
		c.awaitNoBatch()
		c.see(Seen{What: SeenReturn, Op: OpPoll, Thrown: c.exception})
		ref := c.noteThrown(c.exception, c.thrownRef)
		f.pc = turn
		switch {
		case c.exception.Class == Wakeup:
		case p.AfterThrow == ThrowIdles:
			f.pc = polled
		case p.AfterThrow == ThrowGoesOn:
			c.sleep(1000)
		default:
			c.because.end = ref
			f.pc = closing
		}
	case closing:
		f.pc, f.catch = closed, closed
		c.cause = c.because.end
		timeout := p.CloseTimeout
		if timeout == 0 {
			timeout = 30_000
		}
		c.call(frame{proc: pClose, a: timeout})
	case closed:
		c.waits = ended
		c.out.Note(sim.Note{Code: protocol.NoteClosed}, uint16(protocol.RuleProgramEnds), c.because.end)
	}
}

// worksOn lets the program be busy with the batch in hand, if that is what it was told next. It
// reports whether it is.
func (c *Consumer) worksOn() bool {
	if len(c.orders) == 0 || c.orders[0].Op != OpBusy {
		return false
	}
	c.begin(c.nextOrder())
	return true
}

// awaitNoBatch lets no order wait any longer for a batch in hand: what is fetched has changed, or the
// program has lost its batch to an exception.
func (c *Consumer) awaitNoBatch() {
	for i := range c.orders {
		c.orders[i].awaitsBatch = false
	}
}

func (c *Consumer) nextOrder() order {
	next := c.orders[0]
	c.orders = slices.Delete(c.orders, 0, 1)
	return next
}

// idle is the program's pause before its next turn.
func (c *Consumer) idle() {
	if !c.closeOrdered() {
		c.sleep(c.cfg.Program.Idle)
	}
}

// closeOrdered reports whether the program is to close the consumer: then it does not
// idle before.
func (c *Consumer) closeOrdered() bool {
	return slices.ContainsFunc(c.orders, func(o order) bool { return o.Op == OpClose })
}

// seekAll moves every position to the offset.
func (c *Consumer) seekAll(offset int64) {
	for i := range c.sub.parts {
		if p := &c.sub.parts[i]; p.state == posFetched {
			c.sub.seek(p.tp, offset)
		}
	}
}

func (c *Consumer) process() {
	p := &c.cfg.Program
	c.because.away = c.because.batch
	ms := p.BatchMin
	if p.BatchMax > p.BatchMin {
		ms += int64(c.out.Choose(PointBatch, int(p.BatchMax-p.BatchMin)+1))
	}
	c.sleep(ms)
}

func (c *Consumer) callPoll(timeout int64, long bool) {
	f := frame{proc: pPoll}
	if c.cfg.Rules.Poll == protocol.PollDelayedTasks {
		f.proc = pOldPoll
	}
	if long {
		f.flags = marked
	}
	c.callFor(timeout, f)
}

func (c *Consumer) callCommit(op Op) {
	if c.because.batch != 0 {
		c.cause = c.because.batch
	}
	if op == OpCommitAsync {
		c.call(frame{proc: pCommitAsync, n: int32(doneUser), fut: commitAll})
		return
	}
	c.call(frame{proc: pCommitSyncCall, own: 0, fut: commitAll, clock: 0})
}

func (c *Consumer) apiTimeout() int64 { return c.bounded(c.cfg.Settings.APITimeout) }

// bounded is the timeout of a call that has had none before KIP-266.
func (c *Consumer) bounded(timeout int64) int64 {
	if c.cfg.Rules.BoundedCalls {
		return timeout
	}
	return MaxTime
}
