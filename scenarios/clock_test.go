package scenarios

import (
	"strings"
	"testing"
)

// Clocks that are set wrong change what happens, each in its way.
func TestClocks(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		// All that a machine waits for is by its clock. A broker that runs at double
		// speed ends a session of 10 s after 5 s, and a heartbeat each 3 s is enough.
		{"a fast broker", `kafka: "3.9"
group: {id: my-group, config: {session.timeout.ms: 10s}}
members: {L: {}, F1: {}, F2: {}}
start: {formed: {leader: L}}
timeline: [{clock: {of: b1, runs: 2}}, {at: 4s, kill: F1}]
expect:
  - b1.group.PreparingRebalance#1: {at: 7500ms..8100ms}
  - count: {L.JoinGroup: 1, F2.JoinGroup: 1}`},
		// A client that runs at half speed has a heartbeat each 6 s. The session of 8 s
		// is longer than that, one of 5 s is not.
		{"a slow client", `kafka: "3.9"
group: {id: my-group, config: {session.timeout.ms: 8s}}
members: {L: {}, F1: {}}
start: {formed: {leader: L}}
timeline: [{clock: {of: F1, runs: 0.5}}]
end: {at: 30s}
expect:
  - never: {state: PreparingRebalance}
  - F1.Heartbeat#1: {at: 6s..6200ms}`},
		{"a slow client with a short session", `kafka: "3.9"
brokers: {b1: {config: {group.min.session.timeout.ms: 1s}}}
group: {id: my-group, config: {session.timeout.ms: 5s}}
members: {L: {}, F1: {}}
start: {formed: {leader: L}}
timeline: [{clock: {of: F1, runs: 0.5}}]
end: {at: 10s}
expect:
  - F1.Heartbeat#1: {error: UNKNOWN_MEMBER_ID}`},
		// Put right again, what is left of its timers runs as it should.
		{"put right", `kafka: "3.9"
members: {L: {}, F1: {}}
start: {formed: {leader: L}}
timeline: [{clock: {of: F1, runs: 0.5}}, {at: 2s, clock: {of: F1, runs: 1}}]
end: {at: 10s}
expect:
  - F1.Heartbeat#1: {at: 4s..4200ms}`},
		// KAFKA-4051: put back by a minute, an old broker finds out a minute late.
		{"an old broker's clock put back", `kafka: 0.10.0.1
group: {id: my-group, config: {session.timeout.ms: 10s}}
members: {L: {}, F1: {}}
start: {formed: {leader: L}}
timeline: [{at: 4s, kill: F1}, {at: 5s, clock: {of: b1, jump: -1m}}]
end: {at: 90s}
expect:
  - b1.group.PreparingRebalance#1: {at: 73s..74s}`},
		{"a new broker's clock put back", `kafka: 0.10.1.0
group: {id: my-group, config: {session.timeout.ms: 10s}}
members: {L: {}, F1: {}}
start: {formed: {leader: L}}
timeline: [{at: 4s, kill: F1}, {at: 5s, clock: {of: b1, jump: -1m}}]
end: {at: 90s}
expect:
  - b1.group.PreparingRebalance#1: {at: 13s..14s}`},
		// A process that starts again knows nothing of what its clock has shown before.
		{"a restart heals", `kafka: "3.9"
members: {L: {}, F1: {}}
start: {formed: {leader: L}}
timeline: [{at: 4s, clock: {of: F1, jump: -1h}}, {at: 5s, restart: F1}]
end: {at: 40s}
expect:
  - count: {F1.Heartbeat: ">= 8"}`},
		// What a clock shows has a part in the age of offsets.
		{"offsets expire", `kafka: "3.9"
brokers: {b1: {config: {offsets.retention.minutes: 60m, offsets.retention.check.interval.ms: 1m}}}
topics: {orders: {partitions: 2, rate: 2/s}}
group: {id: my-group, config: {auto.offset.reset: earliest}}
members: {L: {}}
timeline: [{at: 20s, close: L}, {at: 30s, clock: {of: b1, jump: 2h}}, {at: 90s, start: L}]
end: {at: 100s}
expect:
  - b1.group.Dead#1: {at: 30s..61s}`},
	} {
		t.Run(c.name, func(t *testing.T) { asItSays(t, c.text) })
	}
}

// asItSays plays a scenario that says what it expects.
func asItSays(t *testing.T, text string) {
	t.Helper()
	s, err := Load("f.yaml", []byte(completed(text)))
	if err != nil {
		t.Fatal(err)
	}
	failures, expected := played(t, s, s.Kafka)
	for _, f := range failures {
		t.Error(f)
	}
	if expected == 0 {
		t.Error("it expects nothing")
	}
}

// completed adds what every scenario must have and the text leaves out.
func completed(text string) string {
	for _, need := range strings.SplitAfter(good, "\n") {
		if key, _, _ := strings.Cut(need, ":"); key != "" && !strings.HasPrefix(text, key+":") && !strings.Contains(text, "\n"+key+":") {
			text = strings.TrimSuffix(text, "\n") + "\n" + need
		}
	}
	return text
}
