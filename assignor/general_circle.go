package assignor

import (
	"math/bits"
	"slices"
)

// circle proves that passes will never end: what a pass does follows from the
// state before it, so a state that comes back comes back for ever. The state
// after passes 8, 16, 32, … is kept, and compared with those that follow.
type circle struct {
	kept  bool
	owner []int32
	from  []int32
	lists [][]int32
	pairs []movedSet
}

func (c *circle) closed(gen *general, pass int) bool {
	if c.kept && c.equal(gen) {
		return true
	}
	if pass >= 8 && bits.OnesCount(uint(pass)) == 1 {
		c.keep(gen)
	}
	return false
}

func (c *circle) keep(gen *general) {
	c.kept = true
	c.owner = slices.Clone(gen.owner)
	c.from = slices.Clone(gen.moves.from)
	c.lists = c.lists[:0]
	if !gen.tidy {
		for _, l := range gen.lists {
			c.lists = append(c.lists, withoutHoles(slices.Clone(l)))
		}
	}
	c.pairs = c.pairs[:0]
	for _, s := range gen.moves.pairs {
		s.keys, s.hashes = slices.Clone(s.keys), slices.Clone(s.hashes)
		c.pairs = append(c.pairs, s)
	}
}

func (c *circle) equal(gen *general) bool {
	if !slices.Equal(c.owner, gen.owner) || !slices.Equal(c.from, gen.moves.from) {
		return false
	}
	for i := range gen.moves.pairs {
		now, then := &gen.moves.pairs[i].javaSet, &javaSet{}
		if i < len(c.pairs) {
			then = &c.pairs[i].javaSet
		}
		if now.buckets != then.buckets || !slices.Equal(now.keys, then.keys) {
			return false
		}
	}
	// Where a partition stands in two lists, the owners are not the whole state.
	for m, l := range c.lists {
		if !slices.Equal(l, withoutHoles(slices.Clone(gen.lists[m]))) {
			return false
		}
	}
	return true
}
