package check

import (
	"math"
	"testing"

	"github.com/rebalsim/rebalsim/report/metrics"
)

// A figure of a variant is within bounds with every seed; compared with another variant's
// it is so by the medians.
func TestVariantFigures(t *testing.T) {
	figures := map[string][]int64{
		"a": {4, 9, 5}, "b": {20, 10, 11}, "none": {-1, -1, -1}, "large": {math.MaxInt64 / 2},
	}
	of := func(variant string, _ *metrics.Measure) []int64 { return figures[variant] }
	twice := metrics.MeasureNamed("twice")
	bound := func(variant string, low, high int64) VariantFigure {
		return VariantFigure{Variant: variant, Measure: twice, Bound: Figure{Measure: twice, Min: low, Max: high}}
	}
	than := func(variant, op, other string, times, over int64) VariantFigure {
		return VariantFigure{Variant: variant, Measure: twice, Op: op, Than: other, Times: times, Over: over}
	}
	for _, x := range []struct {
		f    VariantFigure
		want string
	}{
		{bound("a", 4, 9), ""},
		{bound("a", 0, 8), "twice was 9 with seed 6"},
		{bound("none", 0, 8), "twice was none with seed 5"},
		{than("a", "<", "b", 1, 2), "" /* 5 < 5.5 */},
		{than("a", "<", "b", 1, 3), "twice was 5, and 11 with b (medians)"},
		{than("b", ">=", "a", 11, 5), "" /* 11 >= 11 */},
		{than("b", ">", "a", 11, 5), "twice was 11, and 5 with a (medians)"},
		{than("b", "<=", "a", 11, 5), ""},
		{than("a", "<", "none", 1, 1), "twice was 5, and none with none (medians)"},
		{than("large", "<", "large", 1_000_000, 999_999), ""},
		{than("large", "<", "large", 999_999, 1_000_000), "twice was 4611686018427387903, and 4611686018427387903 with large (medians)"},
	} {
		if got := x.f.Judge(of, 5); got != x.want {
			t.Errorf("%+v: %q, want %q", x.f, got, x.want)
		}
	}
}
