package shrink

import (
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/sim"
)

// A run in which the group is empty in the end, for all have left. Everything else in the
// file has nothing to do with it.
const left = `
about: A group with a lot going on.
kafka: {broker: 2.8.0, client: 2.8.0}
latency: 500us..4ms
brokers: {b1: {}, b2: {}, b3: {config: {group.initial.rebalance.delay.ms: 1s}}}
topics: {orders: {partitions: 12, rate: 30/s}, payments: {partitions: 7}}
group: {id: g, coordinator: b1, config: {session.timeout.ms: 10s, enable.auto.commit: false}}
members:
  A: {program: {per-batch: 10ms..30ms, commit: sync after batch}}
  B: {start: 1.273s}
  C: {start: 2.118s, config: {heartbeat.interval.ms: 2500ms}}
  D: {subscribe: [orders]}
timeline:
  - {at: 12.5s, freeze: {of: C, for: 3s}}
  - {at: 17.233s, add-partitions: {topic: orders, to: 15}}
  - {at: 20.417s, restart: {of: D, down: 2s}}
  - {at: 31s, kill: B}
  - {at: 33.1s, disconnect: {of: A}}
  - {at: 61.7s, close: [A, C, D]}
end: {at: 90s}
expect:
  - never: {state: Empty}
  - in the end: {generation: 7}
`

func TestShrink(t *testing.T) {
	c := explore.Case{Name: "left.yaml", Scenario: left, Seed: 7}
	o := explore.Play(c)
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	if len(o.Findings) == 0 {
		t.Fatal("nothing goes wrong")
	}
	signature := o.Findings[0].Signature()
	small, r, err := Shrink(c, signature, Limit{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s\n%s", signature, r, small.Scenario)
	after := explore.Play(small)
	if !after.Has(signature) {
		t.Errorf("the small case shows %v, not %s", after.Findings, signature)
	}
	if after.Events != r.After.Events || after.Events*10 > o.Events {
		t.Errorf("%d events are left of %d, said: %d", after.Events, o.Events, r.After.Events)
	}
	if r.After.Members != 1 || r.After.Steps != 1 || r.After.Decisions != 0 {
		t.Errorf("%+v is left", r.After)
	}
	for _, kept := range []string{"freeze", "disconnect", "add-partitions", "b3", "latency", "kafka"} {
		if strings.Contains(small.Scenario, kept) {
			t.Errorf("%s is still there", kept)
		}
	}
	again, r2, err := Shrink(c, signature, Limit{})
	if err != nil || again.Scenario != small.Scenario || r2 != r {
		t.Errorf("the second time it is another: %v %v\n%s", err, r2, again.Scenario)
	}
}

func TestShrinkNothing(t *testing.T) {
	if _, _, err := Shrink(explore.Case{Name: "left.yaml", Scenario: left}, "no such at all", Limit{}); err == nil {
		t.Error("a finding that is not there was shrunk")
	}
}

// TestBudget: what was reached when no more runs are allowed is kept.
func TestBudget(t *testing.T) {
	c := explore.Case{Name: "left.yaml", Scenario: left, Seed: 7}
	o := explore.Play(c)
	signature := o.Findings[0].Signature()
	small, r, err := Shrink(c, signature, Limit{Plays: 25})
	if err != nil || !r.Spent || r.Plays > 25 {
		t.Errorf("%+v %v", r, err)
	}
	if o := explore.Play(small); !o.Has(signature) {
		t.Error("it shows it no more")
	}
}

// TestGoOn: so is it when somebody does not want to wait any longer.
func TestGoOn(t *testing.T) {
	c := explore.Case{Name: "left.yaml", Scenario: left, Seed: 7}
	o := explore.Play(c)
	signature := o.Findings[0].Signature()
	small, r, err := Shrink(c, signature, Limit{GoOn: func(left int) bool { return left > DefaultPlays-10 }})
	if err != nil || r.Spent || r.Plays > 10 || r.After.Events >= r.Before.Events {
		t.Errorf("%+v %v", r, err)
	}
	if o := explore.Play(small); !o.Has(signature) {
		t.Error("it shows it no more")
	}
}

// A member that joins again and again: any of its runs is cut short.
const endless = `about: A session that is over before the SyncGroup comes.
kafka: "3.9.1"
latency: 2s
topics:
  t1: {partitions: 2}
group:
  id: g
  config: {session.timeout.ms: 6s, heartbeat.interval.ms: 1s, max.poll.interval.ms: 20s, group.instance.id: "{name}"}
members:
  c1: {program: {idle: 3s}}
end: {settled-for: 20s, at-most: 3590s}
`

// TestPatience: it is cut short earlier, but not before it is clear that it will not come to rest: two
// longest timeouts and a minute.
func TestPatience(t *testing.T) {
	c := explore.Case{Name: "endless.yaml", Scenario: endless, Bugs: []string{"KAFKA-9823"}}
	small, r, err := Shrink(c, "settles: never: a late error that resets a join", Limit{})
	if err != nil {
		t.Fatal(err)
	}
	if o := explore.Play(small); o.End < 100*sim.Second || o.End > 2*sim.Minute || r.After.Events*20 > r.Before.Events {
		t.Errorf("it ends at %s, %+v\n%s", o.End, r, small.Scenario)
	}
}

func TestPlainer(t *testing.T) {
	for value, want := range map[string]string{
		"13.251s":      "1s 10s 6s 6.625s 10s 13s 13.2s",
		"1m0s":         "1s 10s 30s 1m",
		"10s..15s":     "10s",
		"12":           "1 2 6 11",
		"1":            "",
		"pod-{00..39}": "pod-{00..00} pod-{00..01} pod-{00..19} pod-{00..38}",
		"orders":       "",
	} {
		if got := strings.Join(plainer(value), " "); got != want {
			t.Errorf("%s: %q, not %q", value, got, want)
		}
	}
}
