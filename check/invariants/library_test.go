package invariants_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// releases are those that the library is watched with, where a scenario can be played so.
var releases = []string{"", "0.10.1", "2.4.1", "2.8.2", "3.9", "4.0-2024-10"}

// play plays a scenario and watches it.
func play(s *scenarios.Scenario, k scenarios.Kafka, seed uint64) ([]invariants.Finding, error) {
	c, err := scenarios.Build(s, k, &sim.Decisions{Seed: seed})
	if err != nil {
		return nil, err
	}
	m := invariants.New(invariants.FactsOf(c.World, c.Clients, s.Group.ID))
	c.World.Watch(m)
	c.Run()
	return m.Done(invariants.End{At: c.World.Now(), Settled: c.Ended() == "", Excuse: c.Unrest(), Latency: c.Latency()}), nil
}

// TestLibrary: no built-in scenario breaks an invariant, in any of the releases, but for
// known flaws.
func TestLibrary(t *testing.T) {
	seeds := uint64(1)
	if os.Getenv("REBALSIM_ALL") != "" {
		seeds = 20
	}
	known := map[string]int{}
	for _, b := range scenarios.List() {
		s, err := b.Load()
		if err != nil {
			continue // the library's own test says so
		}
		for _, release := range releases {
			k, err := s.Releases(release)
			if err != nil {
				t.Fatal(err)
			}
			seeds := seeds
			if b.Shelf == scenarios.Questions { // they are large
				seeds = 1
			}
			for seed := range seeds + 1 {
				if seed == 0 && release != "" && seeds == 1 {
					continue // the plain run of another release: in the long version only
				}
				list, err := play(s, k, seed)
				if err != nil {
					break // the release cannot play it
				}
				for _, f := range list {
					if f.Known != "" {
						known[f.Signature()+" ["+f.Known+"]"]++
						continue
					}
					t.Errorf("rebalsim run %s --kafka %s --seed %d: %s", s.Name, k, seed, f.String())
				}
			}
		}
	}
	for k, n := range known {
		fmt.Println(n, k)
	}
}
