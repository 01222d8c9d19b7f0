package coordinator

import (
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

// DescribeGroups. A group that is not there is "Dead", without an error.
func (b *Broker) describeGroups(r *protocol.DescribeGroupsRequest) {
	a := &protocol.DescribeGroupsAnswer{Groups: make([]protocol.DescribedGroup, len(r.Groups))}
	for i, id := range r.Groups {
		d := &a.Groups[i]
		d.Group = id
		if err, _ := b.admit(id, protocol.KindDescribeGroups); err != protocol.None {
			d.Error = err
			continue
		}
		g := b.group(id)
		if g == nil || b.uncommitted(g) {
			d.State = protocol.Dead.String()
			continue
		}
		b.describe(g, d)
	}
	b.reply(a.Freeze(), protocol.RuleDescribed, 0)
}

// uncommitted: Java's coordinator shows no group whose first record is not committed.
func (b *Broker) uncommitted(g *group) bool { return g.bornAt > b.parts[g.partition].hw }

func (b *Broker) describe(g *group, d *protocol.DescribedGroup) {
	stable := g.state == protocol.Stable
	d.State, d.ProtocolType = b.stateName(g.state), g.typ
	if stable {
		d.Protocol = g.protocol
	}
	if g.members.n > 0 {
		d.Members = make([]protocol.DescribedMember, 0, g.members.n)
	}
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		x := protocol.DescribedMember{ID: m.id, ClientID: m.client, Instance: m.instance}
		if stable {
			x.Metadata, _ = m.metadata(g.protocol)
		}
		if stable || b.cfg.Rules.DescribesAssignment {
			x.Assignment = m.assignment
		}
		d.Members = append(d.Members, x)
	}
}

// stateName is the release's own name of a state.
func (b *Broker) stateName(s protocol.GroupState) string {
	if s == protocol.CompletingRebalance && !b.cfg.Rules.CompletingName {
		return "AwaitingSync"
	}
	return s.String()
}

// ListGroups lists what this broker coordinates. While a partition is loading it says
// so, and lists what is loaded.
func (b *Broker) listGroups(r *protocol.ListGroupsRequest) {
	a := &protocol.ListGroupsAnswer{}
	why := protocol.RuleListed
	for i := range b.parts {
		if b.parts[i].state == partLoading {
			a.Error, why = protocol.CoordinatorLoadInProgress, protocol.RuleLoading
		}
	}
	for _, g := range b.groups {
		if a.Error != protocol.None && b.cfg.Rules.LoadingListsNothing {
			break
		}
		if g == nil || g.state == protocol.NoGroup || b.uncommitted(g) {
			continue
		}
		state := b.stateName(g.state)
		if b.passes(r.States, state) {
			a.Groups = append(a.Groups, protocol.ListedGroup{Group: g.id, ProtocolType: g.typ, State: state})
		}
	}
	b.reply(a.Freeze(), why, 0)
}

func (b *Broker) passes(filter []string, state string) bool {
	for _, f := range filter {
		if f == state || b.cfg.Rules.FilterIgnoresCase && strings.EqualFold(f, state) {
			return true
		}
	}
	return len(filter) == 0
}

// DeleteGroups (KIP-229).
func (b *Broker) deleteGroups(r *protocol.DeleteGroupsRequest) {
	a := &protocol.DeleteGroupsAnswer{Groups: make([]protocol.DeletedGroup, len(r.Groups))}
	why := protocol.RuleGroupDeleted
	n := int32(0)
	for i, id := range r.Groups {
		a.Groups[i].Group = id
		n = protocol.CoordinatorPartition(id, int32(len(b.parts)))
		err, refusal := b.deleteGroup(id)
		if a.Groups[i].Error = err; err != protocol.None {
			why = refusal
		}
	}
	b.answer(n, a.Freeze(), why, 0)
}

func (b *Broker) deleteGroup(id string) (protocol.Error, protocol.Rule) {
	if err, why := b.admit(id, protocol.KindDeleteGroups); err != protocol.None {
		return err, why
	}
	g := b.group(id)
	switch {
	case g == nil || g.state == protocol.Dead:
		return protocol.GroupIDNotFound, protocol.RuleNoGroup
	case g.state != protocol.Empty:
		return protocol.NonEmptyGroup, protocol.RuleNonEmpty
	}
	for len(g.offsets) > 0 {
		n := len(g.offsets)
		if b.deleteOffset(g, g.offsets[n-1].partition, protocol.RuleGroupDeleted); len(g.offsets) == n {
			break
		}
	}
	b.removeGroup(g, protocol.RuleGroupDeleted)
	return protocol.None, 0
}
