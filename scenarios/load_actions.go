package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// actions are the keys that say what a step does.
var actions = []struct {
	key  string
	is   value
	doc  string
	read func(l *loader, n *Node, s *Step) Action
}{
	{"arrive", arriveShape, "Members' next requests of a kind reach the coordinator in this order.", (*loader).arrive},
	{"start", membersValue, "Start processes: members, or brokers.", (*loader).start1},
	{"close", anyOf{membersValue, closeShape}, "Programs stop and close their consumers, as on SIGTERM.", (*loader).closeMembers},
	{"kill", membersValue, "Members' processes end without a word, as on SIGKILL.", (*loader).kill},
	{"restart", anyOf{membersValue, restartShape}, "Stop processes and start them again, all at once.", (*loader).restart},
	{"rolling-restart", rollShape, "Stop processes and start them again, one after the other.", (*loader).rollingRestart},
	{"deploy", deployShape, "Replace members by others.", (*loader).deploy},
	{"scale", scaleShape, "Start or close members until so many run.", (*loader).scale},
	{"freeze", forShape, "Processes stand still, as in a long garbage collection.", (*loader).freeze},
	{"slow", slowShape, "Programs work so long on the batch that they have in hand and do not poll.", (*loader).slow},
	{"clock", clockShape, "Clocks are put forward or back, or run fast or slow from then on.", (*loader).clock},
	{"subscribe", subscribeShape, "Members change their subscription.", (*loader).subscribe},
	{"pause", anyOf{membersValue, pauseShape}, "Nothing is fetched from partitions.", (*loader).pause},
	{"resume", anyOf{membersValue, pauseShape}, "Undo pause.", (*loader).resume},
	{"seek", seekShape, "Members set their positions.", (*loader).seek},
	{"wakeup", membersValue, "wakeup() is called from another thread.", (*loader).wakeup},
	{"refresh-metadata", membersValue, "Clients ask for metadata at once.", (*loader).refreshMetadata},
	{"unsubscribe", membersValue, "Members call unsubscribe().", (*loader).unsubscribe},
	{"enforce-rebalance", anyOf{membersValue, enforceShape}, "Members call enforceRebalance() (KIP-568).", (*loader).enforceRebalance},
	{"commit", anyOf{membersValue, commitShape}, "Members commit their positions.", (*loader).commit},
	{"disconnect", anyOf{nameValue, disconnectShape}, "Break connections; what is on its way is lost.", (*loader).disconnect},
	{"cut", anyOf{nameValue, cutShape}, "Nothing arrives until it is healed.", (*loader).cut},
	{"heal", anyOf{nameValue, healShape}, "Undo cut.", (*loader).heal},
	{"latency", latencyShape, "What a message takes from now on.", (*loader).latency},
	{"hold", messageValue, "Keep messages, and what is behind them on their connections.", (*loader).hold},
	{"release", messageOrAll, "Let go on what a step above holds, or all.", (*loader).release},
	{"drop", anyOf{messageValue, messageShape}, "Lose messages, and them alone.", (*loader).drop},
	{"lose", anyOf{messageValue, messageShape}, "Lose messages with their connections.", (*loader).lose},
	{"delay", delayShape, "Let messages take longer.", (*loader).delay},
	{"crash", anyOf{nameValue, crashShape}, "A broker's process ends without a word.", (*loader).crash},
	{"move", anyOf{nameValue, moveShape}, "Another broker becomes the coordinator.", (*loader).move},
	{"stall-log", stallShape, "Nothing that the coordinator writes is committed.", (*loader).stallLog},
	{"fail-log", failLogShape, "What the coordinator writes is refused.", (*loader).failLog},
	{"create-topic", topicValue, "Create a topic that has created: never.", (*loader).createTopic},
	{"add-partitions", partitionsShape, "Give a topic more partitions.", (*loader).addPartitions},
	{"delete-topic", topicValue, "Delete a topic.", (*loader).deleteTopic},
}

var messageOrAll = textValue{pattern: `^(all|[^. ]+\.[^ ]+)$`, example: "L.SyncGroup#1"}

func init() {
	for _, a := range actions {
		stepShape.keys = append(stepShape.keys, key{a.key, a.is, false, a.doc})
		stepShape.one = append(stepShape.one, a.key)
	}
}

func (l *loader) arrive(n *Node, s *Step) Action {
	f := n.fields(arriveShape)
	kind := request(f.Get("request"))
	order := l.memberList(f.Get("order"))
	gap := f.Get("gap").Duration()
	f.Done()
	return Arrive{kind, order, gap}
}

