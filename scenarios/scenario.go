// Package scenarios holds the language in which runs are described, and the library
// of runs that come with the program.
//
// A scenario is a YAML file: who there is, what goes wrong and when, and what is
// expected. Load reads one into a Scenario, a tree of plain values in which every
// name has been looked up, every unit converted and every default filled in, or
// says what is wrong with it, where, and what was probably meant. docs/language.md
// is the reference.
package scenarios

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Pos is a place in a file; lines and columns count from 1.
type Pos struct{ Line, Column int }

// Scenario is what a file says, checked and complete.
type Scenario struct {
	// Name is the file's name without folder and ".yaml".
	Name string
	// File is how messages about it call the file.
	File string
	// About is the text that introduces the run. Its first line is what lists show.
	About string
	// Kafka holds the releases that are run unless the caller wants others.
	Kafka Kafka
	// Latency is what a message takes one way; 1 ms unless the file says otherwise.
	Latency Span
	// Brokers has at least one, in the order of the file.
	Brokers []Broker
	Topics  []Topic
	Group   Group
	// Members has at least one. Patterns have been expanded: pod-{0..2} is three.
	Members []Member
	// Formed, if not nil, is the state in which the group begins.
	Formed   *Formed
	Timeline []Step
	End      End
	// Expect has what is expected of any release; see Expected.
	Expect []Expectation
}

// Kafka is the release of each side.
type Kafka struct {
	Broker protocol.Release
	Client protocol.Release
}

// Span is a length of time that is drawn from Min to Max. Min is what it is when
// nothing is left to chance.
type Span = sim.Span

// Rate is a number of records that are written in a length of time. The zero Rate is
// none.
type Rate struct {
	Records int64
	Per     sim.Time
}

// Broker is a broker of the cluster.
type Broker struct {
	Pos    Pos
	Name   string
	Config Config
	Rack   string
}

// Topic is a topic that is there from the beginning.
type Topic struct {
	Pos        Pos
	Name       string
	Partitions int32 // 1 to MaxPartitions
	Rate       Rate  // of all partitions together
	// Leader is the broker that leads all its partitions; "": they are spread over
	// the brokers in turn.
	Leader string
}

// Group is the consumer group.
type Group struct {
	Pos Pos
	ID  string
	// Coordinator is the broker that leads the group's partition of
	// __consumer_offsets; "": the first.
	Coordinator string
}

// Member is a consumer of the group. What the group says for all its members has
// been merged into it.
type Member struct {
	Pos  Pos
	Name string
	// Kafka is its own release if HasKafka, otherwise it has the scenario's.
	Kafka    protocol.Release
	HasKafka bool
	Config   Config
	// Topics is what it subscribes to: unless the file says otherwise, all.
	Topics  []string
	Program Program
	// Start is when it starts. With Never it does not, unless the timeline starts it.
	// A member of a formed group runs from the beginning.
	Start sim.Time
	Never bool
}

// Program is what the user's code around the consumer does: poll, process, commit,
// again.
type Program struct {
	// Poll is the timeout that poll is called with; 100 ms.
	Poll sim.Time
	// PerBatch is how long the program works on what one poll returned, if it
	// returned records; 0.
	PerBatch Span
	Commit   Commit
	OnStop   OnStop
}

// Commit is how a program commits what it has processed, apart from the client's own
// enable.auto.commit.
type Commit uint8

// The ways.
const (
	CommitNever           Commit = iota // "never"
	CommitSyncAfterBatch                // "sync after batch"
	CommitAsyncAfterBatch               // "async after batch"
)

// OnStop is what a program does when it is told to stop.
type OnStop uint8

// The ways.
const (
	StopClose OnStop = iota // "close": close() the consumer, which leaves the group
	StopKill                // "kill": end without a word
)

