package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/report/metrics"
)

// Summary is a figure over the seeds. Runs in which there is none do not count; Median and
// Worst are -1 if there is none in any.
type Summary struct {
	Median int64
	Worst  int64  // the largest
	Seed   uint64 // the first with which it is the worst
}

// Of sums a measure of a variant up, by its place in metrics.Measures.
func (c *Comparison) Of(v *Variant, measure int) Summary {
	s := Summary{Median: check.Median(v.figures[measure]), Worst: -1}
	for i, n := range v.figures[measure] {
		if n > s.Worst {
			s.Worst, s.Seed = n, c.First+uint64(i)
		}
	}
	return s
}

// Unsettled counts the runs of a variant that did not come to rest, or were not measured,
// and gives the seed of the first.
func (c *Comparison) Unsettled(v *Variant) (n int, first uint64) {
	return c.count(func(seed int) bool { return v.unsettled[seed] })
}

// unassigned counts the runs of a variant in which nobody ever had a partition.
func (c *Comparison) unassigned(v *Variant) (n int, first uint64) {
	standstill := v.figures[MeasureAt("standstill")]
	return c.count(func(seed int) bool { return standstill[seed] < 0 })
}

// count counts the seeds of which something is so, and gives the first.
func (c *Comparison) count(so func(seed int) bool) (n int, first uint64) {
	for i := range c.Seeds {
		if so(i) {
			if n == 0 {
				first = c.First + uint64(i)
			}
			n++
		}
	}
	return n, first
}

// Alike reports whether seeds made no difference to any figure.
func (c *Comparison) Alike() bool {
	for i := range c.Variants {
		for _, list := range c.Variants[i].figures {
			for _, n := range list {
				if n != list[0] {
					return false
				}
			}
		}
	}
	return true
}

// Trouble says which runs are not to be trusted.
func (c *Comparison) Trouble() (notes []string) {
	note := func(v *Variant, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if v.Label() != "" {
			text = v.Label() + v.Mark() + ": " + text
		}
		notes = append(notes, text+".")
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		if n, first := c.unassigned(v); n > 0 {
			note(v, "nobody ever had a partition in %d of %s, the first with seed %d", n, runs(c.Seeds), first)
		}
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		if n, first := c.Unsettled(v); n > 0 {
			note(v, "%d of %s did not settle, the first with seed %d", n, runs(c.Seeds), first)
		}
	}
	notes = append(notes, c.tooNew()...)
	gaveUp := MeasureAt("gave-up")
	for i := range c.Variants {
		v := &c.Variants[i]
		if s := c.Of(v, gaveUp); s.Worst > 0 {
			note(v, "programs ended by an exception, %d with seed %d: the group shrank. With on-throw: go-on they poll again", s.Worst, s.Seed)
		}
	}
	if c.Seeds > 1 && c.Alike() {
		note := "Every seed came out alike."
		if !slices.ContainsFunc(c.Variants, func(v Variant) bool {
			return !v.Scenario.Latency.Fixed() || v.Scenario.Ranges() || v.Scenario.Shares()
		}) {
			note = "Every seed came out alike: nothing is a range here, so chance had only the order of what happens at one moment. latency, per-batch and down can be ranges, as in 8s..15s."
		}
		notes = append(notes, note)
	}
	return notes
}

// tooNew says which settings have no effect, and in which variants if it is not in all.
func (c *Comparison) tooNew() (notes []string) {
	in := map[string][]string{} // by what is to be said, the variants
	var texts []string
	for i := range c.Variants {
		v := &c.Variants[i]
		for _, text := range v.Scenario.TooNew(v.Scenario.Kafka) {
			if in[text] == nil {
				texts = append(texts, text)
			}
			in[text] = append(in[text], v.Label())
		}
	}
	for _, text := range texts {
		if list := in[text]; len(list) < len(c.Variants) {
			text = strings.Join(list, "; ") + ": " + text
		}
		notes = append(notes, text+".")
	}
	return notes
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// Verdict is an expectation of figures of the variants, and what was instead: "" if it is
// met.
type Verdict struct {
	Text    string
	Instead string
}

// Judge says of what the file expects of its variants' figures whether it is so. It is only
// for a comparison of these variants and nothing else.
func (c *Comparison) Judge() (list []Verdict) {
	if len(c.Axes) != 1 || c.Axes[0].Key != Named {
		return nil
	}
	for i := range c.Scenario.Figures {
		f := &c.Scenario.Figures[i]
		list = append(list, Verdict{f.Text, f.Judge(c.figuresOf, c.First)})
	}
	return list
}

func (c *Comparison) figuresOf(variant string, m *metrics.Measure) []int64 {
	for i := range c.Variants {
		if c.Variants[i].Values[0] == variant {
			return c.Variants[i].figures[MeasureAt(m.Name)]
		}
	}
	return nil
}

// MeasureAt is the place of a measure in metrics.Measures, -1 if there is none.
func MeasureAt(name string) int {
	for i, m := range metrics.Measures() {
		if m.Name == name {
			return i
		}
	}
	return -1
}
