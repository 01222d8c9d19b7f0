package invariants

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// request is a request that a coordinator has and has not answered.
type request struct {
	kind   uint8
	ord    uint32
	broker int32
	link   sim.LinkID
	ref    sim.Ref // of its arrival
	at     int64   // ms
	body   sim.Body
	member int32 // whose it is: the id in it, or the one that it got
	parked bool
	cut    bool // its connection is gone: nobody gets the answer

	// The group as it was when the request came.
	there      bool
	state      protocol.GroupState
	generation int32
	known      bool  // its member id is a member's
	same       bool  // a JoinGroup that offers what its member did
	owner      int32 // the member id that has its instance id, none
	size       int   // members
	// Of a commit: why it must not be accepted, "" if it may be, and where.
	refuse, refusePlace string
	records             int   // that it wrote
	wrote               int64 // the log's end after what it wrote, 0: it wrote nothing
	unknown             int   // partitions that the broker did not have when it came
	// Of a fetch that waits for what is written when it comes (4.0): that.
	written []int64
}

func (m *Monitor) sent(r *sim.Rec) {
	if r.Msg.Answer {
		m.answers(r)
		return
	}
	if c := m.client(r.Node); c != nil {
		m.asks(c, r)
	}
}

func (m *Monitor) arrived(r *sim.Rec) {
	m.begins(r)
	if r.Msg.Answer {
		if c := m.client(r.Node); c != nil {
			m.hears(c, &r.Msg)
		}
		return
	}
	b, c := m.broker(r.Node), m.client(r.Msg.From)
	if b == nil || c == nil {
		return
	}
	group, id, instance, generation := protocol.IDsIn(r.Msg.Body)
	if group != m.f.Group {
		return
	}
	at := m.brokerOf[r.Node]
	m.in.client, m.in.kind, m.in.ord = m.clientOf[r.Msg.From], r.Msg.Kind(), r.Msg.Ord
	g := &b.group
	q := request{kind: r.Msg.Kind(), ord: r.Msg.Ord, broker: at, link: r.Msg.Link, ref: r.ID, at: m.ms(), body: r.Msg.Body, member: m.idOf(c, id),
		there: g.there, state: g.state, generation: g.generation, owner: none, size: len(g.members)}
	x := g.find(q.member)
	q.known = x != nil
	if x != nil {
		m.stillLives(b, x)
		if generation == g.generation { // if it is taken its session may count from now on, also a shorter one
			x.most = max(x.most, m.ms()+int64(max(x.session, x.wanted)))
			x.least = min(x.least, m.ms()+int64(x.wanted))
		}
	}
	if o := g.owner(instance); o != nil && b.rules.StaticMembers {
		q.owner = o.id
	}
	switch body := q.body.(type) {
	case *protocol.OffsetCommitRequest:
		m.commitComes(b, c, &q, body)
	case *protocol.SyncGroupRequest:
		if x != nil && generation == g.generation && (g.state == protocol.CompletingRebalance || g.state == protocol.Stable) {
			x.synced = true
		}
		if sent, ok := take(&c.syncs, q.ord); ok && q.member == g.leader && generation == g.generation && g.state == protocol.CompletingRebalance {
			g.foreign = sent.madeIn != 0 && sent.madeIn != g.madeIn
		}
	case *protocol.OffsetFetchRequest:
		if body.RequireStable && b.rules.StableFetchWaits {
			q.written = m.writtenNow(b, body.Partitions)
		}
	case *protocol.JoinGroupRequest:
		q.same = x != nil && sameProtocols(x.protocols, body.Protocols)
	}
	c.requests = append(c.requests, q)
}

func sameProtocols(a, b []protocol.GroupProtocol) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Metadata.Sum() != b[i].Metadata.Sum() {
			return false
		}
	}
	return true
}

// handled is the request that is handled now, nil if there is none.
func (m *Monitor) handled() *request {
	if m.in.client == none {
		return nil
	}
	return m.clients[m.in.client].request(m.in.kind, m.in.ord)
}

func (c *client) request(kind uint8, ord uint32) *request {
	for i := range c.requests {
		if q := &c.requests[i]; q.ord == ord && q.kind == kind {
			return q
		}
	}
	return nil
}

func (c *client) drop(q *request) {
	last := len(c.requests) - 1
	*q = c.requests[last]
	c.requests[last] = request{}
	c.requests = c.requests[:last]
}

