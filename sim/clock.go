package sim

// clock is a machine's clock. The zero clock shows virtual time. What it shows counts
// from the last moment at which it was set: then it showed base, and from then on it is
// so many millionths fast.
type clock struct {
	base, since Time
	fast        int32
	set         bool
}

const million = 1_000_000

// far is so far away that more makes no difference, and that sums do not overflow.
const far = never / 4

// Limits of how fast a clock runs, in millionths of virtual time.
const (
	MinFast = -million / 2
	MaxFast = million
)

// shows is what the clock shows at a moment that is not before it was last set.
func (c *clock) shows(at Time) Time {
	if !c.set {
		return at
	}
	d, pace := min(at-c.since, far), million+Time(c.fast)
	return c.base + d/million*pace + d%million*pace/million
}

// moment is when the clock shows a time that it has not shown yet.
func (c *clock) moment(shown Time) Time {
	if !c.set {
		return shown
	}
	d, pace := min(shown-c.base, far), million+Time(c.fast)
	return c.since + d/pace*million + (d%pace*million+pace-1)/pace
}

// millis is the clock as an actor reads it.
func (c *clock) millis(at Time) int64 {
	if c.set {
		return c.ownMillis(at)
	}
	return int64(at / Millisecond)
}

//go:noinline // so that millis is inlined: most clocks were never set
func (c *clock) ownMillis(at Time) int64 {
	shown := c.shows(at)
	if shown < 0 && shown%Millisecond != 0 { // it was put back before the beginning
		return shown.Millis() - 1
	}
	return shown.Millis()
}

// ticks reports whether the clock begins to show a millisecond right now.
func (c *clock) ticks(now Time) bool {
	switch {
	case !c.set:
		return now%Millisecond == 0
	case now == c.since:
		return c.base%Millisecond == 0
	}
	return c.millis(now) != c.millis(now-1)
}

// in is when so many milliseconds more will have passed on the clock, as timers count them.
func (c *clock) in(ms int64, now Time) Time {
	if c.set {
		return c.ownIn(ms, now)
	}
	shown := now / Millisecond
	return (shown + min(Time(ms), Time(longest)-shown)) * Millisecond
}

func (c *clock) ownIn(ms int64, now Time) Time {
	shown := c.millis(now)
	return c.moment(Time(shown+min(ms, longest-max(shown, 0))) * Millisecond)
}

// turn sets the clock anew from now on.
func (c *clock) turn(now, shown Time, fast int32) {
	*c = clock{base: shown, since: now, fast: fast, set: shown != now || fast != 0}
}

func (c *clock) hash(h *Hasher, now Time) {
	if !c.set {
		return
	}
	h.Int(int64(c.shows(now) - now))
	h.Int(int64(c.fast))
	if c.fast != 0 {
		h.Int(int64((now - c.since) % million))
	}
}

// JumpClock puts a machine's clock forward by whole milliseconds, or back if by is
// negative, and tells the process on it, if one runs: only the actor knows which of its
// timers live by such a clock.
func (c *Control) JumpClock(id NodeID, by Time) {
	n := c.w.own(id)
	n.clock.turn(c.w.now, n.clock.shows(c.w.now)+by, n.clock.fast)
	c.clockSet(id, int64(by/Millisecond), int64(n.clock.fast))
	if n.alive {
		c.w.in = Input{Kind: InputClock, Jump: int64(by / Millisecond)}
		c.w.step(id, &c.w.in, c.w.lastRec)
	}
}

// RunClock lets a machine's clock be so many millionths fast from now on, from MinFast to
// MaxFast. What is left of its timers, by that clock, stays.
func (c *Control) RunClock(id NodeID, fast int32) {
	n := c.w.own(id)
	before, held := n.clock, n.timers.holdAll(c.w.now)
	n.clock.turn(c.w.now, before.shows(c.w.now), fast)
	c.clockSet(id, 0, int64(fast))
	for i := range n.timers.slots {
		if s := &n.timers.slots[i]; s.deadline != never && s.deadline > c.w.now {
			n.timers.put(TimerID(i), n.clock.moment(before.shows(s.deadline)), &c.w.queue, int32(id))
		}
	}
	if held { // it counted on a clock that runs as it did
		c.w.in = Input{Kind: InputClock}
		c.w.step(id, &c.w.in, c.w.lastRec)
	}
}

// JumpClock puts the clock of the actor's machine forward, or back.
func (s *Solo) JumpClock(by Time) {
	s.clock.turn(s.now, s.clock.shows(s.now)+by, s.clock.fast)
	s.Input(Input{Kind: InputClock, Jump: int64(by / Millisecond)})
}

// clockSet tells that a clock was set.
func (c *Control) clockSet(id NodeID, jump, fast int64) {
	r := c.w.rec(OpClock, id)
	r.Note = Note{A: jump, B: fast}
	c.w.emit(r)
}

// Shift lets all of the node's timers that are armed and not due, but for some, go off so
// many milliseconds later, or sooner if ms is negative: they live by a clock that was put
// back, or forward.
func (o *Out) Shift(ms int64, but ...TimerID) {
	for i := range o.timers.slots {
		s := &o.timers.slots[i]
		if s.deadline == never || s.deadline <= o.now || contains(but, TimerID(i)) {
			continue
		}
		at := s.deadline + Time(ms)*Millisecond
		if o.clock.set && o.clock.fast != 0 {
			at = o.clock.moment(o.clock.shows(s.deadline) + Time(ms)*Millisecond)
		}
		o.timers.put(TimerID(i), max(at, o.now), o.queue, int32(o.node))
	}
}

func contains(list []TimerID, id TimerID) bool {
	for _, x := range list {
		if x == id {
			return true
		}
	}
	return false
}

// put moves the deadline of an armed timer.
func (t *timers) put(id TimerID, at Time, q *queue, node int32) {
	s := &t.slots[id]
	s.deadline = at
	if s.class != ClassPassive {
		s.enqueue(id, q, node)
	}
}
