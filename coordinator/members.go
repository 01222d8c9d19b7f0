package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// addMember puts a member into the group. The caller fills in what it offers.
func (b *Broker) addMember(g *group, id, client, instance string) *member {
	i := g.find(id)
	if i == none {
		i = g.newSlot()
		g.slots[i] = member{id: id}
		g.byID.put(id, i)
	} else {
		g.unlink(&g.waiting, i)
		b.freeTimer(&g.at(i).timer)
	}
	m := g.at(i)
	m.isMember, m.client, m.instance = true, client, instance
	g.link(&g.members, i, b.place(g))
	if instance != "" {
		g.byStatic.put(instance, i)
	}
	return m
}

// place is the member in front of which the next one comes, none for the end.
func (b *Broker) place(g *group) int32 {
	if b.cfg.LastAddedFirst {
		return g.members.first
	}
	before := none
	for k := b.out.Choose(PointMemberOrder, int(min(g.members.n+1, 8))); k > 0; k-- {
		if before == none {
			before = g.members.last
		} else {
			before = g.slots[before].prev
		}
	}
	return before
}

// takeOut removes a member, or an id given out, without answering anything. Its timer
// is left to the caller.
func (b *Broker) takeOut(g *group, i int32) {
	m := g.at(i)
	g.byID.remove(m.id)
	if !m.isMember {
		g.unlink(&g.waiting, i)
		g.freeSlot(i)
		return
	}
	g.unlink(&g.members, i)
	if m.instance != "" && g.byStatic.find(m.instance) == i {
		g.byStatic.remove(m.instance)
	}
	g.count(m.protocols, -1)
	if m.join.set {
		g.joined--
	}
	if m.owes != 0 {
		g.owing--
	}
	if g.leader == i {
		g.leader = g.members.first
	}
	g.freeSlot(i)
}

func (g *group) freeSlot(i int32) {
	g.slots[i] = member{next: none, prev: none}
	g.free = append(g.free, i)
}

// remove takes a member out because it left or died: what it has parked is answered,
// as far as the release does, and the group goes on without it.
func (b *Broker) remove(g *group, i int32, what string, why protocol.Rule, ref sim.Ref) {
	m := g.at(i)
	b.noteMember(g, m, what, why, ref)
	if b.cfg.Rules.NewMemberTimeout {
		b.answerJoin(g, m, b.joinError(m.join.version, "", protocol.UnknownMemberID), why)
	} else if m.join.set {
		b.forget(&m.join, why)
		g.joined--
	}
	b.forget(&m.sync, protocol.RuleSyncOfRemoved)
	b.freeTimers(m)
	b.takeOut(g, i)
}
