package coordinator

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// newGroup makes a group without members in the state in which groups begin.
func (b *Broker) newGroup(id string, partition int32) *group {
	slot := int32(len(b.groups))
	if n := len(b.free); n > 0 {
		slot, b.free = b.free[n-1], b.free[:n-1]
	} else {
		b.groups = append(b.groups, nil)
	}
	b.born++
	g := &group{
		id: id, sum: sim.HashString(id), slot: slot, born: b.born, partition: partition,
		state: protocol.Empty, previous: protocol.Dead, movedBy: b.out.Cause(), leader: none,
		members: list{none, none, 0}, waiting: list{none, none, 0}, moved: b.out.Now(),
	}
	if !b.cfg.Rules.EmptyState {
		g.state = protocol.Stable
	}
	b.groups[slot] = g
	b.byGroup.put(id, slot)
	return g
}

// dropGroup forgets a group that is dead, or that never was. Timers that members have
// left behind go off without effect.
func (b *Broker) dropGroup(g *group) {
	for i := range g.slots {
		b.freeTimers(&g.slots[i])
	}
	b.freeTimer(&g.joinTimer)
	b.freeTimer(&g.syncTimer)
	for t := range b.timers {
		if o := &b.timers[t]; (o.kind == TimerLeftover || o.kind == TimerIdle) && o.group == g.slot {
			o.group = none
		}
	}
	b.byGroup.remove(g.id)
	b.groups[g.slot] = nil
	b.free = append(b.free, g.slot)
}

// group finds a group as requests see it, nil if there is none. Before Empty existed,
// offsets without a group were not one.
func (b *Broker) group(id string) *group {
	i := b.byGroup.find(id)
	if i == none || b.groups[i].state == protocol.NoGroup {
		return nil
	}
	return b.groups[i]
}

// move brings the group into a state and makes it known.
func (b *Broker) move(g *group, to protocol.GroupState, why protocol.Rule) {
	c := &protocol.GroupChange{Group: g.id, From: g.state, To: to, Generation: g.generation,
		Leader: g.leaderID(), Protocol: g.protocol, Members: g.members.n}
	if !legal(g.state, to) && g.state != protocol.NoGroup {
		b.fault = "a group goes from " + g.state.String() + " to " + to.String()
	}
	ref := g.movedBy
	g.previous, g.state = g.state, to
	g.movedBy, g.moved = b.out.Cause(), b.out.Now()
	b.out.Note(sim.Note{Code: protocol.NoteGroup, Body: c}, uint16(why), ref)
}

func (b *Broker) noteMember(g *group, m *member, what string, why protocol.Rule, ref sim.Ref) {
	b.out.Note(sim.Note{Code: protocol.NoteMember, Body: &protocol.MemberChange{Group: g.id,
		Member: m.id, Client: m.client, Instance: m.instance, What: what}}, uint16(why), ref)
}

// park notes that the request being handled is not answered yet.
func (b *Broker) park(why protocol.Rule) {
	b.out.Note(sim.Note{Code: protocol.NotePark, Comment: true}, uint16(why), b.req.Ref)
}

func (b *Broker) forget(p *parked, why protocol.Rule) {
	if p.set && !p.req.None() {
		b.out.Note(sim.Note{Code: protocol.NoteForgot}, uint16(why), p.req.Ref)
	}
	*p = parked{}
}

// addMember puts a member into the group. The caller fills in what it offers.
func (b *Broker) addMember(g *group, id, client, instance string) *member {
	i := g.find(id)
	if i == none {
		i = g.newSlot()
		g.slots[i] = member{id: id}
		g.byID.put(id, i)
	} else {
		g.unlink(&g.waiting, i)
		b.freeTimer(&g.at(i).timer)
	}
	m := g.at(i)
	m.isMember, m.client, m.instance = true, client, instance
	g.link(&g.members, i, b.place(g))
	if instance != "" {
		g.byStatic.put(instance, i)
	}
	return m
}

