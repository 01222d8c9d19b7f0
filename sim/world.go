package sim

import "slices"

// World is a simulated system at one moment: nodes, network, what is queued, and how
// chance answers. Build it with NewWorld and Add, then Step or Run it. A World is not
// safe for concurrent use; forks of one world may be used side by side once made.
type World struct {
	now      Time
	nodes    []*node
	links    []*link
	ownNode  []bool // nodes that no fork shares
	ownLink  []bool
	queue    queue
	rules    []Rule
	pairs    []pair
	base     Time
	spread   Time
	chance   *Decisions
	director Director

	routine     [MaxKinds]bool
	anyRoutine  bool
	tellRoutine bool
	playRounds  bool
	byTheClock  bool
	horizon     Time  // see Explore
	asks        *asks // see AnyTime

	decision Decision
	room     room

	steps   uint64
	cause   Ref
	lastRec Ref
	watch   []watcher
	scratch Rec
	in      Input
	letter  Rec   // of a message, and nothing else of it is ever set: most records are such
	mail    Input // of a message, likewise
	out     Out
	control Control
}

// node is an actor, its timers and the connections it opened.
type node struct {
	asker  asker
	actor  Actor
	timers timers
	clock  clock
	links  []LinkID
	sent   [MaxKinds]uint32
	alive  bool
	frozen bool
	idle   bool   // see Out.Idle
	sum    uint64 // hash of the actor, see StateHash; 0: not known
	// waiting are the events that came while it was frozen.
	waiting []event
}

// pair is what is special about the way from one node to another.
type pair struct {
	from, to NodeID
	base     Time
	spread   Time
	latency  bool
	cut      bool
}

// Director acts on the world from outside: it starts, kills and commands nodes and
// bends the network. It is part of the world, and forked with it.
type Director interface {
	// Observe sees every record but those of chance's answers. It may change its own state
	// and set wake-ups, and must leave the rest to Wake.
	Observe(r *Rec, c *Control)
	// Wake is called at a moment that the director asked for.
	Wake(key int32, c *Control)
	Clone() Director
	Hash(h *Hasher)
}

// NewWorld is an empty world at time 0. Messages take base, and up to spread more if
// chance will have it.
func NewWorld(chance *Decisions, base, spread Time) *World {
	w := new(World)
	w.Renew(chance, base, spread)
	return w
}

// bind gives actors and director their hands in this world.
func (w *World) bind() {
	w.out = Out{where: w, queue: &w.queue, chance: w.chance, decide: w.decided, asks: w.asks}
	w.control = Control{w}
}

// Add adds a node that is not running yet. Names are unique: what happens to a node
// is told, drawn and recorded by its name.
func (w *World) Add(name string, a Actor) NodeID {
	id := NodeID(len(w.nodes))
	w.nodes = append(w.nodes, w.room.node(id, name, a))
	w.ownNode = append(w.ownNode, true)
	return id
}

// Direct sets the director and wakes it at once with key 0.
func (w *World) Direct(d Director) {
	w.director = d
	w.control.After(0, 0)
}

// Director is the world's director, nil if it has none.
func (w *World) Director() Director { return w.director }

// watcher is an observer, and whether it is told how chance answered.
type watcher struct {
	Observer
	decisions bool
}

// Watch adds an observer of all records to come. Forks do not inherit it.
func (w *World) Watch(o Observer) { w.watch = append(w.watch, watcher{o, true}) }

// WatchEvents adds an observer of all records to come but those of chance's answers, of
// which there are as many as of all else.
func (w *World) WatchEvents(o Observer) { w.watch = append(w.watch, watcher{o, false}) }

// Now is the moment of the last event.
func (w *World) Now() Time { return w.now }

// Steps counts the events handled.
func (w *World) Steps() uint64 { return w.steps }

// Nodes is the number of nodes.
func (w *World) Nodes() int { return len(w.nodes) }

// Name is a node's name.
func (w *World) Name(id NodeID) string { return w.nodes[id].asker.name }

// Actor gives a node's actor, to look at and not to step.
func (w *World) Actor(id NodeID) Actor { return w.nodes[id].actor }

// Alive reports whether a node runs.
func (w *World) Alive(id NodeID) bool { return w.nodes[id].alive }