func (l *loader) start1(n *Node, s *Step) Action {
	of, brokers := l.nodeList(n)
	return Start{of, brokers}
}

// grace is after how long a stop becomes a kill; Kubernetes gives 30 s.
func grace(n *Node) sim.Time {
	if n.Given() {
		return n.Duration()
	}
	return 30 * sim.Second
}

func (l *loader) closeMembers(n *Node, s *Step) Action {
	if !n.IsMap() {
		return Close{Members: l.memberList(n)}
	}
	f := n.fields(closeShape)
	a := Close{l.memberList(f.Get("of")), f.Get("grace").Duration()}
	f.Done()
	return a
}

func (l *loader) kill(n *Node, s *Step) Action { return Kill{l.memberList(n)} }

func (l *loader) restart(n *Node, s *Step) Action {
	if !n.IsMap() {
		of, brokers := l.nodeList(n)
		return Restart{Of: of, Brokers: brokers, Grace: grace(nil)}
	}
	f := n.fields(restartShape)
	a := l.restartKeys(f)
	f.Done()
	return a
}

func (l *loader) rollingRestart(n *Node, s *Step) Action {
	f := n.fields(rollShape)
	a := l.restartKeys(f)
	a.AtATime = 1
	together, alone := f.Get("at-a-time"), f.Get("one-by-one")
	if together.Given() {
		a.AtATime = int(together.Int(1, MaxMembers))
		alone.Fail("leave one of them out", "at-a-time says how many are on their way at once")
	}
	if alone.Given() && alone.IsText() && alone.text == "false" {
		alone.Fail("say how many at once: at-a-time: 2; restart stops them all", "a rolling restart is one by one")
	}
	alone.Bool()
	a.Ready, a.After = ready(f.Get("next-when"))
	f.Done()
	return a
}

// ready reads when the next one goes.
func ready(n *Node) (ready bool, after sim.Time) {
	if !n.Given() || n.IsText() && n.text == "ready" {
		return true, 0
	}
	return false, n.Duration()
}

func (l *loader) restartKeys(f *Fields) Restart {
	var a Restart
	of := f.Get("of")
	a.Of, a.Brokers = l.nodeList(of)
	a.Down = f.Get("down").Span()
	a.Grace = grace(f.Get("grace"))
	a.LoadTime = wholeMillis(f.Get("load-takes"))
	a.Change = l.change(f, a.Brokers)
	return a
}

// change reads what processes have when they start again.
func (l *loader) change(f *Fields, brokers bool) (c Change) {
	table, whose := consumerSettings, "a consumer's"
	if brokers {
		table, whose = brokerSettings, "a broker's"
	}
	c.Config = readConfig(f.Get("config"), Config{}, table, whose)
	if k := f.Get("kafka"); k.Given() {
		c.Kafka, c.HasKafka = release(k), true
	}
	if t := f.Get("subscribe"); t.Given() {
		if brokers {
			t.Fail("", "brokers subscribe to nothing")
		}
		c.Topics, c.Pattern = l.subscription(t)
		c.Subscribes = true
	}
	return c
}

func (l *loader) deploy(n *Node, s *Step) Action {
	f := n.fields(deployShape)
	of, by := f.Get("of"), f.Get("by")
	a := Deploy{Of: l.memberList(of), By: l.memberList(by), Surge: 1, Grace: grace(f.Get("grace"))}
	if surge := f.Get("surge"); surge.Given() {
		a.Surge = int(surge.Int(1, MaxMembers))
	}
	a.Ready, a.After = ready(f.Get("next-when"))
	f.Done()
	for _, name := range a.By {
		if m := l.memberNamed(name); m != nil && !m.Never {
			by.Fail(fmt.Sprintf("give it start: never, on line %d", m.Pos.Line), "%s runs already", name)
		}
		if slices.Contains(a.Of, name) {
			by.Fail("", "%s cannot come in its own place", name)
		}
	}
	if len(a.By) < len(a.Of) {
		by.Fail(l.linesOf(a.Of, a.By), "%d members go, and only %d come", len(a.Of), len(a.By))
	}
	return a
}

