package consumer

import (
	"slices"

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

// SetRacks says for each partition of a topic in which racks its replicas are.
func (b *Bench) SetRacks(name string, racks [][]string) {
	b.cluster.racks = slices.DeleteFunc(b.cluster.racks, func(r topicRacks) bool { return r.name == name })
	b.cluster.racks = append(b.cluster.racks, topicRacks{name, racks})
}

// ForgetTopics takes all topics away.
func (b *Bench) ForgetTopics() { b.cluster.topics = nil }

// Put puts a consumer that has not been started on the bench. See is told at once of
// everything that the consumer does, and must not act on it.
func (b *Bench) Put(c *Consumer, see func(*Seen)) {
	c.cluster = &b.cluster
	c.watch = see
}

// Seen is something that a consumer did. What says which of the fields count.
type Seen struct {
	What    Sight
	Thread  Thread     // SeenSend
	Node    sim.NodeID // whom the connection leads to
	Channel uint8      // of the connection
	Link    sim.LinkID // SeenSend
	Body    sim.Body   // SeenSend, SeenMetadata
	Ord     uint32     // SeenSend: see sim.Message
	Timeout int64      // SeenSend: how long the client waits for the answer, in milliseconds
	Call    *Call      // SeenCall, SeenReturn; nil at SeenReturn: poll, of the program's own
	Op      Op         // calls and their returns
	ID      int64      // SeenCommitCallback: that of the call
	Note    uint8      // callbacks: protocol.NoteRevoked, NoteAssigned or NoteLost
	Parts   []protocol.TopicPartition
	Thrown  Thrown // SeenCallbackEnd, SeenCommitCallback, SeenReturn, SeenNestedReturn
}

// Sight says what was seen.
type Sight uint8

// What can be seen.
const (
	SeenSend           Sight = iota // a request was written
	SeenConnectFailed               // a connection could not be made
	SeenDisconnect                  // the client closed a connection
	SeenTimeout                     // a connection was closed because an answer took too long
	SeenCall                        // an ordered call begins
	SeenReturn                      // it ends
	SeenCallback                    // a callback begins
	SeenCallbackEnd                 // it ends
	SeenMetadata                    // metadata has come
	SeenCommitCallback              // the callback of a commitAsync
	SeenNestedCall                  // a call inside a callback begins
	SeenNestedReturn                // it ends
)

// Thread is one of a consumer's two threads.
type Thread = uint8

// The threads.
const (
	UserThread      Thread = userThread
	HeartbeatThread Thread = heartbeatThread
)

// see makes something known to who watches, if anybody does.
func (c *Consumer) see(s Seen) {
	if c.watch != nil {
		seen := s
		c.watch(&seen)
	}
}

func (c *Consumer) seeConn(what Sight, conn int16) {
	k := &c.conns[conn]
	c.see(Seen{What: what, Node: k.node, Channel: k.channel})
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

	InCall   bool // the program is in a call that was ordered
	Prepares bool // the next join begins with its preparation
	Joining  bool // a JoinGroup or SyncGroup is under way
	Finding  bool // a lookup of the coordinator is remembered

	// The heartbeat thread, whether it is there and at work, and its timers.
	HeartbeatThread     bool
	Heartbeating        bool
	Beat, Session, Poll sim.TimerID
}

// View shows the consumer.
func (c *Consumer) View() View {
	v := View{State: c.stateName(), Generation: c.gen.id, Member: c.gen.member, Protocol: c.gen.protocol,
		Rejoin: c.rejoin, Leader: c.leads, Coordinator: sim.Nobody, Owned: c.sub.assigned(),
		InCall: c.present != nil, Prepares: c.needsPrepare, Joining: c.join != 0, Finding: c.find != 0,
		HeartbeatThread: c.heart.exists, Heartbeating: c.heart.exists && c.heart.enabled,
		Beat: c.heart.beat, Session: c.heart.session, Poll: c.heart.poll}
	if c.coord >= 0 {
		v.Coordinator = c.conns[c.coord].node
	}
	return v
}

// Connection is one of the client's that is up.
type Connection struct {
	Node    sim.NodeID
	Channel uint8
	Link    sim.LinkID
}

// Connections lists those that are up.
func (c *Consumer) Connections() []Connection {
	var list []Connection
	for i := range c.conns {
		if k := &c.conns[i]; k.state == connUp {
			list = append(list, Connection{k.node, k.channel, k.link})
		}
	}
	return list
}
