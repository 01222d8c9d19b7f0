package kfakebench

import (
	"testing"

	"github.com/rebalsim/rebalsim/explore"
)

const scenario = `
about: One of six crashes at 60 s, another joins at 120 s.
kafka: 3.9.1
brokers: {"b{1..3}": {config: {group.initial.rebalance.delay.ms: 0s}}}
topics: {orders: {partitions: 12}}
group:
  id: g
  config: {fetch.max.wait.ms: 5s, enable.auto.commit: false, partition.assignment.strategy: [cooperative-sticky]}
members: {"m{1..6}": {}, m7: {start: never}}
timeline:
  - {at: 60s, kill: m6}
  - {at: 120s, start: m7}
end: {at: 300s}
`

func TestKfake(t *testing.T) { Kfake(t) }

// TestRebalsim: the run ends as the fake cluster's does.
func TestRebalsim(t *testing.T) {
	o := explore.Play(explore.Case{Name: "kfake.yaml", Scenario: scenario + `
expect:
  - in the end: {state: Stable, members: [m1, m2, m3, m4, m5, m7]}
`})
	if o.Err != nil || len(o.Findings) > 0 {
		t.Fatal(o.Err, o.Findings)
	}
	t.Logf("%d events", o.Events)
}

// BenchmarkRebalsim plays it as rebalsim fuzz does: with the hash of the trace and all
// checks, each time with another seed.
func BenchmarkRebalsim(b *testing.B) {
	defer explore.CollectLess()() // as explore.Batch
	var p explore.Player
	seed := uint64(0)
	for b.Loop() {
		seed++
		play(b, &p, seed)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

// BenchmarkRebalsimParallel does so on all cores.
func BenchmarkRebalsimParallel(b *testing.B) {
	defer explore.CollectLess()()
	b.RunParallel(func(pb *testing.PB) {
		var p explore.Player
		for seed := uint64(1); pb.Next(); seed++ {
			play(b, &p, seed)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

func play(b *testing.B, p *explore.Player, seed uint64) {
	o := p.Play(explore.Case{Name: "kfake.yaml", Scenario: scenario, Seed: seed})
	if o.Err != nil || len(o.Findings) > 0 || o.Events == 0 {
		b.Fatal(o.Err, o.Findings)
	}
}
