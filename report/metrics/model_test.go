package metrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// model plays the same tape as a Fold, and counts without wit: the time by looking at
// each millisecond, the records one by one.
type model struct {
	*tape
	members int
	holds   [][]bool // by member, partition
	alive   []bool
	frozen  []bool
	there   []bool // the coordinator has its id
	owner   []int  // by partition, by the log; -1: nobody
	known   []bool
	done    []map[int64]int // by partition: how often an offset was finished
	next    []int64         // by partition
	cost    []PartitionCost
	moves   int64
	had     []int
	script  []string // what was done
}

const partitions = 4

func newModel(members int) *model {
	m := &model{tape: newTape(members), members: members, alive: make([]bool, members), frozen: make([]bool, members), there: make([]bool, members)}
	for i := range members {
		m.alive[i] = true
		m.holds = append(m.holds, make([]bool, partitions))
	}
	for range partitions {
		m.owner, m.had = append(m.owner, -1), append(m.had, -1)
		m.known = append(m.known, false)
		m.done = append(m.done, map[int64]int{})
		m.next = append(m.next, 0)
		m.cost = append(m.cost, PartitionCost{})
	}
	return m
}

// passes lets n milliseconds pass.
func (m *model) passes(n int) {
	for p := range m.cost {
		c := &m.cost[p]
		readers, rightful := 0, false
		for i := range m.members {
			if m.holds[i][p] && m.alive[i] && !m.frozen[i] {
				readers++
				if m.owner[p] == i && m.there[i] {
					rightful = true
				}
			}
		}
		d := sim.Time(n) * ms
		if !m.known[p] {
			continue
		}
		zombies := readers
		if rightful {
			zombies--
		} else {
			c.Standstill += d
		}
		if readers == 0 {
			c.Unread += d
		}
		c.Zombie += d * sim.Time(zombies)
		if readers > 1 {
			c.Overlap += d
		}
	}
	m.at += sim.Time(n) * ms
}

func (m *model) list(i int) []int32 {
	var list []int32
	for p, holds := range m.holds[i] {
		if holds {
			list = append(list, int32(p))
		}
	}
	return list
}

func (m *model) act(t *rapid.T) {
	i := rapid.IntRange(0, m.members-1).Draw(t, "member")
	p := rapid.IntRange(0, partitions-1).Draw(t, "partition")
	n := sim.NodeID(i + 1)
	act := rapid.SampledFrom([]string{"read", "serves", "revoked", "stored", "removed", "added", "crash", "start", "freeze", "thaw", "rewind", "jump"}).Draw(t, "act")
	m.script = append(m.script, fmt.Sprintf("%s %s %s o-%d", m.at, act, name(n), p))
	switch act {
	case "serves":
		if m.alive[i] {
			for p := range partitions {
				m.holds[i][p] = rapid.Bool().Draw(t, "holds")
			}
			m.serves(n, m.list(i)...)
		}
	case "revoked":
		if m.alive[i] {
			m.holds[i][p] = false
			m.revoked(n, int32(p))
		}
	case "stored":
		lists := make([][]int32, m.members)
		for i := range lists {
			lists[i] = []int32{}
		}
		for p := range partitions {
			m.owner[p] = rapid.IntRange(-1, m.members-1).Draw(t, "owner")
			if o := m.owner[p]; o >= 0 {
				lists[o] = append(lists[o], int32(p))
				m.known[p] = true
				if m.had[p] >= 0 && m.had[p] != o {
					m.moves++
				}
				m.had[p] = o
			}
		}
		m.stores(lists...)
	case "removed":
		if m.there[i] {
			m.there[i] = false
			m.member(n, "removed", 0)
		}
	case "added":
		if !m.there[i] {
			m.there[i] = true
			m.member(n, "added", 0)
		}
	case "crash":
		if m.alive[i] {
			m.alive[i], m.frozen[i], m.holds[i] = false, false, make([]bool, partitions)
			m.rec(sim.Rec{Op: sim.OpCrash, Node: n})
		}
	case "start":
		if !m.alive[i] {
			m.alive[i] = true
			m.rec(sim.Rec{Op: sim.OpStart, Node: n})
		}
	case "freeze":
		if m.alive[i] && !m.frozen[i] {
			m.frozen[i] = true
			m.rec(sim.Rec{Op: sim.OpFreeze, Node: n})
		}
	case "thaw":
		if m.frozen[i] {
			m.frozen[i] = false
			m.rec(sim.Rec{Op: sim.OpThaw, Node: n})
		}
	case "read":
		if k := int64(rapid.IntRange(1, 9).Draw(t, "records")); m.alive[i] && !m.frozen[i] {
			m.read(n, p, m.next[p], m.next[p]+k, rapid.Bool().Draw(t, "finishes"))
			m.next[p] += k
		}
	case "rewind":
		m.next[p] = int64(rapid.IntRange(0, int(m.next[p])).Draw(t, "to"))
		if rapid.Bool().Draw(t, "commits") {
			m.commits(int32(p), m.next[p])
		}
	case "jump":
		m.next[p] += int64(rapid.IntRange(0, 9).Draw(t, "by"))
		m.position(n, int32(p), m.next[p], rapid.Bool().Draw(t, "reset"))
	}
}

