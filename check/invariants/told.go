package invariants

import (
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// clientNote takes in what a client makes known of itself.
func (m *Monitor) clientNote(c *client, r *sim.Rec) {
	switch r.Note.Code {
	case protocol.NoteClient:
		m.clientChanges(c, r.Note.Body.(*protocol.ClientChange), protocol.Rule(r.Why))
	case protocol.NoteRevoked, protocol.NoteAssigned, protocol.NoteLost:
		m.losesForAReason(c, r.Note.Code)
		m.listens(c, r.Note.Code, r.Note.Body.(*protocol.PartitionList).Partitions)
	case protocol.NoteCallbackEnd:
		c.callback, c.going = 0, c.going[:0]
		c.threw = c.threw || r.Note.B != 0
		if r.Note.B != 0 { // it threw: the consumer takes the assignment over once more
			c.again = c.assigned
			c.assigned = false
		}
	case protocol.NoteServes:
		m.servesNow(c, r.Note.Body.(*protocol.PartitionList).Partitions)
	case protocol.NoteDelivered:
		c.mayClose = false
		m.delivers(c, r.Note.Body.(*protocol.PartitionList).Partitions[0], r.Note.A, r.Note.B)
	case protocol.NoteFinished:
		m.finishes(c, r.Note.Body.(*protocol.PartitionList).Partitions[0], r.Note.A, r.Note.B)
	case protocol.NoteThrown:
		m.throwsAtProgram(c, consumer.Class(r.Note.A), consumer.Class(r.Note.B))
		c.unbeaten = c.unbeaten || consumer.Class(r.Note.A) == consumer.FencedInstanceID && c.state == "COMPLETING_REBALANCE" && c.beatsFenced()
		c.thrownAt = m.now
		c.mismatch = c.mismatch || consumer.Class(r.Note.A) == consumer.IllegalArgument
		if c.quits && consumer.Class(r.Note.A) == consumer.Kafka {
			c.subscribed = true
		}
		c.mayClose = c.mayClose || c.cfg != nil && c.cfg.Program.AfterThrow == consumer.ThrowCloses && consumer.Class(r.Note.A) != consumer.Wakeup
		c.calm = m.now // if the program closes now, its heartbeats end before its listener is called
		c.woken = c.woken || consumer.Class(r.Note.A) == consumer.Wakeup && (c.leaving || c.commitsAtJoin())
		m.drops(c)
	case protocol.NoteClosed:
		c.closed = true
	case protocol.NoteBusy:
		c.willBe--
		c.busy = m.now + sim.Time(r.Note.A)*sim.Millisecond
	}
}

// beatsFenced reports whether a heartbeat of the client's was fenced, of what it heard last.
func (c *client) beatsFenced() bool {
	for i := range c.heardOf {
		if h := &c.heardOf[i]; h.asked.kind == protocol.KindHeartbeat && h.err == protocol.FencedInstanceID {
			return true
		}
	}
	return false
}

func (m *Monitor) clientChanges(c *client, x *protocol.ClientChange, why protocol.Rule) {
	id := m.ids.number(x.Member)
	switch why {
	case protocol.RuleClientFormed:
		c.madeIn = 1
	case protocol.RuleClosed:
		c.closing = true
		if c.reach.leaves = none; c.state != "UNJOINED" {
			c.reach.leaves = c.member
		}
	case protocol.RuleAssignmentMismatch:
		c.unwanted++
	case protocol.RuleSubscriptionChanged:
		if m.givenTheGone(c) {
			c.unwanted++
		}
	case protocol.RulePollTimeout: // a static member tells nobody
		c.turned = m.now
	case protocol.RuleUnsubscribed:
		if c.quits {
			c.subscribed, c.quits = false, false
		}
		if c.cfg != nil && !c.cfg.Rules.Cooperative { // its listener is not told
			c.owned, c.assigned = c.owned[:0], false
		}
	}
	if c.heard.member == id && c.heard.generation == x.Generation {
		c.madeIn = c.heard.madeIn
	}
	if id != c.member || x.Generation != c.generation {
		m.resetsForAReason(c, x, why)
		if x.Generation < 0 && c.generation >= 0 && c.commitsAtJoin() {
			c.slippedAt = m.now
		}
		if c.member != none && id != c.member {
			m.dropsItsID(c, why)
		}
		c.member, c.generation = id, x.Generation
		if id != none { // so it has not been reset
			m.ids.list[id].dropped = false
		}
		if id != none && id != c.lastMember {
			c.mayLose = len(c.owned) > 0 && (c.mayDrop || c.mayLose)
			c.lastMember, c.mayDrop = id, false
		}
		if id != none && m.ids.list[id].client == none {
			m.ids.list[id].client = m.clientOf[c.node]
		}
		if c.marked > 0 {
			m.overlaps(c)
		}
	}
	c.unbeaten = c.unbeaten && x.State != "PREPARING_REBALANCE"
	if x.State == "STABLE" && c.state != "STABLE" {
		c.reach.joined = m.now
	}
	c.state, c.believes, c.unread = x.State, x.Leader, false
	c.hurries = c.hurries && x.State != "STABLE"
	c.told = false
}

// listens looks at a call of the rebalance listener.
func (m *Monitor) listens(c *client, code uint8, list []protocol.TopicPartition) {
	name := m.f.Name(c.node)
	if c.callback != 0 {
		m.find(nil, c, "one-callback", "", "the listener of %s is called while it runs", name)
	}
	c.callback = code
	if code == protocol.NoteAssigned {
		m.listensAssigned(c, list)
		return
	}
	c.assigned, c.woken, c.revoked = false, false, c.cfg != nil && !c.cfg.Rules.Cooperative
	c.closing = c.closing || c.thrownAt == m.now && c.cfg != nil && c.cfg.Program.AfterThrow == consumer.ThrowCloses
	had := m.parts.markAll(c.owned)
	for _, tp := range list {
		p := &m.parts.list[m.parts.number(tp)]
		if p.mark != had {
			place := "revoked or lost"
			if c.mismatch {
				place = "an assignment that threw"
			}
			m.find(nil, c, "callbacks-alternate", place, "the listener of %s is told that %s is gone, which it was never told it had", name, tp)
		}
		p.mark = 0
	}
	c.owned = m.parts.marked(c.owned, had)
	m.gaveUp(c, list)
}

func (m *Monitor) listensAssigned(c *client, list []protocol.TopicPartition) {
	name := m.f.Name(c.node)
	eager := c.cfg != nil && !(c.cfg.Rules.Cooperative && cooperative(c.cfg.Settings.Strategy))
	if eager && c.assigned && len(c.owned) > 0 {
		place := "assigned after assigned"
		if c.woken {
			place = "a wakeup before the join"
			m.losesUntold(c)
		}
		m.find(nil, c, "callbacks-alternate", place, "the eager listener of %s is assigned twice, and nothing was revoked in between", name)
	}
	if !m.givenTheGone(c) {
		c.unwanted = 0
	}
	c.assigned, c.revoked, c.woken, c.stale, c.revoking, c.mismatch = true, false, false, false, false, false
	given := m.parts.markAll(c.given)
	for _, tp := range list {
		if m.parts.list[m.parts.number(tp)].mark != given {
			m.find(nil, c, "owns-what-was-given", "assigned", "%s is assigned %s, which no SyncGroup gave it", name, tp)
		}
	}
	had := m.parts.markAll(c.owned)
	for _, tp := range list {
		p := m.parts.number(tp)
		if m.parts.list[p].mark == had {
			m.find(nil, c, "callbacks-alternate", "assigned", "the listener of %s is told that it has %s, which it had", name, tp)
			continue
		}
		c.owned = append(c.owned, p)
	}
}

// losesUntold takes in that a new assignment lacks what the listener was not told that it loses: it
// may be given that again, and begins where it is told then.
func (m *Monitor) losesUntold(c *client) {
	given := m.parts.markAll(c.given)
	for _, p := range c.owned {
		if m.parts.list[p].mark != given {
			m.reader(c, p).reads = false
		}
	}
	c.owned = m.parts.marked(c.owned, given)
}

func cooperative(strategy []string) bool {
	for _, s := range strategy {
		if s != "cooperative-sticky" {
			return false
		}
	}
	return true
}
