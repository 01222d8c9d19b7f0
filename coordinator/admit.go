package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
)

// admit says whether this broker can take a group's request at all: the error that
// refuses it, or None.
func (b *Broker) admit(id string, kind uint8) (protocol.Error, protocol.Rule) {
	rules := &b.cfg.Rules
	if id == "" && b.needsGroupID(kind) {
		return protocol.InvalidGroupID, protocol.RuleInvalidGroup
	}
	var state partState
	if i := b.byGroup.find(id); i != none {
		state = b.parts[b.groups[i].partition].state
	} else {
		state = b.parts[protocol.CoordinatorPartition(id, int32(len(b.parts)))].state
	}
	switch {
	case state == partOwned:
		return protocol.None, 0
	case state != partLoading || !rules.LoadingFirst:
		return protocol.NotCoordinator, protocol.RuleNotCoordinator
	case kind == protocol.KindHeartbeat:
		return protocol.None, protocol.RuleLoadingHeartbeat
	case kind == protocol.KindSyncGroup && rules.SyncTranslated:
		return protocol.RebalanceInProgress, protocol.RuleLoadingSync
	}
	return protocol.CoordinatorLoadInProgress, protocol.RuleLoading
}

// needsGroupID says whether an empty group id is refused.
func (b *Broker) needsGroupID(kind uint8) bool {
	switch kind {
	case protocol.KindJoinGroup:
		return true
	case protocol.KindSyncGroup, protocol.KindHeartbeat, protocol.KindLeaveGroup,
		protocol.KindTxnOffsetCommit, protocol.KindOffsetDelete:
		return b.cfg.Rules.GroupIDsChecked
	}
	return false
}

// judge compares a request's member, i or none, and its instance id with the group's:
// the error that refuses it, or None.
func (b *Broker) judge(g *group, i int32, instance string, join bool) (protocol.Error, protocol.Rule) {
	if instance != "" && b.cfg.Rules.StaticMembers {
		owner := g.byStatic.find(instance)
		switch {
		case owner == none && (join || b.cfg.Rules.MemberUnified):
			return protocol.UnknownMemberID, protocol.RuleUnknownInstance
		case owner != none && owner != i:
			return protocol.FencedInstanceID, protocol.RuleFenced
		}
	}
	if i == none {
		return protocol.UnknownMemberID, protocol.RuleUnknownMember
	}
	return protocol.None, 0
}

// deadError is what a group answers that is dead and has not been forgotten yet: the
// request raced with the unloading of its partition.
func (b *Broker) deadError() protocol.Error {
	if b.cfg.Rules.DeadIsUnavailable {
		return protocol.CoordinatorNotAvailable
	}
	return protocol.UnknownMemberID
}
