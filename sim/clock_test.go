package sim

import "testing"

func TestClock(t *testing.T) {
	var c clock
	if c.shows(5*Second) != 5*Second || c.in(250, 1500) != 251*Millisecond {
		t.Errorf("a clock that nobody set does not show virtual time")
	}
	c.turn(10*Second, 70*Second, 0) // a minute forward
	if got := c.in(250, 11*Second+300); got != 11*Second+250*Millisecond {
		t.Errorf("250 ms after 11.0003 s are over at %s s", got)
	}
	c.turn(12*Second, -3*Second-500, 0) // back, to before the beginning
	if got := c.millis(12 * Second); got != -3001 {
		t.Errorf("it shows %d ms", got)
	}
}

// A clock that runs fast shows more, and a timer set by it goes off sooner, at the first
// moment at which the clock shows its end, whatever the pace.
func TestClockThatRunsFast(t *testing.T) {
	for _, fast := range []int32{MinFast, -100, -1, 1, 100, 10_000, 333_333, MaxFast} {
		var c clock
		c.turn(1234567, 7654321, fast)
		for _, now := range []Time{1234567, 1234568, 2 * Second, Hour, 999 * Hour} {
			for _, ms := range []int64{1, 3, 1000, 86_400_000} {
				end := c.in(ms, now)
				if want := c.millis(now) + ms; c.millis(end) != want || c.millis(end-1) != want-1 || !c.ticks(end) {
					t.Errorf("%d ppm: %d ms from %s s end at %s s, when the clock shows %d ms, not %d", fast, ms, now, end, c.millis(end), want)
				}
			}
		}
		day := c.shows(1234567+24*Hour) - 7654321
		if want := 24*Hour + Time(fast)*24*Hour/million; day != want {
			t.Errorf("%d ppm: a day is %s s", fast, day)
		}
		if c.in(1<<62, Hour) <= Hour || c.shows(never) <= 0 {
			t.Errorf("%d ppm: for ever is over", fast)
		}
	}
}

// setter arms a timer of each kind at its start and shifts those of class timer as the
// clock jumps.
type setter struct{ steady, wall, asked TimerID }

func (a *setter) Step(in *Input, out *Out) {
	switch in.Kind {
	case InputStart:
		a.steady, a.wall, a.asked = out.NewTimer(ClassTimer, 1, 0), out.NewTimer(ClassTimer, 2, 0), out.NewTimer(ClassPassive, 3, 0)
		for _, id := range []TimerID{a.steady, a.wall, a.asked} {
			out.Arm(id, 1000)
		}
	case InputTimer:
		out.Note(Note{Code: in.Timer.Kind, A: out.Now(), B: out.Left(a.asked)}, 0, 0)
	case InputClock:
		out.Shift(-in.Jump, a.steady)
	}
}
func (a *setter) Clone() Actor { c := *a; return &c }
func (a *setter) Hash(*Hasher) {}

// clockDirector does something to the clock of node 0 at 400 ms.
type clockDirector struct {
	Director
	do func(*Control)
}

func (d *clockDirector) Wake(key int32, c *Control) {
	if key == 0 {
		c.Start(0, nil)
		c.After(400*Millisecond, 1)
		return
	}
	d.do(c)
}
func (*clockDirector) Observe(*Rec, *Control) {}

type went struct{ notes []Rec }

func (w *went) Observe(r *Rec) {
	if r.Op == OpNote {
		w.notes = append(w.notes, *r)
	}
}

func TestClockIsSet(t *testing.T) {
	type fact struct {
		at      Time
		timer   uint8
		shows   int64
		leftOf3 int64
	}
	for _, c := range []struct {
		name string
		do   func(*Control)
		want [2]fact
	}{
		{"forward", func(c *Control) { c.JumpClock(0, 300*Millisecond) },
			[2]fact{{700 * Millisecond, 2, 1000, 0}, {1000 * Millisecond, 1, 1300, 0}}},
		{"far forward", func(c *Control) { c.JumpClock(0, 5*Second) },
			[2]fact{{400 * Millisecond, 2, 5400, 0}, {1000 * Millisecond, 1, 6000, 0}}},
		{"back", func(c *Control) { c.JumpClock(0, -300*Millisecond) },
			[2]fact{{1000 * Millisecond, 1, 700, 300}, {1300 * Millisecond, 2, 1000, 0}}},
		{"twice as fast", func(c *Control) { c.RunClock(0, MaxFast) },
			[2]fact{{700 * Millisecond, 1, 1000, 0}, {700 * Millisecond, 2, 1000, 0}}},
		{"and back", func(c *Control) { c.RunClock(0, MaxFast); c.RunClock(0, 0) },
			[2]fact{{1000 * Millisecond, 1, 1000, 0}, {1000 * Millisecond, 2, 1000, 0}}},
	} {
		w := NewWorld(&Decisions{}, Millisecond, 0)
		w.Add("a", &setter{})
		w.Direct(&clockDirector{do: c.do})
		saw := &went{}
		w.Watch(saw)
		w.Run(10 * Second)
		if len(saw.notes) != 2 {
			t.Fatalf("%s: %d timers went off", c.name, len(saw.notes))
		}
		for i, want := range c.want {
			r := saw.notes[i]
			if got := (fact{r.At, r.Note.Code, r.Note.A, r.Note.B}); got != want {
				t.Errorf("%s: got %+v, want %+v", c.name, got, want)
			}
		}
	}
}

// A jump is another future: worlds that differ by it have other hashes unless it is undone at once.
func TestClockIsHashed(t *testing.T) {
	hash := func(do func(*Control)) uint64 {
		w := NewWorld(&Decisions{}, Millisecond, 0)
		w.Add("a", &setter{})
		w.Direct(&hashedDirector{clockDirector{do: do}})
		w.Run(500 * Millisecond)
		return w.Hash()
	}
	plain := hash(func(*Control) {})
	if hash(func(c *Control) { c.JumpClock(0, Second) }) == plain || hash(func(c *Control) { c.RunClock(0, 7) }) == plain {
		t.Error("a clock that was set has no part in the hash")
	}
	if hash(func(c *Control) { c.RunClock(0, 7); c.RunClock(0, 0); c.JumpClock(0, 0) }) != plain {
		t.Error("a clock that was set right again has a part in the hash")
	}
}

type hashedDirector struct{ clockDirector }

func (*hashedDirector) Hash(*Hasher) {}