// dropRequests forgets what a broker had of the client's: it is gone.
func (c *client) dropRequests(broker int32) {
	for i := 0; i < len(c.requests); {
		if c.requests[i].broker == broker {
			c.drop(&c.requests[i])
		} else {
			i++
		}
	}
}

// byRef finds a request by the record of its arrival.
func (m *Monitor) byRef(ref sim.Ref) (*client, *request) {
	if q := m.handled(); q != nil && q.ref == ref {
		return &m.clients[m.in.client], q
	}
	for i := range m.clients {
		for j := range m.clients[i].requests {
			if q := &m.clients[i].requests[j]; q.ref == ref {
				return &m.clients[i], q
			}
		}
	}
	return nil, nil
}

// parked takes in that the request that is handled waits.
func (m *Monitor) parked(b *broker, ref sim.Ref, why protocol.Rule) {
	q := m.handled()
	if why == protocol.RuleThrows || why == protocol.RuleOldLeader || why == protocol.RuleNoCommonProtocol {
		m.throws(b, why)
		return
	}
	if q == nil || q.ref != ref {
		return
	}
	q.parked = true
	if q.member == none || !q.known {
		q.member = m.in.added
	}
	x := b.group.find(q.member)
	if x == nil {
		return
	}
	switch r := q.body.(type) {
	case *protocol.JoinGroupRequest:
		if x.join {
			m.find(b, nil, "one-parked", "JoinGroup", "two JoinGroups of %s wait at once", m.ids.name(x.id))
		}
		x.join = true
		x.updates(b, r)
	case *protocol.SyncGroupRequest:
		if x.sync {
			m.find(b, nil, "one-parked", "SyncGroup", "two SyncGroups of %s wait at once", m.ids.name(x.id))
		}
		x.sync = true
	}
}

// throws takes in that Kafka's code would have thrown an exception here.
func (m *Monitor) throws(b *broker, why protocol.Rule) {
	place := why.String()
	if why == protocol.RuleThrows && b.group.tookBack {
		place = "an id taken back"
	}
	m.find(b, nil, "no-exception", place, "the coordinator's code throws an exception: %s", why.Text().Text)
	b.group.wedged = true
}

// forgot takes in that a parked request will never be answered.
func (m *Monitor) forgot(b *broker, ref sim.Ref, why protocol.Rule) {
	c, q := m.byRef(ref)
	if q == nil {
		return
	}
	kind := protocol.KindName(q.kind)
	x := b.group.find(q.member)
	switch {
	case (why == protocol.RuleJoinReplaced || why == protocol.RuleSyncReplaced) && m.in.kind == q.kind:
	case why == protocol.RuleSyncOfRemoved && q.kind == protocol.KindSyncGroup:
		// The client hears of it by its next request: it was removed.
	case !q.cut:
		m.find(b, c, "parked-is-answered", kind+" of a removed member", "%s's %s will never be answered: %s", m.f.Name(c.node), kind, why.Text().Text)
	}
	if x != nil {
		x.waits(q.kind, false)
	}
	c.hearsNothing(q.kind, q.ord)
	c.drop(q)
}

func (x *member) waits(kind uint8, is bool) {
	switch kind {
	case protocol.KindJoinGroup:
		x.join = is
	case protocol.KindSyncGroup:
		x.sync = is
	}
}

// lost takes in that a message will not arrive.
func (m *Monitor) lost(r *sim.Rec) {
	c := m.client(r.Msg.Client())
	if c == nil {
		return
	}
	c.disturbed(r.At)
	c.reach.lost = r.At
	c.isLost(&r.Msg)
	if r.Msg.Answer {
		c.answerLost(&r.Msg)
		return
	}
	c.notArrived(&r.Msg)
}

// connection takes in that a client opens or closes a connection, or learns that it is
// closed: what waits for an answer on it waits in vain.
func (m *Monitor) connection(r *sim.Rec) {
	c := m.client(r.Node)
	switch {
	case c == nil:
		return
	case r.Op == sim.OpOpen: // what was sent on the old one when it was broken already is lost
		c.forgetsAsked(r.Msg.Link)
		return
	}
	for i := range c.requests {
		if c.requests[i].link == r.Msg.Link {
			c.requests[i].cut = true
		}
	}
	if r.Op == sim.OpClose {
		m.givesUp(c, r.Msg.Link)
		c.awaitsNoLeader(r.Msg.Link, m.now)
	}
	c.disconnected(r.Msg.Link)
	c.disturbed(r.At)
	if c.reach.leaves == none || r.Op == sim.OpClosed { // not as it closes
		c.reach.broken = r.At
	}
}
