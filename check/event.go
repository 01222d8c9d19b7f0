package check

import (
	"path"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

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

// One reports whether it names exactly one event.
func (e EventName) One() bool {
	return !e.None() && !strings.ContainsAny(e.Node, "*?[") && e.First > 0 && e.First == e.Last &&
		(e.Request != 0 || e.Verb > VerbAnswer)
}

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
	VerbEnded                    // a node's process has come to its end
)

var verbLabels = [...]string{
	VerbRevoked: "revoked", VerbAssigned: "assigned", VerbLost: "lost", VerbServes: "serves",
	VerbThrown: "thrown", VerbLoaded: "loaded", VerbUnloaded: "unloaded",
	VerbStarted: "started", VerbCrashed: "crashed", VerbEnded: "ended",
}

// Label is the part of a stable name between the node and the number, without the
// ".answer" of answers; "*" for any request.
func (e EventName) Label() string {
	switch e.Verb {
	case VerbRequest, VerbAnswer:
		if e.Request == 0 {
			return "*"
		}
		return protocol.KindName(e.Request)
	case VerbGroup:
		return "group." + e.State.String()
	}
	return verbLabels[e.Verb]
}

// String is the name as scenarios write it.
func (e EventName) String() string {
	if e.None() {
		return ""
	}
	s := e.Node + "." + e.Label()
	switch {
	case e.First > 0 && e.Last == e.First:
		s += "#" + strconv.Itoa(int(e.First))
	case e.First > 0:
		s += "#" + strconv.Itoa(int(e.First)) + ".." + strconv.Itoa(int(e.Last))
	}
	if e.Verb == VerbAnswer {
		s += ".answer"
	}
	return s
}

// Matches reports whether it names the event with the stable name given.
func (e EventName) Matches(name string) bool {
	answer := strings.HasSuffix(name, ".answer")
	name = strings.TrimSuffix(name, ".answer")
	if answer != (e.Verb == VerbAnswer) {
		return false
	}
	head, number, ok := strings.Cut(name, "#")
	if !ok {
		return false
	}
	node, label, ok := strings.Cut(head, ".")
	if !ok {
		return false
	}
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil || uint32(n) < e.First || e.Last > 0 && uint32(n) > e.Last {
		return false
	}
	if match, _ := path.Match(e.Node, node); !match {
		return false
	}
	want := e.Label()
	return want == label || want == "*" && protocol.KindOf(label) != 0
}
