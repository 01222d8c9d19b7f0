package invariants

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// answers looks at an answer as it is sent.
func (m *Monitor) answers(r *sim.Rec) {
	b, c := m.broker(r.Node), m.client(r.Msg.To)
	if b == nil || c == nil {
		return
	}
	q := c.request(r.Msg.Kind(), r.Msg.Ord)
	if q == nil || q.broker != m.brokerOf[r.Node] {
		return
	}
	e := protocol.ErrorIn(r.Msg.Body)
	if !expected(q.kind, e) && e != protocol.UnknownServerError {
		m.find(b, c, "expected-error", protocol.KindName(q.kind)+" "+e.String(), "%s is answered %s, which no client expects there",
			history.Message(namer(m.f.Name), &r.Msg), e)
	}
	if what := m.untrue(b, q, r.Msg.Body); what != "" {
		place := q.state.String()
		if a, ok := r.Msg.Body.(*protocol.JoinGroupAnswer); ok && q.parked {
			switch {
			case m.ids.number(a.Member) != q.member:
				place = "the name of an earlier restart"
			case m.isRestartStored() && q.body.(*protocol.JoinGroupRequest).Member != "":
				place = "the place of an earlier restart"
			}
		}
		m.find(b, c, "true-answer", protocol.KindName(q.kind)+" "+e.String()+" in "+place,
			"%s is answered %s, and %s", history.Message(namer(m.f.Name), &r.Msg), e, what)
	}
	g := &b.group
	x := g.find(q.member)
	switch a := r.Msg.Body.(type) {
	case *protocol.JoinGroupAnswer:
		m.answersJoin(b, c, q, x, a)
	case *protocol.SyncGroupAnswer:
		m.answersSync(b, c, q, x, a)
	case *protocol.HeartbeatAnswer:
		m.renewsByHeartbeat(b, q, x, e)
	case *protocol.OffsetCommitAnswer:
		m.answersCommit(b, c, q, x, a)
	case *protocol.OffsetFetchAnswer:
		m.answersFetch(b, c, q, a)
	}
	c.willHear(m, &r.Msg, e, g)
	c.drop(q)
}

// isRestartStored reports whether the answer that is sent is that to a static member that came back,
// whose new id the log has now (KAFKA-10284). Whatever JoinGroup of the member waits by then gets it.
func (m *Monitor) isRestartStored() bool {
	return protocol.Rule(m.rec.Why) == protocol.RuleStaticAnswered
}

// answersJoin looks at the answer to a JoinGroup.
func (m *Monitor) answersJoin(b *broker, c *client, q *request, x *member, a *protocol.JoinGroupAnswer) {
	g := &b.group
	r := q.body.(*protocol.JoinGroupRequest)
	if x != nil && x.join && q.parked {
		x.join = false
		x.answered(m.ms())
		switch a.Error {
		case protocol.None, protocol.UnknownMemberID, protocol.FencedInstanceID, protocol.NotCoordinator:
		default: // Kafka's code has it still, and will answer once more, to nobody
			x.answeredEarly, x.most = true, never
		}
	}
	if a.Error == protocol.MemberIDRequired {
		id := m.ids.number(a.Member)
		m.ids.list[id].client, m.ids.list[id].handedAt = m.clientOf[c.node], m.now
		m.idIsNew(b, id)
	}
	if at := m.handedAt(q.member); a.Error == protocol.UnknownMemberID && at >= 0 {
		switch {
		case (m.now - at).Millis() >= int64(r.SessionTimeout):
			m.outlives(q.member, tooLateToJoin, at)
		case !g.there || g.incarnation != m.ids.list[q.member].handedBy:
			m.outlives(q.member, goneWithGroup, at)
		}
	}
	if a.Error != protocol.None || !g.there {
		return
	}
	id := m.ids.number(a.Member)
	x = g.find(id)
	switch {
	case x == nil:
		m.find(b, c, "join-answer", "no member", "%s is told that it is %s, which is no member", m.f.Name(c.node), a.Member)
		return
	case a.Generation != g.generation:
		m.find(b, c, "join-answer", "generation", "%s is told that it is in generation %d, and the group is in %d", m.f.Name(c.node), a.Generation, g.generation)
	case a.Protocol.Value != g.protocol:
		m.find(b, c, "join-answer", "protocol", "%s is told the protocol %q, and the group's is %q", m.f.Name(c.node), a.Protocol.Value, g.protocol)
	}
	if x.instance != "" && r.Member == "" && g.state == protocol.Stable && m.log.stored.member(id) == nil {
		m.find(b, c, "restart-is-stored", "", "%s has the new member id %s, and the log does not know it", m.f.Name(c.node), a.Member)
	}
	if !q.parked && q.member != id { // a static member that came back and is answered at once
		x.updates(b, r)
	}
	leads := g.leader == id
	if g.leader != unknown && m.ids.number(a.Leader) != g.leader {
		place := "leader"
		if x.instance != "" && (r.Member == "" || m.isRestartStored()) {
			place = "leader, to a static member that has come back"
			if r.Version < 9 {
				place = "leader, to an old static member that has come back"
			}
		}
		m.find(b, c, "join-answer", place, "%s is told that %s leads, and %s does", m.f.Name(c.node), a.Leader, m.ids.name(g.leader))
		leads = false
	}
	m.members(b, c, a, leads)
}

