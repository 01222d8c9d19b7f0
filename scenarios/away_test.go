package scenarios

import (
	"fmt"
	"strings"
	"testing"
)

// A run is over only when no program is away from poll for longer than its group lets it.
func TestSettledWaitsForPrograms(t *testing.T) {
	const thrown = `
  - A.thrown#1: {}
  - B.thrown#1: {}`
	const stays = `
  - count: {"*.thrown": 0, "*.LeaveGroup": 0}
  - in the end: {state: Stable, members: all}`
	const minute, session = "max.poll.interval.ms: 1m", "session.timeout.ms: "
	for _, x := range []struct{ name, kafka, config, program, rate, expect string }{
		{"a batch that is too long", "3.9", minute, "per-batch: 2m, commit: sync after batch", "1/s", thrown + `
  - count: {A.LeaveGroup: 1, B.LeaveGroup: 1}`},
		{"one that begins late", "3.9", minute, "per-batch: 2m, commit: sync after batch", "1/50s", thrown},
		{"one that ends in time", "3.9", minute, "per-batch: 50s, commit: sync after batch", "1/s", stays},
		{"heartbeats in poll only", "0.10.0", session + "10s", "per-batch: 20s, commit: sync after batch", "1/s", thrown},
		{"and in time", "0.10.0", session + "30s", "per-batch: 20s, commit: sync after batch", "1/s", stays},
		{"a static member, which leaves without a word", "3.9", minute + `, group.instance.id: "{name}"`, "per-batch: 2m, commit: sync after batch", "1/s", thrown},
		{"a listener that takes too long once", "3.9", minute, "on-assigned: [{takes: 2m}]", "1/s", `
  - count: {A.LeaveGroup: 1, B.LeaveGroup: 1}
  - in the end: {state: Stable, members: all}`},
	} {
		t.Run(x.name, func(t *testing.T) {
			s, err := Load("away.yaml", []byte(fmt.Sprintf(`
about: a program is away from poll
kafka: %q
topics: {orders: {partitions: 2, rate: %s}}
group: {id: g, config: {%s}, program: {%s}}
members: {A: {}, B: {}}
expect:%s
`, x.kafka, x.rate, x.config, x.program, x.expect)))
			if err != nil {
				t.Fatal(err)
			}
			if failures, expected := played(t, s, s.Kafka); expected == 0 || len(failures) > 0 {
				t.Errorf("%d expectations, not met:\n%s", expected, strings.Join(failures, "\n"))
			}
		})
	}
}

// A group whose members are always away for too long does not come to rest.
func TestNeverSettles(t *testing.T) {
	for _, program := range []string{"idle: 2m", "per-batch: 2m, commit: sync after batch, on-throw: go-on", "on-assigned: {takes: 2m}"} {
		s, err := Load("away.yaml", []byte(`
about: a program is away from poll, and comes back
kafka: "3.9"
topics: {orders: {partitions: 2, rate: 1/s}}
group: {id: g, config: {max.poll.interval.ms: 1m}, program: {`+program+`}}
members: {A: {}, B: {}}
end: {at-most: 20m}
expect: [{count: {b1.group.PreparingRebalance: ">= 5"}}]
`))
		if err != nil {
			t.Fatal(err)
		}
		failures, expected := played(t, s, s.Kafka)
		if expected != 1 || len(failures) != 1 || failures[0] != "stopped at 1200.000 s, not settled" {
			t.Errorf("%s: %d expectations, %q", program, expected, failures)
		}
	}
}
