package scenarios

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Expectation is one thing that a run is expected to show. Each is judged by itself.
type Expectation struct {
	Pos Pos
	// Text is what the file says, on one line.
	Text string
	// When is for which releases it is expected.
	When Releases
	What Expected
}

// Expected is what is expected: one of the types below.
type Expected interface{ expected() }

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
	// Partitions are those in the answer to a SyncGroup, or those of a callback.
	Partitions *Partitions
	// At is when it happened, or the request was handled, if HasAt.
	At    Span
	HasAt bool
}

// ExpectEnd is about the end of the run.
type ExpectEnd struct {
	State      protocol.GroupState // NoGroup: not said
	Generation *Number
	Leader     string
	Members    *Members
	Holds      []Holds
}

// ExpectNever is that something does not happen. One of the fields is set.
type ExpectNever struct {
	State    protocol.GroupState
	Error    protocol.Error // in any answer
	HasError bool
	Event    EventName // may have globs
}

// ExpectOrder is that the events happen, in this order.
type ExpectOrder struct{ Events []EventName }

// ExpectCount is how many such events happen.
type ExpectCount struct {
	Event EventName // may have globs
	Times Number
}

func (*ExpectEvent) expected() {}
func (*ExpectEnd) expected()   {}
func (*ExpectNever) expected() {}
func (*ExpectOrder) expected() {}
func (*ExpectCount) expected() {}

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
	// All is that all members of the group are meant.
	All bool
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

// EventName is the stable name of an event, or of several by globs:
//
//	F1.JoinGroup#1           the first JoinGroup that F1 sends
//	F1.JoinGroup#1.answer    the answer to it
//	b1.group.Stable#3        the third time that b1 moved the group to Stable
//	F1.revoked#1             the first time that F1's listener was told of a loss
//
// Without a number it names them all, with #2..4 three of them. The node may have
// globs (pod-*). The zero EventName names nothing.
type EventName struct {
	Node string
	Verb Verb
	// Request is the kind of request of VerbRequest and VerbAnswer; 0: any ("*").
	Request uint8
	// State is the state of VerbGroup.
	State protocol.GroupState
	// First and Last are numbers from 1; 0: not limited.
	First, Last uint32
}

// None reports whether it is no name at all.
func (e EventName) None() bool { return e.Verb == 0 }

// Verb is the kind of thing that an event is.
type Verb uint8

// The kinds of events.
const (
	VerbRequest  Verb = 1 + iota // a member's request
	VerbAnswer                   // the answer to it
	VerbGroup                    // a broker moves the group to a state
	VerbRevoked                  // a member's listener is called: onPartitionsRevoked
	VerbAssigned                 // onPartitionsAssigned
	VerbLost                     // onPartitionsLost
	VerbServes                   // a member has begun to serve its partitions
	VerbThrown                   // a call of a member's program ended with an exception
	VerbLoaded                   // a broker has loaded the group
	VerbUnloaded                 // a broker has given the group up
	VerbStarted                  // a node's process has started
	VerbCrashed                  // a node's process has ended without a word
)

// Releases says for which releases something holds: those that meet all bounds.
type Releases struct{ Bounds []Bound }

// Bound bounds the releases of the brokers, or, with Client, of the clients.
type Bound struct {
	Client bool
	// Min and Max are lines or releases, both included, unless Below is set: then
	// Max itself is not.
	Min, Max       protocol.Release
	HasMin, HasMax bool
	Below          bool
}

// Hold reports whether they hold for these.
func (r Releases) Hold(k Kafka) bool {
	for _, b := range r.Bounds {
		v := k.Broker
		if b.Client {
			v = k.Client
		}
		if b.HasMin && v.Compare(b.Min) < 0 {
			return false
		}
		if b.HasMax && (v.Compare(b.Max) > 0 || b.Below && v.Compare(b.Max) == 0) {
			return false
		}
	}
	return true
}

// Expected lists what is expected of a run with these releases, in the order of the
// file.
func (s *Scenario) Expected(k Kafka) []Expectation {
	var list []Expectation
	for _, e := range s.Expect {
		if e.When.Hold(k) {
			list = append(list, e)
		}
	}
	return list
}

// Contains reports whether the moment lies in the span.
func (s Span) Contains(t sim.Time) bool { return s.Min <= t && t <= s.Max }
