package compare

import (
	"slices"

	"github.com/rebalsim/rebalsim/scenarios"
)

// ledgerSeeds bounds with how many seeds an assumption is tried.
const ledgerSeeds = 5

// Ledger says what a comparison hangs on.
type Ledger struct {
	Base    Trial
	Entries []Entry // of every quantity that the scenario assumes and that is not varied
}

// Entry is an assumption of the scenario and what becomes of the comparison if it is half,
// or twice, what it is taken to be.
type Entry struct {
	scenarios.Assumption
	Half, Twice Trial
}

// Trial is a comparison with one assumption otherwise.
type Trial struct {
	// Problem is why there is none, "" if there is.
	Problem string
	// Standstill is of the variant that was best without the change, First of the first
	// variant, with which it is compared; medians.
	Standstill, First int64
	// Best is the place of the variant that is best now.
	Best int
}

// Turns reports whether the result turns on a trial: another variant is best, or the
// standstill of the best or of the first differs by a fifth.
func (l *Ledger) Turns(t Trial) bool {
	return t.Problem != "" || t.Best != l.Base.Best || differs(t.Standstill, l.Base.Standstill) || differs(t.First, l.Base.First)
}

func differs(a, b int64) bool { return max(a-b, b-a)*5 >= max(b, 1) }

// Ledger halves and doubles every assumption that is not varied, and plays it again.
func (c *Comparison) Ledger(progress func(done, of int)) (*Ledger, error) {
	l := &Ledger{}
	base, err := c.try(func(s *scenarios.Scenario) *scenarios.Scenario { return s }, -1, nil)
	if err != nil {
		return nil, err
	}
	l.Base = base
	list := c.Variants[0].Scenario.Assumptions()
	for i := range list {
		a := &list[i]
		if slices.ContainsFunc(c.Axes, func(x Axis) bool { return x.Key == a.Name }) {
			continue
		}
		e := Entry{Assumption: *a}
		if e.Half, err = c.try(func(s *scenarios.Scenario) *scenarios.Scenario { return a.Scaled(s, 1, 2) }, base.Best, nil); err != nil {
			return nil, err
		}
		if e.Twice, err = c.try(func(s *scenarios.Scenario) *scenarios.Scenario { return a.Scaled(s, 2, 1) }, base.Best, nil); err != nil {
			return nil, err
		}
		l.Entries = append(l.Entries, e)
		if progress != nil {
			progress(i+1, len(list))
		}
	}
	return l, nil
}

// try plays the comparison with every scenario changed; of the variant given, or with -1 of
// the best one, it gives the standstill.
func (c *Comparison) try(change func(*scenarios.Scenario) *scenarios.Scenario, of int, progress func(done, of int)) (Trial, error) {
	other := &Comparison{Scenario: c.Scenario, First: c.First, Seeds: min(c.Seeds, ledgerSeeds), Axes: c.Axes}
	for i := range c.Variants {
		v := &c.Variants[i]
		other.Variants = append(other.Variants, Variant{Values: v.Values, Scenario: change(v.Scenario)})
	}
	if err := other.prepare(); err != nil {
		return Trial{Problem: "cannot be"}, nil
	}
	if err := other.Play(progress); err != nil {
		return Trial{}, err
	}
	m, gaveUp := MeasureAt("standstill"), MeasureAt("gave-up")
	best, least := 0, int64(-1)
	for i := range other.Variants {
		now, _ := other.Unsettled(&other.Variants[i])
		if before, _ := c.Unsettled(&c.Variants[i]); now > before {
			return Trial{Problem: "does not settle"}, nil
		}
		if other.Of(&other.Variants[i], gaveUp).Worst > c.Of(&c.Variants[i], gaveUp).Worst {
			return Trial{Problem: "programs end"}, nil
		}
		if n := other.Of(&other.Variants[i], m).Median; least < 0 || n < least {
			best, least = i, n
		}
	}
	if of < 0 {
		of = best
	}
	return Trial{Standstill: other.Of(&other.Variants[of], m).Median, First: other.Of(&other.Variants[0], m).Median, Best: best}, nil
}
