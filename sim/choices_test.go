package sim

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// takeFirst lets the first choice happen, n times, not counting moves of the clock.
func takeFirst(w *World, n int) {
	for n > 0 {
		choices := w.Choices(nil)
		if len(choices) == 0 {
			return
		}
		w.Take(choices[0])
		if choices[0].Kind != ChoiceMove {
			n--
		}
	}
}

// The first choice, each time, is what the plain run does: whatever is put off, disarmed
// and armed again, cut and delayed. (A process that stands still is another matter: in a
// plain run what came meanwhile has its order when it goes on.)
func TestFirstChoicesAreTheRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plots.Draw(t, "plot")
		w := p.world()
		want := watched(w)
		steps(w, 300)
		if slices.ContainsFunc(want.recs, func(r Rec) bool { return r.Op == OpFreeze }) {
			return
		}
		x := p.world()
		x.Explore(never)
		got := watched(x)
		takeFirst(x, 300)
		if d := firstDifference(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

// At one moment the choices are the heads of connections, and what is due; nothing else
// is before all that has happened. Taking one leaves the world that it was forked from.
func TestChoicesOfOneMoment(t *testing.T) {
	w := lockWorld(&Decisions{}, 3, 0, 0)
	w.Explore(never)
	seen := map[uint64]bool{w.StateHash(): true}
	queue := []*World{w}
	moves := 0
	for len(queue) > 0 && len(seen) < 3000 {
		w := queue[0]
		queue = queue[1:]
		before := w.StateHash()
		choices := w.Choices(nil)
		perLink := map[[2]int32]int{}
		for _, c := range choices {
			if c.Kind == ChoiceMove && len(choices) > 1 {
				t.Fatal("the clock may move although something is due")
			}
			if c.Kind == ChoiceArrive {
				if perLink[[2]int32{c.ev.id, c.ev.slot}]++; perLink[[2]int32{c.ev.id, c.ev.slot}] > 1 {
					t.Fatal("two messages of one connection may arrive")
				}
			}
			f := w.Fork()
			f.Take(c)
			if c.Kind == ChoiceMove {
				moves++
			} else if f.Now() != w.Now() {
				t.Fatalf("time went from %s to %s", w.Now(), f.Now())
			}
			if h := f.StateHash(); !seen[h] {
				seen[h] = true
				queue = append(queue, f)
			}
		}
		if w.StateHash() != before {
			t.Fatal("what a fork did changed the original")
		}
	}
	if moves == 0 {
		t.Error("the clock never moved")
	}
}

// A late message waits until the clock has moved, and has to arrive then.
func TestLateUntilTheClockMoves(t *testing.T) {
	w := lockWorld(&Decisions{}, 1, 0, 0)
	w.Explore(never)
	arrival := func() (Choice, bool) {
		choices := w.Choices(nil)
		i := slices.IndexFunc(choices, func(c Choice) bool { return c.Kind == ChoiceArrive })
		if i < 0 {
			return Choice{}, false
		}
		return choices[i], true
	}
	c, ok := arrival()
	for ; !ok; c, ok = arrival() {
		takeFirst(w, 1)
	}
	name, at := w.Message(c), w.Now()
	before := w.StateHash()
	w.Take(c.As(ChoiceLate))
	if w.StateHash() == before {
		t.Error("a late message is not told apart")
	}
	for w.Now() == at {
		if c, ok := arrival(); ok && w.Message(c).Ref == name.Ref {
			t.Fatal("it arrives although it is late")
		}
		w.Take(w.Choices(nil)[0])
	}
	if c, ok := arrival(); !ok || w.Message(c).Ref != name.Ref {
		t.Error("it does not arrive when the clock has moved")
	}
}

// A message can be lost alone, and with its connection.
func TestLostHeads(t *testing.T) {
	for _, fate := range []ChoiceKind{ChoiceLose, ChoiceBreak} {
		w := lockWorld(&Decisions{}, 1, 0, 0)
		w.Explore(never)
		for {
			choices := w.Choices(nil)
			if i := slices.IndexFunc(choices, func(c Choice) bool { return c.Kind == ChoiceArrive }); i >= 0 {
				seen := watched(w)
				w.Take(choices[i].As(fate))
				if r := seen.recs[0]; r.Op != OpLost {
					t.Errorf("%+v", r)
				}
				if link := w.links[0]; link.up != (fate == ChoiceLose) {
					t.Errorf("fate %d: the connection is up: %t", fate, link.up)
				}
				break
			}
			w.Take(choices[0])
		}
	}
}

// What is due at one moment has no order in the hash, and connections that were made
// beforehand none in which they were opened.
func TestStateHashHasNoOrder(t *testing.T) {
	at := func(first, second NodeID) uint64 {
		w := NewWorld(&Decisions{}, 0, 0)
		w.Add("lock", &lock{})
		for i := range 2 {
			w.Add([]string{"u1", "u2"}[i], &user{num: int64(i + 1), busy: 150})
		}
		w.Explore(never)
		for _, id := range []NodeID{1, 2} {
			w.Foresee(id, 0, 0)
			w.Foresee(id, 0, 1)
		}
		c := NewControl(w)
		c.Start(0, nil)
		c.Start(first, nil)
		c.Start(second, nil)
		return w.StateHash()
	}
	if at(1, 2) != at(2, 1) {
		t.Error("who began first is told apart, although all is still to come")
	}
}
