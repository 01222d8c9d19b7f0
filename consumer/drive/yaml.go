package drive

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

// maxScript bounds a script's text, in bytes.
const maxScript = 256 << 10

// place is where something stands in a script.
type place struct {
	file         string
	line, column int
}

// wrong is an error about something in a script: "file:line:column: what is wrong".
func (p place) wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", p.file, p.line, p.column, fmt.Sprintf(format, args...))
}

// reader reads a script's YAML and keeps the first thing that is wrong with it.
type reader struct {
	file string
	err  error
}

func (r *reader) at(n *yaml.Node) place { return place{r.file, max(n.Line, 1), max(n.Column, 1)} }

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	if r.err == nil {
		r.err = r.at(n).wrong(format, args...)
	}
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// document is the one document of a script.
func (r *reader) document(text []byte) *yaml.Node {
	doc := yaml.Node{}
	if len(text) > maxScript {
		r.fail(&doc, "a script has at most %d KiB, not %d", maxScript>>10, len(text)>>10)
		return &doc
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0 {
		r.fail(&doc, "the script is empty")
		return &doc
	}
	if err == nil {
		var next yaml.Node
		if err = d.Decode(&next); err == nil {
			r.fail(&next, "a script is one document; here begins a second one")
		}
	}
	if !errors.Is(err, io.EOF) && err != nil {
		at, what := yaml.Node{}, strings.TrimPrefix(err.Error(), "yaml: ")
		if m := yamlLine.FindStringSubmatch(what); m != nil {
			at.Line, _ = strconv.Atoi(m[1])
			what = strings.Replace(what, m[0], "", 1)
		}
		r.fail(&at, "this is not YAML: %s", what)
		return &doc
	}
	return doc.Content[0]
}

// each calls f for every key of a mapping, each of which may stand there once.
func (r *reader) each(n *yaml.Node, what string, f func(key string, at, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s is a map of keys to values", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.fail(k, "a key is a word")
		case seen[k.Value]:
			r.fail(k, "%q stands here twice", k.Value)
		default:
			seen[k.Value] = true
			f(k.Value, k, n.Content[i+1])
		}
	}
}

func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "%s is a list", what)
		return nil
	}
	return n.Content
}

func (r *reader) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fail(n, "%s is a word", what)
		return ""
	}
	return n.Value
}

func (r *reader) number(n *yaml.Node, what string, low, high int64) int64 {
	v, err := strconv.ParseInt(r.text(n, what), 10, 64)
	if err != nil || v < low || v > high {
		r.fail(n, "%s is a whole number from %d to %d, not %q", what, low, high, n.Value)
	}
	return v
}

func (r *reader) flag(n *yaml.Node, what string) bool {
	v := r.text(n, what)
	if v != "true" && v != "false" {
		r.fail(n, "%s is true or false, not %q", what, v)
	}
	return v == "true"
}

func (r *reader) millis(n *yaml.Node, what string) int64 {
	text := r.text(n, what)
	if v, err := strconv.ParseInt(text, 10, 64); err == nil && v >= 0 && v <= 1<<31-1 {
		return v
	}
	ms, err := millis(text)
	if err != nil {
		r.fail(n, "%s: %s", what, err)
	}
	return ms
}

// unknown says what is probably meant by a key that there is not.
func (r *reader) unknown(at *yaml.Node, known ...string) {
	hint := "write one of " + strings.Join(known, ", ")
	if best := nearest(at.Value, known); best != "" {
		hint = fmt.Sprintf("did you mean %q?", best)
	}
	r.fail(at, "unknown key %q (%s)", at.Value, hint)
}

// nearest is the known name that is most like a wrong one, "" if none is.
func nearest(name string, known []string) string {
	best, least := "", len(name)/2+1
	for _, k := range known {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to change, add or leave out.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, last+1)
		}
	}
	return row[len(b)]
}
