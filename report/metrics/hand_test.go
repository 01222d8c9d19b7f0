package metrics

import (
	"testing"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// byHand are runs small enough to be computed by hand, with what every figure is. Times
// are milliseconds, as in the tapes.
var byHand = []struct {
	name string
	run  func() *Result
	want map[string]int64 // lengths in microseconds, -1: none
	of   map[string]int64 // of member B
}{
	{"B leaves a group of two, and A takes its partition over", func() *Result {
		x := newTape(2, coordinator.Topic{Name: "o", Leaders: []sim.NodeID{broker, broker}, Rate: 20}) // 10 a second and partition
		x.forms([]int32{0}, []int32{1})
		x.position(A, 0, 0, true)
		x.position(B, 1, 0, true)
		x.ms(10)
		x.serves(A, 0)
		x.serves(B, 1)
		x.ms(500).reads(B, 1, 0, 4)
		x.ms(600).asks(B, &protocol.HeartbeatRequest{}, 0)
		x.asks(B, &protocol.OffsetCommitRequest{}, 0)
		x.commits(1, 4) // of 6
		x.ms(700).reads(B, 1, 4, 7)
		x.ms(1000).revoked(B, 1)
		x.serves(B)
		left := x.asks(B, &protocol.LeaveGroupRequest{}, protocol.RuleClosed)
		x.member(B, "removed", left)
		x.group(protocol.Stable, protocol.PreparingRebalance, protocol.RuleLeft, left)
		x.rec(sim.Rec{Op: sim.OpExit, Node: B})
		x.ms(1300).asks(A, &protocol.JoinGroupRequest{}, protocol.RuleRebalanceHeard)
		x.group(protocol.PreparingRebalance, protocol.CompletingRebalance, protocol.RuleAllJoined, 0)
		x.ms(1310).asks(A, &protocol.SyncGroupRequest{}, 0)
		x.stores([]int32{0, 1})
		x.group(protocol.CompletingRebalance, protocol.Stable, protocol.RuleAssigned, 0)
		x.position(A, 1, 4, false)
		x.ms(1400).serves(A, 0, 1)
		x.ms(1500).reads(A, 1, 4, 10)
		return x.done(2000)
	}, map[string]int64{
		"rebalances": 1, "generations": 1, "disturbed": 400_000, "longest-disturbance": 400_000,
		"standstill": 10_000 + 410_000, "longest": 400_000, "unread": 420_000,
		"moves": 1, "forced": 1, "needless": 0, "returned": 0, "round-trips": 0,
		"twice": 3, "twice-late": 3, "twice-zombie": 0, "twice-backward": 0,
		"skipped": 0, "skipped-reset": 0, "skipped-commit": 0, "skipped-seek": 0, "skipped-dropped": 0,
		"unfinished": 0, "delivered": 13, "finished": 13, "zombie": 0, "hand-over": 0, "zombie-finished": 0, "overlap": 0,
		"lag-max": 20, "lag": 20 + 16, // nothing of o-0 is committed, 4 of o-1
		"behind-max": 20, "behind": 20 + 10,
		"detection": -1, "recovery": -1, // to leave is no fault
		"exceptions": 0, "gave-up": 0, "idle": 0, "idle-time": 10_000 + 10_000,
		"group-requests": 4, "joins": 1, "syncs": 1, "heartbeats": 1, "leaves": 1, "commits": 1,
	}, map[string]int64{
		"served": 990_000, "served-most": 1, "finished": 7, "delivered": 7, "twice": 0, "heartbeats": 1, "joins": 0, "idle-time": 10_000,
	}},
	{"B is frozen, removed and a zombie; then it dies with records in hand", func() *Result {
		x := newTape(2)
		x.forms([]int32{0}, []int32{1})
		x.serves(A, 0)
		x.position(B, 1, 0, true)
		x.serves(B, 1)
		x.ms(100).delivered(B, 1, 0, 8)
		x.rec(sim.Rec{Op: sim.OpFreeze, Node: B})
		x.ms(300).member(B, "removed", 0)
		x.group(protocol.Stable, protocol.PreparingRebalance, protocol.RuleSessionExpired, 0)
		x.stores([]int32{0, 1})
		x.group(protocol.CompletingRebalance, protocol.Stable, protocol.RuleAssigned, 0)
		x.position(A, 1, 0, false)
		x.ms(350).serves(A, 0, 1)
		x.reads(A, 1, 0, 8)
		x.ms(400).rec(sim.Rec{Op: sim.OpThaw, Node: B})
		x.finished(B, 1, 0, 8)
		x.ms(420).answers(B, &protocol.HeartbeatAnswer{Error: protocol.UnknownMemberID})
		x.ms(430).delivered(B, 1, 8, 11)
		x.ms(450).note(B, protocol.NoteThrown, 0, 0, nil, 0, 0)
		x.ms(460).rec(sim.Rec{Op: sim.OpCrash, Node: B})
		return x.done(500)
	}, map[string]int64{
		"standstill": 250_000, "longest": 250_000, "unread": 250_000, // from the freeze until A serves o-1
		"zombie": 20_000, "hand-over": 40_000, "overlap": 60_000, "zombie-finished": 8,
		"twice": 8, "twice-zombie": 8, "twice-late": 0, "unfinished": 3, "delivered": 19, "finished": 16,
		"detection": 200_000, "recovery": 250_000, "exceptions": 1, "gave-up": 0, "moves": 1, "forced": 1,
	}, map[string]int64{"zombie": 20_000, "hand-over": 40_000, "twice": 8, "unfinished": 3, "exceptions": 1, "served": 100_000 + 60_000}},
	{"the program seeks, drops a batch, and gives up", func() *Result {
		x := newTape(2)
		x.forms([]int32{0}, []int32{})
		x.position(A, 0, 0, true)
		x.serves(A, 0)
		x.reads(A, 0, 0, 10)
		x.reads(A, 0, 15, 20)     // past 5
		x.delivered(A, 0, 20, 23) // and drops them
		x.reads(A, 0, 23, 30)
		x.note(B, protocol.NoteThrown, 0, 0, nil, 0, 0)
		x.note(B, protocol.NoteClosed, 0, 0, nil, 0, 0)
		x.note(A, protocol.NoteThrown, 0, 0, nil, 0, 0)
		x.rec(sim.Rec{Op: sim.OpCommand, Node: A, Body: &consumer.Call{Op: consumer.OpStop}})
		x.note(A, protocol.NoteClosed, 0, 0, nil, 0, 0)
		return x.done(100)
	}, map[string]int64{
		"skipped": 8, "skipped-seek": 5, "skipped-dropped": 3, "skipped-commit": 0, "skipped-reset": 0,
		"unfinished": 3, "delivered": 25, "finished": 22, "exceptions": 2, "gave-up": 1, "idle": 1,
		"lag": -1, "lag-max": -1, "behind": -1, "behind-max": -1, // no rates
	}, map[string]int64{"gave-up": 1, "exceptions": 1}},
	{"the larger load goes to the one who had less, and everything goes back", func() *Result {
		x := newTape(2)
		x.forms([]int32{0, 1, 2}, []int32{3})
		x.serves(A, 0, 1, 2)
		x.serves(B, 3)
		x.ms(10).revoked(B, 3)
		x.serves(B)
		x.stores([]int32{0, 3}, []int32{1, 2}) // one move would do for 2 and 2
		x.stores([]int32{0, 1, 2}, []int32{3})
		x.ms(20).serves(B, 3)
		return x.done(50)
	}, map[string]int64{"moves": 6, "needless": 4, "round-trips": 3, "forced": 0, "returned": 1, "generations": 0, "rebalances": 0},
		map[string]int64{"returned": 1}},
}

// Every figure is as computed by hand, in a run in which it is something.
func TestByHand(t *testing.T) {
	seen := map[string]bool{}
	for _, x := range byHand {
		r := x.run()
		if problem := consistent(r); problem != "" {
			t.Errorf("%s: %s", x.name, problem)
		}
		for name, want := range x.want {
			m := MeasureNamed(name)
			if got := m.Of(r); got != want {
				t.Errorf("%s: %s is %d, want %d", x.name, name, got, want)
			}
			seen[name] = seen[name] || want > 0
		}
		for name, want := range x.of {
			got, ok := MeasureNamed(name).OfMember(&r.Members[1])
			if got != want || !ok {
				t.Errorf("%s: %s of B is %d, want %d", x.name, name, got, want)
			}
			seen[name] = seen[name] || want > 0
		}
	}
	for _, elsewhere := range []string{ // TestSkippedAndReset, TestFenced
		"twice-backward", "skipped-reset", "skipped-commit", "fenced"} {
		seen[elsewhere] = true
	}
	for _, name := range MeasureNames() {
		if !seen[name] {
			t.Errorf("%s is never anything", name)
		}
	}
}
