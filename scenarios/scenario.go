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
	"github.com/rebalsim/rebalsim/consumer"
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
	// NoFetches lets members fetch no records; see consumer.Config.
	NoFetches bool
	// EveryTick lets members play each idle turn; see consumer.Config.
	EveryTick bool
	// TellsFetches lets the trace tell of Fetches, since the scenario speaks of them.
	TellsFetches bool
	// Force is what is forced upon the rules of whatever release is run.
	Force protocol.Force
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
	// Measure is what figures are taken of.
	Measure Measure
	// Variants are named variants of the scenario, in the order of the file.
	Variants []Variant
	// Figures has what is expected of figures of the variants.
	Figures []VariantFigure
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
	// Kafka is its own release if HasKafka, otherwise it has the scenario's.
	Kafka    protocol.Release
	HasKafka bool
	// LogTakes, if HasLogTakes, is what it takes until a record of
	// __consumer_offsets is committed; whole milliseconds.
	LogTakes    sim.Time
	HasLogTakes bool
}

// Topic is a topic that is there from the beginning, or that the timeline creates.
type Topic struct {
	Pos        Pos
	Name       string
	Partitions int32 // 1 to MaxPartitions
	Rate       Rate  // of all partitions together
	// Leader is the broker that leads all its partitions; "": they are spread over
	// the brokers in turn.
	Leader string
	// Replicas is on how many brokers each partition is: its leader and those after it.
	// What hangs on it are the racks in which it is.
	Replicas int
	// Racks, if not nil, are the racks of each partition's replicas instead.
	Racks [][]string
	// Absent is that the timeline creates it.
	Absent bool
	// Most is how many partitions it has once the timeline has added some.
	Most int32
}

// Group is the consumer group.
type Group struct {
	Pos Pos
	ID  string
	// Coordinator is the broker that leads the group's partition of
	// __consumer_offsets; "": the first.
	Coordinator string
	// Next are the brokers that lead it after that one. After them come the others, in
	// turn.
	Next []string
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
	// Topics is what it subscribes to: unless the file says otherwise, all. Pattern,
	// if not "", is a regular expression instead.
	Topics  []string
	Pattern string
	// Assigned, if there are some, it takes by itself (assign()) instead of a
	// subscription: it is no member of the group and commits to it all the same.
	Assigned []protocol.TopicPartition
	Program  Program
	// Habits are what its client does otherwise than Java's.
	Habits consumer.Habits
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
	// Batch is how many records one poll returns at most; 0: as max.poll.records says.
	Batch  int64
	Commit Commit
	OnStop OnStop
	// Idle is what passes between a turn of the program and its next poll; 0.
	Idle sim.Time
	// OnThrow is what it does when poll or a commit throws.
	OnThrow OnThrow
	// What the rebalance listener does, time by time; the last one is for all times to
	// come. Without OnLost, onPartitionsLost does what OnRevoked says.
	OnRevoked, OnAssigned, OnLost []Callback
	// AssignorTakes is how long its assignor takes, if it leads; AssignorThrows that it
	// throws.
	AssignorTakes  sim.Time
	AssignorThrows bool
	// PollLong is that it calls poll(long).
	PollLong bool
}

// Callback is what a callback of the rebalance listener does, in this order.
type Callback struct {
	Pauses  bool     // it pauses all that is assigned
	Commits bool     // it calls commitSync
	Takes   sim.Time // how long it takes
	Throws  bool     // it ends with an exception
}

// Commit is how a program commits what it has processed, apart from the client's own
// enable.auto.commit.
type Commit uint8

// The ways.
const (
	CommitNever           Commit = iota // "never"
	CommitSyncAfterBatch                // "sync after batch"
	CommitAsyncAfterBatch               // "async after batch"
	CommitSyncBeforeBatch               // "sync before batch": at most once
)

// OnStop is what a program does when it is told to stop.
type OnStop uint8

// The ways.
const (
	StopClose  OnStop = iota // "close": wakeup(), then close() the consumer, which leaves the group
	StopKill                 // "kill": end without a word
	StopInTurn               // "close-in-turn": close() it when the present turn is over
)

// OnThrow is what a program does about an exception of poll or of a commit.
type OnThrow uint8

// The ways.
const (
	ThrowClose      OnThrow = iota // "close": close() the consumer and end
	ThrowGoOn                      // "go-on": poll again a second later
	ThrowGoOnAtOnce                // "go-on-at-once": as after any other turn
)

// Formed is a state in which a group can be, given as the beginning of the run
// instead of being played from nothing.
type Formed struct {
	Pos        Pos
	Leader     string
	Generation int32 // 1 or more
	// State is Stable; CompletingRebalance: the members have joined and the leader's
	// assignment has not come; or Empty: there are no Members, and no Leader.
	State   protocol.GroupState
	Members []string // the leader among them, in the order in which they joined
	// Assignment, if not nil, is what each of Members has been assigned, now and in the
	// generation before; without it the leader's assignor says.
	Assignment [][]protocol.TopicPartition
	// Offsets are committed. A partition has at least so many records.
	Offsets []protocol.PartitionOffset
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
	// Again is after how long a step without When happens again, 0: never; Times is
	// how often it happens in all, 0: for ever.
	Again sim.Time
	Times int64
	// After is how long after When it happens.
	After sim.Time
	// Free is that it happens when the caller says so: see Scenario.Free.
	Free bool
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
	MaxSeeds      = 100_000 // of one comparison
)
