package search

import (
	"runtime"
	"sync"

	"github.com/rebalsim/rebalsim/sim"
)

// Counts is what a search did.
type Counts struct {
	States  int // different ones that were reached
	Moves   int // that were tried
	Depth   int // moves on the longest of the shortest paths
	Waiting int // states that were not gone on with when a bound was reached
	// TooManyGenerations is how many states the bound cut off: one generation too many.
	TooManyGenerations int
	// Widest is the most states that were waiting to be gone on with.
	Widest int
	// Paths is how many paths the invariants of check were held up against.
	Paths int
	// Again is how many states that came again were compared, see Options.Exact.
	Again int
	// Apart is how many paths break something, but need clocks that run apart.
	Apart int
}

// Options say how a search is done. They do not change what is found.
type Options struct {
	Workers int  // 0: as many as there are cores
	Reduce  bool // see model.first
	// FactsOnly leaves out the invariants of check, which take a run for each leaf of the
	// search's tree.
	FactsOnly bool
	// Exact goes on from each state that comes again, and compares where that leads to
	// with where it led the first time. What differs is a collision of hashes, or a defect:
	// something that a state's hash leaves out and its future hangs on.
	Exact bool
	// Progress, if not nil, is told how many states there are and how many there may be.
	Progress func(done, of int)
	// Stop, if not nil, reports whether somebody wants the search to end as it is. Several
	// goroutines ask it.
	Stop func() bool
}

func (o *Options) stopped() bool { return o.Stop != nil && o.Stop() }

// Result is what a search found.
type Result struct {
	Counts
	// Broken is what does not hold on a shortest path; nil: everything held.
	Broken *Broken
	// Moments are states that must be the same whatever is left out on the way: see
	// model.isMoment.
	Moments Moments
	// Interrupted is that Options.Stop has ended it. Leaves is how many paths there were for
	// the invariants.
	Interrupted bool
	Leaves      int
}

// Moments are states: their number, and the sum of their hashes.
type Moments struct {
	N   int
	Sum uint64
}

// frontier is a state that is to be gone on with.
type frontier struct {
	*node
	id   int32
	hash uint64
}

// batch is how many states are gone on with before what they lead to is looked at. It
// does not depend on the number of cores, and so neither does the result.
const batch = 1024

// What states take, roughly: one that is done with, and one whose world is kept.
const (
	doneBytes    = 24
	waitingBytes = 5000
	// Without clocks more ways of one move are kept at once.
	waitingAnyTime = 25_000
)

// child is what a move leads to.
type child struct {
	*node
	hash   uint64
	future uint64 // see expander.future
	parent int32
	move   uint32
	again  bool
	moment bool // see model.isMoment
	broken string
}

type search struct {
	*model
	Options
	root    *node
	seen    *set
	moments *set
	tree    tree
	result  *Result
	list    []move
	choices []sim.Choice
	futures map[uint64]uint64 // by hash, of the states gone on with, if Exact
	again   []again
}

// again is a state that came again.
type again struct {
	hash, future uint64
	parent       int32
	move         uint32
}

// Search goes through all that may happen in the scenario.
func (u Setup) Search(o Options) (*Result, error) {
	m, root, err := newModel(u)
	if err != nil {
		return nil, err
	}
	m.reduce = o.Reduce
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	x := &search{model: m, Options: o, root: root, seen: newSet(1 << 16), moments: newSet(1 << 10), result: &Result{}}
	if o.Exact {
		x.futures = make(map[uint64]uint64)
	}
	x.run()
	if x.stopped() && x.result.Waiting > 0 {
		x.result.Interrupted = true
		return x.result, nil
	}
	if x.result.Broken == nil {
		x.compare()
	}
	if x.result.Broken == nil && !o.FactsOnly && !m.anyTime {
		x.monitor()
	}
	x.result.Interrupted = x.result.Paths < x.result.Leaves
	return x.result, nil
}

func (x *search) run() {
	first := frontier{x.root, x.tree.add(-1, 0), x.hash(x.root)}
	x.seen.add(first.hash)
	x.result.States = 1
	level := []frontier{first}
	for depth := 0; len(level) > 0; depth++ {
		x.result.Depth = depth
		x.result.Widest = max(x.result.Widest, len(level))
		var next []frontier
		for begin := 0; begin < len(level); begin += batch {
			part := level[begin:min(begin+batch, len(level))]
			if waiting := len(level) - begin + len(next); x.full(waiting) {
				x.result.Waiting = waiting
				return
			}
			children := x.expand(part)
			if x.stopped() { // in the middle of them, perhaps
				x.result.Waiting = len(level) - begin + len(next)
				return
			}
			next = x.merge(children, next)
			clear(part)
			if x.found() {
				return
			}
			if x.Progress != nil {
				x.Progress(x.result.States, x.bound.States)
			}
		}
		level = next
	}
}

