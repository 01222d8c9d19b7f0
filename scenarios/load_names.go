package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/protocol/script"
)

// names are the things of a scenario that texts may refer to.
type names struct {
	brokers []string
	members []string
	topics  []string
	marks   []string
	isNode  map[string]bool
	lines   map[string]int // on which each is introduced
	fetches bool           // an event's name means a Fetch, or any request
	alone   bool           // the file says nothing of brokers, so there is b1 alone
}

// introduced notes the line on which a thing gets its name.
func (w *names) introduced(n *Node, name string) {
	if _, twice := w.lines[name]; !twice {
		w.lines[name] = n.Pos.Line
	}
}

// failUnknown notes that a text names a thing that there is not.
func (w *names) failUnknown(n *Node, what, name string, known []string) {
	if n == nil || n.doc.full() {
		return
	}
	n.Fail(w.meant(n, what, name, known), "there is no %s %q", what, clip(name))
}

// meant is a hint at what was probably meant, and where it is introduced.
func (w *names) meant(n *Node, what, name string, known []string) string {
	if w.alone && len(w.brokers) > 0 && slices.Contains(known, w.brokers[0]) && strings.HasPrefix(name, "b") && name != "b" {
		hint := "the file has no brokers, so there is b1 alone"
		if where := n.doc.inComment("brokers"); where != "" {
			hint = where
		}
		return hint
	}
	hint := didYouMean(name, known)
	var near []string
	var lines []int
	for _, k := range script.AllNearest(name, known) { // one of each line, and not too many
		if line := w.lines[k]; line > 0 && !slices.Contains(lines, line) && len(lines) < 4 {
			near, lines = append(near, fmt.Sprintf("%q of line %d", k, line)), append(lines, line)
		}
	}
	if len(near) > 0 {
		if len(known) <= 3 { // the rest is told in as many words as where to look for it
			for _, k := range known {
				if line := w.lines[k]; line > 0 && !slices.Contains(lines, line) {
					near, lines = append(near, fmt.Sprintf("%q of line %d", k, line)), append(lines, line)
				}
			}
		}
		return "did you mean " + oneOf(near) + "?"
	}
	if bare := name[:max(0, strings.LastIndexByte(name, '-'))]; bare != "" && strings.Trim(name[len(bare):], "-0123456789") == "" {
		return w.meant(n, what, bare, known) // a partition's topic
	}
	if where := n.doc.commented(name); where != "" {
		return where
	}
	if first, last := w.between(known); first > 0 {
		hint = fmt.Sprintf("the first %s is on line %d", what, first)
		if last > first {
			hint += fmt.Sprintf(", the last on line %d", last)
		}
	}
	return hint
}

// between gives the first and the last line on which one of the names is introduced; 0 if
// none is.
func (w *names) between(known []string) (first, last int) {
	for _, k := range known {
		if line := w.lines[k]; line > 0 {
			if first == 0 {
				first = line
			}
			first, last = min(first, line), max(last, line)
		}
	}
	return first, last
}

func didYouMean(name string, known []string) string {
	if near := script.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) > 0 && len(known) <= 6 {
		return "known: " + strings.Join(known, ", ")
	}
	return ""
}

func (w *names) nodes() []string { return slices.Concat(w.members, w.brokers) }

var verbNames = []struct {
	name   string
	verb   Verb
	broker bool // of brokers, or of members
	member bool
}{
	{"revoked", VerbRevoked, false, true},
	{"assigned", VerbAssigned, false, true},
	{"lost", VerbLost, false, true},
	{"serves", VerbServes, false, true},
	{"thrown", VerbThrown, false, true},
	{"loaded", VerbLoaded, true, false},
	{"unloaded", VerbUnloaded, true, false},
	{"started", VerbStarted, true, true},
	{"crashed", VerbCrashed, true, true},
	{"ended", VerbEnded, true, true},
}

// event reads an event's name. The zero EventName means that it was refused.
func (w *names) event(n *Node) EventName {
	if !n.IsText() {
		if n != nil {
			n.want("the name of an event", "write it like F1.JoinGroup#1 or b1.group.Stable#3")
		}
		return EventName{}
	}
	return w.eventText(n, n.text)
}

