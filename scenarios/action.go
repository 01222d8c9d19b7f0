package scenarios

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Action is what a step does: one of the types below.
type Action interface{ action() }

// performer is an action that plays itself, and says on how many things it had an effect.
type performer interface {
	Action
	play(d *director, c *sim.Control) int
}

// Arrive makes requests reach the coordinator in an order, whatever the network does:
// the members' next requests of the kind are held as they are sent, and delivered
// when the first of Order that is still missing has been sent, each Gap after the one
// before.
type Arrive struct {
	Request uint8
	Order   []string
	Gap     sim.Time
}

// Start starts processes that do not run: members, or brokers.
type Start struct {
	Of      []string
	Brokers bool
}

// Close has programs stop and close their consumers, as they do on SIGTERM.
type Close struct {
	Members []string
	// Grace is after how long one that has not ended is killed, 0: never.
	Grace sim.Time
}

// Kill ends processes without a word, as kill -9 does.
type Kill struct{ Members []string }

// Restart stops processes and starts them again, AtATime of them at once.
type Restart struct {
	Of      []string
	Brokers bool
	Down    Span
	Grace   sim.Time
	AtATime int // 0: all
	// The next one goes when one that has started is Ready, a member of a generation
	// with its assignment, or After it has started.
	Ready bool
	After sim.Time
	// Change is what is new when they start again.
	Change   Change
	LoadTime sim.Time
}

// Change is what a process that starts again has otherwise than before.
type Change struct {
	Config Config
	// Kafka is its release if HasKafka.
	Kafka    protocol.Release
	HasKafka bool
	// Topics or Pattern is what it subscribes to if Subscribes.
	Topics     []string
	Pattern    string
	Subscribes bool
}

// None reports whether nothing changes.
func (c *Change) None() bool { return len(c.Config.list) == 0 && !c.HasKafka && !c.Subscribes }

// Deploy replaces members by others, of which up to Surge run beside the old ones.
type Deploy struct {
	Of, By []string
	Surge  int
	Ready  bool
	After  sim.Time
	Grace  sim.Time
}

// Scale starts the first members, or closes the last ones, until To of them run.
type Scale struct {
	Of    []string
	To    int
	Gap   sim.Time
	Grace sim.Time
}

// Freeze stops processes for a time, as a long garbage collection does: they keep
// their connections and do nothing.
type Freeze struct {
	Members []string
	For     sim.Time
}

// Slow keeps programs busy with what they have in hand: they do not poll, while the heartbeat thread,
// where there is one, goes on.
type Slow struct {
	Members []string
	For     sim.Time
}

// Subscribe changes what members subscribe to; to nothing at all with neither Topics
// nor Pattern.
type Subscribe struct {
	Members []string
	Topics  []string
	Pattern string
}

// EnforceRebalance calls enforceRebalance() (KIP-568).
type EnforceRebalance struct {
	Members []string
	Reason  string
}

// CommitNow calls commitSync() or commitAsync().
type CommitNow struct {
	Members []string
	Async   bool
}

// Disconnect breaks the connections between two nodes, or, with From "", all of Of.
// What is on its way is lost; both sides learn that the connection is closed.
type Disconnect struct{ Of, From string }

// Cut lets nothing, or nothing in one direction, arrive between two nodes, or, with
// From "", between Of and all others. What is sent waits for Heal.
type Cut struct {
	Of, From     string
	ToIt, FromIt bool
	For          sim.Time // 0: until it is healed
}

// Heal undoes Cut.
type Heal struct{ Of, From string }

// Latency sets what a message takes between two nodes.
type Latency struct {
	Of, From string
	Is       Span
}

// Hold keeps messages, and what is behind them on their connections, until Release.
type Hold struct {
	Messages EventName // requests or answers; may have globs
	// It holds the message that the step's trigger has seen; Messages is its name.
	It bool
}

// Release lets what a Hold keeps go on.
type Release struct {
	// Hold is the index, in the timeline, of the step that holds; -1: of all.
	Hold int
}

// Drop loses messages.
type Drop struct {
	Messages EventName
	It       bool
	// Break breaks the connection as well ("lose"), as when a network fails; without
	// it ("drop") the other side waits for its request timeout.
	Break bool
	Share int // in thousandths; 0: all
}

// Delay lets messages take longer.
type Delay struct {
	Messages EventName
	It       bool
	By       sim.Time
	Share    int // in thousandths; 0: all
}

// Crash ends a broker's process without a word.
type Crash struct {
	Broker string
	// Noticed is how long the other brokers take it for alive, Elected how long after
	// that what it led has no leader, LoadTime how long the new coordinator loads.
	Noticed, Elected, LoadTime sim.Time
	// Unaware is how long the new coordinator does not know that it is one.
	Unaware sim.Time
	Unheard Unheard
}

// Move makes another broker the coordinator.
type Move struct {
	To string
	// Noticed is how long the old one takes itself for the coordinator, LoadTime how
	// long the new one loads, Unaware how long it does not know that it is one.
	Noticed, LoadTime, Unaware sim.Time
	Unheard                    Unheard
	// Again is after how long the old one is told a second time to give the group up, 0: never.
	Again sim.Time
	// Other is that it is another partition of __consumer_offsets that moves, without groups.
	Other bool
}

// Unheard is who does not hear of a new coordinator for a time, and names the old one.
type Unheard struct {
	By  []string // brokers
	For sim.Time // 0: nobody
}

// StallLog lets nothing that the coordinator writes be committed.
type StallLog struct{ For sim.Time } // 0: for ever

// FailLog refuses what the coordinator writes.
type FailLog struct {
	Error protocol.Error
	For   sim.Time // 0: for ever
}

// CreateTopic creates a topic that is Absent.
type CreateTopic struct{ Topic string }

// AddPartitions makes a topic larger.
type AddPartitions struct {
	Topic string
	To    int32
}

// DeleteTopic deletes a topic.
type DeleteTopic struct{ Topic string }

func (Arrive) action()           {}
func (Start) action()            {}
func (Close) action()            {}
func (Kill) action()             {}
func (Restart) action()          {}
func (Deploy) action()           {}
func (Scale) action()            {}
func (Freeze) action()           {}
func (Slow) action()             {}
func (Subscribe) action()        {}
func (EnforceRebalance) action() {}
func (CommitNow) action()        {}
func (Disconnect) action()       {}
func (Cut) action()              {}
func (Heal) action()             {}
func (Latency) action()          {}
func (Hold) action()             {}
func (Release) action()          {}
func (Drop) action()             {}
func (Delay) action()            {}
func (Crash) action()            {}
func (Move) action()             {}
func (StallLog) action()         {}
func (FailLog) action()          {}
func (CreateTopic) action()      {}
func (AddPartitions) action()    {}
func (DeleteTopic) action()      {}
