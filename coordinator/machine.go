package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// newGroup makes a group without members in the state in which groups begin.
func (b *Broker) newGroup(id string, partition int32) *group {
	slot := int32(len(b.groups))
	if n := len(b.free); n > 0 {
		slot, b.free = b.free[n-1], b.free[:n-1]
	} else {
		b.groups = append(b.groups, nil)
	}
	b.born++
	g := &group{
		id: id, sum: sim.HashString(id), slot: slot, born: b.born, partition: partition,
		state: protocol.Empty, previous: protocol.Dead, movedBy: b.out.Cause(), leader: none,
		members: list{none, none, 0}, waiting: list{none, none, 0}, moved: b.out.Now(),
	}
	if !b.cfg.Rules.EmptyState {
		g.state = protocol.Stable
	}
	b.groups[slot] = g
	b.byGroup.put(id, slot)
	return g
}

// dropGroup forgets a group that is dead, or that never was. Timers that members have
// left behind go off without effect.
func (b *Broker) dropGroup(g *group) {
	for i := range g.slots {
		b.freeTimers(&g.slots[i])
	}
	b.freeTimer(&g.joinTimer)
	b.freeTimer(&g.syncTimer)
	for t := range b.timers {
		if o := &b.timers[t]; (o.kind == TimerLeftover || o.kind == TimerIdle) && o.group == g.slot {
			o.group = none
		}
	}
	b.byGroup.remove(g.id)
	b.groups[g.slot] = nil
	b.free = append(b.free, g.slot)
}

// group finds a group as requests see it, nil if there is none. Before Empty existed,
// offsets without a group were not one.
func (b *Broker) group(id string) *group {
	i := b.byGroup.find(id)
	if i == none || b.groups[i].state == protocol.NoGroup {
		return nil
	}
	return b.groups[i]
}

// move brings the group into a state and makes it known.
func (b *Broker) move(g *group, to protocol.GroupState, why protocol.Rule) {
	c := &protocol.GroupChange{Group: g.id, From: g.state, To: to, Generation: g.generation,
		Leader: g.leaderID(), Protocol: g.protocol, Members: g.members.n}
	if !legal(g.state, to) && g.state != protocol.NoGroup {
		b.fault = "a group goes from " + g.state.String() + " to " + to.String()
	}
	ref := g.movedBy
	g.previous, g.state = g.state, to
	g.movedBy, g.moved = b.out.Cause(), b.out.Now()
	b.out.Note(sim.Note{Code: protocol.NoteGroup, Body: c}, uint16(why), ref)
}

func (b *Broker) noteMember(g *group, m *member, what string, why protocol.Rule, ref sim.Ref) {
	b.out.Note(sim.Note{Code: protocol.NoteMember, Body: &protocol.MemberChange{Group: g.id,
		Member: m.id, Client: m.client, Instance: m.instance, What: what}}, uint16(why), ref)
}

// park notes that the request being handled is not answered yet.
func (b *Broker) park(why protocol.Rule) {
	b.out.Note(sim.Note{Code: protocol.NotePark, Comment: true}, uint16(why), b.req.Ref)
}

func (b *Broker) forget(p *parked, why protocol.Rule) {
	if p.set && !p.req.None() {
		b.out.Note(sim.Note{Code: protocol.NoteForgot}, uint16(why), p.req.Ref)
	}
	*p = parked{}
}

// throws marks the place where Kafka's code throws: the request being handled is
// answered UNKNOWN_SERVER_ERROR, and what it did before stays done.
func (b *Broker) throws(why protocol.Rule) {
	b.thrown = true
	b.out.Note(sim.Note{Code: protocol.NotePark, Comment: true}, uint16(why), b.out.Cause())
}
