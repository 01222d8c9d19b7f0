package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

// actions are the keys that say what a step does.
var actions = []struct {
	key  string
	read func(l *loader, n *Node, s *Step) Action
}{
	{"arrive", (*loader).arrive},
	{"start", (*loader).startMembers},
	{"close", (*loader).closeMembers},
	{"kill", (*loader).kill},
	{"disconnect", (*loader).disconnect},
	{"hold", (*loader).hold},
	{"release", (*loader).release},
	{"drop", (*loader).drop},
	{"lose", (*loader).lose},
	{"delay", (*loader).delay},
	{"freeze", (*loader).freeze},
	{"subscribe", (*loader).subscribe},
	{"enforce-rebalance", (*loader).enforceRebalance},
}

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
	f := n.Fields()
	at, when := f.Get("at"), f.Get("when")
	after, every, mark := f.Get("after"), f.Get("every"), f.Get("mark")
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
	f.NotYet("restart", "rolling-restart", "scale", "deploy", "roll", "slow", "clock", "crash", "move", "elect",
		"cut", "heal", "latency", "create-topic", "add-partitions", "delete-topic", "set", "pause", "resume", "log", "repeat")
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
		every.Fail("", "every goes with when")
	}
	s.After = after.Duration()
	s.Every = every.Bool()
	if s.Mark = mark.Text(); s.Mark != "" && (len(s.Mark) > 60 || strings.Trim(s.Mark, nameLetters) != "") {
		mark.Fail("letters, digits, - and _; at most 60", "%q is no name for a mark", clip(s.Mark))
	}
	if do == nil && mark == nil && n.IsMap() && n.Err() == nil {
		n.Fail("", "this step does nothing")
	}
	for _, a := range actions {
		if do.Given() && a.key == key {
			s.Do = a.read(l, do, &s)
		}
	}
	l.s.Timeline = append(l.s.Timeline, s)
}

// trigger reads what a step waits for: the name of an event, or conditions.
func (l *loader) trigger(n *Node) *Trigger {
	t := &Trigger{Pos: n.Pos}
	if n.IsText() {
		t.Event = l.event(n)
		return t
	}
	f := n.Fields()
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
	for _, e := range parked.Entries() {
		kind := request(e.Key, protocol.KindJoinGroup, protocol.KindSyncGroup)
		t.Parked = append(t.Parked, Parked{kind, l.memberList(e.Value)})
	}
	if len(n.keys) == 0 && n.kind != listNode {
		n.Fail("write {group: Stable}, or the name of an event", "when says nothing")
	}
	return t
}

// message reads a name of requests or answers.
func (l *loader) message(n *Node) EventName {
	e := l.event(n)
	if e.Verb > VerbAnswer {
		n.Fail("write it like L.SyncGroup#1 or F1.JoinGroup.answer", "%q is not a message", clip(n.text))
	}
	return e
}

// messages reads a name of requests or answers, or "it".
func (l *loader) messages(n *Node, s *Step) (e EventName, it bool) {
	if !n.IsText() || n.text != "it" {
		return l.message(n), false
	}
	if s.When == nil || s.When.Event.None() || s.When.Event.Verb > VerbAnswer {
		n.Fail(`write "when: {message: L.SyncGroup#1}"`, "nothing says which message \"it\" is")
		return EventName{}, true
	}
	return s.When.Event, true
}

func (l *loader) arrive(n *Node, s *Step) Action {
	f := n.Fields()
	kind := request(f.Need("request"))
	order := l.memberList(f.Need("order"))
	gap := f.Get("gap").Duration()
	f.Done()
	return Arrive{kind, order, gap}
}

func (l *loader) startMembers(n *Node, s *Step) Action { return Start{l.memberList(n)} }
func (l *loader) closeMembers(n *Node, s *Step) Action { return Close{l.memberList(n)} }
func (l *loader) kill(n *Node, s *Step) Action         { return Kill{l.memberList(n)} }

func (l *loader) node(n *Node) string {
	name := n.Text()
	if name != "" && !l.isNode[name] {
		l.failUnknown(n, "member or broker", name, l.nodes())
	}
	return name
}

func (l *loader) disconnect(n *Node, s *Step) Action {
	if n.IsText() {
		return Disconnect{Of: l.node(n)}
	}
	f := n.Fields()
	d := Disconnect{l.node(f.Need("of")), l.node(f.Get("from"))}
	f.Done()
	if d.Of != "" && d.Of == d.From {
		n.Fail("", "%s has no connection to itself", d.Of)
	}
	return d
}

func (l *loader) hold(n *Node, s *Step) Action {
	e, it := l.messages(n, s)
	return Hold{e, it}
}

// release refers to a hold by the messages that it holds.
func (l *loader) release(n *Node, s *Step) Action {
	text := n.Text()
	known := []string{"all"}
	if text == "all" {
		return Release{-1}
	}
	for i := range l.s.Timeline {
		h, ok := l.s.Timeline[i].Do.(Hold)
		if !ok {
			continue
		}
		if h.Messages.String() == text {
			return Release{i}
		}
		known = append(known, h.Messages.String())
	}
	if text != "" {
		n.Fail(didYouMean(text, known), "no step above holds %q", clip(text))
	}
	return Release{-1}
}

func (l *loader) drop(n *Node, s *Step) Action {
	e, it := l.messages(n, s)
	return Drop{e, it, false}
}

func (l *loader) lose(n *Node, s *Step) Action {
	e, it := l.messages(n, s)
	return Drop{e, it, true}
}

func (l *loader) delay(n *Node, s *Step) Action {
	f := n.Fields()
	d := Delay{}
	d.Messages, d.It = l.messages(f.Need("message"), s)
	d.By = f.Need("by").Duration()
	f.Done()
	return d
}

func (l *loader) freeze(n *Node, s *Step) Action {
	f := n.Fields()
	a := Freeze{l.memberList(f.Need("of")), f.Need("for").Duration()}
	f.Done()
	return a
}

func (l *loader) subscribe(n *Node, s *Step) Action {
	f := n.Fields()
	a := Subscribe{l.memberList(f.Need("of")), l.topicList(f.Need("topics"))}
	f.Done()
	return a
}

func (l *loader) enforceRebalance(n *Node, s *Step) Action {
	if !n.IsMap() {
		return EnforceRebalance{Members: l.memberList(n)}
	}
	f := n.Fields()
	a := EnforceRebalance{l.memberList(f.Need("of")), f.Get("reason").Text()}
	f.Done()
	return a
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
