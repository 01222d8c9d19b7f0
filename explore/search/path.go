package search

import (
	"fmt"

	"github.com/rebalsim/rebalsim/sim"
)

// Broken is something that does not hold, and a shortest path to it.
type Broken struct {
	// Invariant is its name, "fact" for one of Facts.
	Invariant string
	What      string
	// Path names the moves.
	Path []string
	At   sim.Time

	// Apart is that the path needs clocks that run apart: no moments of its events are as
	// clocks that run alike have them.
	Apart bool

	// See Retell.
	additions []addition
	moments   *moments // without clocks; nil: there are none
	came      came
	end       sim.Time // of the path
}

// tree remembers how each state was first reached.
type tree struct {
	parent []int32
	move   []uint32
}

func (t *tree) add(parent int32, move uint32) int32 {
	t.parent, t.move = append(t.parent, parent), append(t.move, move)
	return int32(len(t.parent) - 1)
}

// path gives the moves that lead to a state, by their places among those of each state.
func (t *tree) path(id int32) []uint32 {
	n := 0
	for i := id; t.parent[i] >= 0; i = t.parent[i] {
		n++
	}
	moves := make([]uint32, n)
	for i := id; t.parent[i] >= 0; i = t.parent[i] {
		n--
		moves[n] = t.move[i]
	}
	return moves
}

// walk makes moves one after the other, from a copy of the beginning. Before each it
// calls f with the state and the move.
func (x *search) walk(moves []uint32, f func(n *node, v move), more ...sim.Observer) *node {
	n := &node{world: x.root.world.Fork(), used: x.root.used}
	for _, o := range more {
		n.world.Watch(o)
	}
	w := &watch{model: x.model, before: x.root.world}
	n.world.Watch(w)
	for _, i := range moves {
		x.list, x.choices = x.moves(n, x.list[:0], x.choices)
		v := x.nth(n, x.list, i)
		if f != nil {
			f(n, v)
		}
		w.generations = 0
		x.make(n, v)
		x.count(n, v, w)
	}
	return n
}

// broken is what does not hold after some moves.
func (x *search) broken(invariant, what string, at sim.Time, moves []uint32) *Broken {
	b := &Broken{Invariant: invariant, What: what, At: at}

	n := x.walk(moves, func(n *node, v move) { b.Path = append(b.Path, x.name(n, v)) }, &b.came)
	b.end = n.world.Now()
	if !x.anyTime {
		b.additions = x.additions(moves)
		return b
	}
	if b.moments = x.momentsOf(moves); b.moments == nil {
		b.Apart = true
		return b
	}
	b.additions, b.end = b.moments.faults, b.moments.end
	return b
}

// find gives the move of that name in a state.
func (m *model) find(n *node, name string) (move, error) {
	list, _ := m.moves(n, nil, nil)
	for _, v := range list {
		found := !m.each(n, v, unwatched, func(w move, _ *node) bool {
			v = w
			return m.name(n, w) != name
		})
		if found {
			return v, nil
		}
	}
	return move{}, fmt.Errorf("at %s s %q cannot happen", n.world.Now(), name)
}

// fact is what one of Facts is called where invariants have names.
const fact = "fact"
