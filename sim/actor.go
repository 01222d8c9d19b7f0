package sim

// Actor is a state machine without hands: it gets an input, changes its own state
// and acts through the Out, and through nothing else. It keeps no Out, Input or
// moment of time: deadlines live in timers.
type Actor interface {
	// Step handles one input.
	Step(in *Input, out *Out)
	// Clone is a copy that shares nothing with the original that either may write.
	Clone() Actor
	// Hash writes all state on which the actor's future depends, and nothing that it
	// does not: no Ref, no number of questions asked.
	Hash(h *Hasher)
}

// InputKind says what has come to an actor.
type InputKind uint8

// The inputs.
const (
	// InputStart begins the node's life, and begins it again after a crash. Body is
	// what the director gives it, or nil.
	InputStart InputKind = iota
	// InputCrash ends it: the actor forgets all that a process would. It must not act.
	InputCrash
	// InputRequest is a request that reached a server: Msg, and Req to answer it.
	// While it is unanswered nothing more is read from its connection.
	InputRequest
	// InputAnswer is an answer that reached a client: Msg.
	InputAnswer
	// InputClosed tells a client that its connection Link was closed by the other
	// side or by the network. Answers that were due on it will not come.
	InputClosed
	// InputTimer is a timer that came due: Timer. It is not armed any more.
	InputTimer
	// InputCommand is an order of the director's: Body.
	InputCommand
	// InputClock tells that the machine's clock was put forward by Jump milliseconds,
	// back if it is negative. Timers stay as they are unless the actor shifts them. With
	// 0 it tells that what Repeat began was held.
	InputClock
	// InputParked tells a server that what it parks on Link cannot stay as it is, or that
	// the connection is gone.
	InputParked
)

// Input is what an actor is stepped with. It and its message are valid during the
// step only; bodies stay valid.
type Input struct {
	Kind  InputKind
	Link  LinkID
	Req   Request
	Msg   Message
	Timer Fired
	Body  Body
	Jump  int64
}

// surroundings is what acts are applied to: a World, or a Solo.
type surroundings interface {
	open(from, to NodeID, channel uint8) (LinkID, bool)
	shut(node NodeID, link LinkID, why uint16, ref Ref)
	send(node NodeID, link LinkID, body Body, why uint16, ref Ref) (uint32, Ref)
	reply(node NodeID, req Request, body Body, why uint16, ref Ref)
	note(node NodeID, n Note, why uint16, ref Ref) Ref
	idle(node NodeID, on bool)
	goes(req Request) bool
	park(req Request)
	lives(req Request) bool
	roundTrip(req Request) int64
	disturbed(link LinkID) int64
	alone(node NodeID) bool
}

// Out is how an actor acts. It is valid during the step only.
type Out struct {
	where  surroundings
	queue  *queue
	chance *Decisions
	asker  *asker
	timers *timers
	clock  *clock
	now    Time
	cause  Ref
	node   NodeID
	decide func(p *Point, subject string, k uint32, n, answer int) // tells of answers that are not plain
	asks   *asks                                                   // see World.AnyTime; nil: there are clocks
}

// Now is the node's clock in milliseconds: for stamping records, never for
// comparing with another reading.
func (o *Out) Now() int64 { return o.clock.millis(o.now) }

// Ticks reports whether the node's clock begins to show a millisecond right now.
func (o *Out) Ticks() bool { return o.clock.ticks(o.now) }

// At is the moment in virtual time, for quantities that grow with time.
func (o *Out) At() Time { return o.now }

// Self is the node that is being stepped.
func (o *Out) Self() NodeID { return o.node }

// Cause is the record of what is being handled. State that may later be the reason
// for an answer keeps it.
func (o *Out) Cause() Ref { return o.cause }

// Choose asks chance for a number in [0, n); 0 is the plain answer.
func (o *Out) Choose(p *Point, n int) int {
	if n <= 1 {
		return 0
	}
	k := o.asker.next(p)
	a := o.chance.choose(p, o.asker.sum, k, n)
	if a != 0 && o.decide != nil {
		o.decide(p, o.asker.name, k, n, a)
	}
	return a
}

// NewTimer makes a timer of the node, not armed. Class places it among the events
// of its moment; a timer of ClassPassive never comes as an input and is only asked
// about. Kind and arg come back in the input.
func (o *Out) NewTimer(class Class, kind uint8, arg int32) TimerID {
	return o.timers.make(class, kind, arg)
}

// longest is the last millisecond for which a timer can be set: Kafka has settings that
// mean forever.
const longest = int64(never/Millisecond) - 1

