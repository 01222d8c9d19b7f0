package sim

import "math/bits"

// The order of events. This comment is the one place where it is decided.
//
// Events go by (time, class, priority, sequence):
//
//   - class: what the environment does comes first, then the timers of brokers, those of
//     which no record tells last, then arrivals, then at a client its heartbeat thread's tick, then its user thread;
//   - priority is the decision PointTie, 0 in the plain run; for the threads of clients it
//     is the node's number, as recorded whole runs have it, and for timers of which no
//     record tells their argument: so it makes no difference when they were set;
//   - sequence is the order in which events came about; for a timer, the order in
//     which it was last *set*, wherever its entry stands in the queue.
//
// Priority never reorders one connection, since only the head of a connection is in
// the queue. Recorded runs of Kafka's coordinator agree: all timers due at a
// millisecond fire before a request of the same millisecond, in the order of setting.

// Class orders the events of one instant.
type Class uint8

// The classes, in their order.
const (
	ClassEnvironment Class = iota // actions of the director
	ClassTimer                    // timers of brokers
	ClassRoutine                  // timers of brokers that no record tells of
	ClassArrival                  // messages, broken connections
	ClassTick                     // a client's heartbeat thread
	ClassUser                     // a client's user thread
	ClassPassive                  // never an event: a deadline that is only asked about
)

// tieRange is the number of priorities that PointTie chooses from.
const tieRange = 8

// lastPriority is the highest that an event's key has room for.
const lastPriority = 1<<16 - 1

// event is an entry of the queue: 32 bytes, no pointers.
type event struct {
	at   Time
	key  uint64 // class, priority, sequence
	what uint32 // a source below
	id   int32  // node, connection or wake-up
	slot int32  // timer slot, or direction of the connection
	gen  uint32 // the entry is stale unless its source's generation still says this; the director's: its cause
}

// What an event comes from.
const (
	fromTimer uint32 = iota
	fromLink
	fromDirector
	fromPark
)

func eventKey(c Class, priority int, seq uint64) uint64 {
	return uint64(c)<<56 | uint64(priority)<<40 | seq
}

// later gives an event that had to wait a place behind those of its class and priority.
func later(key uint64, q *queue) uint64 { return key>>40<<40 | q.next() }

func (e *event) before(f *event) bool { return e.less(f) == 1 }

// less is 1 if e goes before f, else 0: the borrow of a 128-bit subtraction, so that
// which of two children goes first costs no branch. Moments are never negative.
func (e *event) less(f *event) int {
	_, borrow := bits.Sub64(e.key, f.key, 0)
	_, borrow = bits.Sub64(uint64(e.at), uint64(f.at), borrow)
	return int(borrow)
}

// queue is a binary heap of events. Sequence numbers make its order total, so the
// shape of the heap has no say in a run.
//
// What is taken off leaves a hole at the top until the event has been handled: the first
// that is put in meanwhile falls into it, mostly not far.
type queue struct {
	heap []event
	seq  uint64
	hole bool
}

func (q *queue) next() uint64 {
	q.seq++
	return q.seq
}

// isFirst reports whether an event of the moment and key would be the next.
func (q *queue) isFirst(at Time, key uint64) bool {
	e, top := event{at: at, key: key}, q.heap[:min(1, len(q.heap))]
	if q.hole {
		top = q.heap[1:min(3, len(q.heap))]
	}
	for i := range top {
		if top[i].before(&e) {
			return false
		}
	}
	return true
}

func (q *queue) push(e event) {
	if q.hole {
		q.hole = false
		q.sink(e)
		return
	}
	h := append(q.heap, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	q.heap = h
}

// pop takes the first event off. It has been handled when settle is called.
func (q *queue) pop() event {
	q.hole = true
	return q.heap[0]
}

// settle closes the hole, if nothing has fallen into it.
func (q *queue) settle() {
	if !q.hole {
		return
	}
	q.hole = false
	n := len(q.heap) - 1
	last := q.heap[n]
	if q.heap = q.heap[:n]; n > 0 {
		q.sink(last)
	}
}

// sink puts an event at the top and lets it fall to where it belongs.
func (q *queue) sink(e event) {
	h, i := q.heap, 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if right := child + 1; right < len(h) {
			child += h[right].less(&h[child])
		}
		if !h[child].before(&e) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = e
}
