package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/report/metrics"
)

// outcomes are what a change is judged by, the first that differs.
var outcomes = []struct{ measure, verb string }{
	{"standstill", "partitions stood still for %s instead of %s partition-seconds"},
	{"twice", "%s records were read twice instead of %s"},
	{"rebalances", "%s rebalances instead of %s"},
	{"moves", "%s moves instead of %s"},
	{"group-requests", "%s requests instead of %s"},
}

// Helped says in a line or two which value of which axis helped most, over the first value
// of the axis with all else equal, and which axes made no difference. Only what differs by
// more than seeds do is said to help. It is "" where there is nothing to compare.
func (c *Comparison) Helped() string {
	if len(c.Variants) < 2 {
		return ""
	}
	unclear := ""
	for _, o := range outcomes {
		m := MeasureAt(o.measure)
		b := c.best(m)
		switch {
		case len(b.idle) == len(c.Axes):
		case b.axis < 0:
			return unclear + c.nothingHelped(m)
		case !b.to.below(b.from):
			if unclear == "" {
				unclear = c.unclear(b, m)
			}
		default:
			return unclear + c.tell(b, o.verb, o.measure)
		}
	}
	if unclear != "" {
		return strings.TrimSuffix(unclear, " ")
	}
	return "Nothing made a difference."
}

// nothingHelped is said if a measure differs, and no value has less of it than the first.
func (c *Comparison) nothingHelped(measure int) string {
	m := metrics.Measures()[measure]
	if len(c.Axes) > 1 {
		return fmt.Sprintf("No value has less %s than the first ones, on average of the other settings.", m.Name)
	}
	next, least := "", int64(-1)
	for i := 1; i < len(c.Variants); i++ {
		if n := c.Of(&c.Variants[i], measure).Median; least < 0 || n < least {
			next, least = c.Variants[i].Label(), n
		}
	}
	return fmt.Sprintf("Nothing has less %s than %s: %s. The next is %s with %s (medians).", m.Name, c.Variants[0].Label(),
		m.Unit.Show(c.Of(&c.Variants[0], measure).Median), next, m.Unit.Show(least))
}

// unclear is said if a value has less of a measure, and seeds differ by as much.
func (c *Comparison) unclear(b best, measure int) string {
	m := metrics.Measures()[measure]
	axis := &c.Axes[b.axis]
	others := int64(len(c.Variants) / len(axis.Values))
	return fmt.Sprintf("No clear difference in %s: %s has %s and %s has %s (medians), and seeds differ by more. ", m.Name,
		c.valueName(b), m.Unit.Show(b.to.median/others), axis.Values[0], m.Unit.Show(b.from.median/others))
}

// spread is what a variant has of a measure over the seeds: the middle, and between which
// figures the middle half is.
type spread struct{ low, median, high int64 }

// below reports whether it is clearly less than another: the middle halves are apart.
func (s spread) below(t spread) bool { return s.high < t.low }

// spreadOf is that of figures, of which those below 0 are none.
func spreadOf(figures []int64) spread {
	list := slices.DeleteFunc(slices.Clone(figures), func(n int64) bool { return n < 0 })
	if len(list) == 0 {
		return spread{}
	}
	slices.Sort(list)
	quarter := len(list) / 4
	return spread{list[quarter], check.Median(list), list[len(list)-1-quarter]}
}

// best is the value that brings a measure down most.
type best struct {
	from, to    spread // sums over the other axes
	axis, value int    // axis -1: none does
	idle        []string
}

func (c *Comparison) best(measure int) best {
	b := best{axis: -1}
	for k, axis := range c.Axes {
		first := c.sum(measure, k, 0)
		same := true
		for i := 1; i < len(axis.Values); i++ {
			n := c.sum(measure, k, i)
			same = same && n == first
			if b.surpassed(first, n, k) {
				b.from, b.to, b.axis, b.value = first, n, k, i
			}
		}
		if same {
			b.idle = append(b.idle, axis.Key)
		}
	}
	return b
}

// surpassed reports whether a value of an axis is better than the best so far. What is clear
// goes before what is not, and of values of one axis that are alike the first stays.
func (b *best) surpassed(first, n spread, axis int) bool {
	clear := n.below(first)
	switch {
	case n.median >= first.median:
		return false
	case clear != b.to.below(b.from):
		return clear
	case clear && axis == b.axis:
		return n.below(b.to)
	}
	return first.median-n.median > b.from.median-b.to.median
}

// sum adds a measure up over the variants that have an axis's value.
func (c *Comparison) sum(measure, axis, value int) (sum spread) {
	for i := range c.Variants {
		if v := &c.Variants[i]; v.Values[axis] == c.Axes[axis].Values[value] {
			s := spreadOf(v.figures[measure])
			sum = spread{sum.low + s.low, sum.median + s.median, sum.high + s.high}
		}
	}
	return sum
}

// valueName is how a value is called.
func (c *Comparison) valueName(b best) string {
	axis := &c.Axes[b.axis]
	if axis.Key == Named {
		return axis.Values[b.value]
	}
	return axis.Key + "=" + axis.Values[b.value]
}

// tell writes what helped, what it costs elsewhere, and what made no difference.
func (c *Comparison) tell(b best, verb, measure string) string {
	axis := &c.Axes[b.axis]
	others := int64(len(c.Variants) / len(axis.Values))
	mean := ""
	if others > 1 {
		mean = ", on average of the other settings"
	}
	unit := metrics.Measures()[MeasureAt(measure)].Unit
	text := fmt.Sprintf("Helped most: %s instead of %s: "+verb+" (median%s).%s", c.valueName(b), axis.Values[0],
		unit.Show(b.to.median/others), unit.Show(b.from.median/others), mean, c.price(measure, b, others))
	if len(b.idle) > 0 {
		text += " " + strings.Join(b.idle, " and ") + " made no difference to that."
	}
	return text
}

// prices are what a change can cost that helps otherwise.
var prices = []struct{ measure, verb string }{
	{"twice", "%s records are read twice"}, {"skipped", "%s records are skipped"}, {"standstill", "partitions stand still for %s s"},
	{"longest", "one stands still for %s s"}, {"rebalances", "%s rebalances"}, {"zombie", "partitions are read without the right for %s s"},
}

// price says what a value made worse that helped in one measure.
func (c *Comparison) price(helped string, b best, others int64) string {
	var list []string
	for _, p := range prices {
		m := MeasureAt(p.measure)
		from, to := c.sum(m, b.axis, 0), c.sum(m, b.axis, b.value)
		if p.measure != helped && from.below(to) {
			unit := metrics.Measures()[m].Unit
			list = append(list, fmt.Sprintf(p.verb+" instead of %s", unit.Show(to.median/others), unit.Show(from.median/others)))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " Its price: " + strings.Join(list, "; ") + "."
}