func (m *model) read(n sim.NodeID, p int, from, to int64, finishes bool) {
	c := &m.cost[p]
	m.delivered(n, int32(p), from, to)
	c.Delivered += to - from
	if !finishes {
		return
	}
	m.finished(n, int32(p), from, to)
	c.Finished += to - from
	for o := from; o < to; o++ {
		if m.done[p][o]++; m.done[p][o] > 1 {
			c.Twice++
		}
	}
}

// The Fold agrees with the model on every tape, and its figures with each other.
func TestFoldIsItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(3)
		m.group(protocol.NoGroup, protocol.Stable, protocol.RuleFormed, 0) // the window opens
		t.Repeat(map[string]func(*rapid.T){"act": func(t *rapid.T) {
			m.passes(rapid.IntRange(0, 3).Draw(t, "ms"))
			m.act(t)
		}})
		m.passes(2)
		r := m.Done(m.at)
		for i := range r.Partitions {
			got := &r.Partitions[i]
			want := &m.cost[got.Partition.Partition]
			for _, x := range []struct {
				what      string
				got, want int64
			}{
				{"standstill", int64(got.Standstill), int64(want.Standstill)},
				{"unread", int64(got.Unread), int64(want.Unread)},
				{"zombie and hand-over", int64(got.Zombie + got.HandOver), int64(want.Zombie)},
				{"overlap", int64(got.Overlap), int64(want.Overlap)},
				{"delivered", got.Delivered, want.Delivered},
				{"finished", got.Finished, want.Finished},
				{"twice", got.Twice, want.Twice},
			} {
				if x.got != x.want {
					t.Fatalf("%s of %s: %d, want %d", x.what, got.Partition, x.got, x.want)
				}
			}
		}
		if r.Total.Moves != m.moves {
			t.Fatalf("%d moves, want %d", r.Total.Moves, m.moves)
		}
		if problem := consistent(r); problem != "" {
			t.Fatalf("%s\n%s", problem, strings.Join(m.script, "\n"))
		}
	})
}

