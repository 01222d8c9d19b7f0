package invariants

import (
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// reach is how well a client reaches its coordinator.
type reach struct {
	broken sim.Time // when something last kept it from it
	fine   sim.Time // when it last got an answer without an error
	lost   sim.Time // when a message of its was last lost
	left   sim.Time // when it last sent a LeaveGroup
	stored sim.Time // when it last had the answer to a commit
	failed sim.Time // when it was last told that a commit failed
	// retries is when it was last told that a commit failed for which its program waits.
	retries sim.Time
	found   sim.Time // when it was last told who coordinates the group, or that nobody does
	joined  sim.Time // when it last took an assignment over
	// collects is when it first heard that the group collects, since it last joined; none.
	collects sim.Time
	// cleared is when a commit of its program was answered that it had sent before it heard that: a
	// join waits for those.
	cleared sim.Time
	// seeks is that it has asked who the coordinator is, and has no answer.
	seeks bool
	// reads is when it was given the first records since it last sent a commit, or its listener was
	// told that all that it had read of is gone; none: it was not.
	reads sim.Time
	// leaves is the member id with which its consumer was closed.
	leaves int32
	// open are those of its questions to the coordinator that have no answer, and are not a
	// client's asked: LeaveGroup, OffsetFetch.
	open []open
}

// open is a request that has no answer.
type open struct {
	kind uint8
	ord  uint32
	link sim.LinkID
	at   sim.Time
}

// asks takes in a request.
func (c *reach) asks(msg *sim.Message, now sim.Time) {
	c.open = append(c.open, open{msg.Kind(), msg.Ord, msg.Link, now})
}

// hears takes in an answer.
func (c *reach) hears(msg *sim.Message, e protocol.Error, now sim.Time) {
	kind := msg.Kind()
	c.open = slices.DeleteFunc(c.open, func(o open) bool { return o.kind == kind && o.ord == msg.Ord })
	switch e {
	case protocol.None:
		switch kind {
		case protocol.KindJoinGroup, protocol.KindSyncGroup, protocol.KindHeartbeat, protocol.KindOffsetCommit, protocol.KindOffsetFetch:
			c.fine = now
		}
	case protocol.NotCoordinator, protocol.CoordinatorNotAvailable, protocol.CoordinatorLoadInProgress, protocol.RequestTimedOut:
		c.broken = now
	case protocol.RebalanceInProgress:
		if c.collects < 0 {
			c.collects = now
		}
	}
	if kind == protocol.KindOffsetCommit {
		c.stored = now
	}
	switch {
	case kind == protocol.KindOffsetCommit && e != protocol.None:
		c.failed = now
	case kind == protocol.KindFindCoordinator:
		c.seeks, c.found = false, now
	}
}

// autoCommits looks at a client that is given records: with enable.auto.commit it has sent a
// commit since long.
func (m *Monitor) autoCommits(c *client) {
	if c.reach.reads < 0 {
		c.reach.reads = m.now
	}
	if c.cfg == nil || !c.cfg.Settings.AutoCommit || c.clockOff || c.hurries || c.reach.seeks || !c.manual() && c.state != "STABLE" {
		return
	}
	if b := m.coordinator(); b != nil && m.mayFail(b) || c.commitsStill() { // a join may wait for it
		return
	}
	if c.pattern && c.reach.collects >= 0 && c.asksFor(protocol.KindMetadata) { // it commits when it joins, and for that it asks for the topics first
		return
	}
	since := max(c.reach.reads, c.reach.stored, c.reach.broken, c.reach.lost, c.reach.failed, c.reach.found, c.reach.joined, m.busyUntil(c), c.thrownAt, m.booted)
	limit := 2*c.cfg.Settings.AutoCommitInterval + slack + 2*c.pause(true)
	if took := (m.now - since).Millis(); took > limit {
		place := "a member"
		if c.manual() {
			place = "assign()"
		}
		m.find(nil, c, "auto-commits", place, "%s has been given records for %s and has sent no commit; auto.commit.interval.ms is %s", m.f.Name(c.node), span(took), span(c.cfg.Settings.AutoCommitInterval))
	}
}

// commitsStill reports whether the client waits for the answer to a commit.
func (c *client) commitsStill() bool {
	for i := range c.asked {
		if c.asked[i].kind == protocol.KindOffsetCommit {
			return true
		}
	}
	return false
}

// givesUp looks at a connection that a client closes: the answer to a JoinGroup is waited for
// as long as the slowest member may take.
func (m *Monitor) givesUp(c *client, link sim.LinkID) {
	if c.cfg == nil || c.closing || c.clockOff || c.thrownAt >= 0 && c.cfg.Program.AfterThrow == consumer.ThrowCloses {
		return
	}
	s := &c.cfg.Settings
	limit, request := s.MaxPollInterval, sim.Time(s.RequestTimeout)*sim.Millisecond
	if !c.cfg.Rules.HeartbeatThread {
		limit = int64(s.SessionTimeout)
	}
	if c.cfg.Rules.JoinTimeout == protocol.JoinTimeoutRequest {
		limit = min(limit, s.RequestTimeout)
	}
	var join *asked
	for i := range c.asked {
		switch a := &c.asked[i]; {
		case a.link != link:
		case a.kind == protocol.KindJoinGroup:
			join = a
		case m.now-a.at >= request:
			return // it is another request that was not answered in time
		}
	}
	if slices.ContainsFunc(c.reach.open, func(o open) bool { return o.link == link && m.now-o.at >= request }) {
		return
	}
	// The client sees that it has no coordinator when its program polls, and between two selects, of
	// which one may take as long as a poll.
	looks := sim.Time(c.cfg.Program.Poll+c.pause(false)) * sim.Millisecond
	if last := c.reach.broken; join == nil || last > 0 && (m.now-last <= request+looks || m.busyUntil(c)+looks >= m.now) {
		return
	}
	if waited := (m.now - join.at).Millis(); waited < limit {
		m.find(nil, c, "join-is-waited-for", "", "%s gives its JoinGroup up after %s, and its rebalance timeout is %s", m.f.Name(c.node), span(waited), span(limit))
	}
}

// slack is how long a member that polls takes at most from when it hears that the group
// collects to its JoinGroup, beside what its program and its listener take, ms.
const slack = 5000

// didNotJoin looks at a member that is dropped since it has not joined: one that polls, and
// is kept from nothing, has.
func (m *Monitor) didNotJoin(b *broker, x *member) {
	p := m.ids.list[x.id].client
	if p == none || m.mayFail(b) {
		return
	}
	c := &m.clients[p]
	if !c.alive || c.frozen || c.closing || c.clockOff || c.cfg == nil || c.member != x.id || c.generation != b.group.generation ||
		c.asksFor(protocol.KindMetadata) || c.hurries || c.threw || c.cfg.Program.Driven || c.cfg.Program.CountsPolls || c.asksStill() || c.isUnheard() || c.isUnplaced() || m.commitsAreSlow(c) || !c.subscribed {
		return
	}
	if c.reach.collects < b.group.since || b.failed > 0 && b.failed > b.group.since.Millis() {
		return
	}
	since := max(c.reach.collects, c.reach.cleared, c.reach.broken, c.reach.lost, c.reach.failed, m.busyUntil(c), c.thrownAt)
	// Who cannot reach its coordinator for a session is removed for that.
	if took := (m.now - since).Millis(); took > slack+2*c.pause(true)+int64(x.session) {
		place := c.state
		if c.insists {
			place = commitsTheGone
		}
		m.find(b, c, "joins-in-time", place, "%s is dropped from the join phase: it has known of it for %s, polls, and has not asked to join", m.f.Name(c.node), span(took))
	}
}

// commitsAreSlow reports whether the program commits more often than the log can take: what
// else the client asks waits behind.
func (m *Monitor) commitsAreSlow(c *client) bool {
	for i := range c.asked {
		if a := &c.asked[i]; a.kind == protocol.KindOffsetCommit && !a.joins && (m.now-a.at).Millis() > slack {
			return true
		}
	}
	return false
}

// endsInGroup looks at a process that has closed its consumer and ends: it has left the group.
func (m *Monitor) endsInGroup(c *client) {
	b := m.coordinator()
	if b == nil || c.cfg == nil || !c.closed || c.clockOff || c.instance() != "" || !c.cfg.Settings.LeaveOnClose || m.mayFail(b) {
		return
	}
	if c.reach.leaves == none || b.group.find(c.reach.leaves) == nil || c.reach.left > 0 || c.reach.fine <= max(c.reach.broken, c.reach.lost) {
		return
	}
	m.find(b, c, "close-leaves", "", "%s has closed its consumer and ends, and has not told the coordinator that %s leaves", m.f.Name(c.node), m.ids.name(c.reach.leaves))
}
