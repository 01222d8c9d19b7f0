// Package assignor computes what the leader of a Kafka consumer group computes:
// who gets which partition. It reproduces the client's range, round robin,
// sticky and cooperative-sticky assignors release by release, down to the order
// of the partitions in each member's list and to the defects a release had.
//
// Everything is a function of plain values. Where the Java client's result
// depends on the order in which java.util.HashMap walks its keys, that order is
// reproduced (javahash.go).
package assignor

import (
	"errors"
	"fmt"

	"github.com/rebalsim/rebalsim/protocol"
)

// The assignors by the names they have in partition.assignment.strategy's
// protocol list.
const (
	Range             = "range"
	RoundRobin        = "roundrobin"
	Sticky            = "sticky"
	CooperativeSticky = "cooperative-sticky"
)

// Names lists the assignors.
func Names() []string { return []string{Range, RoundRobin, Sticky, CooperativeSticky} }

// Input is what a leader knows when it assigns.
type Input struct {
	// Topics are the topics of the cluster, each name once, in any order. A
	// topic with no partitions counts as one that the cluster does not know.
	Topics []Topic
	// Members are the members of the group, each id once, in the order of the
	// JoinGroup answer.
	Members []Member
	// MemberOrder, if it is not nil, is the order in which Java walks its map of
	// members, as places in Members. If it is nil, the order follows from the ids.
	MemberOrder []int
	// State is what the leader's assignor object remembers of its earlier
	// calls. The zero value is a new object.
	State State
}

// Topic is a topic as the leader's metadata has it.
type Topic struct {
	Name       string
	Partitions int32
	// Racks holds for each partition the racks of its replicas; replicas on
	// brokers without a rack are left out. Missing entries are partitions
	// without racks.
	Racks [][]string
}

// Member is one member with its subscription, decoded.
type Member struct {
	ID         string
	InstanceID string // group.instance.id; empty for a dynamic member
	Rack       string // client.rack; empty if there is none
	Topics     []string

	// Owned is what the member says it owned: for "sticky" decoded from its
	// user data (DecodeUserData), for "cooperative-sticky" the subscription's
	// own field. The other assignors do not look at it.
	Owned []protocol.TopicPartition
	// UserDataGeneration is the generation in the user data. User data that
	// cannot be read has generation -1.
	UserDataGeneration Generation
	// SubscriptionGeneration is the subscription's own field (KIP-792).
	SubscriptionGeneration Generation
}

// Generation is a generation number that may be absent. Absent is not -1.
type Generation struct {
	Number int32
	Known  bool
}

// InGeneration returns a known generation.
func InGeneration(n int32) Generation { return Generation{Number: n, Known: true} }

// orMinusOne returns the number, or -1 for an absent generation.
func (g Generation) orMinusOne() int32 {
	if g.Known {
		return g.Number
	}
	return -1
}

// State is what an assignor object carries from one call to the next: since
// 3.0.0 the highest generation it has seen (KAFKA-12984). An object that has
// seen none has the zero State.
type State struct {
	TopGeneration Generation
}

// Result is an assignment.
type Result struct {
	// Assigned holds each member's partitions, parallel to Input.Members and
	// in the order of Java's lists. A contradictory input can put a partition
	// into two lists, or twice into one.
	Assigned [][]protocol.TopicPartition
	// Target is, for "cooperative-sticky", the balanced assignment from which
	// partitions were withheld until their owners have revoked them.
	// Assigned is what is left; lists from which nothing was withheld are shared
	// between the two. For the other assignors Target is nil.
	Target [][]protocol.TopicPartition
	// State is for the next call of the same assignor object.
	State State
	// Path says which algorithm produced the result.
	Path Path
	// RacksMatched says that racks had a say.
	RacksMatched bool
	// TreeBins says that one of Java's hash tables has a long chain of keys as a
	// tree, whose order is not reproduced here. Where the keys are partitions
	// (sticky before 3.0), Java's own result differs from run to run.
	TreeBins bool
}

