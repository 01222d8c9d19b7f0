package sim

import (
	"testing"

	"pgregory.net/rapid"
)

// A world in the room of another one, whatever that was and however far it had come, is as a
// new one; and so are it and its fork, of which each goes on by itself.
func TestRenewedIsAsNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := NewWorld(&Decisions{}, 0, 0)
		for range rapid.IntRange(2, 4).Draw(t, "worlds") {
			p := plots.Draw(t, "plot")
			name := rapid.SampledFrom([]string{"u", "v"}).Draw(t, "name")
			fresh := lockWorldIn(NewWorld(&Decisions{Seed: p.seed}, p.base, p.spread), name, p.users, p.acts...)
			w.Renew(&Decisions{Seed: p.seed}, p.base, p.spread)
			lockWorldIn(w, name, p.users, p.acts...)
			want, got := watched(fresh), watched(w)
			at := rapid.IntRange(0, 300).Draw(t, "fork after")
			steps(fresh, at)
			steps(w, at)
			before := len(want.recs)
			f := w.Fork()
			forked := watched(f)
			n := rapid.IntRange(0, plotSteps).Draw(t, "steps")
			steps(fresh, n)
			for range n { // in turns, so that each opens what the other has not opened yet
				steps(f, 1)
				steps(w, 1)
			}
			if d := firstDifference(want, got); d != "" {
				t.Fatalf("renewed, %s", d)
			}
			want.recs = want.recs[before:]
			if d := firstDifference(want, forked); d != "" {
				t.Fatalf("the fork, %s", d)
			}
			if w.Hash() != fresh.Hash() || f.Hash() != fresh.Hash() {
				t.Fatal("it ends with another hash")
			}
		}
	})
}
