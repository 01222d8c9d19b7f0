package metrics

import (
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

// Measure is one figure of a Result, by name. Of each, less is better.
type Measure struct {
	Name string // as tables, CSV and expectations call it
	Unit Unit
	Text string // what it is, in a few words
	of   func(*Result) int64
}

// Of picks the figure; -1: there is none.
func (m *Measure) Of(r *Result) int64 { return m.of(r) }

// measures are in the order in which tables have them.
var measures = []Measure{
	{"rebalances", Count, "times that the group was on the move", func(r *Result) int64 { return r.Rebalances }},
	{"standstill", Summed, "partitions without a rightful reader, summed over partitions", func(r *Result) int64 { return int64(r.Total.Standstill) }},
	{"longest", Length, "the longest time that a partition had no rightful reader", func(r *Result) int64 { return int64(r.Total.Longest) }},
	{"unread", Summed, "partitions without any reader, summed over partitions", func(r *Result) int64 { return int64(r.Total.Unread) }},
	{"moves", Count, "partitions given to another member than the one who had them last", func(r *Result) int64 { return r.Total.Moves }},
	{"needless", Count, "moves more than the least for the same loads; none if members subscribe to different topics", needless},
	{"returned", Count, "partitions taken from a member and given back to it", func(r *Result) int64 { return r.Total.Returned }},
	{"round-trips", Count, "moves back to the owner before the last", func(r *Result) int64 { return r.Total.RoundTrips }},
	{"twice", Records, "records processed again", func(r *Result) int64 { return r.Total.Twice }},
	{"skipped", Records, "records passed over and never processed", func(r *Result) int64 { return r.Total.Skipped }},
	{"unfinished", Records, "records handed to a program that died or gave them up", func(r *Result) int64 { return r.Total.Unfinished }},
	{"zombie", Summed, "partitions read by members that had lost them and did not know", func(r *Result) int64 { return int64(r.Total.Zombie) }},
	{"hand-over", Summed, "the same, once they had been told", func(r *Result) int64 { return int64(r.Total.HandOver) }},
	{"fenced", Summed, "partitions read by right by members whose commits are refused", func(r *Result) int64 { return int64(r.Total.Fenced) }},
	{"overlap", Summed, "partitions with two readers or more", func(r *Result) int64 { return int64(r.Total.Overlap) }},
	{"lag-max", Records, "the largest lag of a partition; none without rates", lagMax},
	{"detection", Length, "the longest from a fault to the coordinator's first act because of it; none without one", func(r *Result) int64 { return int64(r.Detection) }},
	{"recovery", Length, "the longest from a fault until its partitions are read again; none without one", func(r *Result) int64 { return int64(r.Recovery) }},
	{"idle", Count, "live members that the last assignment gives nothing", func(r *Result) int64 { return r.Idle }},
	{"group-requests", Count, "JoinGroup, SyncGroup, Heartbeat and LeaveGroup sent", groupRequests},
	{"joins", Count, "of them JoinGroup", sent(protocol.KindJoinGroup)},
	{"syncs", Count, "of them SyncGroup", sent(protocol.KindSyncGroup)},
	{"heartbeats", Count, "of them Heartbeat", sent(protocol.KindHeartbeat)},
	{"leaves", Count, "of them LeaveGroup", sent(protocol.KindLeaveGroup)},
	{"commits", Count, "OffsetCommit sent", sent(protocol.KindOffsetCommit)},
	{"fetches", Count, "Fetch sent", sent(protocol.KindFetch)},
}

// Measures lists them all, in the order in which tables have them.
func Measures() []Measure { return measures }

// MeasureNamed finds one by its name, nil if there is none.
func MeasureNamed(name string) *Measure {
	for i := range measures {
		if measures[i].Name == name {
			return &measures[i]
		}
	}
	return nil
}

func needless(r *Result) int64 {
	if r.LeastUndefined {
		return -1
	}
	return r.Needless()
}

func lagMax(r *Result) int64 {
	if !r.Total.LagKnown {
		return -1
	}
	return r.Total.LagMax
}

func sent(kind uint8) func(*Result) int64 { return func(r *Result) int64 { return r.Requests[kind] } }

func groupRequests(r *Result) (n int64) {
	for _, kind := range []uint8{protocol.KindJoinGroup, protocol.KindSyncGroup, protocol.KindHeartbeat, protocol.KindLeaveGroup} {
		n += r.Requests[kind]
	}
	return n
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
