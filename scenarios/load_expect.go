package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/metrics"
)

// expect reads a list of expectations, or a map from releases to such lists.
func (l *loader) expect(n *Node) {
	if n == nil {
		return
	}
	if !n.IsMap() {
		if n.IsText() {
			n.want("a list of expectations", `begin each with "- "`)
			return
		}
		l.expectations(n, Releases{})
		return
	}
	for _, e := range n.Entries() {
		switch v := l.variantNamed(e.Key.text); {
		case v != nil:
			l.expectOfVariant(v, e)
		case slices.Contains(l.unread, e.Key.text):
		case l.isExpectation(e.Key.text):
			e.Key.Fail(`begin each with "- "`, "expectations are a list")
			return
		case meansVariant(e.Key.text) && len(l.s.Variants) > 0:
			l.failUnknown(e.Key, "variant", e.Key.text, l.variantNames())
		case meansVariant(e.Key.text) && e.Value.IsMap():
			e.Key.Fail(firstNonEmpty(e.Key.doc.inComment("variants"), "the file has no variants"), "there is no variant %q", clip(e.Key.text))
		default:
			if when, ok := parseReleases(e.Key); ok {
				l.expectations(e.Value, when)
			}
		}
	}
}

// isExpectation reports whether a text begins an expectation. A file with variants may have
// one that is called "at once": there a moment is a time, or a mark that there is.
func (l *loader) isExpectation(text string) bool {
	if moment, ok := strings.CutPrefix(text, "at "); ok {
		return len(l.s.Variants) == 0 || slices.Contains(l.marks, moment) || moment != "" && moment[0] >= '0' && moment[0] <= '9'
	}
	return strings.Contains(text, "#") || strings.HasPrefix(text, "generation ") || slices.Contains(kindsOfExpectation, text)
}

var kindsOfExpectation = []string{"in the end", "eventually", "metrics", "records", "never", "order", "count"}

func (l *loader) expectations(n *Node, when Releases) {
	for _, item := range n.List() {
		if !item.IsMap() {
			item.want("an expectation", "write F1.JoinGroup#1: {answered: at once}")
			continue
		}
		for _, e := range item.Entries() {
			l.expectation(e, when)
		}
	}
}

func (l *loader) expectation(e Entry, when Releases) {
	text := e.Key.text
	add := func(what string, x Expected) {
		l.s.Expect = append(l.s.Expect, Expectation{Pos: e.Key.Pos, Text: what, When: when, What: x})
	}
	whole := text + ": " + e.Value.inner()
	switch text {
	case "in the end":
		add(whole, l.stateAt(e.Value, check.Moment{}))
		return
	case "eventually":
		add(whole, l.eventually(e.Value))
		return
	case "records":
		add(whole, l.records(e.Value))
		return
	case "metrics":
		add(whole, l.figures(e.Value))
		return
	case "never":
		for _, x := range l.never(e.Value) {
			add(whole, x)
		}
		return
	case "order":
		x := &ExpectOrder{}
		for _, item := range e.Value.List() {
			x.Events = append(x.Events, l.event(item))
		}
		if len(x.Events) < 2 && e.Value.IsList() {
			e.Value.Fail("", "an order wants two events or more")
		}
		add(whole, x)
		return
	case "count":
		l.count(e.Value, add)
		return
	}
	if moment, ok := strings.CutPrefix(text, "at "); ok {
		add(whole, l.stateAt(e.Value, l.momentText(e.Key, strings.TrimSpace(moment))))
		return
	}
	if number, ok := strings.CutPrefix(text, "generation "); ok {
		add(whole, l.generation(e, strings.TrimSpace(number)))
		return
	}
	if metrics.MeasureNamed(text) != nil {
		e.Key.Fail(fmt.Sprintf("write metrics: {%s: …}", text), "%s is a figure", text)
		return
	}
	if momentShape.find(text) != nil {
		e.Key.Fail(fmt.Sprintf("write in the end: {%s: …}, at MOMENT: {…} or eventually: {…}", text), "%s is so at a moment", text)
		return
	}
	if !strings.Contains(text, ".") {
		e.Key.Fail(firstNonEmpty(didYouMean(text, kindsOfExpectation), "the name of an event, or: "+strings.Join(kindsOfExpectation, ", ")),
			"%q is not an expectation", clip(text))
		return
	}
	event := l.event(e.Key)
	if event.None() {
		return
	}
	if !event.One() {
		e.Key.Fail(fmt.Sprintf("write %s#1", strings.TrimSuffix(text, ".answer")), "an expectation is of one event, by its number")
		return
	}
	add(whole, l.ofEvent(event, e.Value))
}

func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

var ways = []option[Answered]{
	{"at once", AnsweredAtOnce},
	{"later", AnsweredLater},
	{"never", AnsweredNever},
	{"disconnected", AnsweredDisconnected},
}

// ofEvent reads what is expected of one event. Which keys there are depends on what
// the event is.
func (l *loader) ofEvent(event EventName, n *Node) *ExpectEvent {
	x := &ExpectEvent{Event: event}
	f := n.fields(eventShape)
	l.atTime(f.Get("at"), x)
	isJoin, isSync := event.Request == protocol.KindJoinGroup, event.Request == protocol.KindSyncGroup
	if event.Verb == VerbRequest {
		l.handling(f, x)
	}
	if event.Verb == VerbRequest || event.Verb == VerbAnswer {
		x.Error, x.HasError = kafkaError(f.Get("error"))
	}
	if event.Verb == VerbThrown {
		x.Exception = exception(f.Get("error"))
	}
	if isJoin || event.Verb == VerbGroup || event.Verb == VerbLoaded {
		x.Generation = l.number(f.Get("generation"))
		x.Leader = l.member(f.Get("leader"))
		x.Members = l.membersExpected(f.Get("members"))
	}
	if isSync || event.Verb >= VerbRevoked && event.Verb <= VerbServes {
		x.Partitions = l.partitionsExpected(f.Get("partitions"))
	}
	if event.Verb == VerbLoaded {
		x.State = state(f.Get("state"))
	}
	f.Done()
	return x
}

