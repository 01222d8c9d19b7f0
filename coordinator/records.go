package coordinator

import "github.com/rebalsim/rebalsim/protocol"

// groupRecord is the group as it goes into the log: with the assignments proposed by
// the leader, or as they are. It fails if a member does not offer the protocol.
func (b *Broker) groupRecord(g *group, proposed bool) (*protocol.LogRecord, bool) {
	r := &protocol.LogRecord{Group: g.id, ProtocolType: g.typ, Generation: g.generation,
		Protocol: protocol.Null{Valid: g.protocol != "", Value: g.protocol}, Leader: g.leaderID(), StateTime: b.stateTime(g)}
	r.Members = make([]protocol.StoredMember, 0, g.members.n)
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		md, ok := m.metadata(g.protocol)
		if !ok {
			return nil, false
		}
		s := protocol.StoredMember{ID: m.id, ClientID: m.client, Instance: m.instance,
			SessionTimeout: m.session, RebalanceTimeout: m.rebalance, Metadata: md, Assignment: m.assignment}
		if proposed {
			s.Assignment = m.proposed
		}
		r.Members = append(r.Members, s)
	}
	return r, true
}

// stateTime is when the group came into its state, as far as the release stores it.
func (b *Broker) stateTime(g *group) int64 {
	if b.cfg.Rules.Expiry == protocol.ExpiryByCommit || b.cfg.Rules.StateTimeLost {
		return -1
	}
	return g.moved
}

func (b *Broker) emptyRecord(g *group, typ string) *protocol.LogRecord {
	return &protocol.LogRecord{Group: g.id, ProtocolType: typ, Generation: g.generation, StateTime: b.stateTime(g)}
}

// storeEmpty writes that a generation ended without members. If the log refuses it
// the generation before comes back with the next load.
func (b *Broker) storeEmpty(g *group) {
	b.append(g.partition, b.emptyRecord(g, g.typ), protocol.RuleGroupEmptied)
}
