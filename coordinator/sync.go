package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// SyncGroup. Version 3 knows instance ids (KIP-345); 5 names protocol type and
// protocol, which must be there, are checked and answered (KIP-559).
func (b *Broker) syncGroup(r *protocol.SyncGroupRequest) {
	if err, why := b.admit(r.Group, protocol.KindSyncGroup); err != protocol.None {
		b.refuseSync(err, why, 0)
		return
	}
	if b.cfg.Rules.SyncNamesProtocol && r.Version >= 5 && !(r.ProtocolType.Valid && r.Protocol.Valid) {
		b.refuseSync(protocol.InconsistentGroupProtocol, protocol.RuleNamesNoProtocol, 0)
		return
	}
	g := b.group(r.Group)
	if g == nil {
		b.refuseSync(protocol.UnknownMemberID, protocol.RuleNoGroup, 0)
		return
	}
	i := g.member(r.Member)
	if err, why := b.judgeSync(g, r, i); err != protocol.None {
		b.refuseSync(err, why, g.movedBy)
		return
	}
	switch g.state {
	case protocol.PreparingRebalance:
		b.refuseSync(protocol.RebalanceInProgress, protocol.RuleSyncVoid, g.movedBy)
	case protocol.CompletingRebalance:
		b.syncCompleting(g, r, i)
	case protocol.Stable:
		m := g.at(i)
		b.received(g, i)
		b.reply(b.synced(g, m.assignment), protocol.RuleStableSync, g.movedBy)
		if !b.cfg.Rules.StableSyncSilent {
			b.renewSession(g, i)
		}
	default:
		b.refuseSync(protocol.UnknownMemberID, protocol.RuleUnknownMember, g.movedBy)
	}
}

func (b *Broker) judgeSync(g *group, r *protocol.SyncGroupRequest, i int32) (protocol.Error, protocol.Rule) {
	if g.state == protocol.Dead {
		return b.deadError(), protocol.RuleDead
	}
	if err, why := b.judge(g, i, r.Instance, false); err != protocol.None {
		return err, why
	}
	if r.Generation != g.generation {
		return protocol.IllegalGeneration, protocol.RuleIllegalGeneration
	}
	if b.cfg.Rules.SyncNamesProtocol {
		if r.ProtocolType.Valid && r.ProtocolType.Value != g.typ || r.Protocol.Valid && r.Protocol.Value != g.protocol {
			return protocol.InconsistentGroupProtocol, protocol.RuleOtherProtocol
		}
	}
	return protocol.None, 0
}

// syncCompleting lets a member wait for its part. The leader's request brings the
// parts: they are stored first.
func (b *Broker) syncCompleting(g *group, r *protocol.SyncGroupRequest, i int32) {
	m := g.at(i)
	b.forget(&m.sync, protocol.RuleSyncReplaced)
	m.sync = parked{set: true, version: r.Version, req: b.req}
	b.received(g, i)
	if !b.cfg.Rules.SyncKeepsTimer {
		b.stopSession(m)
	}
	if i == g.leader {
		b.park(protocol.RuleLeaderSyncWaits)
		b.storeAssignment(g, r)
	} else {
		b.park(protocol.RuleSyncWaits)
	}
	if p := &b.parts[g.partition]; b.cfg.Rules.WaitsForLog && p.hw < p.end && g.at(i).sync.req == b.req {
		b.wait(g.partition, waiting{what: waitParked, group: g.slot, born: g.born, req: b.req,
			answer: b.syncError(protocol.None)})
		g.at(i).sync.op = b.lastOp
	}
}

// received notes that a member has sent its SyncGroup (KAFKA-12890).
func (b *Broker) received(g *group, i int32) {
	if m := g.at(i); m.owes != 0 {
		m.owes = 0
		g.owing--
	}
	if g.owing == 0 && len(g.owingOld) == 0 {
		b.freeTimer(&g.syncTimer)
	}
}

