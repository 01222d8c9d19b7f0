package drive

import (
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/protocol/script"
)

// reader reads a script's YAML and keeps the first thing that is wrong with it.
type reader struct {
	script.Reader
	err error
}

func newReader(file string) *reader {
	r := &reader{Reader: script.Reader{File: file}}
	r.Fail = func(n *yaml.Node, format string, args ...any) {
		if r.err == nil {
			r.err = r.At(n).Wrong(format, args...)
		}
	}
	return r
}

// each calls f for every key of a map.
func (r *reader) each(n *yaml.Node, what string, f func(key string, at, value *yaml.Node)) {
	for _, x := range r.Fields(n, what) {
		f(x.Name, x.Key, x.Value)
	}
}

func (r *reader) millis(n *yaml.Node, what string) int64 {
	text := r.Text(n, what)
	if v, err := strconv.ParseInt(text, 10, 64); err == nil && v >= 0 && v <= 1<<31-1 {
		return v
	}
	ms, err := millis(text)
	if err != nil {
		r.Fail(n, "%s: %s", what, err)
	}
	return ms
}
