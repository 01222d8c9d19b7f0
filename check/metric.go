package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/sim"
)

// Moment is a mark or a time of the run; Window is a part of it.
type (
	Moment = metrics.Moment
	Window = metrics.Window
)

// ExpectMetrics is what figures of a run are, of the whole or of a part of it. What the
// figures are is said by package metrics.
type ExpectMetrics struct {
	Window Window
	// Of is a member, a partition or a topic; "": the whole.
	Of      Subject
	Figures []Figure
}

// Subject is what a figure is of. The zero Subject is the whole.
type Subject struct {
	Name string // as the file has it
	Kind SubjectKind
}

// SubjectKind is the kind of a Subject.
type SubjectKind uint8

// The kinds.
const (
	OfWhole SubjectKind = iota
	OfMember
	OfPartition
	OfTopic // the sum over its partitions
)

// Figure is what one figure is expected to be: from Min to Max, in its own unit, or None.
type Figure struct {
	Measure  *metrics.Measure
	Min, Max int64
	None     bool
}

// Gauge measures a run in each window that expectations speak of, and sees how it stands
// in between if they ask for that. It observes the run; then it is asked by Judge.
type Gauge struct {
	windows []Window
	folds   []*metrics.Fold
	results []*metrics.Result
	between *watch // nil: nothing asks
}

// NewGauge makes a Gauge of a run that is yet to begin, nil if nothing that is expected
// is a figure.
func NewGauge(opt metrics.Options, expected []Expected) *Gauge {
	g := &Gauge{between: newWatch(opt, expected)}
	for _, e := range expected {
		x, ok := e.(*ExpectMetrics)
		if !ok || slices.Contains(g.windows, x.Window) {
			continue
		}
		opt.Window = x.Window
		g.windows = append(g.windows, x.Window)
		g.folds = append(g.folds, metrics.New(opt))
	}
	if len(g.folds) == 0 && g.between == nil {
		return nil
	}
	return g
}

// Observe takes one record.
func (g *Gauge) Observe(r *sim.Rec) {
	for _, f := range g.folds {
		f.Observe(r)
	}
	if g.between != nil {
		g.between.observe(r)
	}
}

// Done ends the run at the moment given.
func (g *Gauge) Done(at sim.Time) {
	if g == nil {
		return
	}
	for _, f := range g.folds {
		g.results = append(g.results, f.Done(at))
	}
	if g.between != nil {
		g.between.passes(at)
		g.between.look(at, g.between.last)
	}
}

// in is the outcome within a window, nil if it was not measured.
func (g *Gauge) in(w Window) *metrics.Result {
	if g == nil {
		return nil
	}
	if at := slices.Index(g.windows, w); at >= 0 && at < len(g.results) {
		return g.results[at]
	}
	return nil
}

func (e *ExpectMetrics) judge(r *run) string {
	result := r.gauge.in(e.Window)
	switch {
	case result == nil:
		return "the run was not measured"
	case !result.Measured && e.Window.From.Given:
		return e.Window.From.String() + " never came"
	case !result.Measured:
		return "the group was never Stable, so nothing was measured"
	case result.Cut:
		return fmt.Sprintf("the run was over at %s s, before %s", result.To, e.Window.To)
	}
	var not []string
	for i := range e.Figures {
		f := &e.Figures[i]
		if got := e.Of.figure(f.Measure, result); !f.holds(got) {
			not = append(not, fmt.Sprintf("%s was %s", f.Measure.Name, f.Measure.Unit.Exact(got)))
		}
	}
	return strings.Join(not, ", ")
}

// Found tells the figures that were found, and of what: "longest 2.010 s, twice 0 (C2
// from deploy to 45.000 s)". "" if they were not measured.
func (e *ExpectMetrics) Found(g *Gauge) (text string) {
	result := g.in(e.Window)
	if result == nil || !result.Measured {
		return ""
	}
	for i := range e.Figures {
		m := e.Figures[i].Measure
		if i > 0 {
			text += ", "
		}
		text += m.Name + " " + m.Unit.Exact(e.Of.figure(m, result))
	}
	if where := e.where(); where != "" {
		text += " (" + where + ")"
	}
	return text
}

// Each is what is expected, one figure at a time.
func (e *ExpectMetrics) Each() (list []*ExpectMetrics) {
	for i := range e.Figures {
		list = append(list, &ExpectMetrics{Window: e.Window, Of: e.Of, Figures: e.Figures[i : i+1]})
	}
	return list
}

// First is the first figure that was found; nil if it was not measured to the end.
func (e *ExpectMetrics) First(g *Gauge) (m *metrics.Measure, n int64) {
	result := g.in(e.Window)
	if result == nil || !result.Measured || result.Cut || len(e.Figures) == 0 {
		return nil, 0
	}
	m = e.Figures[0].Measure
	return m, e.Of.figure(m, result)
}

// where is what the figures are of, "" for all of the run.
func (e *ExpectMetrics) where() string {
	parts := []string{}
	if e.Of.Name != "" {
		parts = append(parts, e.Of.Name)
	}
	if e.Window.From.Given {
		parts = append(parts, "from "+e.Window.From.String())
	}
	if e.Window.To.Given {
		parts = append(parts, "to "+e.Window.To.String())
	}
	return strings.Join(parts, " ")
}

func (f *Figure) holds(got int64) bool {
	if f.None || got < 0 {
		return f.None && got < 0
	}
	return f.Min <= got && got <= f.Max
}

// figure picks a figure of the subject. What never was has cost nothing.
func (s Subject) figure(m *metrics.Measure, r *metrics.Result) (n int64) {
	switch s.Kind {
	case OfMember:
		for i := range r.Members {
			if r.Members[i].Name == s.Name {
				n, _ = m.OfMember(&r.Members[i])
			}
		}
		return n
	case OfPartition:
		for i := range r.Partitions {
			if r.Partitions[i].Partition.String() == s.Name {
				n, _ = m.OfPartition(&r.Partitions[i])
			}
		}
		return n
	case OfTopic:
		var sum metrics.PartitionCost
		for i := range r.Partitions {
			if r.Partitions[i].Partition.Topic == s.Name {
				sum.Add(&r.Partitions[i])
			}
		}
		n, _ = m.OfPartition(&sum)
		return n
	}
	return m.Of(r)
}
