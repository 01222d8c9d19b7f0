package invariants

import (
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// client is what a client has said of itself so far.
type client struct {
	node     sim.NodeID
	cfg      *consumer.Config // nil: not known
	alive    bool
	frozen   bool
	lastID   cachedID
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
	awaitsMeta   bool    // it has asked for metadata, and has no answer
	awaitsFormed bool    // it was formed as one that waits for an answer, and waits still
	subscribed   bool
	resubscribed bool
	unfound      bool           // its question for the coordinator, or the answer, is lost: it waits for it
	refused      protocol.Error // why it is not let into the group, None if it is

	heard joined // of the JoinGroup answer that it got last
	leads bool   // it said that it leads
	// believes is that it takes itself for the leader: until it prepares for a join, even if it
	// is told in the next that it is none.
	believes bool
	led      bool                      // it led when it took its last assignment, or leads
	leading  *protocol.JoinGroupAnswer // the last one that made it the leader
	didLead  bool                      // it did until then
	onWay    []joined
	asked    []asked  // requests to the coordinator that it has sent and has no answer to
	heardOf  [4]heard // answers with errors that it got last
	nth      int
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
	askedAt    sim.Time   // when it last sent something to its coordinator
	calm       sim.Time   // since when nothing has kept it from that
	clockOff   bool       // its clock was put to another time, or does not run as time does
	preparing  bool       // it has committed before a join, and gives up what it has next
	queued     bool       // what it sends may have waited for others to be answered
	again      bool       // its listener threw as it was assigned, and is called once more
	leaving    bool       // the same, of clients whose commit before a join is one like a program's as well
	woken      bool       // a wakeup ended its preparation: its listener is not told what it loses
	stale      bool       // it has claimed, without a generation, what it still holds
	odd        bool       // it got an error that no client expects
	threw      bool       // its listener has thrown
	thrownAt   sim.Time   // when an exception was last thrown at its program
	meta       *protocol.MetadataAnswer
	assignedBy *protocol.MetadataAnswer // meta, when it sent its last SyncGroup
	askedMeta  sim.Time                 // when it last asked for it
	// hurries is that its program gives poll less time than metadata took, which a subscription
	// by pattern waits for before it joins, and that it has not joined since.
	hurries bool
	told    bool     // an answer that tells it of a loss is on its way, or lies unread
	sought  bool     // its program moves positions by itself
	busy    sim.Time // until when its program does not poll
	stands  sim.Time // since when it stands still, or is told to be busy while it does
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
	lost, unheard      bool // it, or its answer
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
}

func newClient(f Client) client {
	return client{node: f.Node, cfg: f.Config, member: none, generation: -1, lastMember: none, thrownAt: none}
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
	c.subscribed = len(s.Topics) > 0 || s.Pattern != ""
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
		c.awaitsFormed = f.InFlight != 0
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
	*c = client{node: c.node, cfg: c.cfg, lastID: c.lastID, requests: c.requests, member: none, generation: -1, lastMember: none, thrownAt: none, calm: m.now,
		onWay: c.onWay[:0], asked: c.asked[:0], commits: c.commits, given: c.given[:0], owned: c.owned[:0], serves: c.serves[:0], zombie: c.zombie[:0]}
}

func (m *Monitor) froze(r *sim.Rec) {
	if c := m.client(r.Node); c != nil {
		c.frozen, c.calm = r.Op == sim.OpFreeze, r.At
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
		c.busy = max(c.busy, m.now) + sim.Time(call.Timeout)*sim.Millisecond
		c.stands = m.now
	case consumer.OpSeek, consumer.OpAdvance:
		c.sought = true
	case consumer.OpSubscribe, consumer.OpSubscribePattern:
		c.subscribed, c.odd, c.resubscribed = true, true, true // topics after a pattern are the program's own mistake
	case consumer.OpUnsubscribe:
		c.subscribed = false
	}
}

// asks looks at a request as the client sends it.
func (m *Monitor) asks(c *client, r *sim.Rec) {
	group, id, _, generation := idsIn(r.Msg.Body)
	kind := r.Msg.Kind()
	if kind == protocol.KindMetadata {
		c.awaitsMeta, c.askedMeta = true, m.now
	}
	if group != m.f.Group {
		return
	}
	switch body := r.Msg.Body.(type) {
	case *protocol.LeaveGroupRequest:
		c.mayDrop = true
		return
	case *protocol.JoinGroupRequest, *protocol.SyncGroupRequest:
		if j, ok := body.(*protocol.JoinGroupRequest); ok {
			m.joins(c, j, protocol.Rule(r.Why))
		}
		if kind == protocol.KindSyncGroup {
			c.assignedBy = c.meta
		}
		for i := range c.asked {
			if c.asked[i].kind == kind && c.asked[i].link == r.Msg.Link && !c.asked[i].lost {
				m.find(nil, c, "one-asked", protocol.KindName(kind), "%s sends a %s while another waits for its answer", m.f.Name(c.node), protocol.KindName(kind))
			}
		}
	case *protocol.OffsetCommitRequest:
		m.commitsWhatItHas(c, body)
		c.commits = append(c.commits, commit{r.Msg.Ord, c.madeIn, m.now, protocol.Rule(r.Why) != protocol.RuleCommitSync})
		c.preparing = c.preparing || protocol.Rule(r.Why) == protocol.RulePrepareCommit
		c.leaving = c.leaving || c.mayPrepare(protocol.Rule(r.Why))
	case *protocol.HeartbeatRequest:
	default:
		return
	}
	c.askedAt = m.now
	c.asked = append(c.asked, asked{kind, r.Msg.Ord, r.Msg.Link, m.idOf(c, id), generation, false, false})
	if c.queues(r.Msg.Link); !c.queued && (kind == protocol.KindHeartbeat || kind == protocol.KindSyncGroup) {
		if n := m.idOf(c, id); c.member != none && (n != c.member || generation != c.generation) {
			m.find(nil, c, "own-generation", protocol.KindName(kind), "%s sends a %s as %s in generation %d, and is %s in %d",
				m.f.Name(c.node), protocol.KindName(kind), id, generation, m.ids.name(c.member), c.generation)
		}
	}
}

// queues notes whether requests on a connection may have been made before they are sent: from
// the fifth on that waits for its answer, until there are few again.
func (c *client) queues(link sim.LinkID) {
	n := 0
	for i := range c.asked {
		if c.asked[i].link == link {
			n++
		}
	}
	c.queued = n >= pipelined || c.queued && n > 1
}

// mayPrepare reports whether a commit may be the one before a join: before 3.2 that is made as
// commitSync makes it.
func (c *client) mayPrepare(why protocol.Rule) bool {
	return why == protocol.RulePrepareCommit || why == protocol.RuleCommitSync && c.cfg != nil &&
		c.cfg.Settings.AutoCommit && c.cfg.Rules.PrepareCommit == protocol.PrepareCommitSync
}

// commitsAtJoin reports whether the client may begin a join, and looks at the network for its
// commit before that: also if it has nothing to commit.
func (c *client) commitsAtJoin() bool {
	return c.cfg != nil && c.cfg.Settings.AutoCommit && c.cfg.Rules.PrepareCommit != protocol.PrepareCommitSync && c.state == "STABLE"
}

// answered takes a request off those that wait for an answer, and remembers an error.
func (c *client) answered(msg *sim.Message, ref sim.Ref, e protocol.Error) {
	for i := range c.asked {
		if a := c.asked[i]; a.kind == msg.Kind() && a.ord == msg.Ord {
			c.asked = append(c.asked[:i], c.asked[i+1:]...)
			if e != protocol.None {
				c.heardOf[c.nth%len(c.heardOf)] = heard{ref, a, e}
				c.nth++
			}
			return
		}
	}
}

// disconnected forgets what was asked on a connection that is gone.
func (c *client) disconnected(link sim.LinkID) {
	c.awaitsMeta, c.awaitsFormed, c.unfound = false, false, false
	n := 0
	for _, a := range c.asked {
		if a.link != link {
			c.asked[n] = a
			n++
		}
	}
	c.asked = c.asked[:n]
}

// disturbed notes that something keeps the client from its coordinator: what it has sent
// until then is no sign that it is over.
func (c *client) disturbed(at sim.Time) { c.calm = at + 1 }

// notArrived takes in that a request of the client's is lost.
func (c *client) notArrived(msg *sim.Message) {
	if msg.Kind() == protocol.KindOffsetCommit {
		c.takeCommit(msg.Ord)
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
	c.takeJoined(msg.Ord)
	for i := range c.asked {
		if a := &c.asked[i]; a.kind == msg.Kind() && a.ord == msg.Ord {
			a.unheard = true
		}
	}
}

func (c *client) takeJoined(ord uint32) (joined, bool) {
	for i := range c.onWay {
		if c.onWay[i].ord == ord {
			j := c.onWay[i]
			c.onWay = append(c.onWay[:i], c.onWay[i+1:]...)
			return j, true
		}
	}
	return joined{}, false
}

// hears takes in an answer that reaches the client.
func (m *Monitor) hears(c *client, msg *sim.Message) {
	e := history.ErrorOf(msg.Body)
	c.answered(msg, m.rec.ID, e)
	switch e {
	case protocol.None:
	case protocol.UnknownMemberID, protocol.FencedInstanceID:
		c.mayDrop = true
		if e == protocol.FencedInstanceID {
			c.refused = e
		}
	case protocol.NotCoordinator, protocol.CoordinatorNotAvailable, protocol.CoordinatorLoadInProgress:
		c.calm = m.now
	}
	if !expected(msg.Kind(), e) {
		c.odd = true
	}
	switch a := msg.Body.(type) {
	case *protocol.JoinGroupAnswer:
		c.leads = a.Leader == a.Member
		c.led = c.led || c.leads
		if c.leads {
			c.leading = a
		}
		if j, ok := c.takeJoined(msg.Ord); ok {
			c.heard = j
		}
		if a.Error != protocol.MemberIDRequired {
			c.refused = a.Error
		}
	case *protocol.SyncGroupAnswer:
		if a.Error == protocol.None && a.Assignment != nil {
			c.given = m.parts.numbers(c.given, a.Assignment.Partitions)
		}
	case *protocol.OffsetFetchAnswer:
		if a.Error == protocol.None {
			m.learnsPositions(c, a.Partitions, false)
		}
	case *protocol.MetadataAnswer:
		c.awaitsMeta = false
		c.hurries = c.hurries || c.cfg != nil && c.cfg.Subscription.Pattern != "" && (m.now-c.askedMeta).Millis() >= c.cfg.Program.Poll
		c.meta, c.calm = a, m.now // a leader may have waited for it, and its heartbeats with it
	case *protocol.FindCoordinatorAnswer:
		c.unfound = false
	case *protocol.ListOffsetsAnswer:
		m.learnsPositions(c, a.Partitions, true)
	}
	if c.told {
		m.zombiesAreTold(c)
	}
}

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
		m.delivers(c, r.Note.Body.(*protocol.PartitionList).Partitions[0], r.Note.A, r.Note.B)
	case protocol.NoteFinished:
		m.finishes(c, r.Note.Body.(*protocol.PartitionList).Partitions[0], r.Note.A, r.Note.B)
	case protocol.NoteThrown:
		m.throwsAtProgram(c, consumer.Class(r.Note.A), consumer.Class(r.Note.B))
		c.thrownAt = m.now
		c.calm = m.now // if the program closes now, its heartbeats end before its listener is called
		c.woken = consumer.Class(r.Note.A) == consumer.Wakeup && (c.leaving || c.commitsAtJoin())
		m.drops(c)
	case protocol.NoteClosed:
		c.closed = true
	}
}

