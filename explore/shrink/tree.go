package shrink

import (
	"strings"

	"gopkg.in/yaml.v3"
)

func clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = clone(child)
	}
	return &c
}

// uncomment takes all comments away: they speak of the run that the file was written for.
func uncomment(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, child := range n.Content {
		uncomment(child)
	}
}

// same reports whether two trees say the same.
func same(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Value != b.Value || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// find is the value of a key in a map, nil if there is none.
func find(m *yaml.Node, key string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// set gives a key of a map a value.
func set(m *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content[i+1] = value
			return
		}
	}
	m.Content = append(m.Content, text(key), value)
}

func text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// width is how many nodes an entry of a map or list takes in its Content.
func width(n *yaml.Node) int {
	if n.Kind == yaml.MappingNode {
		return 2
	}
	return 1
}

// entriesOf counts the entries of a map or list.
func entriesOf(n *yaml.Node) int {
	if n == nil || n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return 0
	}
	return len(n.Content) / width(n)
}

// keep leaves those entries of a map or list that are wanted.
func keep(n *yaml.Node, wanted func(i int) bool) {
	w := width(n)
	var left []*yaml.Node
	for i := range entriesOf(n) {
		if wanted(i) {
			left = append(left, n.Content[i*w:(i+1)*w]...)
		}
	}
	n.Content = left
}

// members counts the members, patterns as what they stand for.
func members(root *yaml.Node) (count int) {
	m := find(root, "members")
	for i := range entriesOf(m) {
		lo, hi, ok := bounds(m.Content[2*i].Value)
		if count++; ok {
			count += hi - lo
		}
	}
	return count
}

// without takes away a member, broker or topic and all that refers to it.
func without(root *yaml.Node, name string) {
	if formed := find(find(root, "start"), "formed"); formed != nil {
		relead(root, formed, name)
	}
	drop(root, name)
}

// relead lets another member lead in place of the one that goes.
func relead(root, formed *yaml.Node, gone string) {
	leader := find(formed, "leader")
	if leader == nil || leader.Value != gone {
		return
	}
	all := find(root, "members")
	for i := range entriesOf(all) {
		if name := all.Content[2*i].Value; name != gone {
			leader.Value = name
			return
		}
	}
}

// drop takes what refers to a name out of a tree, and reports whether that leaves nothing
// that could stand alone. An entry of a list goes as a whole.
func drop(n *yaml.Node, name string) (gone bool) {
	switch n.Kind {
	case yaml.ScalarNode:
		return refersTo(n.Value, name)
	case yaml.SequenceNode:
		was := entriesOf(n)
		keep(n, func(i int) bool { return !drop(n.Content[i], name) })
		return was > 0 && len(n.Content) == 0
	case yaml.MappingNode:
		was, lost := entriesOf(n), false
		keep(n, func(i int) bool {
			key, value := n.Content[2*i], n.Content[2*i+1]
			if refersTo(key.Value, name) {
				return false
			}
			if drop(value, name) {
				lost = true
			}
			return true
		})
		return lost || was > 0 && len(n.Content) == 0
	}
	return false
}

// refersTo reports whether a text is a name or that of an event of its.
func refersTo(s, name string) bool {
	return s == name || strings.HasPrefix(s, name+".") || strings.HasSuffix(s, "->"+name) || strings.HasPrefix(s, name+"->")
}
