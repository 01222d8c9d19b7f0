package scenarios

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// three is a group of three members in which nothing happens by itself.
const three = `about: a test
kafka: "3.9"
brokers: 3
topics: {orders: {partitions: 6, leader: b3}, audit: {partitions: 2, created: never}}
group:
  id: my-group
  coordinator: b1
  subscribe: orders
  config: {session.timeout.ms: 10s, enable.auto.commit: false, partition.assignment.strategy: [range]}
members: {L: {}, F1: {}, F2: {}, N: {start: never}, M: {start: never}}
start: {formed: {leader: L, generation: 1, members: [L, F1, F2]}}
`

// written is a group that reads what is written, with a program.
func written(program, members string) string {
	return `about: a test
kafka: "3.9"
topics: {orders: {partitions: 2, rate: 2/s}}
group: {id: g, config: {max.poll.interval.ms: 1m, enable.auto.commit: false, fetch.max.wait.ms: 5s}, program: {on-throw: go-on, ` + program + `}}
members: {` + members + `}
`
}

// actionRuns are what each thing that a step can do must lead to, said in the language
// itself.
var actionRuns = []struct{ name, text string }{
	{"a crash that nobody notices for a time", three + `
timeline: [{at: 1s, crash: {broker: b1, noticed-after: 3s, elected-after: 1s, load-takes: 500ms}}]
end: {settled-for: 4s}
expect:
  - b2.loaded#1: {at: 5500ms, state: Stable, generation: 1}
  - F1.FindCoordinator#1: {error: none}       # of b1, which is dead
  - count: {"*.JoinGroup": 0}
  - in the end: {state: Stable, generation: 1, members: 3}
`},
	{"the only broker that is left comes back while other troubles go on", three + `
timeline:
  - {at: 0s, crash: b2}
  - {at: 0s, crash: b3}
  - {at: 1s, fail-log: {error: NOT_ENOUGH_REPLICAS, for: 9s}}
  - {at: 2s, restart: {of: b1, down: 1s}}
expect:
  - b1.loaded#1: {at: 3s..4s, state: Stable, generation: 1}
  - in the end: {state: Stable, generation: 1, members: 3}
`},
	{"a broker that dies again before its first death is noticed", three + `
timeline:
  - {at: 0s, crash: b2}
  - {at: 0s, crash: b3}
  - {at: 1s, crash: {broker: b1, noticed-after: 6s}}
  - {at: 2s, start: b1}
  - {at: 3s, crash: b1}
  - {at: 4s, start: b1}
expect:
  - b1.loaded#2: {at: 7s..8s, state: Stable, generation: 1}
  - in the end: {state: Stable, generation: 1, members: 3}
`},
	{"a step whose trigger has fired is waited for", three + `
timeline:
  - {at: 1s, kill: F1}
  - {when: {event: F1.crashed}, after: 40s, start: F1}
end: {settled-for: 2s}
expect:
  - F1.started#2: {at: 41s}
  - in the end: {state: Stable, members: 3}
`},
	{"a member that is cut off will be missed, which is waited for", three + `
timeline:
  - {at: 1s, cut: F1}
end: {settled-for: 2s}
expect:
  - in the end: {state: Stable, members: [L, F2]}
`},
	{"a member that is killed in the middle of a rolling restart is not waited for", three + `
timeline:
  - {at: 1s, rolling-restart: {of: [F1, F2], down: 1s}}
  - {when: {event: F1.started#2}, after: 1ms, kill: F1}
end: {settled-for: 12s, at-most: 2m}
expect:
  - order: [F1.crashed#1, F2.ended#1, F2.started#2]
  - in the end: {state: Stable, members: [L, F2]}
`},
	{"a coordinator that dies before it knows that it is one", three + `
timeline:
  - {at: 0s, crash: b3}
  - {at: 1s, commit: L}
  - {at: 2s, crash: {broker: b1, unaware-for: 2s}}
  - {at: 3s, crash: {broker: b2, noticed-after: 9s}}
  - {at: 5s, start: b2}
expect:
  - b2.loaded#1: {at: 5s, state: Stable, generation: 1}
  - in the end: {state: Stable, generation: 1, members: 3}
`},
	{"a member that waits for a lost answer is waited for", three + `
timeline:
  - {at: 1s, kill: F1}
  - {drop: F2.SyncGroup#1.answer}
end: {settled-for: 2s}
expect:
  - F2.JoinGroup#2: {in: Stable, generation: 3}
  - in the end: {state: Stable, members: 2}
`},
	{"a coordinator that is back before anyone notices", three + `
timeline:
  - {at: 1s, crash: {broker: b1, noticed-after: 3s}}
  - {at: 2s, start: b1}
end: {settled-for: 4s}
expect:
  - b1.loaded#1: {at: 2s, state: Stable, generation: 1}
  - count: {b2.loaded: 0, b1.loaded: 1, "*.JoinGroup": 0}
  - in the end: {state: Stable, generation: 1, members: 3}
`},
	{"all brokers die, and one comes back", three + `
timeline:
  - {at: 1s, crash: b1}
  - {at: 2s, crash: b2}
  - {at: 3s, crash: b3}
  - {at: 5s, start: b3}
end: {settled-for: 4s}
expect:
  - order: [b2.loaded#1, b3.loaded#1, b3.crashed#1, b3.started#2, b3.loaded#2]
  - b3.loaded#2: {at: 5s, state: Stable, generation: 1, members: 3}
  - in the end: {state: Stable, generation: 1, members: 3}
`},
	{"a move that the old coordinator does not notice", three + `
timeline: [{at: 1s, move: {to: b2, noticed-after: 4s}}]
end: {settled-for: 4s}
expect:
  - b2.loaded#1: {at: 1s}
  - b1.unloaded#1: {at: 5s}
  - F1.Heartbeat#1: {at: 3s..3100ms, error: none}              # b1 still answers
  - F1.Heartbeat#2: {at: 6s..6100ms, error: NOT_COORDINATOR}
  - in the end: {state: Stable, generation: 1, members: 3}
`},
	{"a move there and back", three + `
timeline: [{at: 1s, move: b2}, {at: 5s, move: {to: b1, load-takes: 1s}}]
end: {settled-for: 4s}
expect:
  - order: [b1.unloaded#1, b2.loaded#1, b2.unloaded#1, b1.loaded#1]
  - b1.loaded#1: {at: 6s, state: Stable, generation: 1, members: 3}
  - count: {"*.JoinGroup": 0}
`},
	{"a coordinator that was one before is told late to give the group up", three + `
timeline: [{at: 1s, move: {to: b2, told-again-after: 5s}}, {at: 3s, move: b1}]
end: {settled-for: 6s}
expect:
  - order: [b2.loaded#1, b1.loaded#1]
  - count: {b1.unloaded: 1, "*.JoinGroup": 0}
  - in the end: {state: Stable, generation: 1, members: 3}
`},
	{"another partition moves", three + `
timeline: [{at: 1s, move: {to: b2, partition: other}}]
end: {settled-for: 6s}
expect:
  - count: {b1.unloaded: 1, "*.JoinGroup": 0, b1.group.Dead: 0}
  - in the end: {state: Stable, generation: 1, members: 3}
`},
	{"the order of coordinators", strings.Replace(three, "coordinator: b1", "coordinator: b1\n  next: [b3, b2]", 1) + `
timeline: [{at: 1s, crash: b1}, {at: 2s, crash: b3}]
end: {settled-for: 2s}
expect: [{order: [b3.loaded#1, b2.loaded#1]}]
`},
	{"a log that stalls", three + `
timeline:
  - {at: 1s, start: N}
  - {when: b1.group.CompletingRebalance#1, stall-log: {for: 2s}}
end: {settled-for: 3s}
expect:
  # The assignment is not stored, and nobody is told of it, until the log goes on.
  - F1.SyncGroup#1: {waits: true, error: none}
  - L.SyncGroup#1: {waits: true, error: none}
  - in the end: {state: Stable, generation: 2, members: 4}
`},
	{"a log that fails", three + `
timeline:
  - {at: 1s, start: N}
  - {when: b1.group.CompletingRebalance#1, fail-log: {error: NOT_ENOUGH_REPLICAS, for: 2s}}
end: {settled-for: 3s}
expect:
  # Coordinators from 1.0 on tell COORDINATOR_NOT_AVAILABLE.
  - L.SyncGroup#1: {error: COORDINATOR_NOT_AVAILABLE}
  - in the end: {state: Stable, members: 4}
`},
	{"a cut that heals", three + `
timeline: [{at: 1s, cut: {of: F1, from: b1, for: 20s}}]
end: {settled-for: 4s}
expect:
  - b1.group.PreparingRebalance#1: {at: 10s..12s}              # F1's session ends
  - L.JoinGroup#1: {generation: 2, members: [L, F2]}
  - in the end: {state: Stable, members: [L, F1, F2], holds: {L: 2, F1: 2, F2: 2}}
`},
	{"a cut of one direction", three + `
timeline: [{at: 1s, cut: {of: F1, from: b1, way: to}}, {at: 8s, heal: {of: F1, from: b1}}]
end: {settled-for: 4s}
expect:
  # Its heartbeats arrive, so its session goes on.
  - count: {b1.group.PreparingRebalance: 0}
  - in the end: {state: Stable, generation: 1, members: 3}
`},
	{"latency", three + `
timeline: [{at: 1s, latency: {of: F1, is: 400ms}}]
end: {settled-for: 3s}
expect:
  - F1.Heartbeat#1: {at: 3400ms, error: none}
  - L.Heartbeat#1: {at: 3001ms}
`},
	{"a share of messages, without chance", three + `
timeline: [{at: 1s, drop: {message: "*.Heartbeat", share: 50%}}, {at: 20s, mark: over}]
end: {settled-for: 1s}
expect: [{count: {b1.group.PreparingRebalance: 0}}]
`},
	{"a restart", three + `
timeline: [{at: 1s, restart: {of: F1, down: 2s, config: {client.rack: east}}}]
end: {settled-for: 4s}
expect:
  - order: [F1.LeaveGroup#1, F1.ended#1, F1.started#2, F1.JoinGroup#1]
  - F1.started#2: {at: 3s..3100ms}
  - in the end: {state: Stable, members: [L, F1, F2], holds: {L: 2, F1: 2, F2: 2}}
`},
	{"a restart with another release", three + `
timeline: [{at: 1s, restart: {of: F1, kafka: 2.1.1}}]
end: {settled-for: 4s}
expect:
  # 2.1 does not know the second step of a join (KIP-394).
  - F1.JoinGroup#1: {waits: true, error: none}
  - in the end: {state: Stable, members: [L, F1, F2]}
`},
	{"a restart with another subscription", strings.Replace(three, ", created: never", "", 1) + `
timeline: [{at: 1s, restart: {of: F1, subscribe: [audit]}}]
end: {settled-for: 4s}
expect:
  - in the end: {holds: {L: 3, F1: [audit-0, audit-1], F2: 3}}
`},
	{"a close that takes too long", strings.Replace(three, "F1: {}", "F1: {program: {on-revoked: {takes: 1m}}}", 1) + `
timeline: [{at: 1s, close: {of: F1, grace: 5s}}]
end: {settled-for: 3s}
expect:
  - F1.crashed#1: {at: 6s}
  - count: {F1.ended: 0}
`},
	{"a program that does not close", strings.Replace(three, "F1: {}", "F1: {program: {on-stop: kill}}", 1) + `
timeline: [{at: 1s, close: F1}]
end: {settled-for: 12s}
expect:
  - F1.crashed#1: {at: 1s}
  - count: {F1.LeaveGroup: 0}
  - in the end: {members: [L, F2]}
`},
	{"a rolling restart of two at a time", three + `
timeline: [{at: 1s, rolling-restart: {of: [L, F1, F2], down: 1s, at-a-time: 2, next-when: 10s}}]
end: {settled-for: 4s}
expect:
  - order: [L.ended#1, F1.ended#1, L.started#2, F2.ended#1]
  - F2.ended#1: {at: 12s..13s}
  - in the end: {state: Stable, members: [L, F1, F2], holds: {L: 2, F1: 2, F2: 2}}
`},
	{"a deploy with surge", three + `
timeline: [{at: 1s, deploy: {of: [F1, F2], by: [N, M]}}]
end: {settled-for: 4s}
expect:
  - order: [N.started#1, N.assigned#1, F1.LeaveGroup#1, F1.ended#1, M.started#1, M.assigned#1, F2.ended#1]
  - in the end: {state: Stable, members: [L, N, M], holds: {L: 2, N: 2, M: 2}}
`},
	{"up and down in scale", three + `
timeline:
  - {at: 1s, scale: {of: [L, F1, F2, N, M], to: 5, gap: 1s}}
  - {at: 10s, scale: {of: [L, F1, F2, N, M], to: 2}}
end: {settled-for: 4s}
expect:
  - N.started#1: {at: 1s}
  - M.started#1: {at: 2s}
  - count: {"*.ended": 3, "*.crashed": 0}
  - in the end: {state: Stable, members: [L, F1], holds: {L: 3, F1: 3}}
`},
	{"a topic that is created, grows and is deleted", strings.Replace(three, "subscribe: orders", "subscribe: [orders, audit]", 1) + `
timeline:
  - {at: 1s, create-topic: audit}
  - {at: 4s, add-partitions: {topic: audit, to: 3}}
  - {at: 8s, delete-topic: orders}
  - {at: 8s, restart: [L, F1, F2]}
end: {settled-for: 4s}
expect:
  - in the end: {holds: {L: 1, F1: 1, F2: 1}}
`},
	{"a slow program", three + `
timeline: [{at: 1s, slow: {of: F1, for: 8s}}]
end: {settled-for: 10s}
expect:
  - count: {F1.Heartbeat: ">= 2", b1.group.PreparingRebalance: 0}
`},
	{"a program that is slow with the batch in hand, and commits when it is out", written("per-batch: 1s, commit: sync after batch", "A: {}, B: {}") + `
timeline: [{at: 20.5s, slow: {of: A, for: 90s}}]
expect:
  - A.LeaveGroup#1: {at: 79s..82s}
  - A.thrown#1: {at: 110s..112s}
  - in the end: {state: Stable, members: [A, B]}
  - records: {skipped: 0, twice: "> 0"}
`},
	{"one that commits before", written("per-batch: 1s, commit: sync before batch", "A: {}, B: {}") + `
timeline: [{at: 20.5s, slow: {of: A, for: 90s}}]
expect:
  - A.LeaveGroup#1: {at: 79s..82s}
  - count: {"*.thrown": 0}
  - records: {skipped: 0, twice: 0}
`},
	{"one that is slow with the next batch", written("poll: 10ms, commit: sync after batch", "A: {}") + `
timeline: [{at: 20.7s, slow: {of: A, for: 90s}}]
expect:
  - A.LeaveGroup#1: {at: 80s..82s}
  - A.thrown#1: {at: 110s..112s}
`},
	{"one that will have nothing in hand", strings.Replace(written("commit: sync after batch", "A: {}"), ", rate: 2/s", "", 1) + `
timeline: [{at: 20.7s, slow: {of: A, for: 90s}}]
expect:
  - A.LeaveGroup#1: {at: 80s..82s}
  - count: {"*.thrown": 0}
  - in the end: {state: Stable, members: [A]}
`},
	{"one whose partitions are taken before it has a next batch", strings.Replace(written("commit: sync after batch", "A: {}, B: {start: never}"), "rate: 2/s", "rate: 1/100s", 1) + `
timeline:
  - {at: 20s, slow: {of: A, for: 90s}}
  - {at: 30s, start: B}
expect:
  - A.LeaveGroup#1: {at: 90s..94s}
  - A.JoinGroup#4: {at: 120s..124s}
`},
	{"one whose poll throws before it has a next batch", strings.Replace(written("commit: sync after batch", "A: {}"), "rate: 2/s", "rate: 1/100s", 1) + `
timeline:
  - {at: 20s, slow: {of: A, for: 90s}}
  - {at: 21s, wakeup: A}
expect:
  - A.LeaveGroup#1: {at: 80s..82s}
`},
	{"a subscription to a pattern", three + `
timeline:
  - {at: 1s, unsubscribe: [L, F1, F2]}
  - {at: 1s, subscribe: {of: [L, F1, F2], pattern: "ord.*"}}
end: {settled-for: 4s}
expect:
  - count: {"*.LeaveGroup": 3, "*.thrown": 0}
  - in the end: {state: Stable, members: [L, F1, F2], holds: {L: 2, F1: 2, F2: 2}}
`},
	{"commits at their times", three + `
timeline: [{at: 1s, every: 2s, times: 3, commit: F1}, {at: 2s, commit: {of: F2, async: true}}]
end: {settled-for: 1s}
expect:
  - count: {F1.OffsetCommit: 3, F2.OffsetCommit: 1}
  - F1.OffsetCommit#3: {at: 5s..5200ms, error: none}
`},
	{"pause and resume", three + `
timeline: [{at: 1s, pause: {of: L, partitions: [orders-4]}}, {at: 1s, pause: F1}, {at: 5s, resume: F1}]
end: {at: 10s}
expect:
  - at 2s: {holds: {L: [orders-5], F1: none, F2: 2}}
  - at 6s: {holds: {L: [orders-5], F1: 2}}
  - never: {state: PreparingRebalance}
`},
	{"a given assignment", strings.NewReplacer("members: [L, F1, F2]}", "members: [L, F1, F2], assignment: {L: [orders-0, orders-1, orders-2, orders-3], F2: [orders-5]}}",
		"strategy: [range]", "strategy: [cooperative-sticky]").Replace(three) + `
timeline: [{at: 1s, start: N}]
end: {settled-for: 5s}
expect:
  - at 500ms: {holds: {L: 4, F1: none, F2: [orders-5]}}
  # cooperative-sticky evens it out, and moves no more than it must.
  - L.revoked#1: {partitions: 2}
  - count: {F2.revoked: 0}
  - in the end: {holds: {L: 2, F1: 1}}
`},
	{"seek", strings.Replace(three, "partitions: 6", "partitions: 6, rate: 6/s", 1) + `
timeline: [{at: 5s, seek: {of: L, to: 0}}, {at: 5s, seek: {of: F1, to: 0, partitions: [orders-1]}}]
end: {at: 6s}
expect:
  - metrics: {of: orders-4, twice: ">= 4"}
  - metrics: {of: orders-1, twice: ">= 4"}
  - metrics: {of: orders-0, twice: 0}
`},
	{"wakeup", three + `
timeline: [{at: 1050ms, wakeup: L}]
end: {at: 2s}
expect:
  - L.thrown#1: {at: 1050ms..1051ms}
  - count: {L.ended: 0}
`},
	{"metadata is refreshed", three + `
timeline: [{at: 1s, add-partitions: {topic: orders, to: 9}}, {at: 1s, refresh-metadata: L}]
end: {settled-for: 5s}
expect:
  - L.JoinGroup#1: {at: 1s..1200ms, moves: Stable -> PreparingRebalance}
  - in the end: {holds: {L: 3, F1: 3, F2: 3}}
`},
	{"a coordinator that does not know", three + `
timeline: [{at: 1s, move: {to: b2, unaware-for: 3s, load-takes: 2s}}]
end: {at: 10s}
expect:
  - b2.loaded#1: {at: 6s, state: Stable}
  - L.Heartbeat#2: {at: 3s..4s, error: NOT_COORDINATOR}
  - count: {"*.JoinGroup": 0}
  - in the end: {state: Stable, generation: 1}
`},
	{"a coordinator that dies before it knows", three + `
timeline: [{at: 1s, move: {to: b2, unaware-for: 3s}}, {at: 2s, crash: {broker: b2, noticed-after: 1s}}]
end: {at: 15s}
expect:
  - count: {b2.loaded: 0}
  - b3.loaded#1: {at: 3s, state: Stable, generation: 1}
  - in the end: {state: Stable, generation: 1}
`},
	{"brokers that have not heard", three + `
timeline: [{at: 1s, move: {to: b2, unheard-by: {of: [b1, b3], for: 5s}}}]
end: {at: 15s}
expect:
  # b1 knows that it is no coordinator, and names itself until 6 s.
  - L.Heartbeat#1: {at: 3s..4s, error: NOT_COORDINATOR}
  - L.Heartbeat#2: {at: 3s..6s, error: NOT_COORDINATOR}
  - in the end: {state: Stable, generation: 1}
  - count: {"*.JoinGroup": 0}
`},
	{"a program that closes in turn", strings.Replace(three, "N: {start: never}", "S: {start: never, program: {poll: 1s, idle: 4s, on-stop: close-in-turn}}", 1) + `
timeline: [{at: 1s, start: S}, {at: 12s, close: S}]
end: {at: 20s}
expect:
  - S.LeaveGroup#1: {at: 12s..17s}
  - S.ended#1: {}
`},
	{"racks", strings.NewReplacer("brokers: 3", "brokers: {b1: {rack: east}, b2: {rack: west}}", ", leader: b3", "",
		"L: {}, F1: {}", "L: {config: {client.rack: west}}, F1: {config: {client.rack: east}}",
		"start: {formed: {leader: L, generation: 1, members: [L, F1, F2]}}\n", "", "F2: {}, N", "N").Replace(three) + `
end: {settled-for: 1s}
expect:
  # From 3.5 on range gives partitions to members in their rack (KIP-881): b1 leads the even ones.
  - in the end: {holds: {F1: [orders-0, orders-2, orders-4], L: [orders-1, orders-3, orders-5]}}
`},
	{"a broker of another release", strings.Replace(three, "brokers: 3", "brokers: {b1: {kafka: 2.8.2, log-takes: 50ms}, b2: {kafka: 0.11.0.3}, b3: {}}", 1) + `
timeline: [{at: 1s, start: N}]
end: {settled-for: 4s}
expect:
  # b2 knows JoinGroup 2 at most, so nobody speaks of ids in two steps (KIP-394).
  - N.JoinGroup#1: {waits: true, error: none}
  # The assignment counts when the log has it.
  - L.SyncGroup#1: {waits: true, answered: later, error: none}
  - in the end: {state: Stable, members: 4}
`},
}