// place is the member in front of which the next one comes, none for the end.
func (b *Broker) place(g *group) int32 {
	if b.cfg.LastAddedFirst {
		return g.members.first
	}
	before := none
	for k := b.out.Choose(PointMemberOrder, int(min(g.members.n+1, 8))); k > 0; k-- {
		if before == none {
			before = g.members.last
		} else {
			before = g.slots[before].prev
		}
	}
	return before
}

// takeOut removes a member, or an id given out, without answering anything. Its timer
// is left to the caller.
func (b *Broker) takeOut(g *group, i int32) {
	m := g.at(i)
	g.byID.remove(m.id)
	if !m.isMember {
		g.unlink(&g.waiting, i)
		g.freeSlot(i)
		return
	}
	g.unlink(&g.members, i)
	if m.instance != "" && g.byStatic.find(m.instance) == i {
		g.byStatic.remove(m.instance)
	}
	g.count(m.protocols, -1)
	if m.join.set {
		g.joined--
	}
	if m.owes != 0 {
		g.owing--
	}
	if g.leader == i {
		g.leader = g.members.first
	}
	g.freeSlot(i)
}

func (g *group) freeSlot(i int32) {
	g.slots[i] = member{next: none, prev: none}
	g.free = append(g.free, i)
}

// remove takes a member out because it left or died: what it has parked is answered,
// as far as the release does, and the group goes on without it.
func (b *Broker) remove(g *group, i int32, what string, why protocol.Rule, ref sim.Ref) {
	m := g.at(i)
	b.noteMember(g, m, what, why, ref)
	if b.cfg.Rules.NewMemberTimeout {
		b.answerJoin(g, m, b.joinError(m.join.version, "", protocol.UnknownMemberID), why)
	} else if m.join.set {
		b.forget(&m.join, why)
		g.joined--
	}
	b.forget(&m.sync, protocol.RuleSyncOfRemoved)
	b.freeTimers(m)
	b.takeOut(g, i)
}

// canRebalance: the states from which PreparingRebalance can be reached.
func canRebalance(s protocol.GroupState) bool {
	return s == protocol.Empty || s == protocol.Stable || s == protocol.CompletingRebalance
}

// prepareRebalance makes the group collect its members. In PreparingRebalance it does
// nothing: a second reason neither restarts the phase nor prolongs it.
func (b *Broker) prepareRebalance(g *group, why protocol.Rule) {
	if !canRebalance(g.state) {
		return
	}
	if g.state == protocol.CompletingRebalance {
		b.resetAssignments(g, protocol.RebalanceInProgress, protocol.RuleParkedSyncVoid)
	}
	b.freeTimer(&g.syncTimer)
	g.clearOwing()
	if g.state == protocol.Empty && b.cfg.Rules.InitialDelay {
		g.delaying = true
		g.delay = b.cfg.InitialRebalanceDelay
		g.delayLeft = max(g.maxRebalance()-g.delay, 0)
		b.move(g, protocol.PreparingRebalance, why)
		b.armJoin(g, g.delay)
		return
	}
	b.move(g, protocol.PreparingRebalance, why)
	if g.allJoined() {
		b.completeJoin(g, protocol.RuleAllJoined)
	} else {
		b.armJoin(g, g.maxRebalance())
	}
}

func (g *group) clearOwing() {
	for i := g.members.first; i != none; i = g.slots[i].next {
		g.slots[i].owes = 0
	}
	g.owing, g.owingOld = 0, nil
}

func (b *Broker) armJoin(g *group, ms int32) {
	if g.joinTimer == 0 {
		g.joinTimer = b.newTimer(TimerJoin, g.slot, none, g.sum, "")
	}
	b.out.Arm(g.joinTimer, int64(ms))
}

// tryComplete ends the join phase if nobody is missing any more. The initial delay
// does not end before its time. A phase without its timer has thrown at its end, and
// is stuck (KAFKA-6005).
func (b *Broker) tryComplete(g *group) {
	if g.state == protocol.PreparingRebalance && !g.delaying && g.joinTimer != 0 && g.allJoined() {
		b.completeJoin(g, protocol.RuleAllJoined)
	}
}

