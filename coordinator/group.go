package coordinator

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// group is what the coordinator knows of one group. The broker's methods in this
// package's files move it; there is one file for each request.
type group struct {
	id        string
	sum       uint64 // hash of id
	slot      int32  // place in Broker.groups
	born      uint32 // tells it from a later group of the same id
	partition int32  // of __consumer_offsets

	state      protocol.GroupState
	previous   protocol.GroupState
	movedBy    sim.Ref // what brought it into its state
	generation int32
	typ        string // protocol type; "": none yet
	protocol   string // selected; "" if none
	leader     int32  // slot, none if there is no leader

	members  list
	waiting  list // ids given out with MEMBER_ID_REQUIRED that have not joined yet
	slots    []member
	free     []int32
	byID     names
	byStatic names
	joined   int32 // members with a parked JoinGroup
	owing    int32 // members that owe a SyncGroup
	owingOld []owing
	support  []support

	joinTimer sim.TimerID
	syncTimer sim.TimerID
	// The initial delay: whether the join timer is it, what it was set to, what is
	// left of the rebalance timeout, and whether someone came meanwhile.
	delaying   bool
	delay      int32
	delayLeft  int32
	newcomer   bool
	moved      int64 // when the state changed last, for the group's record; -1: not known
	knowsTopic bool  // topics is known
	topics     []string
	offsets    []offsetEntry // sorted by partition
	// bornAt is the log offset after the record that made the group:
	// a group is not shown before its first record is.
	bornAt int64
	stored *protocol.LogRecord // its last record in the log, nil: none
}

// owing is an id that is not a member's any more and still counts as owing a
// SyncGroup, with its place among the others.
type owing struct {
	id    string
	place int32
}

// support counts the members that offer a protocol.
type support struct {
	name string
	n    int32
}

// list is a chain of slots.
type list struct{ first, last, n int32 }

// member is a member of a group, or an id that may become one.
type member struct {
	id, client, instance string
	session, rebalance   int32
	protocols            []protocol.GroupProtocol
	assignment           *protocol.Assignment
	proposed             *protocol.Assignment // while the leader's assignment is read
	join, sync           parked
	timer                sim.TimerID
	extra                []sim.TimerID // set in the same millisecond, see Broker.supersede
	next, prev           int32
	isMember             bool  // not only an id given out
	isNew                bool  // has not been through a join phase
	newTimer             bool  // its timer is the new member's, not the session's
	owes                 int32 // a SyncGroup of this generation: its place among those who do; 0: not
}

// parked is a request that is not answered yet.
type parked struct {
	set     bool
	version int16
	req     sim.Request // none: something else has answered it
	late    sim.Ref     // that request, if Kafka's code answers it once more
	op      uint32      // its place in the log's queue, 0 if it has none
	stores  bool        // it is of a static member that has come back, whose new id is being stored
}

func (g *group) at(slot int32) *member { return &g.slots[slot] }

// find gives the slot of a member or of an id given out, none if there is neither.
func (g *group) find(id string) int32 { return g.byID.find(id) }

// member gives the slot of a member.
func (g *group) member(id string) int32 {
	if i := g.byID.find(id); i != none && g.slots[i].isMember {
		return i
	}
	return none
}

func (g *group) leaderID() string {
	if g.leader == none {
		return ""
	}
	return g.slots[g.leader].id
}

func (g *group) newSlot() int32 {
	if n := len(g.free); n > 0 {
		i := g.free[n-1]
		g.free = g.free[:n-1]
		return i
	}
	g.slots = append(g.slots, member{})
	return int32(len(g.slots) - 1)
}

// link puts a slot into a chain in front of another one, or at the end.
func (g *group) link(l *list, i, before int32) {
	m := &g.slots[i]
	m.next = before
	if before == none {
		m.prev = l.last
		l.last = i
	} else {
		m.prev = g.slots[before].prev
		g.slots[before].prev = i
	}
	if m.prev == none {
		l.first = i
	} else {
		g.slots[m.prev].next = i
	}
	l.n++
}

func (g *group) unlink(l *list, i int32) {
	m := &g.slots[i]
	if m.prev == none {
		l.first = m.next
	} else {
		g.slots[m.prev].next = m.next
	}
	if m.next == none {
		l.last = m.prev
	} else {
		g.slots[m.next].prev = m.prev
	}
	l.n--
}

// allJoined reports whether every member has a parked JoinGroup and every id given
// out has been used.
func (g *group) allJoined() bool { return g.joined == g.members.n && g.waiting.n == 0 }

