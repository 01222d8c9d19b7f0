package sim

// TimerID names a timer of one node. The zero TimerID names none.
type TimerID int32

// Fired says which timer of the node came due.
type Fired struct {
	ID   TimerID
	Kind uint8
	Arg  int32
}

// timer is a slot of a node's timer table. Putting a deadline off leaves the queued
// entry where it is: it rides along, and is queued anew when it pops. Only an earlier
// place (an earlier deadline, or a lower priority or class at the same one) pushes a
// second entry, which makes the first one stale.
type timer struct {
	deadline Time   // never: not armed
	key      uint64 // place among the events of its deadline; set when armed
	ref      Ref    // the event in which it was last set
	queued   Time   // moment of its valid entry in the queue; never: none
	place    uint64 // key of that entry
	arg      int32
	gen      uint32 // of its valid entry
	kind     uint8
	class    Class
	used     bool
	again    bool  // see repeat
	repeat   int32 // its place among the repeats, plus 1; 0: it has none
}

// timers is the table of one node. Slot 0 is not used, so that a zero TimerID is none.
type timers struct {
	slots   []timer
	free    []int32
	repeats []repeat
}

// repeat makes a passive timer's deadline move by itself: from the moment from on, it is
// as if the timer were set anew, to a length of time, every so often. A timer that has had
// one keeps its place for the next.
type repeat struct{ from, every, length Time }

func (t *timers) clone() timers {
	return timers{append([]timer(nil), t.slots...), append([]int32(nil), t.free...), append([]repeat(nil), t.repeats...)}
}

// again is an empty table in the room of one that is not needed any more.
func (t *timers) again() timers { return timers{t.slots[:0], t.free[:0], t.repeats[:0]} }

// at is a timer's deadline as of a moment.
func (t *timers) at(id TimerID, now Time) Time {
	s := &t.slots[id]
	if s.again {
		return t.repeated(s, now)
	}
	return s.deadline
}

// repeated is the deadline of a timer that is set again and again. What is done at this
// very moment has not been done yet.
func (t *timers) repeated(s *timer, now Time) Time {
	r := &t.repeats[s.repeat-1]
	if now <= r.from {
		return s.deadline
	}
	return r.from + (now-r.from-1)/r.every*r.every + r.length
}

// repeat lets a timer be set again and again.
func (t *timers) repeat(id TimerID, r repeat) {
	s := &t.slots[id]
	s.again = true
	if s.repeat == 0 {
		if t.repeats == nil {
			t.repeats = make([]repeat, 0, 5)
		}
		t.repeats = append(t.repeats, repeat{})
		s.repeat = int32(len(t.repeats))
	}
	t.repeats[s.repeat-1] = r
}

// hash writes when the timer is set next, and to what.
func (r *repeat) hash(h *Hasher, now Time) {
	next := r.from
	if now > r.from {
		next += ((now-r.from-1)/r.every + 1) * r.every
	}
	h.Int(int64(next - now))
	h.Int(int64(r.every))
	h.Int(int64(r.length))
}

// hold ends that. It reports whether there was anything to end.
func (t *timers) hold(id TimerID, now Time) bool {
	s := &t.slots[id]
	if !s.again {
		return false
	}
	s.deadline, s.again = t.repeated(s, now), false
	return true
}

// holdAll ends it for all timers.
func (t *timers) holdAll(now Time) (held bool) {
	for i := range t.slots {
		held = t.hold(TimerID(i), now) || held
	}
	return held
}

func (t *timers) make(class Class, kind uint8, arg int32) TimerID {
	if len(t.slots) == 0 {
		if t.slots == nil {
			t.slots = make([]timer, 0, 32)
		}
		t.slots = append(t.slots, timer{deadline: never, queued: never})
	}
	i := int32(len(t.slots))
	if n := len(t.free); n > 0 {
		i, t.free = t.free[n-1], t.free[:n-1]
	} else {
		t.slots = append(t.slots, timer{queued: never})
	}
	s := &t.slots[i]
	s.deadline, s.ref, s.arg, s.kind, s.class, s.used, s.again = never, 0, arg, kind, class, true, false
	return TimerID(i)
}

// arm sets the timer to go off at the moment given.
func (s *timer) arm(id TimerID, at Time, key uint64, ref Ref, q *queue, node int32) {
	s.deadline, s.key, s.ref, s.again = at, key, ref, false
	if s.class != ClassPassive {
		s.enqueue(id, q, node)
	}
}

func (s *timer) enqueue(id TimerID, q *queue, node int32) {
	if s.queued < s.deadline || s.queued == s.deadline && s.place <= s.key {
		return
	}
	s.gen++
	s.queued, s.place = s.deadline, s.key
	q.push(event{at: s.deadline, key: s.key, what: fromTimer, id: node, slot: int32(id), gen: s.gen})
}

func (t *timers) disarm(id TimerID) {
	if id != 0 {
		t.slots[id].deadline, t.slots[id].again = never, false
	}
}

func (t *timers) release(id TimerID) {
	s := &t.slots[id]
	if id == 0 || !s.used {
		return
	}
	s.deadline, s.used, s.again = never, false, false
	t.free = append(t.free, int32(id))
}

// due is told that an entry of the queue has come up, and says whether its timer goes
// off now. A stale entry is nothing; one whose deadline was put off is queued anew, unless
// it would be the first again.
func (t *timers) due(e *event, q *queue) bool {
	s := &t.slots[e.slot]
	if s.gen != e.gen {
		return false
	}
	if s.class != ClassPassive && s.deadline == e.at && (s.key == e.key || q.isFirst(e.at, s.key)) {
		return true
	}
	s.requeue(TimerID(e.slot), q, e.id)
	return false
}

// fire takes a due timer out of the table's armed ones.
func (t *timers) fire(slot int32) (Fired, Ref) {
	s := &t.slots[slot]
	s.deadline, s.queued = never, never
	return Fired{ID: TimerID(slot), Kind: s.kind, Arg: s.arg}, s.ref
}

// thaw lets an entry that came up while its process was frozen come up again.
func (t *timers) thaw(e *event, now Time, q *queue) {
	s := &t.slots[e.slot]
	if s.gen != e.gen {
		return
	}
	if s.deadline <= now {
		s.deadline, s.key = now, later(s.key, q)
	}
	s.requeue(TimerID(e.slot), q, e.id)
}

func (s *timer) requeue(id TimerID, q *queue, node int32) {
	s.queued = never
	if s.deadline != never && s.class != ClassPassive {
		s.enqueue(id, q, node)
	}
}

// clear forgets all timers, as when the process dies. Entries still in the queue
// become stale.
func (t *timers) clear() {
	t.free = t.free[:0]
	for i := len(t.slots) - 1; i > 0; i-- {
		s := &t.slots[i]
		s.deadline, s.used, s.again = never, false, false
		t.free = append(t.free, int32(i))
	}
}
