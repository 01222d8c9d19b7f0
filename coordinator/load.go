package coordinator

import (
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// load takes a partition over, after it had its turn and took its time.
func (b *Broker) load(o *Load) {
	p := &b.parts[o.Partition]
	if b.cfg.Rules.EpochsOrdered && o.Epoch < p.epoch {
		return
	}
	p.load = o
	if p.state != partOwned {
		p.state = partQueued
		if b.cfg.Rules.LoadingWhenScheduled {
			p.state = partLoading
		}
	}
	if o.Queued > 0 {
		b.armLoad(o.Partition, o.Queued)
		return
	}
	b.loadBegins(o.Partition)
}

func (b *Broker) armLoad(n int32, ms int64) {
	p := &b.parts[n]
	if p.loading == 0 {
		p.loading = b.newTimer(TimerLoad, n, none, uint64(n), "")
	}
	b.out.Arm(p.loading, ms)
}

// loadBegins reads the log. A queued load is turned into one that is under way by a
// Queued of 0.
func (b *Broker) loadBegins(n int32) {
	p := &b.parts[n]
	o := *p.load
	o.Queued = 0
	p.load = &o
	p.epoch = o.Epoch
	if p.state != partOwned {
		p.state = partLoading
	}
	if !o.KeepLog {
		p.log = slices.Clip(o.Records)
		p.base, p.end, p.hw = 0, int64(len(o.Records)), int64(len(o.Records))
	}
	switch {
	case o.Takes == 0:
		b.loadDone(n)
	case o.Takes > 0:
		b.armLoad(n, o.Takes)
	}
}

func (b *Broker) loadGoesOn(n int32) {
	switch p := &b.parts[n]; {
	case p.load == nil:
	case p.load.Queued > 0:
		b.loadBegins(n)
	default:
		b.loadDone(n)
	}
}

// own begins the coordination of a partition's groups.
func (b *Broker) own(n int32) {
	p := &b.parts[n]
	p.state = partOwned
	if b.cfg.Rules.ExpiryByPartition {
		if p.cleanup == 0 {
			p.cleanup = b.newTimer(TimerCleanup, n, none, uint64(n), "")
		}
		b.out.Arm(p.cleanup, b.cfg.RetentionCheck)
	}
}

// loaded is a group as the log has it.
type loaded struct {
	record  *protocol.LogRecord
	offsets []offsetEntry
	id      string
}

// loadDone makes the groups that the log describes. What was not in the log does not
// exist: rebalances under way, new members, ids given out, parked requests.
func (b *Broker) loadDone(n int32) {
	p := &b.parts[n]
	if p.load == nil {
		return
	}
	p.load = nil
	b.freeTimer(&p.loading)
	var found []loaded
	var index names
	for _, r := range p.log {
		i := index.find(r.Group)
		if i == none {
			i = int32(len(found))
			index.put(r.Group, i)
			found = append(found, loaded{id: r.Group})
		}
		found[i].replay(r)
	}
	b.own(n)
	slices.SortStableFunc(found, func(a, b loaded) int { return strings.Compare(a.id, b.id) })
	count := int64(0)
	for i := range found {
		l := &found[i]
		if l.record == nil && len(l.offsets) == 0 || b.byGroup.find(l.id) != none {
			continue
		}
		b.restore(n, l)
		count++
	}
	b.out.Note(sim.Note{Code: protocol.NoteLoaded, A: int64(n), B: count}, uint16(protocol.RuleLoaded), 0)
}

func (l *loaded) replay(r *protocol.LogRecord) {
	switch {
	case !r.IsOffset && r.Tombstone:
		l.record = nil
	case !r.IsOffset:
		l.record = r
	default:
		i, ok := findOffset(l.offsets, r.Partition)
		switch {
		case r.Tombstone && ok:
			l.offsets = slices.Delete(l.offsets, i, i+1)
		case r.Tombstone:
		case ok:
			l.offsets[i].committed = r
		default:
			l.offsets = slices.Insert(l.offsets, i, offsetEntry{partition: r.Partition, committed: r})
		}
	}
}

// restore makes one group of what the log has of it.
func (b *Broker) restore(n int32, l *loaded) {
	rules := &b.cfg.Rules
	g := b.newGroup(l.id, n)
	g.previous = protocol.Dead
	g.offsets = l.offsets
	r := l.record
	g.stored = r
	if r == nil {
		if !rules.EmptyState {
			g.state = protocol.NoGroup
			return
		}
		b.noteRestored(g)
		return
	}
	g.generation, g.moved = r.Generation, r.StateTime
	if len(r.Members) > 0 || rules.EmptyTypeLoaded {
		g.typ = r.ProtocolType
	}
	g.protocol = r.Protocol.Value
	for i := range r.Members {
		s := &r.Members[i]
		m := b.addMember(g, s.ID, s.ClientID, s.Instance)
		m.session, m.rebalance = s.SessionTimeout, s.RebalanceTimeout
		m.protocols = []protocol.GroupProtocol{{Name: g.protocol, Metadata: s.Metadata}}
		m.assignment = s.Assignment
		g.count(m.protocols, 1)
		b.idIsTaken(s.ClientID, s.Instance, s.ID)
	}
	g.leader = g.member(r.Leader)
	if g.members.n > 0 {
		g.state = protocol.Stable
	}
	g.learnTopics()
	b.noteRestored(g)
	oversized := rules.MaxSize != protocol.MaxSizeNone && g.members.n > b.cfg.MaxSize
	if oversized && !rules.SizeAfterTimers {
		b.prepareRebalance(g, protocol.RuleOversized)
	}
	for i := g.members.first; i != none; i = g.slots[i].next {
		b.renewSession(g, i)
	}
	if oversized && rules.SizeAfterTimers {
		b.prepareRebalance(g, protocol.RuleOversized)
	}
}

// noteRestored makes known what the load has made of a group: nobody else is in it.
func (b *Broker) noteRestored(g *group) {
	b.out.Note(sim.Note{Code: protocol.NoteGroup, Body: &protocol.GroupChange{Group: g.id, To: g.state, Generation: g.generation,
		Leader: g.leaderID(), Protocol: g.protocol, Members: g.members.n}}, uint16(protocol.RuleLoaded), 0)
	for i := g.members.first; i != none; i = g.slots[i].next {
		b.noteMember(g, g.at(i), "added", protocol.RuleLoaded, 0)
	}
}

// unload gives a partition up. Its groups die here; parked requests are answered.
func (b *Broker) unload(o *Unload) {
	rules := &b.cfg.Rules
	p := &b.parts[o.Partition]
	if rules.EpochsOrdered && o.Epoch < p.epoch {
		return
	}
	b.failQueue(o.Partition, protocol.NotLeaderOrFollower)
	p = &b.parts[o.Partition]
	p.log, p.end, p.held = p.committedLog(), p.hw, false
	p.state, p.epoch, p.load = partOther, max(p.epoch, o.Epoch), nil
	b.freeTimer(&p.loading)
	b.freeTimer(&p.commit)
	b.freeTimer(&p.cleanup)
	count := int64(0)
	for _, g := range b.groups {
		if g != nil && (g.partition == o.Partition || !rules.UnloadsOwnOnly) {
			b.unloadGroup(g)
			count++
		}
	}
	b.out.Note(sim.Note{Code: protocol.NoteUnloaded, A: int64(o.Partition), B: count}, uint16(protocol.RuleUnloaded), 0)
}

func (b *Broker) unloadGroup(g *group) {
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		b.answerJoin(g, m, b.joinError(m.join.version, m.id, protocol.NotCoordinator), protocol.RuleUnloadAnswers)
		b.answerSync(g, m, b.syncError(protocol.NotCoordinator), protocol.RuleUnloadAnswers)
	}
	b.move(g, protocol.Dead, protocol.RuleUnloaded)
	for t := range b.timers {
		if o := &b.timers[t]; (o.kind == TimerLeftover || o.kind == TimerIdle) && o.group == g.slot {
			id := sim.TimerID(t)
			b.freeTimer(&id)
		}
	}
	b.dropGroup(g)
}
