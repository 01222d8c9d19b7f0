package coordinator

import (
	"fmt"

	"github.com/rebalsim/rebalsim/protocol"
)

// legal says whether a group may go from one state to another.
func legal(from, to protocol.GroupState) bool {
	switch to {
	case protocol.Empty:
		return from == protocol.PreparingRebalance
	case protocol.PreparingRebalance:
		return canRebalance(from)
	case protocol.CompletingRebalance:
		return from == protocol.PreparingRebalance
	case protocol.Stable:
		return from == protocol.CompletingRebalance
	case protocol.Dead:
		return true
	}
	return false
}

// Check looks for what can never be, whatever was asked: it is for tests. It costs as
// much as the broker has members.
func (b *Broker) Check() error {
	if b.fault != "" {
		return fmt.Errorf("%s", b.fault)
	}
	for _, g := range b.groups {
		if g == nil {
			continue
		}
		if err := b.checkGroup(g); err != nil {
			return fmt.Errorf("group %q in %s, generation %d: %w", g.id, g.state, g.generation, err)
		}
	}
	for i := range b.parts {
		if p := &b.parts[i]; p.hw > p.end || p.hw < p.base || p.end-p.base != int64(len(p.log)) {
			return fmt.Errorf("partition %d: log from %d to %d, %d records, high watermark %d", i, p.base, p.end, len(p.log), p.hw)
		}
	}
	return nil
}

func (b *Broker) checkGroup(g *group) error {
	var joined, owing, members int32
	last := none
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		members++
		switch {
		case m.prev != last:
			return fmt.Errorf("the chain of members is broken at %s", m.id)
		case !m.isMember || g.byID.find(m.id) != i:
			return fmt.Errorf("member %s is not found by its id", m.id)
		case m.instance != "" && g.byStatic.find(m.instance) != i:
			return fmt.Errorf("member %s is not found by its instance id %s", m.id, m.instance)
		}
		last = i
		if m.join.set {
			joined++
			if err := b.mayPark(g, m); err != "" {
				return fmt.Errorf("member %s has a JoinGroup parked: %s", m.id, err)
			}
		}
		if m.sync.set && g.state != protocol.CompletingRebalance {
			return fmt.Errorf("member %s has a SyncGroup parked", m.id)
		}
		if m.owes != 0 {
			owing++
		}
	}
	for i := range g.support {
		var n int32
		for j := g.members.first; j != none; j = g.slots[j].next {
			if _, ok := g.slots[j].metadata(g.support[i].name); ok {
				n++
			}
		}
		if n != g.support[i].n {
			return fmt.Errorf("%d members offer %s, not %d", n, g.support[i].name, g.support[i].n)
		}
	}
	switch {
	case members != g.members.n || joined != g.joined || owing != g.owing:
		return fmt.Errorf("counts: members %d of %d, joined %d of %d, owing %d of %d", members, g.members.n, joined, g.joined, owing, g.owing)
	case members > 0 && (g.leader == none || !g.slots[g.leader].isMember):
		return fmt.Errorf("nobody leads")
	case members == 0 && g.leader != none:
		return fmt.Errorf("somebody leads nobody")
	case members > 0 && (g.state == protocol.Empty || g.state == protocol.Dead || g.state == protocol.NoGroup):
		return fmt.Errorf("it has members")
	case members == 0 && (g.state == protocol.CompletingRebalance || g.state == protocol.Stable && b.cfg.Rules.EmptyState):
		return fmt.Errorf("it has no members")
	case g.owing > 0 && g.state != protocol.CompletingRebalance && g.state != protocol.Stable:
		return fmt.Errorf("members owe a SyncGroup")
	case g.protocol == "" && (g.state == protocol.CompletingRebalance || g.state == protocol.Stable && members > 0):
		return fmt.Errorf("no protocol is selected")
	}
	return nil
}

// mayPark says why a member cannot have a JoinGroup parked, "" if it can: while the
// group collects; in Stable while the new id of a static member is stored; and where
// Kafka's code has thrown.
func (b *Broker) mayPark(g *group, m *member) string {
	switch {
	case g.state == protocol.PreparingRebalance,
		g.state == protocol.Stable && m.instance != "" && b.cfg.Rules.StaticStored,
		b.cfg.Rules.OldLeaderWedges:
		return ""
	}
	return "the group does not collect"
}
