package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

// varied are the keys of a program that Vary takes, beside Kafka's settings.
var varied = []string{"poll", "batch", "per-batch", "commit", "on-stop", "on-throw"}

// Vary is the scenario with one thing set otherwise for all whom it concerns: a setting
// under Kafka's name, of all members or of all brokers; a key of the members' program or habits;
// or kafka, the releases. "unset" takes a setting away, {name} is the member's name. The
// value is written as in a file, a list in brackets. The scenario itself stays as it is.
func (s *Scenario) Vary(key, value string) (*Scenario, error) {
	c := *s
	if key == "kafka" {
		kafka, err := s.Releases(strings.Trim(value, "[]"))
		c.Kafka = kafka
		return &c, err
	}
	n := pair(key, value)
	switch {
	case slices.Contains(varied, key):
		l := loader{s: &c}
		c.Members = slices.Clone(s.Members)
		for i := range c.Members {
			l.program(n, &c.Members[i].Program)
		}
	case habitsShape.find(key) != nil:
		c.Members = slices.Clone(s.Members)
		for i := range c.Members {
			readHabits(n, &c.Members[i].Habits)
		}
	case slices.ContainsFunc(brokerSettings, func(x settingSpec) bool { return x.name == key }):
		c.Brokers = slices.Clone(s.Brokers)
		for i := range c.Brokers {
			c.Brokers[i].Config = readConfig(n, s.Brokers[i].Config, brokerSettings, "a broker's")
		}
	case slices.ContainsFunc(consumerSettings, func(x settingSpec) bool { return x.name == key }):
		c.Members = slices.Clone(s.Members)
		for i := range c.Members {
			m := &c.Members[i]
			m.Config = readConfig(n, m.Config, consumerSettings, "a consumer's").named(m.Name)
		}
	default:
		unknownVaried(n, key)
	}
	return &c, n.Err()
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
func unknownVaried(n *Node, key string) {
	known := append([]string{"kafka"}, varied...)
	for _, k := range habitsShape.keys {
		known = append(known, k.name)
	}
	for _, table := range [][]settingSpec{consumerSettings, brokerSettings} {
		for _, x := range table {
			known = append(known, x.name)
		}
	}
	for _, p := range noPart {
		if key == p.name || strings.HasSuffix(p.name, ".") && strings.HasPrefix(key, p.name) {
			n.keys[0].Fail(p.hint, "%s plays no part in a simulation", key)
			return
		}
	}
	hint := didYouMean(key, known)
	if hint == "" {
		hint = fmt.Sprintf("a setting of a consumer or a broker by Kafka's name, or one of kafka, %s", strings.Join(varied, ", "))
	}
	n.keys[0].Fail(hint, "there is no setting %q", clip(key))
}
