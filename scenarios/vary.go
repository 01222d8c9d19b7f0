package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

// Vary is the scenario with one thing set otherwise for all whom it concerns: a setting
// under Kafka's name, of all members or of all brokers; a key of the members' program
// or habits; latency, rate or partitions; what steps of the timeline say, as down; or
// kafka, the releases. "unset" takes a setting away, {name} is the member's name. The
// value is written as in a file, a list in brackets. The scenario itself stays as it is.
func (s *Scenario) Vary(key, value string) (*Scenario, error) {
	c := s.clone()
	if key == "kafka" {
		kafka, err := s.Releases(strings.Trim(value, "[]"))
		c.Kafka = kafka
		return c, err
	}
	n := pair(key, value)
	l := &loader{s: c}
	l.setOne(n.keys[0], n.items[0])
	return c, n.Err()
}

// clone is a copy in which whatever a variant sets can be set.
func (s *Scenario) clone() *Scenario {
	c := *s
	c.Members, c.Brokers = slices.Clone(s.Members), slices.Clone(s.Brokers)
	c.Topics, c.Timeline = slices.Clone(s.Topics), slices.Clone(s.Timeline)
	return &c
}

// ofScenario are what can be set of the scenario itself.
var ofScenario = []key{
	{"latency", spanValue, false, "What a message takes one way."},
	{"rate", rateValue, false, "Records that are written to each topic."},
	{"partitions", numberValue{1, MaxPartitions}, false, "How many each topic has."},
}

// setOne sets one thing for all whom it concerns.
func (l *loader) setOne(key, v *Node) {
	one := &Node{doc: key.doc, Pos: key.Pos, label: key.text, kind: mapNode, keys: []*Node{key}, items: []*Node{v}}
	switch name := key.text; {
	case name == "latency":
		l.s.Latency = v.Span()
	case name == "rate":
		rate := parsed(v, "a rate", parseRate)
		for i := range l.s.Topics {
			l.s.Topics[i].Rate = rate
		}
	case name == "partitions":
		l.setPartitions(v)
	case programShape.find(name) != nil:
		l.setProgram(one)
	case habitsShape.find(name) != nil:
		l.setHabits(one)
	case isSetting(name, brokerSettings) || isSetting(name, consumerSettings):
		l.setConfig(one)
	default:
		if i := parameterNamed(name); i >= 0 {
			l.setParameter(i, key, v)
			return
		}
		unknownVaried(key)
	}
}

func isSetting(name string, table []settingSpec) bool {
	return slices.ContainsFunc(table, func(x settingSpec) bool { return x.name == name })
}

func parameterNamed(name string) int {
	for i := range parameters {
		if parameters[i].name == name {
			return i
		}
	}
	return -1
}

func (l *loader) setPartitions(n *Node) {
	count := int32(n.Int(1, MaxPartitions/int64(max(1, len(l.s.Topics)))))
	for i := range l.s.Topics {
		t := &l.s.Topics[i]
		if t.Most != t.Partitions {
			n.Fail("", "the timeline gives %s partitions, so there is no other number of them", t.Name)
		}
		t.Partitions, t.Most = count, count
	}
}

func (l *loader) setProgram(n *Node) {
	for i := range l.s.Members {
		l.program(n, &l.s.Members[i].Program)
	}
}

func (l *loader) setHabits(n *Node) {
	for i := range l.s.Members {
		readHabits(n, &l.s.Members[i].Habits)
	}
}

// setConfig sets settings of all members and of all brokers: a name is one of the ones or
// of the others.
func (l *loader) setConfig(n *Node) {
	ofBrokers, ofMembers := *n, *n
	ofBrokers.keys, ofBrokers.items, ofMembers.keys, ofMembers.items = nil, nil, nil, nil
	for _, e := range n.Entries() {
		of := &ofMembers
		if isSetting(e.Key.text, brokerSettings) {
			of = &ofBrokers
		}
		of.keys, of.items = append(of.keys, e.Key), append(of.items, e.Value)
	}
	if len(ofBrokers.keys) > 0 {
		for i := range l.s.Brokers {
			b := &l.s.Brokers[i]
			b.Config = readConfig(&ofBrokers, b.Config, brokerSettings, "a broker's")
		}
	}
	if len(ofMembers.keys) > 0 {
		for i := range l.s.Members {
			m := &l.s.Members[i]
			m.Config = readConfig(&ofMembers, m.Config, consumerSettings, "a consumer's").named(m.Name)
		}
	}
}

// pair is a map with one key, as if a file had it.
func pair(key, value string) *Node {
	doc := &document{file: key + "=" + value, lines: 1}
	text := func(s string) *Node { return &Node{doc: doc, label: key, text: s} }
	v := text(value)
	if inner, ok := strings.CutPrefix(value, "["); ok && strings.HasSuffix(inner, "]") {
		v.kind = listNode
		for _, item := range strings.Split(strings.TrimSuffix(inner, "]"), ",") {
			v.items = append(v.items, text(strings.TrimSpace(item)))
		}
	}
	return &Node{doc: doc, label: key, kind: mapNode, keys: []*Node{text(key)}, items: []*Node{v}}
}

// unknownVaried says what was probably meant by a key that cannot be varied.
func unknownVaried(k *Node) {
	for _, p := range noPart {
		if k.text == p.name || strings.HasSuffix(p.name, ".") && strings.HasPrefix(k.text, p.name) {
			k.Fail(p.hint, "%s plays no part in a simulation", k.text)
			return
		}
	}
	own := ownVaried()
	hint := didYouMean(k.text, Varied())
	if hint == "" {
		hint = fmt.Sprintf("a setting of a consumer or a broker by Kafka's name, or one of %s", strings.Join(own, ", "))
	}
	k.Fail(hint, "there is no setting %q", clip(k.text))
}

// Varied are the keys that Vary takes, those of settings last.
func Varied() []string {
	names := ownVaried()
	for _, table := range [][]settingSpec{consumerSettings, brokerSettings} {
		for _, x := range table {
			names = append(names, x.name)
		}
	}
	return names
}

// ownVaried are the keys that Vary takes and that are no settings of Kafka's.
func ownVaried() []string {
	names := []string{"kafka"}
	for _, list := range [][]key{ofScenario, programShape.keys, habitsShape.keys} {
		for _, k := range list {
			names = append(names, k.name)
		}
	}
	for _, p := range parameters {
		names = append(names, p.name)
	}
	return names
}