// handedAt is when an id was given out to come back with, none if it was not.
func (m *Monitor) handedAt(id int32) sim.Time {
	if id == none {
		return none
	}
	return m.ids.list[id].handedAt
}

// members compares the members that an answer lists with the group's.
func (m *Monitor) members(b *broker, c *client, a *protocol.JoinGroupAnswer, leads bool) {
	g := &b.group
	if len(a.Members) == 0 && (!leads || g.state == protocol.Stable) {
		return // a leader that need not assign is not told
	}
	if !leads && g.leader != unknown {
		m.find(b, c, "join-answer", "members for a follower", "%s does not lead, and is told who the members are", m.f.Name(c.node))
		return
	}
	if len(a.Members) != len(g.members) {
		m.find(b, c, "join-answer", "members", "%s is told of %d members, and the group has %d", m.f.Name(c.node), len(a.Members), len(g.members))
		return
	}
	for i := range a.Members {
		x := g.find(m.ids.number(a.Members[i].ID))
		switch {
		case x == nil || x.instance != a.Members[i].Instance:
			m.find(b, c, "join-answer", "members", "%s is told of the member %s, which the group does not have", m.f.Name(c.node), a.Members[i].ID)
			return
		case !x.offers(g.protocol, a.Members[i].Metadata):
			m.find(b, c, "join-answer", "metadata", "%s is told something else of %s than what it said", m.f.Name(c.node), a.Members[i].ID)
			return
		}
	}
}

// offers reports whether the metadata is what the member says for a protocol.
func (x *member) offers(name string, md *protocol.Metadata) bool {
	for i := range x.protocols {
		if x.protocols[i].Name == name {
			return x.protocols[i].Metadata.Sum() == md.Sum()
		}
	}
	return false
}

// twoAssignments is a generation for which the leader has assigned again before the log had what
// it had assigned first.
const twoAssignments = "the leader has assigned twice"

// answersSync looks at the answer to a SyncGroup.
func (m *Monitor) answersSync(b *broker, c *client, q *request, x *member, a *protocol.SyncGroupAnswer) {
	g := &b.group
	waited := x != nil && x.sync && q.parked
	if waited {
		x.sync = false
		x.renews(m.ms(), ownSync)
		if a.Error == protocol.UnknownServerError || b.rules.WaitsForLog && a.Error != protocol.None {
			x.most = never // Kafka's code may have it still
		}
	}
	if a.Error != protocol.None {
		return
	}
	c.foreign = g.foreign
	if !waited && x != nil && !b.rules.StableSyncSilent {
		x.renews(q.at, ownSync)
	}
	if x == nil || !g.there {
		return
	}
	if a.Assignment.Sum() != x.assignment.Sum() {
		place := role(x) + " member"
		if g.assigned > 1 {
			place = twoAssignments
		}
		m.find(b, c, "sync-answer", place, "%s is given something else in generation %d than what the leader gave it", m.f.Name(c.node), g.generation)
	}
}

var heartbeatIn = [...]string{
	protocol.NoGroup: "a heartbeat", protocol.Empty: "a heartbeat", protocol.Dead: "a heartbeat", protocol.Stable: "a heartbeat in Stable",
	protocol.PreparingRebalance: "a heartbeat in PreparingRebalance", protocol.CompletingRebalance: "a heartbeat in CompletingRebalance",
}

func generationOf(body sim.Body) int32 {
	_, _, _, generation := protocol.IDsIn(body)
	return generation
}

// renewsByHeartbeat takes in that a heartbeat has kept a session.
func (m *Monitor) renewsByHeartbeat(b *broker, q *request, x *member, e protocol.Error) {
	if x == nil || !b.group.there {
		return
	}
	switch {
	case e == protocol.None && q.there, e == protocol.RebalanceInProgress && q.there && q.known && q.generation == generationOf(q.body):
		x.renews(q.at, heartbeatIn[q.state])
	}
}
