package sim

import (
	"cmp"
	"slices"
)

// Hash is a hash of all that the future depends on: the state of nodes, connections,
// rules and director, and what is queued, with times relative to now. Equal hashes
// mean equal futures, up to the odds of a collision of 64 bits. Left out are the
// shape of the queue, sequence numbers, references into the trace, the numbers of
// requests unless a rule names them, and the number of questions asked, so it holds
// for worlds whose chance is plain.
func (w *World) Hash() uint64 {
	var h Hasher
	h.Int(int64(w.now % Millisecond)) // a node's clock shows whole milliseconds
	h.Int(int64(w.base))
	h.Int(int64(w.spread))
	named := w.namedNumbers()
	for _, n := range w.nodes {
		h.Bool(n.alive)
		h.Bool(n.frozen)
		h.Bool(n.idle)
		n.clock.hash(&h, w.now)
		w.hashWaiting(&h, n)
		n.actor.Hash(&h)
		n.timers.hashPassive(&h, w.now, never, false)
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
	w.hashQueue(&h)
	if w.director != nil {
		w.director.Hash(&h)
	}
	return h.Sum()
}

// namedNumbers gives, for each kind of request, the highest number that a rule which
// may yet match names; 0 for none. Beyond it one number is as good as another.
func (w *World) namedNumbers() (named [MaxKinds]uint32) {
	for i := range w.rules {
		r := &w.rules[i]
		most := r.Last
		if r.First > 1 {
			most = max(most, r.First)
		}
		switch {
		case r.spent():
		case r.AnyKind:
			for kind := range named {
				named[kind] = max(named[kind], most)
			}
		default:
			named[r.Kind] = max(named[r.Kind], most)
		}
	}
	return named
}

// number writes the number of a request, as far as a rule can tell it from others.
func (h *Hasher) number(n, most uint32) {
	if most > 0 {
		h.Uint(uint64(min(n, most+1)))
	}
}

// hashPassive writes the deadlines that are only asked about. Where in the table a
// timer stands is of no account, so they are added up.
func (t *timers) hashPassive(h *Hasher, now, horizon Time, overOrNot bool) {
	sum := uint64(0)
	for i := range t.slots {
		if s := &t.slots[i]; s.class == ClassPassive && s.deadline != never {
			one := Hasher{}
			one.timer(s)
			one.Int(int64(lengthToHash(t.at(TimerID(i), now)-now, horizon, overOrNot)))
			if s.again {
				t.repeats[s.repeat-1].hash(&one, now)
			}
			sum += one.Sum()
		}
	}
	h.Uint(sum)
}

func (h *Hasher) timer(s *timer) { h.Uint(uint64(s.kind)<<32 | uint64(uint32(s.arg))) }

func (w *World) hashLink(h *Hasher, l *link, named *[MaxKinds]uint32) {
	h.Uint(uint64(l.client)<<32 | uint64(l.server))
	h.Uint(uint64(l.channel))
	h.Bool(l.up)
	h.Bool(l.busy)
	h.Bool(l.parked)
	if l.since != never {
		h.Int(int64(w.now - l.since))
	}
	if l.busy {
		h.number(l.reading.Ord, named[l.reading.kind])
		h.Uint(uint64(w.nodes[l.client].sent[l.reading.kind] - l.reading.Ord))
	}
	for i := range l.dir {
		d := &l.dir[i]
		h.Bool(d.cut)
		h.Int(int64(d.base))
		h.Int(int64(d.spread))
		h.Int(int64(len(d.rest())))
		for j := range d.rest() {
			t := &d.rest()[j]
			h.Body(t.msg.Body)
			h.Uint(uint64(t.msg.req))
			h.number(t.msg.Ord, named[t.msg.req])
			h.Uint(uint64(w.nodes[l.client].sent[t.msg.req] - t.msg.Ord)) // which of several that wait for answers
			h.Bool(t.held)
			if t.held {
				h.Int(int64(t.tag))
			}
			h.Bool(t.hangup)
			h.Bool(t.late)
			h.Int(int64(max(t.at-w.now, 0)))
		}
	}
}

// hashPairs writes what is special about the ways between nodes, in whatever order it
// became so: connections yet to be made will have it.
func (w *World) hashPairs(h *Hasher) {
	sum := uint64(0)
	for i := range w.pairs {
		p := &w.pairs[i]
		if !p.latency && !p.cut {
			continue
		}
		one := Hasher{}
		one.Uint(uint64(p.from)<<32 | uint64(p.to))
		one.Bool(p.cut)
		one.Bool(p.latency)
		one.Int(int64(p.base))
		one.Int(int64(p.spread))
		sum += one.Sum()
	}
	h.Uint(sum)
}

func (r *Rule) hash(h *Hasher) {
	h.Uint(uint64(uint32(r.From))<<32 | uint64(uint32(r.To)))
	h.Uint(uint64(r.Kind)<<8 | uint64(r.Do))
	h.Bool(r.AnyKind)
	h.Bool(r.Answer)
	h.Uint(uint64(r.First)<<32 | uint64(r.Last))
	h.Uint(uint64(r.Times)<<32 | uint64(r.Hits))
	h.Int(int64(r.Delay))
	h.Int(int64(r.Tag))
	h.Int(int64(r.Share))
}

// hashWaiting writes what will come to a frozen node as soon as it thaws.
func (w *World) hashWaiting(h *Hasher, n *node) {
	for i := range n.waiting {
		if e := &n.waiting[i]; w.live(e) {
			w.hashEvent(h, e)
		}
	}
}

// hashQueue writes the events to come in their order, as if every put-off timer had
// been queued anew.
func (w *World) hashQueue(h *Hasher) {
	live := make([]event, 0, len(w.queue.heap))
	for _, e := range w.queue.heap {
		if !w.live(&e) {
			continue
		}
		if e.what == fromTimer {
			s := &w.nodes[e.id].timers.slots[e.slot]
			e.at, e.key = s.deadline, s.key
		}
		live = append(live, e)
	}
	// total: keys are unique
	slices.SortFunc(live, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key))
	})
	for i := range live {
		h.Int(int64(live[i].at - w.now))
		w.hashEvent(h, &live[i])
	}
}

// live reports whether an entry of the queue is not stale.
func (w *World) live(e *event) bool {
	switch e.what {
	case fromTimer:
		s := &w.nodes[e.id].timers.slots[e.slot]
		return s.gen == e.gen && s.deadline != never && s.class != ClassPassive
	case fromLink:
		d := &w.links[e.id].dir[e.slot]
		return d.queued && d.gen == e.gen
	}
	return true
}

func (w *World) hashEvent(h *Hasher, e *event) {
	h.Uint(e.key >> 40) // class and priority
	h.Uint(uint64(e.what)<<32 | uint64(uint32(e.id)))
	if e.what == fromTimer {
		h.timer(&w.nodes[e.id].timers.slots[e.slot])
	} else {
		h.Int(int64(e.slot))
	}
}
