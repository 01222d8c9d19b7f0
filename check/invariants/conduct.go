package invariants

import (
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
)

// joins looks at a JoinGroup as a client sends it.
func (m *Monitor) joins(c *client, r *protocol.JoinGroupRequest, why protocol.Rule) {
	name := m.f.Name(c.node)
	if why == protocol.RuleMetadataChanged && !c.led && !c.didLead && !(c.cfg != nil && throws(c)) {
		m.find(nil, c, "leader-watches", "", "%s does not lead, and asks for a rebalance since it sees other partitions", name)
	}
	c.didLead = false
	first, prepared := !c.joinedOnce, c.leaving
	c.joinedOnce, c.leaving, c.unread, c.unjoined = true, false, false, false
	if c.generation >= 0 || c.cfg == nil || !c.cfg.Rules.Cooperative || first && c.cfg.Formed != nil && c.cfg.Formed.InFlight != 0 {
		return
	}
	for i := range r.Protocols {
		if md := r.Protocols[i].Metadata; md != nil && len(md.Owned) > 0 && md.Generation < 0 && !c.queued { // it may have been made earlier
			place := "lost before"
			switch {
			case c.woken:
				place, c.stale = "a wakeup before the join", true
			case prepared, c.slippedAt == m.now, c.stale, c.revoking: // with a generation: nothing was revoked
				place, c.stale = "lost in its preparation", true
			}
			m.find(nil, c, "claims-what-it-owns", place, "%s has lost its generation, and claims %s when it joins", name, md.Owned[0])
			return
		}
	}
}

// dropsItsID: a member keeps its id until it leaves, or is told that the group does not
// have it.
func (m *Monitor) dropsItsID(c *client, why protocol.Rule) {
	switch why {
	case protocol.RulePollTimeout, protocol.RuleClosed, protocol.RuleUnsubscribed:
		c.mayDrop = true
	}
	if !c.mayDrop {
		m.find(nil, c, "keeps-its-id", why.String(), "%s gives up its member id %s: nobody has told it that the group does not have it", m.f.Name(c.node), m.ids.name(c.member))
	}
}

// resetsForAReason: what an error says of another generation, or another id, than the
// client's own does not make it give up its own. If it has no generation the error is of its id.
func (m *Monitor) resetsForAReason(c *client, x *protocol.ClientChange, why protocol.Rule) {
	switch why {
	case protocol.RuleGenerationOver, protocol.RuleMemberUnknown, protocol.RuleClientFenced:
	default:
		return
	}
	for i := range c.heardOf {
		if h := &c.heardOf[i]; h.ref == m.rec.Ref && h.asked.kind != protocol.KindJoinGroup && h.ref != 0 &&
			(h.asked.member != c.member || h.asked.generation != c.generation && !(c.generation < 0 && h.err == protocol.UnknownMemberID)) {
			m.find(nil, c, "late-errors-are-late", protocol.KindName(h.asked.kind)+" "+h.err.String(),
				"%s gives up generation %d, since it is told %s of generation %d", m.f.Name(c.node), c.generation, h.err, h.asked.generation)
		}
	}
}

// losesForAReason: a listener is told that partitions are lost only if others may have
// them.
func (m *Monitor) losesForAReason(c *client, code uint8) {
	if code == protocol.NoteAssigned {
		if !c.again {
			c.didLead, c.led = c.led, c.leads || c.believes // it may have seen other partitions while it led
		}
		c.again, c.mayLose = false, false
		return
	}
	c.revoking = code == protocol.NoteRevoked && (c.generation >= 0 || c.leaving)
	c.preparing, c.leaving = false, false
	if code != protocol.NoteLost || c.mayDrop || c.mayLose || c.cfg == nil {
		return
	}
	if c.cfg.Rules.LeaveDuringRebalanceLoses && c.state != "STABLE" && c.state != "UNJOINED" {
		return // it is closed in the middle of a rebalance
	}
	for i := range c.heardOf {
		if e := c.heardOf[i].err; e == protocol.IllegalGeneration {
			return
		}
	}
	m.find(nil, c, "lost-for-a-reason", protocol.Rule(m.rec.Why).String(), "the listener of %s is told that its partitions are lost, and nobody has told it that it is no member", m.f.Name(c.node))
}

// throwsAtProgram: what poll and commits throw is something that a program can know of.
func (m *Monitor) throwsAtProgram(c *client, class, cause consumer.Class) {
	unexpected := false
	if class == consumer.IllegalState && c.mistakes > 0 {
		c.mistakes--
		return
	}
	switch class {
	case consumer.Kafka:
		unexpected = cause == consumer.NoException
	case consumer.IllegalState, consumer.NullPointer:
		unexpected = c.subscribed && c.knowsItsAssignors()
	case consumer.IllegalArgument, consumer.UnknownMemberID, consumer.IllegalGeneration, consumer.MemberIDRequired, consumer.UnjoinedGroup:
		unexpected = true
	}
	if unexpected && !c.odd && !c.threw {
		place := class.String()
		switch {
		case class == consumer.NullPointer && c.askedOfFormerOwner():
			place += ": an earlier owner that has unsubscribed"
		case class != consumer.IllegalState:
		case c.cannotPlace():
			place += ": a claim that the leader cannot place"
		case c.foreign:
			place += ": an assignment of a generation that came twice"
		}
		m.find(nil, c, "throws-what-is-known", place, "the program of %s gets a %s, and has done nothing wrong", m.f.Name(c.node), class)
	}
	c.odd, c.threw = c.odd && !unexpected, false // another exception may come first
}

