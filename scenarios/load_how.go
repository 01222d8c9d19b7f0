package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/sim"
)

// stateAt reads how the group is at a moment.
func (l *loader) stateAt(n *Node, at check.Moment) *ExpectMoment {
	f := n.fields(momentShape)
	x := &ExpectMoment{At: at, How: l.how(f)}
	f.Done()
	n.notNothing(n.labelOr("this"))
	return x
}

func (l *loader) how(f *Fields) check.How {
	return check.How{
		State:      state(f.Get("state")),
		Generation: l.number(f.Get("generation")),
		Leader:     l.member(f.Get("leader")),
		Members:    l.membersExpected(f.Get("members")),
		Holds:      l.whoHas(f.Get("holds")),
		Owns:       l.whoHas(f.Get("owns")),
		Committed:  l.committed(f.Get("committed")),
		AllServed:  yesOrNo(f.Get("all-served")),
		Lag:        l.absolute(f.Get("lag"), "a lag"),
	}
}

// whoHas reads what members have.
func (l *loader) whoHas(n *Node) (list []Holds) {
	for _, e := range n.Entries() {
		h := Holds{Member: l.member(e.Key)}
		if p := l.partitionsExpected(e.Value); p != nil {
			h.Partitions = *p
		}
		list = append(list, h)
	}
	return list
}

func (l *loader) committed(n *Node) (list []check.Committed) {
	for _, e := range n.Entries() {
		tp, _ := l.partition(e.Key)
		c := check.Committed{Partition: tp}
		if !(e.Value.IsText() && e.Value.text == "none") {
			c.Offset = l.absolute(e.Value, "an offset")
		}
		list = append(list, c)
	}
	return list
}

// absolute reads an expected number that is not counted from the beginning or a mark.
func (l *loader) absolute(n *Node, what string) *Number {
	x := l.number(n)
	if x != nil && x.Relative {
		n.Fail("", "%s is not relative", what)
	}
	return x
}

func yesOrNo(n *Node) Tri {
	switch {
	case !n.Given():
		return Unsaid
	case n.Bool():
		return Yes
	}
	return No
}

// eventually reads how the group is at some moment up to one.
func (l *loader) eventually(n *Node) *ExpectEventually {
	f := n.fields(eventuallyShape)
	x := &ExpectEventually{How: l.how(f)}
	within := f.Get("within")
	f.Done()
	span, after, relative := strings.Cut(within.Text(), " after ")
	if _, last, isRange := strings.Cut(span, ".."); isRange {
		within.Fail("write within: "+clip(strings.TrimSpace(last)), "within is up to one moment, not a range of them")
	} else if x.HasWithin = span != ""; x.HasWithin {
		x.Within = parsed(within, "a length of time", func(string) (sim.Time, error) { return parseDuration(strings.TrimSpace(span)) })
	}
	if relative {
		x.After, x.AfterMark = l.since(within, strings.TrimSpace(after))
	}
	if n.IsMap() && !slices.ContainsFunc(n.keys, func(k *Node) bool { return k.text != "within" }) {
		n.Fail("write {all-served: true, within: 20s}", "eventually says nothing")
	}
	return x
}

// since reads a mark, or the name of an event.
func (l *loader) since(n *Node, text string) (event EventName, mark string) {
	switch {
	case slices.Contains(l.marks, text):
		return event, text
	case !strings.Contains(text, "."):
		l.failUnknown(n, "mark", text, l.marks)
		return event, ""
	}
	return l.eventText(n, text), ""
}

var differing = []option[Tri]{{"true", Yes}, {"false", No}, {"maybe", Unsaid}}

// generation reads what is expected of one generation, whose number stands in the key.
func (l *loader) generation(e Entry, number string) *ExpectGeneration {
	f := e.Value.fields(generationShape)
	x := &ExpectGeneration{
		HandedOut: l.times(f.Get("handed-out")),
		Differ:    oneOption(f.Get("to-different-members"), differing),
		Leader:    l.member(f.Get("leader")),
		Members:   l.membersExpected(f.Get("members")),
	}
	f.Done()
	e.Value.notNothing(e.Key.text)
	g, err := parseNumber(number)
	switch {
	case err != nil || g.Min != g.Max:
		e.Key.Fail("write generation 2, \"generation +1\" or \"generation +1 since MARK\"", "%q is not one generation", clip(number))
	case g.Since != "" && !slices.Contains(l.marks, g.Since):
		l.failUnknown(e.Key, "mark", g.Since, l.marks)
	default:
		x.Generation = *g
	}
	return x
}

// times reads "2 times", or the number alone.
func (l *loader) times(n *Node) *Number {
	text := n.Text()
	if text == "" {
		return nil
	}
	for _, word := range []string{" times", " time"} {
		text = strings.TrimSuffix(text, word)
	}
	x := parsed(n, "a number of times", func(string) (*Number, error) { return parseNumber(text) })
	if x != nil && x.Relative {
		n.Fail("", "a count is not relative")
	}
	return x
}

// records reads figures of the records of the whole run.
func (l *loader) records(n *Node) *ExpectMetrics {
	f := n.fields(recordsShape)
	x := &ExpectMetrics{Window: check.Window{From: check.Moment{Given: true}}}
	for v, m := range f.figures {
		x.Figures = append(x.Figures, figure(v, m))
	}
	if n.IsMap() {
		for _, k := range n.keys {
			if f.shape.find(k.text) == nil && metricsShape.find(k.text) != nil {
				f.known = append(f.known, k.text)
				k.Fail(fmt.Sprintf("write metrics: {%s: …}", k.text), "records are counted of the whole run, and %s is another matter", k.text)
			}
		}
	}
	f.Done()
	n.notNothing("records")
	return x
}

// recordKeys are the figures of records by name.
func recordKeys() (list []key) {
	for _, k := range measureKeys() {
		if m := metrics.MeasureNamed(k.name); m != nil && m.Unit == metrics.Records && m.ForWhole() {
			list = append(list, k)
		}
	}
	return list
}
