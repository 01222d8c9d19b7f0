package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// start reads the beginning that is given instead of played.
func (l *loader) start(n *Node) {
	if n == nil {
		return
	}
	f := n.fields(startShape)
	formed := f.Get("formed")
	f.Done()
	if formed.Given() {
		l.formed(formed)
	} else if n.kind != textNode && n.kind != listNode && len(n.keys) == 0 {
		n.Fail("write {formed: {leader: …}}, or leave it out", "start says nothing")
	}
}

// formed reads a state of the group, and refuses one in which no group can be.
func (l *loader) formed(n *Node) {
	s := &Formed{Pos: n.Pos, Generation: 1, State: protocol.Stable}
	f := n.fields(formedShape)
	generation, stateNode, offsets := f.Get("generation"), f.Get("state"), f.Get("offsets")
	members := f.Get("members")
	ofMembers := []*Node{f.Get("leader"), members, f.Get("lost-answers"), f.Get("assignment")}
	f.Done()

	if generation.Given() {
		s.Generation = int32(generation.Int(1, 1<<31-2))
	}
	if stateNode.Given() {
		switch s.State = state(stateNode); s.State {
		case protocol.PreparingRebalance:
			stateNode.Fail("form it Stable and let something begin a rebalance", "not yet: a group that is formed while it rebalances")
		case protocol.Dead:
			stateNode.Fail("leave out start", "a group that is Dead is not there")
		}
	}
	l.formedOffsets(offsets, s)
	l.s.Formed = s
	if s.State == protocol.Empty {
		for _, of := range ofMembers {
			if of.Given() {
				of.Fail("leave it out", "a group that is Empty has no members, and so no %s", of.label)
			}
		}
		return
	}
	l.formedMembers(n, members, s)
	if len(s.Members) == 0 {
		n.Fail("a member that starts later is not in it", "the formed group has no members")
		return
	}
	s.Leader = s.Members[0]
	if leader := ofMembers[0]; leader.Given() {
		if s.Leader = l.member(leader); s.Leader != "" && !slices.Contains(s.Members, s.Leader) && l.isNode[s.Leader] {
			leader.Fail("", "the leader %s is not a member of the formed group", s.Leader)
		}
	}
	l.lostAnswers(ofMembers[2], s)
	if assignment := ofMembers[3]; assignment.Given() {
		l.formedAssignment(assignment, s)
	}
}

// formedMembers reads who is in the formed group: without a word all that run from the
// beginning.
func (l *loader) formedMembers(n, members *Node, s *Formed) {
	if members.Given() {
		s.Members = l.memberList(members)
	}
	for i := range l.s.Members {
		m := &l.s.Members[i]
		switch in := slices.Contains(s.Members, m.Name); {
		case !members.Given() && m.Start == 0 && !m.Never && m.Assigned == nil:
			s.Members = append(s.Members, m.Name)
		case in && (m.Start != 0 || m.Never):
			n.Fail("", "%s is in the formed group, so it has no start of its own", m.Name)
		case in && m.Assigned != nil:
			members.Fail("", "%s takes partitions by itself: it is in no group", m.Name)
		}
	}
}

// formedOffsets reads what the group has committed before the run begins. So many records
// the partition has.
func (l *loader) formedOffsets(n *Node, s *Formed) {
	for _, e := range n.Entries() {
		tp, ok := l.partition(e.Key)
		offset := e.Value.Int(0, maxOffset)
		if !ok {
			continue
		}
		for _, t := range l.s.Topics {
			if t.Name == tp.Topic && (t.Absent || tp.Partition >= t.Partitions) {
				e.Key.Fail("", "%s is not there when the run begins", tp)
			}
		}
		s.Offsets = append(s.Offsets, protocol.PartitionOffset{TopicPartition: tp, Offset: offset})
	}
	if n.Given() {
		n.notNothing("offsets")
	}
}

// formedAssignment reads what each member of the formed group has been assigned: of those
// that are not named, nothing.
func (l *loader) formedAssignment(n *Node, s *Formed) {
	s.Assignment = make([][]protocol.TopicPartition, len(s.Members))
	owner := map[protocol.TopicPartition]string{}
	for _, e := range n.Entries() {
		member := l.member(e.Key)
		at := slices.Index(s.Members, member)
		if at < 0 {
			if l.isNode[member] {
				e.Key.Fail("", "%s is not a member of the formed group", member)
			}
			continue
		}
		m := l.memberNamed(member)
		for _, item := range e.Value.List() {
			p, ok := l.partition(item)
			switch {
			case !ok:
			case owner[p] != "":
				item.Fail("", "%s has %s already", owner[p], p)
			case m.Pattern == "" && !slices.Contains(m.Topics, p.Topic):
				item.Fail("", "%s does not subscribe to %s", member, p.Topic)
			default:
				owner[p] = member
				s.Assignment[at] = append(s.Assignment[at], p)
			}
		}
	}
}

func (l *loader) lostAnswers(n *Node, s *Formed) {
	for _, e := range n.Entries() {
		kind := request(e.Value, protocol.KindJoinGroup, protocol.KindSyncGroup)
		switch member := l.member(e.Key); {
		case !l.isNode[member] || kind == 0:
		case !slices.Contains(s.Members, member):
			e.Key.Fail("", "%s is not a member of the formed group", member)
		case kind == protocol.KindSyncGroup && s.State == protocol.CompletingRebalance:
			e.Value.Fail("", "in CompletingRebalance no SyncGroup has been answered")
		case kind == protocol.KindJoinGroup && member == s.Leader && s.State == protocol.Stable:
			e.Value.Fail("only the leader's SyncGroup answer can be lost in Stable",
				"the group cannot be Stable if its leader did not learn that it leads: nobody has assigned anything")
		default:
			s.LostAnswers = append(s.LostAnswers, LostAnswer{member, kind})
		}
	}
	if s.State != protocol.CompletingRebalance {
		return
	}
	for _, member := range s.Members { // who had the answer would have asked for its part
		if !slices.ContainsFunc(s.LostAnswers, func(a LostAnswer) bool { return a.Member == member }) {
			s.LostAnswers = append(s.LostAnswers, LostAnswer{member, protocol.KindJoinGroup})
		}
	}
}
