package metrics_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// unexcused says which records of a run were skipped although nothing in its scenario
// accounts for that: the reset policy does, a program that commits before it processes,
// one that goes on after an exception and leaves its batch, and a seek of the timeline.
func unexcused(s *scenarios.Scenario, c *metrics.PartitionCost) string {
	someone := func(is func(*scenarios.Member) bool) bool {
		for i := range s.Members {
			if is(&s.Members[i]) {
				return true
			}
		}
		return false
	}
	earliest := func(m *scenarios.Member) bool { return m.Config.Text("auto.offset.reset", "latest") == "earliest" }
	switch {
	case c.SkippedOther > 0:
		return fmt.Sprintf("%d records of %s, for no reason", c.SkippedOther, c.Partition)
	case c.SkippedCommit > 0 && !someone(func(m *scenarios.Member) bool { return m.Program.Commit == scenarios.CommitSyncBeforeBatch }):
		return fmt.Sprintf("%d records of %s, which were committed first", c.SkippedCommit, c.Partition)
	case c.SkippedReset > 0 && !someone(func(m *scenarios.Member) bool { return !earliest(m) }):
		return fmt.Sprintf("%d records of %s by a reset to the beginning", c.SkippedReset, c.Partition)
	case c.SkippedDropped > 0 && !someone(func(m *scenarios.Member) bool { return m.Program.OnThrow != scenarios.ThrowClose }):
		return fmt.Sprintf("%d records of %s, given up by a program that ends at an exception", c.SkippedDropped, c.Partition)
	}
	return ""
}

// After every run of the library no record is skipped but for a reason that the scenario
// gives, and the figures name the reason.
func TestNothingIsSkipped(t *testing.T) {
	releases := []string{"", "2.4.1"}
	if os.Getenv("REBALSIM_ALL") != "" {
		releases = append(releases, "0.10.0.1", "0.11.0.2", "2.8.0", "3.2.0", "3.9")
	}
	runs, skipped := 0, int64(0)
	for _, b := range scenarios.List() {
		s, err := b.Load()
		if err != nil {
			continue // the library's own test says so
		}
		for seed, release := range releases {
			kafka, err := s.Releases(release)
			if err != nil {
				t.Fatal(err)
			}
			c, err := scenarios.Build(s, kafka, &sim.Decisions{Seed: uint64(seed)})
			if err != nil {
				continue // the release has not what it takes
			}
			f := metrics.New(c.Measured(metrics.Window{}))
			c.World.Watch(f)
			c.Run()
			r := f.Done(c.World.Now())
			runs++
			for i := range r.Partitions {
				skipped += r.Partitions[i].Skipped
				if problem := unexcused(s, &r.Partitions[i]); problem != "" {
					t.Errorf("%s, Kafka %s, seed %d: skipped %s", b.Name, kafka, seed, problem)
				}
			}
		}
	}
	t.Logf("%d runs, %d records skipped for a reason", runs, skipped)
	if runs < 100 {
		t.Errorf("only %d runs", runs)
	}
}

// A client that skips records without a word is found: here the members' programs commit
// before they process, and die, and the scenario says that they commit afterwards.
func TestSkippedRecordsAreFound(t *testing.T) {
	const text = `about: Records are committed before they are processed, and lost with the process.
topics: {orders: {partitions: 2, rate: 100/s}}
group: {id: my-group, config: {session.timeout.ms: 10s, enable.auto.commit: false, auto.offset.reset: earliest}, program: {per-batch: 2s, commit: sync before batch}}
members: {A: {}, B: {}}
start: {formed: {leader: A}}
timeline: [{at: 5s, kill: A}]
end: {at: 30s}
`
	s, err := scenarios.Load("skips.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := outcome(t, s, 0)
	if r.Total.SkippedCommit == 0 {
		t.Fatalf("nothing was skipped: %+v", r.Total)
	}
	find := func(s *scenarios.Scenario) bool {
		return slices.ContainsFunc(r.Partitions, func(c metrics.PartitionCost) bool { return unexcused(s, &c) != "" })
	}
	if find(s) {
		t.Error("a program that commits first may skip records")
	}
	honest := *s
	honest.Members = slices.Clone(s.Members)
	for i := range honest.Members {
		honest.Members[i].Program.Commit = scenarios.CommitSyncAfterBatch
	}
	if !find(&honest) {
		t.Error("records are skipped by programs that commit what they have processed, and nobody notices")
	}
}
