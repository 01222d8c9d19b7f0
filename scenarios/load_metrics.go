package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/report/metrics"
)

// figures reads what is expected of figures.
func (l *loader) figures(n *Node) *ExpectMetrics {
	f := n.fields(metricsShape)
	x := &ExpectMetrics{Window: l.s.Measure.within(l.window(f)), Of: l.subject(f.Get("of"))}
	for v, m := range f.figures {
		if text := isNoFigureOf(m, x.Of); text != "" {
			v.Fail("", "%s", text)
			continue
		}
		x.Figures = append(x.Figures, figure(v, m))
	}
	f.Done()
	if n.IsMap() && !slices.ContainsFunc(n.keys, func(k *Node) bool { return k.text != "of" && k.text != "from" && k.text != "to" }) {
		n.Fail("write {longest: \"< 20s\"}; docs/metrics.md has all names", "no figure is named")
	}
	return x
}

// longNames say the same as a figure's name, and more of it where they stand alone.
var longNames = []struct{ name, is string }{
	{"disturbances", "rebalances"}, {"standstill.total", "standstill"}, {"standstill.longest", "longest"},
}

// noNames are what people may call a figure that has another name here.
var noNames = map[string]string{
	"records.twice": "twice", "records.skipped": "skipped", "duplicates": "twice", "unowned": "unread", "owned": "served", "deliveries": "delivered",
}

// figures yields the figures that a map names, in the order of docs/metrics.md.
func (f *Fields) figures(yield func(n *Node, m *metrics.Measure) bool) {
	for _, name := range metrics.MeasureNames() {
		n := f.Get(name)
		for _, long := range longNames {
			v := f.Get(long.name)
			if long.is != name || !v.Given() {
				continue
			}
			if n.Given() {
				v.Fail("leave one of them out", "%s is %s", long.name, name)
			}
			n = v
		}
		if n.Given() && !yield(n, metrics.MeasureNamed(name)) {
			return
		}
	}
	if f.node == nil {
		return
	}
	for _, k := range f.node.keys {
		if name, ok := noNames[k.text]; ok {
			f.known = append(f.known, k.text)
			k.Fail(fmt.Sprintf("it is called %q", name), "unknown key %q", clip(k.text))
		}
	}
}

