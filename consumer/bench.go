package consumer

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Bench is what consumers have around them where recorded runs are played: brokers of
// which metadata comes at once, in no time and over no connection, and someone who
// watches. In a World without a Bench metadata is a request like any other.
type Bench struct{ cluster instantCluster }

// NewBench is a bench without topics. The leader of partition i of a topic is the i-th
// broker, counted around.
func NewBench(brokers []sim.NodeID) *Bench {
	return &Bench{cluster: instantCluster{brokers: brokers}}
}

// SetTopic creates a topic or changes its number of partitions. Clients learn of it when
// they ask.
func (b *Bench) SetTopic(name string, partitions int32) {
	for i := range b.cluster.topics {
		if t := &b.cluster.topics[i]; t.name == name {
			t.partitions = partitions
			return
		}
	}
	b.cluster.topics = append(b.cluster.topics, clusterTopic{name, partitions})
}

// Put puts a consumer that has not been started on the bench. See is told at once of
// everything that the consumer does, and must not act on it.
func (b *Bench) Put(c *Consumer, see func(*Seen)) {
	c.cluster = &b.cluster
	c.watch = watching(see)
}

// Seen is something that a consumer did. What says which of the fields count.
type Seen struct {
	What    Sight
	Thread  Thread     // SeenSend
	Node    sim.NodeID // whom the connection leads to
	Channel uint8      // of the connection
	Body    sim.Body   // SeenSend
	Ord     uint32     // SeenSend: see sim.Message
	Call    *Call      // SeenCall, SeenReturn; nil at SeenReturn: poll, of the program's own
	Note    uint8      // callbacks: protocol.NoteRevoked, NoteAssigned or NoteLost
	Parts   []protocol.TopicPartition
	Thrown  Thrown // SeenCallbackEnd, SeenReturn
}

// Sight says what was seen.
type Sight uint8

// What can be seen.
const (
	SeenSend          Sight = iota // a request was written
	SeenConnectFailed              // a connection could not be made
	SeenDisconnect                 // the client closed a connection
	SeenTimeout                    // a connection was closed because an answer took too long
	SeenCall                       // an ordered call begins
	SeenReturn                     // it ends
	SeenCallback                   // a callback begins
	SeenCallbackEnd                // it ends
)

// Thread is one of a consumer's two threads.
type Thread = uint8

// The threads.
const (
	UserThread      Thread = userThread
	HeartbeatThread Thread = heartbeatThread
)

// watching is a watcher that hands everything to a function.
type watching func(*Seen)

func (see watching) at(what Sight, c *Consumer, conn int16) {
	k := &c.conns[conn]
	see(&Seen{What: what, Node: k.node, Channel: k.channel})
}

func (see watching) sent(c *Consumer, r *request) {
	k := &c.conns[r.conn]
	see(&Seen{What: SeenSend, Thread: c.thread, Node: k.node, Channel: k.channel, Body: r.body, Ord: r.ord})
}

func (see watching) connectFailed(c *Consumer, conn int16) { see.at(SeenConnectFailed, c, conn) }
func (see watching) disconnects(c *Consumer, conn int16)   { see.at(SeenDisconnect, c, conn) }
func (see watching) timedOut(c *Consumer, conn int16)      { see.at(SeenTimeout, c, conn) }

func (watching) metadata(*Consumer, *protocol.MetadataAnswer) {}
func (watching) commitCallback(*Consumer, int64, Thrown)      {}
func (watching) nested(*Consumer, bool, Thrown)               {}

func (see watching) callback(_ *Consumer, kind int32, parts []protocol.TopicPartition) {
	see(&Seen{What: SeenCallback, Note: callbackNotes[kind], Parts: parts})
}

func (see watching) callbackEnd(_ *Consumer, kind int32, t Thrown) {
	see(&Seen{What: SeenCallbackEnd, Note: callbackNotes[kind], Thrown: t})
}

func (see watching) begins(c *Consumer) { see(&Seen{What: SeenCall, Call: c.present}) }

func (see watching) returned(c *Consumer, _ Op, t Thrown) {
	see(&Seen{What: SeenReturn, Call: c.present, Thrown: t})
}

// View is how a member sees itself, for those who look on.
type View struct {
	State       string // the release's own name
	Generation  int32
	Member      string
	Protocol    string // "": none
	Rejoin      bool   // it has to join again
	Leader      bool
	Coordinator sim.NodeID // sim.Nobody: not known
	Owned       []protocol.TopicPartition
}

// View shows the consumer.
func (c *Consumer) View() View {
	v := View{State: c.stateName(), Generation: c.gen.id, Member: c.gen.member, Protocol: c.gen.protocol,
		Rejoin: c.rejoin, Leader: c.leads, Coordinator: sim.Nobody, Owned: c.sub.assigned()}
	if c.coord >= 0 {
		v.Coordinator = c.conns[c.coord].node
	}
	return v
}
