package drive

import (
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/protocol/script"
)

// problem is what is wrong with a script.
type problem struct{ error }

// reader reads a YAML document strictly and stops at the first thing that is wrong: its
// methods panic with a problem, which parse catches.
type reader struct{ script.Reader }

func newReader(file string) *reader {
	r := &reader{script.Reader{File: file}}
	r.Fail = func(n *yaml.Node, format string, args ...any) {
		panic(problem{r.At(n).Wrong(format, args...)})
	}
	return r
}

// field is a key of a map and its value.
type field struct {
	name       string
	key, value *yaml.Node
	taken      bool
}

// fields are the keys of a map, in order.
type fields struct {
	r    *reader
	node *yaml.Node
	list []field
}

func (r *reader) mapping(n *yaml.Node, what string) *fields {
	f := &fields{r: r, node: n}
	for _, x := range r.Fields(n, what) {
		f.list = append(f.list, field{name: x.Name, key: x.Key, value: x.Value})
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
			f.r.Unknown(f.list[i].key, known)
		}
	}
}

var durationText = regexp.MustCompile(`^(\d{1,12})(ms|s|m|h|d)?$`)

// millis reads a duration: "500ms", "3s", "5m", "1h", "7d", or milliseconds.
func (r *reader) millis(n *yaml.Node, what string) int64 {
	m := durationText.FindStringSubmatch(r.Text(n, what))
	if m == nil {
		r.Fail(n, "%s is a duration like 500ms, 3s, 5m, 1h or 7d, not %q", what, n.Value)
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
		r.Fail(n, "%s is longer than 100 years", what)
	}
	return v
}

const maxMillis = 100 * 365 * 86_400_000
