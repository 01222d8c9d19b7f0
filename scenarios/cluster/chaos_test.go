package cluster

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Any script that is accepted can be played to its end, twice with the same events.
func TestAnyScript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"A", "B", "C", "D"}
		var script []map[string]any
		for i, name := range names {
			client := map[string]any{"id": name, "slowRevoked": rapid.SampledFrom([]int{0, 0, 3000}).Draw(t, "slow")}
			if rapid.Bool().Draw(t, "static") {
				client["instance"] = fmt.Sprintf("i%d", i/2)
			}
			script = append(script, map[string]any{"at": rapid.IntRange(0, 5000).Draw(t, "start"), "op": "start", "client": client})
		}
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			s := map[string]any{
				"at": rapid.IntRange(0, 11_000).Draw(t, "at"),
				"op": rapid.SampledFrom([]string{"close", "kill", "busy", "cmd", "topics", "move", "load", "loaded", "down", "up"}).Draw(t, "op"),
				"c":  rapid.SampledFrom(names).Draw(t, "client"), "ms": rapid.IntRange(1, 9000).Draw(t, "ms"),
				"to": rapid.IntRange(0, 1).Draw(t, "to"), "broker": rapid.IntRange(0, 1).Draw(t, "broker"),
				"topics": map[string]int{"t1": rapid.IntRange(1, 9).Draw(t, "partitions")},
				"cmd": map[string]any{"op": rapid.SampledFrom([]string{"commitSync", "enforceRebalance", "subscribe", "unsubscribe"}).Draw(t, "cmd"),
					"topics": []string{"t1", "t2"}},
			}
			script = append(script, s)
		}
		line, err := json.Marshal(map[string]any{
			"id": "any", "topics": map[string]int{"t1": 6}, "subscribe": []string{"t1"}, "poll": 100, "work": 10, "latency": 1, "until": 12_000,
			"config": map[string]any{"partition.assignment.strategy": "org.apache.kafka.clients.consumer." +
				rapid.SampledFrom([]string{"RangeAssignor", "CooperativeStickyAssignor", "StickyAssignor"}).Draw(t, "assignor"), "max.poll.interval.ms": 8000},
			"script": script,
		})
		if err != nil {
			t.Fatal(err)
		}
		first, err := Play(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		second, err := Play(line)
		if err != nil || string(first) != string(second) {
			t.Fatalf("%s: played again it is another run (%v)", line, err)
		}
	})
}
