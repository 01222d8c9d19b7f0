package explore

import (
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// Every generated scenario is one that a person could have written: it loads, can be
// built, and is played to its end.
func TestGeneratedScenariosAreSound(t *testing.T) {
	var p Player
	for seed := range uint64(300) {
		c := Generate(seed)
		s, err := scenarios.Load(c.Name, []byte(c.Scenario))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, c.Scenario)
		}
		if len(s.Timeline) == 0 || !strings.Contains(c.Scenario, "settled-for") {
			t.Errorf("seed %d: nothing happens, or the run does not settle", seed)
		}
		if seed%4 > 0 {
			continue
		}
		if o := p.Play(c); o.Err != nil {
			t.Errorf("seed %d: %v\n%s", seed, o.Err, c.Scenario)
		}
	}
}

// What is asked for is what all of them run, and what they have fits it.
func TestGenerateWithReleases(t *testing.T) {
	for _, kafka := range []string{"0.10.0", "0.10.1", "0.11.0", "2.3", "2.8.2", "3.9", protocol.Snapshot, "broker=3.9,client=0.10.2", "broker=2.2,client=3.9"} {
		for seed := range uint64(40) {
			c := Swarm{Kafka: kafka}.Generate(seed)
			s, err := scenarios.Load(c.Name, []byte(c.Scenario))
			if err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", kafka, seed, err, c.Scenario)
			}
			if err := Check(c); err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", kafka, seed, err, c.Scenario)
			}
			if want, _ := s.Releases(kafka); want != s.Kafka {
				t.Errorf("asked for %s, got %s", want, s.Kafka)
			}
		}
	}
}

// The text of a seed never changes unless the generator is changed: what is reported by
// its number alone can be generated again. Change the figure when you change what is
// drawn, and say so in docs/fuzz.md.
func TestGeneratedTextIsTheSameEverywhere(t *testing.T) {
	var h sim.Hasher
	for seed := range uint64(1000) {
		h.Str(Generate(seed).Scenario)
	}
	if got, want := h.Sum(), uint64(0x75785b2e70e0ef46); got != want {
		t.Errorf("the first 1,000 scenarios have the hash %#x, not %#x", got, want)
	}
}

// Each kind of trouble is drawn, alone and with others, and each size.
func TestTheSwarmIsWide(t *testing.T) {
	words := map[string]int{}
	for seed := range uint64(2000) {
		for _, line := range strings.Split(Generate(seed).Scenario, "\n") {
			for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" {},[]", r) }) {
				words[w]++
			}
		}
	}
	for _, w := range strings.Fields(`kill: close: restart: rolling-restart: freeze: slow: subscribe: unsubscribe: enforce-rebalance: commit: cut:
		disconnect: drop: lose: delay: latency: crash: move: add-partitions: stall-log: fail-log: formed: lost-answers: b3: c6: t4:
		cooperative-sticky sticky range roundrobin group.instance.id: group.max.size: on-revoked: on-lost: on-assigned: throws: pattern: kafka: client:`) {
		if words[w] < 20 {
			t.Errorf("%s: %d times in 2,000 scenarios", w, words[w])
		}
	}
}
