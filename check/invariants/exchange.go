package invariants

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// asks looks at a request as the client sends it.
func (m *Monitor) asks(c *client, r *sim.Rec) {
	group, id, _, generation := protocol.IDsIn(r.Msg.Body)
	kind := r.Msg.Kind()
	switch kind {
	case protocol.KindMetadata:
		c.askedMeta = m.now
	case protocol.KindFindCoordinator:
		c.reach.seeks = true
	}
	if kind == protocol.KindMetadata || kind == protocol.KindFindCoordinator || kind == protocol.KindOffsetFetch {
		c.looksUp = append(c.looksUp, asked{kind: kind, ord: r.Msg.Ord, link: r.Msg.Link})
	}
	if group != m.f.Group {
		return
	}
	c.queued = c.queued && (c.drained < 0 || c.drained == m.now)
	switch body := r.Msg.Body.(type) {
	case *protocol.LeaveGroupRequest:
		c.mayDrop, c.reach.left, c.turned = true, m.now, m.now
		c.reach.asks(&r.Msg, m.now)
		return
	case *protocol.JoinGroupRequest, *protocol.SyncGroupRequest:
		if j, ok := body.(*protocol.JoinGroupRequest); ok {
			m.joins(c, j, protocol.Rule(r.Why))
			c.reach.collects, c.insists = none, false
		}
		if kind == protocol.KindSyncGroup {
			c.assignedBy = c.meta
			c.syncs = append(c.syncs, joined{ord: r.Msg.Ord, madeIn: c.madeIn})
		}
		for i := range c.asked {
			if c.asked[i].kind == kind && c.asked[i].link == r.Msg.Link && !c.asked[i].lost {
				m.find(nil, c, "one-asked", protocol.KindName(kind), "%s sends a %s while another waits for its answer", m.f.Name(c.node), protocol.KindName(kind))
			}
		}
	case *protocol.OffsetCommitRequest:
		c.reach.reads = none
		m.commitsWhatItHas(c, body)
		c.commits = append(c.commits, commit{r.Msg.Ord, c.madeIn, m.now, !waitedFor(protocol.Rule(r.Why)), c.sought})
		c.preparing = c.preparing || protocol.Rule(r.Why) == protocol.RulePrepareCommit
		c.leaving = c.leaving || c.mayPrepare(protocol.Rule(r.Why))
	case *protocol.HeartbeatRequest:
	default:
		c.reach.asks(&r.Msg, m.now)
		return
	}
	c.askedAt = m.now
	c.asked = append(c.asked, asked{kind: kind, ord: r.Msg.Ord, link: r.Msg.Link, member: m.idOf(c, id), generation: generation, madeIn: c.madeIn,
		joins: protocol.Rule(r.Why) == protocol.RulePrepareCommit, sync: waitedFor(protocol.Rule(r.Why)), at: m.now})
	if c.queues(r.Msg.Link, m.now); !c.queued && (kind == protocol.KindHeartbeat || kind == protocol.KindSyncGroup) {
		if n := m.idOf(c, id); c.member != none && (n != c.member || generation != c.generation) {
			m.find(nil, c, "own-generation", protocol.KindName(kind), "%s sends a %s as %s in generation %d, and is %s in %d",
				m.f.Name(c.node), protocol.KindName(kind), id, generation, m.ids.name(c.member), c.generation)
		}
	}
}

// queues notes whether requests on a connection may have been made before they are sent: when
// pipelined wait for their answers, until there are few again, and all that has waited is sent,
// which is at one moment.
func (c *client) queues(link sim.LinkID, now sim.Time) {
	n := 0
	for i := range c.asked {
		if c.asked[i].link == link {
			n++
		}
	}
	for i := range c.reach.open {
		if c.reach.open[i].link == link {
			n++
		}
	}
	switch {
	case n >= pipelined:
		c.queued, c.drained, c.jammed = true, none, now
	case c.queued && n <= 1 && c.drained < 0:
		c.drained = now
	}
}

// waitedFor reports whether a commit is made as commitSync makes it.
func waitedFor(why protocol.Rule) bool {
	return why == protocol.RuleCommitSync || why == protocol.RuleJoinAwaitsCommit || why == protocol.RuleCloseCommits
}

// mayPrepare reports whether a commit may be the one before a join: before 3.2 that is made as
// commitSync makes it.
func (c *client) mayPrepare(why protocol.Rule) bool {
	return why == protocol.RulePrepareCommit || waitedFor(why) && c.cfg != nil &&
		c.cfg.Settings.AutoCommit && c.cfg.Rules.PrepareCommit == protocol.PrepareCommitSync
}

