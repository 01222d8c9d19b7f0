package main

import (
	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
)

// judge watches a run and says what it came to, of one that is played now as of one that was
// saved.
type judge struct {
	scenario *scenario
	cluster  *scenarios.Cluster
	kafka    scenarios.Kafka
	expected []scenarios.Expectation
	history  *history.History
	gauge    *check.Gauge
	records  *metrics.Fold
	cost     *metrics.Fold
}

// newJudge makes the judge of a run that is about to begin. Its history is yet to be watched.
func newJudge(s *scenario, c *scenarios.Cluster, k scenarios.Kafka) *judge {
	j := &judge{scenario: s, cluster: c, kafka: k, expected: c.Expected(k), records: counter(s, c)}
	j.history = history.New(c.World, c.Clients, scenarios.Wants(j.expected))
	j.gauge = c.Gauge(j.expected)
	j.cost = metrics.New(c.Measured(s.Measure.Window))
	c.World.WatchEvents(j.cost)
	return j
}

// run is the report of a run that has ended, with the findings of those who watched it too.
func (j *judge) run(findings []invariants.Finding) *report.Run {
	s, c, now := j.scenario, j.cluster, j.cluster.World.Now()
	r := &report.Run{About: s.About, Kafka: j.kafka.Long() + forced(s), Group: s.Group.ID, NotJava: append(s.NotJava(), s.TooNew(j.kafka)...), Ended: c.Ended(),
		History: j.history, Invariants: len(invariants.Invariants())}
	j.history.Done(now)
	whole := true
	for _, f := range findings {
		if f.Invariant == explore.InternalError {
			whole = false
		}
		if f.Invariant != explore.Expectation { // these are asked below
			r.Broken = append(r.Broken, report.Broken{Invariant: f.Invariant, Place: f.Place, At: f.At, Event: f.Event, Text: f.Text, Known: f.Known})
		}
	}
	if !whole {
		return r
	}
	j.gauge.Done(now)
	j.measured(r)
	r.Skipped = skipped(j.records, c)
	for _, e := range j.expected {
		detail := check.Judge(e.What, j.history, s.Group.ID, j.gauge)
		c := report.Check{Text: e.Text, OK: detail == "", Detail: detail}
		if x, ok := e.What.(*check.ExpectEvent); ok {
			c.Event = x.Event.String()
		}
		if f, ok := e.What.(*scenarios.ExpectMetrics); ok {
			c.Found = f.Found(j.gauge)
		}
		r.Checks = append(r.Checks, c)
	}
	for _, e := range c.Exercised() {
		r.Steps = append(r.Steps, report.Step{Text: e.Text, Times: e.Times, Effects: e.Effects, Vain: e.Vain(), Why: e.Why})
	}
	return r
}

// measured adds what the run cost.
func (j *judge) measured(r *report.Run) {
	r.Cost = j.cost.Done(r.History.End)
	if j.scenario.Measure.Window.From.Given && r.Cost.Measured {
		r.From = r.Cost.From
	}
}

// idle adds the steps that did not come about.
func (j *judge) idle(r *report.Run) {
	if !j.scenario.meantFor(j.kafka) {
		return
	}
	for _, idle := range j.cluster.Idle() {
		r.Checks = append(r.Checks, report.Check{Text: idle, Detail: "what the timeline arms must come about"})
	}
}

// verdict is the error of a run that was not as expected.
func verdict(r *report.Run) error {
	if r.Failed() > 0 || r.Unexplained() > 0 {
		return failed{exitFailed}
	}
	return nil
}