// A start of a process that has not ended is told.
func TestStartInVain(t *testing.T) {
	s := load(t, three+"timeline: [{at: 1s, slow: {of: L, for: 5s}}, {at: 2s, close: L}, {at: 3s, start: L}, {at: 4s, start: F1}, {at: 5s, start: N}]\n")
	c, err := Build(s, s.Kafka, &sim.Decisions{})
	if err != nil {
		t.Fatal(err)
	}
	c.Run()
	list := c.Exercised()
	for i, why := range []string{2: "L was still closing", 3: "F1 runs already", 4: ""} {
		if list[i].Why != why {
			t.Errorf("%s: %q", list[i].Text, list[i].Why)
		}
	}
}

func TestActions(t *testing.T) {
	for _, r := range actionRuns {
		t.Run(r.name, func(t *testing.T) {
			s := load(t, r.text)
			failures, expected := played(t, s, s.Kafka)
			if expected == 0 {
				t.Error("nothing is expected")
			}
			for _, f := range failures {
				t.Error(f)
			}
		})
	}
}

// Records come at the rate that the file says, per whatever time.
func TestRates(t *testing.T) {
	for _, r := range []struct {
		rate string
		at   sim.Time
		want int64 // in the first of two partitions
	}{{"10/m", sim.Minute, 5}, {"10/m", 30 * sim.Second, 3}, {"600/s", sim.Second, 300}, {"1/250ms", sim.Second, 2}, {"7/h", 2 * sim.Hour, 7}} {
		s := load(t, strings.Replace(three, "partitions: 6", "partitions: 2, rate: "+r.rate, 1))
		c, err := Build(s, s.Kafka, &sim.Decisions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, topic := range c.Topics() {
			if got := topic.EndOffset(0, r.at); topic.Name == "orders" && got != r.want {
				t.Errorf("%s: %d after %s, not %d", r.rate, got, r.at, r.want)
			}
		}
	}
}

// randomSteps are steps that get into each other's way.
var randomSteps = []string{
	"kill: F1", "kill: L", "start: [F1, L]", "close: F2", "close: {of: L, grace: 1s}", "start: N", "kill: N",
	"restart: {of: [L, F1], down: 1s}", "restart: {of: F2, down: 2s, config: {client.rack: x}}", "rolling-restart: {of: [L, F1, F2], down: 500ms}",
	"rolling-restart: {of: [L, F1, F2], at-a-time: 2, next-when: 1s}", "deploy: {of: [L, F1], by: [N, M]}", "scale: {of: [L, F1, F2, N, M], to: 2, gap: 100ms}",
	"scale: {of: [L, F1, F2, N, M], to: 5}", "freeze: {of: F1, for: 3s}", "slow: {of: L, for: 3s}", "subscribe: {of: F1, topics: [audit]}",
	"unsubscribe: F2", "enforce-rebalance: L", "commit: F1", "disconnect: F1", "cut: {of: L, for: 2s}", "cut: b1", "heal: b1", "latency: {of: F1, is: 30ms}",
	"hold: F1.JoinGroup", "release: all", "drop: F2.SyncGroup", "lose: L.Heartbeat", "delay: {message: '*.JoinGroup', by: 500ms}",
	"crash: {broker: b1, noticed-after: 500ms, elected-after: 500ms, load-takes: 300ms}", "crash: b2", "crash: b3", "start: [b1, b2, b3]", "move: b2",
	"move: {to: b3, noticed-after: 1s, load-takes: 1s}", "restart: {of: b1, down: 1s}", "rolling-restart: {of: 'b*', kafka: 2.8.2, down: 500ms, next-when: 500ms}",
	"stall-log: {for: 1s}", "fail-log: {error: KAFKA_STORAGE_ERROR, for: 1s}", "create-topic: audit", "add-partitions: {topic: orders, to: 9}", "delete-topic: orders",
}

// Whatever steps get into each other's way, a run goes on to its end, and its copies have
// its future.
func TestStepsInEachOthersWay(t *testing.T) {
	rounds := uint64(30)
	if raceEnabled {
		rounds = 3
	}
	for n := range rounds {
		r := rand.New(rand.NewPCG(3, n))
		text := three + "timeline:\n"
		added := false
		for range 12 {
			step := randomSteps[r.IntN(len(randomSteps))]
			if strings.HasPrefix(step, "add-partitions") && added {
				continue
			}
			added = added || strings.HasPrefix(step, "add-partitions")
			text += fmt.Sprintf("  - {at: %dms, %s}\n", r.IntN(8000), step)
		}
		s := load(t, text+"end: {at: 30s}\n")
		build := func() *Cluster {
			c, err := Build(s, s.Kafka, &sim.Decisions{Seed: n})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c := build()
		want := playOut(c, nil)
		if c.World.Now() < 30*sim.Second {
			t.Errorf("it ended at %s:\n%s", c.World.Now(), text)
		}
		copied := build()
		got := playOut(copied, func() {
			for id := range sim.NodeID(copied.World.Nodes()) {
				copied.World.Recopy(id)
			}
		})
		if got != want {
			t.Errorf("with copied nodes it is another run:\n%s", text)
		}
	}
}

// What a run exercised, and what had no effect.
func TestExercised(t *testing.T) {
	s := load(t, three+`
timeline:
  - {at: 1s, kill: F1}
  - {at: 2s, kill: F1}
  - {at: 3s, start: L}
  - {at: 3s, every: 1s, times: 2, disconnect: L}
  - drop: F2.LeaveGroup
  - {when: F2.LeaveGroup#1, kill: L}
  - {at: 4s, mark: here}
end: {at: 10s}
`)
	c, err := Build(s, Kafka{protocol.MustRelease("3.9"), protocol.MustRelease("3.9")}, &sim.Decisions{})
	if err != nil {
		t.Fatal(err)
	}
	c.Run()
	want := []struct {
		times, effects int
		first          sim.Time
		idle, vain     bool
	}{
		{1, 1, sim.Second, false, false},
		{1, 0, 2 * sim.Second, false, true}, // it is dead
		{1, 0, 3 * sim.Second, false, true}, // it runs
		{2, 4, 3 * sim.Second, false, false},
		{1, 0, 0, false, true}, // there is no such message
		{0, 0, 0, true, false},
		{1, 0, 4 * sim.Second, false, false}, // a mark needs no effect
	}
	for i, e := range c.Exercised() {
		w := want[i]
		if e.Times != w.times || e.First != w.first || e.Idle() != w.idle || e.Vain() != w.vain || w.effects > 0 && e.Effects == 0 {
			t.Errorf("%s: got %+v", s.Timeline[i].Text, e)
		}
	}
	if idle := c.Idle(); len(idle) != 2 {
		t.Errorf("idle: %q", idle)
	}
}