// Arm sets the timer to go off after ms milliseconds of the node's clock, instead of
// whatever it was set to. With 0 or less it is due at once, after this step.
func (o *Out) Arm(id TimerID, ms int64) {
	at := o.now
	if ms > 0 {
		at = o.clock.in(ms, o.now)
	}
	if o.asks != nil {
		o.asks.wasSet(o.node, id, at-o.now)
	}
	s := &o.timers.slots[id]
	if s.class == ClassPassive { // it has no place among events
		s.deadline, s.ref, s.again = at, o.cause, false
		return
	}
	priority := 0
	switch {
	case s.class == ClassTimer && !o.chance.Plain():
		priority = o.Choose(PointTie, tieRange)
	case s.class == ClassRoutine:
		priority = min(int(s.arg), lastPriority)
	case s.class == ClassTick || s.class == ClassUser:
		priority = min(int(o.node), lastPriority)
	}
	s.arm(id, at, eventKey(s.class, priority, o.queue.next()), o.cause, o.queue, int32(o.node))
}

// Repeat lets a passive timer that is armed be set anew by itself, to ms milliseconds, in
// in milliseconds and then every so many, until it is armed or disarmed or held: what
// would be done again and again is not played. It is for a clock that Runs.
func (o *Out) Repeat(id TimerID, in, every, ms int64) {
	o.timers.repeat(id, repeat{o.clock.in(in, o.now), Time(every) * Millisecond, Time(ms) * Millisecond})
}

// ArmEvery is Arm of a passive timer and Repeat of the same.
func (o *Out) ArmEvery(id TimerID, ms, in, every int64) {
	s := &o.timers.slots[id]
	s.deadline, s.ref = o.clock.in(ms, o.now), o.cause
	o.Repeat(id, in, every, ms)
}

// Hold ends what Repeat began; the deadline stays as it is now.
func (o *Out) Hold(id TimerID) { o.timers.hold(id, o.now) }

// Runs reports whether the node's clock runs as fast as virtual time.
func (o *Out) Runs() bool { return o.clock.fast == 0 && o.asks == nil }

// Disarm stops the timer, if it is armed.
func (o *Out) Disarm(id TimerID) { o.timers.disarm(id) }

// FreeTimer disarms the timer and gives its place away.
func (o *Out) FreeTimer(id TimerID) { o.timers.release(id) }

// Armed reports whether the timer is armed: for one that is not passive, whether it
// will still come as an input.
func (o *Out) Armed(id TimerID) bool {
	return id != 0 && o.timers.slots[id].deadline != never
}

// Due reports whether an armed timer's deadline has been reached.
func (o *Out) Due(id TimerID) bool {
	if o.asks != nil {
		return o.Armed(id) && o.asks.left(o, id) == 0
	}
	return id != 0 && o.timers.at(id, o.now) <= o.now
}

// Left is the number of milliseconds until an armed timer's deadline, rounded up, 0
// when it is due or was never set. Use it to set another timer in the same step and
// do not keep it.
func (o *Out) Left(id TimerID) int64 {
	if id == 0 {
		return 0
	}
	if o.asks != nil {
		return o.asks.left(o, id)
	}
	at := o.timers.at(id, o.now)
	if at <= o.now || at == never {
		return 0
	}
	return o.clock.millis(at) - o.clock.millis(o.now)
}

// Agree reports whether two timers are due at the same moment.
func (o *Out) Agree(a, b TimerID) bool {
	t := o.timers
	if s, u := &t.slots[a], &t.slots[b]; s.again && u.again && s.deadline == u.deadline && t.repeats[s.repeat-1] == t.repeats[u.repeat-1] {
		return true
	}
	return t.at(a, o.now) == t.at(b, o.now)
}

// SetBy is the record of the event in which the timer was last armed.
func (o *Out) SetBy(id TimerID) Ref {
	if id == 0 {
		return 0
	}
	return o.timers.slots[id].ref
}

// Open connects to a node over one of several channels, each a connection of its
// own. It takes no time. It fails if the other node is not running or is cut off. A
// connection that is open already is left as it is.
func (o *Out) Open(to NodeID, channel uint8) (LinkID, bool) {
	return o.where.open(o.node, to, channel)
}

// Close closes a connection from the client's side. Requests that were sent still
// reach the server; their answers are lost. Why and ref are as in Send.
func (o *Out) Close(link LinkID, why uint16, ref Ref) { o.where.shut(o.node, link, why, ref) }

// Send sends a request over an open connection and returns its number among the
// node's requests of that kind, and its record. Why is the rule that made it so, ref the
// record it rests on; 0 for none.
func (o *Out) Send(link LinkID, body Body, why uint16, ref Ref) (uint32, Ref) {
	return o.where.send(o.node, link, body, why, ref)
}

// Reply answers a request. If its connection is gone the answer is lost.
func (o *Out) Reply(req Request, body Body, why uint16, ref Ref) {
	o.where.reply(o.node, req, body, why, ref)
}

// Note puts a note into the trace, and returns its record.
func (o *Out) Note(n Note, why uint16, ref Ref) Ref { return o.where.note(o.node, n, why, ref) }
