package check

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/rebalsim/rebalsim/report/metrics"
)

// VariantFigure is what a figure of a variant of a scenario is expected to be: within
// bounds with every seed, or, if Than is set, its median in a relation to that of another
// variant.
type VariantFigure struct {
	Variant string
	Measure *metrics.Measure
	Bound   Figure
	// Op is <, <=, > or >=: to the median of Than times Times over Over.
	Than        string
	Op          string
	Times, Over int64
}

// Judge says what was instead of what was expected, "" if it was so. Of gives a figure of
// a variant with each seed, from the first one on; -1 where there is none.
func (f *VariantFigure) Judge(of func(variant string, m *metrics.Measure) []int64, first uint64) string {
	mine := of(f.Variant, f.Measure)
	if f.Than == "" {
		for i, n := range mine {
			if !f.Bound.holds(n) {
				return fmt.Sprintf("%s was %s with seed %d", f.Measure.Name, f.Measure.Unit.Exact(n), first+uint64(i))
			}
		}
		return ""
	}
	a, b := Median(mine), Median(of(f.Than, f.Measure))
	if a >= 0 && b >= 0 && f.related(compareProducts(a, f.Over, b, f.Times)) {
		return ""
	}
	return fmt.Sprintf("%s was %s, and %s with %s (medians)", f.Measure.Name, f.Measure.Unit.Exact(a), f.Measure.Unit.Exact(b), f.Than)
}

func (f *VariantFigure) related(order int) bool {
	switch f.Op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// compareProducts compares a*m with b*n, none of which is negative.
func compareProducts(a, m, b, n int64) int {
	high, low := bits.Mul64(uint64(a), uint64(m))
	high2, low2 := bits.Mul64(uint64(b), uint64(n))
	return cmp.Or(cmp.Compare(high, high2), cmp.Compare(low, low2))
}

// Median is the middle of the figures, of two in the middle the lower one. Those that are
// none (-1) do not count; -1 if there are no others.
func Median(figures []int64) int64 {
	list := slices.DeleteFunc(slices.Clone(figures), func(n int64) bool { return n < 0 })
	if len(list) == 0 {
		return -1
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}
