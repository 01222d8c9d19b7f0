package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// parkJoin lets a JoinGroup wait in its member's place. One that waits there already
// is replaced, and never answered.
func (b *Broker) parkJoin(g *group, i int32, r *protocol.JoinGroupRequest, why protocol.Rule) {
	m := g.at(i)
	if m.join.set {
		b.forget(&m.join, protocol.RuleJoinReplaced)
	} else {
		g.joined++
	}
	m.join = parked{set: true, version: r.Version, req: b.req}
	b.parkedAt = i
	b.park(why)
}

// answerJoin answers a member's parked JoinGroup, if it has one.
func (b *Broker) answerJoin(g *group, m *member, a *protocol.JoinGroupAnswer, why protocol.Rule) {
	if !m.join.set {
		return
	}
	p := m.join
	m.join = parked{}
	g.joined--
	b.answerParked(g, &p, a.Freeze(), why)
}

func (b *Broker) answerParked(g *group, p *parked, body sim.Body, why protocol.Rule) {
	if p.op != 0 {
		b.settle(g.partition, p.op)
	}
	switch {
	case !p.req.None():
		b.out.Reply(p.req, body, uint16(why), p.req.Ref)
	case p.late != 0:
		b.out.Note(sim.Note{Code: protocol.NoteLate, Body: body, Comment: true}, uint16(why), p.late)
	}
}

// lose notes that a parked request has been answered because Kafka's code threw.
func (p *parked) lose() { p.req, p.late = sim.Request{}, p.req.Ref }

// joined is the answer of a generation to one of its members.
func (b *Broker) joined(g *group, m *member, leader string, version int16) *protocol.JoinGroupAnswer {
	a := &protocol.JoinGroupAnswer{Generation: g.generation, Protocol: protocol.Some(g.protocol), Leader: leader,
		Member: m.id, HasSkip: version >= 9 && b.cfg.Rules.SkipAssignment}
	if b.cfg.Rules.SyncNamesProtocol {
		a.ProtocolType = protocol.Some(g.typ)
	}
	return a
}

func (b *Broker) replyJoin(a *protocol.JoinGroupAnswer, why protocol.Rule, ref sim.Ref) {
	b.reply(a.Freeze(), why, ref)
}

func (b *Broker) joinError(version int16, id string, err protocol.Error) *protocol.JoinGroupAnswer {
	a := &protocol.JoinGroupAnswer{Error: err, Generation: b.cfg.Rules.ErrorGeneration, Member: id,
		Protocol: protocol.Some(""), HasSkip: version >= 9 && b.cfg.Rules.SkipAssignment}
	switch rule := b.cfg.Rules.Nameless; {
	case rule == protocol.NamelessFromV7 && version >= 7,
		rule == protocol.NamelessUnknown && err == protocol.FencedInstanceID:
		a.Protocol = protocol.Null{}
	}
	return a
}

// refuseJoin answers the request being handled with an error. It returns false.
func (b *Broker) refuseJoin(r *protocol.JoinGroupRequest, id string, err protocol.Error, why protocol.Rule, ref sim.Ref) bool {
	b.replyJoin(b.joinError(r.Version, id, err), why, ref)
	return false
}

// joinThrows answers a JoinGroup in whose handling Kafka's code throws. Its member
// still has it parked, and may answer it no more.
func (b *Broker) joinThrows(g *group, r *protocol.JoinGroupRequest) {
	b.refuseJoin(r, r.Member, protocol.UnknownServerError, protocol.RuleThrows, 0)
	if b.parkedAt != none {
		g.at(b.parkedAt).join.lose()
	}
}

// joinWritten ends a JoinGroup as Java's coordinator does: a new group is recorded,
// and a request that still waits fails if the log does not go on.
func (b *Broker) joinWritten(g *group, r *protocol.JoinGroupRequest, created bool) {
	p := &b.parts[g.partition]
	if created && b.cfg.Rules.RecordsNewGroup && !b.wrote && b.failed == protocol.None {
		if b.append(g.partition, b.emptyRecord(g, ""), protocol.RuleRecordsNewGroup) != protocol.None {
			b.unmakeGroup(g, r)
			return
		}
		g.bornAt = p.end
	}
	i := b.parkedAt
	if i == none || p.hw >= p.end || g.at(i).join.req != b.req {
		return
	}
	b.wait(g.partition, waiting{what: waitParked, group: g.slot, born: g.born, req: b.req,
		answer: b.joinError(r.Version, "", protocol.None)})
	g.at(i).join.op = b.lastOp
}

// unmakeGroup takes a group back whose first record the log refused.
func (b *Broker) unmakeGroup(g *group, r *protocol.JoinGroupRequest) {
	err := b.storeError(b.failed, false)
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		b.answerJoin(g, m, b.joinError(m.join.version, "", err), protocol.RuleStoreFailed)
	}
	if g.state != protocol.Empty { // or it was never seen
		b.move(g, protocol.Dead, protocol.RuleStoreFailed)
	}
	b.dropGroup(g)
}
