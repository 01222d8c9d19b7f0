package metrics

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Result is the outcome of a run within the window [From, To). Times are virtual, in
// microseconds; counts of records, partitions and members are whole.
type Result struct {
	From, To sim.Time
	// Measured is false if the window never opened: the group was never Stable, or the
	// moment never came. Cut is that the run was over before the window.
	Measured, Cut bool
	// Formation is what the group took from its first move to Stable, before the window.
	Formation sim.Time

	Rebalances           int64 // disturbances
	Generations          int64
	Disturbed            sim.Time // sum of their lengths
	LongestDisturbance   sim.Time
	LongestDisturbanceAt sim.Time
	Disturbances         []Disturbance // the first 1000
	Causes               []CauseCount  // in the order in which they first came

	// Total is the sum over the partitions; of Longest, LagMax and BehindMax the largest.
	Total      PartitionCost
	Partitions []PartitionCost // in the order of names
	// Worst is the partition with the longest piece of standstill, "" if there is none.
	Worst string

	// Least is how many moves would have led to the same loads. LeastUndefined: members
	// of one generation subscribed to different topics, and the group is too large to find
	// it out for that.
	Least          int64
	LeastUndefined bool

	Faults     []Fault // the first 1000 that are over, then those that are not
	FaultCount int64
	Detection  sim.Time // the longest, -1: none was noticed
	Recovery   sim.Time // the longest, -1: none was recovered from

	Members []MemberCost
	Idle    int64 // live members that the last assignment gives nothing

	Requests [32]int64 `json:"-"` // sent by members, by kind
}

// Disturbance is a time from leaving Stable or Empty to the next Stable or Empty, and
// until all partitions are served again.
type Disturbance struct {
	At          sim.Time
	Settled     sim.Time // how long the group was on the move
	Length      sim.Time // how long until all partitions were served by right again
	Generations int
	Cause       Cause
	Overtaken   bool // partitions still stood as the next one began, which ends Length
	Open        bool // the window ended before

	within bool // it began in the window
}

// CauseCount is how often disturbances began for a reason.
type CauseCount struct {
	Cause
	Times int64
}

// Fault is a process that died or stood still.
type Fault struct {
	Kind       FaultKind
	Member     string
	At         sim.Time
	Partitions int // that the member served by right
	// Detection is how long until the coordinator acted because of it, Recovery until the
	// last of the partitions was served by right again; -1: not in the window.
	Detection, Recovery sim.Time
}

// PartitionCost is what the run cost one partition.
type PartitionCost struct {
	Partition protocol.TopicPartition

	Standstill sim.Time // no rightful member served it
	Unread     sim.Time // nobody served it, right or not
	Longest    sim.Time // the longest connected piece of standstill
	LongestAt  sim.Time
	Zombie     sim.Time // members without the right served it and did not know
	HandOver   sim.Time // as Zombie, but they had been told, or were being told
	Fenced     sim.Time // a rightful member served it whose commits are refused
	Overlap    sim.Time // two or more served it

	Moves      int64 // given to another member than the one who had it last
	Forced     int64 // of them: the one who had it is gone, or does not want it
	Returned   int64 // taken from a member and given back to it
	RoundTrips int64 // moves back to the owner before the last

	Delivered      int64 // records handed to programs
	Finished       int64 // records that programs were done with
	ZombieFinished int64 // of them by members without the right
	// Records finished again, each time: Twice is the sum of the three.
	Twice         int64
	TwiceLate     int64 // finished and not committed when somebody else began
	TwiceZombie   int64 // one of the two had no right to the partition
	TwiceBackward int64 // committed, and read again all the same
	Unfinished    int64 // delivered to a program that died or gave them up
	// Records below the position at the end that nobody ever finished: Skipped is the
	// sum of the five.
	Skipped        int64
	SkippedReset   int64 // auto.offset.reset jumped over them
	SkippedCommit  int64 // committed before they were finished
	SkippedSeek    int64 // the program moved the position
	SkippedDropped int64 // the program gave them up after an exception
	SkippedOther   int64 // there is no such: a defect of the simulator

	LagKnown  bool
	LagMax    int64 // end less committed, at its largest
	Lag       int64 // at the end
	BehindMax int64 // records written and not finished, at their most
	Behind    int64 // at the end
}

// MemberCost is what a member did, and what the run cost it.
type MemberCost struct {
	Name string
	Idle sim.Time // its process ran and served nothing
	Most int64    // so many partitions it served at once, at most

	// Summed over partitions that the group had assigned: what it served in all, and of
	// that as in PartitionCost.
	Served, Zombie, HandOver, Fenced sim.Time

	Returned   int64 // partitions taken from it and given back
	Delivered  int64 // records handed to its program
	Finished   int64 // records that its program was done with
	Twice      int64 // of them those that were finished before, by whomever
	Unfinished int64 // delivered, and it died or gave them up

	Exceptions int64 // that poll or a commit threw to its program
	GaveUp     int64 // times that its program ended because of one

	Requests [32]int64 `json:"-"` // that it sent, by kind
}

// Needless is how many moves were more than the least.
func (r *Result) Needless() int64 { return r.Total.Moves - r.Least }