func (m *Monitor) clientChanges(c *client, x *protocol.ClientChange, why protocol.Rule) {
	id := m.ids.number(x.Member)
	switch why {
	case protocol.RuleClientFormed:
		c.madeIn = 1
	case protocol.RuleClosed:
		c.closing = true
	case protocol.RuleUnsubscribed:
		if c.cfg != nil && !c.cfg.Rules.Cooperative { // its listener is not told
			c.owned, c.assigned = c.owned[:0], false
		}
	}
	if c.heard.member == id && c.heard.generation == x.Generation {
		c.madeIn = c.heard.madeIn
	}
	if id != c.member || x.Generation != c.generation {
		m.resetsForAReason(c, x, why)
		if c.member != none && id != c.member {
			m.dropsItsID(c, why)
		}
		c.member, c.generation = id, x.Generation
		if id != none && id != c.lastMember {
			c.lastMember, c.mayDrop = id, false
		}
		if id != none && m.ids.list[id].client == none {
			m.ids.list[id].client = m.clientOf[c.node]
		}
		if c.marked > 0 {
			m.overlaps(c)
		}
	}
	c.state, c.believes = x.State, x.Leader
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
	c.assigned, c.revoked = false, c.cfg != nil && !c.cfg.Rules.Cooperative
	c.closing = c.closing || c.thrownAt == m.now && c.cfg != nil && c.cfg.Program.AfterThrow == consumer.ThrowCloses
	had := m.parts.markAll(c.owned)
	for _, tp := range list {
		p := &m.parts.list[m.parts.number(tp)]
		if p.mark != had {
			m.find(nil, c, "callbacks-alternate", "revoked or lost", "the listener of %s is told that %s is gone, which it was never told it had", name, tp)
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
		}
		m.find(nil, c, "callbacks-alternate", place, "the eager listener of %s is assigned twice, and nothing was revoked in between", name)
	}
	c.assigned, c.revoked, c.woken = true, false, false
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

func cooperative(strategy []string) bool {
	for _, s := range strategy {
		if s != "cooperative-sticky" {
			return false
		}
	}
	return true
}