// linesOf says where members are introduced: the first of each list.
func (l *loader) linesOf(lists ...[]string) string {
	var lines []string
	for _, names := range lists {
		if len(names) > 0 {
			if line := fmt.Sprintf("line %d", l.lines[names[0]]); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return "see " + strings.Join(lines, " and ")
}

func (l *loader) memberNamed(name string) *Member {
	if i := slices.IndexFunc(l.s.Members, func(m Member) bool { return m.Name == name }); i >= 0 {
		return &l.s.Members[i]
	}
	return nil
}

func (l *loader) scale(n *Node, s *Step) Action {
	f := n.fields(scaleShape)
	a := Scale{Of: l.memberList(f.Get("of")), Gap: f.Get("gap").Duration(), Grace: grace(f.Get("grace"))}
	to := f.Get("to")
	a.To = int(to.Int(0, MaxMembers))
	f.Done()
	if a.To > len(a.Of) && len(a.Of) > 0 {
		to.Fail("declare more, with start: never; "+l.linesOf(a.Of), "there are %d of them, not %d", len(a.Of), a.To)
	}
	return a
}

func (l *loader) freeze(n *Node, s *Step) Action {
	f := n.fields(forShape)
	a := Freeze{l.memberList(f.Get("of")), f.Get("for").Duration()}
	f.Done()
	return a
}

func (l *loader) slow(n *Node, s *Step) Action {
	f := n.fields(slowShape)
	a := Slow{l.memberList(f.Get("of")), wholeMillis(f.Get("for"))}
	f.Done()
	return a
}

func (l *loader) subscribe(n *Node, s *Step) Action {
	f := n.fields(subscribeShape)
	a := Subscribe{Members: l.memberList(f.Get("of"))}
	topics, pattern := f.Get("topics"), f.Get("pattern")
	f.Done()
	switch {
	case topics.Given() && pattern.Given():
		pattern.Fail("", "a subscription is to topics or to a pattern")
	case pattern.Given():
		a.Pattern = topicPattern(pattern)
	case topics.Given():
		a.Topics = l.topicList(topics)
	case n.IsMap():
		n.Fail("write topics or pattern; or unsubscribe: …", "this subscribes to nothing")
	}
	return a
}

func (l *loader) unsubscribe(n *Node, s *Step) Action { return Subscribe{Members: l.memberList(n)} }

func (l *loader) enforceRebalance(n *Node, s *Step) Action {
	if !n.IsMap() {
		return EnforceRebalance{Members: l.memberList(n)}
	}
	f := n.fields(enforceShape)
	a := EnforceRebalance{l.memberList(f.Get("of")), f.Get("reason").Text()}
	f.Done()
	return a
}

func (l *loader) commit(n *Node, s *Step) Action {
	if !n.IsMap() {
		return CommitNow{Members: l.memberList(n)}
	}
	f := n.fields(commitShape)
	a := CommitNow{l.memberList(f.Get("of")), f.Get("async").Bool()}
	f.Done()
	return a
}

// shareOf reads a share of messages, in thousandths; 0 if it is not given.
func shareOf(n *Node) int {
	return parsed(n, "a share", func(s string) (int, error) { return parseShare(s) })
}

func (l *loader) topic(n *Node) *Topic {
	name := n.Text()
	for i := range l.s.Topics {
		if l.s.Topics[i].Name == name {
			return &l.s.Topics[i]
		}
	}
	if name != "" {
		l.failUnknown(n, "topic", name, l.names.topics)
	}
	return nil
}

func (l *loader) createTopic(n *Node, s *Step) Action {
	if t := l.topic(n); t != nil && !t.Absent {
		n.Fail(fmt.Sprintf("give it created: never, on line %d", t.Pos.Line), "%s is there already", t.Name)
	}
	return CreateTopic{n.Text()}
}

func (l *loader) addPartitions(n *Node, s *Step) Action {
	f := n.fields(partitionsShape)
	t, to := l.topic(f.Get("topic")), f.Get("to")
	f.Done()
	a := AddPartitions{To: int32(to.Int(2, MaxPartitions))}
	if t == nil {
		return a
	}
	if a.To <= t.Most && to.IsText() {
		to.Fail(fmt.Sprintf("see line %d", t.Pos.Line), "%s has %d partitions already", t.Name, t.Most)
	}
	a.Topic, t.Most = t.Name, max(t.Most, a.To)
	return a
}

func (l *loader) deleteTopic(n *Node, s *Step) Action {
	l.topic(n)
	return DeleteTopic{n.Text()}
}

// wholeMillis reads a length of time that a clock of Kafka's can measure.
func wholeMillis(n *Node) sim.Time {
	d := n.Duration()
	if d%sim.Millisecond != 0 {
		n.Fail("", "%s must be a whole number of milliseconds, not %s", n.label, strings.TrimSpace(n.text))
	}
	return d
}
