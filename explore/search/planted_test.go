package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// greedy is a consumer with a defect that shows in some orders only: once its JoinGroup
// was answered at once, with the generation that it knew, it takes all partitions for its
// own in the next one.
type greedy struct {
	*consumer.Consumer
	early bool
}

func (g *greedy) Clone() sim.Actor { return &greedy{g.Consumer.Clone().(*consumer.Consumer), g.early} }

func (g *greedy) Hash(h *sim.Hasher) {
	g.Consumer.Hash(h)
	h.Bool(g.early)
}

func (g *greedy) Step(in *sim.Input, out *sim.Out) {
	if in.Kind == sim.InputAnswer {
		switch a := in.Msg.Body.(type) {
		case *protocol.JoinGroupAnswer:
			g.early = g.early || a.Generation == 2
		case *protocol.SyncGroupAnswer:
			if g.early && a.Assignment != nil && g.View().Generation > 2 {
				all := *a.Assignment
				all.Partitions = []protocol.TopicPartition{{Topic: "orders"}, {Topic: "orders", Partition: 1}}
				in.Msg.Body = (&protocol.SyncGroupAnswer{ProtocolType: a.ProtocolType, Protocol: a.Protocol, Assignment: all.Freeze()}).Freeze()
			}
		}
	}
	g.Consumer.Step(in, out)
}

// plantGreedy makes F1 greedy.
func plantGreedy(w *sim.World) {
	w.Replace(nodeNamed(w, "F1"), func(a sim.Actor) sim.Actor { return &greedy{Consumer: a.(*consumer.Consumer)} })
}

// A defect that shows only if a follower comes before the leader is found: the plain order
// does not show it. The path to it is the same on any number of cores, and shows it when it
// is played again.
func TestPlantedDefectIsFound(t *testing.T) {
	u := setup(group(t, 2, true, ""), Faults{})
	if r := search1(t, u, Options{Reduce: true, FactsOnly: true}); r.Broken != nil || r.Waiting > 0 {
		t.Fatalf("without a defect: %+v, %+v", r.Broken, r.Counts)
	}
	u.plant = plantGreedy
	r := search1(t, u, Options{Reduce: true, Workers: 1})
	b := r.Broken
	if b == nil || b.Invariant != fact || !strings.Contains(b.What, "L and F1 both hold orders-") {
		t.Fatalf("found %+v", b)
	}
	early, leader := slices.Index(b.Path, "F1.JoinGroup#1 arrives"), slices.Index(b.Path, "L.JoinGroup#1 arrives")
	if early < 0 || leader < early {
		t.Errorf("found in an order that does not matter: %v", b.Path)
	}
	for _, workers := range []int{2, 5} {
		if again := search1(t, u, Options{Reduce: true, Workers: workers}).Broken; again == nil || !slices.Equal(again.Path, b.Path) {
			t.Errorf("on %d cores another path is found: %+v", workers, again)
		}
	}
	p, err := u.Play(b.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Broken == nil || p.Broken.What != b.What {
		t.Errorf("played again: %+v", p.Broken)
	}
	for n := len(b.Path) - 1; n > 0; n /= 2 { // and nothing before its end does
		if p, err := u.Play(b.Path[:n], nil); err != nil || p.Broken != nil && p.Broken.Invariant == fact {
			t.Errorf("after %d moves: %+v, %v", n, p.Broken, err)
		}
	}
	plain := plainPath(t, u, len(b.Path)+50)
	if p, err := u.Play(plain, nil); err != nil || p.Broken != nil {
		t.Errorf("the plain order shows it: %+v, %v", p.Broken, err)
	}
}

// plainPath is the plain run, so many moves of it.
func plainPath(t *testing.T, u Setup, moves int) (names []string) {
	t.Helper()
	m, n, err := newModel(u)
	if err != nil {
		t.Fatal(err)
	}
	for range moves {
		list, _ := m.moves(n, nil, nil)
		names = append(names, m.name(n, list[0]))
		m.make(n, list[0])
	}
	return names
}
