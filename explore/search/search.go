package search

import (
	"runtime"
	"sync"

	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// Counts is what a search did.
type Counts struct {
	States  int // different ones that were reached
	Moves   int // that were tried
	Depth   int // moves on the longest of the shortest paths
	Waiting int // states that were not gone on with, since States was the most
	// TooManyGenerations is how many states the bound cut off: one generation too many.
	TooManyGenerations int
}

// Options say how a search is done. They do not change what it finds, but Exact and
// Reduce the number of states.
type Options struct {
	Workers int  // 0: as many as there are cores
	Reduce  bool // take events that cannot matter first, see model.alone
}

// Result is what a search found.
type Result struct {
	Counts
	// Broken is what does not hold on a shortest path; nil: everything held.
	Broken *Broken
	// Widest is the most states that were waiting to be gone on with.
	Widest int
}

// frontier is a state that is to be gone on with.
type frontier struct {
	*node
	id int32
}

// batch is how many states are gone on with before what they lead to is looked at. It
// does not depend on the number of cores, and so neither does the result.
const batch = 1024

// child is what a move leads to.
type child struct {
	*node
	hash   uint64
	parent int32
	move   uint16
	broken string
}

// Search goes through all that may happen in the scenario.
func Search(s *scenarios.Scenario, kafka scenarios.Kafka, b Bound, f Faults, o Options) (*Result, error) {
	m, root, err := newModel(s, kafka, b, f)
	if err != nil {
		return nil, err
	}
	m.reduce = o.Reduce
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	x := &search{model: m, root: root, workers: o.Workers, seen: newSet(1 << 16), result: &Result{}}
	x.run(root)
	return x.result, nil
}

type search struct {
	*model
	root    *node
	workers int
	seen    *set
	tree    tree
	result  *Result
	list    []move
	choices []sim.Choice
}

func (x *search) run(root *node) {
	x.seen.add(x.hash(root))
	x.tree.add(-1, 0)
	x.result.States = 1
	level := []frontier{{root, 0}}
	for depth := 0; len(level) > 0; depth++ {
		x.result.Depth = depth
		x.result.Widest = max(x.result.Widest, len(level))
		var next []frontier
		for begin := 0; begin < len(level); begin += batch {
			part := level[begin:min(begin+batch, len(level))]
			if x.result.States >= x.bound.States {
				x.result.Waiting += len(level) - begin + len(next)
				return
			}
			next = x.merge(x.expand(part), next)
			clear(part)
			if x.result.Broken != nil {
				return
			}
		}
		level = next
	}
}

// expand makes all moves from some states, on all cores. The children come back in the
// order of their parents.
func (x *search) expand(part []frontier) [][]child {
	children := make([][]child, len(part))
	counts := make([]Counts, x.workers)
	var wait sync.WaitGroup
	for worker := range x.workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			e := expander{search: x, counts: &counts[worker]}
			for i := worker; i < len(part); i += x.workers {
				children[i] = e.expand(part[i])
			}
		}()
	}
	wait.Wait()
	for i := range counts {
		x.result.Moves += counts[i].Moves
	}
	return children
}

// expander is what one core needs to make moves.
type expander struct {
	*search
	counts  *Counts
	list    []move
	choices []sim.Choice
	watch   watch
}

func (e *expander) expand(s frontier) (children []child) {
	e.list, e.choices = e.moves(s.node, e.list[:0], e.choices)
	for i, v := range e.list {
		e.watch.begin(e.model, s.node)
		n := e.take(s.node, v, &e.watch)
		e.counts.Moves++
		n.used.generations += e.watch.generations

		c := child{node: n, parent: s.id, move: uint16(i), broken: e.watch.judge(n, v)}
		c.hash = e.hash(n)
		if c.broken != "" || !e.seen.has(c.hash) {
			children = append(children, c)
		}
	}
	return children
}

// merge keeps the children that are new.
func (x *search) merge(families [][]child, next []frontier) []frontier {
	for _, family := range families {
		for i := range family {
			c := &family[i]
			if c.broken != "" && x.result.Broken == nil {
				x.result.Broken = x.tell(c)
			}
			if !x.seen.add(c.hash) {
				continue
			}
			id := x.tree.add(c.parent, c.move)
			x.result.States++
			if int(c.used.generations) > x.bound.Generations {
				x.result.TooManyGenerations++
				continue
			}
			next = append(next, frontier{c.node, id})
		}
	}
	return next
}
