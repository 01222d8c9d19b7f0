package invariants

import (
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// broker is what a broker has said so far.
type broker struct {
	node    sim.NodeID
	cfg     *coordinator.Config
	image   *coordinator.Image
	rules   *protocol.BrokerRules
	alive   bool
	loading bool  // it reads the log of the group's partition
	epoch   int32 // of the last load that it was told of
	unload  int32 // of the unload that it is told of
	unloads int32 // the partition of that
	// clockOff is that its clock was put to another time, or does not run as time does:
	// how long things take there is not looked at any more.
	clockOff bool
	stalled  bool           // its log commits nothing
	refusing bool           // its log refuses what is written
	refusal  protocol.Error // with what it did last
	failed   int64          // when one of these began or ended last, ms
	pending  []pending
	// unwritten are the tombstones of the group's that its log has refused: it has
	// forgotten what they delete, until it loads the log again.
	unwritten []*protocol.LogRecord
	hw        int64 // what it has committed of the group's partition
	group     group
}

func newBroker(f Broker) broker {
	b := broker{node: f.Node, image: f.Image}
	b.set(f.Config)
	return b
}

func (b *broker) set(cfg *coordinator.Config) {
	b.cfg, b.rules = cfg, &cfg.Rules
}

// mayFail reports whether the broker's log may refuse records, or take too long.
func (m *Monitor) mayFail(b *broker) bool {
	return b.stalled || b.refusing || b.cfg.AppendLinger >= b.cfg.CommitTimeout || b.failed > 0 && m.ms()-b.failed <= b.cfg.CommitTimeout+b.cfg.AppendLinger
}

// group is the group as one coordinator has it, from its making or its loading until it
// is given up: one incarnation.
type group struct {
	there       bool
	incarnation int32
	state       protocol.GroupState
	since       sim.Time // it is in its state
	collecting  sim.Time // when it last began to collect
	generation  int32
	madeIn      int32 // the incarnation that handed its generation out
	leader      int32 // member id; unknown after the leader was removed
	protocol    string
	typ         string
	members     []member
	byInstance  map[string]int32
	at          []int32 // by member id: the place in members, none
	formedAt    int64   // when its generation was formed, ms
	bound       int64   // how long its phase may take, ms; negative: not bounded
	initial     bool    // PreparingRebalance is the initial delay
	wedged      bool    // the answers to the join phase stopped halfway (KAFKA-14422)
	replaced    member  // a static member whose id is being replaced
	refused     bool    // a member was refused for group.max.size since it is in its state
	tookBack    bool    // the new id of one was taken back when the generation was formed with it
	assigned    int     // how often the leader has assigned in this generation
	foreign     bool    // what the leader assigns is for a generation of the same number, that another coordinator handed out
}

// unknown is a leader that was chosen and not told yet.
const unknown = -2

// member is a member as the coordinator knows it.
type member struct {
	id                 int32
	instance           string
	session, rebalance int32 // ms
	protocols          []protocol.GroupProtocol
	before             *member // the static member whose place it has taken
	assignment         *protocol.Assignment
	join, sync         bool // it waits for the answer
	absent             bool // static, and did not join this generation
	answeredEarly      bool // its JoinGroup was answered with an error, and still counts as parked
	isNew              bool // has not been through a join phase
	synced             bool // has sent a SyncGroup in this generation
	added              int64
	wanted             int32  // the session timeout of its last JoinGroup, ms
	by                 string // what has renewed its session last
	renewed, maybe     int64  // when that came, ms, and when something came that may have
	// By the coordinator's clock, ms: it may not be expired before least, and must be by
	// most; never: there is no timer.
	least, most int64
}

const never = int64(1) << 62

// What renews a session before there are heartbeats: the end of a join phase, of all members.
const (
	joinPhase = "the join phase"
	ownSync   = "its SyncGroup"
)

func (g *group) find(id int32) *member {
	if id < 0 || int(id) >= len(g.at) || g.at[id] == none {
		return nil
	}
	return &g.members[g.at[id]]
}

func (g *group) add(x member) *member {
	for int(x.id) >= len(g.at) {
		g.at = append(g.at, none)
	}
	g.at[x.id] = int32(len(g.members))
	g.members = append(g.members, x)
	if x.instance != "" {
		if g.byInstance == nil {
			g.byInstance = map[string]int32{}
		}
		g.byInstance[x.instance] = x.id
	}
	return &g.members[len(g.members)-1]
}

func (g *group) remove(id int32) member {
	i := g.at[id]
	x := g.members[i]
	if g.byInstance[x.instance] == id {
		delete(g.byInstance, x.instance)
	}
	g.members = append(g.members[:i], g.members[i+1:]...)
	g.at[id] = none
	for k := int(i); k < len(g.members); k++ {
		g.at[g.members[k].id] = int32(k)
	}
	return x
}

// forget empties the group: it is not there any more.
func (g *group) forget() {
	for i := range g.members {
		g.at[g.members[i].id] = none
	}
	clear(g.byInstance)
	*g = group{at: g.at, members: g.members[:0], byInstance: g.byInstance}
}

// owner is the member that has an instance id, nil if none has.
func (g *group) owner(instance string) *member {
	if instance == "" {
		return nil
	}
	id, ok := g.byInstance[instance]
	if !ok {
		return nil
	}
	return g.find(id)
}

// longest is the longest rebalance timeout of the members, ms.
func (g *group) longest() int64 {
	var ms int64
	for i := range g.members {
		ms = max(ms, int64(g.members[i].rebalance))
	}
	return ms
}

// renews gives a member its whole session again, from a moment on.
func (x *member) renews(at int64, by string) {
	if until := at + int64(x.wanted); until > x.least || at >= x.renewed || x.isNew { // a sign of life ends the five minutes of a new one
		x.least, x.by = until, by
	}
	if most := at + int64(max(x.session, x.wanted)); x.most == never || most > x.most || at >= max(x.renewed, x.maybe) {
		x.most = most
	}
	x.renewed = max(x.renewed, at)
	if x.join || x.sync {
		x.most = never // it needs no session while it waits
	}
}

// answered ends a wait that renews nothing: a timer that went off meanwhile did nothing,
// and there is none now.
func (x *member) answered(now int64) {
	if x.most <= now {
		x.most = never
	}
}

func (m *Monitor) ms() int64 { return m.now.Millis() }

// makes begins a new incarnation of the group at a broker.
func (m *Monitor) makes(b *broker, state protocol.GroupState) *group {
	b.group.forget()
	life := int32(overtaken)
	if !m.isOvertaken(b) {
		m.lives++
		life = m.lives
	}
	g := &b.group
	g.there, g.incarnation, g.state, g.since, g.leader = true, life, state, m.now, none
	g.madeIn = life
	g.bound = -1
	return g
}

// overtaken is the incarnation of a group that a broker makes or loads when another has been
// told to load it since: the other's is the latest.
const overtaken = -1

func (m *Monitor) isOvertaken(b *broker) bool {
	for i := range m.brokers {
		if m.brokers[i].epoch > b.epoch && m.brokers[i].alive {
			return true
		}
	}
	return false
}

// latest reports whether no newer incarnation of the group exists than the broker's: an
// old coordinator that does not know yet that it is none is not the latest.
func (m *Monitor) latest(b *broker) bool { return b.group.there && b.group.incarnation == m.lives }

// coordinator is the broker that has the latest incarnation, nil if there is none now.
func (m *Monitor) coordinator() *broker {
	for i := range m.brokers {
		if b := &m.brokers[i]; m.latest(b) && b.alive {
			return b
		}
	}
	return nil
}

func (m *Monitor) started(r *sim.Rec) {
	if b := m.broker(r.Node); b != nil {
		b.alive, m.booted = true, r.At
		switch o := r.Body.(type) {
		case *coordinator.SetImage:
			b.image = o.Image
		case *coordinator.Restart:
			b.image = o.Image
			b.set(o.Config())
		}
		return
	}
	if c := m.client(r.Node); c != nil {
		m.clientStarts(c, r)
	}
}

func (m *Monitor) stopped(r *sim.Rec) {
	if b := m.broker(r.Node); b != nil {
		b.alive, b.loading, b.stalled, b.refusing, b.pending, b.unwritten = false, false, false, false, nil, nil
		b.group.forget()
		for i := range m.clients {
			m.clients[i].dropRequests(m.brokerOf[r.Node])
		}
		return
	}
	if c := m.client(r.Node); c != nil {
		if r.Op == sim.OpExit {
			m.endsInGroup(c)
		}
		m.clientStops(c)
	}
}

func (m *Monitor) clockIsOff(r *sim.Rec) {
	if b := m.broker(r.Node); b != nil {
		b.clockOff = true
	} else if c := m.client(r.Node); c != nil {
		c.clockOff, c.runsOff = true, r.Note.B != 0
		c.setBack = max(c.setBack, m.now) - min(0, sim.Time(r.Note.A)*sim.Millisecond)
	}
}

// ordered takes in an order of the scenario's to a node.
func (m *Monitor) ordered(r *sim.Rec) {
	if c := m.client(r.Node); c != nil {
		m.told(c, r.Body)
		return
	}
	b := m.broker(r.Node)
	if b == nil {
		return
	}
	switch o := r.Body.(type) {
	case *coordinator.SetImage:
		b.image = o.Image
	case *coordinator.Form:
		if o.Group == m.f.Group {
			m.forms(o)
		}
	case *coordinator.Load:
		if m.isOurs(b, o.Partition) {
			b.loading, b.epoch = true, max(b.epoch, o.Epoch)
		}
	case *coordinator.Unload:
		if b.unloads = o.Partition; m.isOurs(b, o.Partition) {
			b.loading = b.loading && b.rules.EpochsOrdered && o.Epoch < b.epoch // an order that is not followed
			b.unload = o.Epoch
		}
	case *coordinator.Hold:
		b.stalled, b.failed = !o.Release, m.ms()
	case *coordinator.FailAppends:
		if b.refusing, b.failed = o.Error != protocol.None, m.ms(); b.refusing {
			b.refusal = o.Error
		}
	}
}

// isOurs reports whether the group is in a partition of __consumer_offsets.
func (m *Monitor) isOurs(b *broker, partition int32) bool {
	return partition == protocol.CoordinatorPartition(m.f.Group, b.cfg.OffsetsPartitions)
}

// forms remembers whose the ids of a group are that is formed by the scenario, and how
// its members are set.
func (m *Monitor) forms(o *coordinator.Form) {
	m.log.formed = o
	m.log.formedAs = make(map[int32]int, len(o.Members))
	for i := range o.Members {
		m.log.formedAs[m.learns(o.Members[i].ID, o.Members[i].ClientID, o.Members[i].Instance)] = i
	}
}

// learns takes down whose an id is that was given before the run, by its client id.
func (m *Monitor) learns(id, client, instance string) int32 {
	n := m.ids.number(id)
	p := &m.ids.list[n]
	if p.instance == "" {
		p.instance = instance
	}
	if p.client == none {
		if i, ok := m.byName[client]; ok {
			p.client = i
		}
	}
	return n
}

func (m *Monitor) unloaded(b *broker, partition int32) {
	if m.isOurs(b, partition) {
		b.stalled, b.pending, b.unwritten = false, nil, nil
		b.group.forget()
	}
}