// maxRebalance is the longest rebalance timeout of the members.
func (g *group) maxRebalance() int32 {
	var t int32
	for i := g.members.first; i != none; i = g.slots[i].next {
		t = max(t, g.slots[i].rebalance)
	}
	return t
}

// supports reports whether a member that offers the protocols can be in the group.
func (g *group) supports(rules *protocol.BrokerRules, typ string, offered []protocol.GroupProtocol) bool {
	if g.members.n == 0 && (g.state == protocol.Empty || !rules.EmptyState) {
		switch {
		case rules.EmptyProtocolsRefused:
			return typ != "" && len(offered) > 0
		case rules.EmptyState:
			return true
		default:
			return g.typ == typ
		}
	}
	if g.typ != typ {
		return false
	}
	for i := range offered {
		if g.supportOf(offered[i].Name) == g.members.n {
			return true
		}
	}
	return g.members.n == 0
}

func (g *group) supportOf(name string) int32 {
	for i := range g.support {
		if g.support[i].name == name {
			return g.support[i].n
		}
	}
	return 0
}

func (g *group) count(offered []protocol.GroupProtocol, d int32) {
next:
	for i := range offered {
		for j := range offered[:i] {
			if offered[j].Name == offered[i].Name {
				continue next
			}
		}
		for j := range g.support {
			if g.support[j].name == offered[i].Name {
				if g.support[j].n += d; g.support[j].n == 0 {
					g.support = slices.Delete(g.support, j, j+1)
				}
				continue next
			}
		}
		g.support = append(g.support, support{offered[i].Name, d})
	}
}

// sameProtocols reports whether a request offers exactly what the member had.
func (m *member) sameProtocols(offered []protocol.GroupProtocol) bool {
	if len(m.protocols) != len(offered) {
		return false
	}
	for i := range offered {
		if m.protocols[i].Name != offered[i].Name || !m.protocols[i].Metadata.Equal(offered[i].Metadata) {
			return false
		}
	}
	return true
}

// metadata is what the member says for a protocol; ok is false if it does not offer it.
func (m *member) metadata(name string) (md *protocol.Metadata, ok bool) {
	for i := range m.protocols {
		if m.protocols[i].Name == name {
			return m.protocols[i].Metadata, true
		}
	}
	return nil, false
}

// clone copies the group. Protocols, assignments and names are frozen and shared.
func (g *group) clone() *group {
	c := *g
	c.slots = slices.Clone(g.slots)
	for i := range c.slots {
		c.slots[i].extra = slices.Clone(c.slots[i].extra)
	}
	c.free = slices.Clone(g.free)
	c.byID = g.byID.clone()
	c.byStatic = g.byStatic.clone()
	c.owingOld = slices.Clone(g.owingOld)
	c.support = slices.Clone(g.support)
	c.offsets = slices.Clone(g.offsets)
	for i := range c.offsets {
		c.offsets[i].pending = slices.Clone(c.offsets[i].pending)
	}
	return &c
}

func (g *group) hash(h *sim.Hasher) {
	h.Uint(g.sum)
	h.Uint(uint64(g.state)<<8 | uint64(g.previous))
	h.Int(int64(g.generation))
	h.Str(g.typ)
	h.Str(g.protocol)
	h.Str(g.leaderID())
	h.Bool(g.delaying)
	h.Int(int64(g.delay))
	h.Int(int64(g.delayLeft))
	h.Bool(g.newcomer)
	h.Int(int64(len(g.owingOld)))
	for _, o := range g.owingOld {
		h.Str(o.id)
	}
	h.Bool(g.knowsTopic)
	h.Strs(g.topics)
	for _, l := range [...]list{g.members, g.waiting} {
		h.Int(int64(l.n))
		for i := l.first; i != none; i = g.slots[i].next {
			g.slots[i].hash(h)
		}
	}
	if g.stored != nil {
		h.Uint(g.stored.Sum())
	}
	h.Int(int64(len(g.offsets)))
	for i := range g.offsets {
		g.offsets[i].hash(h)
	}
}

func (m *member) hash(h *sim.Hasher) {
	h.Str(m.id)
	h.Str(m.client)
	h.Str(m.instance)
	h.Int(int64(m.session))
	h.Int(int64(m.rebalance))
	hashProtocols(h, m.protocols)
	h.Uint(m.assignment.Sum())
	m.join.hash(h)
	m.sync.hash(h)
	h.Bool(m.isNew)
	h.Bool(m.newTimer)
	h.Bool(m.owes != 0)
}

func (p *parked) hash(h *sim.Hasher) {
	h.Bool(p.set)
	if p.set {
		h.Bool(p.req.None())
		h.Int(int64(p.req.Link))
		h.Int(int64(p.version))
		h.Bool(p.stores)
	}
}
