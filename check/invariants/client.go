package invariants

import (
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// client is what a client has said of itself so far.
type client struct {
	node     sim.NodeID
	cfg      *consumer.Config // nil: not known
	alive    bool
	frozen   bool
	lastID   cachedID
	reach    reach
	requests []request // that coordinators have of its

	// As it sees itself.
	state        string
	member       int32
	generation   int32
	madeIn       int32 // the incarnation that handed its generation out
	closed       bool
	going        []int32 // what its listener is just told it has no more
	joinedOnce   bool    // it has sent a JoinGroup
	closing      bool    // its program was told to stop
	awaitsFormed bool    // it was formed as one that waits for an answer, and waits still
	subscribed   bool
	resubscribed bool
	quits        bool           // it is told to unsubscribe, which fails if its listener throws
	pattern      bool           // it subscribes to a pattern
	mistakes     int            // calls of its program that throw an IllegalStateException
	refused      protocol.Error // why it is not let into the group, None if it is
	refusedAt    sim.Time       // when it last was told so

	heard    joined // of the JoinGroup answer that it got last
	unread   bool   // its program has not polled since that came
	foreign  bool   // the assignment that it got last was made for another generation of the same number
	unjoined bool   // its connection broke while it waited for the answer to a JoinGroup, and it has sent none since
	unsynced bool   // its JoinGroup was answered, and no SyncGroup since
	// outlived is what its session was too short for when it joined, and rounds is how often in a
	// row: no heartbeat has found it a member since. lasted is how long the session was, ms, and
	// times how often that was in all, the last time at ranOut.
	outlived      string
	rounds, times int
	lasted        int64
	ranOut        sim.Time
	// lateAt is when it last was missing when a join phase was over, or its SyncGroup when that was
	// due, although nothing had kept it from its coordinator; lateIn is how long that took, ms.
	lateAt sim.Time
	lateIn int64
	// waited is how long the answer to a heartbeat or commit took last, ms, and lateFor that then.
	waited, lateFor int64
	// resetAsking is that an error about an earlier generation came while it waits for the answer to
	// a JoinGroup.
	resetAsking bool
	// unled is how often it has given its SyncGroup up, which no leader had come before for a whole
	// session, and unledAt when it did last.
	unled   int
	unledAt sim.Time
	// unwanted is how often in a row it was assigned what it does not subscribe to, or what is not
	// there, and joined again.
	unwanted int
	// insists is that the commit which it heard of last was of a partition that is not there, and
	// it tries that again: it has not asked to join since.
	insists bool
	// unbeaten is that its heartbeat thread has failed when it had joined already: the next
	// thread is not told to begin.
	unbeaten bool
	leads    bool // it said that it leads
	// believes is that it takes itself for the leader: until it prepares for a join, even if it
	// is told in the next that it is none.
	believes bool
	led      bool                      // it led when it took its last assignment, or leads
	leading  *protocol.JoinGroupAnswer // the last one that made it the leader
	didLead  bool                      // it did until then
	onWay    []joined
	asked    []asked  // requests to the coordinator that it has sent and has no answer to
	looksUp  []asked  // the same of questions for the coordinator, for metadata and for committed offsets
	heardOf  [4]heard // answers with errors that it got last
	nth      int
	jammed   sim.Time // when it last had as many requests under way as it can have
	syncs    []joined // SyncGroups that it has sent and that have not arrived: their numbers, and in which incarnation
	commits  []commit // commits that it has sent and that have not arrived
	// handled is the commit that is handled now.
	handled commit

	given      []int32 // by the SyncGroup answer that it got last
	owned      []int32 // by its listener's calls
	serves     []int32
	zombie     []sim.Time // parallel to serves: since when it has been told that it has no right; -1
	callback   uint8      // that runs: its note's code, 0: none
	revoked    bool       // of a client before 2.4: what it holds was revoked, and it reads nothing until it is assigned anew
	assigned   bool       // it was assigned since it last was revoked or lost
	lastMember int32      // the id that it had last
	mayDrop    bool       // that id, and what it holds: it was told that it is void, or has left
	mayLose    bool       // what it holds: it was told so of an earlier id, and holds it still
	askedAt    sim.Time   // when it last sent something to its coordinator
	calm       sim.Time   // since when nothing has kept it from that
	clockOff   bool       // its clock was put to another time, or does not run as time does
	runsOff    bool       // the latter
	setBack    sim.Time   // until when it may wait for a time that its clock has shown already
	preparing  bool       // it has committed before a join, and gives up what it has next
	queued     bool       // what it sends may have waited for others to be answered
	drained    sim.Time   // when the last of that is sent; none if others wait still
	again      bool       // its listener threw as it was assigned, and is called once more
	leaving    bool       // the same, of clients whose commit before a join is one like a program's as well
	slippedAt  sim.Time   // when it lost its generation, and may have been in its commit before a join, which is not seen if it has nothing to commit; none
	woken      bool       // a wakeup ended its preparation: its listener is not told what it loses
	stale      bool       // it has claimed, without a generation, what it still holds
	odd        bool       // it got an error that no client expects
	threw      bool       // its listener has thrown
	thrownAt   sim.Time   // when an exception was last thrown at its program
	mismatch   bool       // it has thrown an IllegalArgumentException at its program instead of taking its assignment over
	revoking   bool       // its listener was told last that partitions are revoked, in a preparation that began with a generation
	mayClose   bool       // that may have made the program close the consumer
	meta       *protocol.MetadataAnswer
	assignedBy *protocol.MetadataAnswer // meta, when it sent its last SyncGroup
	askedMeta  sim.Time                 // when it last asked for it
	// turned is when it last left, or got an answer to a JoinGroup or a SyncGroup: its program's
	// next poll sees to that.
	turned sim.Time
	// hurries is that its program gives poll less time than metadata took, which a subscription
	// by pattern waits for before it joins, and that it has not joined since; hurried is when it last did.
	hurries bool
	hurried sim.Time
	told    bool     // an answer that tells it of a loss is on its way, or lies unread
	sought  bool     // its program moves positions by itself
	busy    sim.Time // until when its program does not poll
	willBe  int      // how often it is still to be so, when its present call is over
	stands  sim.Time // since when it stands still
	marked  int      // partitions that it serves with others
}

// joined is the generation in a JoinGroup answer.
type joined struct {
	ord                uint32
	member, generation int32
	madeIn             int32
}

// asked is a request that is not answered yet.
type asked struct {
	kind               uint8
	ord                uint32
	link               sim.LinkID
	member, generation int32
	madeIn             int32
	lost, unheard      bool // it, or its answer
	joins              bool // it is a commit that is made before a join
	sync               bool // a commit that is waited for, and tried again
	at                 sim.Time
}

// heard is an answer with an error, by the record of its arrival.
type heard struct {
	ref   sim.Ref
	asked asked
	err   protocol.Error
}

// commit is a commit on its way.
type commit struct {
	ord    uint32
	madeIn int32
	sentAt sim.Time
	async  bool // one of those that come in any order
	sought bool // its program had moved positions by itself
}

func newClient(f Client) client {
	return client{node: f.Node, cfg: f.Config, requests: make([]request, 0, 2), asked: make([]asked, 0, 2), looksUp: make([]asked, 0, 2),
		member: none, generation: -1, lastMember: none, thrownAt: none, slippedAt: none, reach: reach{collects: none, leaves: none, reads: none}}
}

// rules are the client's, nil if they are not known.
func (c *client) rules() *protocol.ClientRules {
	if c.cfg == nil {
		return nil
	}
	return &c.cfg.Rules
}

func (m *Monitor) clientStarts(c *client, r *sim.Rec) {
	if o, ok := r.Body.(*consumer.Restart); ok {
		c.cfg = o.Config()
	}
	m.forgets(c)
	c.alive = true
	if c.cfg == nil {
		return
	}
	s := &c.cfg.Subscription
	c.subscribed, c.pattern = len(s.Topics) > 0 || s.Pattern != "", s.Pattern != ""
	c.sought = c.cfg.Program.Driven || c.cfg.Program.CountsPolls || seeks(&c.cfg.Listener)
	if f := c.cfg.Formed; f != nil {
		id := m.ids.number(f.Member)
		m.ids.list[id].client = m.clientOf[c.node]
		for _, o := range f.Owned {
			p := m.parts.number(o.TopicPartition)
			if f.InFlight == 0 {
				c.owned, c.given = append(c.owned, p), append(c.given, p)
				m.reader(c, p).begins(o.Offset, m.now)
			}
		}
		c.assigned, c.led, c.leads = f.InFlight == 0, f.Leader, f.Leader
		c.awaitsFormed, c.unsynced = f.InFlight != 0, f.InFlight == protocol.KindSyncGroup
	}
}

func seeks(l *consumer.Listener) bool {
	for _, steps := range [][]consumer.CallbackStep{l.Revoked, l.Assigned, l.Lost} {
		for i := range steps {
			if steps[i].Seeks {
				return true
			}
		}
	}
	return false
}

func (m *Monitor) clientStops(c *client) {
	for i := range c.requests {
		c.requests[i].cut = true
	}
	m.serve(c, nil)
	m.forgets(c)
}

// forgets: a process that ends takes all with it that it was.
func (m *Monitor) forgets(c *client) {
	for i := range m.parts.list {
		m.parts.list[i].forgetReader(m.clientOf[c.node])
	}
	*c = client{node: c.node, cfg: c.cfg, lastID: c.lastID, requests: c.requests, member: none, generation: -1, lastMember: none, thrownAt: none, slippedAt: none, reach: reach{collects: none, leaves: none, reads: none}, calm: m.now,
		onWay: c.onWay[:0], asked: c.asked[:0], looksUp: c.looksUp[:0], commits: c.commits, syncs: c.syncs, given: c.given[:0], owned: c.owned[:0], serves: c.serves[:0], zombie: c.zombie[:0]}
}

func (m *Monitor) froze(r *sim.Rec) {
	if c := m.client(r.Node); c != nil {
		c.frozen, c.calm, c.reach.broken = r.Op == sim.OpFreeze, r.At, r.At
		if c.frozen {
			c.stands = r.At
		} else if c.busy > c.stands { // what it has left to do has waited
			c.busy += r.At - c.stands
		}
		for i := range c.zombie { // what it was told it could not act on
			if c.zombie[i] >= 0 {
				c.zombie[i] = r.At
			}
		}
	}
}

// busyUntil is until when a client's program does not poll, as far as is known.
func (m *Monitor) busyUntil(c *client) sim.Time {
	if c.willBe > 0 {
		return max(c.busy, m.now)
	}
	return c.busy
}

// told takes in an order to the program.
func (m *Monitor) told(c *client, body sim.Body) {
	call, ok := body.(*consumer.Call)
	if !ok {
		return
	}
	switch call.Op {
	case consumer.OpStop, consumer.OpClose:
		c.closing = true
	case consumer.OpBusy:
		c.willBe++
	case consumer.OpSeek, consumer.OpAdvance:
		c.sought = true
	case consumer.OpSubscribe, consumer.OpSubscribePattern:
		pattern := call.Op == consumer.OpSubscribePattern
		if c.subscribed && c.pattern != pattern { // topics after a pattern, or a pattern after topics
			c.mistakes++
		} else {
			c.pattern = pattern
		}
		c.subscribed, c.resubscribed, c.quits = true, true, false
	case consumer.OpUnsubscribe:
		c.subscribed, c.quits = false, c.subscribed
	}
}