// full reports whether a bound is reached.
func (x *search) full(waiting int) bool {
	each := int64(waitingBytes)
	if x.anyTime {
		each = waitingAnyTime
	}
	return x.result.States >= x.bound.States ||
		x.bound.Memory > 0 && int64(x.result.States)*doneBytes+int64(waiting)*each > x.bound.Memory
}

// expand makes all moves from some states, on all cores. The children come back in the
// order of their parents.
func (x *search) expand(part []frontier) [][]child {
	children := make([][]child, len(part))
	futures := make([]uint64, len(part))
	moves := make([]int, x.Workers)
	var wait sync.WaitGroup
	for worker := range x.Workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			e := expander{search: x}
			for i := worker; i < len(part) && !x.stopped(); i += x.Workers {
				children[i], futures[i] = e.expand(part[i])
			}
			moves[worker] = e.moved
		}()
	}
	wait.Wait()
	for _, n := range moves {
		x.result.Moves += n
	}
	if x.Exact {
		for i := range part {
			x.futures[part[i].hash] = futures[i]
		}
	}
	return children
}

// expander is what one core needs to make moves.
type expander struct {
	*search
	moved   int
	list    []move
	choices []sim.Choice
	watch   watch
}

// expand makes all moves from a state. Future is a hash of where they lead to.
func (e *expander) expand(s frontier) (children []child, future uint64) {
	e.list, e.choices = e.moves(s.node, e.list[:0], e.choices)
	i := 0
	for _, v := range e.list {
		e.each(s.node, v, e.watch.of(e.model, s.node), func(v move, n *node) bool {
			e.count(n, v, &e.watch)
			e.moved++
			c := child{node: n, parent: s.id, move: uint32(i), broken: e.watch.judge(n, v)}
			i++
			c.moment = e.isMoment(n, v)
			c.hash = e.hash(n)
			if e.Exact {
				future += c.hash
			}
			if c.again = e.seen.has(c.hash); !c.again || c.broken != "" || e.Exact || c.moment && !e.moments.has(c.hash) {
				if c.again && e.Exact {
					c.future = e.future(n)
				}
				children = append(children, c)
			}
			return true
		})
	}
	return children, future
}

// future is where the moves from a state lead to, whatever order they are listed in.
func (x *search) future(n *node) (sum uint64) {
	list, _ := x.moves(n, nil, nil)
	w := &watch{}
	for _, v := range list {
		x.each(n, v, w.of(x.model, n), func(v move, c *node) bool {
			x.count(c, v, w)
			sum += x.hash(c)
			return true
		})
	}
	return sum
}

// merge keeps the children that are new.
func (x *search) merge(families [][]child, next []frontier) []frontier {
	for _, family := range families {
		for i := range family {
			c := &family[i]
			if c.broken != "" {
				x.breaks(c)
				continue
			}
			if c.moment && x.moments.add(c.hash) {
				x.result.Moments.N++
				x.result.Moments.Sum += c.hash
			}
			if !x.seen.add(c.hash) {
				if x.Exact {
					x.comesAgain(c)
				}
				continue
			}
			id := x.tree.add(c.parent, c.move)
			x.result.States++
			if int(c.used.generations) > x.bound.Generations {
				x.result.TooManyGenerations++
				continue
			}
			next = append(next, frontier{c.node, id, c.hash})
		}
	}
	return next
}

// breaks is told of a state that is not sound. One to which no clocks lead that run alike is
// told of if no other is found, so the search goes on; from there it does not.
func (x *search) breaks(c *child) {
	if x.found() || x.result.Apart == mostApart {
		return
	}
	moves := append(x.tree.path(c.parent), c.move)
	if x.result.Broken != nil && x.momentsOf(moves) == nil {
		x.result.Apart++
		return
	}
	if x.result.Broken = x.broken(fact, c.broken, c.world.Now(), moves); x.result.Broken.Apart {
		x.result.Apart++
	}
}

// found reports whether a path is found that is a run that can happen.
func (x *search) found() bool { return x.result.Broken != nil && !x.result.Broken.Apart }

// mostApart is of how many paths that need clocks that run apart a search takes note.
const mostApart = 1000

func (x *search) comesAgain(c *child) {
	if !c.again { // it came twice in one batch
		c.future = x.future(c.node)
	}
	x.again = append(x.again, again{c.hash, c.future, c.parent, c.move})
}

// compare looks whether states of equal hash had equal futures.
func (x *search) compare() {
	for _, a := range x.again {
		first, ok := x.futures[a.hash]
		if !ok {
			continue // nobody went on from there
		}
		x.result.Again++
		if first != a.future {
			x.result.Broken = x.broken("exact", "a state with the hash of another goes on otherwise", 0, append(x.tree.path(a.parent), a.move))
			return
		}
	}
}
