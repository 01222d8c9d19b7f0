package invariants

import (
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// owners finds anew for whom each partition is stored.
func (m *Monitor) owners() {
	for i := range m.parts.list {
		m.parts.list[i].owner = none
	}
	s := &m.log.stored
	if s.record == nil {
		return
	}
	for i := range s.record.Members {
		for _, p := range s.parts[i] {
			m.parts.list[p].owner = int32(i)
		}
	}
}

// rightful reports whether the stored assignment gives a partition to a client, and the
// coordinator, if there is one, has its id, or a newer id of its group.instance.id.
func (m *Monitor) rightful(c *client, p int32) bool {
	s := &m.log.stored
	owner := m.parts.list[p].owner
	if owner == none || s.record == nil {
		return false
	}
	id := s.ids[owner]
	if b := m.coordinator(); b != nil && b.group.find(id) == nil {
		x := b.group.owner(s.record.Members[owner].Instance)
		if x == nil {
			return false
		}
		id = x.id
	}
	return m.ids.list[id].client == m.clientOf[c.node]
}

// servesNow takes in what a client serves from now on.
func (m *Monitor) servesNow(c *client, list []protocol.TopicPartition) {
	if c.revoked {
		list = nil
	}
	now := m.parts.numbers(make([]int32, 0, len(list)), list)
	if len(c.going) > 0 {
		gone := m.parts.markAll(c.going)
		n := 0
		for _, p := range now {
			if m.parts.list[p].mark != gone {
				now[n] = p
				n++
			}
		}
		now = now[:n]
	}
	m.serve(c, now)
	c.told = false
}

// serve makes a list what a client serves.
func (m *Monitor) serve(c *client, now []int32) {
	i := m.clientOf[c.node]
	mark := m.parts.markAll(now)
	for k, p := range c.serves {
		if m.parts.list[p].mark == mark {
			continue
		}
		m.zombieEnds(c, k)
		m.leaves(i, p)
	}
	had := m.parts.markAll(c.serves)
	zombie := make([]sim.Time, len(now))
	for k, p := range now {
		zombie[k] = none
		if m.parts.list[p].mark == had {
			zombie[k] = c.zombie[indexOf(c.serves, p, k)]
			continue
		}
		m.takes(c, p)
	}
	given := m.parts.markAll(c.given)
	for _, p := range c.owned { // what it had, until it has taken its assignment over
		m.parts.list[p].mark = given
	}
	for _, p := range now {
		if m.parts.list[p].mark != given && !c.manual() {
			m.find(nil, c, "owns-what-was-given", "serves", "%s reads %s, which no SyncGroup gave it", m.f.Name(c.node), m.parts.name(p))
		}
	}
	c.serves, c.zombie = now, zombie
}

// indexOf finds a partition that is in the list, where it most likely is or behind.
func indexOf(list []int32, p int32, likely int) int {
	for n := range list {
		if i := (likely + n) % len(list); list[i] == p {
			return i
		}
	}
	return none
}

// manual reports whether the client chooses its partitions itself.
func (c *client) manual() bool { return c.cfg == nil || len(c.cfg.Subscription.Manual) > 0 }

// takes lets a client begin to serve a partition.
func (m *Monitor) takes(c *client, p int32) {
	x := &m.parts.list[p]
	x.servers = append(x.servers, m.clientOf[c.node])
	if len(x.servers) > 1 {
		for _, i := range x.servers {
			m.clients[i].marked++
		}
		m.overlaps(c)
	}
	m.takesPosition(c, p)
}

func (m *Monitor) leaves(i, p int32) {
	x := &m.parts.list[p]
	for k, s := range x.servers {
		if s == i {
			if len(x.servers) > 1 {
				for _, o := range x.servers {
					m.clients[o].marked--
				}
				for _, o := range x.servers {
					if o != i && len(x.servers) > 2 {
						m.clients[o].marked++
					}
				}
			}
			x.servers = append(x.servers[:k], x.servers[k+1:]...)
			if x.robbed == i {
				x.robbed = none
			}
			return
		}
	}
}

// gaveUp takes in that a listener is told that partitions are gone: they are served no
// more, though clients before 2.4 hold them until they have a new assignment.
func (m *Monitor) gaveUp(c *client, list []protocol.TopicPartition) {
	c.told, c.stale = false, false
	c.going = m.parts.numbers(c.going, list)
	gone := m.parts.markAll(nil)
	for _, tp := range list {
		p := m.parts.number(tp)
		m.parts.list[p].mark = gone
		m.reader(c, p).reads = false
	}
	if !m.reads(c) {
		c.reach.reads = none
	}
	n := 0
	for k, p := range c.serves {
		if m.parts.list[p].mark == gone {
			m.zombieEnds(c, k)
			m.leaves(m.clientOf[c.node], p)
			continue
		}
		c.serves[n], c.zombie[n] = p, c.zombie[k]
		n++
	}
	c.serves, c.zombie = c.serves[:n], c.zombie[:n]
}

// reads reports whether the client was given records of something that it still has.
func (m *Monitor) reads(c *client) bool {
	for _, p := range c.owned {
		if m.reader(c, p).reads {
			return true
		}
	}
	return false
}

// zombiesAreTold notes which partitions a client now knows, or could know, that it has
// no right to.
func (m *Monitor) zombiesAreTold(c *client) {
	for k, p := range c.serves {
		switch {
		case m.rightful(c, p):
			c.zombie[k] = none
		case c.zombie[k] < 0:
			c.zombie[k] = m.now
		}
	}
}

// zombieEnds looks at how long a client went on with a partition that it was told is not
// its own.
func (m *Monitor) zombieEnds(c *client, k int) {
	since := c.zombie[k]
	if since < 0 || c.cfg == nil || c.manual() || c.frozen || c.clockOff || c.hurries || m.rightful(c, c.serves[k]) {
		return
	}
	if isRefusal(c.refused) { // a program that goes on after this is told at each poll, and is given nothing
		return
	}
	since = max(since, m.busyUntil(c), c.refusedAt)
	if b := m.coordinator(); b != nil && b.group.find(c.member) != nil { // each rebalance that it takes part in has its whole time
		since = max(since, b.group.collecting)
	}
	if took, limit := (m.now - since).Millis(), c.stopsWithin(); took > limit {
		m.find(nil, c, "zombie-ends", "", "%s served %s for %s after it was told that it had lost it; until it heeds it, it may for %s", m.f.Name(c.node), m.parts.name(c.serves[k]), span(took), span(limit))
	}
}

// isRefusal reports whether a client that is told so is not let into the group, whatever it does.
func isRefusal(e protocol.Error) bool {
	switch e {
	case protocol.FencedInstanceID, protocol.GroupMaxSizeReached, protocol.InconsistentGroupProtocol, protocol.InvalidSessionTimeout:
		return true
	}
	return false
}

// stopsWithin is how long a client may take to act on what it was told, ms: its program
// has to come back to poll, its listener may work, and a rebalance takes its time.
func (c *client) stopsWithin() int64 {
	s := &c.cfg.Settings
	rebalance := s.SessionTimeout
	if c.cfg.Rules.HeartbeatThread {
		rebalance = s.MaxPollInterval
	}
	return c.pause(true) + s.SessionTimeout + rebalance + s.RequestTimeout + s.APITimeout
}

// pause is the longest time for which the program or its listener does not let the
// client work, ms; troubled: also while commits are not answered, so that commitSync in a listener
// takes all of its time.
func (c *client) pause(troubled bool) int64 {
	p := &c.cfg.Program
	longest := p.BatchMax + p.Idle
	for _, steps := range [][]consumer.CallbackStep{c.cfg.Listener.Revoked, c.cfg.Listener.Assigned, c.cfg.Listener.Lost} {
		for i := range steps {
			took := steps[i].Sleep
			if troubled {
				took += max(0, steps[i].CommitSync)
			}
			longest = max(longest, took)
		}
	}
	return longest
}

// overlap is a partition that two members serve who both take themselves for current.
type overlap struct {
	part  int32
	a, b  int32
	event string // in which the latter began
}

// overlaps notes what a client serves together with others while all are current. It is
// a finding if time passes so.
func (m *Monitor) overlaps(c *client) {
	i := m.clientOf[c.node]
	for p := range m.parts.list {
		x := &m.parts.list[p]
		if len(x.servers) < 2 || !contains(x.servers, i) {
			continue
		}
		for _, o := range x.servers {
			if o != i {
				m.pair = append(m.pair, overlap{int32(p), i, o, m.event()})
			}
		}
	}
}

func contains[T comparable](list []T, i T) bool {
	for _, x := range list {
		if x == i {
			return true
		}
	}
	return false
}

// overlapsLast looks at what two served at one moment, now that the moment is over.
func (m *Monitor) overlapsLast() {
	for _, o := range m.pair {
		x := &m.parts.list[o.part]
		a, b := &m.clients[o.a], &m.clients[o.b]
		if contains(x.servers, o.a) && contains(x.servers, o.b) && m.current(a) && m.current(b) && !a.told && !b.told {
			ka, kb := m.kindOf(a), m.kindOf(b)
			place := min(ka, kb) + " and " + max(ka, kb)
			if a.stale || b.stale {
				place = "a claim without generation"
			}
			if b := m.coordinator(); b != nil && m.isDoubled(&b.group) {
				place = "a claim that the leader cannot place"
			}
			if a.keepsUntold(o.part) || b.keepsUntold(o.part) {
				place = "a wakeup before the join"
			}
			if x.robbed == o.a || x.robbed == o.b {
				place = "static and absent"
			}
			if m.isLost(a) || m.isLost(b) {
				place = "of a generation that came twice: " + place
			}
			m.over = o.event
			m.find(m.coordinator(), a, "two-current", place, "%s and %s serve %s, and both are in the group's generation %d", m.f.Name(a.node), m.f.Name(b.node), m.parts.name(o.part), a.generation)
		}
	}
	m.pair, m.over = m.pair[:0], ""
}

// keepsUntold reports whether a client reads a partition that its new assignment lacks, or may
// lack as it is yet to come: a wakeup ended its preparation, and its listener is still to be called.
func (c *client) keepsUntold(part int32) bool {
	return c.woken && (c.unsynced || !contains(c.given, part))
}

// current reports whether the coordinator has the client's id, and the client the
// generation that the coordinator handed out last.
func (m *Monitor) current(c *client) bool {
	b := m.coordinator()
	return b != nil && c.alive && !c.frozen && b.group.find(c.member) != nil && c.generation == b.group.generation
}

// kindOf says of a member what matters to findings: whether it is static, and whether
// its generation is another incarnation's.
func (m *Monitor) kindOf(c *client) string {
	b := m.coordinator()
	kind := "dynamic"
	if b != nil {
		if x := b.group.find(c.member); x != nil {
			kind = role(x)
		}
	}
	return kind
}

// isLost reports whether a client's generation is one that another incarnation of the
// group handed out than the coordinator's, and nobody stored.
func (m *Monitor) isLost(c *client) bool {
	b := m.coordinator()
	return b != nil && c.madeIn != b.group.madeIn
}

// throws reports whether the client's listener throws exceptions for ever.
func throws(c *client) bool {
	l := &c.cfg.Listener
	for _, steps := range [][]consumer.CallbackStep{l.Revoked, l.Assigned, l.Lost} {
		if n := len(steps); n > 0 && !steps[n-1].Throw.None() {
			return true
		}
	}
	return false
}
