package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/assignor"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Consumer is Kafka's Java consumer of one release, as a state machine.
type Consumer struct {
	cfg *Config
	out *sim.Out // during a step

	// The user thread.
	stack      []frame
	waits      waiting
	result     bool   // of the procedure that ended last
	exception  Thrown // that is on its way, or was caught
	thrownRef  sim.Ref
	thread     uint8 // the thread that runs
	monitors   int32 // frames that hold the coordinator's monitor
	netLocked  bool  // the user thread has the network's lock
	userTimer  sim.TimerID
	wakeTimer  sim.TimerID // its select returns now; apart, so that the end of the wait stays in the queue
	spinning   int32       // turns of poll since the thread last waited
	dozes      bool        // its polls are not played, see idleWait
	calm       bool        // and they would all be quiet turns
	toldIdle   bool        // so the network has been told
	cause      sim.Ref     // the record that what is done now rests on
	because    because
	wakeup     bool
	wakeupsOff bool
	closed     bool
	hangs      bool // in an assignor that never ends
	closeError Thrown

	// Its program.
	orders   []order
	present  *Call
	stopping bool
	batch    []delivered

	// Clocks and timers that are not in use.
	clocks     []clock
	freeClocks []clockID
	freeTimers []sim.TimerID

	// The network client.
	conns       []conn
	unsent      []request
	inflight    []request
	inbox       []arrival
	completions []completion
	aborted     []request
	closing     []int16
	awake       bool // the next select returns at once
	attempts    uint64
	lastOrd     [sim.MaxKinds]uint32 // numbers of the last requests of each kind
	selecting   bool                 // inside a select that has waited
	lostLate    bool                 // a connection attempt failed there: the end of the next select takes note
	refused     int8                 // connection attempts that failed and that nobody has taken note of
	lostRef     sim.Ref              // the loss of a connection that was noticed last
	meta        metadata
	futures     []future
	lastFuture  int32

	// The coordinator.
	coord          int16 // its connection; -1: unknown
	coordWhy       protocol.Rule
	coordRef       sim.Ref
	find           int32 // the lookup under way
	findAwaited    int32
	couldNotLookUp bool // by the heartbeat thread, at its last turn
	findBody       *protocol.FindCoordinatorRequest

	// Membership.
	st                 state
	gen                generation
	rejoin             bool
	reason             string
	rejoinWhy          protocol.Rule
	rejoinRef          sim.Ref
	needsPrepare       bool
	staysOut           bool // a habit: it never joins again
	join               int32
	leads              bool
	leading            *protocol.JoinGroupAnswer
	assignment         []protocol.MemberAssignment // that a leader is about to send
	leadRef            sim.Ref
	requestRejoinLater bool
	taken              generation // whose assignment is being taken over
	prepareClock       clockID
	prepareWait        clockID
	prepareCommit      int32
	heart              heart
	beatBody           *protocol.HeartbeatRequest

	// Assignors.
	sticky      stickyMemory
	cooperative stickyMemory
	assignState assignor.State

	// The rebalance listener.
	called       []protocol.TopicPartition
	calledWhy    protocol.Rule
	calledRef    sim.Ref
	calls        [3]int32
	listenerErrs []Thrown

	// Subscription and positions.
	sub           subscription
	serves        []protocol.TopicPartition
	hasPositions  bool
	offsetsFuture int32
	committed     *protocol.OffsetFetchAnswer // that has just come
	listAllowed   sim.TimerID                 // passive: ListOffsets may be sent again
	offsetsOf     []protocol.TopicPartition
	offsetsGen    generation

	// Commits.
	given         []protocol.PartitionOffset
	autoClock     clockID
	autoTask      bool
	asyncCommits  int32
	finished      []finishedCommit
	queuedCommits []queuedCommit
	commitFenced  bool

	cluster *instantCluster // answers metadata at once, in a bench
	watch   func(*Seen)
}

// New makes a consumer. The Config must have passed Check.
func New(cfg *Config) *Consumer {
	return &Consumer{cfg: cfg}
}

