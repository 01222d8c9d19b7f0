// Package metrics says what a run cost those who use the group: how long which partition
// stood still, what was read twice or not at all, how many partitions changed hands and
// how many had to, and why each rebalance came about. docs/metrics.md defines every
// measure and names the assumption behind it.
//
// A Fold reads the trace and nothing else. What it keeps grows with members, partitions
// and gaps in what was read, not with virtual time. Lengths are whole microseconds.
package metrics

import (
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Options say of what the outcome is to be taken.
type Options struct {
	Group string
	// Clients are the nodes of the members. A member is the scenario's, whatever ids its
	// processes get: a pod that restarts is the same member.
	Clients []sim.NodeID
	// Name gives a node's name.
	Name func(sim.NodeID) string
	// Topics are the topics at the beginning. Without them lag is not known.
	Topics []coordinator.Topic
	// Window is what is measured.
	Window Window
}

// none is no member, no partition.
const none = -1

// Fold measures a run as it is played. Observe every record, then call Done.
type Fold struct {
	opt     Options
	members []member
	byNode  []int32 // by sim.NodeID: the place in members, none: a broker
	parts   []partition
	topics  []topic
	byTopic map[string]int32
	last    int32  // the topic looked up last
	marks   uint32 // the number of sets marked so far

	log    log
	roster roster

	// The window.
	open   bool
	closed bool
	edge   sim.Time // at which it opens or closes, never: a mark or nothing does
	until  sim.Time

	standing  int  // partitions that stand still now
	wanted    bool // somebody has wanted a partition
	arrival   arrival
	removed   removal
	moving    *Disturbance // the group is on the move
	resting   *Disturbance // it is not any more, and partitions stand still
	faults    []fault      // that are not over
	nextFault int32

	topicCounts []int // of subscribed

	result Result
}

// arrival is the request that was handed to a broker last.
type arrival struct {
	ref    sim.Ref
	member int32
	kind   uint8
}

// removal is the member that was removed last.
type removal struct {
	cause  sim.Ref
	member int32
}

// topic is what is known of a topic.
type topic struct {
	name        string
	parts       []int32 // by number: the place in Fold.parts, none: not met yet
	subscribers int     // members of the stored assignment that subscribe to it
	wanted      int     // so many of its partitions have been wanted
	deleted     bool
	produced    *coordinator.Topic // nil: what is written to it is not known
}

// New makes a Fold of what is yet to happen.
func New(opt Options) *Fold {
	f := &Fold{opt: opt, byTopic: map[string]int32{}, last: none}
	f.arrival.member, f.removed.member = none, none
	f.log.coordinator = sim.Nobody
	f.log.partition = none
	f.roster.clear()
	f.log.clearIndex()
	f.log.ids = map[string]int32{}
	for i, id := range opt.Clients {
		for int(id) >= len(f.byNode) {
			f.byNode = append(f.byNode, none)
		}
		f.byNode[id] = int32(i)
		f.members = append(f.members, member{node: id, name: opt.Name(id), idleSince: -1})
	}
	f.setTopics(opt.Topics)
	f.result.Detection, f.result.Recovery = -1, -1
	f.edge = f.nextEdge()
	return f
}

// memberOf is the member that runs on a node, none if it is a broker.
func (f *Fold) memberOf(id sim.NodeID) int32 {
	if id < 0 || int(id) >= len(f.byNode) {
		return none
	}
	return f.byNode[id]
}

// setTopics takes in what topics there are now.
func (f *Fold) setTopics(list []coordinator.Topic) {
	for i := range f.topics {
		t := &f.topics[i]
		deleted := t.produced != nil && !slices.ContainsFunc(list, func(c coordinator.Topic) bool { return c.Name == t.name })
		f.recount(t, func() { t.deleted = t.deleted || deleted })
	}
	for i := range list {
		t := &f.topics[f.topicNamed(list[i].Name)]
		f.recount(t, func() { t.deleted, t.produced = false, &list[i] })
	}
	f.want()
}

// want lets the partitions that there are of the topics that somebody wants count from now
// on, assigned or not.
func (f *Fold) want() {
	for n := range f.topics {
		t := &f.topics[n]
		if !t.counts() || t.produced == nil {
			continue
		}
		for ; t.wanted < len(t.produced.Leaders); t.wanted++ {
			i := f.place(protocol.TopicPartition{Topic: t.name, Partition: int32(t.wanted)})
			if p := &f.parts[i]; !p.known {
				f.settle(p)
				p.known = true
				f.after(i)
			}
		}
	}
}

// recount changes something that decides whether a topic's partitions count.
func (f *Fold) recount(t *topic, change func()) {
	before := t.counts()
	for _, i := range t.parts {
		if i != none {
			f.settle(&f.parts[i])
		}
	}
	change()
	if before != t.counts() {
		for _, i := range t.parts {
			if i != none {
				f.after(i)
			}
		}
	}
}

// counts reports whether somebody wants to read the topic.
func (t *topic) counts() bool { return t.subscribers > 0 && !t.deleted }

func (f *Fold) topicNamed(name string) int32 {
	if f.last != none && f.topics[f.last].name == name {
		return f.last
	}
	i, ok := f.byTopic[name]
	if !ok {
		i = int32(len(f.topics))
		f.byTopic[name] = i
		f.topics = append(f.topics, topic{name: name})
	}
	f.last = i
	return i
}

// place finds a partition's place in f.parts; it is made if it was not met before.
func (f *Fold) place(tp protocol.TopicPartition) int32 {
	n := f.topicNamed(tp.Topic)
	t := &f.topics[n]
	for int(tp.Partition) >= len(t.parts) {
		t.parts = append(t.parts, none)
	}
	i := t.parts[tp.Partition]
	if i == none {
		i = int32(len(f.parts))
		t.parts[tp.Partition] = i
		f.parts = append(f.parts, partition{tp: tp, topic: n, since: f.until, owner: none, right: none, had: none, hadBefore: none,
			revokedFrom: none, fault: none, readers: readers{low: -1, committed: -1}})
	}
	return i
}

// Observe takes one record.
func (f *Fold) Observe(r *sim.Rec) {
	if r.At >= f.edge {
		f.crosses(r.At)
	}
	if f.closed {
		return
	}
	f.until = r.At
	switch r.Op {
	case sim.OpSend:
		f.sent(r)
	case sim.OpArrive:
		f.arrived(r)
	case sim.OpLost:
		if m := f.memberOf(r.Msg.To); m != none && r.Msg.Answer && tells(r.Msg.Body) {
			f.tell(m, false)
		}
	case sim.OpNote:
		f.note(r)
	case sim.OpStart:
		f.started(r)
	case sim.OpCrash, sim.OpExit:
		f.stopped(r)
	case sim.OpFreeze:
		f.frozen(r.Node, true)
	case sim.OpThaw:
		f.frozen(r.Node, false)
	case sim.OpCommand:
		switch o := r.Body.(type) {
		case *coordinator.SetImage:
			f.setTopics(o.Image.Topics)
		case *consumer.Call:
			if m := f.memberOf(r.Node); m != none && (o.Op == consumer.OpClose || o.Op == consumer.OpStop) {
				f.members[m].told = true
			}
		}
	case sim.OpAct:
		if t, ok := r.Note.Body.(*protocol.Text); ok && r.Note.Code == protocol.NoteMark {
			f.marked(t.Text)
		}
	}
}

func (f *Fold) note(r *sim.Rec) {
	switch r.Note.Code {
	case protocol.NoteGroup:
		if b := r.Note.Body.(*protocol.GroupChange); b.Group == f.opt.Group {
			f.groupMoves(r, b)
		}
	case protocol.NoteMember:
		if b := r.Note.Body.(*protocol.MemberChange); b.Group == f.opt.Group {
			f.memberChanges(r, b)
		}
	case protocol.NoteAppend:
		if b := r.Note.Body.(*protocol.LogRecord); b.Group == f.opt.Group {
			f.appended(r, b)
		}
	case protocol.NoteCommitted:
		f.committed(r)
	case protocol.NoteLoaded:
		f.loaded(r)
	case protocol.NoteUnloaded:
		f.unloaded(r)
	case protocol.NoteClient:
		if b, ok := r.Note.Body.(*protocol.ClientChange); ok {
			if m := f.memberOf(r.Node); m != none {
				x := &f.members[m]
				x.id, x.generation = b.Member, b.Generation
				f.fence(m)
			}
		}
	case protocol.NoteThrown, protocol.NoteClosed:
		f.threw(r)
	case protocol.NoteServes, protocol.NoteRevoked, protocol.NoteLost, protocol.NoteDelivered, protocol.NoteFinished:
		m := f.memberOf(r.Node)
		if b, ok := r.Note.Body.(*protocol.PartitionList); ok && m != none {
			f.memberReads(r, m, b.Partitions)
		}
	}
}

// threw takes in an exception, or that a program closed its consumer: without being told,
// it did so because of one. That counts before the window, too: the group is smaller in it.
func (f *Fold) threw(r *sim.Rec) {
	m := f.memberOf(r.Node)
	if m == none {
		return
	}
	x := &f.members[m]
	switch {
	case r.Note.Code == protocol.NoteThrown:
		x.threw = true
		if f.open {
			x.cost.Exceptions++
		}
	case x.threw && !x.told:
		x.cost.GaveUp++
	}
}

func (f *Fold) memberReads(r *sim.Rec, m int32, list []protocol.TopicPartition) {
	switch r.Note.Code {
	case protocol.NoteServes:
		f.serves(m, list)
	case protocol.NoteRevoked, protocol.NoteLost:
		f.gaveUp(m, list, r.Note.Code == protocol.NoteRevoked)
	case protocol.NoteDelivered:
		f.delivered(m, list[0], r.Note.A, r.Note.B)
	case protocol.NoteFinished:
		f.finished(m, list[0], r.Note.A, r.Note.B)
	}
}

// sent counts requests, and sees which answers tell a member that it lost something.
func (f *Fold) sent(r *sim.Rec) {
	switch m := f.memberOf(r.Msg.Client()); {
	case m == none:
	case r.Msg.Answer:
		if tells(r.Msg.Body) {
			f.tell(m, true)
		}
	default:
		kind := r.Msg.Body.Kind()
		if f.open {
			f.result.Requests[kind]++
			f.members[m].cost.Requests[kind]++
		}
		if why := protocol.Rule(r.Why); kind == protocol.KindJoinGroup && why != protocol.RuleMemberIDGiven {
			f.members[m].asks = why
		}
	}
}

func (f *Fold) arrived(r *sim.Rec) {
	m := f.memberOf(r.Msg.Client())
	switch {
	case !r.Msg.Answer:
		f.arrival = arrival{r.ID, m, r.Msg.Body.Kind()}
	case m == none:
	default:
		f.learnsPositions(m, r.Msg.Body)
	}
}

// Done ends the run at the moment given and gives its outcome.
func (f *Fold) Done(at sim.Time) *Result {
	if at >= f.edge {
		f.crosses(at)
	}
	if !f.closed {
		f.until = at
		f.ends()
		f.result.Cut = f.opt.Window.To.Given
	}
	return &f.result
}
