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

// maxScript bounds a script's size, before anything is parsed.
const maxScript = 256 << 10

// problem is what is wrong with a script, and where.
type problem struct {
	file         string
	line, column int
	text         string
}

// Error is "file:line:column: what is wrong".
func (p *problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.file, p.line, p.column, p.text)
}

// reader reads a YAML document strictly and stops at the first thing that is wrong:
// its methods panic with a *problem, which parse catches.
type reader struct{ file string }

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	line, column := 1, 1
	if n != nil && n.Line > 0 {
		line, column = n.Line, n.Column
	}
	panic(&problem{r.file, line, column, fmt.Sprintf(format, args...)})
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// document parses the text to its one document.
func (r *reader) document(text []byte) *yaml.Node {
	if len(text) > maxScript {
		r.fail(nil, "a script has at most %d KiB, not %d", maxScript>>10, len(text)>>10)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0 {
		r.fail(nil, "the script is empty")
	}
	if err == nil {
		var next yaml.Node
		if more := d.Decode(&next); !errors.Is(more, io.EOF) {
			if err = more; err == nil {
				r.fail(&next, "a script is one document; here begins a second one")
			}
		}
	}
	if err != nil {
		n := &yaml.Node{Line: 1, Column: 1}
		what := strings.TrimPrefix(err.Error(), "yaml: ")
		if m := yamlLine.FindStringSubmatch(what); m != nil {
			n.Line, _ = strconv.Atoi(m[1])
			what = strings.Replace(what, m[0], "", 1)
		}
		r.fail(n, "this is not YAML: %s", what)
	}
	return doc.Content[0]
}

// field is a key of a mapping and its value.
type field struct {
	name       string
	key, value *yaml.Node
	taken      bool
}

// fields are the keys of a mapping, in order.
type fields struct {
	r    *reader
	node *yaml.Node
	list []field
}

func (r *reader) mapping(n *yaml.Node, what string) *fields {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s is a mapping of keys to values", what)
	}
	f := &fields{r: r, node: n}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode {
			r.fail(k, "a key is a word")
		}
		for j := range f.list {
			if f.list[j].name == k.Value {
				r.fail(k, "%q stands here twice", k.Value)
			}
		}
		f.list = append(f.list, field{name: k.Value, key: k, value: n.Content[i+1]})
	}
	return f
}

// take gives the value of a key, nil if it is not there.
func (f *fields) take(name string) *yaml.Node {
	for i := range f.list {
		if f.list[i].name == name {
			f.list[i].taken = true
			return f.list[i].value
		}
	}
	return nil
}

// done fails at the first key that nobody took.
func (f *fields) done(known ...string) {
	for i := range f.list {
		if !f.list[i].taken {
			hint := ""
			if best := nearest(f.list[i].name, known); best != "" {
				hint = fmt.Sprintf("; is %q meant?", best)
			}
			f.r.fail(f.list[i].key, "%q is not a key here%s", f.list[i].name, hint)
		}
	}
}

func (r *reader) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fail(n, "%s is a word", what)
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
	if v := r.text(n, what); v != "true" && v != "false" {
		r.fail(n, "%s is true or false, not %q", what, v)
	}
	return n.Value == "true"
}

var durationText = regexp.MustCompile(`^(\d{1,12})(ms|s|m|h|d)?$`)

// millis reads a duration: "500ms", "3s", "5m", "1h", "7d", or milliseconds.
func (r *reader) millis(n *yaml.Node, what string) int64 {
	m := durationText.FindStringSubmatch(r.text(n, what))
	if m == nil {
		r.fail(n, "%s is a duration like 500ms, 3s, 5m, 1h or 7d, not %q", what, n.Value)
	}
	v, _ := strconv.ParseInt(m[1], 10, 64)
	switch m[2] {
	case "s":
		v *= 1000
	case "m":
		v *= 60_000
	case "h":
		v *= 3_600_000
	case "d":
		v *= 86_400_000
	}
	if v > maxMillis {
		r.fail(n, "%s is longer than 100 years", what)
	}
	return v
}

const maxMillis = 100 * 365 * 86_400_000

func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "%s is a list", what)
	}
	return n.Content
}

// nearest is the known name that is most like a wrong one, "" if none is.
func nearest(name string, known []string) string {
	best, at := "", len(name)/2+1
	for _, k := range known {
		if d := distance(name, k); d < at {
			best, at = k, d
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
