package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/golden"
	"github.com/rebalsim/rebalsim/sim"
)

// played is a scenario in which nothing that is idle is computed: every poll, every turn of
// a heartbeat thread and every round of a fetch is played.
func (p *Prepared) played() *Prepared {
	q := *p
	q.clients = make([]*consumer.Config, len(p.clients))
	for i, cfg := range p.clients {
		every := *cfg
		every.EveryTick = true
		q.clients[i] = &every
	}
	return &q
}

// facts plays a cluster to its end and gives the facts of its trace.
func facts(c *Cluster) []string {
	r := golden.NewRecorder(c.World)
	c.World.Watch(r)
	c.Run()
	return r.Lines()
}

// sortMoments sorts the facts of each moment.
func sortMoments(lines []string) {
	moment := func(i int) string { return strings.Fields(lines[i])[0] }
	for from, to := 0, 0; from < len(lines); from = to {
		for to < len(lines) && moment(to) == moment(from) {
			to++
		}
		slices.Sort(lines[from:to])
	}
}

// What is idle is computed, and every run is as if it were played.
func TestComputedIdleIsAsPlayed(t *testing.T) {
	for _, b := range ofOneRun() {
		s, err := b.Load()
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%s/%d", s.Name, seed), func(t *testing.T) { compareIdle(t, s, seed) })
		}
	}
}

// A process that stands still does not poll meanwhile, though it was idle before.
func TestFrozenIdleIsAsPlayed(t *testing.T) {
	for _, how := range []string{"{of: m1, for: 40ms}", "{of: m1, for: 1s}", "{of: m1, for: 3s}", "{of: m1, for: 12s}", "{of: m1, for: 40s}"} {
		t.Run(how, func(t *testing.T) {
			s, err := Load("frozen.yaml", []byte(`
about: a member stands still for a while
kafka: "3.9"
brokers: 1
topics: {orders: {partitions: 4}}
group: {id: g, config: {session.timeout.ms: 30s, max.poll.interval.ms: 12s}}
members: {"m{1..2}": {}}
timeline: [{at: 60.1s, freeze: `+how+`}]
end: {at: 130s}
`))
			if err != nil {
				t.Fatal(err)
			}
			compareIdle(t, s, 0)
		})
	}
}

// Of what comes at one moment, what comes to others may freeze a process that has an answer and
// has not had its turn.
func TestFrozenAtAnAnswerIsAsPlayed(t *testing.T) {
	s, err := Load("frozen.yaml", []byte(`
about: a member stands still at the moment of an answer
kafka: "3.9"
brokers: 1
latency: 1ms
topics: {orders: {partitions: 4}}
group: {id: g, config: {session.timeout.ms: 10s, enable.auto.commit: false}}
members: {"m{1..2}": {}}
start: {formed: {leader: m1, generation: 5, state: Stable, members: [m1, m2]}}
timeline:
  - {at: 12.001s, close: m2}
  - {when: {event: b1.group.PreparingRebalance#1}, freeze: {of: m1, for: 15s}}
end: {at: 60s}
`))
	if err != nil {
		t.Fatal(err)
	}
	compareIdle(t, s, 0)
}

func compareIdle(t *testing.T, s *Scenario, seed uint64) {
	p, err := Prepare(s, s.Kafka)
	if err != nil {
		t.Fatal(err)
	}
	computed := p.Cluster(&sim.Decisions{Seed: seed})
	played := p.played().Cluster(&sim.Decisions{Seed: seed})
	played.World.PlayRounds()
	got, want := facts(computed), facts(played)
	if seed > 0 { // then chance orders what comes at one moment
		sortMoments(got)
		sortMoments(want)
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("fact %d is\n%s\nplayed it is\n%s", i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d facts, played %d", len(got), len(want))
	}
	if played.World.Steps() < computed.World.Steps() {
		t.Errorf("computed it has %d events, played %d", computed.World.Steps(), played.World.Steps())
	}
}
