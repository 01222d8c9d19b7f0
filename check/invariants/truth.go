package invariants

import (
	"fmt"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// untrue says what is wrong with an answer's error, "" if there is a reason for it.
func (m *Monitor) untrue(b *broker, q *request, body sim.Body) string {
	if a, ok := body.(*protocol.OffsetCommitAnswer); ok {
		return m.untrueCommit(b, q, a)
	}
	return m.unfounded(b, q, protocol.ErrorIn(body))
}

// unfounded says why an error is not what the group that the coordinator has can give as a
// reason. A request that waited is judged by the group as it is now, any other by the group as
// it was when it came.
func (m *Monitor) unfounded(b *broker, q *request, e protocol.Error) string {
	switch e {
	case protocol.None:
		return m.falseNone(b, q)
	case protocol.UnknownMemberID:
		return m.falseUnknown(b, q)
	case protocol.IllegalGeneration:
		if _, _, _, generation := protocol.IDsIn(q.body); q.there && generation == q.generation {
			return "its generation is the group's"
		}
		return ""
	case protocol.FencedInstanceID:
		// By the member whose JoinGroup is handled, or its own new id, which could not be stored.
		taken := m.in.ref != q.ref && (m.in.kind == protocol.KindJoinGroup || b.rules.StaticStored && m.mayFail(b))
		if q.owner == q.member && b.group.find(q.member) != nil && !taken {
			return "its group.instance.id is its own"
		}
		return ""
	case protocol.RebalanceInProgress:
		return m.falseRebalance(b, q)
	case protocol.MemberIDRequired:
		r, ok := q.body.(*protocol.JoinGroupRequest)
		if !ok || r.Member != "" || r.Version < 4 || r.Instance != "" && b.rules.StaticMembers {
			return "it needs no member id"
		}
		return ""
	case protocol.GroupMaxSizeReached:
		switch {
		case q.size < int(b.cfg.MaxSize):
			return "the group is not full"
		case q.known && q.state != protocol.PreparingRebalance:
			return "it is a member's"
		}
		return ""
	case protocol.InconsistentGroupProtocol:
		return m.falseInconsistent(b, q)
	case protocol.InvalidSessionTimeout:
		if r, ok := q.body.(*protocol.JoinGroupRequest); !ok || r.SessionTimeout >= b.cfg.MinSessionTimeout && r.SessionTimeout <= b.cfg.MaxSessionTimeout {
			return "its session timeout is allowed"
		}
		return ""
	case protocol.CoordinatorLoadInProgress:
		if !b.loading {
			return "no log is being read"
		}
		return ""
	case protocol.NotCoordinator:
		if q.there && b.group.there && !m.mayFail(b) && m.in.ref == q.ref {
			return "the broker has the group"
		}
		return ""
	case protocol.UnstableOffsetCommit, protocol.OffsetMetadataTooLarge, protocol.InvalidGroupID, protocol.GroupIDNotFound:
		return ""
	case protocol.UnknownServerError:
		if b.group.wedged || m.mayFail(b) && b.refusal != protocol.NotCoordinator || m.in.formed {
			return ""
		}
		m.find(b, nil, "no-exception", protocol.KindName(q.kind), "the coordinator's code throws an exception at a %s", protocol.KindName(q.kind))
		return ""
	}
	if !m.mayFail(b) {
		return "there is no reason for it"
	}
	return ""
}

// untrueCommit is untrue of a commit: a broker says of the partitions that it does not have that
// they are unknown, and the coordinator sees the others only.
func (m *Monitor) untrueCommit(b *broker, q *request, a *protocol.OffsetCommitAnswer) string {
	unknown, e := 0, protocol.None
	for i := range a.Partitions {
		if x := a.Partitions[i].Error; x == protocol.UnknownTopicOrPartition {
			unknown++
		} else if e == protocol.None {
			e = x
		}
	}
	switch {
	case unknown != q.unknown:
		return fmt.Sprintf("%d of its partitions are unknown", q.unknown)
	case unknown > 0 && unknown == len(a.Partitions):
		return ""
	}
	return m.unfounded(b, q, e)
}

// lacks reports whether the broker does not have a partition, by what it knows of the cluster:
// before KAFKA-6796 a commit was only looked at for its topics.
func (b *broker) lacks(p protocol.TopicPartition) bool {
	if b.image == nil {
		return false
	}
	for i := range b.image.Topics {
		if t := &b.image.Topics[i]; t.Name == p.Topic {
			return b.rules.CommitsByPartition && int(p.Partition) >= len(t.Leaders)
		}
	}
	return true
}

func (m *Monitor) falseNone(b *broker, q *request) string {
	g := &b.group
	switch q.kind {
	case protocol.KindHeartbeat:
		r := q.body.(*protocol.HeartbeatRequest)
		switch {
		case !q.there:
			if !b.loading {
				return "there is no such group"
			}
		case !q.known:
			return "it is no member's"
		case r.Generation != q.generation:
			return "it is of another generation"
		case q.state == protocol.Stable:
		case q.state == protocol.CompletingRebalance:
		default:
			return "the group is " + q.state.String()
		}
	case protocol.KindSyncGroup:
		r := q.body.(*protocol.SyncGroupRequest)
		switch {
		case !g.there || g.state != protocol.Stable:
			return "the group is " + g.state.String()
		case r.Generation != g.generation:
			return "it is of another generation"
		case g.find(q.member) == nil:
			return "it is no member's"
		}
	case protocol.KindJoinGroup:
		if g.state != protocol.CompletingRebalance && g.state != protocol.Stable {
			return "the group is " + g.state.String()
		}
	}
	return ""
}

func (m *Monitor) falseUnknown(b *broker, q *request) string {
	x := b.group.find(q.member)
	_, _, instance, generation := protocol.IDsIn(q.body)
	switch {
	case !q.there || q.state == protocol.Dead:
		return ""
	case q.parked && x != nil:
		return "it is a member's"
	case q.parked, !q.known && !(q.kind == protocol.KindOffsetCommit && generation < 0):
		return ""
	case instance != "" && q.owner == none && b.rules.StaticMembers:
		return "" // nobody has the instance id
	case q.kind == protocol.KindOffsetCommit && generation < 0 && q.state == protocol.Empty:
		return "the group is Empty"
	case q.kind == protocol.KindOffsetCommit && generation < 0 || q.kind == protocol.KindLeaveGroup && q.member == none:
		return ""
	}
	return "it is a member's"
}

func (m *Monitor) falseRebalance(b *broker, q *request) string {
	collects := q.state == protocol.PreparingRebalance
	switch q.kind {
	case protocol.KindHeartbeat:
		if !collects {
			return "the group is " + q.state.String()
		}
	case protocol.KindSyncGroup:
		if collects || b.loading && !q.there || m.mayFail(b) {
			return ""
		}
		// It waited, and the group has begun to collect anew: it is told before the group is
		// moved, in the same step.
		if !q.parked || b.group.state != protocol.CompletingRebalance && b.group.state != protocol.PreparingRebalance {
			return "the group is " + q.state.String()
		}
	case protocol.KindOffsetCommit:
		switch {
		case m.mayFail(b):
		case q.state != protocol.CompletingRebalance:
			return "the group is " + q.state.String()
		case !q.known || generationOf(q.body) != q.generation:
			return "it is no member's, or of another generation"
		}
	default:
		if !m.mayFail(b) {
			return "there is no reason for it"
		}
	}
	return ""
}

// falseInconsistent: a JoinGroup is refused for its protocols although every member has
// one that it offers.
func (m *Monitor) falseInconsistent(b *broker, q *request) string {
	g := &b.group
	r, ok := q.body.(*protocol.JoinGroupRequest)
	if !ok || r.ProtocolType != g.typ || len(g.members) == 0 {
		return ""
	}
next:
	for i := range r.Protocols {
		for j := range g.members {
			if !g.members[j].has(r.Protocols[i].Name) {
				continue next
			}
		}
		return "all members have " + r.Protocols[i].Name
	}
	return ""
}

func (x *member) has(name string) bool {
	for i := range x.protocols {
		if x.protocols[i].Name == name {
			return true
		}
	}
	return false
}
