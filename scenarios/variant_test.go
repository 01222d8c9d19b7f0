package scenarios

import (
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/sim"
)

const withVariants = `about: a test
kafka: {broker: 3.9, client: 2.8.1}
topics: {orders: {partitions: 8, rate: 10/s}}
group: {id: g, config: {session.timeout.ms: 20s}}
members: {L: {}, F1: {config: {session.timeout.ms: 30s}}}
timeline:
  - {at: 1m, mark: deploy, rolling-restart: {of: "*", down: 3s}}
  - {at: 5m, restart: {of: L, down: 4s, grace: 1s}}
measure: {from: deploy, seeds: 7}
variants:
  as it is: {}
  b: {config: {session.timeout.ms: 40s, group.instance.id: "{name}", group.max.size: 5}, program: {on-stop: kill}, kafka: {client: 3.3}}
  "c, slow": {down: 50s..70s, rate: 20/m, partitions: 4, latency: 7ms, kafka: 2.8, habits: {leaves-on-close: false}}
expect:
  ">=3.0":
    - in the end: {state: Stable}
  b:
    - metrics: {twice: 0}
  "c, slow": {rebalances: "<= 3", standstill: "< as it is / 4", longest: ">= b * 3 / 2"}
`

func TestVariants(t *testing.T) {
	s := load(t, withVariants)
	if got := s.VariantNames(); !slices.Equal(got, []string{"as it is", "b", "c, slow"}) {
		t.Fatalf("got %q", got)
	}
	b, c := s.Variants[1].Scenario, s.Variants[2].Scenario
	if b.Kafka != (Kafka{protocol.MustRelease("3.9"), protocol.MustRelease("3.3")}) || !s.Variants[1].OwnKafka || s.Variants[0].OwnKafka {
		t.Errorf("got %v", b.Kafka)
	}
	f1 := b.Members[1]
	if f1.Config.Millis("session.timeout.ms", 0) != 40_000 || f1.Config.Text("group.instance.id", "") != "F1" || f1.Program.OnStop != StopKill {
		t.Errorf("got %+v", f1)
	}
	if b.Brokers[0].Config.Number("group.max.size", 0) != 5 {
		t.Errorf("got %+v", b.Brokers)
	}
	roll, again := c.Timeline[0].Do.(Restart), c.Timeline[1].Do.(Restart)
	if roll.Down != (Span{Min: 50 * sim.Second, Max: 70 * sim.Second}) || roll.Down != again.Down || again.Grace != sim.Second {
		t.Errorf("got %+v and %+v", roll, again)
	}
	if topic := c.Topics[0]; topic.Partitions != 4 || topic.Most != 4 || topic.Rate != (Rate{20, sim.Minute}) || c.Latency.Min != 7*sim.Millisecond {
		t.Errorf("got %+v, %v", topic, c.Latency)
	}
	if c.Members[0].Habits == s.Members[0].Habits {
		t.Error("the habits are not set")
	}
	if s.Kafka.Client.String() != "2.8.1" || s.Members[1].Program.OnStop != StopClose || s.Timeline[0].Do.(Restart).Down.Max != 3*sim.Second || s.Topics[0].Partitions != 8 {
		t.Error("the scenario itself has changed")
	}
	if _, err := s.Variant("c,slow"); err == nil || !strings.Contains(err.Error(), `did you mean "c, slow"?`) {
		t.Errorf("got %v", err)
	}
}

// What is expected under a variant's name is expected of it alone.
func TestExpectationsOfVariants(t *testing.T) {
	s := load(t, withVariants)
	window := metrics.Window{From: metrics.Moment{Given: true, Mark: "deploy"}}
	if s.Measure != (Measure{window, 7}) {
		t.Errorf("got %+v", s.Measure)
	}
	if len(s.Expect) != 1 || len(s.Expected(s.Variants[0].Scenario.Kafka)) != 1 || len(s.Variants[0].Scenario.Expect) != 0 {
		t.Errorf("got %+v", s.Expect)
	}
	if list := s.Variants[1].Scenario.Expect; len(list) != 1 || list[0].What.(*ExpectMetrics).Window != window {
		t.Errorf("got %+v", list)
	}
	if k := s.Kafka; len(s.Variants[2].Scenario.ExpectedPlain(k)) != 0 || len(s.Variants[2].Scenario.Expected(k)) != 1 {
		t.Error("bounds are of runs in which chance has a part")
	}
	own := s.Variants[2].Scenario.Expect
	if len(own) != 1 || len(own[0].What.(*ExpectMetrics).Figures) != 1 || own[0].What.(*ExpectMetrics).Window != window {
		t.Errorf("got %+v", own)
	}
	rebalances := metrics.MeasureNamed("rebalances")
	want := []check.VariantFigure{
		{Variant: "c, slow", Measure: rebalances, Bound: check.Figure{Measure: rebalances, Max: 3}},
		{Variant: "c, slow", Measure: metrics.MeasureNamed("standstill"), Than: "as it is", Op: "<", Times: 1, Over: 4},
		{Variant: "c, slow", Measure: metrics.MeasureNamed("longest"), Than: "b", Op: ">=", Times: 3, Over: 2},
	}
	if len(s.Figures) != len(want) {
		t.Fatalf("got %+v", s.Figures)
	}
	for _, w := range want {
		if !slices.ContainsFunc(s.Figures, func(f VariantFigure) bool { return f.VariantFigure == w }) {
			t.Errorf("no %+v in %+v", w, s.Figures)
		}
	}
}

// An expectation with a window of its own is not cut by what is measured otherwise.
func TestOwnWindow(t *testing.T) {
	s := load(t, good+`
timeline: [{at: 1m, mark: deploy}]
measure: {from: deploy, to: 2m}
expect:
  - metrics: {twice: 0}
  - metrics: {to: 30s, twice: 0}
`)
	at := func(t sim.Time) metrics.Moment { return metrics.Moment{Given: true, At: t} }
	want := []metrics.Window{{From: metrics.Moment{Given: true, Mark: "deploy"}, To: at(2 * sim.Minute)}, {To: at(30 * sim.Second)}}
	for i, e := range s.Expect {
		if got := e.What.(*ExpectMetrics).Window; got != want[i] {
			t.Errorf("got %+v, want %+v", got, want[i])
		}
	}
}
