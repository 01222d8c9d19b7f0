package explore

import (
	"fmt"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
)

// judge adds what is not as it is expected. Each figure is a finding for itself: one that is
// broken in most runs must not hide another of the same entry.
func (r *running) judge(o *Outcome, e *scenarios.Expectation, gauge *check.Gauge) {
	one := func(what check.Expected, place string) bool {
		instead := check.Judge(what, r.history, r.scenario.Group.ID, gauge)
		if instead != "" {
			o.Findings = append(o.Findings, Finding{Invariant: Expectation, Place: place, At: o.End, Text: instead})
		}
		return instead != ""
	}
	x, ok := e.What.(*scenarios.ExpectMetrics)
	if !ok {
		one(e.What, e.Text)
		return
	}
	for _, figure := range x.Each() {
		m, n := figure.First(gauge)
		if m == nil {
			one(x, e.Text) // nothing was measured, for which all figures have the same reason
			return
		}
		place := e.Text
		if len(x.Figures) > 1 {
			place += ": " + m.Name
		}
		if one(figure, place) {
			if o.figures == nil {
				o.figures = map[int]Spread{}
			}
			o.figures[len(o.Findings)-1] = Spread{m.Name, n, n}
		}
	}
}

// Spread is what a figure was in the runs that broke what is expected of it: from Least to
// Most, in the unit of the figure; lengths are in microseconds, -1 is none.
type Spread struct {
	Figure string `json:"figure"`
	Least  int64  `json:"least"`
	Most   int64  `json:"most"`
}

// add widens it to what other runs had.
func (s *Spread) add(t Spread) {
	switch {
	case t.Figure == "":
	case s.Figure == "":
		*s = t
	default:
		s.Least, s.Most = min(s.Least, t.Least), max(s.Most, t.Most)
	}
}

// String is "10.200 s to 11.100 s", "" if there is nothing between.
func (s Spread) String() string {
	for _, m := range metrics.Measures() {
		if m.Name == s.Figure && s.Least < s.Most {
			return fmt.Sprintf("%s to %s", m.Unit.Exact(s.Least), m.Unit.Exact(s.Most))
		}
	}
	return ""
}