// Config is how the consumer is set. It is not to be written to.
func (c *Consumer) Config() *Config { return c.cfg }

// start begins the process.
func (c *Consumer) start(body sim.Body) {
	if r, ok := body.(*Restart); ok {
		c.cfg = r.config
	}
	c.coord = -1
	c.coordWhy = protocol.RuleFirstLookup
	c.coordRef = c.cause
	c.gen = noGeneration
	c.rejoin, c.needsPrepare = true, true
	c.rejoinWhy, c.rejoinRef = protocol.RuleFirstJoin, c.cause
	c.cooperative.on, _ = c.cfg.rebalanceProtocol()
	c.cooperative.on = c.cooperative.on && c.cfg.Rules.Cooperative
	c.findBody = (&protocol.FindCoordinatorRequest{Group: c.cfg.Group}).Freeze()
	c.meta.brokers = c.cfg.Brokers
	c.meta.allowed = c.out.NewTimer(sim.ClassPassive, timerPassive, 5)
	c.meta.unchanged = c.out.NewTimer(sim.ClassPassive, timerPassive, 9)
	c.meta.expires = c.out.NewTimer(sim.ClassPassive, timerPassive, 6)
	c.out.Arm(c.meta.expires, c.cfg.Settings.MetadataMaxAge)
	c.listAllowed = c.out.NewTimer(sim.ClassPassive, timerPassive, 11)
	c.userTimer = c.out.NewTimer(sim.ClassUser, timerUser, 0)
	c.wakeTimer = c.out.NewTimer(sim.ClassUser, timerUser, 0)
	c.makeHeart()
	if c.cfg.Settings.AutoCommit {
		c.autoClock = c.newClock(c.cfg.Settings.AutoCommitInterval)
		c.autoTask = !c.cfg.Rules.HeartbeatThread
	}
	c.waits = running
	c.stack = append(make([]frame, 0, 16), frame{proc: pProgram})
	c.conns = make([]conn, 0, len(c.cfg.Brokers)+1)
	c.inflight = make([]request, 0, len(c.cfg.Brokers)+1)
	if c.cfg.Formed != nil {
		c.beginFormed(c.cfg.Formed)
	}
	if c.cfg.Program.Driven {
		c.waits = running
		return
	}
	c.waits = waitsSleep
	c.out.Arm(c.userTimer, 0)
}

// crash forgets everything that a process does.
func (c *Consumer) crash() {
	*c = Consumer{cfg: c.cfg, cluster: c.cluster, watch: c.watch}
}

// beginFormed puts the member into a group by fiat.
func (c *Consumer) beginFormed(g *Formed) {
	r := &c.cfg.Rules
	c.sub.kind = subTopics
	c.sub.topics = slices.Sorted(slices.Values(c.cfg.Subscription.Topics))
	c.sub.joined = c.sub.topics
	c.gen = generation{id: g.Generation, member: g.Member, protocol: g.Protocol}
	c.leads = g.Leader
	c.coord = c.connTo(g.Coordinator, ChannelCoordinator)
	c.connect(c.coord)
	c.conns[c.coord].state, c.conns[c.coord].fails = connUp, 0
	if r.HeartbeatThread {
		c.heart.exists = true
	}
	list := make([]protocol.TopicPartition, len(g.Owned))
	for i, o := range g.Owned {
		list[i] = o.TopicPartition
	}
	if g.HadIn > 0 {
		c.remember(g.Protocol, g.Had, g.HadIn)
	}
	if g.InFlight == 0 {
		c.sub.assign(list)
		for _, o := range g.Owned {
			c.sub.seek(o.TopicPartition, o.Offset)
		}
		c.st = stable
		c.rejoin = false
		c.sub.groupTopics = nil
		if g.Leader {
			c.sub.groupTopics = g.GroupTopics
			c.sub.snapshotDue = true
		}
		if r.HeartbeatThread {
			c.enableHeartbeats()
		} else {
			c.restartHeartbeatTask()
		}
		if g.HeartbeatIn > 0 {
			c.armHeart(c.heart.beat, g.HeartbeatIn)
		}
		c.noteServes(protocol.RuleClientFormed)
	} else {
		c.needsPrepare = false
		c.rejoin = g.InFlight == protocol.KindJoinGroup || !r.JoinClearsRejoin
		c.st = preparing
		c.join = c.newFuture()
		q := request{conn: c.coord, kind: g.InFlight, use: useJoin, fut: c.join, gen: c.gen, timeout: c.joinTimeout()}
		if g.InFlight == protocol.KindSyncGroup {
			q.use, q.timeout = useSync, c.cfg.Settings.RequestTimeout
			if r.HeartbeatsWhileCompleting {
				c.st = completing
				c.enableHeartbeats()
			}
		}
		q.timer = c.requestTimer()
		c.out.Arm(q.timer, q.timeout+1)
		c.inflight = append(c.inflight, q)
		c.conns[c.coord].sent++
		c.rejoinWhy = protocol.RuleAnswerLost
	}
	c.requestTopics()
	c.noteClient(protocol.RuleClientFormed, c.cause)
}

