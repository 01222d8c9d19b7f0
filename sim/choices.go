package sim

import (
	"cmp"
	"slices"
)

// What may happen next. Run and Step take one order of the events of a moment, the plain
// one or one that chance draws. Choices and Take leave the order to the caller, who may
// fork the world and try them all. The rules of such a world:
//
//   - a timer, or a wake-up of the director, goes off at its moment, neither earlier nor
//     later; several of one moment in any order;
//   - a message takes no time beyond what the world, its connection or a rule says. It
//     arrives at that moment, in any order with whatever else happens then, but behind
//     what is before it on its connection;
//   - unless it is late: then it waits until the clock has moved to the next moment.

// ChoiceKind says what a Choice does.
type ChoiceKind uint8

// The kinds of choices.
const (
	ChoiceArrive ChoiceKind = iota // the head of a connection arrives
	ChoiceTimer                    // a timer that is due goes off
	ChoiceWake                     // the director's wake-up, or a server's look at what it parks
	ChoiceMove                     // the clock moves to the next moment
	ChoiceLate                     // the head of a connection is late: it does not arrive now
	ChoiceLose                     // the head of a connection is lost, and it alone
	ChoiceBreak                    // the head of a connection is lost with the connection
)

// Choice is one thing that may happen next.
type Choice struct {
	Kind ChoiceKind
	ev   event
}

// As is another fate of what a ChoiceArrive is about: ChoiceLate, ChoiceLose or ChoiceBreak.
func (c Choice) As(k ChoiceKind) Choice { c.Kind = k; return c }

// Choices appends what may happen next, the plain run's next event first. The clock moves
// when nothing else is left.
func (w *World) Choices(list []Choice) []Choice {
	w.tidy()
	begin := len(list)
	next := never
	for i := range w.queue.heap {
		e := &w.queue.heap[i]
		switch {
		case !w.live(e) || w.stands(e) || w.isLate(e):
			continue
		case e.at > w.now && w.anyTime() && (e.what != fromTimer || e.at-w.now < w.horizon):
		case e.at > w.now:
			if e.at-w.now < w.horizon {
				next = min(next, e.at)
			}
			continue
		}
		c := Choice{Kind: ChoiceTimer, ev: *e}
		switch e.what {
		case fromDirector, fromPark:
			c.Kind = ChoiceWake
		case fromLink:
			c.Kind = ChoiceArrive
		}
		list = append(list, c)
	}
	slices.SortFunc(list[begin:], func(a, b Choice) int { // total: keys are unique
		return cmp.Or(cmp.Compare(a.ev.at, b.ev.at), cmp.Compare(a.ev.key, b.ev.key))
	})
	if len(list) == begin && next != never && !w.anyTime() {
		list = append(list, Choice{Kind: ChoiceMove, ev: event{at: next}})
	}
	return list
}

// isLate reports whether an event is the arrival of a message that is late.
func (w *World) isLate(e *event) bool {
	return e.what == fromLink && w.links[e.id].dir[e.slot].first().late
}

// Owed reports whether a client has sent a request that is on its way or not answered,
// other than of the kinds given, as bits.
func (w *World) Owed(client NodeID, but uint64) bool {
	for _, id := range w.nodes[client].links {
		l := w.links[id]
		if l.busy && but&(1<<l.reading.kind) == 0 {
			return true
		}
		for i := range l.dir[toServer].rest() {
			if but&(1<<l.dir[toServer].rest()[i].msg.req) == 0 {
				return true
			}
		}
	}
	return false
}

// stands reports whether an event has to wait for a process that stands still.
func (w *World) stands(e *event) bool {
	switch e.what {
	case fromTimer:
		return w.nodes[e.id].frozen
	case fromLink:
		_, to := w.links[e.id].ends(int(e.slot))
		return w.nodes[to].frozen
	}
	return false
}

// tidy leaves in the queue what may still come, each timer with the deadline that it has
// by now. (Its entry may stand where it stood when the deadline was put off. That of a
// timer that was disarmed stays: it rides along if the timer is armed again.)
func (w *World) tidy() {
	kept := w.queue.heap[:0]
	for _, e := range w.queue.heap {
		if e.what == fromTimer {
			s := &w.nodes[e.id].timers.slots[e.slot]
			switch {
			case s.gen != e.gen || s.queued == never:
				continue
			case s.deadline != never:
				e.at, e.key = s.deadline, s.key
			}
		} else if !w.live(&e) {
			continue
		}
		kept = append(kept, e)
	}
	w.queue.heap = kept
}

// Take lets one of the Choices of this world happen.
func (w *World) Take(c Choice) {
	e := &c.ev
	switch c.Kind {
	case ChoiceMove:
		w.moveOn(e.at)
		return
	case ChoiceLate:
		w.mine(LinkID(e.id)).dir[e.slot].first().late = true
		return
	case ChoiceWake:
		i := slices.IndexFunc(w.queue.heap, func(q event) bool { return q.key == e.key })
		w.queue.heap = slices.Delete(w.queue.heap, i, i+1)
		if e.what == fromPark {
			w.look(LinkID(e.id))
		} else {
			w.cause = Ref(e.gen)
			w.director.Wake(e.id, &w.control)
		}
	case ChoiceTimer:
		w.fire(NodeID(e.id), w.own(NodeID(e.id)), e.slot)
	case ChoiceArrive:
		w.arrive(LinkID(e.id), int(e.slot))
	case ChoiceLose, ChoiceBreak:
		w.loseHead(LinkID(e.id), int(e.slot), c.Kind == ChoiceBreak)
	}
	w.steps++
	w.cause = 0
}