// storeAssignment writes the generation with the leader's assignment. A member that
// the leader did not name gets nothing; one that is none is passed over.
func (b *Broker) storeAssignment(g *group, r *protocol.SyncGroupRequest) {
	for i := g.members.first; i != none; i = g.slots[i].next {
		g.slots[i].proposed = nil
	}
	for i := range r.Assignments {
		if j := g.member(r.Assignments[i].Member); j != none {
			g.slots[j].proposed = r.Assignments[i].Assignment
		}
	}
	record, ok := b.groupRecord(g, true)
	if !ok { // KAFKA-9801: a member that was replaced does not offer the protocol
		b.reply(b.syncError(protocol.UnknownServerError), protocol.RuleThrows, 0)
		g.at(g.leader).sync.lose()
		return
	}
	w := waiting{what: waitAssign, group: g.slot, born: g.born, generation: g.generation, record: record}
	if err := b.append(g.partition, record, protocol.RuleAssigned); err != protocol.None {
		b.failed = protocol.None
		b.assigned(g, &w, err)
		return
	}
	b.wait(g.partition, w)
}

// assigned hands out the assignment that was stored, or takes the group back to
// collecting if it could not be. If the group has moved on meanwhile the record is in
// the log, and nothing else comes of it.
func (b *Broker) assigned(g *group, w *waiting, err protocol.Error) {
	if g == nil || g.state != protocol.CompletingRebalance || g.generation != w.generation {
		return
	}
	if err != protocol.None {
		b.resetAssignments(g, b.storeError(err, false), protocol.RuleStoreFailed)
		b.prepareRebalance(g, protocol.RuleStoreFailed)
		return
	}
	if !g.take(w.record.Members) { // KAFKA-9801: the callback throws
		b.throws(protocol.RuleThrows)
		return
	}
	g.protocol = w.record.Protocol.Value
	b.move(g, protocol.Stable, protocol.RuleAssigned)
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		if m.sync.set {
			b.answerSync(g, m, b.synced(g, m.assignment), protocol.RuleAssigned)
			b.renewSession(g, i)
		}
	}
}

// take gives each member its part. It fails if a member is not in the record: it was
// replaced while the record was on its way.
func (g *group) take(parts []protocol.StoredMember) bool {
	k := 0
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		if k >= len(parts) || parts[k].ID != m.id {
			return false
		}
		m.proposed = parts[k].Assignment
		k++
	}
	for i := g.members.first; i != none; i = g.slots[i].next {
		g.slots[i].assignment, g.slots[i].proposed = g.slots[i].proposed, nil
	}
	return true
}

// resetAssignments takes every member's part away and answers the parked SyncGroups
// with the error.
func (b *Broker) resetAssignments(g *group, err protocol.Error, why protocol.Rule) {
	for i := g.members.first; i != none; i = g.slots[i].next {
		g.slots[i].assignment = nil
	}
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		if m.sync.set {
			b.answerSync(g, m, b.syncError(err), why)
			b.renewSession(g, i)
		}
	}
}

// answerSync answers a member's parked SyncGroup, if it has one.
func (b *Broker) answerSync(g *group, m *member, a *protocol.SyncGroupAnswer, why protocol.Rule) {
	if !m.sync.set {
		return
	}
	p := m.sync
	m.sync = parked{}
	b.answerParked(g, &p, a, why)
}

func (b *Broker) synced(g *group, part *protocol.Assignment) *protocol.SyncGroupAnswer {
	a := &protocol.SyncGroupAnswer{Assignment: part}
	if b.cfg.Rules.SyncNamesProtocol {
		a.ProtocolType, a.Protocol = protocol.Some(g.typ), protocol.Some(g.protocol)
	}
	return a.Freeze()
}

func (b *Broker) syncError(err protocol.Error) *protocol.SyncGroupAnswer {
	return (&protocol.SyncGroupAnswer{Error: err}).Freeze()
}

func (b *Broker) refuseSync(err protocol.Error, why protocol.Rule, ref sim.Ref) {
	b.reply(b.syncError(err), why, ref)
}

// parkedFails answers a request that is still parked when what was in the log before
// it could not be committed.
func (b *Broker) parkedFails(w *waiting, err protocol.Error) {
	if err == protocol.None || w.req.None() {
		return
	}
	err = b.storeError(err, false)
	if a, ok := w.answer.(*protocol.JoinGroupAnswer); ok {
		c := *a
		c.Error = err
		b.out.Reply(w.req, c.Freeze(), uint16(protocol.RuleStoreFailed), w.req.Ref)
	} else {
		b.out.Reply(w.req, b.syncError(err), uint16(protocol.RuleStoreFailed), w.req.Ref)
	}
	g := b.groups[w.group]
	if g == nil || g.born != w.born {
		return
	}
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		if m.join.req == w.req {
			m.join.req = sim.Request{}
		}
		if m.sync.req == w.req {
			m.sync.req = sim.Request{}
		}
	}
}