// handling reads how the coordinator handled a request.
func (l *loader) handling(f *Fields, x *ExpectEvent) {
	answered := f.Get("answered")
	x.Answered = oneOption(answered, ways)
	if waits := f.Get("waits"); waits.Given() {
		x.Waits = No
		if waits.Bool() {
			x.Waits = Yes
		}
	}
	if x.Answered == AnsweredAtOnce && x.Waits == Yes || x.Answered == AnsweredLater && x.Waits == No {
		answered.Fail("", "a request that is answered %s does not fit to \"waits\"", answered.text)
	}
	if with := f.Get("answered with"); with.Given() {
		x.With = l.message(with)
		if !x.With.None() && (!x.With.One() || x.With.Verb != VerbRequest) {
			with.Fail("write it like L.JoinGroup#1", "\"answered with\" wants one request")
		}
	}
	x.In = state(f.Get("in"))
	moves := f.Get("moves")
	if moves.IsText() && moves.text == "nothing" {
		x.Stays = true
		return
	}
	if text := moves.Text(); text != "" {
		from, to, ok := strings.Cut(text, "->")
		if !ok {
			moves.Fail("write Stable -> PreparingRebalance, or nothing", "%q is not a change of state", clip(text))
			return
		}
		x.MovesFrom, x.MovesTo = stateOf(moves, strings.TrimSpace(from)), stateOf(moves, strings.TrimSpace(to))
	}
}

func (n *Node) notNothing(what string) {
	if n != nil && len(n.keys) == 0 && n.kind != textNode && n.kind != listNode {
		n.Fail("", "%q says nothing", what)
	}
}

func (l *loader) never(n *Node) (list []*ExpectNever) {
	if n.IsText() {
		return []*ExpectNever{{Event: l.event(n)}}
	}
	f := n.fields(neverShape)
	w := l.window(f)
	if v := f.Get("state"); v.Given() {
		list = append(list, &ExpectNever{Window: w, State: state(v)})
	}
	if v := f.Get("error"); v.Given() {
		e, ok, thrown := failure(v)
		list = append(list, &ExpectNever{Window: w, Error: e, HasError: ok, Exception: thrown})
	}
	if v := f.Get("event"); v.Given() {
		list = append(list, &ExpectNever{Window: w, Event: l.event(v)})
	}
	f.Done()
	if n.IsMap() && len(list) == 0 {
		n.Fail("write {state: Empty}, or the name of an event", "never says nothing")
	}
	return list
}

func (l *loader) number(n *Node) *Number {
	x := parsed(n, "a number or a range", parseNumber)
	if x != nil && x.Since != "" && !slices.Contains(l.marks, x.Since) {
		l.failUnknown(n, "mark", x.Since, l.marks)
	}
	return x
}

// membersExpected reads none, all, a number, a name or a list of names.
func (l *loader) membersExpected(n *Node) *Members {
	switch {
	case n == nil:
		return nil
	case n.IsText() && n.text == "none":
		return &Members{}
	case n.IsText() && n.text == "all":
		return &Members{Count: len(l.s.Members)}
	case n.IsText() && strings.Trim(n.text, "0123456789") == "":
		return &Members{Count: int(n.Int(0, MaxMembers))}
	}
	list := l.memberList(n)
	return &Members{Names: list, Count: len(list)}
}

// partitionsExpected reads none, a number, or a list of partitions like orders-3.
func (l *loader) partitionsExpected(n *Node) *Partitions {
	switch {
	case n == nil:
		return nil
	case n.IsText() && n.text == "none":
		return &Partitions{}
	case n.IsText() && strings.Trim(n.text, "0123456789") == "":
		return &Partitions{Count: int(n.Int(0, MaxPartitions))}
	}
	p := &Partitions{List: []protocol.TopicPartition{}}
	for _, item := range n.List() {
		if tp, ok := l.partition(item); ok {
			if slices.Contains(p.List, tp) {
				item.Fail("", "%s is named twice", tp)
			}
			p.List = append(p.List, tp)
		}
	}
	p.Count = len(p.List)
	return p
}

func (l *loader) partition(n *Node) (tp protocol.TopicPartition, ok bool) {
	text := n.Text()
	if text == "" {
		return tp, false
	}
	dash := strings.LastIndexByte(text, '-')
	number, err := strconv.ParseInt(text[dash+1:], 10, 32)
	if dash < 0 || err != nil {
		n.Fail("write it like orders-3", "%q is not a partition", clip(text))
		return tp, false
	}
	for _, t := range l.s.Topics {
		if t.Name != text[:dash] {
			continue
		}
		if number < 0 || number >= int64(t.Most) {
			n.Fail(n.doc.inComment("add-partitions"), "%s of line %d has the partitions 0 to %d, not %d", t.Name, t.Pos.Line, t.Most-1, number)
			return tp, false
		}
		return protocol.TopicPartition{Topic: t.Name, Partition: int32(number)}, true
	}
	l.failUnknown(n, "topic", text[:dash], l.names.topics)
	return tp, false
}
