package metrics

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Unit is what a measure counts.
type Unit uint8

// The units.
const (
	Count   Unit = iota
	Length       // microseconds
	Summed       // microseconds, summed over partitions or members
	Records      // records
)

// Measure is one figure of a Result, by name. Of each, less is better, except of those
// that only count what was done.
type Measure struct {
	Name string // as tables, CSV and expectations call it
	Unit Unit
	Text string // what it is, in a few words

	// Where it is to be had: of the whole, of one partition, of one member.
	of     func(*Result) int64
	part   func(*PartitionCost) int64
	member func(*MemberCost) int64
}

// Of picks the figure of the whole; -1: there is none.
func (m *Measure) Of(r *Result) int64 {
	if m.of != nil {
		return m.of(r)
	}
	return m.part(&r.Total)
}

// OfPartition picks the figure of one partition, -1: there is none. Ok is false if it is
// no figure of a partition.
func (m *Measure) OfPartition(c *PartitionCost) (n int64, ok bool) {
	if m.part == nil {
		return -1, false
	}
	return m.part(c), true
}

// OfMember is OfPartition of one member.
func (m *Measure) OfMember(c *MemberCost) (n int64, ok bool) {
	if m.member == nil {
		return -1, false
	}
	return m.member(c), true
}

// measures are in the order in which tables have them.
var measures = []Measure{
	{"rebalances", Count, "times that the group was on the move", func(r *Result) int64 { return r.Rebalances }, nil, nil},
	{"generations", Count, "generations that began in them", func(r *Result) int64 { return r.Generations }, nil, nil},
	{"disturbed", Length, "how long they lasted, until all partitions were served again, summed", func(r *Result) int64 { return int64(r.Disturbed) }, nil, nil},
	{"longest-disturbance", Length, "the longest of them", func(r *Result) int64 { return int64(r.LongestDisturbance) }, nil, nil},
	{"standstill", Summed, "partitions without a rightful reader, summed over partitions", nil, func(c *PartitionCost) int64 { return int64(c.Standstill) }, nil},
	{"longest", Length, "the longest time that a partition had no rightful reader", nil, func(c *PartitionCost) int64 { return int64(c.Longest) }, nil},
	{"unread", Summed, "partitions without any reader, summed over partitions", nil, func(c *PartitionCost) int64 { return int64(c.Unread) }, nil},
	{"moves", Count, "partitions given to another member than the one who had them last", nil, func(c *PartitionCost) int64 { return c.Moves }, nil},
	{"forced", Count, "of them those whose last owner is gone, or does not want them", nil, func(c *PartitionCost) int64 { return c.Forced }, nil},
	{"needless", Count, "moves more than the least for the same loads", needless, nil, nil},
	{"returned", Count, "partitions taken from a member and given back to it", nil, func(c *PartitionCost) int64 { return c.Returned }, func(c *MemberCost) int64 { return c.Returned }},
	{"round-trips", Count, "moves back to the owner before the last", nil, func(c *PartitionCost) int64 { return c.RoundTrips }, nil},
	{"twice", Records, "records processed again", nil, func(c *PartitionCost) int64 { return c.Twice }, func(c *MemberCost) int64 { return c.Twice }},
	{"twice-late", Records, "of them those that were not committed when the position was taken again", nil, func(c *PartitionCost) int64 { return c.TwiceLate }, nil},
	{"twice-zombie", Records, "of them those that were processed once without the right", nil, func(c *PartitionCost) int64 { return c.TwiceZombie }, nil},
	{"twice-backward", Records, "of them those that had been committed", nil, func(c *PartitionCost) int64 { return c.TwiceBackward }, nil},
	{"skipped", Records, "records passed over and never processed", nil, func(c *PartitionCost) int64 { return c.Skipped }, nil},
	{"skipped-reset", Records, "of them those that auto.offset.reset jumped over", nil, func(c *PartitionCost) int64 { return c.SkippedReset }, nil},
	{"skipped-commit", Records, "of them those that were committed first", nil, func(c *PartitionCost) int64 { return c.SkippedCommit }, nil},
	{"skipped-seek", Records, "of them those that the program moved past", nil, func(c *PartitionCost) int64 { return c.SkippedSeek }, nil},
	{"skipped-dropped", Records, "of them those that the program gave up after an exception", nil, func(c *PartitionCost) int64 { return c.SkippedDropped }, nil},
	{"unfinished", Records, "records handed to a program that died or gave them up", nil, func(c *PartitionCost) int64 { return c.Unfinished }, func(c *MemberCost) int64 { return c.Unfinished }},
	{"delivered", Records, "records handed to programs", nil, func(c *PartitionCost) int64 { return c.Delivered }, func(c *MemberCost) int64 { return c.Delivered }},
	{"finished", Records, "records that programs were done with, each time", nil, func(c *PartitionCost) int64 { return c.Finished }, func(c *MemberCost) int64 { return c.Finished }},
	{"zombie", Summed, "partitions read by members that had lost them and did not know", nil, func(c *PartitionCost) int64 { return int64(c.Zombie) }, func(c *MemberCost) int64 { return int64(c.Zombie) }},
	{"hand-over", Summed, "the same, once they had been told", nil, func(c *PartitionCost) int64 { return int64(c.HandOver) }, func(c *MemberCost) int64 { return int64(c.HandOver) }},
	{"zombie-finished", Records, "records finished by members without the right", nil, func(c *PartitionCost) int64 { return c.ZombieFinished }, nil},
	{"fenced", Summed, "partitions read by right by members whose commits are refused", nil, func(c *PartitionCost) int64 { return int64(c.Fenced) }, func(c *MemberCost) int64 { return int64(c.Fenced) }},
	{"overlap", Summed, "partitions with two readers or more", nil, func(c *PartitionCost) int64 { return int64(c.Overlap) }, nil},
	{"lag-max", Records, "the largest lag of a partition; none without rates", nil, lagged(func(c *PartitionCost) int64 { return c.LagMax }), nil},
	{"lag", Records, "the lag at the end", nil, lagged(func(c *PartitionCost) int64 { return c.Lag }), nil},
	{"behind-max", Records, "the most that was written to a partition and not processed; none without rates", nil, lagged(func(c *PartitionCost) int64 { return c.BehindMax }), nil},
	{"behind", Records, "the same at the end", nil, lagged(func(c *PartitionCost) int64 { return c.Behind }), nil},
	{"detection", Length, "the longest from a fault to the coordinator's first act because of it; none without one", func(r *Result) int64 { return int64(r.Detection) }, nil, nil},
	{"recovery", Length, "the longest from a fault until its partitions are read again; none without one", func(r *Result) int64 { return int64(r.Recovery) }, nil, nil},
	{"exceptions", Count, "exceptions that poll or a commit threw to programs", func(r *Result) int64 { return sumMembers(r, exceptions) }, nil, exceptions},
	{"gave-up", Count, "programs that ended because of one", func(r *Result) int64 { return sumMembers(r, gaveUp) }, nil, gaveUp},
	{"idle", Count, "live members that the last assignment gives nothing", func(r *Result) int64 { return r.Idle }, nil, nil},
	{"idle-time", Summed, "processes that ran and read nothing, summed over members", func(r *Result) int64 { return sumMembers(r, idleTime) }, nil, idleTime},
	{"served", Summed, "what a member read, summed over partitions", nil, nil, func(c *MemberCost) int64 { return int64(c.Served) }},
	{"served-most", Count, "the most partitions that a member read at once", nil, nil, func(c *MemberCost) int64 { return c.Most }},
	{"group-requests", Count, "JoinGroup, SyncGroup, Heartbeat and LeaveGroup sent", groupRequests, nil, func(c *MemberCost) int64 { return ofGroup(&c.Requests) }},
	sent("joins", "of them JoinGroup", protocol.KindJoinGroup),
	sent("syncs", "of them SyncGroup", protocol.KindSyncGroup),
	sent("heartbeats", "of them Heartbeat", protocol.KindHeartbeat),
	sent("leaves", "of them LeaveGroup", protocol.KindLeaveGroup),
	sent("commits", "OffsetCommit sent", protocol.KindOffsetCommit),
}

