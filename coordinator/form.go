package coordinator

import (
	"fmt"

	"github.com/rebalsim/rebalsim/protocol"
)

// Check says what is wrong with a formed group: a group could not have come to be so.
func (o *Form) Check(cfg *Config) error {
	switch o.State {
	case protocol.Empty, protocol.Dead:
		if len(o.Members) > 0 {
			return fmt.Errorf("group %q: a group that is %s has no members", o.Group, o.State)
		}
		if o.State == protocol.Empty && !cfg.Rules.EmptyState {
			return fmt.Errorf("group %q: there is no state Empty before Kafka 0.10.1", o.Group)
		}
		return nil
	case protocol.Stable, protocol.CompletingRebalance:
	default:
		return fmt.Errorf("group %q: no group is formed in the state %s: say Empty, CompletingRebalance, Stable or Dead", o.Group, o.State)
	}
	if len(o.Members) == 0 {
		return fmt.Errorf("group %q: a group that is %s has members", o.Group, o.State)
	}
	if o.Generation < 1 {
		return fmt.Errorf("group %q: the generation of a group with members is at least 1, not %d", o.Group, o.Generation)
	}
	leads := false
	seen := make(map[string]bool, len(o.Members))
	for i := range o.Members {
		m := &o.Members[i]
		if m.ID == "" || seen[m.ID] {
			return fmt.Errorf("group %q: member ids must be given, each once: %q", o.Group, m.ID)
		}
		seen[m.ID] = true
		leads = leads || m.ID == o.Leader
		if m.Instance != "" && !cfg.Rules.StaticMembers {
			return fmt.Errorf("group %q: member %s: there is no group.instance.id before Kafka 2.3", o.Group, m.ID)
		}
		offers := false
		for j := range m.Protocols {
			offers = offers || m.Protocols[j].Name == o.Protocol
		}
		if !offers {
			return fmt.Errorf("group %q: member %s does not offer the selected protocol %q", o.Group, m.ID, o.Protocol)
		}
	}
	if !leads {
		return fmt.Errorf("group %q: the leader %q is not a member", o.Group, o.Leader)
	}
	return nil
}

// form brings a group about as the order says; one that cannot be is left out. What
// the real one would have stored is in the log.
func (b *Broker) form(o *Form) {
	n := protocol.CoordinatorPartition(o.Group, int32(len(b.parts)))
	if b.byGroup.find(o.Group) != none || b.parts[n].state != partOwned || o.Check(b.cfg) != nil {
		return
	}
	g := b.newGroup(o.Group, n)
	g.typ = o.ProtocolType
	if g.typ == "" {
		g.typ = "consumer"
	}
	for i := range o.Members {
		f := &o.Members[i]
		m := b.addMember(g, f.ID, f.ClientID, f.Instance)
		m.session, m.rebalance = f.SessionTimeout, f.RebalanceTimeout
		m.protocols = f.Protocols
		g.count(m.protocols, 1)
		m.proposed = f.Assignment
		b.idIsTaken(f.ClientID, f.Instance, f.ID)
	}
	g.leader = g.member(o.Leader)
	g.generation = o.Generation
	if len(o.Members) > 0 {
		g.protocol = o.Protocol
	}
	g.learnTopics()
	g.state = protocol.NoGroup // it came to be in its state outside of the run
	b.move(g, o.State, protocol.RuleFormed)
	g.previous = formedFrom(o.State)
	for i := g.members.first; i != none; i = g.slots[i].next {
		b.noteMember(g, &g.slots[i], "added", protocol.RuleFormed, 0)
	}
	switch o.State {
	case protocol.Stable:
		record, _ := b.groupRecord(g, true)
		b.append(n, record, protocol.RuleFormed)
		g.take(record.Members)
	case protocol.Empty:
		b.storeEmpty(g)
	}
	for i := g.members.first; i != none; i = g.slots[i].next {
		b.renewSession(g, i)
		if o.State == protocol.CompletingRebalance && b.cfg.Rules.PendingSync {
			g.owing++
			g.slots[i].owes = g.owing
		}
	}
	if g.owing > 0 {
		b.armSync(g, g.maxRebalance())
	}
	for i := range o.Offsets {
		f := &o.Offsets[i]
		r := &protocol.LogRecord{Group: g.id, IsOffset: true, Partition: f.TopicPartition, Offset: f.Offset,
			CommitTime: b.out.Now(), ExpireTime: -1, MetadataSize: f.MetadataSize}
		if b.cfg.Rules.Expiry == protocol.ExpiryByCommit {
			r.ExpireTime = b.out.Now() + b.cfg.OffsetsRetention
		}
		at := b.parts[n].end
		if b.append(n, r, protocol.RuleFormed) == protocol.None {
			g.pend(r, at)
			j, _ := findOffset(g.offsets, r.Partition)
			g.offsets[j].promote(at + 1)
		}
	}
	if p := &b.parts[n]; p.hw < p.end { // its past is longer ago than an append takes
		if p.commit != 0 {
			b.out.Disarm(p.commit)
		}
		b.advance(n)
	}
}

// formedFrom is the state that a formed group was in before.
func formedFrom(s protocol.GroupState) protocol.GroupState {
	switch s {
	case protocol.Stable:
		return protocol.CompletingRebalance
	case protocol.CompletingRebalance, protocol.Empty:
		return protocol.PreparingRebalance
	}
	return protocol.Empty
}
