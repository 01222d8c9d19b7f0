package main

import (
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// judged plays a scenario under a judge whose history keeps what the test says.
func judged(t *testing.T, s *scenarios.Scenario, kafka scenarios.Kafka, wanted *history.Wanted) *report.Run {
	t.Helper()
	c, err := scenarios.Build(s, kafka, &sim.Decisions{})
	if err != nil {
		t.Fatal(err)
	}
	j := newJudge(&scenario{Scenario: s}, c, kafka)
	if wanted != nil {
		j.history = history.New(c.World, c.Clients, *wanted)
	}
	c.World.Watch(j.history)
	c.Run()
	r := j.run(nil)
	r.Full = true
	return r
}

// What a history does not keep makes no story and no picture another one.
func TestNothingIsMissedThatIsNotKept(t *testing.T) {
	all := &history.Wanted{Offsets: true}
	all.AllRequests()
	left := 0
	for _, b := range scenarios.List() {
		if b.Shelf != scenarios.Documented {
			continue
		}
		s, err := b.Load()
		if err != nil {
			t.Fatal(err)
		}
		some, every := judged(t, s, s.Kafka, nil), judged(t, s, s.Kafka, all)
		for _, write := range []func(*strings.Builder, *report.Run) error{
			func(b *strings.Builder, r *report.Run) error { return report.Story(b, r) },
			func(b *strings.Builder, r *report.Run) error { return report.Mermaid(b, r) },
		} {
			var got, want strings.Builder
			if err := write(&got, some); err != nil {
				t.Fatal(err)
			}
			if err := write(&want, every); err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Errorf("%s:\n%s\n\nand if all is kept:\n%s", b.Name, &got, &want)
			}
		}
		left += len(every.History.Requests) - len(some.History.Requests)
	}
	if left == 0 {
		t.Error("everything is kept")
	}
}

// A history does not grow while nothing happens: heartbeats, commits and records that are read
// are only counted.
func TestHistoryDoesNotGrow(t *testing.T) {
	kept := func(until string) (n, counted int) {
		s, err := scenarios.Load("long.yaml", []byte("{about: long, topics: {t: {partitions: 4, rate: 4/s}}, group: {id: g}, members: {A: {}, B: {}}, end: {at: "+until+"}}"))
		if err != nil {
			t.Fatal(err)
		}
		h := judged(t, s, s.Kafka, nil).History
		for _, q := range h.Requests {
			counted += 1 + q.More
		}
		return len(h.Requests) + len(h.Events), counted
	}
	short, few := kept("10m")
	long, many := kept("3h")
	if short != long || many < 15*few {
		t.Errorf("%d of %d requests are kept in 10 minutes, %d of %d in 3 hours", short, few, long, many)
	}
}
