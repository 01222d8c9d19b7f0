package shrink

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/sim"
)

// ending ends the run soon after the finding, or settles for the default.
func (s *shrinker) ending() {
	for i := range s.outcome.Findings {
		f := &s.outcome.Findings[i]
		if f.Signature() != s.signature {
			continue
		}
		for _, after := range []sim.Time{sim.Second, 10 * sim.Second, sim.Minute} {
			at := time.Duration((f.At+after)/sim.Second*sim.Second) * time.Microsecond
			end := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: []*yaml.Node{text("at"), text(at.String())}}
			if s.try(s.best.change(func(root *yaml.Node) { set(root, "end", end) })) {
				return
			}
		}
		return
	}
}

// patience ends a run that does not come to rest as soon as that can be said of it, or a little
// later: what it goes round about may show at times only.
func (s *shrinker) patience() {
	from := s.outcome.Patience
	for _, after := range []sim.Time{sim.Second, 4 * sim.Second, 10 * sim.Second, 30 * sim.Second, sim.Minute, 3 * sim.Minute} {
		at := (from + after) / sim.Second * sim.Second
		if s.outcome.Ended == "" || s.outcome.End <= at {
			return
		}
		most := text(short(time.Duration(at) * time.Microsecond))
		if s.try(s.best.change(func(root *yaml.Node) {
			if find(root, "end") == nil {
				set(root, "end", &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle})
			}
			set(find(root, "end"), "at-most", most)
		})) {
			return
		}
	}
}

// values makes values plainer: shorter lengths of time, smaller numbers, no ranges. What
// plainer means does not hang on the key, so a value is tried everywhere; the loader
// refuses what makes no sense.
func (s *shrinker) values() {
	for i := 0; i < len(scalars(s.best.root())); i++ {
		for s.plainer(i) {
		}
	}
}

// plainer tries plainer values in the place of one.
func (s *shrinker) plainer(i int) bool {
	for _, v := range plainer(scalars(s.best.root())[i].Value) {
		if s.try(s.best.change(func(root *yaml.Node) { retext(scalars(root)[i], v) })) {
			return true
		}
	}
	return false
}

func retext(n *yaml.Node, value string) { n.Value, n.Tag = value, "" }

// scalars lists all texts of a tree, keys too.
func scalars(n *yaml.Node) (list []*yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		return []*yaml.Node{n}
	}
	for _, child := range n.Content {
		list = append(list, scalars(child)...)
	}
	return list
}

var (
	pattern = regexp.MustCompile(`^(.*\{)(\d+)\.\.(\d+)(\}.*)$`)
	span    = regexp.MustCompile(`^\s*(\S+?)\s*\.\.\s*(\S+)\s*$`)
)

// bounds are those of a pattern of names: pod-{0..3}.
func bounds(name string) (lo, hi int, ok bool) {
	m := pattern.FindStringSubmatch(name)
	if m == nil {
		return 0, 0, false
	}
	lo, err1 := strconv.Atoi(m[2])
	hi, err2 := strconv.Atoi(m[3])
	return lo, hi, err1 == nil && err2 == nil && lo <= hi
}

// plainer lists values that may stand for one, the plainest first.
func plainer(value string) (list []string) {
	add := func(v string) {
		if v != value && len(v) <= len(value) {
			list = append(list, v)
		}
	}
	if lo, hi, ok := bounds(value); ok {
		m := pattern.FindStringSubmatch(value)
		for _, to := range []int{lo, lo + 1, lo + (hi-lo)/2, hi - 1} {
			if to >= lo && to < hi {
				add(fmt.Sprintf("%s%s..%0*d%s", m[1], m[2], len(m[3]), to, m[4]))
			}
		}
		return list
	}
	if m := span.FindStringSubmatch(value); m != nil {
		add(m[1])
		return list
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 1 {
		for _, v := range []int64{1, 2, n / 2, n - 1} {
			if v > 0 && v < n {
				add(strconv.FormatInt(v, 10))
			}
		}
		return list
	}
	if d, err := time.ParseDuration(value); err == nil && d > 0 {
		for _, t := range []time.Duration{time.Second, 10 * time.Second, (d / 2).Truncate(time.Second), (d / 2).Truncate(time.Millisecond)} {
			if t > 0 && t < d {
				add(short(t))
			}
		}
		for _, unit := range []time.Duration{time.Minute, 10 * time.Second, time.Second, 100 * time.Millisecond, time.Millisecond} {
			if t := d.Truncate(unit); t > 0 {
				add(short(t))
			}
		}
	}
	return slices.Compact(list)
}

// short is a length of time without what says nothing: 1m, not 1m0s.
func short(d time.Duration) string {
	s := d.String()
	for _, tail := range []string{"m0s", "h0m"} {
		if n := len(s) - len(tail) + 1; n > 0 && s[n-1:] == tail {
			s = s[:n]
		}
	}
	return s
}
