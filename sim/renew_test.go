package sim

import "testing"

// A world in the room of another has the run that a new one has: nothing of the old one is left.
func TestRenewedWorldIsNew(t *testing.T) {
	troubles := []act{
		{200 * Millisecond, func(c *Control) { c.JumpClock(1, Second) }},
		{250 * Millisecond, func(c *Control) { c.RunClock(0, 1000) }},
		{300 * Millisecond, func(c *Control) { c.Cut(1, 0) }},
		{350 * Millisecond, func(c *Control) { c.SetLatency(0, 2, 7*Millisecond, 0) }},
		{400 * Millisecond, func(c *Control) { c.AddRule(Rule{From: Nobody, To: Nobody, AnyKind: true, Do: Hold, Tag: 3, Times: 2}) }},
		{450 * Millisecond, func(c *Control) { c.Freeze(2) }},
		{500 * Millisecond, func(c *Control) { c.Crash(1) }},
	}
	old := new(World)
	for seed := range uint64(40) {
		users := 2 + int(seed%3)
		base, spread := Time(1+seed%2)*Millisecond, Time(seed%5)*Millisecond
		var acts []act
		if seed%4 > 0 {
			acts = troubles
		}
		fresh := lockWorld(&Decisions{Seed: seed}, users, base, spread, acts...)
		old.Renew(&Decisions{Seed: seed}, base, spread)
		lockIn(old, users, acts...)
		a, b := watched(fresh), watched(old)
		until := Time(400+100*seed) * Millisecond // the next begins in whatever this one leaves
		fresh.Run(until)
		old.Run(until)
		if len(a.recs) == 0 {
			t.Fatal("nothing happens")
		}
		if d := firstDifference(a, b); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		if fresh.StateHash() != old.StateHash() {
			t.Fatalf("seed %d: the traces are equal and the states are not", seed)
		}
	}
}
