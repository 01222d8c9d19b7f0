package metrics_test

import (
	"fmt"
	"testing"

	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// rolling is a rolling restart of so many pods with ten partitions each.
func rolling(tb testing.TB, pods int, config string) *scenarios.Scenario {
	tb.Helper()
	s, err := scenarios.Load("rolling.yaml", fmt.Appendf(nil, `about: a rolling restart
latency: 500us..2ms
topics: {orders: {partitions: %d, rate: %d/s}}
group: {id: g, config: {%s}, program: {per-batch: 100ms..300ms}}
members: {"pod-{0..%d}": {}}
timeline:
  - {at: 30s, rolling-restart: {of: "pod-*", down: 5s..10s}}
end: {at-most: 10h}
`, pods*10, pods*10, config, pods-1))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// kept keeps the records of a run, to hand them to a Fold again and again.
type kept struct{ list []sim.Rec }

func (k *kept) Observe(r *sim.Rec) { k.list = append(k.list, *r) }

// What the fold costs per record, most of which are heartbeats, fetches and batches.
func BenchmarkMetrics(b *testing.B) {
	s := rolling(b, 40, "partition.assignment.strategy: [cooperative-sticky]")
	c, err := scenarios.Build(s, s.Kafka, &sim.Decisions{Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	var k kept
	c.World.Watch(&k)
	opt := c.Measured(metrics.Window{})
	c.Run()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		f := metrics.New(opt)
		for i := range k.list {
			f.Observe(&k.list[i])
		}
		f.Done(c.World.Now())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(k.list)), "ns/record")
}

// A whole run with its outcome: a rolling deploy of 40 pods.
func BenchmarkRolling40(b *testing.B) {
	s := rolling(b, 40, "partition.assignment.strategy: [cooperative-sticky]")
	b.ReportAllocs()
	for i := range b.N {
		outcome(b, s, uint64(i))
	}
}

// A rolling restart of 1,000 static members with 10,000 partitions, fifty at a time, with
// its outcome: 1,000 records of all members, of which each changes one.
func BenchmarkRolling1000(b *testing.B) {
	s, err := scenarios.Load("rolling.yaml", []byte(`about: a rolling restart
latency: 500us..2ms
topics: {orders: {partitions: 10000}}
group: {id: g, config: {partition.assignment.strategy: [cooperative-sticky], group.instance.id: "{name}"}}
members: {"pod-{000..999}": {}}
timeline:
  - {at: 30s, rolling-restart: {of: "pod-*", down: 5s..10s, at-a-time: 50}}
end: {at-most: 10h}
`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := range b.N {
		outcome(b, s, uint64(i))
	}
}
