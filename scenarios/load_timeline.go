package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

func (l *loader) timeline(n *Node) {
	if n == nil {
		return
	}
	if n.IsText() {
		n.want("a list of steps", `begin each with "- "`)
		return
	}
	steps := n.List()
	if len(steps) > MaxSteps {
		n.Fail("", "more than %d steps", MaxSteps)
		return
	}
	for _, item := range steps { // marks first: a step may refer to a later one
		if mark := item.find("mark"); mark.IsText() && item.IsMap() {
			if slices.Contains(l.marks, mark.text) {
				mark.Fail("", "the mark %q is set twice", clip(mark.text))
			}
			l.introduced(mark, mark.text)
			l.marks = append(l.marks, mark.text)
		}
	}
	for _, item := range steps {
		l.step(item)
	}
}

func (l *loader) step(n *Node) {
	s := Step{Pos: n.Pos, Text: n.flow()}
	f := n.fields(stepShape)
	at, when := f.Get("at"), f.Get("when")
	after, every, times, mark := f.Get("after"), f.Get("every"), f.Get("times"), f.Get("mark")
	var key string
	var do *Node
	for _, a := range actions {
		v := f.Get(a.key)
		if v == nil {
			continue
		}
		if do.Given() {
			v.Fail("make it two steps", "a step does one thing: this one has %s and %s", key, a.key)
			continue
		}
		key, do = a.key, v
	}
	f.Done()

	switch {
	case at.Given() && when.Given():
		when.Fail("", "a step has either a time (at) or a trigger (when)")
	case at.Given():
		if s.At = at.Duration(); s.At >= l.s.End.AtMost && at.IsText() {
			at.Fail("see end", "the run is over by then: it lasts %s s at most", l.s.End.AtMost)
		}
	case when.Given():
		s.When = l.trigger(when)
	}
	if when == nil {
		after.Fail("", "after goes with when")
		l.repeats(every, times, &s)
	} else {
		times.Fail("", "times goes with at")
		s.Every = every.Bool()
	}
	s.After = after.Duration()
	if s.Mark = mark.Text(); s.Mark != "" && (len(s.Mark) > 60 || strings.Trim(s.Mark, nameLetters) != "") {
		mark.Fail("letters, digits, - and _; at most 60", "%q is no name for a mark", clip(s.Mark))
	}
	if do == nil && mark == nil && (n.IsMap() || n.kind == emptyNode) && n.Err() == nil {
		n.Fail("", "this step does nothing")
	}
	for _, a := range actions {
		if do.Given() && a.key == key {
			s.Do = a.read(l, do, &s)
		}
	}
	l.s.Timeline = append(l.s.Timeline, s)
}

// maxTimes is how often a step may happen that has a time.
const maxTimes = 1_000_000

// repeats reads how often a step happens that has a time.
func (l *loader) repeats(every, times *Node, s *Step) {
	if every.IsText() && (every.text == "true" || every.text == "false") {
		every.Fail("with at, say how long after: every: 10s", "every: %s goes with when", every.text)
		return
	}
	if every.Given() {
		if s.Again = every.Duration(); every.IsText() && s.Again == 0 {
			every.Fail("", "a step cannot happen again after no time")
		}
	}
	if times.Given() {
		s.Times = times.Int(1, maxTimes)
		if every == nil {
			times.Fail("", "times goes with every")
		}
	} else if end := l.s.End; every.Given() && s.Again > 0 && end.HasAt && (end.At-s.At)/s.Again > maxTimes {
		every.Fail("", "until the run ends this step happens more than %d times", maxTimes)
	} else if every.Given() && !end.HasAt {
		every.Fail("say how many times, or end the run: end: {at: …}", "this step happens for ever, so the run never settles")
	}
}

// trigger reads what a step waits for: the name of an event, or conditions.
func (l *loader) trigger(n *Node) *Trigger {
	t := &Trigger{Pos: n.Pos}
	if n.IsText() {
		t.Event = l.event(n)
		return t
	}
	f := n.fields(whenShape)
	event, message := f.Get("event"), f.Get("message")
	group, generation, members, parked := f.Get("group"), f.Get("generation"), f.Get("members"), f.Get("parked")
	f.Done()
	if event.Given() {
		t.Event = l.event(event)
	}
	if message.Given() {
		event.Fail("", "a trigger has either an event or a message")
		t.Event = l.message(message)
	}
	if group.Given() {
		t.State = state(group)
	}
	if generation.Given() {
		t.Generation = int32(generation.Int(1, 1<<31-1))
	}
	if members.Given() {
		t.Members = int32(members.Int(1, MaxMembers))
	}
	if parked.Given() {
		p := parked.fields(parkedShape)
		p.Get("JoinGroup")
		p.Get("SyncGroup")
		p.Done()
	}
	for _, e := range parked.Entries() {
		kind := request(e.Key, protocol.KindJoinGroup, protocol.KindSyncGroup)
		t.Parked = append(t.Parked, Parked{kind, l.memberList(e.Value)})
	}
	if len(n.keys) == 0 && n.kind != listNode {
		n.Fail("write {group: Stable}, or the name of an event", "when says nothing")
	}
	return t
}

// flow writes the value as YAML on one line.
func (n *Node) flow() string {
	switch {
	case n == nil || n.kind == emptyNode:
		return ""
	case n.kind == textNode:
		if n.plain {
			return n.text
		}
		return strconv.Quote(n.text)
	}
	var parts []string
	for i, item := range n.items {
		if n.kind == listNode {
			parts = append(parts, item.inner())
		} else {
			parts = append(parts, n.keys[i].flow()+": "+item.inner())
		}
	}
	return strings.Join(parts, ", ")
}

func (n *Node) inner() string {
	switch n.kind {
	case listNode:
		return "[" + n.flow() + "]"
	case mapNode:
		return "{" + n.flow() + "}"
	}
	return n.flow()
}
