package sim

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSeedZeroIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plots.Draw(t, "plot")
		p.seed = 0
		a := p.world()
		b := p.world()
		b.chance = Recorded(nil)
		x, y := watched(a), watched(b)
		steps(a, plotSteps)
		steps(b, plotSteps)
		if d := firstDifference(x, y); d != "" {
			t.Fatal(d)
		}
		for i := range x.recs {
			if x.recs[i].Op == OpDecision {
				t.Fatal(x.line(i))
			}
		}
	})
}

func TestSeedsDiffer(t *testing.T) {
	sums := map[uint64]uint64{}
	for seed := range uint64(50) {
		w := lockWorld(&Decisions{Seed: seed}, 3, Millisecond, Millisecond)
		h := NewTraceHash(w)
		w.Watch(h)
		steps(w, 500)
		if other, ok := sums[h.Sum()]; ok {
			t.Errorf("seeds %d and %d give one trace", other, seed)
		}
		sums[h.Sum()] = seed
	}
}

// The answers that were not plain, recorded and given again, give the run again.
func TestRecordedDecisionsReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plots.Draw(t, "plot")
		p.seed = rapid.Uint64Min(1).Draw(t, "seed")
		a := p.world()
		x := watched(a)
		steps(a, plotSteps)
		var list []Decision
		for i := range x.recs {
			if d := x.recs[i].Decision; d != nil {
				list = append(list, *d)
			}
		}
		b := p.world()
		b.chance = Recorded(list)
		y := watched(b)
		steps(b, plotSteps)
		if d := firstDifference(x, y); d != "" && len(list) > 0 {
			t.Fatal(d)
		}
	})
}

// An answer hangs on the seed, the point, the subject's name and the number of the
// question: taking one user away changes no answer that another user or its connections
// get to a question that both worlds ask. (The server is one subject for all.)
func TestAnswersDoNotHangOnOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Min(1).Draw(t, "seed")
		answers := func(users ...int64) map[string]int {
			w := NewWorld(&Decisions{Seed: seed}, Millisecond, 9*Millisecond)
			w.Add("lock", &lock{})
			for _, n := range users {
				w.Add(fmt.Sprint("u", n), &user{num: n, busy: 100})
			}
			w.Direct(&play{acts: []act{{0, func(c *Control) {
				for i := range w.nodes {
					c.Start(NodeID(i), nil)
				}
			}}}})
			tape := watched(w)
			steps(w, plotSteps)
			got := map[string]int{}
			for i := range tape.recs {
				if d := tape.recs[i].Decision; d != nil {
					got[fmt.Sprint(d.Point, " ", d.Subject, " ", d.K, " of ", d.N)] = d.Answer
				}
			}
			return got
		}
		three, two := answers(1, 2, 3), answers(1, 3)
		both := 0
		for q, a := range two {
			if b, ok := three[q]; ok && strings.Contains(q, " u") {
				both++
				if a != b {
					t.Fatalf("%s: %d with u2, %d without", q, b, a)
				}
			}
		}
		if both < 50 {
			t.Fatalf("only %d questions in common", both)
		}
	})
}

func TestChoose(t *testing.T) {
	d := &Decisions{Seed: 7}
	a := newAsker("x")
	counts := make([]int, 10)
	for k := range uint32(10_000) {
		counts[d.choose(PointLatency, a.sum, k, 10)]++
	}
	for answer, n := range counts {
		if n < 850 || n > 1150 {
			t.Errorf("answer %d given %d times of 10,000", answer, n)
		}
	}
	r := Recorded([]Decision{{Point: "latency", Subject: "x", K: 1, N: 5, Answer: 4}, {Point: "tie", Subject: "x", K: 1, Answer: -1}})
	for _, c := range []struct {
		p       *Point
		k       uint32
		n, want int
	}{{PointLatency, 0, 5, 0}, {PointLatency, 1, 5, 4}, {PointLatency, 1, 4, 0}, {PointLatency, 1, 1, 0}, {PointTie, 1, 5, 0}} {
		if got := r.choose(c.p, a.sum, c.k, c.n); got != c.want {
			t.Errorf("%s %d of %d: %d, want %d", c.p.Name, c.k, c.n, got, c.want)
		}
	}
}

// With a depth a subject changes its answers about latency and ties at most so many
// times, another point's answers are those of the seed, and the answers still hang on
// nothing but seed, point, subject and number.
func TestDepthBoundsChanges(t *testing.T) {
	changed, most := 0, 0
	for seed := uint64(1); seed <= 200; seed++ {
		deep, plain := &Decisions{Seed: seed, Depth: 3}, &Decisions{Seed: seed}
		for _, p := range []*Point{PointLatency, PointTie, PointLoss} {
			subject := HashString(fmt.Sprint("F", seed%7, "->b1"))
			last, changes := deep.choose(p, subject, 0, 1000), 0
			for k := uint32(1); k < 400; k++ {
				a := deep.choose(p, subject, k, 1000)
				if p == PointLoss && a != plain.choose(p, subject, k, 1000) {
					t.Fatalf("seed %d: depth has a say in %s", seed, p.Name)
				}
				if a != last {
					changes++
				}
				last = a
			}
			if p != PointLoss {
				changed += min(changes, 1)
				most = max(most, changes)
			}
		}
	}
	if most != 3 || changed < 100 {
		t.Errorf("of 400 subjects %d changed, at most %d times", changed, most)
	}
}
