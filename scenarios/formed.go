package scenarios

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/assignor"
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// formedGroup is the group that a run begins with: what the coordinator has of it and
// what its members know, as if they had formed it by the protocol before.
type formedGroup struct {
	*Formed
	protocol string
	topics   []string // of the whole group
	members  []formedMember
	at       []int // by the member's place in the scenario: its place in members plus 1, 0: none
}

type formedMember struct {
	name     string
	cfg      *consumer.Config
	id       string
	offered  []protocol.GroupProtocol
	had      []protocol.TopicPartition // in the generation before
	assigned *protocol.Assignment
}

// formGroup forms the group that the scenario states, nil if it states none.
func (b *builder) formGroup() (*formedGroup, error) {
	if b.Formed == nil {
		return nil, nil
	}
	g := &formedGroup{Formed: b.Formed, at: make([]int, len(b.Members))}
	if g.State == protocol.Empty {
		return g, g.order(b).Check(&b.servers[b.coord])
	}
	for _, name := range b.Formed.Members {
		m := &b.Members[b.places[name]]
		cfg := b.clientConfig(m)
		id := cfg.Settings.ClientID
		if cfg.Settings.InstanceID != "" {
			id = cfg.Settings.InstanceID
		}
		g.members = append(g.members, formedMember{name: name, cfg: cfg, id: coordinator.MemberID(id, 1, b.coord)})
		g.at[b.places[name]] = len(g.members)
		for _, t := range m.Topics {
			if !slices.Contains(g.topics, t) {
				g.topics = append(g.topics, t)
			}
		}
	}
	if g.protocol = g.common(); g.protocol == "" {
		return nil, fmt.Errorf("the members of the formed group have no assignor in common")
	}
	return g, g.assign(b)
}

// common is the first assignor of the first member that all offer.
func (g *formedGroup) common() string {
	for _, name := range g.members[0].cfg.Settings.Strategy {
		all := true
		for i := range g.members {
			all = all && slices.Contains(g.members[i].cfg.Settings.Strategy, name)
		}
		if all {
			return name
		}
	}
	return ""
}

// assign lets the leader's assignor do its work twice, unless the scenario says what it gave: what it gave in the generation
// before is what members that keep partitions said they owned when they joined this one.
func (g *formedGroup) assign(b *builder) error {
	for generation := range min(g.Generation, 2) {
		before := g.Generation - min(g.Generation, 2) + generation
		if before == 0 {
			before = -1
		}
		in := assignor.Input{Topics: b.assignorTopics()}
		for i := range g.members {
			m := &g.members[i]
			m.offer(g.protocol, before)
			for _, p := range m.offered {
				if p.Name == g.protocol {
					in.Members = append(in.Members, assignor.NewMember(g.protocol, m.id, m.cfg.Settings.InstanceID, p.Metadata))
				}
			}
		}
		assigned := g.Assignment
		if assigned == nil {
			result, err := assignor.Assign(g.protocol, g.leader().cfg.Assignor, in)
			if err != nil {
				return fmt.Errorf("the formed group: %w", err)
			}
			assigned = result.Assigned
		}
		for i := range g.members {
			m := &g.members[i]
			m.assigned = (&protocol.Assignment{Version: m.cfg.Rules.SubscriptionVersion, Partitions: assigned[i]}).Freeze()
		}
	}
	return nil
}

func (g *formedGroup) leader() *formedMember {
	return &g.members[slices.IndexFunc(g.members, func(m formedMember) bool { return m.name == g.Leader })]
}

// offer writes what the member offered as it joined, when it was of the generation
// given (-1: of none) and had been assigned what it has here.
func (m *formedMember) offer(selected string, generation int32) {
	m.had = nil
	if m.assigned != nil {
		m.had = m.assigned.Partitions
	}
	m.offered = consumer.Offers(m.cfg, selected, m.had, generation)
}

func (b *builder) assignorTopics() []assignor.Topic {
	var list []assignor.Topic
	for i := range b.image.Topics {
		t := &b.image.Topics[i]
		list = append(list, assignor.Topic{Name: t.Name, Partitions: int32(len(t.Leaders)), Racks: t.Racks})
	}
	return list
}

// order is the order that forms the group at its coordinator.
func (g *formedGroup) order(b *builder) *coordinator.Form {
	form := &coordinator.Form{Group: b.Group.ID, State: g.State, Generation: g.Generation, Protocol: g.protocol, Offsets: g.Offsets}
	if len(g.members) > 0 {
		form.Leader = g.leader().id
	}
	for i := range g.members {
		m := &g.members[i]
		s := &m.cfg.Settings
		f := coordinator.FormedMember{ID: m.id, ClientID: s.ClientID, Instance: s.InstanceID,
			SessionTimeout: int32(s.SessionTimeout), RebalanceTimeout: int32(s.MaxPollInterval), Protocols: m.offered}
		if g.State == protocol.Stable {
			f.Assignment = m.assigned
		}
		form.Members = append(form.Members, f)
	}
	return form
}

// client is how the member of a place in the scenario begins its life, nil if it is not in
// the group.
func (g *formedGroup) client(place int, coord sim.NodeID) *consumer.Formed {
	if g.at[place] == 0 {
		return nil
	}
	m := &g.members[g.at[place]-1]
	f := &consumer.Formed{Coordinator: coord, Member: m.id, Generation: g.Generation, Protocol: g.protocol,
		Leader: m.name == g.Leader}
	if f.Leader {
		f.GroupTopics = g.topics
	}
	for _, l := range g.LostAnswers {
		if l.Member == m.name {
			f.InFlight = l.Request
		}
	}
	f.Had, f.HadIn = m.had, g.Generation-1
	if f.InFlight == protocol.KindJoinGroup {
		f.Generation-- // of the new one it has not heard
	}
	if f.InFlight == 0 {
		f.Had, f.HadIn = m.assigned.Partitions, g.Generation
		for _, p := range m.assigned.Partitions {
			f.Owned = append(f.Owned, protocol.PartitionOffset{TopicPartition: p, Offset: g.committed(p)})
		}
	}
	return f
}

// committed is the offset from which a member goes on with a partition.
func (f *Formed) committed(p protocol.TopicPartition) int64 {
	for _, o := range f.Offsets {
		if o.TopicPartition == p {
			return o.Offset
		}
	}
	return 0
}
