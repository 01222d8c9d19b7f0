package scenarios

import "testing"

// What the program's assignor does shows in the run.
func TestOwnAssignor(t *testing.T) {
	const group = `about: a test
topics: {orders: {partitions: 6}}
group: {id: my-group, config: {session.timeout.ms: 10s, heartbeat.interval.ms: 3s, max.poll.interval.ms: 8s}}
start: {formed: {leader: L, members: [L, F]}}
`
	for name, text := range map[string]string{
		"it takes its time": group + `
members: {L: {program: {assignor-takes: 4s}}, F: {}, N: {start: 1s}}
expect:
  - b1.group.CompletingRebalance#1: {at: 1s..4100ms}
  - b1.group.Stable#2: {at: 5s..8200ms, generation: 2, leader: L}
  - in the end: {state: Stable, generation: 2}
`,
		"it takes none": group + `
members: {L: {}, F: {}, N: {start: 1s}}
expect:
  - b1.group.Stable#2: {at: 1s..4200ms, generation: 2, leader: L}
`,
		"it throws, and the leader goes": group + `
members: {L: {program: {assignor-throws: true}}, F: {}, N: {start: 1s}}
expect:
  - L.thrown#1: {at: 1s..4200ms}
  - in the end: {state: Stable, leader: F, members: 2}
`,
		"poll(long) waits for the group": group + `
kafka: 2.4.1
members: {L: {}, F: {program: {poll-long: true, on-stop: close-in-turn}}, N: {start: 1s}}
timeline:
  - {when: {message: L.SyncGroup#1}, hold: it}
  - {at: 4500ms, close: F}
  - {at: 7s, release: L.SyncGroup#1}
expect:
  - count: {F.assigned: 1}
`,
		"poll(Duration) does not": group + `
kafka: 2.4.1
members: {L: {}, F: {program: {on-stop: close-in-turn}}, N: {start: 1s}}
timeline:
  - {when: {message: L.SyncGroup#1}, hold: it}
  - {at: 4500ms, close: F}
  - {at: 7s, release: L.SyncGroup#1}
expect:
  - count: {F.assigned: 0}
`,
	} {
		s, err := Load(name, []byte(text))
		if err != nil {
			t.Error(err)
			continue
		}
		failures, expected := played(t, s, s.Kafka)
		if len(failures) > 0 || expected == 0 {
			t.Errorf("%s: %d expectations, %q", name, expected, failures)
		}
	}
}
