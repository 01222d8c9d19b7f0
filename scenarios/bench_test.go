package scenarios

import (
	"fmt"
	"testing"

	"github.com/rebalsim/rebalsim/sim"
)

// formedGroupOf is a scenario of n members in a Stable group, one partition each.
func formedGroupOf(tb testing.TB, n int) *Scenario {
	tb.Helper()
	text := fmt.Sprintf(`
about: a group at rest
kafka: "3.9"
topics: {orders: {partitions: %d}}
group: {id: my-group, config: {partition.assignment.strategy: [range], enable.auto.commit: false}}
members: {"m-{0000..%04d}": {}}
start: {formed: {leader: m-0000, generation: 5, state: Stable}}
end: {at: 100h}
`, n, n-1)
	s, err := Load("bench.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func clusterOf(tb testing.TB, n int) *Cluster {
	tb.Helper()
	s := formedGroupOf(tb, n)
	c, err := Build(s, s.Kafka, &sim.Decisions{})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// BenchmarkAtRest is the whole protocol in a group where nothing happens: heartbeats and
// fetches through the network, every record hashed.
func BenchmarkAtRest(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := clusterOf(b, n)
			c.World.Watch(sim.NewTraceHash(c.World))
			c.World.Run(20 * sim.Second)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				c.World.Step()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkRebalances is the whole protocol in a group that rebalances all the time: the
// leader enforces one every ten seconds. An op is an event.
func BenchmarkRebalances(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := clusterOf(b, n)
			c.World.Watch(sim.NewTraceHash(c.World))
			c.World.Run(20 * sim.Second)
			control := sim.NewControl(c.World)
			b.ReportAllocs()
			b.ResetTimer()
			next := c.World.Now()
			for range b.N {
				if c.World.Now() >= next {
					control.Command(c.Clients[0], enforceOrder("bench"))
					next = c.World.Now() + 10*sim.Second
				}
				c.World.Step()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// smallText is the kind of run that a fuzz plays a million times.
const smallText = `
about: five members, one dies and comes back
kafka: "3.9"
brokers: 3
topics: {orders: {partitions: 6}}
group: {id: my-group}
members: {"m-{0..4}": {}}
timeline:
  - {at: 20s, kill: m-1}
  - {at: 40s, start: m-1}
end: {at: 60s}
`

// deployText is a rolling deploy of forty pods under load.
const deployText = `
about: forty pods are replaced one by one
kafka: "3.9"
brokers: 3
topics: {orders: {partitions: 120, rate: 6000/s}}
group:
  id: payments
  config: {session.timeout.ms: 45s, max.poll.interval.ms: 5m, partition.assignment.strategy: [range]}
  program: {poll: 100ms, batch: 500, per-batch: 200ms..400ms, commit: sync after batch, on-stop: close}
members: {"pod-{00..39}": {}}
timeline:
  - {at: 2m, mark: deploy, rolling-restart: {of: "pod-*", down: 8s..15s}}
end: {settled-for: 1m, at-most: 1h}
`

// largeText is a rolling restart of a thousand members with ten thousand partitions.
const largeText = `
about: a thousand members are restarted one by one
kafka: "3.9"
brokers: 3
topics: {orders: {partitions: 10000}}
group:
  id: my-group
  config: {session.timeout.ms: 30s, enable.auto.commit: false, partition.assignment.strategy: [range], group.instance.id: "{name}"}
members: {"m-{000..999}": {}}
start: {formed: {leader: m-000, generation: 1}}
timeline:
  - {at: 1s, rolling-restart: {of: "m-*", down: 2s}}
end: {settled-for: 10s, at-most: 10h}
`

// benchmarkRuns plays a scenario to its end with the seeds 1, 2, 3, …, every record hashed.
func benchmarkRuns(b *testing.B, text string) {
	s, err := Load("bench.yaml", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	p, err := Prepare(s, s.Kafka)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	events := uint64(0)
	for i := range b.N {
		c := p.Cluster(&sim.Decisions{Seed: uint64(i + 1)})
		c.World.Watch(sim.NewTraceHash(c.World))
		c.Run()
		events += c.World.Steps()
	}
	b.ReportMetric(float64(events)/float64(b.N), "events/run")
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mev/s")
}

// BenchmarkSmallRun is a run of a fuzz, from building its cluster to its hash.
func BenchmarkSmallRun(b *testing.B) { benchmarkRuns(b, smallText) }

// BenchmarkDeploy is one run of a comparison.
func BenchmarkDeploy(b *testing.B) { benchmarkRuns(b, deployText) }

// BenchmarkLargeRestart is a rolling restart of a group as large as they come.
func BenchmarkLargeRestart(b *testing.B) { benchmarkRuns(b, largeText) }

// BenchmarkPrepare is what a fuzz of generated scenarios pays besides for each.
func BenchmarkPrepare(b *testing.B) {
	s, err := Load("bench.yaml", []byte(smallText))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for range b.N {
		if _, err := Prepare(s, s.Kafka); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPartitions is the whole of a run in which two members read ever more partitions and a
// third one comes, cooperatively. An op is a partition: that takes as long with more of them.
func BenchmarkPartitions(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, err := Load("bench.yaml", fmt.Appendf(nil, `
about: many partitions
kafka: "3.9"
topics: {orders: {partitions: %d}}
group: {id: my-group, config: {partition.assignment.strategy: [cooperative-sticky]}}
members: {A: {}, B: {}, C: {start: 20s}}
end: {at: 40s}
`, n))
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; i < b.N; i += n {
				c, err := Build(s, s.Kafka, &sim.Decisions{})
				if err != nil {
					b.Fatal(err)
				}
				c.World.Run(40 * sim.Second)
			}
		})
	}
}
