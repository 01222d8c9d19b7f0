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
	{"gave-up", "%s programs ended by an exception instead of %s"},
	{"standstill", "partitions stood still for %s instead of %s partition-seconds"},
	{"twice", "%s records were read twice instead of %s"},
	{"rebalances", "%s rebalances instead of %s"},
	{"moves", "%s moves instead of %s"},
	{"group-requests", "%s requests instead of %s"},
}

// Helped says in a line or two which value of which axis helped most, over the first value
// of the axis with all else equal, and which axes made no difference. Only what differs by
// more than seeds do, and than a reader would see, is said to help. It is "" where there is
// nothing to compare.
func (c *Comparison) Helped() string {
	if len(c.Variants) < 2 {
		return ""
	}
	if why := c.incomparable(); why != "" {
		return "Nothing can be said to help: " + why + "."
	}
	unclear := ""
	for _, o := range outcomes {
		m := MeasureAt(o.measure)
		b := c.best(m)
		switch {
		case !b.differs:
		case b.gain.pairs == 0:
			return unclear + c.nothingHelped(m)
		case !b.to.below(b.from):
			if unclear == "" {
				unclear = c.unclear(&b, m)
			}
		default:
			return unclear + c.tell(&b, o.verb, o.measure)
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
	var next gain
	var alike []string
	for i := 1; i < len(c.Variants); i++ {
		switch g := c.gain(measure, 0, i); {
		case g.pairs == 0:
		case !g.apart():
			alike = append(alike, c.Variants[i].Label())
		case next.pairs == 0 || g.to.median < next.to.median:
			next = g
		}
	}
	text := fmt.Sprintf("Nothing has less %s than %s: %s. ", m.Name, c.Variants[0].Label(), next.show(next.from.median))
	switch n := len(alike); {
	case n == 1:
		text += alike[0] + " has as much. "
	case n > 1:
		text += strings.Join(alike[:n-1], ", ") + " and " + alike[n-1] + " have as much. "
	}
	return text + fmt.Sprintf("The next is %s with %s (medians).", c.Variants[next.value].Label(), next.show(next.to.median))
}

// unclear is said if a value has less of a measure, and seeds differ by as much.
func (c *Comparison) unclear(b *best, measure int) string {
	return fmt.Sprintf("No clear difference in %s: %s has %s and %s has %s (medians), and seeds differ by more. ",
		metrics.Measures()[measure].Name, c.valueName(&b.gain), b.show(b.to.median), c.Axes[b.axis].Values[0], b.show(b.from.median))
}

// best is the value that brings a measure down most: a gain of no pairs if none does.
type best struct {
	gain
	differs bool     // some value does, up or down
	idle    []string // axes of which no value does
}

func (c *Comparison) best(measure int) (b best) {
	for k, axis := range c.Axes {
		some, same := false, true
		for i := 1; i < len(axis.Values); i++ {
			g := c.gain(measure, k, i)
			some, same = some || g.pairs > 0, same && !g.apart()
			if g.surpasses(&b.gain) {
				b.gain = g
			}
		}
		if b.differs = b.differs || !same; some && same {
			b.idle = append(b.idle, axis.Key)
		}
	}
	return b
}

// valueName is how a value is called.
func (c *Comparison) valueName(g *gain) string {
	axis := &c.Axes[g.axis]
	if axis.Key == Named {
		return axis.Values[g.value]
	}
	return axis.Key + "=" + axis.Values[g.value]
}

// tell writes what helped, what it costs elsewhere, and what made no difference.
func (c *Comparison) tell(b *best, verb, measure string) string {
	mean := ""
	if b.pairs > 1 {
		mean = ", on average of the other settings"
	}
	text := fmt.Sprintf("Helped most: %s instead of %s: "+verb+" (median%s).%s", c.valueName(&b.gain), c.Axes[b.axis].Values[0],
		b.show(b.to.median), b.show(b.from.median), mean, c.price(measure, &b.gain))
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
func (c *Comparison) price(helped string, b *gain) string {
	var list []string
	for _, p := range prices {
		if g := c.gain(MeasureAt(p.measure), b.axis, b.value); p.measure != helped && g.apart() && g.from.below(g.to) {
			list = append(list, fmt.Sprintf(p.verb+" instead of %s", g.show(g.to.median), g.show(g.from.median)))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " Its price: " + strings.Join(list, "; ") + "."
}

// gain is what a value of an axis changes in a measure over the first value: the averages of
// both, over those settings of the other axes with which both can be compared.
type gain struct {
	axis, value int
	pairs       int64 // so many such settings there are
	from, to    spread
	unit        metrics.Unit
}

func (c *Comparison) gain(measure, axis, value int) gain {
	g := gain{axis: axis, value: value, unit: metrics.Measures()[measure].Unit}
	step := 1 // from one value of the axis to the next
	for _, a := range c.Axes[axis+1:] {
		step *= len(a.Values)
	}
	for i := range c.Variants {
		if i/step%len(c.Axes[axis].Values) != value {
			continue
		}
		first, v := &c.Variants[i-value*step], &c.Variants[i]
		if first.LeftOut == "" && v.LeftOut == "" {
			g.pairs++
			g.from, g.to = g.from.plus(spreadOf(first.figures[measure])), g.to.plus(spreadOf(v.figures[measure]))
		}
	}
	g.from, g.to = g.from.over(g.pairs), g.to.over(g.pairs)
	return g
}

// show writes an average.
func (g *gain) show(n int64) string {
	if whole := n / parts; n%parts == 0 || g.unit == metrics.Length || g.unit == metrics.Summed {
		return g.unit.Show(whole)
	}
	return fmt.Sprintf("%d.%d", n/parts, n%parts*10/parts)
}

// apart reports whether a reader sees that the medians differ.
func (g *gain) apart() bool {
	return g.pairs > 0 && unlike(g.from.median, g.to.median) && g.show(g.from.median) != g.show(g.to.median)
}

// surpasses reports whether a value of an axis is better than the best so far. What is clear
// goes before what is not, and of values of one axis that are alike the first stays.
func (g *gain) surpasses(b *gain) bool {
	clear := g.to.below(g.from)
	switch {
	case !g.apart() || g.to.median > g.from.median:
		return false
	case b.pairs == 0 || clear != b.to.below(b.from):
		return b.pairs == 0 || clear
	case clear && g.axis == b.axis:
		return g.to.below(b.to)
	}
	return g.from.median-g.to.median > b.from.median-b.to.median
}

// spread is what a variant has of a measure over the seeds: the middle, and between which
// figures the middle half is. Averages are in parts of the unit.
type spread struct{ low, median, high int64 }

const parts = 1000

func (s spread) plus(t spread) spread {
	return spread{s.low + t.low, s.median + t.median, s.high + t.high}
}

func (s spread) over(n int64) spread {
	if n == 0 {
		return s
	}
	mean := func(sum int64) int64 { return sum/n*parts + sum%n*parts/n }
	return spread{mean(s.low), mean(s.median), mean(s.high)}
}

// below reports whether it is clearly less than another: the middle halves are apart, and not
// by a trifle.
func (s spread) below(t spread) bool { return s.high < t.low && unlike(s.median, t.median) }

// unlike reports whether two figures differ by what counts, a hundredth.
func unlike(a, b int64) bool { return a != b && max(a-b, b-a)*100 >= max(a, b) }

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
