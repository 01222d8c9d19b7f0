package search

import (
	"fmt"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/golden"
	"github.com/rebalsim/rebalsim/sim"
)

// Played is a path that was played again.
type Played struct {
	// Broken is what does not hold on it, with its path up to there; nil: everything held.
	Broken *Broken
	Hash   string
	End    sim.Time
}

// Play makes the moves of a path, by their names. More may watch. The error says what
// cannot be played.
func (u Setup) Play(path []string, more func(*sim.World, []sim.NodeID) sim.Observer) (*Played, error) {
	m, root, err := newModel(u)
	if err != nil {
		return nil, err
	}
	n := root
	hash := sim.NewTraceHash(n.world)
	monitor := invariants.New(m.facts(n.world))
	w := &watch{}
	for _, o := range []sim.Observer{hash, monitor, w} {
		n.world.Watch(o)
	}
	if more != nil {
		n.world.Watch(more(n.world, m.clients))
	}
	p := &Played{}
	for i, name := range path {
		v, err := m.find(n, name)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		before := &node{world: n.world.Fork(), used: n.used}
		w.begin(m, before)
		m.make(n, v)
		m.count(n, v, w)
		if what := w.judge(n, v); what != "" && p.Broken == nil {
			p.Broken = &Broken{Invariant: fact, What: what, At: n.world.Now(), Path: path[:i+1]}
		}
	}
	if f := m.judge(monitor, n); f != nil && p.Broken == nil {
		p.Broken = &Broken{Invariant: f.Invariant, What: f.Text, At: f.At, Path: path}
	}
	p.Hash, p.End = golden.Hash(hash), n.world.Now()
	return p, nil
}
