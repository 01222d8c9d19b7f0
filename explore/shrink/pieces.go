package shrink

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/sim"
)

// fewer takes pieces away, many at a time and then fewer, as long as that is kept. Try is
// told which of the pieces that are left to take away, from and to; it reports whether it
// stays so. (Zeller's ddmin, by complements only: n log n tries when little can go.)
func fewer(n int, try func(from, to int) bool) {
	for chunk := n; chunk > 0; chunk /= 2 {
		for from := 0; from < n; {
			to := min(from+chunk, n)
			if try(from, to) {
				n -= to - from
			} else {
				from = to
			}
		}
	}
}

// decisions makes answers of chance plain.
func (s *shrinker) decisions() {
	fewer(len(s.best.kase.Decisions), func(from, to int) bool {
		return s.try(s.best.with(slices.Delete(slices.Clone(s.best.kase.Decisions), from, to)))
	})
	for i := 0; i < len(s.best.kase.Decisions); i++ { // those that must be, as small as they can be
		for s.best.kase.Decisions[i].Answer > 1 && s.smaller(i) {
		}
	}
}

// smaller tries half an answer.
func (s *shrinker) smaller(i int) bool {
	list := slices.Clone(s.best.kase.Decisions)
	list[i].Answer /= 2
	c := s.best.with(list)
	if s.left <= 0 {
		return false
	}
	o := s.play(c.write())
	if o.Err != nil || !o.Has(s.signature) || o.Events > s.outcome.Events {
		return false
	}
	s.best, s.outcome, s.bestCost = c, o, cost(c.write(), &o)
	return true
}

// list takes entries out of a list of the scenario.
func (s *shrinker) list(key string) {
	fewer(entriesOf(find(s.best.root(), key)), func(from, to int) bool {
		return s.try(s.best.change(func(root *yaml.Node) {
			keep(find(root, key), func(i int) bool { return i < from || i >= to })
		}))
	})
}

// names takes members, brokers and topics away, with all that refers to them.
func (s *shrinker) names() {
	for _, what := range []string{"members", "topics", "brokers"} {
		all := find(s.best.root(), what)
		if all == nil || all.Kind != yaml.MappingNode {
			continue
		}
		fewer(entriesOf(all), func(from, to int) bool {
			now := find(s.best.root(), what)
			var gone []string
			for i := from; i < to; i++ {
				gone = append(gone, now.Content[2*i].Value)
			}
			c := s.best.change(func(root *yaml.Node) {
				for _, name := range gone {
					without(root, name)
				}
			})
			return s.try(c.with(slices.DeleteFunc(slices.Clone(c.kase.Decisions), func(d sim.Decision) bool {
				return slices.ContainsFunc(gone, func(name string) bool { return refersTo(d.Subject, name) })
			})))
		})
	}
}

// entries takes away whatever else there is, the outermost first: a level of the tree at a
// time (hierarchical delta debugging).
func (s *shrinker) entries() {
	for depth := 0; ; depth++ {
		level := parents(s.best.root(), depth)
		if len(level) == 0 {
			return
		}
		for p := range level { // a place in the level: taking entries away leaves the parents there
			fewer(entriesOf(level[p]), func(from, to int) bool {
				return s.try(s.best.change(func(root *yaml.Node) {
					keep(parents(root, depth)[p], func(i int) bool { return i < from || i >= to })
				}))
			})
			if level = parents(s.best.root(), depth); p >= len(level)-1 {
				break
			}
		}
	}
}

// parents lists the maps and lists of a depth.
func parents(n *yaml.Node, depth int) (list []*yaml.Node) {
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return nil
	}
	if depth == 0 {
		return []*yaml.Node{n}
	}
	for _, child := range n.Content {
		list = append(list, parents(child, depth-1)...)
	}
	return list
}