// Clone copies everything that a step may write.
func (c *Consumer) Clone() sim.Actor {
	d := *c
	d.out = nil
	d.stack = slices.Clone(c.stack)
	d.orders = slices.Clone(c.orders)
	d.batch = slices.Clone(c.batch)
	d.clocks = slices.Clone(c.clocks)
	d.freeClocks = slices.Clone(c.freeClocks)
	d.freeTimers = slices.Clone(c.freeTimers)
	d.conns = slices.Clone(c.conns)
	d.unsent = slices.Clone(c.unsent)
	d.inflight = slices.Clone(c.inflight)
	d.inbox = slices.Clone(c.inbox)
	d.completions = slices.Clone(c.completions)
	d.aborted = slices.Clone(c.aborted)
	d.closing = slices.Clone(c.closing)
	d.futures = slices.Clone(c.futures)
	d.listenerErrs = slices.Clone(c.listenerErrs)
	d.sub.parts = slices.Clone(c.sub.parts)
	d.finished = slices.Clone(c.finished)
	d.queuedCommits = slices.Clone(c.queuedCommits)
	return &d
}

// Procedures.
const (
	pProgram proc = iota
	pUserCall
	pPoll
	pOldPoll
	pUpdateAssignment
	pCoordinatorPoll
	pActiveGroup
	pJoinIfNeeded
	pPrepare
	pComplete
	pCallback
	pLead
	pCoordinatorReady
	pAwaitMetadata
	pUpdatePositions
	pFetchCommitted
	pCommitted
	pPollFetches
	pCommitSyncCall
	pPosition
	pCommitSync
	pCommitAsync
	pClose
	pLeavePrepare
	pLeaveGroup
	pUnsubscribe
	pAssign
	pAwaitPending
	pNetPoll
	pPollFuture
	pRunCompletions
	procEnd
)

var procedures [procEnd]func(*Consumer, *frame)

func init() {
	procedures = [procEnd]func(*Consumer, *frame){
		pProgram: program, pUserCall: userCall, pPoll: poll, pOldPoll: oldPoll, pUpdateAssignment: updateAssignment,
		pCoordinatorPoll: coordinatorPoll, pActiveGroup: activeGroup, pJoinIfNeeded: joinIfNeeded, pPrepare: prepare,
		pComplete: completeJoin, pCallback: callListener, pLead: procLead, pCoordinatorReady: coordinatorReady,
		pAwaitMetadata: awaitMetadata, pUpdatePositions: updatePositions, pFetchCommitted: fetchCommitted, pCommitted: committedCall, pPollFetches: pollFetches,
		pCommitSyncCall: commitSyncCall, pPosition: position, pCommitSync: commitSync, pCommitAsync: commitAsync, pClose: closeConsumer,
		pLeavePrepare: leavePrepare, pLeaveGroup: leaveGroup, pUnsubscribe: unsubscribe, pAssign: assign, pAwaitPending: awaitPending,
		pNetPoll: netPoll, pPollFuture: pollFuture, pRunCompletions: procRunCompletions,
	}
}