// joinTimeEnds is the end of the initial delay, or of the rebalance timeout.
func (b *Broker) joinTimeEnds(g *group) {
	if g.state != protocol.PreparingRebalance {
		return
	}
	defer b.timerWrote(g, TimerJoin, "")
	if !g.delaying {
		b.completeJoin(g, protocol.RuleJoinTimeout)
		return
	}
	if g.newcomer && g.delayLeft != 0 {
		g.newcomer = false
		last := g.delay
		g.delay = min(b.cfg.InitialRebalanceDelay, g.delayLeft)
		g.delayLeft = max(g.delayLeft-last, 0)
		b.armJoin(g, g.delay)
		return
	}
	b.completeJoin(g, protocol.RuleDelayOver)
}

// completeJoin ends the join phase with the members that have asked, and answers
// them all.
func (b *Broker) completeJoin(g *group, why protocol.Rule) {
	rules := &b.cfg.Rules
	b.freeTimer(&g.joinTimer)
	g.delaying = false
	b.dropMissing(g)
	if g.members.n == 0 && !rules.EmptyState {
		b.die(g, protocol.RuleGroupDied)
		return
	}
	if rules.StaticMembers && g.leader != none && !g.at(g.leader).join.set {
		if i := g.firstJoined(); i != none {
			g.leader = i
		} else if g.members.n > 0 {
			b.armJoin(g, g.maxRebalance())
			return
		}
	}
	g.generation++
	g.clearOwing()
	if g.members.n == 0 {
		g.protocol = ""
		b.move(g, protocol.Empty, protocol.RuleGroupEmptied)
		g.learnTopics()
		b.storeEmpty(g)
		return
	}
	name, ok := g.vote(rules.HashOrder)
	if !ok {
		b.throws(protocol.RuleNoCommonProtocol)
		return
	}
	g.protocol = name
	b.move(g, protocol.CompletingRebalance, why)
	g.learnTopics()
	b.answerJoined(g, why)
}

// dropMissing removes the members that have not asked: all, or from 2.3 on the
// dynamic ones.
func (b *Broker) dropMissing(g *group) {
	if g.joined == g.members.n {
		return
	}
	rules := &b.cfg.Rules
	for i := g.members.first; i != none; {
		m := g.at(i)
		next := m.next
		if !m.join.set && (m.instance == "" || !rules.StaticMembers) {
			b.noteMember(g, m, "removed", protocol.RuleNotRejoined, g.movedBy)
			if rules.DropsTimer {
				b.freeTimers(m)
			} else {
				b.leaveTimers(g, m, TimerLeftover)
			}
			b.forget(&m.sync, protocol.RuleSyncOfRemoved)
			b.takeOut(g, i)
		}
		i = next
	}
}

func (g *group) firstJoined() int32 {
	for i := g.members.first; i != none; i = g.slots[i].next {
		if g.slots[i].join.set {
			return i
		}
	}
	return none
}

// answerJoined answers every parked JoinGroup of the generation that has been formed.
func (b *Broker) answerJoined(g *group, why protocol.Rule) {
	rules := &b.cfg.Rules
	leader := g.leaderID()
	wedges := rules.OldLeaderWedges && g.hasStatic()
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		if wedges && i == g.leader && m.join.set && m.join.version < 5 {
			b.throws(protocol.RuleOldLeader) // nobody after it is answered
			return
		}
		if m.join.set {
			a := b.joined(g, m, leader)
			if i == g.leader {
				a.Members = g.list()
			}
			b.answerJoin(g, m, a, why)
		}
		if rules.NewMembersUnwatched && m.isNew {
			b.stopSession(m)
		} else {
			b.renewSession(g, i)
		}
		m.isNew = false
		if rules.PendingSync {
			g.owing++
			m.owes = g.owing
		}
	}
	if rules.PendingSync {
		b.armSync(g, g.maxRebalance())
	}
}

func (g *group) hasStatic() bool {
	for i := g.members.first; i != none; i = g.slots[i].next {
		if g.slots[i].instance != "" {
			return true
		}
	}
	return false
}