// cannotPlace reports whether the client leads, and a member claims what its metadata lacks.
func (c *client) cannotPlace() bool {
	if !c.leads || c.leading == nil || c.meta == nil {
		return false
	}
	for i := range c.leading.Members {
		if isBeyond(c.leading.Members[i].Metadata, c.meta) {
			return true
		}
	}
	return false
}

// askedOfFormerOwner reports whether the client leads, and a member claims what is of a topic that it
// subscribes to no more.
func (c *client) askedOfFormerOwner() bool {
	if !c.leads || c.leading == nil {
		return false
	}
	for i := range c.leading.Members {
		md := c.leading.Members[i].Metadata
		if md == nil {
			continue
		}
		for _, claims := range [][]protocol.TopicPartition{md.Owned, md.UserData.Partitions} {
			for _, tp := range claims {
				if !contains(md.Topics, tp.Topic) {
					return true
				}
			}
		}
	}
	return false
}

// knowsItsAssignors reports whether the client's release has what it is set to.
func (c *client) knowsItsAssignors() bool {
	if c.cfg == nil {
		return false
	}
	for _, s := range c.cfg.Settings.Strategy {
		if strings.Contains(s, "sticky") && c.cfg.Assignor.Sticky != protocol.StickyBoth {
			return false
		}
	}
	return true
}

// readsNoMore: between the commit before a join and the call of the listener an eager
// member is given no records: they would be read again.
func (m *Monitor) readsNoMore(c *client) {
	if c.preparing && c.cfg != nil && !cooperative(c.cfg.Settings.Strategy) {
		m.find(nil, c, "commit-then-revoke", "", "%s is given records between its last commit and its revoke", m.f.Name(c.node))
	}
}

// onlySubscribers: the leader gives nobody what it does not subscribe to.
func (m *Monitor) onlySubscribers(b *broker, rec *protocol.LogRecord) {
	m.log.strangers = m.log.strangers[:0]
	for i := range rec.Members {
		x := &rec.Members[i]
		if x.Metadata == nil || x.Assignment == nil {
			continue
		}
		for _, tp := range x.Assignment.Partitions {
			if contains(x.Metadata.Topics, tp.Topic) {
				continue
			}
			place := rec.Protocol.Value
			if contains(x.Metadata.Owned, tp) || contains(x.Metadata.UserData.Partitions, tp) {
				place = previousOwner
			}
			m.find(b, nil, "all-assigned", place, "generation %d gives %s to %s, which does not subscribe to it", rec.Generation, tp, x.ID)
			m.log.strangers = append(m.log.strangers, m.ids.number(x.ID))
			break
		}
	}
}

// previousOwner is a member that says that it had the partition, in an older generation.
const previousOwner = "a previous owner that does not subscribe"

// allAssigned: the leader gives every partition that it knows of to somebody, but for
// those that a cooperative member has to give up first.
func (m *Monitor) allAssigned(b *broker, rec *protocol.LogRecord) {
	p := m.ids.list[m.ids.number(rec.Leader)].client
	if p == none || m.clients[p].assignedBy == nil || m.clients[p].resubscribed { // it may take old metadata for new
		return
	}
	c := &m.clients[p]
	given := m.parts.marks // oneOwner has just marked what is given
	for i := range c.assignedBy.Topics {
		t := &c.assignedBy.Topics[i]
		if t.Error != protocol.None || !subscribed(rec, t.Name) {
			continue
		}
		for k := range t.Leaders {
			tp := protocol.TopicPartition{Topic: t.Name, Partition: int32(k)}
			x := &m.parts.list[m.parts.number(tp)]
			if x.mark != given && !(rec.Protocol.Value == "cooperative-sticky" && claimed(rec, tp)) {
				place := rec.Protocol.Value
				if b.group.foreign {
					place = "an assignment of a generation that came twice"
				}
				m.find(b, c, "all-assigned", place, "generation %d gives %s to nobody", rec.Generation, tp)
				return
			}
		}
	}
}

func subscribed(rec *protocol.LogRecord, topic string) bool {
	for i := range rec.Members {
		if md := rec.Members[i].Metadata; md != nil && contains(md.Topics, topic) {
			return true
		}
	}
	return false
}

func claimed(rec *protocol.LogRecord, tp protocol.TopicPartition) bool {
	for i := range rec.Members {
		if md := rec.Members[i].Metadata; md != nil && contains(md.Owned, tp) {
			return true
		}
	}
	return false
}
