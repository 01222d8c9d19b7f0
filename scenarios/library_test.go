package scenarios

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// played plays a scenario and gives what is not as expected, and how many things were
// expected.
func played(t *testing.T, s *Scenario, kafka Kafka) (failures []string, expected int) {
	t.Helper()
	return playedWith(t, s, kafka, 0)
}

// playedWith is played with a seed.
func playedWith(t *testing.T, s *Scenario, kafka Kafka, seed uint64) (failures []string, expected int) {
	t.Helper()
	c, err := Build(s, kafka, &sim.Decisions{Seed: seed})
	if err != nil {
		return []string{err.Error()}, 0
	}
	list := c.Expected(kafka)
	h, gauge := history.New(c.World, c.Clients, Wants(list)), c.Gauge(list)
	c.World.Watch(h)
	c.Run()
	h.Done(c.World.Now())
	gauge.Done(c.World.Now())
	for _, e := range list {
		if instead := check.Judge(e.What, h, s.Group.ID, gauge); instead != "" {
			failures = append(failures, fmt.Sprintf("line %d: %s\n\t\t%s", e.Pos.Line, e.Text, instead))
		}
	}
	if c.Ended() != "" {
		failures = append(failures, c.Ended())
	}
	return append(failures, c.Idle()...), len(list)
}

// ofOneRun lists the library without the questions, which are long runs of large groups
// and are played with many seeds elsewhere.
func ofOneRun() []Builtin {
	return slices.DeleteFunc(List(), func(b Builtin) bool { return b.Shelf == Questions })
}

// Every scenario of the library is as it says with every release: what does not hold for
// one stands under a condition.
func TestLibraryWithAllReleases(t *testing.T) {
	oldest := protocol.MustRelease("0.10.0.0")
	for _, b := range ofOneRun() {
		s, err := b.Load()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(b.Name, func(t *testing.T) {
			var failed []string
			releases := map[string]string{}
			for _, r := range protocol.Releases() {
				kafka := Kafka{Broker: r, Client: r}
				if r.Compare(oldest) < 0 || len(s.ExpectedPlain(kafka)) == 0 ||
					os.Getenv("REBALSIM_ALL") == "" && !slices.Contains(r.Recorded(), "coordinator") {
					continue
				}
				failures, _ := played(t, s, kafka)
				for _, f := range failures {
					if releases[f] == "" {
						failed = append(failed, f)
					}
					releases[f] += " " + r.String()
				}
			}
			for _, f := range failed {
				t.Errorf("Kafka%s: %s", releases[f], f)
			}
		})
	}
}

// Brokers and clients of different releases are as the scenarios say as well: what hangs
// on both stands under a condition on both.
func TestLibraryWithMixedReleases(t *testing.T) {
	pairs := [][2]string{{"3.9", "0.10.2"}, {"2.1", "3.4"}, {"2.4", "0.11.0.3"}, {"4.0", "2.4"}}
	if os.Getenv("REBALSIM_ALL") != "" {
		pairs = append(pairs, [][2]string{{"3.9", "0.9.0.1"}, {"3.9", "0.10.0.1"}, {"0.10.2.1", "3.9"}, {"0.11.0.2", "2.4"},
			{"4.0", "3.9"}, {"3.4", "2.1"}, {"1.1", "2.2"}, {"2.2", "1.1"}, {"2.8.0", "2.8.1"}}...)
	}
	for _, b := range ofOneRun() {
		s, err := b.Load()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(b.Name, func(t *testing.T) {
			for _, p := range pairs {
				kafka := Kafka{Broker: protocol.MustRelease(p[0]), Client: protocol.MustRelease(p[1])}
				if len(s.ExpectedPlain(kafka)) == 0 {
					continue
				}
				failures, _ := played(t, s, kafka)
				for _, f := range failures {
					t.Errorf("brokers %s, clients %s: %s", p[0], p[1], f)
				}
			}
		})
	}
}

// Every scenario is as it says whatever chance decides: what hangs on the order of one
// moment stands under seed 0.
func TestLibraryWithSeeds(t *testing.T) {
	seeds := uint64(2)
	if os.Getenv("REBALSIM_ALL") != "" {
		seeds = 50
	}
	for _, b := range ofOneRun() {
		s, err := b.Load()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(b.Name, func(t *testing.T) {
			for seed := uint64(1); seed <= seeds; seed++ {
				failures, _ := playedWith(t, s, s.Kafka, seed)
				for _, f := range failures {
					t.Errorf("seed %d: %s", seed, f)
				}
			}
		})
	}
}
