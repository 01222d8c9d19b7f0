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