// isNoFigureOf says why a measure is no figure of a subject, "" if it is one.
func isNoFigureOf(m *metrics.Measure, of check.Subject) string {
	ok, what := m.ForWhole(), "the whole, only of one member"
	switch of.Kind {
	case check.OfMember:
		_, ok = m.OfMember(&metrics.MemberCost{})
		what = "a member"
	case check.OfPartition, check.OfTopic:
		_, ok = m.OfPartition(&metrics.PartitionCost{})
		what = "a partition"
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("%s is no figure of %s", m.Name, what)
}

// figure reads what one figure is expected to be.
func figure(n *Node, m *metrics.Measure) check.Figure {
	x := check.Figure{Measure: m}
	if n.IsText() && strings.TrimSpace(n.text) == "none" {
		x.None = true
		return x
	}
	unit := parsePlain
	what := "a number, a bound or a range"
	if m.Unit == metrics.Length || m.Unit == metrics.Summed {
		unit, what = parseLength, "a length of time, a bound or a range"
	}
	type bounds struct{ low, high int64 }
	b := parsed(n, what, func(s string) (b bounds, err error) {
		b.low, b.high, err = parseRange(s, unit)
		return b, err
	})
	x.Min, x.Max = b.low, b.high
	return x
}

// parseLength reads a length of time in microseconds; 0 needs no unit.
func parseLength(s string) (int64, error) {
	if s == "0" {
		return 0, nil
	}
	d, err := parseDuration(s)
	return int64(d), err
}

// parsePlain reads a number that counts something.
func parsePlain(s string) (int64, error) {
	if strings.HasPrefix(s, "+") {
		return 0, fmt.Errorf("%q: a figure is counted within its window\nwrite it without the +", clip(s))
	}
	v, err := parseInt(s)
	if err == nil && v < 0 {
		err = fmt.Errorf("%q is negative: a figure is 0 or more", clip(s))
	}
	return v, err
}

// parseRange reads "5", "5..6", "< 5", "<= 5", "> 5" or ">= 5", where unit reads what
// stands for 5.
func parseRange(s string, unit func(string) (int64, error)) (low, high int64, err error) {
	text := strings.TrimSpace(s)
	const most = math.MaxInt64
	for _, op := range []string{"<=", ">=", "<", ">"} {
		rest, ok := strings.CutPrefix(text, op)
		if !ok {
			continue
		}
		v, err := unit(strings.TrimSpace(rest))
		switch op {
		case "<=":
			return 0, v, err
		case ">=":
			return v, most, err
		case ">":
			return v + 1, most, err
		}
		if v == 0 && err == nil {
			err = fmt.Errorf("%q: no figure is below 0", clip(s))
		}
		return 0, v - 1, err
	}
	first, last, isRange := strings.Cut(text, "..")
	if low, err = unit(strings.TrimSpace(first)); err != nil || !isRange {
		return low, low, err
	}
	if high, err = unit(strings.TrimSpace(last)); err == nil && high < low {
		err = fmt.Errorf("the range %q ends before it begins", clip(s))
	}
	return low, high, err
}

// subject reads what figures are of: a member, a topic or a partition.
func (l *loader) subject(n *Node) (s check.Subject) {
	name := n.Text()
	switch {
	case name == "":
	case slices.Contains(l.names.members, name):
		return check.Subject{Name: name, Kind: check.OfMember}
	case slices.Contains(l.names.topics, name):
		return check.Subject{Name: name, Kind: check.OfTopic}
	case l.isNode[name]:
		n.Fail("", "%s is a broker: figures are of members, topics and partitions", name)
	default:
		if dash := strings.LastIndexByte(name, '-'); dash > 0 && slices.Contains(l.names.topics, name[:dash]) {
			if tp, ok := l.partition(n); ok {
				return check.Subject{Name: tp.String(), Kind: check.OfPartition}
			}
			return s
		}
		l.failUnknown(n, "member, topic or partition", name, slices.Concat(l.names.members, l.names.topics))
	}
	return s
}

// window reads the part of the run that an expectation is about.
func (l *loader) window(f *Fields) (w check.Window) {
	from, to := f.Get("from"), f.Get("to")
	w.From, w.To = l.moment(from), l.moment(to)
	if w.From.Given && w.To.Given && w.From.Mark == "" && w.To.Mark == "" && w.To.At <= w.From.At {
		to.Fail("", "the window ends before it begins")
	}
	return w
}

// moment reads a mark, or a time of the run.
func (l *loader) moment(n *Node) check.Moment {
	if n == nil || !n.IsText() {
		n.Text()
		return check.Moment{}
	}
	return l.momentText(n, n.text)
}

func (l *loader) momentText(n *Node, text string) check.Moment {
	if slices.Contains(l.marks, text) {
		return check.Moment{Given: true, Mark: text}
	}
	at, err := parseDuration(text)
	if err != nil {
		if text != "" && strings.Trim(text[:1], "0123456789.") != "" { // it looks like a name
			l.failUnknown(n, "mark", text, l.marks)
			return check.Moment{}
		}
		problem, hint, _ := strings.Cut(err.Error(), "\n")
		n.Fail(hint, "%s", problem)
	}
	return check.Moment{Given: true, At: at}
}

func (n *Node) labelOr(other string) string {
	if n == nil || n.label == "" {
		return other
	}
	return n.label
}

// count reads how many events of some kinds there are.
func (l *loader) count(n *Node, add func(text string, x Expected)) {
	f := n.fields(countShape)
	x := ExpectCount{Window: l.window(f)}
	errorNode := f.Get("error")
	x.Error, x.HasError, x.Exception = failure(errorNode)
	some := false
	for _, c := range n.Entries() {
		if slices.Contains(f.known, c.Key.text) {
			continue
		}
		some = true
		one := x
		one.Event = l.event(c.Key)
		if times := l.number(c.Value); times != nil {
			if times.Relative {
				c.Value.Fail("", "a count is not relative")
			}
			one.Times = *times
		}
		switch v := one.Event.Verb; {
		case x.HasError && v != 0 && v != check.VerbRequest && v != check.VerbAnswer:
			errorNode.Fail("", "%s has no error: only requests and answers do", c.Key.text)
		case x.Exception != "" && v != 0 && v != check.VerbThrown:
			errorNode.Fail("", "%s has no exception: only what is thrown does", c.Key.text)
		}
		add("count: {"+c.Key.flow()+": "+c.Value.inner()+windowText(n)+"}", &one)
	}
	if n.IsMap() && !some {
		n.Fail(`write {"*.JoinGroup": 3}`, "count names no event")
	}
}

// atTime reads when an event happens: a length of time or a range, since the beginning
// of the run or after a mark or another event.
func (l *loader) atTime(n *Node, x *ExpectEvent) {
	text := n.Text()
	if text == "" {
		return
	}
	span, after, relative := strings.Cut(text, " after ")
	x.At, x.HasAt = parsed(n, "a length of time or a range", func(string) (Span, error) { return parseSpan(span) }), true
	if !relative {
		return
	}
	x.After, x.AfterMark = l.since(n, strings.TrimSpace(after))
	if !x.After.None() && !x.After.One() {
		n.Fail(fmt.Sprintf("write %s#1", strings.TrimSuffix(x.After.String(), ".answer")), "\"after\" wants one event, by its number")
	}
}

// windowText is a window as a scenario has it, for messages: ", from: deploy, to: 45s".
func windowText(n *Node) (text string) {
	for _, key := range []string{"from", "to", "error"} {
		if v := n.find(key); v != nil {
			text += ", " + key + ": " + v.inner()
		}
	}
	return text
}