// Path is the algorithm that produced a result.
type Path uint8

// The paths. Range and round robin have only one each.
const (
	PathOnly    Path = iota
	PathEqual        // the sticky pair, all members subscribing to the same topics
	PathGeneral      // the sticky pair, any subscriptions
)

func (p Path) String() string {
	return [...]string{"only", "equal", "general"}[p]
}

// MaxPartitions bounds the partitions of one call, all topics together; more
// than any cluster has.
const MaxPartitions = 1 << 24

var (
	// ErrUnknown: no assignor has that name.
	ErrUnknown = errors.New("unknown assignor")
	// ErrNotInRelease: the release does not have this assignor yet.
	ErrNotInRelease = errors.New("the release does not have this assignor")
	// ErrNotModelled: the release has the assignor, but its algorithm of that
	// time is not reproduced here (sticky before 2.4.0).
	ErrNotModelled = errors.New("this release's variant of the assignor is not modelled")
	// ErrRules: the rules are not those of a release and do not go together.
	ErrRules = errors.New("rules that do not go together")
	// ErrInput: the input is not one that a leader can have.
	ErrInput = errors.New("unusable input")
	// ErrNeverEnds: on this input the release's assignor moves partitions in
	// a circle for ever. The leader hangs in its poll; it is proved by a state
	// of the algorithm that came back.
	ErrNeverEnds = errors.New("the assignor never ends on this input")
	// ErrTooLong: the assignor did more work than workLimit allows without
	// coming back to a state it was in. Java's may end, hours later.
	ErrTooLong = errors.New("the assignor balances on and on on this input")
)

// ThrownError is an exception that the Java assignor throws, which ends the
// leader's poll. Only contradictory claims lead to one.
type ThrownError struct {
	Class string // simple name, "IllegalStateException"
	Why   string
}

func (e *ThrownError) Error() string { return e.Class + ": " + e.Why }

func illegalState(why string) error { return &ThrownError{Class: "IllegalStateException", Why: why} }
func nullPointer(why string) error  { return &ThrownError{Class: "NullPointerException", Why: why} }

// Assign runs the named assignor with a release's rules. It changes nothing of
// in, and the result shares no memory with it except strings.
//
// Errors are one of the Err values above, wrapped, or a *ThrownError.
func Assign(name string, rules protocol.AssignorRules, in Input) (Result, error) {
	if err := available(name, rules); err != nil {
		return Result{}, err
	}
	g, err := newGroup(rules, in)
	if err != nil {
		return Result{}, err
	}
	res := Result{State: in.State}
	var lists [][]int32
	switch name {
	case Range:
		lists, res.RacksMatched = g.assignRange()
	case RoundRobin:
		lists = g.assignRoundRobin()
	default:
		s := newSticky(g, name == CooperativeSticky, in.State)
		lists, err = s.assign()
		if err != nil {
			return Result{}, fmt.Errorf("%s: %w", name, err)
		}
		res.State, res.Path, res.RacksMatched = s.top, s.path, g.racks.inEffect
		if s.cooperative {
			res.Target, res.TreeBins = g.partitions(lists), g.treeBins
			res.Assigned = s.withhold(lists, res.Target)
			return res, nil
		}
	}
	res.Assigned = g.partitions(lists)
	res.TreeBins = g.treeBins
	return res, nil
}

func available(name string, rules protocol.AssignorRules) error {
	switch name {
	case Range, RoundRobin:
		return nil
	case Sticky, CooperativeSticky:
		if err := rules.Check(); err != nil {
			return fmt.Errorf("%w: %w", ErrRules, err)
		}
		switch {
		case rules.Sticky == protocol.StickyBoth:
			return nil
		case rules.Sticky == protocol.StickyNotModelled && name == Sticky:
			return fmt.Errorf("%s: %w", name, ErrNotModelled)
		}
		return fmt.Errorf("%s: %w", name, ErrNotInRelease)
	}
	return fmt.Errorf("%w %q", ErrUnknown, name)
}
