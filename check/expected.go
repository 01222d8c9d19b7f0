package check

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Expected is something that a run is expected to show: one of the types below.
type Expected interface {
	// judge says what was instead, "" if it was as expected.
	judge(r *run) string
}

// ExpectEvent is about one event. The event must happen; what is set must be so.
type ExpectEvent struct {
	Event EventName // names exactly one

	// Answered is how the request was answered.
	Answered Answered
	// Waits is whether the coordinator parked the request.
	Waits Tri
	// With is the request that is answered at the same moment, by the same cause; the
	// zero EventName: not said.
	With EventName
	// In is the state that the group was in when the request was handled, NoGroup:
	// not said.
	In protocol.GroupState
	// MovesFrom and MovesTo is the change of the group's state that the request made;
	// NoGroup: not said. Stays is that it made none.
	MovesFrom, MovesTo protocol.GroupState
	Stays              bool
	// State is the group's state after the event; NoGroup: not said.
	State protocol.GroupState
	// Generation is the one in the answer, or the group's for other events.
	Generation *Number
	// Leader is the member that the answer names as the leader; "": not said.
	Leader string
	// Members are those in the answer, or the group's.
	Members *Members
	// Error is the error in the answer, if HasError; None: that there is none.
	Error    protocol.Error
	HasError bool
	// Exception is the name of what was thrown, "": not said.
	Exception string
	// Partitions are those in the answer to a SyncGroup, or those of a callback.
	Partitions *Partitions
	// At is when it happened, or the request was handled, if HasAt: since the beginning
	// of the run, or since the event or mark After, whichever is set.
	At        sim.Span
	HasAt     bool
	After     EventName
	AfterMark string
}

// How is how the group is at a moment; what is set must be so.
type How struct {
	State      protocol.GroupState // NoGroup: not said
	Generation *Number
	Leader     string
	Members    *Members
	Holds      []Holds // what members serve
	Owns       []Holds // what the stored assignment gives to members
	Committed  []Committed
	// AllServed is whether no partition that the group wants stands still: package metrics
	// says when one does.
	AllServed Tri
	Lag       *Number // of all partitions together
}

// ExpectMoment is about how the group is at a moment, or without one at the end of the
// run.
type ExpectMoment struct {
	At Moment
	How
}

// ExpectEventually is that the group is so at some moment, Within a time, if it HasWithin,
// since the beginning of the run, or since the event or mark After, whichever is set. What
// happens at one moment counts once all of it has happened.
type ExpectEventually struct {
	How
	Within    sim.Time
	HasWithin bool
	After     EventName
	AfterMark string
}

// ExpectGeneration is about one generation of the group, each time that a coordinator has
// handed it out: numbers may repeat if one dies in between.
type ExpectGeneration struct {
	Generation Number // Min and Max are the same
	HandedOut  *Number
	// Differ is whether it was handed out to different members.
	Differ  Tri
	Leader  string
	Members *Members
}

// ExpectNever is that something does not happen within a window: without From it
// begins with the run. One of the other fields is set.
type ExpectNever struct {
	Window   Window
	State    protocol.GroupState
	Error    protocol.Error // in any answer
	HasError bool
	// Exception is that a program throws it, "": not said.
	Exception string
	Event     EventName // may have globs
}

// ExpectOrder is that the events happen, in this order.
type ExpectOrder struct{ Events []EventName }

// ExpectCount is how many such events happen within a window: without From it begins
// with the run.
type ExpectCount struct {
	Window Window
	Event  EventName // may have globs
	Times  Number
	// Error, if HasError, is that of the answers of those that count.
	Error    protocol.Error
	HasError bool
	// Exception, if not "", is that of what is thrown and counts.
	Exception string
}

// Answered is how a request was answered.
type Answered uint8

// The ways.
const (
	AnsweredAnyhow       Answered = iota // not said
	AnsweredAtOnce                       // "at once": in the step that handled it
	AnsweredLater                        // "later": it was parked, and answered
	AnsweredNever                        // "never": not by the end of the run
	AnsweredDisconnected                 // "disconnected": the client lost the connection first
)

// Tri is yes, no or not said.
type Tri uint8

// The values.
const (
	Unsaid Tri = iota
	Yes
	No
)

// Number is a number that is expected: from Min to Max. If Relative is set, the
// number at the mark Since, or at the beginning if it is "", is added to both.
type Number struct {
	Min, Max int64
	Relative bool
	Since    string
}

// Members are members that are expected: exactly the listed, in any order, or, if
// Names is nil, so many.
type Members struct {
	Names []string
	Count int
}

// Partitions are partitions that are expected: exactly the listed, in any order, or,
// if List is nil, so many.
type Partitions struct {
	List  []protocol.TopicPartition
	Count int
}

// Holds is what a member holds.
type Holds struct {
	Member     string
	Partitions Partitions
}

// Committed is the committed offset of a partition; nil: there is none.
type Committed struct {
	Partition protocol.TopicPartition
	Offset    *Number
}