// Frozen reports whether a node's process stands still.
func (w *World) Frozen(id NodeID) bool { return w.nodes[id].frozen }

// Channel is the channel of a connection and the node that it leads to.
func (w *World) Channel(id LinkID) (server NodeID, channel uint8) {
	return w.links[id].server, w.links[id].channel
}

// Answering is the kind of the request that the server has yet to answer on a connection, if
// there is one: what is sent now waits for that.
func (w *World) Answering(id LinkID) (kind uint8, ok bool) {
	l := w.links[id]
	return l.reading.kind, l.busy
}

// Due is when a node's timer is due, and the event in which it was last set; ok is false if it
// is not set.
func (w *World) Due(id NodeID, t TimerID) (at Time, by Ref, ok bool) {
	if t == 0 {
		return 0, 0, false
	}
	timers := &w.nodes[id].timers
	at = timers.at(t, w.now)
	return at, timers.slots[t].ref, at != never
}

// Plain reports whether nothing is left to chance.
func (w *World) Plain() bool { return w.chance.Plain() }

// Rules lists the message rules with their hits.
func (w *World) Rules() []Rule { return slices.Clone(w.rules) }

// Next is the moment of the next entry in the queue; ok is false if nothing is left.
// A timer whose deadline was put off may turn out to be later.
func (w *World) Next() (at Time, ok bool) {
	if len(w.queue.heap) == 0 {
		return 0, false
	}
	return w.queue.heap[0].at, true
}

// Run handles all events up to and including the moment given and leaves the clock there.
func (w *World) Run(until Time) {
	for len(w.queue.heap) > 0 && w.queue.heap[0].at <= until {
		w.next()
	}
	w.now = max(w.now, until)
}

// Step handles the next event. It reports false when nothing is left to happen.
func (w *World) Step() bool {
	for len(w.queue.heap) > 0 {
		if w.next() {
			return true
		}
	}
	return false
}

// next takes an entry off the queue, and reports whether it was an event and not stale.
func (w *World) next() bool {
	e := w.queue.pop()
	handled := w.handle(&e)
	w.queue.settle()
	if !handled {
		return false
	}
	w.steps++
	w.cause = 0
	return true
}

// handle handles an entry of the queue, unless it is stale.
func (w *World) handle(e *event) bool {
	switch e.what {
	case fromTimer:
		n := w.own(NodeID(e.id))
		if !n.timers.due(e, &w.queue) {
			return false
		}
		if n.frozen {
			n.waiting = append(n.waiting, *e)
			return false
		}
		w.now = e.at
		w.fire(NodeID(e.id), n, e.slot)
	case fromLink:
		d := &w.links[e.id].dir[e.slot]
		if !d.queued || d.gen != e.gen {
			return false
		}
		if _, to := w.links[e.id].ends(int(e.slot)); w.nodes[to].frozen {
			n := w.own(to)
			n.waiting = append(n.waiting, *e)
			return false
		}
		w.now = e.at
		w.arrive(LinkID(e.id), int(e.slot))
	case fromPark:
		if server := w.links[e.id].server; w.nodes[server].frozen {
			n := w.own(server)
			n.waiting = append(n.waiting, *e)
			return false
		}
		w.now = e.at
		w.look(LinkID(e.id))
	case fromDirector:
		w.now, w.cause = e.at, Ref(e.gen)
		w.director.Wake(e.id, &w.control)
	}
	return true
}

// fire steps a node with a timer. Only brokers' timers are records: a client's ticks
// are its own affair, and what follows from one has as its cause what set it.
func (w *World) fire(id NodeID, n *node, slot int32) {
	fired, ref := n.timers.fire(slot)
	cause := ref
	if n.timers.slots[fired.ID].class == ClassTimer {
		r := w.rec(OpTimer, id)
		r.Timer, r.Ref = fired, ref
		cause = w.emit(r)
	}
	w.in = Input{Kind: InputTimer, Timer: fired}
	w.step(id, &w.in, cause)
}