// commitsAtJoin reports whether the client may begin a join, and looks at the network for its
// commit before that: also if it has nothing to commit. One that is made as commitSync makes
// it needs partitions, and is seen, unless the client has no generation to send it with.
func (c *client) commitsAtJoin() bool {
	if c.cfg == nil || !c.cfg.Settings.AutoCommit {
		return false
	}
	if c.cfg.Rules.PrepareCommit == protocol.PrepareCommitSync {
		return c.state == "UNJOINED" && c.generation < 0 && len(c.owned) > 0
	}
	return c.state == "STABLE" || c.state == "UNJOINED"
}

// answered takes a request off those that wait for an answer, and remembers an error.
func (c *client) answered(msg *sim.Message, ref sim.Ref, e protocol.Error, now sim.Time) {
	for i := range c.asked {
		if a := c.asked[i]; a.kind == msg.Kind() && a.ord == msg.Ord {
			c.asked = append(c.asked[:i], c.asked[i+1:]...)
			if a.kind == protocol.KindHeartbeat || a.kind == protocol.KindOffsetCommit {
				c.waited = (now - a.at).Millis()
			}
			if a.kind == protocol.KindOffsetCommit && !a.joins && a.at <= c.reach.collects {
				c.reach.cleared = now
			}
			if e != protocol.None {
				if a.sync && !tells(msg.Body, e) {
					c.reach.retries = now
				}
				c.heardOf[c.nth%len(c.heardOf)] = heard{ref, a, e}
				c.nth++
			}
			return
		}
	}
}

// disconnected takes in that a connection is gone.
func (c *client) disconnected(link sim.LinkID) {
	c.awaitsFormed = false
	c.forgetsAsked(link)
}

// forgetsAsked forgets what was asked on a connection.
func (c *client) forgetsAsked(link sim.LinkID) {
	c.looksUp = slices.DeleteFunc(c.looksUp, func(a asked) bool { return a.link == link })
	n := 0
	for _, a := range c.asked {
		if a.link != link {
			c.asked[n] = a
			n++
		} else if a.kind == protocol.KindJoinGroup {
			c.unjoined = true
		}
	}
	c.asked = c.asked[:n]
	c.reach.open = slices.DeleteFunc(c.reach.open, func(o open) bool { return o.link == link })
}

// disturbed notes that something keeps the client from its coordinator: what it has sent
// until then is no sign that it is over.
func (c *client) disturbed(at sim.Time) { c.calm = at + 1 }

// notArrived takes in that a request of the client's is lost.
func (c *client) notArrived(msg *sim.Message) {
	switch msg.Kind() {
	case protocol.KindOffsetCommit:
		c.takeCommit(msg.Ord)
	case protocol.KindSyncGroup:
		take(&c.syncs, msg.Ord)
	}
	for i := range c.asked {
		if a := &c.asked[i]; a.kind == msg.Kind() && a.ord == msg.Ord {
			a.lost, a.unheard = true, true // the client waits all the same, until its connection breaks
		}
	}
}

// takeCommit takes a commit off those that are on their way.
func (c *client) takeCommit(ord uint32) (commit, bool) {
	for i := range c.commits {
		if x := c.commits[i]; x.ord == ord {
			c.commits = append(c.commits[:i], c.commits[i+1:]...)
			return x, true
		}
	}
	return commit{}, false
}

// willHear takes in that an answer is sent to the client.
func (c *client) willHear(m *Monitor, msg *sim.Message, e protocol.Error, g *group) {
	if a, ok := msg.Body.(*protocol.JoinGroupAnswer); ok && a.Error == protocol.None {
		c.onWay = append(c.onWay, joined{msg.Ord, m.ids.number(a.Member), a.Generation, g.madeIn})
	}
	if tells(msg.Body, e) {
		c.told = true
	}
}

// tells reports whether an answer tells a member that it may have lost partitions.
func tells(body sim.Body, e protocol.Error) bool {
	switch e {
	case protocol.UnknownMemberID, protocol.IllegalGeneration, protocol.FencedInstanceID, protocol.RebalanceInProgress:
		return true
	}
	_, sync := body.(*protocol.SyncGroupAnswer)
	return sync && e == protocol.None
}

func (c *client) answerLost(msg *sim.Message) {
	c.told = false
	if msg.Kind() == protocol.KindJoinGroup {
		c.takeJoined(msg.Ord)
	}
	c.hearsNothing(msg.Kind(), msg.Ord)
}

// hearsNothing notes that a request that the client waits for will not be answered.
func (c *client) hearsNothing(kind uint8, ord uint32) {
	for i := range c.asked {
		if a := &c.asked[i]; a.kind == kind && a.ord == ord {
			a.unheard = true
		}
	}
}

