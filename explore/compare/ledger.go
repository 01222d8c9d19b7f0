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

// How much is enough to tell that another variant is not the best, or that a trial changes
// nothing: the result would have to be out by far more than one seed differs from another.
const (
	farBehind  = 10 // times the standstill of the best: not tried
	outOfSight = 2  // times, with the first seeds: not tried with more
	hardly     = 20 // a twentieth, with each of the first seeds: it changes nothing
	firstSeeds = 2
)

// trying is a trial under way.
type trying struct {
	*Comparison // with one assumption otherwise, nil if that cannot be
	variants    []int
	result      *Trial
}

// Ledger halves and doubles every assumption that is not varied, and plays the comparison
// again, which has been played and whose first variant is not left out. Most of that changes nothing, so it is tried with two seeds,
// and with more only where they leave something open.
func (c *Comparison) Ledger(progress func(done, of int)) (*Ledger, error) {
	seeds, few := min(c.Seeds, ledgerSeeds), min(c.Seeds, firstSeeds)
	var all []int
	for i := range c.Variants {
		if c.Variants[i].LeftOut == "" {
			all = append(all, i)
		}
	}
	l := &Ledger{Base: c.outcome(all, -1, seeds)}
	near := c.within(all, farBehind, seeds, 0, l.Base.Best)
	list := slices.DeleteFunc(c.Variants[0].Scenario.Assumptions(), func(a scenarios.Assumption) bool {
		return slices.ContainsFunc(c.Axes, func(x Axis) bool { return x.Key == a.Name })
	})
	l.Entries = make([]Entry, len(list))
	trials := make([][2]trying, len(list))
	var first, rest []run
	for i := range list {
		e := &l.Entries[i]
		e.Assumption = list[i]
		trials[i] = [2]trying{c.with(&list[i], 1, 2, seeds, &e.Half), c.with(&list[i], 2, 1, seeds, &e.Twice)}
		for k := range trials[i] {
			first = append(first, trials[i][k].runs(near, 0, few)...)
		}
	}
	playAll(first, 0, progress)
	for i := range trials {
		open := false
		for k := range trials[i] {
			t := &trials[i][k]
			open = open || c.leavesOpen(t, near, few, l.Base.Best)
		}
		for k := range trials[i] {
			t := &trials[i][k]
			if *t.result = l.Base; t.Comparison == nil {
				t.result.Problem = "cannot be"
			} else if open {
				t.variants = t.within(near, outOfSight, few, 0, l.Base.Best)
				rest = append(rest, t.runs(t.variants, few, seeds)...)
			}
		}
	}
	playAll(rest, len(first), progress)
	for i := range trials {
		for k := range trials[i] {
			if t := &trials[i][k]; t.variants != nil {
				*t.result = t.outcome(t.variants, l.Base.Best, seeds)
				t.result.Problem = c.problemOf(t)
			}
		}
	}
	return l, nil
}

// leavesOpen reports whether more has to be known of a trial than what came of the first
// seeds: one of them changed the standstill of the best or of the first variant, or they made
// another one the best.
func (c *Comparison) leavesOpen(t *trying, near []int, seeds, best int) bool {
	if t.Comparison == nil {
		return false
	}
	m := MeasureAt("standstill")
	for _, v := range []int{0, best} {
		for seed := range seeds {
			before, now := c.Variants[v].figures[m][seed], t.Variants[v].figures[m][seed]
			if max(now-before, before-now)*hardly >= max(before, 1) {
				return true
			}
		}
	}
	return t.outcome(near, best, seeds).Best != c.outcome(near, best, seeds).Best || c.problemOf(t) != ""
}

// runs are those of some variants with the seeds from one place to before another.
func (t *trying) runs(variants []int, from, to int) (list []run) {
	if t.Comparison == nil {
		return nil
	}
	for _, v := range variants {
		for seed := from; seed < to; seed++ {
			list = append(list, run{t.Comparison, v, seed})
		}
	}
	return list
}

// within are those variants that stood still for at most so many times as long as the best of
// them did, by the first seeds, and those that are always.
func (c *Comparison) within(variants []int, times int64, seeds int, always ...int) (list []int) {
	least := c.standstill(c.outcome(variants, -1, seeds).Best, seeds)
	for _, i := range variants {
		if slices.Contains(always, i) || c.standstill(i, seeds) <= times*least {
			list = append(list, i)
		}
	}
	return list
}

// with is the trial with an assumption scaled.
func (c *Comparison) with(a *scenarios.Assumption, times, over int64, seeds int, result *Trial) trying {
	other := &Comparison{Scenario: c.Scenario, First: c.First, Seeds: seeds, Axes: c.Axes}
	for i := range c.Variants {
		v := &c.Variants[i]
		other.Variants = append(other.Variants, Variant{Values: v.Values, Scenario: a.Scaled(v.Scenario, times, over)})
	}
	if other.prepare() != nil {
		other = nil
	}
	return trying{Comparison: other, result: result}
}

// outcome is what came of some variants with the first seeds; of the variant that was best, or
// with -1 of the one that is, it gives the standstill. The best is the first of those that none
// is clearly better than, and stays the best as long as it is one of them.
func (c *Comparison) outcome(variants []int, was, seeds int) Trial {
	least := variants[0]
	for _, i := range variants {
		if c.standstill(i, seeds) < c.standstill(least, seeds) {
			least = i
		}
	}
	good := slices.DeleteFunc(slices.Clone(variants), func(i int) bool { return c.stood(least, seeds).below(c.stood(i, seeds)) })
	best := good[0]
	switch {
	case was < 0:
		was = best
	case slices.Contains(good, was):
		best = was
	}
	return Trial{Standstill: c.standstill(was, seeds), First: c.standstill(0, seeds), Best: best}
}

// standstill is a variant's, the median of the first seeds.
func (c *Comparison) standstill(variant, seeds int) int64 { return c.stood(variant, seeds).median }

// stood is what a variant stood still with the first seeds.
func (c *Comparison) stood(variant, seeds int) spread {
	return spreadOf(c.Variants[variant].figures[MeasureAt("standstill")][:seeds])
}

// problemOf says why a trial says nothing about settings: runs that settled do not any more,
// or programs have ended that had not.
func (c *Comparison) problemOf(t *trying) string {
	gaveUp := MeasureAt("gave-up")
	for i := range t.Variants {
		worst := max(c.Of(&c.Variants[i], gaveUp).Worst, 0)
		for seed, unsettled := range t.Variants[i].unsettled {
			switch m := MeasureAt("standstill"); {
			case unsettled && !c.Variants[i].unsettled[seed]:
				return "does not settle"
			case t.Variants[i].figures[gaveUp][seed] > worst:
				return "programs end"
			case t.Variants[i].figures[m][seed] < 0 && c.Variants[i].figures[m][seed] >= 0:
				return "none assigned"
			}
		}
	}
	return ""
}
