package coordinator

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// PointMemberOrder is the place of a new member among those a group has, counted from
// the end: Kafka keeps members in a hash map, so every order is possible. The plain
// answer is the order of joining.
var PointMemberOrder = sim.NewPoint("member-order")

// Broker is one broker as groups and their members see it: it knows the cluster, it
// serves the ends of its partitions, and it coordinates the groups of the partitions
// of __consumer_offsets that it leads. It is a sim.Actor.
type Broker struct {
	cfg   *Config
	image *Image
	self  sim.NodeID

	parts       []partition
	groups      []*group // by slot; nil: free
	free        []int32
	byGroup     names
	born        uint32
	timers      []owner // by sim.TimerID
	fetches     []fetch
	fetchPlaces []int32 // by connection: the place in fetches, none
	cleanup     sim.TimerID
	clients     names  // client ids that ids were made for
	made        []made // how many, by client
	lastOp      uint32
	fault       string // what Check reports

	// What is being handled.
	out      *sim.Out
	req      sim.Request
	failed   protocol.Error // the log's refusal of what the request wrote
	wrote    bool
	thrown   bool  // Kafka's code throws here
	parkedAt int32 // the slot of the member whose request was parked
}

// owner says whose a timer is.
type owner struct {
	group, member int32 // slots; member: none for the group's own
	id            string
	kind          uint8
}

// The kinds of a broker's timers, as sim.Fired has them.
const (
	TimerSession  uint8 = iota + 1 // a member's session, or a new member's time to be answered
	TimerJoin                      // the initial delay, or the join phase
	TimerSync                      // the members that owe a SyncGroup
	TimerWrite                     // an append that is not committed
	TimerCommit                    // the high watermark moves
	TimerLoad                      // a load begins or ends
	TimerCleanup                   // the check for expired offsets
	TimerFetch                     // a parked Fetch
	TimerLeftover                  // the session of a member that was dropped (KAFKA-7196)
	TimerIdle                      // the session of an id that is gone; it does nothing
)

// New is a broker that has not been started. When it is, it coordinates the groups of
// the partitions that the image gives to its node, from its own logs, which are empty
// at first. The config and the image are shared and must not be written to.
func New(cfg *Config, image *Image) *Broker {
	b := &Broker{cfg: cfg, image: image, self: sim.Nobody, timers: make([]owner, 0, 32)}
	n := cfg.OffsetsPartitions
	if image != nil && len(image.OffsetsLeaders) > 0 {
		n = int32(len(image.OffsetsLeaders))
	}
	b.parts = make([]partition, n)
	for i := range b.parts {
		b.parts[i].epoch = -1
	}
	return b
}

// Config is how the broker is set.
func (b *Broker) Config() *Config { return b.cfg }

// Image is what the broker knows of the cluster, nil if it has not heard of it.
func (b *Broker) Image() *Image { return b.image }

// Step handles one input.
func (b *Broker) Step(in *sim.Input, out *sim.Out) {
	b.out, b.self = out, out.Self()
	b.failed, b.wrote, b.thrown, b.parkedAt = protocol.None, false, false, none
	switch in.Kind {
	case sim.InputStart:
		b.start(in.Body)
	case sim.InputCrash:
		b.crash()
	case sim.InputRequest:
		b.req = in.Req
		b.request(in)
		b.req = sim.Request{}
	case sim.InputTimer:
		b.timer(in.Timer)
	case sim.InputCommand:
		b.order(in.Body)
	case sim.InputParked:
		b.unparked(in.Link)
	case sim.InputClock:
		if !b.cfg.Rules.SteadyTimers {
			b.out.Shift(-in.Jump)
		}
	}
	b.out = nil
}

func (b *Broker) request(in *sim.Input) {
	switch r := in.Msg.Body.(type) {
	case *protocol.HeartbeatRequest:
		b.heartbeat(r)
	case *protocol.JoinGroupRequest:
		b.joinGroup(r)
	case *protocol.SyncGroupRequest:
		b.syncGroup(r)
	case *protocol.OffsetCommitRequest:
		b.offsetCommit(r)
	case *protocol.OffsetFetchRequest:
		b.offsetFetch(r)
	case *protocol.LeaveGroupRequest:
		b.leaveGroup(r)
	case *protocol.FetchRequest:
		b.fetch(r)
	case *protocol.ListOffsetsRequest:
		b.listOffsets(r)
	case *protocol.MetadataRequest:
		b.metadata(r)
	case *protocol.FindCoordinatorRequest:
		b.findCoordinator(r)
	case *protocol.OffsetDeleteRequest:
		b.offsetDelete(r)
	case *protocol.DescribeGroupsRequest:
		b.describeGroups(r)
	case *protocol.ListGroupsRequest:
		b.listGroups(r)
	case *protocol.DeleteGroupsRequest:
		b.deleteGroups(r)
	case *protocol.TxnOffsetCommitRequest:
		b.txnOffsetCommit(r)
	}
}

func (b *Broker) timer(t sim.Fired) {
	o := b.timers[t.ID]
	switch o.kind {
	case TimerSession:
		b.sessionEnds(b.groups[o.group], o.member, t.ID)
	case TimerLeftover, TimerIdle:
		b.leftoverEnds(o, t.ID)
	case TimerJoin:
		b.joinTimeEnds(b.groups[o.group])
	case TimerSync:
		b.syncTimeEnds(b.groups[o.group])
	case TimerWrite:
		b.writeTimesOut(o.group, t.ID)
	case TimerCommit:
		b.commitsLinger(o.group)
	case TimerLoad:
		b.loadGoesOn(o.group)
	case TimerCleanup:
		b.cleanupRuns(o.group)
	case TimerFetch:
		b.fetchEnds(o.group)
	}
}

