package scenarios

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// eachRun calls f for every built-in scenario: as it says, without chance and with a
// seed, and with the oldest and the newest release, if they can play it. And for each
// thing that a step can do.
func eachRun(t *testing.T, f func(t *testing.T, build func() *Cluster)) {
	one := func(s *Scenario, kafka Kafka, seed uint64) {
		if _, err := Build(s, kafka, &sim.Decisions{}); err != nil || len(s.Expected(kafka)) == 0 {
			return
		}
		t.Run(fmt.Sprintf("%s@%s/%d", s.Name, kafka, seed), func(t *testing.T) {
			f(t, func() *Cluster {
				c, err := Build(s, kafka, &sim.Decisions{Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				return c
			})
		})
	}
	for _, b := range ofOneRun() {
		s, err := b.Load()
		if err != nil {
			t.Fatal(err)
		}
		one(s, s.Kafka, 1)
		if raceEnabled {
			continue
		}
		one(s, s.Kafka, 0)
		one(s, both("0.10.0.1"), 0)
		one(s, both(protocol.Snapshot), 0)
	}
	for _, r := range actionRuns {
		s := load(t, r.text)
		s.Name = r.name
		one(s, s.Kafka, 0)
		if !raceEnabled {
			one(s, s.Kafka, 1)
		}
	}
}

func both(release string) Kafka {
	r := protocol.MustRelease(release)
	return Kafka{Broker: r, Client: r}
}

// play plays a cluster to its end and gives the hash of its trace. Before each event
// it calls before, if that is not nil.
func playOut(c *Cluster, before func()) uint64 {
	h := sim.NewTraceHash(c.World)
	c.World.Watch(h)
	for !c.director().over {
		if before != nil {
			before()
		}
		if !c.World.Step() {
			break
		}
	}
	return h.Sum()
}

// A node that is replaced by a copy of itself before every event changes no byte: no
// actor keeps anything that its Clone forgets.
func TestCopiesOfNodesChangeNothing(t *testing.T) {
	eachRun(t, func(t *testing.T, build func() *Cluster) {
		want := playOut(build(), nil)
		c := build()
		got := playOut(c, func() {
			for id := range sim.NodeID(c.World.Nodes()) {
				c.World.Recopy(id)
			}
		})
		if got != want {
			t.Errorf("the trace's hash is %x, with copied nodes %x", want, got)
		}
	})
}

// A fork has the future of its original, and stepping one does not disturb the other.
func TestForksHaveTheSameFuture(t *testing.T) {
	eachRun(t, func(t *testing.T, build func() *Cluster) {
		c := build()
		for step := 0; !c.director().over; step++ {
			if step%499 == 0 {
				sameFuture(t, c, step)
			}
			if !c.World.Step() {
				break
			}
		}
	})
}

func sameFuture(t *testing.T, c *Cluster, step int) {
	t.Helper()
	a := &Cluster{World: c.World.Fork()}
	b := &Cluster{World: c.World.Fork()}
	if a.World.Hash() != b.World.Hash() || a.World.Hash() != c.World.Hash() {
		t.Fatalf("at step %d a fork has another hash than its original", step)
	}
	ha, hb := sim.NewTraceHash(a.World), sim.NewTraceHash(b.World)
	a.World.Watch(ha)
	b.World.Watch(hb)
	for range 1000 {
		if !a.World.Step() || a.director().over {
			break
		}
	}
	for range 1000 {
		if !b.World.Step() || b.director().over {
			break
		}
	}
	if ha.Sum() != hb.Sum() || a.World.Hash() != b.World.Hash() {
		t.Fatalf("two forks of step %d have different futures", step)
	}
}

// produces reports whether records come in with time: then offsets tell the moment.
func (c *Cluster) produces() bool {
	for _, t := range c.director().scenario.Topics {
		if t.Rate.Records > 0 {
			return true
		}
	}
	return false
}

// A cluster that begins later, so that every clock shows something else and every
// record has another number, is at every event of the run in a state of equal hash and
// has the same future: no actor keeps a moment.
func TestEqualHashesHaveEqualFutures(t *testing.T) {
	const later = 1_234_567 * sim.Millisecond
	eachRun(t, func(t *testing.T, build func() *Cluster) {
		a, b := build(), build()
		if !a.World.Plain() || slices.ContainsFunc(a.director().scenario.Topics, func(t Topic) bool { return t.Rate.Records > 0 }) {
			return // equal hashes promise nothing where chance, or what is produced, has more to say
		}
		b.World.Shift(later)
		for i := 0; a.World.Now() < 30*sim.Second; i++ {
			if a.World.Hash() != b.World.Hash() {
				t.Fatalf("after %d events, at %s, the hashes differ", i, a.World.Now())
			}
			okA, okB := a.World.Step(), b.World.Step()
			if okA != okB || okA && a.World.Now()+later != b.World.Now() {
				t.Fatalf("event %d is at %s and at %s", i+1, a.World.Now(), b.World.Now()-later)
			}
			if !okA {
				return
			}
		}
	})
}