// consistent says what of a Result contradicts itself.
func consistent(r *Result) string {
	var sum PartitionCost
	for i := range r.Partitions {
		c := &r.Partitions[i]
		sum.Add(c)
		switch {
		case c.Standstill < c.Unread:
			return c.Partition.String() + " was unread for longer than it stood still"
		case c.Standstill-c.Unread > c.Zombie+c.HandOver:
			return c.Partition.String() + " stood still, was read, and not by somebody without the right"
		case c.Longest > c.Standstill:
			return c.Partition.String() + ": a piece of its standstill is longer than all of it"
		case c.Twice != c.TwiceLate+c.TwiceZombie+c.TwiceBackward:
			return c.Partition.String() + ": the reasons for reading twice do not add up"
		case c.Skipped != c.SkippedReset+c.SkippedCommit+c.SkippedSeek+c.SkippedDropped+c.SkippedOther:
			return c.Partition.String() + ": the reasons for skipping do not add up"
		case c.SkippedOther != 0:
			return c.Partition.String() + ": records were skipped and nobody knows why"
		case c.Finished > c.Delivered:
			return c.Partition.String() + ": more was finished than delivered"
		case c.Forced > c.Moves || c.RoundTrips > c.Moves:
			return c.Partition.String() + ": more forced moves or round trips than moves"
		}
	}
	total := r.Total
	total.Partition, total.LongestAt, sum.LongestAt = sum.Partition, 0, 0
	if total != sum {
		return "the total is not the sum over the partitions"
	}
	if !r.LeastUndefined && (r.Least > r.Total.Moves || r.Least < r.Total.Forced) {
		return "the least number of moves lies not between the forced ones and all"
	}
	if problem := membersAddUp(r); problem != "" {
		return problem
	}
	var length sim.Time
	var causes int64
	for _, d := range r.Disturbances {
		length += d.Length
		if d.Length < d.Settled {
			return "a disturbance is over before it has settled"
		}
	}
	for _, c := range r.Causes {
		causes += c.Times
	}
	if r.Rebalances < kept && (length != r.Disturbed || int64(len(r.Disturbances)) != r.Rebalances) || causes != r.Rebalances {
		return "disturbances do not add up"
	}
	return ""
}

// membersAddUp says of which figure the sum over members is not that over partitions.
func membersAddUp(r *Result) string {
	var sum MemberCost
	for i := range r.Members {
		c := &r.Members[i]
		sum.Zombie += c.Zombie
		sum.HandOver += c.HandOver
		sum.Fenced += c.Fenced
		sum.Returned += c.Returned
		sum.Delivered += c.Delivered
		sum.Finished += c.Finished
		sum.Twice += c.Twice
		sum.Unfinished += c.Unfinished
		for kind := range c.Requests {
			sum.Requests[kind] += c.Requests[kind]
		}
		if c.Zombie+c.HandOver+c.Fenced > c.Served {
			return c.Name + " read more without the right than it read"
		}
		if c.GaveUp > 0 && c.Exceptions == 0 && r.From == 0 {
			return c.Name + " gave up without an exception"
		}
	}
	t := &r.Total
	for _, x := range []struct {
		what string
		a, b int64
	}{
		{"zombie", int64(sum.Zombie), int64(t.Zombie)}, {"hand-over", int64(sum.HandOver), int64(t.HandOver)}, {"fenced", int64(sum.Fenced), int64(t.Fenced)},
		{"returned", sum.Returned, t.Returned}, {"delivered", sum.Delivered, t.Delivered}, {"finished", sum.Finished, t.Finished},
		{"twice", sum.Twice, t.Twice}, {"unfinished", sum.Unfinished, t.Unfinished},
	} {
		if x.a != x.b {
			return fmt.Sprintf("%s of the members is %d, of the partitions %d", x.what, x.a, x.b)
		}
	}
	if sum.Requests != r.Requests {
		return "the members' requests do not add up"
	}
	return ""
}

// A set of offsets is what a list of booleans is.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 24
		var s ranges
		var want [n]bool
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			from := rapid.IntRange(0, n).Draw(t, "from")
			to := rapid.IntRange(from, n).Draw(t, "to")
			put := rapid.Bool().Draw(t, "add")
			if put {
				s.add(int64(from), int64(to))
			} else {
				s.remove(int64(from), int64(to))
			}
			for i := from; i < to; i++ {
				want[i] = put
			}
			var got, rest [n]bool
			a := rapid.IntRange(0, n).Draw(t, "a")
			b := rapid.IntRange(a, n).Draw(t, "b")
			s.within(0, n, func(x, y int64) {
				for i := x; i < y; i++ {
					got[i] = true
				}
			})
			s.outside(int64(a), int64(b), func(x, y int64) {
				for i := x; i < y; i++ {
					rest[i] = true
				}
			})
			if got != want {
				t.Fatalf("%v is not %v", s, want)
			}
			for i := range n {
				if rest[i] != (a <= i && i < b && !want[i]) {
					t.Fatalf("outside %v in [%d, %d): %v", s, a, b, rest)
				}
			}
			if !slices.IsSortedFunc(s, func(x, y piece) int { return int(x.to - y.from + 1) }) {
				t.Fatalf("pieces touch: %v", s)
			}
		}
	})
}
