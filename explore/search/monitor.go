package search

import (
	"slices"
	"sync"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// The invariants of check hang on what has happened, not on the state alone. They are
// held up against one path to each state, a shortest: the paths to the leaves of the tree
// of first visits, which go through all of it.

// leaves are the states that no other was first reached from.
func (t *tree) leaves() []int32 {
	inner := make([]bool, len(t.parent))
	for _, p := range t.parent[1:] {
		inner[p] = true
	}
	var list []int32
	for i := range inner {
		if !inner[i] {
			list = append(list, int32(i))
		}
	}
	return list
}

// breach is a path on which an invariant does not hold.
type breach struct {
	moves   []uint32
	leaf    int32
	finding invariants.Finding
}

func (b *breach) before(c *breach) bool {
	return c == nil || b != nil && (len(b.moves) < len(c.moves) || len(b.moves) == len(c.moves) && b.leaf < c.leaf)
}

// monitor looks for the shortest path on which an invariant does not hold; the first of
// several.
func (x *search) monitor() {
	leaves := x.tree.leaves()
	x.result.Leaves = len(leaves)
	looked := make([]int, x.Workers)
	found := make([]*breach, x.Workers)
	var wait sync.WaitGroup
	for worker := range x.Workers {
		root := &node{world: x.root.world.Fork(), used: x.root.used} // one after the other: forking writes
		wait.Add(1)
		go func() {
			defer wait.Done()
			y := &search{model: x.model, root: root}
			for i := worker; i < len(leaves) && !x.stopped(); i += x.Workers {
				looked[worker]++
				moves := x.tree.path(leaves[i])
				if best := found[worker]; best != nil && len(moves) >= len(best.moves) {
					moves = moves[:len(best.moves)-1]
				}
				if b := y.firstBreach(moves); b != nil {
					b.leaf = leaves[i]
					found[worker] = b
				}
			}
		}()
	}
	wait.Wait()
	var first *breach
	for i, b := range found {
		x.result.Paths += looked[i]
		if b != nil && b.before(first) {
			first = b
		}
	}
	if first != nil {
		x.result.Broken = x.broken(first.finding.Invariant, first.finding.Text, first.finding.At, first.moves)
	}
}

// firstBreach gives the shortest beginning of the path that breaks an invariant, nil if
// the path breaks none.
func (x *search) firstBreach(moves []uint32) *breach {
	if x.breach(moves) == nil {
		return nil
	}
	low, high := 0, len(moves) // what is broken stays broken
	for low < high {
		if middle := (low + high) / 2; x.breach(moves[:middle]) != nil {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return &breach{moves: moves[:low], finding: *x.breach(moves[:low])}
}

// facts are what the invariants are told of a world.
func (m *model) facts(w *sim.World) invariants.Facts {
	f := invariants.FactsOf(w, m.clients, m.group)
	f.AnyOrder = true
	return f
}

func (x *search) breach(moves []uint32) *invariants.Finding {
	m := invariants.New(x.facts(x.root.world))
	n := x.walk(moves, nil, m)
	return x.judge(m, n)
}

// judge gives the first thing that is wrong on a path: what no known issue explains, or
// what a bug explains that was put in on purpose.
func (m *model) judge(monitor *invariants.Monitor, n *node) *invariants.Finding {
	list := monitor.Done(invariants.End{At: n.world.Now(), Excuse: "the path goes on"})
	for i := range list {
		planted := func(b *protocol.Bug) bool { return b.ID == list[i].Known }
		if list[i].Known == "" || slices.ContainsFunc(m.scenario.Force.Bugs, planted) {
			return &list[i]
		}
	}
	return nil
}