func (w *names) eventText(n *Node, text string) (e EventName) {
	node, rest, ok := strings.Cut(text, ".")
	if !ok || node == "" || rest == "" {
		n.Fail("write it like F1.JoinGroup#1 or b1.group.Stable#3", "%q is not the name of an event", clip(text))
		return EventName{}
	}
	if name, _, process := strings.Cut(node, "#"); process && w.fits(name, true, true) {
		n.Fail("numbers count over all its processes: rebalsim run -v tells them", "%q: %s is a process of %s, and events are of a name", clip(text), node, name)
		return EventName{}
	}
	if !w.checkNode(n, node) {
		return EventName{}
	}
	e.Node = node
	rest, isAnswer := strings.CutSuffix(rest, ".answer")
	rest, number, numbered := strings.Cut(rest, "#")
	if numbered && !eventNumber(&e, n, text, number) {
		return EventName{}
	}
	if state, ok := strings.CutPrefix(rest, "group."); ok && !isAnswer {
		e.Verb = VerbGroup
		if !isGlob(node) && slices.Contains(w.members, node) {
			n.Fail(fmt.Sprintf("write %s.%s", w.brokers[0], rest), "%q: a group changes its state at a broker, and %s is a member", clip(text), node)
			return EventName{}
		}
		if e.State = stateOf(n, state); e.State == protocol.NoGroup {
			return EventName{}
		}
		return e
	}
	for _, v := range verbNames {
		if v.name == rest && !isAnswer {
			if !w.fits(node, v.broker, v.member) {
				n.Fail("", "%q: %s is a matter of %s", clip(text), rest, map[bool]string{true: "brokers", false: "members"}[v.broker])
				return EventName{}
			}
			e.Verb = v.verb
			return e
		}
	}
	e.Verb = VerbRequest
	if isAnswer {
		e.Verb = VerbAnswer
	}
	if rest == "*" {
		w.fetches = true
		return e
	}
	if e.Request = protocol.KindOf(rest); e.Request == 0 {
		known := protocol.KindNames()
		for _, v := range verbNames {
			known = append(known, v.name)
		}
		n.Fail(didYouMean(rest, known), "%q: there is no event %q", clip(text), clip(rest))
		return EventName{}
	}
	w.fetches = w.fetches || e.Request == protocol.KindFetch
	if !w.fits(node, false, true) {
		n.Fail("requests have the names of the members that send them", "%q: %s is a broker", clip(text), node)
		return EventName{}
	}
	return e
}

// eventNumber reads "2" or "2..4".
func eventNumber(e *EventName, n *Node, text, number string) bool {
	low, high, isRange := strings.Cut(number, "..")
	if !isRange {
		high = low
	}
	a, errA := strconv.ParseUint(low, 10, 31)
	b, errB := strconv.ParseUint(high, 10, 31)
	if errA != nil || errB != nil || a == 0 || b < a {
		n.Fail("events are counted from #1", "%q: %q is not the number of an event", clip(text), clip("#"+number))
		return false
	}
	e.First, e.Last = uint32(a), uint32(b)
	return true
}

// checkNode sees whether a text names a member or a broker, or is a glob that fits one.
func (w *names) checkNode(n *Node, node string) bool {
	if w.isNode[node] || isGlob(node) && w.fits(node, true, true) {
		return true
	}
	if isGlob(node) {
		n.Fail(w.meant(n, "member or broker", strings.Trim(node, "*?"), w.nodes()), "no member or broker fits %q", clip(node))
	} else {
		w.failUnknown(n, "member or broker", node, w.nodes())
	}
	return false
}

// fits reports whether a name or glob fits one of the brokers, or one of the members.
func (w *names) fits(glob string, brokers, members bool) bool {
	match := func(name string) bool { return matchGlob(glob, name) }
	return brokers && slices.ContainsFunc(w.brokers, match) || members && slices.ContainsFunc(w.members, match)
}

// member reads the name of a member.
func (w *names) member(n *Node) string {
	name := n.Text()
	switch {
	case name == "" || slices.Contains(w.members, name):
	case slices.Contains(w.brokers, name):
		n.Fail("", "%s is a broker, and a member is wanted", name)
	default:
		w.failUnknown(n, "member", name, w.members)
	}
	return name
}

// memberList reads names and globs of members: one, or a list.
func (w *names) memberList(n *Node) []string {
	var list []string
	seen := make(map[string]bool)
	for _, item := range n.List() {
		glob := item.Text()
		before := len(list)
		switch {
		case glob == "":
		case isGlob(glob):
			for _, m := range w.members {
				if matchGlob(glob, m) && !seen[m] {
					seen[m] = true
					list = append(list, m)
				}
			}
			if len(list) == before {
				item.Fail(w.meant(item, "member", strings.Trim(glob, "*?"), w.members), "no member fits %q", clip(glob))
			}
		case seen[glob]:
			item.Fail("", "%q is named twice", clip(glob))
		default:
			if w.member(item); w.isNode[glob] {
				seen[glob] = true
				list = append(list, glob)
			}
		}
	}
	if n.IsList() && len(n.items) == 0 {
		n.Fail("", "%s names nobody", n.label)
	}
	return list
}