func (b *Broker) order(body sim.Body) {
	if p, ok := body.(interface{ partition() int32 }); ok && uint32(p.partition()) >= uint32(len(b.parts)) {
		return // __consumer_offsets has no such partition
	}
	switch o := body.(type) {
	case *SetImage:
		b.setImage(o.Image)
	case *Load:
		b.load(o)
	case *LoadDone:
		b.loadDone(o.Partition)
	case *Unload:
		b.unload(o)
	case *Hold:
		b.hold(o)
	case *FailAppends:
		b.failAppends(o)
	case *Form:
		b.form(o)
	}
}

// newTimer makes a timer and notes whose it is. Its argument is made from names, so
// that copies of a world that differ in slots only have equal hashes.
func (b *Broker) newTimer(kind uint8, group, member int32, name uint64, id string) sim.TimerID {
	t := b.out.NewTimer(sim.ClassTimer, kind, int32(uint32(name)^uint32(name>>32)))
	b.owns(t, owner{group: group, member: member, id: id, kind: kind})
	return t
}

// owns notes whose a timer is.
func (b *Broker) owns(t sim.TimerID, o owner) {
	for int(t) >= len(b.timers) {
		b.timers = append(b.timers, owner{})
	}
	b.timers[t] = o
}

func (b *Broker) freeTimer(t *sim.TimerID) {
	if *t != 0 {
		b.out.FreeTimer(*t)
		b.timers[*t] = owner{}
		*t = 0
	}
}

// reply answers the request that is being handled.
func (b *Broker) reply(body sim.Body, why protocol.Rule, ref sim.Ref) {
	b.out.Reply(b.req, body, uint16(why), ref)
}

// start begins the broker's life, or begins it again with the logs that it has.
func (b *Broker) start(body sim.Body) {
	switch o := body.(type) {
	case *SetImage:
		b.image = o.Image
	case *Restart:
		b.image, b.cfg = o.Image, o.config
	}
	if !b.cfg.Rules.ExpiryByPartition {
		b.cleanup = b.newTimer(TimerCleanup, none, none, 0, "")
		b.out.Arm(b.cleanup, b.cfg.RetentionCheck)
	}
	for i := range b.parts {
		p := &b.parts[i]
		switch {
		case b.image == nil || i >= len(b.image.OffsetsLeaders) || b.image.OffsetsLeaders[i] != b.self:
		case len(p.log) == 0: // there is nothing to load, and nothing to say
			p.epoch++
			b.own(int32(i))
		default:
			b.load(&Load{Partition: int32(i), Epoch: p.epoch + 1, KeepLog: true})
		}
	}
}

// crash forgets all that is not in a log. The count of ids made stays: it stands for
// Kafka's random ids, which do not come back either.
func (b *Broker) crash() {
	for i := range b.parts {
		p := &b.parts[i]
		*p = partition{epoch: p.epoch, log: p.committedLog(), end: p.hw, hw: p.hw, base: p.base}
	}
	b.groups, b.free, b.byGroup = nil, nil, names{}
	b.timers, b.fetches, b.fetchPlaces, b.cleanup = nil, nil, nil, 0
}

func (b *Broker) setImage(image *Image) {
	old := b.image
	b.image = image
	if b.cfg.Rules.TopicsTakeOffsets && old != nil {
		for i := range old.Topics {
			if name := old.Topics[i].Name; image.topic(name) == nil {
				b.topicDeleted(name)
			}
		}
	}
	b.wakeFetches()
}

// Clone copies the broker. Config, image, records and bodies are shared.
func (b *Broker) Clone() sim.Actor {
	c := *b
	c.parts = slices.Clone(b.parts)
	for i := range c.parts {
		c.parts[i].log = slices.Clip(c.parts[i].log) // whoever appends to it gets a log of its own
		c.parts[i].queue = slices.Clone(c.parts[i].queue)
	}
	c.groups = slices.Clone(b.groups)
	for i, g := range c.groups {
		if g != nil {
			c.groups[i] = g.clone()
		}
	}
	c.free = slices.Clone(b.free)
	c.byGroup = b.byGroup.clone()
	c.timers = slices.Clone(b.timers)
	c.fetches = slices.Clone(b.fetches)
	c.fetchPlaces = slices.Clone(b.fetchPlaces)
	c.clients = b.clients.clone()
	c.made = slices.Clone(b.made)
	return &c
}

// Hash writes what the broker's future depends on, but for how old committed offsets
// are and when groups changed their state: that is absolute time, and matters after a
// day only.
func (b *Broker) Hash(h *sim.Hasher) {
	b.image.hash(h)
	for i := range b.parts {
		b.parts[i].hash(b, h)
	}
	// By name: slots are taken as they come free.
	var sum uint64
	n := 0
	for _, g := range b.groups {
		if g != nil {
			var gh sim.Hasher
			g.hash(&gh)
			sum += gh.Sum()
			n++
		}
	}
	h.Int(int64(n))
	h.Uint(sum)
	sum, n = 0, 0
	for i := range b.fetches {
		if f := &b.fetches[i]; !f.req.None() {
			var fh sim.Hasher
			fh.Int(int64(f.req.Link))
			fh.Body(f.body)
			fh.Bool(f.parked)
			sum += fh.Sum()
			n++
		}
	}
	h.Int(int64(n))
	h.Uint(sum)
	sum = 0
	for i := range b.made {
		var mh sim.Hasher
		mh.Str(b.made[i].prefix)
		mh.Int(int64(b.made[i].n))
		sum += mh.Sum()
	}
	h.Uint(sum)
}
