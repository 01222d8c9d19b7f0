package invariants_test

import (
	"fmt"
	"testing"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// rolling is a rolling restart of so many pods with ten partitions each.
func rolling(tb testing.TB, pods int) *scenarios.Scenario {
	tb.Helper()
	s, err := scenarios.Load("rolling.yaml", fmt.Appendf(nil, `about: a rolling restart
latency: 500us..2ms
topics: {orders: {partitions: %d, rate: %d/s}}
group: {id: g, config: {partition.assignment.strategy: [cooperative-sticky]}, program: {per-batch: 100ms..300ms}}
members: {"pod-{0..%d}": {}}
timeline:
  - {at: 30s, rolling-restart: {of: "pod-*", down: 5s..10s}}
end: {at-most: 10h}
`, pods*10, pods*10, pods-1))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// A whole run, hashed as fuzzing hashes it, without and with the checks.
func BenchmarkRolling(b *testing.B) {
	s := rolling(b, 20)
	for _, watched := range []bool{false, true} {
		b.Run(fmt.Sprintf("watched=%t", watched), func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				c, err := scenarios.Build(s, s.Kafka, &sim.Decisions{Seed: uint64(i)})
				if err != nil {
					b.Fatal(err)
				}
				c.World.Watch(sim.NewTraceHash(c.World))
				m := invariants.New(invariants.FactsOf(c.World, c.Clients, s.Group.ID))
				if watched {
					c.World.Watch(m)
				}
				c.Run()
				if list := m.Done(invariants.End{At: c.World.Now(), Settled: true}); watched && len(list) > 0 {
					b.Fatal(list[0].String())
				}
			}
		})
	}
}

// kept keeps the records of a run, to hand them to a Monitor again and again.
type kept struct{ list []sim.Rec }

func (k *kept) Observe(r *sim.Rec) { k.list = append(k.list, *r) }

// What the checks cost for each record, most of which are heartbeats, fetches and batches.
func BenchmarkRecord(b *testing.B) {
	s := rolling(b, 20)
	c, err := scenarios.Build(s, s.Kafka, &sim.Decisions{Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	var k kept
	c.World.Watch(&k)
	facts := invariants.FactsOf(c.World, c.Clients, s.Group.ID)
	c.Run()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		m := invariants.New(facts)
		for i := range k.list {
			m.Observe(&k.list[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(k.list)), "ns/record")
}