// Measures lists those of the whole, in the order in which tables have them.
func Measures() []Measure { return whole }

// whole are the measures that there are of the whole.
var whole = slices.DeleteFunc(slices.Clone(measures), func(m Measure) bool { return m.of == nil && m.part == nil })

// MeasureNamed finds one by its name, also one that there is only of members; nil if
// there is none.
func MeasureNamed(name string) *Measure {
	for i := range measures {
		if measures[i].Name == name {
			return &measures[i]
		}
	}
	return nil
}

// MeasureNames lists all names.
func MeasureNames() []string {
	list := make([]string, len(measures))
	for i := range measures {
		list[i] = measures[i].Name
	}
	return list
}

// ForWhole reports whether it is a figure of the whole, and not only of members.
func (m *Measure) ForWhole() bool { return m.of != nil || m.part != nil }

func needless(r *Result) int64 {
	if r.LeastUndefined {
		return -1
	}
	return r.Needless()
}

// lagged is a figure that hangs on rates.
func lagged(of func(*PartitionCost) int64) func(*PartitionCost) int64 {
	return func(c *PartitionCost) int64 {
		if !c.LagKnown {
			return -1
		}
		return of(c)
	}
}

func idleTime(c *MemberCost) int64   { return int64(c.Idle) }
func exceptions(c *MemberCost) int64 { return c.Exceptions }
func gaveUp(c *MemberCost) int64     { return c.GaveUp }

func sumMembers(r *Result, of func(*MemberCost) int64) (n int64) {
	for i := range r.Members {
		n += of(&r.Members[i])
	}
	return n
}

// sent is the measure of one kind of request.
func sent(name, text string, kind uint8) Measure {
	return Measure{name, Count, text, func(r *Result) int64 { return r.Requests[kind] }, nil,
		func(c *MemberCost) int64 { return c.Requests[kind] }}
}

func groupRequests(r *Result) int64 { return ofGroup(&r.Requests) }

func ofGroup(requests *[32]int64) (n int64) {
	for _, kind := range []uint8{protocol.KindJoinGroup, protocol.KindSyncGroup, protocol.KindHeartbeat, protocol.KindLeaveGroup} {
		n += requests[kind]
	}
	return n
}

// Exact writes a figure of the unit in full, for messages: "25.300 s", "3".
func (u Unit) Exact(n int64) string {
	switch {
	case n < 0:
		return "none"
	case u == Length || u == Summed:
		return sim.Time(n).String() + " s"
	}
	return decimal(n)
}

// Show writes a figure of the unit for people: a length in seconds, with the digits that
// matter; "-" for none.
func (u Unit) Show(n int64) string {
	if n < 0 {
		return "-"
	}
	if u == Length || u == Summed {
		return seconds(sim.Time(n))
	}
	return decimal(n)
}
