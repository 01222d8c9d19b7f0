package scenarios

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/report/metrics"
)

// Measure says what figures are taken of.
type Measure struct {
	// Window is the part of the run, unless an expectation says otherwise.
	Window metrics.Window
	// Seeds is with how many seeds each variant is compared, 0: not said.
	Seeds int
}

// within is the window of an expectation: its own, if it has one.
func (m *Measure) within(w metrics.Window) metrics.Window {
	if w.From.Given || w.To.Given {
		return w
	}
	return m.Window
}

// Variant is a scenario that differs from another in a few things.
type Variant struct {
	Pos  Pos
	Name string
	// Text is what the file says, on one line.
	Text string
	// Scenario is what is played. What it is expected to show is what the file says of
	// the variant.
	Scenario *Scenario
	// OwnKafka is that it says itself which releases are played.
	OwnKafka bool
}

// VariantNames lists the variants that the file has.
func (s *Scenario) VariantNames() (names []string) {
	for i := range s.Variants {
		names = append(names, s.Variants[i].Name)
	}
	return names
}

// Variant finds one by its name. The error names the nearest.
func (s *Scenario) Variant(name string) (*Variant, error) {
	for i := range s.Variants {
		if s.Variants[i].Name == name {
			return &s.Variants[i], nil
		}
	}
	if len(s.Variants) == 0 {
		return nil, fmt.Errorf("%s has no variants", s.Name)
	}
	hint := didYouMean(name, s.VariantNames())
	if hint == "" {
		hint = "it has " + oneOf(quoted(s.VariantNames()))
	}
	return nil, fmt.Errorf("%s has no variant %q (%s)", s.Name, clip(name), hint)
}

func quoted(words []string) []string {
	list := slices.Clone(words)
	for i := range list {
		list[i] = fmt.Sprintf("%q", list[i])
	}
	return list
}
