package metrics_test

import (
	"testing"

	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

func outcome(tb testing.TB, s *scenarios.Scenario, seed uint64) *metrics.Result {
	tb.Helper()
	c, err := scenarios.Build(s, s.Kafka, &sim.Decisions{Seed: seed})
	if err != nil {
		tb.Fatal(err)
	}
	f := metrics.New(c.Measured(metrics.Window{}))
	c.World.Watch(f)
	c.Run()
	return f.Done(c.World.Now())
}

// The figures of every run of the library agree with each other, and no record is
// skipped without a reason.
func TestLibrary(t *testing.T) {
	for _, b := range scenarios.List() {
		s, err := b.Load()
		if err != nil {
			continue // the library's own test says so
		}
		seeds := uint64(3)
		if b.Shelf == scenarios.Questions {
			seeds = 1 // they are large
		}
		for seed := range seeds {
			r := outcome(t, s, seed)
			if problem := metrics.Consistent(r); problem != "" {
				t.Errorf("%s, seed %d: %s", b.Name, seed, problem)
			}
		}
	}
}
