package coordinator

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// GroupView is a group as it stands, for those who look on.
type GroupView struct {
	Group        string
	State        protocol.GroupState
	StateName    string // the release's own name
	Generation   int32
	ProtocolType string
	Protocol     string
	Leader       string // member id
	Members      []MemberView
	Waiting      []string // ids given out that have not come back, in the order of giving
	Owing        []string // ids from which a SyncGroup of this generation is due
}

// MemberView is a member of a GroupView.
type MemberView struct {
	ID, ClientID, Instance           string
	SessionTimeout, RebalanceTimeout int32
	Parked                           uint8 // KindJoinGroup, KindSyncGroup, or 0
	Assignment                       *protocol.Assignment
}

// View shows a group; ok is false if the broker has none of that id.
func (b *Broker) View(id string) (v GroupView, ok bool) {
	g := b.group(id)
	if g == nil {
		return v, false
	}
	v = GroupView{Group: g.id, State: g.state, StateName: b.stateName(g.state), Generation: g.generation,
		ProtocolType: g.typ, Protocol: g.protocol, Leader: g.leaderID()}
	owe := slices.Clone(g.owingOld)
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		x := MemberView{ID: m.id, ClientID: m.client, Instance: m.instance, SessionTimeout: m.session,
			RebalanceTimeout: m.rebalance, Assignment: m.assignment}
		switch {
		case m.join.set:
			x.Parked = protocol.KindJoinGroup
		case m.sync.set:
			x.Parked = protocol.KindSyncGroup
		}
		v.Members = append(v.Members, x)
		if m.owes != 0 {
			owe = append(owe, owing{m.id, m.owes})
		}
	}
	slices.SortStableFunc(owe, func(a, b owing) int { return int(a.place - b.place) })
	for _, o := range owe {
		v.Owing = append(v.Owing, o.id)
	}
	for i := g.waiting.first; i != none; i = g.slots[i].next {
		v.Waiting = append(v.Waiting, g.slots[i].id)
	}
	return v, true
}

// SessionOf is the timer by which a member is removed if nothing is heard of it; 0 if there is
// no such member.
func (b *Broker) SessionOf(group, member string) sim.TimerID {
	g := b.group(group)
	if g == nil {
		return 0
	}
	i := g.member(member)
	if i == none {
		return 0
	}
	return g.at(i).timer
}

// Groups lists the ids of the groups that the broker has, in no particular order.
func (b *Broker) Groups() []string {
	var all []string
	for _, g := range b.groups {
		if g != nil && g.state != protocol.NoGroup {
			all = append(all, g.id)
		}
	}
	return all
}

// Coordinates reports whether the broker coordinates the groups of a partition of
// __consumer_offsets: it leads it and has loaded it.
func (b *Broker) Coordinates(partition int32) bool { return b.parts[partition].state == partOwned }

// Loads reports whether the broker is loading a partition of __consumer_offsets, and
// knows it.
func (b *Broker) Loads(partition int32) bool { return b.parts[partition].state == partLoading }

// TimerOf says whose a timer of this broker is: its kind, and the member id where it
// is a member's.
func (b *Broker) TimerOf(t sim.TimerID) (kind uint8, group, member string) {
	if int(t) >= len(b.timers) {
		return 0, "", ""
	}
	o := &b.timers[t]
	if o.kind != TimerSession && o.kind != TimerJoin && o.kind != TimerSync && o.kind != TimerLeftover && o.kind != TimerIdle {
		return o.kind, "", ""
	}
	if o.group != none && b.groups[o.group] != nil {
		group = b.groups[o.group].id
	}
	return o.kind, group, o.id
}
