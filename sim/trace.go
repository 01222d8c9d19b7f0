package sim

// Ref names a record of the trace by its number, from 1. 0 is none.
type Ref uint64

// Op is what a record tells.
type Op uint8

// The records.
const (
	OpStart    Op = iota + 1 // a node began to run
	OpCrash                  // a node stopped without a word
	OpCommand                // the director's order reached a node: Body
	OpAct                    // the director did something to the network or the cluster: Note
	OpOpen                   // a client opened the connection Msg.Link
	OpClose                  // a client closed it
	OpClosed                 // a client learned that it was closed
	OpSend                   // a message left: Msg
	OpArrive                 // a message arrived and is handled next: Msg
	OpLost                   // a message will not arrive: Msg
	OpHeld                   // a rule holds a message back: Msg
	OpReleased               // it goes on: Msg
	OpTimer                  // a broker's timer went off: Timer
	OpNote                   // an actor made something known: Note
	OpDecision               // chance gave an answer that is not the plain one: Decision
	OpExit                   // a node's process came to its end
	OpFreeze                 // a node's process stands still
	OpThaw                   // it goes on
	OpClock                  // a machine's clock jumped by Note.A ms, or runs Note.B millionths fast
)

// Rec is one record of the trace.
type Rec struct {
	ID   Ref
	At   Time
	Op   Op
	Node NodeID
	// Cause is the record of what was being handled when this came about.
	Cause Ref
	// Ref is a record that this one rests on: the last setting of a timer that went
	// off, what put a group into the state that made it refuse.
	Ref Ref
	// Why is the number of the rule that made it so; the actors' package names it.
	Why      uint16
	Msg      Message
	Timer    Fired
	Note     Note
	Body     Body
	Decision *Decision
}

// Fact reports whether the record tells of the protocol, and not of the simulation or
// of reasons: messages, timers, states, ownership, logs. Only facts are hashed.
func (r *Rec) Fact() bool {
	switch r.Op {
	case OpHeld, OpReleased, OpDecision, OpAct:
		return false
	case OpNote:
		return !r.Note.Comment
	case OpSend, OpArrive, OpLost:
		return !r.Msg.routine
	}
	return true
}

// Observer reads the trace as it comes about. The record is valid during the call
// only. An observer must not touch the world.
type Observer interface {
	Observe(r *Rec)
}

// TraceHash folds the facts of a trace into 64 bits: messages, timers, states,
// ownership, logs, each with its time and the names it concerns. Reasons, comments,
// decisions and what rules held back are left out.
type TraceHash struct {
	h     Hasher
	world *World
	// Events counts the facts.
	Events uint64
}

// NewTraceHash is a TraceHash of what is yet to happen in w.
func NewTraceHash(w *World) *TraceHash { return &TraceHash{world: w} }

// Sum is the hash so far.
func (t *TraceHash) Sum() uint64 { return t.h.Sum() }

// Observe takes one record.
func (t *TraceHash) Observe(r *Rec) {
	if !r.Fact() {
		return
	}
	t.Events++
	sum := mix(mix(t.h.h, uint64(r.At)<<8|uint64(r.Op)), t.world.nodes[r.Node].asker.sum)
	t.h.h = sum
	h := &t.h
	switch r.Op {
	case OpSend, OpArrive, OpLost:
		h.h = t.message(sum, r.Node, &r.Msg)
	case OpOpen, OpClose, OpClosed:
		l := t.world.links[r.Msg.Link]
		h.Uint(t.world.nodes[l.server].asker.sum)
		h.Uint(uint64(l.channel))
	case OpTimer:
		h.Uint(uint64(r.Timer.Kind)<<32 | uint64(uint32(r.Timer.Arg)))
	case OpClock:
		h.Int(r.Note.A)
		h.Int(r.Note.B)
	case OpNote:
		h.Uint(uint64(r.Note.Code))
		h.Int(r.Note.A)
		h.Int(r.Note.B)
		h.Int(r.Note.C)
		h.Body(r.Note.Body)
	case OpStart, OpCommand:
		h.Body(r.Body)
	}
}

// message hashes what a record of a message tells, at a node.
func (t *TraceHash) message(sum uint64, at NodeID, m *Message) uint64 {
	peer := m.To
	if peer == at {
		peer = m.From
	}
	answer := uint64(0)
	if m.Answer {
		answer = 1
	}
	sum = mix(sum, t.world.nodes[peer].asker.sum)
	sum = mix(sum, uint64(m.Ord)<<16|uint64(m.req)<<1|answer)
	return hashBody(sum, m.Body)
}