// broker reads the name of a broker.
func (w *names) broker(n *Node) string {
	name := n.Text()
	switch {
	case name == "" || slices.Contains(w.brokers, name):
	case slices.Contains(w.members, name):
		n.Fail("", "%s is a member, and a broker is wanted", name)
	default:
		w.failUnknown(n, "broker", name, w.brokers)
	}
	return name
}

// topicList reads names of topics.
func (w *names) topicList(n *Node) []string {
	var list []string
	for _, item := range n.List() {
		name := item.Text()
		switch {
		case name == "":
		case !slices.Contains(w.topics, name):
			w.failUnknown(item, "topic", name, w.topics)
		case slices.Contains(list, name):
			item.Fail("", "%q is named twice", clip(name))
		default:
			list = append(list, name)
		}
	}
	return list
}

// request reads the name of a request, one of those that are allowed if any are given.
func request(n *Node, allowed ...uint8) uint8 {
	name := n.Text()
	if name == "" {
		return 0
	}
	known := protocol.KindNames()
	if len(allowed) > 0 {
		known = nil
		for _, k := range allowed {
			known = append(known, protocol.KindName(k))
		}
	}
	kind := protocol.KindOf(name)
	if kind == 0 || !slices.Contains(known, name) {
		n.Fail(didYouMean(name, known), "there is no request %q", clip(name))
		return 0
	}
	return kind
}

var groupStates = []protocol.GroupState{protocol.Empty, protocol.PreparingRebalance,
	protocol.CompletingRebalance, protocol.Stable, protocol.Dead}

// state reads the state of a group.
func state(n *Node) protocol.GroupState {
	name := n.Text()
	if name == "" {
		return protocol.NoGroup
	}
	return stateOf(n, name)
}

func stateOf(n *Node, name string) protocol.GroupState {
	var known []string
	for _, s := range groupStates {
		if s.String() == name {
			return s
		}
		known = append(known, s.String())
	}
	hint := didYouMean(name, known)
	if name == "AwaitingSync" {
		hint = "its name from Kafka 1.1 on is CompletingRebalance"
	} else if hint == "" {
		hint = "a group is " + oneOf(known)
	}
	n.Fail(hint, "there is no group state %q", clip(name))
	return protocol.NoGroup
}

// nodeList reads names and globs of members, or of brokers: the first says of which.
func (w *names) nodeList(n *Node) (list []string, brokers bool) {
	items := n.List()
	if len(items) == 0 || !items[0].IsText() || !w.fits(items[0].text, true, false) || w.fits(items[0].text, false, true) {
		return w.memberList(n), false
	}
	all := *w
	all.members, all.brokers = w.brokers, nil
	for _, item := range items {
		if item.IsText() && slices.Contains(w.members, item.text) {
			item.Fail("make it two steps", "%s is a member, and a broker is wanted", item.text)
			return nil, true
		}
	}
	return all.memberList(n), true
}

// newName reads the name of a node that the scenario introduces, which may be a
// pattern, and gives the names that it stands for.
func newName(n *Node, what string, most int) []string {
	list, err := expandPattern(n.text, most)
	if err != nil {
		problem, hint, _ := strings.Cut(err.Error(), "\n")
		n.Fail(hint, "%s", problem)
		return nil
	}
	for _, name := range list {
		switch {
		case n.misread():
			return list // refused, but known: what refers to it is not wrong too
		case name == "" || len(name) > 60 || strings.Trim(name, nameLetters) != "" || strings.Trim(name[:1], "-_") == "":
			n.Fail("a letter or digit, then letters, digits, - and _; at most 60", "%q is no name for a %s", clip(name), what)
			return nil
		case slices.Contains(reserved, name):
			n.Fail("take another name", "%q has a meaning of its own in the language", name)
			return nil
		}
	}
	return list
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// misread notes a name that is not quoted and that YAML readers take for something
// else than a text.
func (n *Node) misread() bool {
	if n == nil || n.kind > emptyNode || !n.plain {
		return false
	}
	taken := ""
	switch strings.ToLower(n.text) {
	case "yes", "on", "true":
		taken = "true"
	case "no", "off", "false":
		taken = "false"
	case "", "~", "null":
		taken = "nothing"
	default:
		if strings.Trim(n.text, "0123456789.:_+-eE") == "" && strings.ContainsAny(n.text, "0123456789") {
			taken = "a number"
		}
	}
	if taken == "" {
		return false
	}
	n.Fail(fmt.Sprintf("write %q, with the quotes", n.text), "%s is %s to YAML", n.text, taken)
	return true
}
