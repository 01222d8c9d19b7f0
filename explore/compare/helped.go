package compare

import (
	"fmt"
	"strings"

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
// of the axis with all else equal, and which axes made no difference. It is "" where there
// is nothing to compare.
func (c *Comparison) Helped() string {
	if len(c.Variants) < 2 {
		return ""
	}
	for _, o := range outcomes {
		m := MeasureAt(o.measure)
		b := c.best(m)
		switch {
		case len(b.idle) == len(c.Axes):
		case b.axis < 0:
			return c.nothingHelped(m)
		default:
			return c.tell(b, o.verb, o.measure)
		}
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

// best is the value that brings a measure down most.
type best struct {
	from, to    int64 // sums of medians over the other axes
	axis, value int   // axis -1: none does
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
			if first-n > b.from-b.to {
				b.from, b.to, b.axis, b.value = first, n, k, i
			}
		}
		if same {
			b.idle = append(b.idle, axis.Key)
		}
	}
	return b
}

// sum adds the medians of a measure over the variants that have an axis's value.
func (c *Comparison) sum(measure, axis, value int) (n int64) {
	for i := range c.Variants {
		if v := &c.Variants[i]; v.Values[axis] == c.Axes[axis].Values[value] {
			n += max(c.Of(v, measure).Median, 0)
		}
	}
	return n
}

// tell writes what helped, what it costs elsewhere, and what made no difference.
func (c *Comparison) tell(b best, verb, measure string) string {
	axis := &c.Axes[b.axis]
	others := int64(len(c.Variants) / len(axis.Values))
	name := axis.Key + "="
	if axis.Key == Named {
		name = ""
	}
	mean := ""
	if others > 1 {
		mean = ", on average of the other settings"
	}
	unit := metrics.Measures()[MeasureAt(measure)].Unit
	text := fmt.Sprintf("Helped most: %s%s instead of %s: "+verb+" (median%s).%s", name, axis.Values[b.value], axis.Values[0],
		unit.Show(b.to/others), unit.Show(b.from/others), mean, c.price(measure, b, others))
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
		from, to := c.sum(m, b.axis, 0)/others, c.sum(m, b.axis, b.value)/others
		if p.measure != helped && to > from {
			unit := metrics.Measures()[m].Unit
			list = append(list, fmt.Sprintf(p.verb+" instead of %s", unit.Show(to), unit.Show(from)))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " Its price: " + strings.Join(list, "; ") + "."
}
