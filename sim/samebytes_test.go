package sim

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// sameBytes is the hash of the traces below: the same in every process, on every
// machine. It changes with the engine's rules, never by itself.
const sameBytes = 0xd8b7ff33bed8f302

// manyWorlds folds the traces of a few worlds into one number, and the hashes of their
// last states into another.
func manyWorlds() (traces, states uint64) {
	var trace, state Hasher
	for seed := range uint64(4) {
		at := func(ms int, do func(c *Control)) act { return act{Time(ms) * Millisecond, do} }
		w := lockWorld(&Decisions{Seed: seed}, 4, 1500, 3*Millisecond,
			at(300, func(c *Control) {
				c.AddRule(Rule{From: 1, To: Nobody, Kind: kindRenew, First: 6, Do: Hold, Times: 2, Tag: 1})
			}),
			at(500, func(c *Control) { c.Crash(2) }),
			at(900, func(c *Control) { c.Cut(3, 0); c.Start(2, nil) }),
			at(1400, func(c *Control) { c.Release(1, c.Now()); c.Freeze(4) }),
			at(2000, func(c *Control) { c.Heal(3, 0); c.Disconnect(0, Nobody) }),
			at(2500, func(c *Control) { c.Thaw(4); c.Crash(0); c.Start(0, nil) }))
		h := NewTraceHash(w)
		w.Watch(h)
		steps(w, 3000)
		trace.Uint(h.Sum())
		trace.Uint(h.Events)
		state.Uint(w.Fork().Hash())
		state.Uint(permute(w, rand.New(rand.NewPCG(seed, 0))).Hash())
	}
	return trace.Sum(), state.Sum()
}

func TestSameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	_, first := manyWorlds()
	for run := range 20 {
		runtime.GOMAXPROCS(1 + run%2)
		traces, states := manyWorlds()
		if traces != sameBytes || states != first {
			t.Fatalf("run %d: %#x %#x, want %#x %#x", run, traces, states, uint64(sameBytes), first)
		}
	}
	fmt.Printf("same bytes: %#x %#x\n", uint64(sameBytes), first) // compared with another platform's
}
