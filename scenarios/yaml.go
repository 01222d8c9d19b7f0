package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/sim"
)

// Limits of a file, so that a hostile one costs nothing.
const (
	MaxSize  = 256 << 10 // bytes
	MaxDepth = 32        // maps and lists within each other
)

// Node is a value of a YAML file: a text, a list or a map. A nil Node is a value that
// is not there.
//
// The methods that read a value give its zero value if it is absent or wrong; what is
// wrong is collected and given by Err. So a loader reads straight through, and its
// user is told of ten mistakes at once.
//
// Texts are read as they stand. What a general YAML reader makes of them (that no is
// false, 1:30 is 90, and 0.10 is 0.1) plays no part, except that names which such a
// reader would take for something else must be quoted.
type Node struct {
	doc *document
	// Pos is where the value stands.
	Pos   Pos
	label string // the key that it is the value of
	kind  nodeKind
	text  string
	plain bool // not quoted
	keys  []*Node
	items []*Node
}

type nodeKind uint8

const (
	textNode nodeKind = iota
	emptyNode
	listNode
	mapNode
)

// Entry is a key of a map with its value.
type Entry struct{ Key, Value *Node }

// ReadYAML reads one document. The subset is small: no anchors, aliases, merge keys,
// tags or second documents, each key once, no tabs, at most MaxSize bytes before the last
// comments, and MaxDepth levels. File is what messages call it.
func ReadYAML(file string, text []byte) (*Node, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	doc := &document{file: file, text: text, lines: 1 + bytes.Count(text, []byte("\n"))}
	if len(text) > MaxSize {
		text = withoutLastComments(text)
	}
	if !doc.checkText(text) {
		return nil, doc.err()
	}
	first, second, err := parse(text)
	if err != nil {
		doc.explain(text, err)
		return nil, doc.err()
	}
	if first == nil || len(first.Content) == 0 {
		doc.fail(Pos{1, 1}, "there is nothing in the file", "")
		return nil, doc.err()
	}
	if second != nil {
		doc.fail(Pos{second.Line, 1}, "a second document begins here", "a file has one: leave out the \"---\"")
	}
	root := doc.convert(first.Content[0], "the file", 1)
	if err := doc.err(); err != nil {
		return nil, err
	}
	return root, nil
}

// withoutLastComments is a text up to the comments at its end, which cost nothing: a saved
// run has there what chance said, and that may be much.
func withoutLastComments(text []byte) []byte {
	end := len(text)
	for end > 0 {
		begin := bytes.LastIndexByte(text[:end-1], '\n') + 1
		if line := bytes.TrimSpace(text[begin:end]); len(line) > 0 && line[0] != '#' {
			break
		}
		end = begin
	}
	return text[:end]
}

