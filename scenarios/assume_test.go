package scenarios

import (
	"testing"

	"github.com/rebalsim/rebalsim/sim"
)

func TestAssumptions(t *testing.T) {
	s, err := Load("x.yaml", []byte(`about: x
latency: 2ms..6ms
topics: {o: {partitions: 2, rate: 10/s}}
group: {id: g, config: {session.timeout.ms: 20s}, program: {per-batch: 15ms}}
members: {"p-{0..1}": {}}
timeline:
  - {at: 1s, rolling-restart: {of: "p-*", down: 3s..5s, next-when: 7s}}
  - {at: 9s, freeze: {of: p-0, for: 9s}}
  - {at: 99s, crash: {broker: b1, noticed-after: 5s, load-takes: 1s}}
  - {at: 199s, freeze: {of: p-1, for: 11s}}
`))
	if err != nil {
		t.Fatal(err)
	}
	scaled := map[string]*Scenario{}
	values := map[string]sim.Span{}
	for _, a := range s.Assumptions() {
		scaled[a.Name], values[a.Name] = a.Scaled(s, 1, 2), a.Value
	}
	for _, x := range []struct {
		name      string
		was, half sim.Time
		of        func(*Scenario) sim.Time
	}{
		{"latency", 2000, 1000, func(s *Scenario) sim.Time { return s.Latency.Min }},
		{"per-batch", 15_000, 7_000, func(s *Scenario) sim.Time { return s.Members[1].Program.PerBatch.Max }},
		{"rate", 10, 5, func(s *Scenario) sim.Time { return sim.Time(s.Topics[0].Rate.Records) }},
		{"down", 3 * sim.Second, 1500 * sim.Millisecond, func(s *Scenario) sim.Time { return s.Timeline[0].Do.(Restart).Down.Min }},
		{"next-when", 7 * sim.Second, 3500 * sim.Millisecond, func(s *Scenario) sim.Time { return s.Timeline[0].Do.(Restart).After }},
		{"for", 9 * sim.Second, 5500 * sim.Millisecond, func(s *Scenario) sim.Time { return s.Timeline[3].Do.(Freeze).For }},
		{"noticed-after", 5 * sim.Second, 2500 * sim.Millisecond, func(s *Scenario) sim.Time { return s.Timeline[2].Do.(Crash).Noticed }},
		{"load-takes", sim.Second, 500 * sim.Millisecond, func(s *Scenario) sim.Time { return s.Timeline[2].Do.(Crash).LoadTime }},
		{"session.timeout.ms", 20 * sim.Second, 10 * sim.Second, func(s *Scenario) sim.Time {
			return sim.Time(s.Members[1].Config.Millis("session.timeout.ms", 0)) * sim.Millisecond
		}},
		{"heartbeat.interval.ms", 3 * sim.Second, 1500 * sim.Millisecond, func(s *Scenario) sim.Time {
			return sim.Time(s.Members[0].Config.Millis("heartbeat.interval.ms", 0)) * sim.Millisecond
		}},
	} {
		if scaled[x.name] == nil {
			t.Errorf("%s is not assumed", x.name)
			continue
		}
		if got := values[x.name].Min; got != x.was {
			t.Errorf("%s is %s, want %s", x.name, got, x.was)
		}
		if got := x.of(scaled[x.name]); got != x.half {
			t.Errorf("half of %s is %s, want %s", x.name, got, x.half)
		}
	}
	if scaled["elected-after"] != nil {
		t.Error("what is 0 is assumed")
	}
	if s.Timeline[3].Do.(Freeze).For != 11*sim.Second || s.Latency.Min != 2000 || s.Members[0].Program.PerBatch.Max != 15_000 || s.Topics[0].Rate.Records != 10 {
		t.Error("the scenario itself has changed")
	}
}