func (c *client) takeJoined(ord uint32) (joined, bool) {
	return take(&c.onWay, ord)
}

// take takes what has that number off a list.
func take(list *[]joined, ord uint32) (joined, bool) {
	for i, j := range *list {
		if j.ord == ord {
			*list = append((*list)[:i], (*list)[i+1:]...)
			return j, true
		}
	}
	return joined{}, false
}

// asksFor reports whether the client waits for the answer to a question.
func (c *client) asksFor(kind uint8) bool {
	return slices.ContainsFunc(c.looksUp, func(a asked) bool { return a.kind == kind })
}

// isDeaf reports whether that answer will not come.
func (c *client) isDeaf(kind uint8) bool {
	return slices.ContainsFunc(c.looksUp, func(a asked) bool { return a.kind == kind && a.unheard })
}

// isLost marks a question that gets no answer, if the client waits for it.
func (c *client) isLost(msg *sim.Message) {
	for i := range c.looksUp {
		if a := &c.looksUp[i]; a.kind == msg.Kind() && a.ord == msg.Ord {
			a.unheard = true
		}
	}
}

// knows takes a question that is answered off those that wait, and what was asked before it: the
// client waits for the last one only.
func (c *client) knows(msg *sim.Message) {
	c.looksUp = slices.DeleteFunc(c.looksUp, func(a asked) bool { return a.kind == msg.Kind() && a.ord <= msg.Ord })
}

// hears takes in an answer that reaches the client.
func (m *Monitor) hears(c *client, msg *sim.Message) {
	e := protocol.ErrorIn(msg.Body)
	c.answered(msg, m.rec.ID, e, m.now)
	c.reach.hears(msg, e, m.now)
	switch e {
	case protocol.None:
		if msg.Kind() == protocol.KindHeartbeat {
			c.rounds = 0
		}
	case protocol.UnknownMemberID, protocol.FencedInstanceID:
		c.mayDrop = true
		c.resetAsking = c.resetAsking || slices.ContainsFunc(c.asked, func(a asked) bool { return a.kind == protocol.KindJoinGroup })
		if e == protocol.FencedInstanceID {
			c.refused, c.refusedAt = e, m.now
		}
	case protocol.NotCoordinator, protocol.CoordinatorNotAvailable, protocol.CoordinatorLoadInProgress:
		c.calm = m.now
	}
	if !expected(msg.Kind(), e) {
		c.odd = true
	}
	switch a := msg.Body.(type) {
	case *protocol.JoinGroupAnswer:
		c.turned = m.now
		if a.Error == protocol.None {
			m.ids.list[m.ids.number(a.Member)].dropped = c.resetAsking
		}
		c.resetAsking = false
		c.unread, c.unsynced = true, a.Error == protocol.None
		c.leads = a.Leader == a.Member
		c.led = c.led || c.leads
		if c.leads {
			c.leading = a
		}
		if j, ok := c.takeJoined(msg.Ord); ok {
			c.heard = j
		}
		if a.Error != protocol.MemberIDRequired {
			if c.refused = a.Error; isRefusal(a.Error) {
				c.refusedAt = m.now
			}
		}
	case *protocol.SyncGroupAnswer:
		c.turned, c.unsynced = m.now, false
		if a.Error == protocol.None && a.Assignment != nil {
			c.given = m.parts.numbers(c.given, a.Assignment.Partitions)
		}
	case *protocol.OffsetCommitAnswer:
		c.insists = c.cfg != nil && c.cfg.Rules.CommitRetriesUnknownTopic && slices.ContainsFunc(a.Partitions, func(p protocol.PartitionOffset) bool {
			return p.Error == protocol.UnknownTopicOrPartition
		})
	case *protocol.OffsetFetchAnswer:
		c.knows(msg)
		if a.Error == protocol.None {
			m.learnsPositions(c, a.Partitions, false)
		}
	case *protocol.MetadataAnswer:
		c.knows(msg)
		if c.cfg != nil && c.cfg.Subscription.Pattern != "" && (m.now-c.askedMeta).Millis() >= c.cfg.Program.Poll {
			c.hurries, c.hurried = true, m.now
		}
		c.meta, c.calm = a, m.now // a leader may have waited for it, and its heartbeats with it
	case *protocol.FindCoordinatorAnswer:
		c.knows(msg)
	case *protocol.ListOffsetsAnswer:
		m.learnsPositions(c, a.Partitions, true)
	}
	if c.told {
		m.zombiesAreTold(c)
	}
}