// parse calls the parser, which is not meant for hostile input: should it panic, the
// file is refused like any other that it cannot read.
func parse(text []byte) (first, second *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	first = new(yaml.Node)
	switch err := dec.Decode(first); {
	case errors.Is(err, io.EOF):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	second = new(yaml.Node)
	switch err := dec.Decode(second); {
	case errors.Is(err, io.EOF):
		return first, nil, nil
	case err != nil:
		return nil, nil, err
	}
	return first, second, nil
}

// convert turns the parser's tree into Nodes and refuses what is not in the subset.
func (d *document) convert(y *yaml.Node, label string, depth int) *Node {
	// A value that is missing at the end of the text is placed behind it.
	line := min(y.Line, d.lines)
	n := &Node{doc: d, Pos: Pos{line, y.Column}, label: label}
	switch {
	case d.full():
		return n
	case y.Kind == yaml.AliasNode || y.Anchor != "":
		d.fail(n.Pos, "anchors (&name) and aliases (*name) are not read here",
			`write the value out; a text that begins with "*" or "&" needs quotes`)
		return n
	case y.Style&yaml.TaggedStyle != 0:
		d.fail(n.Pos, "tags (!name) are not read here", `a text that begins with "!" needs quotes`)
		return n
	case depth > MaxDepth:
		d.fail(n.Pos, fmt.Sprintf("more than %d maps and lists within each other", MaxDepth), "")
		return n
	}
	switch y.Kind {
	case yaml.ScalarNode:
		n.text, n.plain = y.Value, y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
		if n.plain && (n.text == "" || n.text == "~" || n.text == "null") {
			n.kind = emptyNode
		}
	case yaml.SequenceNode:
		n.kind = listNode
		for _, c := range y.Content {
			n.items = append(n.items, d.convert(c, label, depth+1))
		}
	case yaml.MappingNode:
		n.kind = mapNode
		lines := make(map[string]int, len(y.Content)/2)
		for i := 0; i+1 < len(y.Content); i += 2 {
			key := d.convert(y.Content[i], label, depth+1)
			if key.kind > emptyNode {
				d.fail(key.Pos, "a key must be a text, not "+key.describe(),
					`a text that begins with "{" or "[" needs quotes`)
			} else if key.plain && key.text == "<<" {
				d.fail(key.Pos, "merge keys (<<) are not read here", "write the keys out")
			} else if line, twice := lines[key.text]; twice {
				d.fail(key.Pos, fmt.Sprintf("%q is given twice", key.text), fmt.Sprintf("first on line %d", line))
			}
			lines[key.text] = key.Pos.Line
			n.keys = append(n.keys, key)
			n.items = append(n.items, d.convert(y.Content[i+1], key.text, depth+1))
		}
	}
	return n
}

// Err is what has been found wrong so far in the whole file: nil or Errors.
func (n *Node) Err() error { return n.doc.err() }

// Fail notes that something is wrong with the value. Hint may be "".
func (n *Node) Fail(hint, problem string, args ...any) {
	if n != nil {
		n.doc.fail(n.Pos, fmt.Sprintf(problem, args...), hint)
	}
}

// Given reports whether the value is there.
func (n *Node) Given() bool { return n != nil }

// IsText, IsList and IsMap report what the value is.
func (n *Node) IsText() bool { return n != nil && n.kind == textNode }

// IsList reports whether the value is a list.
func (n *Node) IsList() bool { return n != nil && n.kind == listNode }

// IsMap reports whether the value is a map.
func (n *Node) IsMap() bool { return n != nil && n.kind == mapNode }

func (n *Node) describe() string {
	switch n.kind {
	case emptyNode:
		return "nothing"
	case listNode:
		return "a list"
	case mapNode:
		return "a map"
	}
	return strconv.Quote(clip(n.text))
}

// want notes that the value is not what it should be.
func (n *Node) want(what, hint string) {
	if n.kind == emptyNode {
		n.Fail(hint, "%s has no value: it wants %s", n.label, what)
	} else {
		n.Fail(hint, "%s wants %s, not %s", n.label, what, n.describe())
	}
}

// Text is the value as a text.
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	if n.kind != textNode {
		n.want("a text", "")
		return ""
	}
	return n.text
}

// parsed reads a text by a grammar of units.go.
func parsed[T any](n *Node, what string, grammar func(string) (T, error)) (v T) {
	if n == nil {
		return v
	}
	if n.kind != textNode {
		n.want(what, "")
		return v
	}
	v, err := grammar(n.text)
	if err != nil {
		problem, hint, _ := strings.Cut(err.Error(), "\n")
		n.Fail(hint, "%s", problem)
	}
	return v
}

// Int is the value as a whole number from low to high.
func (n *Node) Int(low, high int64) int64 {
	v := parsed(n, "a whole number", parseInt)
	if n.IsText() && (v < low || v > high) {
		n.Fail("", "%s must be from %d to %d, not %s", n.label, low, high, clip(n.text))
		return low
	}
	return v
}

// Bool is the value as true or false.
func (n *Node) Bool() bool { return parsed(n, "true or false", parseBool) }

// Duration is the value as a length of time: 250ms, 1m30s.
func (n *Node) Duration() sim.Time { return parsed(n, "a length of time", parseDuration) }

// Span is the value as a length of time, or a range of them: 8s..15s.
func (n *Node) Span() Span { return parsed(n, "a length of time or a range", parseSpan) }

