package sim

import (
	"slices"
	"testing"
)

// poller polls its server with one request after the other, and does not mind.
type poller struct {
	link LinkID
	idle bool // it says that it would go on
}

func (p *poller) Clone() Actor   { c := *p; return &c }
func (p *poller) Hash(h *Hasher) { h.Bool(p.idle) }
func (p *poller) Step(in *Input, out *Out) {
	switch in.Kind {
	case InputStart:
		p.link, _ = out.Open(0, 0)
		out.Send(p.link, word{kindRenew, 0}, 0, 0)
		out.Idle(p.idle)
	case InputAnswer:
		if in.Msg.Kind() == kindRenew {
			out.Send(p.link, word{kindRenew, 0}, 0, 0)
		}
	case InputCommand:
		if n := in.Body.(word); n.n == 0 {
			p.idle = false
			out.Idle(false)
		} else { // something else
			out.Send(p.link, word{kindAcquire, 0}, 0, 0)
		}
	}
}

// parker answers a poll after ten milliseconds, and parks it if it may.
type parker struct {
	timer TimerID
	req   Request
	looks int
}

func (p *parker) Clone() Actor   { c := *p; return &c }
func (p *parker) Hash(h *Hasher) { h.Int(int64(p.looks)) }
func (p *parker) Step(in *Input, out *Out) {
	switch in.Kind {
	case InputStart:
		p.timer = out.NewTimer(ClassRoutine, 1, 0)
	case InputRequest:
		if in.Msg.Kind() != kindRenew {
			out.Reply(in.Req, word{kindGranted, 0}, 0, 0)
			return
		}
		p.req = in.Req
		out.Arm(p.timer, 10)
	case InputTimer:
		if out.Goes(p.req) {
			out.Park(p.req)
			return
		}
		out.Reply(p.req, word{kindGranted, 0}, 0, 0)
	case InputParked:
		p.looks++
		if out.Live(p.req) {
			out.Reply(p.req, word{kindGranted, 0}, 0, 0)
		}
	}
}

func pollWorld(idle bool) *World {
	w := NewWorld(&Decisions{}, Millisecond, 0)
	w.Routine(kindRenew)
	w.Add("server", &parker{})
	w.Add("client", &poller{idle: idle})
	c := NewControl(w)
	c.Start(0, nil)
	c.Start(1, nil)
	return w
}

// steps in which a world has how many events.
func eventsUntil(w *World, at Time) int {
	before := w.Steps()
	w.Run(at)
	return int(w.Steps() - before)
}

func TestParkedPollCostsNothing(t *testing.T) {
	if n := eventsUntil(pollWorld(true), Hour); n != 2 {
		t.Errorf("a parked poll has %d events in an hour, want its arrival and the end of its first round", n)
	}
	if n := eventsUntil(pollWorld(false), 120*Millisecond); n < 25 {
		t.Errorf("polls of a client that is not idle have %d events in ten rounds, want three each", n)
	}
	w := pollWorld(true)
	w.PlayRounds()
	if n := eventsUntil(w, 120*Millisecond); n < 25 {
		t.Errorf("polls that are played have %d events in ten rounds, want three each", n)
	}
}

// Whatever disturbs a parked poll makes its server look at it once.
func TestParkedPollIsLookedAt(t *testing.T) {
	for name, disturb := range map[string]func(c *Control){
		"a client that is idle no more": func(c *Control) { c.Command(1, word{kindAcquire, 0}) },
		"something behind it":           func(c *Control) { c.Command(1, word{kindAcquire, 1}) },
		"a cut":                         func(c *Control) { c.Cut(0, 1) },
		"a rule for polls":              func(c *Control) { c.AddRule(Rule{From: Nobody, To: Nobody, Kind: kindRenew, Do: Drop}) },
		"a rule for everything":         func(c *Control) { c.AddRule(Rule{From: 1, To: Nobody, AnyKind: true, Do: Hold}) },
		"a frozen client":               func(c *Control) { c.Freeze(1) },
		"a broken connection":           func(c *Control) { c.Disconnect(0, 1) },
		"a client that dies":            func(c *Control) { c.Crash(1) },
	} {
		w := pollWorld(true)
		w.Run(100 * Millisecond)
		disturb(NewControl(w))
		w.Run(105 * Millisecond)
		if n := w.Actor(0).(*parker).looks; n != 1 {
			t.Errorf("after %s the server has looked %d times, want 1", name, n)
		}
	}
	for name, calm := range map[string]func(c *Control){
		"a rule for other messages": func(c *Control) { c.AddRule(Rule{From: Nobody, To: Nobody, Kind: kindAcquire, Do: Drop}) },
		"a rule for others' polls":  func(c *Control) { c.AddRule(Rule{From: 0, To: Nobody, Kind: kindRenew, Do: Drop}) },
		"a rule that is used up": func(c *Control) {
			c.AddRule(Rule{From: Nobody, To: Nobody, Kind: kindRenew, Times: 1, Hits: 1, Do: Drop})
		},
		"another latency": func(c *Control) { c.SetLatency(0, 1, Second, 0) },
	} {
		w := pollWorld(true)
		w.Run(100 * Millisecond)
		calm(NewControl(w))
		w.Run(105 * Millisecond)
		if n := w.Actor(0).(*parker).looks; n != 0 {
			t.Errorf("after %s the server has looked %d times, want 0", name, n)
		}
	}
}

// For how long a connection has been disturbed is known, and forgotten when it is mended.
func TestDisturbed(t *testing.T) {
	w := pollWorld(true)
	link := w.Actor(1).(*poller).link
	c := NewControl(w)
	w.Run(100 * Millisecond)
	if d := w.disturbed(link); d != -1 {
		t.Errorf("at first it has been disturbed for %d ms", d)
	}
	c.Cut(1, 0)
	c.Cut(0, 1)
	w.Run(150 * Millisecond)
	c.Heal(1, 0)
	if d := w.disturbed(link); d != 50 {
		t.Errorf("50 ms after the cut it has been disturbed for %d ms", d)
	}
	c.Heal(0, 1)
	if d := w.disturbed(link); d != -1 {
		t.Errorf("after all is healed it has been disturbed for %d ms", d)
	}
}

// What is routine leaves no records unless they are asked for, and no facts at all.
func TestRoutine(t *testing.T) {
	for _, told := range []bool{false, true} {
		w := pollWorld(false)
		if told {
			w.TellRoutine()
		}
		h, f := NewTraceHash(w), &facts{}
		w.Watch(h)
		w.Watch(f)
		w.Run(Second)
		if h.Events != 0 || told != (len(f.lines) > 0) {
			t.Errorf("told %v: %d facts and %d records of routine", told, h.Events, len(f.lines))
		}
	}
}

// A timer that is set again and again is as one that somebody sets.
func TestRepeat(t *testing.T) {
	s := NewSolo("a", &poller{})
	s.out = Out{timers: &s.timers, queue: &s.queue, clock: &s.clock, chance: &s.chance}
	id := s.out.NewTimer(ClassPassive, 0, 0)
	var got []int64
	s.out.Arm(id, 5)
	s.out.Repeat(id, 3, 10, 4) // set to 4 ms at 3, 13, 23, …
	for ms := range Time(16) {
		s.out.now = ms * Millisecond
		got = append(got, s.out.Left(id))
	}
	// What is done at a moment has not been done yet at that moment.
	if want := []int64{5, 4, 3, 2, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("what is left of it is\n%v, want\n%v", got, want)
	}
	s.out.Hold(id)
	s.out.now = 26 * Millisecond
	if !s.out.Due(id) {
		t.Error("a timer that is held was set again")
	}
}