// Formed is a state in which a group can be, given as the beginning of the run
// instead of being played from nothing.
type Formed struct {
	Pos        Pos
	Leader     string
	Generation int32 // 1 or more
	// State is Stable, or CompletingRebalance: the members have joined and the
	// leader's assignment has not come.
	State   protocol.GroupState
	Members []string // the leader among them, in the order in which they joined
	// LostAnswers are answers that the group has given and that did not arrive, as
	// the connection broke: these members ask again.
	LostAnswers []LostAnswer
}

// LostAnswer is an answer that a member did not get.
type LostAnswer struct {
	Member  string
	Request uint8 // KindJoinGroup or KindSyncGroup
}

// Step is an entry of the timeline: when something happens, and what.
type Step struct {
	Pos Pos
	// Text is what the file says, on one line.
	Text string
	// At is the moment, if When is nil; from the beginning of the run.
	At sim.Time
	// When is what the step waits for. It fires once unless Every is set; a step
	// that never fired is a failure of the run.
	When  *Trigger
	Every bool
	// After is how long after When it happens.
	After sim.Time
	// Mark, if not "", names the moment.
	Mark string
	// Do is nil if there is only a mark.
	Do Action
}

// Trigger is a condition. It fires when it becomes true, at the earliest at the
// beginning of the run. All that is set must hold.
type Trigger struct {
	Pos Pos
	// Event has happened; the zero EventName: any. Without a number it is the next
	// one.
	Event EventName
	// State is the group's state, NoGroup: any; it holds while the group is in it.
	State protocol.GroupState
	// Generation is the group's; 0: any.
	Generation int32
	// Members is how many the group has; 0: any.
	Members int32
	// Parked are requests that wait at the coordinator for their answers.
	Parked []Parked
}

// Parked says that requests of one kind wait at the coordinator.
type Parked struct {
	Request uint8
	Members []string
}

// Action is what a step does: one of the types below.
type Action interface{ action() }

// Arrive makes requests reach the coordinator in an order, whatever the network does:
// the members' next requests of the kind are held as they are sent, and delivered
// when the first of Order that is still missing has been sent, each Gap after the one
// before.
type Arrive struct {
	Request uint8
	Order   []string
	Gap     sim.Time
}

// Start starts members that do not run.
type Start struct{ Members []string }

// Close has programs stop and close their consumers, as they do on SIGTERM.
type Close struct{ Members []string }

// Kill ends processes without a word, as kill -9 does.
type Kill struct{ Members []string }

// Disconnect breaks the connections between two nodes, or, with From "", all of Of.
// What is on its way is lost; both sides learn that the connection is closed.
type Disconnect struct{ Of, From string }

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
}

// Delay lets messages take longer.
type Delay struct {
	Messages EventName
	It       bool
	By       sim.Time
}

// Freeze stops processes for a time, as a long garbage collection does: they keep
// their connections and do nothing.
type Freeze struct {
	Members []string
	For     sim.Time
}

// Subscribe changes what members subscribe to.
type Subscribe struct {
	Members []string
	Topics  []string
}

// EnforceRebalance calls enforceRebalance() (KIP-568).
type EnforceRebalance struct {
	Members []string
	Reason  string
}

func (Arrive) action()           {}
func (Start) action()            {}
func (Close) action()            {}
func (Kill) action()             {}
func (Disconnect) action()       {}
func (Hold) action()             {}
func (Release) action()          {}
func (Drop) action()             {}
func (Delay) action()            {}
func (Freeze) action()           {}
func (Subscribe) action()        {}
func (EnforceRebalance) action() {}

// End says when a run is over.
type End struct {
	// At is the moment, if HasAt.
	At    sim.Time
	HasAt bool
	// SettledFor ends the run when the timeline is through and nothing has happened
	// for so long that changed the group; 5 s. Not used with HasAt.
	SettledFor sim.Time
	// AtMost ends it at the latest, which is reported; 1 h.
	AtMost sim.Time
}

// Limits of the language.
const (
	MaxMembers    = 10_000
	MaxBrokers    = 1_000
	MaxTopics     = 1_000
	MaxPartitions = 100_000 // of one topic, and of all topics together
	MaxSteps      = 10_000
	MaxTime       = 1000 * sim.Hour
)
