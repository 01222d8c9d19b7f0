package invariants

import (
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// goesOn is what makes a group rebalance for ever, as far as that is known: who is in it at the end
// is chance then.
func (m *Monitor) goesOn(b *broker, end End) (place string) {
	if rec := m.log.stored.record; b != nil && rec != nil && m.log.older.lasts(rec.Generation) { // the next one undoes it
		return "never: metadata that was asked for earlier"
	}
	for i := range m.clients {
		if place := m.goesRound(&m.clients[i], end); place != "" {
			return place
		}
	}
	if slices.ContainsFunc(m.clients, func(c client) bool { return c.alive && c.insists }) {
		return commitsTheGone
	}
	for i := range m.clients {
		if m.isUnled(&m.clients[i], end) {
			return tooLateToLead
		}
	}
	for i := range m.clients {
		if m.isLateAgain(&m.clients[i], end) {
			return tooLateForAll
		}
	}
	return ""
}

// goesRound is why a client joins again and again, "" if it does not: once is none, it may get on
// the next time, or have forgotten to ask again.
func (m *Monitor) goesRound(c *client, end End) string {
	switch {
	case !c.alive || c.cfg == nil:
	case c.unwanted >= 2 && contains(m.log.strangers, c.member):
		return givenBack
	case c.unwanted >= 2 && c.instance() != "" && m.givenTheGone(c):
		return backWithFewer
	case c.unwanted >= 2 && c.instance() != "":
		return backWithOthers
	case c.lasted > m.beatsWithin(c, end.Latency.Millis()):
	case c.rounds >= 2, !end.Settled && c.times >= 2 && m.now-c.ranOut < lately+sim.Time(c.lasted)*sim.Millisecond:
		return c.outlived // in the latter case it gets in, and out in the rebalance that follows
	}
	return ""
}

// What a member is given again and again although it does not subscribe to it, or it is not there.
const (
	givenBack      = "never: " + previousOwner
	backWithOthers = "never: a static member that is back with other topics"
	backWithFewer  = "never: a static member that is back when a topic is gone"
)

// givenTheGone reports whether a client that subscribes to a pattern was last given partitions of a
// topic that its metadata does not have.
func (m *Monitor) givenTheGone(c *client) bool {
	return c.pattern && c.meta != nil && slices.ContainsFunc(c.given, func(p int32) bool {
		name := m.parts.list[p].tp.Topic
		return !slices.ContainsFunc(c.meta.Topics, func(t protocol.TopicMetadata) bool { return t.Name == name })
	})
}

// commitsTheGone is a client that tries a commit of a partition that is not there again and again
// before it joins.
const commitsTheGone = "a commit of a partition that is gone"

// tooLateForAll is that a rebalance timeout is too short for a member: it comes back, and others
// may come late to the rebalance that this begins.
const tooLateForAll = "never: a join phase that is over too early"

// isLateAgain reports whether the client's group has lately not waited for it any longer, and its
// rebalance timeout is shorter than what it may need: there is no end to that if its program gives
// poll less time than metadata takes, for which each poll asks anew.
func (m *Monitor) isLateAgain(c *client, end End) bool {
	if !c.alive || c.cfg == nil || c.lateAt == 0 {
		return false
	}
	latency := end.Latency.Millis()
	if c.cfg.Program.Commit == consumer.CommitAsync { // what it asks waits behind its commits
		latency = max(latency, (c.lateFor+1)/2)
	}
	need := m.joinsWithin(c, latency)
	hurried := c.hurried > 0 && c.hurried >= c.lateAt-sim.Time(c.lateIn)*sim.Millisecond
	return (c.lateIn <= need || hurried) && (m.now-c.lateAt).Millis() <= 2*(c.lateIn+need)
}

// tooLateToLead is that a leader takes longer than the session of a member that waits for what it
// assigns: the member's heartbeats wait behind its SyncGroup on the connection.
const tooLateToLead = "never: a leader that takes longer than a session"

// awaitsNoLeader notes that a client closes a connection on which its SyncGroup has waited for a
// session, less the heartbeat that began it.
func (c *client) awaitsNoLeader(link sim.LinkID, now sim.Time) {
	if c.cfg == nil || !c.cfg.Rules.HeartbeatsWhileCompleting || c.leads || c.closing {
		return
	}
	s := &c.cfg.Settings
	for i := range c.asked {
		if a := &c.asked[i]; a.kind == protocol.KindSyncGroup && a.link == link && (now-a.at).Millis() >= s.SessionTimeout-s.HeartbeatInterval {
			c.unled, c.unledAt = c.unled+1, now
		}
	}
}

// isUnled reports whether a client has lately waited in vain for a leader, and one of the members
// may take so long.
func (m *Monitor) isUnled(c *client, end End) bool {
	if !c.alive || c.cfg == nil || c.unled < 2 || m.now-c.unledAt > lately {
		return false
	}
	return slices.ContainsFunc(m.clients, func(x client) bool {
		return x.alive && x.cfg != nil && x.leads && c.cfg.Settings.SessionTimeout <= m.leadsWithin(&x, end.Latency.Millis())
	})
}

// leadsWithin is the longest that a leader may take from when its JoinGroup is answered until its
// SyncGroup is there, ms: its program reads the answer, and it asks for metadata it lacks.
func (m *Monitor) leadsWithin(c *client, latency int64) int64 {
	turn, _ := m.turn(c, latency)
	return latency + turn + 2*latency + latency
}

// joinsWithin is the longest that a member may take from when the group collects until its
// JoinGroup is there, ms: the heartbeat by which it hears of it, what its program is at, and
// before it asks the topics that match its pattern, the commit before the join and its listener's,
// which the log may keep waiting.
func (m *Monitor) joinsWithin(c *client, latency int64) int64 {
	l := &c.cfg.Listener
	hears := max(int64(c.cfg.Settings.HeartbeatInterval), 2*latency) + 2*latency
	turn, commit := m.turn(c, latency)
	return hears + turn + 2*latency + commit + max(sleeps(l.Revoked), sleeps(l.Lost)) + commit + latency
}

// beatsWithin is the longest that a member may take from the answer to a JoinGroup until its first
// heartbeat is there, ms: its program reads that, and the answer to its SyncGroup, if it need not
// ask for metadata before that.
func (m *Monitor) beatsWithin(c *client, latency int64) int64 {
	turn, _ := m.turn(c, latency)
	return latency + turn + 2*latency + 2*latency + turn + int64(c.cfg.Settings.HeartbeatInterval) + latency
}

// turn is the longest from one poll of the program to the next, ms, and what a commit takes of that.
func (m *Monitor) turn(c *client, latency int64) (turn, commit int64) {
	for i := range m.brokers {
		commit = max(commit, 2*latency+m.brokers[i].cfg.AppendLinger)
	}
	p := &c.cfg.Program
	return max(p.BatchMax+p.Idle, sleeps(c.cfg.Listener.Assigned)) + commit, commit
}

// sleeps is the longest that a call of a listener takes by itself, ms.
func sleeps(steps []consumer.CallbackStep) (longest int64) {
	for i := range steps {
		longest = max(longest, steps[i].Sleep)
	}
	return longest
}

// assignsByOlder reports whether an assignment is made by metadata that lacks a topic of the group: the
// answer to what its leader asked for before it led.
func (m *Monitor) assignsByOlder(rec *protocol.LogRecord) bool {
	p := m.ids.list[m.ids.number(rec.Leader)].client
	if p == none || m.clients[p].assignedBy == nil {
		return false
	}
	known := m.clients[p].assignedBy.Topics
	for i := range rec.Members {
		if md := rec.Members[i].Metadata; md != nil && slices.ContainsFunc(md.Topics, func(t string) bool {
			return !slices.ContainsFunc(known, func(k protocol.TopicMetadata) bool { return k.Name == t })
		}) {
			return true
		}
	}
	return false
}
