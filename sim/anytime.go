package sim

// A world without clocks. Any timer that is set may go off next, and any head of a
// connection may arrive: whatever latencies and drift there are, the order of events is one
// of these. Deadlines that are only asked about have no moment either: whether one has been
// reached when an event is handled is left to the caller, who may try both. In the event in
// which it is set, it has not, unless it is set for at once. Asked twice in an event the
// answer is the same; in the next one it may be another.
//
// So every real run is among those of this world, as long as actors ask nothing of a
// deadline but whether it has been reached: what is left of it is 0 or 1 ms. What is left of
// a timer that will go off may also be all that it was set for. Clocks show 0.

// Ask is a question about a deadline, which has more than one answer.
type Ask struct {
	Node   NodeID
	Timer  Fired
	Answer uint8 // one of the below
	N      uint8 // so many are possible
	Left   int64 // milliseconds, where there are clocks
}

// The answers.
const (
	AskNot     uint8 = iota // it has not been reached
	AskReached              // it has
	AskAllLeft              // it was set just now
)

// Setting is a timer that was set, for a length of time.
type Setting struct {
	Node  NodeID
	Timer TimerID
	For   Time
}

// asks are the questions of one event.
type asks struct {
	answers []Ask
	made    []Ask
	set     []Setting
	horizon Time
	clocks  bool // there are, and they answer
}

// AnyTime says that the world has no clocks, and is stepped by Choices and Take from now
// on. What is set for the horizon or longer never happens.
func (w *World) AnyTime(horizon Time) {
	w.Explore(horizon)
	w.asks = &asks{horizon: horizon}
	w.bind()
}

// TellAsked lets a world that has clocks tell what is Asked and how they answer: so
// answered, a world without clocks does the same.
func (w *World) TellAsked() {
	w.asks = &asks{horizon: w.horizon, clocks: true}
	w.bind()
}

// anyTime reports whether there are no clocks.
func (w *World) anyTime() bool { return w.asks != nil && !w.asks.clocks }

// Answer says how questions are answered from now on; those that are not in the list, with
// AskNot.
func (w *World) Answer(answers []Ask) {
	*w.asks = asks{answers: answers, horizon: w.asks.horizon, clocks: w.asks.clocks}
}

// Asked are the questions since Answer was called, and Settings the timers that were set.
func (w *World) Asked() []Ask        { return w.asks.made }
func (w *World) Settings() []Setting { return w.asks.set }

// wasSet notes that a timer is set.
func (q *asks) wasSet(node NodeID, id TimerID, length Time) {
	q.set = append(q.set, Setting{node, id, length})
}

// left is how many milliseconds are left of a timer.
func (q *asks) left(o *Out, id TimerID) int64 {
	s := &o.timers.slots[id]
	if s.deadline == never {
		return 0
	}
	length := s.deadline - o.now
	real := o.clock.millis(max(s.deadline, o.now)) - o.clock.millis(o.now)
	for i := range q.set {
		if q.set[i].Node == o.node && q.set[i].Timer == id {
			return real
		}
	}
	if length >= q.horizon || length <= 0 && !q.clocks {
		return real
	}
	a := Ask{Node: o.node, Timer: Fired{ID: id, Kind: s.kind, Arg: s.arg}, N: 2, Left: real}
	if s.class != ClassPassive {
		a.N = 3
	}
	if q.clocks {
		if length <= 0 {
			a.Answer = AskReached
		}
		q.note(&a)
		return real
	}
	for i := range q.answers {
		if b := &q.answers[i]; b.Node == a.Node && b.Timer.ID == id {
			a.Answer = b.Answer
		}
	}
	switch q.note(&a); a.Answer {
	case AskReached:
		return 0
	case AskAllLeft:
		return real
	}
	return 1
}

// note keeps a question, unless it was asked before.
func (q *asks) note(a *Ask) {
	for i := range q.made {
		if b := &q.made[i]; b.Node == a.Node && b.Timer.ID == a.Timer.ID {
			return
		}
	}
	q.made = append(q.made, *a)
}

// lengthToHash is what the future hangs on of how long there is left. Without clocks it is
// over, or not, or never will be: no more can be asked, but of timers of brokers.
func lengthToHash(left, horizon Time, overOrNot bool) Time {
	left = min(max(left, 0), horizon)
	if overOrNot && left > 0 && left < horizon {
		return Millisecond
	}
	return left
}
