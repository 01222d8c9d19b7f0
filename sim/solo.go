package sim

// Solo drives a single actor by hand, with virtual time and timers and without a
// network: for a protocol bench, for vectors, for benchmarks. It orders timers as a
// World does.
type Solo struct {
	Actor Actor
	// Acts is what the actor did since the caller last emptied it.
	Acts []Act
	// Reach says whether a connection can be opened; nil: always.
	Reach func(to NodeID, channel uint8) bool

	now    Time
	queue  queue
	timers timers
	clock  clock
	asker  asker
	chance Decisions
	sent   [MaxKinds]uint32
	inputs Ref
	links  []soloLink
	in     Input
	out    Out
}

// Act is one thing that the actor did.
type Act struct {
	Kind ActKind
	Link LinkID
	Req  Request // ActReply: what is answered
	Ord  uint32  // ActSend
	Body Body
	Note Note
	Why  uint16
	Ref  Ref
}

// ActKind says what an Act is.
type ActKind uint8

// The acts.
const (
	ActReply ActKind = iota + 1
	ActSend
	ActNote
	ActOpen
	ActClose
)

type soloLink struct {
	to      NodeID
	channel uint8
	up      bool
}

// NewSolo is a bench for the actor at time 0. The actor has not been started.
func NewSolo(name string, a Actor) *Solo {
	return &Solo{Actor: a, asker: newAsker(name)}
}

// Now is the moment.
func (s *Solo) Now() Time { return s.now }

// Input steps the actor now.
func (s *Solo) Input(in Input) {
	s.in = in
	s.step(&s.in)
}

// Request hands the actor a request and returns what it is known by in ActReply.
func (s *Solo) Request(link LinkID, body Body) Request {
	s.inputs++
	req := Request{Link: link, kind: body.Kind(), Ord: uint32(s.inputs), Ref: s.inputs}
	s.in = Input{Kind: InputRequest, Link: link, Req: req,
		Msg: Message{Link: link, Ord: req.Ord, Body: body, req: body.Kind()}}
	s.step(&s.in)
	return req
}

// Answer hands the actor the answer to its request number ord of a kind.
func (s *Solo) Answer(link LinkID, kind uint8, ord uint32, body Body) {
	s.in = Input{Kind: InputAnswer, Link: link,
		Msg: Message{Link: link, Answer: true, Ord: ord, Body: body, req: kind}}
	s.step(&s.in)
}

// Closed tells the actor that a connection was closed from outside.
func (s *Solo) Closed(link LinkID) {
	if !s.links[link].up {
		return
	}
	s.links[link].up = false
	s.in = Input{Kind: InputClosed, Link: link}
	s.step(&s.in)
}

// Link says where a connection leads, over which channel, and whether it is open.
func (s *Solo) Link(id LinkID) (to NodeID, channel uint8, up bool) {
	l := s.links[id]
	return l.to, l.channel, l.up
}

func (s *Solo) step(in *Input) {
	s.out = Out{where: s, queue: &s.queue, chance: &s.chance, asker: &s.asker, timers: &s.timers,
		clock: &s.clock, now: s.now, cause: s.inputs}
	s.Actor.Step(in, &s.out)
}

// NextTimer is the deadline of the timer that goes off next.
func (s *Solo) NextTimer() (at Time, ok bool) {
	for len(s.queue.heap) > 0 {
		e := s.queue.heap[0]
		t := &s.timers.slots[e.slot]
		if t.gen == e.gen && t.deadline == e.at && t.key == e.key && t.class != ClassPassive {
			return e.at, true
		}
		s.queue.pop()
		if t.gen == e.gen { // it was put off
			t.requeue(TimerID(e.slot), &s.queue, e.id)
		}
		s.queue.settle()
	}
	return 0, false
}

// Next is the timer that goes off next; ok is false if none is armed.
func (s *Solo) Next() (f Fired, ok bool) {
	if _, ok := s.NextTimer(); !ok {
		return Fired{}, false
	}
	id := TimerID(s.queue.heap[0].slot)
	t := &s.timers.slots[id]
	return Fired{ID: id, Kind: t.kind, Arg: t.arg}, true
}

// Fire moves the clock to the next timer and lets it go off.
func (s *Solo) Fire() (Fired, bool) {
	if _, ok := s.NextTimer(); !ok {
		return Fired{}, false
	}
	e := s.queue.pop()
	fired, _ := s.timers.fire(e.slot)
	s.now = e.at
	s.in = Input{Kind: InputTimer, Timer: fired}
	s.step(&s.in)
	s.queue.settle()
	return fired, true
}

// Skip moves the clock on without letting timers go off: to a moment no later than
// the next timer, or to the moment of timers that are to go off after what is input now.
func (s *Solo) Skip(to Time) { s.now = max(s.now, to) }

// Advance lets all timers up to and including the moment go off, then sets the clock there.
func (s *Solo) Advance(to Time) {
	for {
		at, ok := s.NextTimer()
		if !ok || at > to {
			break
		}
		s.Fire()
	}
	s.now = max(s.now, to)
}

// Armed lists the timers that are armed, in no particular order, with their deadlines.
func (s *Solo) Armed(yield func(Fired, Time)) {
	for i := range s.timers.slots {
		if t := &s.timers.slots[i]; t.used && t.deadline != never {
			yield(Fired{ID: TimerID(i), Kind: t.kind, Arg: t.arg}, t.deadline)
		}
	}
}

func (s *Solo) open(_, to NodeID, channel uint8) (LinkID, bool) {
	id := LinkID(-1)
	for i := range s.links {
		if s.links[i].to == to && s.links[i].channel == channel {
			id = LinkID(i)
		}
	}
	if id < 0 {
		id = LinkID(len(s.links))
		s.links = append(s.links, soloLink{to: to, channel: channel})
	}
	l := &s.links[id]
	if !l.up {
		l.up = s.Reach == nil || s.Reach(to, channel)
		s.Acts = append(s.Acts, Act{Kind: ActOpen, Link: id})
	}
	return id, l.up
}

func (s *Solo) shut(_ NodeID, link LinkID, _ uint16, _ Ref) {
	if s.links[link].up {
		s.links[link].up = false
		s.Acts = append(s.Acts, Act{Kind: ActClose, Link: link})
	}
}

func (s *Solo) send(_ NodeID, link LinkID, body Body, why uint16, ref Ref) (uint32, Ref) {
	s.sent[body.Kind()]++
	ord := s.sent[body.Kind()]
	s.Acts = append(s.Acts, Act{Kind: ActSend, Link: link, Ord: ord, Body: body, Why: why, Ref: ref})
	return ord, s.inputs
}

func (s *Solo) reply(_ NodeID, req Request, body Body, why uint16, ref Ref) {
	s.Acts = append(s.Acts, Act{Kind: ActReply, Link: req.Link, Req: req, Body: body, Why: why, Ref: ref})
}

func (s *Solo) note(_ NodeID, n Note, why uint16, ref Ref) Ref {
	s.Acts = append(s.Acts, Act{Kind: ActNote, Note: n, Why: why, Ref: ref})
	return s.inputs
}

// By hand every round of a long poll is played, and every message counts.
func (*Solo) idle(NodeID, bool)       {}
func (*Solo) goes(Request) bool       { return false }
func (*Solo) park(Request)            {}
func (*Solo) lives(Request) bool      { return true }
func (*Solo) roundTrip(Request) int64 { return 0 }
func (*Solo) alone(NodeID) bool       { return false }
func (*Solo) disturbed(LinkID) int64  { return never.Millis() }
