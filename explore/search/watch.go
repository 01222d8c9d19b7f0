package search

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// Facts are what is looked at in every state and at every move, since a state knows it
// all: it does not matter on which path it was reached.
var Facts = []string{
	"a coordinator is sound: its group's states follow each other as they may, and its books agree",
	"in a coordinator's memory a group's generation never falls, but by a load",
	"a commit is accepted from a member of the current generation only, or to a group without members",
	"no two members of the current generation hold one partition while time passes and nothing is on its way to them",
}

// watch sees what one move brings about.
type watch struct {
	model       *model
	before      *sim.World
	generations int8
	broker      sim.NodeID // that was stepped; sim.Nobody: none
	commit      *protocol.OffsetCommitRequest
	broken      string
}

func (w *watch) begin(m *model, before *node) {
	*w = watch{model: m, before: before.world, broker: sim.Nobody}
}

// of begins anew before each way of a move.
func (w *watch) of(m *model, before *node) func() sim.Observer {
	return func() sim.Observer {
		w.begin(m, before)
		return w
	}
}

// Observe takes one record.
func (w *watch) Observe(r *sim.Rec) {
	switch r.Op {
	case sim.OpArrive, sim.OpTimer, sim.OpCommand:
		if r.Node != sim.Nobody && !w.model.isClient[r.Node] {
			w.broker = r.Node
			w.commit, _ = r.Msg.Body.(*protocol.OffsetCommitRequest)
		}
	case sim.OpNote:
		switch b := r.Note.Body.(type) {
		case *protocol.GroupChange:
			if b.Group == w.model.group {
				w.groupMoves(r.Node, b)
			}
		case *protocol.LogRecord:
			if w.commit != nil && b.IsOffset && !b.Tombstone && b.Group == w.model.group {
				w.accepts(r.Node, w.commit)
			}
		}
	}
}

func (w *watch) groupMoves(broker sim.NodeID, g *protocol.GroupChange) {
	if g.To == protocol.CompletingRebalance {
		w.generations++
	}
	b, ok := w.before.Actor(broker).(*coordinator.Broker)
	if !ok || g.From == protocol.NoGroup {
		return
	}
	if v, ok := b.View(g.Group); ok && g.Generation < v.Generation {
		w.find("the generation falls from %d to %d at %s", v.Generation, g.Generation, w.before.Name(broker))
	}
}

// accepts looks at a commit that is written down, with the group as it was before.
func (w *watch) accepts(broker sim.NodeID, c *protocol.OffsetCommitRequest) {
	v, ok := w.before.Actor(broker).(*coordinator.Broker).View(w.model.group)
	if c.Generation < 0 && (!ok || len(v.Members) == 0) {
		return // of somebody outside of any group
	}
	member := slices.ContainsFunc(v.Members, func(m coordinator.MemberView) bool { return m.ID == c.Member })
	if !member || c.Generation != v.Generation {
		w.find("%s accepts a commit of %q in generation %d, and the group is in %d with %d members",
			w.before.Name(broker), c.Member, c.Generation, v.Generation, len(v.Members))
	}
}

func (w *watch) find(format string, args ...any) {
	if w.broken == "" {
		w.broken = fmt.Sprintf(format, args...)
	}
}

// judge says what does not hold after the move, "" if all does.
func (w *watch) judge(after *node, v move) string {
	if w.broker != sim.Nobody {
		if err := after.world.Actor(w.broker).(*coordinator.Broker).Check(); err != nil {
			w.find("%s: %v", after.world.Name(w.broker), err)
		}
	}
	if w.model.passesTime(after, v) {
		w.twoHold(w.before)
	}
	if w.model.own != nil {
		if what := w.model.own(after.world); what != "" {
			w.find("%s", what)
		}
	}
	return w.broken
}

// twoHold looks for two members of the current generation that hold one partition. One to
// which something is on its way may be about to learn that it is none any more.
func (w *watch) twoHold(world *sim.World) {
	id, part := scenarios.Coordinator(world)
	b, ok := world.Actor(id).(*coordinator.Broker)
	if !ok || !world.Alive(id) || !b.Coordinates(part) {
		return
	}
	group, ok := b.View(w.model.group)
	if !ok {
		return
	}
	var holds []holder
	for _, id := range w.model.clients {
		if !world.Alive(id) || world.Frozen(id) || world.Coming(id) || w.model.anyTime && world.Awake(id) {
			continue
		}
		m, ok := world.Actor(id).(interface{ View() consumer.View })
		if !ok {
			continue
		}
		v := m.View()
		current := v.Generation == group.Generation &&
			slices.ContainsFunc(group.Members, func(m coordinator.MemberView) bool { return m.ID == v.Member })
		if !current {
			continue
		}
		for _, p := range v.Owned {
			if i := slices.IndexFunc(holds, func(h holder) bool { return h.p == p }); i >= 0 {
				w.find("%s and %s both hold %s-%d in generation %d", world.Name(holds[i].who), world.Name(id), p.Topic, p.Partition, group.Generation)
			}
			holds = append(holds, holder{id, p})
		}
	}
}

// holder is a member that holds a partition.
type holder struct {
	who sim.NodeID
	p   protocol.TopicPartition
}