// OneOf is the value as one of the words, "" if it is none.
func (n *Node) OneOf(words ...string) string {
	if n == nil {
		return ""
	}
	if n.kind != textNode {
		n.want("one of "+strings.Join(words, ", "), "")
		return ""
	}
	if !slices.Contains(words, n.text) {
		hint := didYouMean(n.text, words)
		n.Fail(hint, "%s is %s, not %q", n.label, oneOf(words), clip(n.text))
		return ""
	}
	return n.text
}

// List is the value as a list. A single text is a list of one.
func (n *Node) List() []*Node {
	switch {
	case n == nil:
		return nil
	case n.kind == listNode:
		return n.items
	case n.kind == textNode:
		return []*Node{n}
	}
	n.want("a list", "write [a, b]")
	return nil
}

// Entries is the value as a map from names to something, in the order of the file.
func (n *Node) Entries() []Entry {
	if n == nil || n.kind == emptyNode {
		return nil
	}
	if n.kind != mapNode {
		n.want("a map", "write {key: value}")
		return nil
	}
	list := make([]Entry, len(n.keys))
	for i := range n.keys {
		list[i] = Entry{n.keys[i], n.items[i]}
	}
	return list
}

// Fields reads a map with known keys: Get the value of each, then Done.
type Fields struct {
	node  *Node
	shape *shape // of the language; nil: keys are known by being asked for
	known []string
}

// Fields is the value as a map with known keys. Nothing at all counts as an empty
// map.
func (n *Node) Fields() *Fields { return n.fields(nil) }

// fields is the value as a map of a shape of the language. A key that is not asked for
// is not known here, though the shape may have it.
func (n *Node) fields(s *shape) *Fields {
	n.Entries() // for its complaint
	return &Fields{node: n, shape: s}
}

// Get gives the value of a key, nil if it is not there. A key that the shape does not
// have never is.
func (f *Fields) Get(key string) *Node {
	if f.shape != nil {
		k := f.shape.find(key)
		if k == nil {
			return nil
		}
		if k.need {
			return f.Need(key)
		}
	}
	f.known = append(f.known, key)
	return f.node.find(key)
}

// Need gives the value of a key that must be there.
func (f *Fields) Need(key string) *Node {
	f.known = append(f.known, key)
	v := f.node.find(key)
	if v == nil && f.node.IsMap() {
		f.node.Fail(f.node.doc.inComment(key), "%s lacks the key %q", f.node.label, key)
	}
	return v
}

func (n *Node) find(key string) *Node {
	if n == nil {
		return nil
	}
	for i, k := range n.keys {
		if k.text == key && k.kind == textNode {
			return n.items[i]
		}
	}
	return nil
}

// Done notes every key that nobody asked for.
func (f *Fields) Done() {
	if f.node == nil {
		return
	}
	for i, k := range f.node.keys {
		switch {
		case k.kind == textNode && slices.Contains(f.known, k.text):
		case f.aside(k):
		case f.node.doc.full():
			return
		default:
			f.unknown(k, f.node.items[i])
		}
	}
}

// aside notes a key of which it is known what people mean by it.
func (f *Fields) aside(k *Node) bool {
	if f.shape == nil {
		return false
	}
	i := slices.IndexFunc(f.shape.asides, func(a aside) bool { return a.name == k.text })
	if i < 0 {
		return false
	}
	if a := &f.shape.asides[i]; a.yet != "" {
		k.Fail(a.instead, "not yet: %s", a.yet)
	} else {
		k.Fail(a.instead, "unknown key %q", k.text)
	}
	return true
}

func (f *Fields) unknown(k, value *Node) {
	hint := didYouMean(k.text, f.known)
	if name, _, ok := strings.Cut(k.text, ":"); ok && value.kind == emptyNode && slices.Contains(f.known, name) {
		hint = fmt.Sprintf("write a space after the colon of %q", name)
	}
	if hint == "" {
		hint = "known: " + some(f.known)
	}
	k.Fail(hint, "unknown key %q", clip(k.text))
}

// some lists names, but not more than can be read.
func some(names []string) string {
	const most = 40
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most/4], ", "), len(names)-most/4)
	}
	return strings.Join(names, ", ")
}

// clip keeps a text that is quoted in a message short.
func clip(s string) string {
	const most = 60
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