// joined is the answer of a generation to one of its members.
func (b *Broker) joined(g *group, m *member, leader string) *protocol.JoinGroupAnswer {
	a := &protocol.JoinGroupAnswer{Generation: g.generation, Protocol: protocol.Some(g.protocol), Leader: leader,
		Member: m.id, HasSkip: m.join.version >= 9 && b.cfg.Rules.SkipAssignment}
	if b.cfg.Rules.SyncNamesProtocol {
		a.ProtocolType = protocol.Some(g.typ)
	}
	return a
}

// list is the group as its leader is told of it.
func (g *group) list() []protocol.JoinedMember {
	all := make([]protocol.JoinedMember, 0, g.members.n)
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		md, _ := m.metadata(g.protocol)
		all = append(all, protocol.JoinedMember{ID: m.id, Instance: m.instance, Metadata: md})
	}
	return all
}

// die ends a group that has lost its last member, where Empty does not exist.
func (b *Broker) die(g *group, why protocol.Rule) {
	b.append(g.partition, &protocol.LogRecord{Group: g.id, Tombstone: true}, why)
	b.move(g, protocol.Dead, why)
	offsets := g.offsets
	b.dropGroup(g)
	if len(offsets) > 0 {
		rest := b.newGroup(g.id, g.partition)
		rest.state, rest.offsets = protocol.NoGroup, offsets
	}
}

// throws marks the place where Kafka's code throws: the request being handled is
// answered UNKNOWN_SERVER_ERROR, and what it did before stays done.
func (b *Broker) throws(why protocol.Rule) {
	b.thrown = true
	b.out.Note(sim.Note{Code: protocol.NotePark, Comment: true}, uint16(why), b.out.Cause())
}

// makeID makes a member's id.
func (b *Broker) makeID(g *group, client, instance string) string {
	if b.cfg.IDs == IDsPlain {
		if len(b.made) == 0 {
			b.made = []int32{0}
		}
		b.made[0]++
		return "m" + strconv.Itoa(int(b.made[0]))
	}
	prefix := client
	if instance != "" {
		prefix = instance
		if b.cfg.Rules.StaticIDByTime {
			return prefix + "-" + strconv.FormatInt(g.moved, 10)
		}
	}
	i := b.client(prefix)
	b.made[i]++
	id := prefix + "-" + strconv.Itoa(int(b.made[i]))
	if b.self > 0 {
		id += string(rune('a' + b.self%26))
	}
	return id
}

func (b *Broker) client(prefix string) int32 {
	i := b.clients.find(prefix)
	if i == none {
		i = int32(len(b.made))
		b.clients.put(prefix, i)
		b.made = append(b.made, 0)
	}
	return i
}

// learnTopics notes what the group's members subscribe to, as far as it is known.
func (g *group) learnTopics() {
	g.knowsTopic, g.topics = false, nil
	if g.typ != "consumer" || g.members.n > 0 && g.protocol == "" {
		return
	}
	g.knowsTopic = true
	for i := g.members.first; i != none; i = g.slots[i].next {
		md, _ := g.slots[i].metadata(g.protocol)
		if md == nil || md.Raw.Valid {
			g.knowsTopic, g.topics = false, nil
			return
		}
		for _, t := range md.Topics {
			if j, ok := slices.BinarySearch(g.topics, t); !ok {
				g.topics = slices.Insert(g.topics, j, t)
			}
		}
	}
}

// idIsTaken keeps a member's id from being made again.
func (b *Broker) idIsTaken(client, instance, id string) {
	if instance != "" {
		client = instance
	}
	rest, ok := strings.CutPrefix(id, client+"-")
	if !ok || b.cfg.IDs == IDsPlain {
		return
	}
	if n, err := strconv.ParseInt(strings.TrimRight(rest, "abcdefghijklmnopqrstuvwxyz"), 10, 32); err == nil {
		i := b.client(client)
		b.made[i] = max(b.made[i], int32(n))
	}
}