// moveOn lets the clock move. What was late can arrive.
func (w *World) moveOn(to Time) {
	w.now = to
	for i := range w.queue.heap {
		if e := &w.queue.heap[i]; w.isLate(e) {
			w.mine(LinkID(e.id)).dir[e.slot].first().late = false
		}
	}
}

func (w *World) loseHead(id LinkID, dir int, breaks bool) {
	d := &w.mine(id).dir[dir]
	t := *d.first()
	d.drop()
	d.forgetEntry()
	if !t.hangup {
		w.lose(&t.msg)
	}
	if breaks {
		w.sever(id)
	} else {
		w.schedule(id, dir)
	}
}

// Message is what a choice concerns: the message that arrives or is lost. News that a
// connection was closed has no Body.
func (w *World) Message(c Choice) Message {
	if c.ev.what != fromLink {
		return Message{}
	}
	t := w.links[c.ev.id].dir[c.ev.slot].first()
	m := t.msg
	if t.hangup {
		m = Message{Link: LinkID(c.ev.id)}
		m.From, m.To = w.links[c.ev.id].ends(int(c.ev.slot))
	}
	return m
}

// Timer is the timer of a ChoiceTimer, and whose it is.
func (w *World) Timer(c Choice) (NodeID, Fired) {
	s := &w.nodes[c.ev.id].timers.slots[c.ev.slot]
	return NodeID(c.ev.id), Fired{ID: TimerID(c.ev.slot), Kind: s.kind, Arg: s.arg}
}

// Wakes tells wake-ups apart: it is the key that the director gave.
func (c Choice) Wakes() int32 { return c.ev.id }

// At is the moment of what happens, and that to which a ChoiceMove moves the clock.
func (c Choice) At() Time { return c.ev.at }

// Explore says that the world is stepped by Choices and Take from now on, and by nothing
// else. What lies the horizon or further ahead never happens.
// Every round of a long poll is played.
func (w *World) Explore(horizon Time) { w.horizon, w.playRounds = horizon, true }

// Foresee makes the connection that a client may open, if it is not there yet: in which
// order connections were first opened is then nothing that could tell states apart.
func (w *World) Foresee(client, server NodeID, channel uint8) {
	if _, found := w.findLink(client, server, channel); !found {
		w.newLink(client, server, channel)
	}
}

// Replace puts another actor in a node's place, before anything has happened: one that
// wraps it, say, with a defect that a search has to find.
func (w *World) Replace(id NodeID, by func(Actor) Actor) {
	n := w.own(id)
	n.actor = by(n.actor)
}

// StateHash is Hash for a world that is stepped by Choices and Take: equal hashes mean
// that the same choices lead to the same futures. What is due at one moment has no order
// yet, and what lies beyond the horizon no moment. The hashes of nodes that this world
// shares with the one that it was forked from are not computed again.
func (w *World) StateHash() uint64 {
	var h Hasher
	h.Int(int64(w.now % Millisecond))
	named := w.namedNumbers()
	for i, n := range w.nodes {
		h.Bool(n.alive)
		h.Bool(n.frozen)
		h.Bool(n.idle)
		n.clock.hash(&h, w.now)
		if w.ownNode[i] || n.sum == 0 {
			var one Hasher
			n.actor.Hash(&one)
			n.sum = one.Sum() | 1
		}
		h.Uint(n.sum)
		n.timers.hashPassive(&h, w.now, w.horizon, w.anyTime())
		for kind, most := range named {
			h.number(n.sent[kind], most)
		}
	}
	for _, l := range w.links {
		w.hashLink(&h, l, &named)
	}
	w.hashPairs(&h)
	h.Int(int64(len(w.rules)))
	for i := range w.rules {
		w.rules[i].hash(&h)
	}
	w.hashSet(&h)
	if w.director != nil {
		w.director.Hash(&h)
	}
	return h.Sum()
}

// hashSet writes the events to come, in no order.
func (w *World) hashSet(h *Hasher) {
	sum, n := uint64(0), 0
	for i := range w.queue.heap {
		e := w.queue.heap[i]
		if !w.live(&e) {
			continue
		}
		var one Hasher
		overOrNot := w.anyTime()
		if e.what == fromTimer {
			s := &w.nodes[e.id].timers.slots[e.slot]
			e.at = s.deadline
			overOrNot = overOrNot && s.class != ClassTimer && s.class != ClassRoutine
		}
		one.Int(int64(lengthToHash(e.at-w.now, w.horizon, overOrNot)))
		w.hashEvent(&one, &e)
		sum += one.Sum()
		n++
	}
	h.Int(int64(n))
	h.Uint(sum)
}

// Coming reports whether something is on its way to a client.
func (w *World) Coming(client NodeID) bool {
	return slices.ContainsFunc(w.nodes[client].links, func(id LinkID) bool { return !w.links[id].dir[toClient].empty() })
}

// Awake reports whether a timer of a node is due now.
func (w *World) Awake(id NodeID) bool {
	return slices.ContainsFunc(w.queue.heap, func(e event) bool {
		return e.what == fromTimer && NodeID(e.id) == id && w.live(&e) && w.nodes[id].timers.slots[e.slot].deadline <= w.now
	})
}

// Whose is the node to which a choice happens; Nobody for the clock and the director.
func (w *World) Whose(c Choice) NodeID {
	switch {
	case c.Kind == ChoiceMove || c.Kind == ChoiceWake:
		return Nobody
	case c.ev.what == fromLink:
		_, to := w.links[c.ev.id].ends(int(c.ev.slot))
		return to
	}
	return NodeID(c.ev.id)
}
