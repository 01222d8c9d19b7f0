// Package script reads the small YAML files that drive one coordinator or one client: one
// document, strictly, with the place of whatever is wrong in it. It also knows which name
// was probably meant by one that is not known, for scripts and scenarios alike.
package script

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// MaxSize bounds a script's text, in bytes, before anything is parsed.
const MaxSize = 256 << 10

// Place is where something stands in a script.
type Place struct {
	File         string
	Line, Column int
}

// Wrong is an error about something in a script: "file:line:column: what is wrong".
func (p Place) Wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", p.File, p.Line, p.Column, fmt.Sprintf(format, args...))
}

// Reader reads the values of a script. What is wrong is told to Fail, which may panic or
// note it and return; then the Reader goes on with an empty value.
type Reader struct {
	File string
	Fail func(at *yaml.Node, format string, args ...any)
}

// At is the place of a value; nil is that of the script.
func (r *Reader) At(n *yaml.Node) Place {
	if n == nil {
		return Place{r.File, 1, 1}
	}
	return Place{r.File, max(n.Line, 1), max(n.Column, 1)}
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// Document is the one document of a script.
func (r *Reader) Document(text []byte) *yaml.Node {
	none := &yaml.Node{}
	if len(text) > MaxSize {
		r.Fail(nil, "a script has at most %d KiB, not %d", MaxSize>>10, len(text)>>10)
		return none
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0 {
		r.Fail(nil, "the script is empty")
		return none
	}
	if err == nil {
		if err = d.Decode(&next); err == nil {
			r.Fail(&next, "a script is one document; here begins a second one")
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		at, what := yaml.Node{}, strings.TrimPrefix(err.Error(), "yaml: ")
		if m := yamlLine.FindStringSubmatch(what); m != nil {
			at.Line, _ = strconv.Atoi(m[1])
			what = strings.Replace(what, m[0], "", 1)
		}
		r.Fail(&at, "this is not YAML: %s", what)
		return none
	}
	return doc.Content[0]
}

// Field is a key of a map and its value.
type Field struct {
	Name       string
	Key, Value *yaml.Node
}

// Fields are the keys of a map, in order; each may stand there once.
func (r *Reader) Fields(n *yaml.Node, what string) (list []Field) {
	if n.Kind != yaml.MappingNode {
		r.Fail(n, "%s is a map of keys to values", what)
		return nil
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.Fail(k, "a key is a word")
		case seen[k.Value]:
			r.Fail(k, "%q stands here twice", k.Value)
		default:
			seen[k.Value] = true
			list = append(list, Field{k.Value, k, n.Content[i+1]})
		}
	}
	return list
}

// Unknown says what is probably meant by a key that there is not.
func (r *Reader) Unknown(key *yaml.Node, known []string) {
	hint := "write one of " + strings.Join(known, ", ")
	if best := Nearest(key.Value, known); best != "" {
		hint = fmt.Sprintf("did you mean %q?", best)
	}
	r.Fail(key, "unknown key %q (%s)", key.Value, hint)
}

// List is the entries of a list.
func (r *Reader) List(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		r.Fail(n, "%s is a list", what)
		return nil
	}
	return n.Content
}

// Text is a word.
func (r *Reader) Text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.Fail(n, "%s is a word", what)
		return ""
	}
	return n.Value
}

// Number is a whole number.
func (r *Reader) Number(n *yaml.Node, what string, low, high int64) int64 {
	v, err := strconv.ParseInt(r.Text(n, what), 10, 64)
	if err != nil || v < low || v > high {
		r.Fail(n, "%s is a whole number from %d to %d, not %q", what, low, high, n.Value)
		return low
	}
	return v
}

// Flag is true or false.
func (r *Reader) Flag(n *yaml.Node, what string) bool {
	v := r.Text(n, what)
	if v != "true" && v != "false" {
		r.Fail(n, "%s is true or false, not %q", what, v)
	}
	return v == "true"
}