func (w *World) step(id NodeID, in *Input, cause Ref) {
	n := w.own(id)
	before := w.cause
	w.cause = cause
	w.out.asker, w.out.timers, w.out.clock, w.out.now, w.out.cause, w.out.node = &n.asker, &n.timers, &n.clock, w.now, cause, id
	n.actor.Step(in, &w.out)
	w.cause = before
}

func (w *World) choose(p *Point, a *asker, n int) int {
	if n <= 1 {
		return 0
	}
	k := a.next(p)
	answer := w.chance.choose(p, a.sum, k, n)
	if answer != 0 {
		w.decided(p, a.name, k, n, answer)
	}
	return answer
}

// decided tells of an answer of chance that is not the plain one. The director is not told:
// it must not make a difference who watches.
func (w *World) decided(p *Point, subject string, k uint32, n, answer int) {
	w.lastRec++
	for i := range w.watch {
		if o := &w.watch[i]; o.decisions {
			r := w.rec(OpDecision, Nobody)
			w.decision = Decision{Point: p.Name, Subject: subject, K: k, N: n, Answer: answer}
			r.ID, r.Decision = w.lastRec, &w.decision
			o.Observe(r)
		}
	}
}

func (w *World) note(node NodeID, note Note, why uint16, ref Ref) Ref {
	r := w.rec(OpNote, node)
	r.Note, r.Why, r.Ref = note, why, ref
	return w.emit(r)
}

// rec begins a record.
func (w *World) rec(op Op, node NodeID) *Rec {
	r := &w.scratch
	*r = Rec{At: w.now, Op: op, Node: node, Cause: w.cause}
	return r
}

// tell is a record of a message.
func (w *World) tell(op Op, node NodeID, m *Message, why uint16, ref Ref) Ref {
	r := &w.letter
	r.At, r.Op, r.Node, r.Cause = w.now, op, node, w.cause
	r.Msg, r.Why, r.Ref = *m, why, ref
	return w.emit(r)
}

// emit numbers a record and shows it to everyone.
func (w *World) emit(r *Rec) Ref {
	w.lastRec++
	id := w.lastRec
	r.ID = id
	for i := range w.watch {
		w.watch[i].Observe(r)
	}
	if w.director != nil {
		before := w.cause
		w.cause = id
		w.director.Observe(r, &w.control)
		w.cause = before
	}
	return id
}

func (w *World) own(id NodeID) *node {
	if !w.ownNode[id] {
		w.copyNode(id)
	}
	return w.nodes[id]
}

//go:noinline // so that own is inlined, which mostly copies nothing
func (w *World) copyNode(id NodeID) {
	n := *w.nodes[id]
	n.actor = n.actor.Clone()
	n.asker = n.asker.clone()
	n.timers = n.timers.clone()
	n.links = slices.Clone(n.links)
	n.waiting = slices.Clone(n.waiting)
	n.sum = 0
	w.nodes[id] = &n
	w.ownNode[id] = true
}

// Fork is an independent copy of the world with the same future. It has no
// observers. Nodes and connections are shared until one of the two steps them.
func (w *World) Fork() *World {
	f := *w
	f.room = room{} // what is left in it is w's alone
	f.nodes = slices.Clone(w.nodes)
	f.links = slices.Clone(w.links)
	f.ownNode = make([]bool, len(w.nodes))
	f.ownLink = make([]bool, len(w.links))
	clear(w.ownNode)
	clear(w.ownLink)
	f.queue.heap = slices.Clone(w.queue.heap)
	f.rules = slices.Clone(w.rules)
	f.pairs = slices.Clone(w.pairs)
	if w.director != nil {
		f.director = w.director.Clone()
	}
	f.watch = nil
	if w.asks != nil {
		f.asks = &asks{horizon: w.horizon, clocks: w.asks.clocks}
	}
	f.bind()
	return &f
}

// Shift moves a world in which nothing has happened yet to a later beginning: what is
// queued comes that much later. Only a test needs it, to find actors that keep moments.
func (w *World) Shift(by Time) {
	w.now += by
	for i := range w.queue.heap {
		w.queue.heap[i].at += by
	}
}

// Recopy replaces a node by a copy of itself, which must change nothing: a test's way
// to find an actor whose Clone forgets something.
func (w *World) Recopy(id NodeID) { w.ownNode[id] = false; w.own(id) }
