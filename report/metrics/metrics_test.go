package metrics

import (
	"fmt"
	"testing"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

const A, B, C sim.NodeID = 1, 2, 3

// B leaves a group of two: the disturbance, what stands still, what moves.
func TestMemberLeaves(t *testing.T) {
	x := newTape(2)
	x.forms([]int32{0}, []int32{1})
	x.ms(10)
	x.serves(A, 0)
	x.serves(B, 1)
	x.ms(100).revoked(B, 1)
	x.serves(B)
	x.ms(101)
	left := x.asks(B, &protocol.LeaveGroupRequest{}, protocol.RuleClosed)
	x.member(B, "removed", left)
	x.group(protocol.Stable, protocol.PreparingRebalance, protocol.RuleLeft, left)
	x.rec(sim.Rec{Op: sim.OpExit, Node: B})
	x.ms(150).revoked(A, 0)
	x.serves(A)
	x.ms(155).group(protocol.PreparingRebalance, protocol.CompletingRebalance, protocol.RuleAllJoined, 0)
	x.ms(160).stores([]int32{0, 1})
	x.group(protocol.CompletingRebalance, protocol.Stable, protocol.RuleAssigned, 0)
	x.ms(170).serves(A, 0, 1)
	r := x.done(200)

	same(t, "standstill of o-0", r.Partitions[0].Standstill, 10*ms+20*ms)
	same(t, "standstill of o-1", r.Partitions[1].Standstill, 10*ms+70*ms)
	same(t, "standstill", r.Total.Standstill, 110*ms)
	same(t, "unread", r.Total.Unread, 110*ms)
	same(t, "longest", r.Total.Longest, 70*ms)
	same(t, "longest began", r.Total.LongestAt, 100*ms)
	same(t, "worst", r.Worst, "o-1")
	same(t, "rebalances", r.Rebalances, 1)
	d := r.Disturbances[0]
	same(t, "began", d.At, 101*ms)
	same(t, "settled", d.Settled, 59*ms)
	same(t, "length", d.Length, 69*ms)
	same(t, "generations", d.Generations, 1)
	same(t, "cause", d.Cause, Cause{protocol.RuleLeft, "B", 0})
	same(t, "moves", r.Total.Moves, 1)
	same(t, "forced", r.Total.Forced, 1)
	same(t, "least", r.Least, 1)
	same(t, "returned", r.Total.Returned, 1) // o-0
	same(t, "requests", r.Requests[protocol.KindLeaveGroup], 1)
	same(t, "idle time of B", r.Members[1].Idle, 10*ms+1*ms)
	same(t, "idle time of A", r.Members[0].Idle, 10*ms+20*ms)
}

// A cooperative member gives one of its partitions up for a new member: two
// disturbances, and the move is one although no two consecutive assignments have it.
func TestCooperativeMove(t *testing.T) {
	x := newTape(2)
	x.forms([]int32{0, 1})
	x.serves(A, 0, 1)
	x.ms(100)
	join := x.asks(B, &protocol.JoinGroupRequest{}, protocol.RuleFirstJoin)
	x.member(B, "added", join)
	x.group(protocol.Stable, protocol.PreparingRebalance, protocol.RuleNewMember, join)
	x.ms(120).group(protocol.PreparingRebalance, protocol.CompletingRebalance, protocol.RuleAllJoined, 0)
	x.ms(130).stores([]int32{0}, []int32{})
	x.group(protocol.CompletingRebalance, protocol.Stable, protocol.RuleAssigned, 0)
	x.answers(A, &protocol.SyncGroupAnswer{})
	x.ms(131).revoked(A, 1)
	x.serves(A, 0)
	x.ms(140)
	join = x.asks(A, &protocol.JoinGroupRequest{}, protocol.RuleRejoinAfterRevoke)
	x.group(protocol.Stable, protocol.PreparingRebalance, protocol.RuleLeaderRejoins, join)
	x.ms(150).stores([]int32{0}, []int32{1})
	x.group(protocol.CompletingRebalance, protocol.Stable, protocol.RuleAssigned, 0)
	x.ms(155).serves(B, 1)
	r := x.done(200)

	same(t, "moves", r.Total.Moves, 1)
	same(t, "forced", r.Total.Forced, 0)
	same(t, "least", r.Least, 1)
	same(t, "needless", r.Needless(), 0)
	same(t, "returned", r.Total.Returned, 0)
	same(t, "hand-over", r.Total.HandOver, 1*ms)
	same(t, "zombie", r.Total.Zombie, 0)
	same(t, "standstill", r.Total.Standstill, 25*ms) // from 130 on nobody has the right to o-1
	same(t, "unread", r.Total.Unread, 24*ms)
	same(t, "rebalances", r.Rebalances, 2)
	same(t, "the first is overtaken", r.Disturbances[0].Overtaken, true)
	same(t, "its length", r.Disturbances[0].Length, 40*ms)
	same(t, "length of the second", r.Disturbances[1].Length, 15*ms)
	same(t, "cause of the second", r.Disturbances[1].Cause, Cause{protocol.RuleLeaderRejoins, "A", protocol.RuleRejoinAfterRevoke})
}

// B stands still for so long that it is removed, and goes on: a zombie until it is told.
func TestZombie(t *testing.T) {
	x := newTape(2)
	x.forms([]int32{0}, []int32{1})
	x.serves(A, 0)
	x.serves(B, 1)
	x.position(B, 1, 0, true)
	x.serves(B)
	x.serves(B, 1)
	x.answers(B, &protocol.SyncGroupAnswer{}) // tells it nothing of what comes later
	x.ms(50).reads(B, 1, 0, 10)
	x.commits(1, 10)
	x.ms(90).delivered(B, 1, 10, 20)
	x.ms(100).rec(sim.Rec{Op: sim.OpFreeze, Node: B})
	x.ms(200).member(B, "removed", 0)
	x.group(protocol.Stable, protocol.PreparingRebalance, protocol.RuleSessionExpired, 0)
	x.ms(210).stores([]int32{0, 1})
	x.group(protocol.CompletingRebalance, protocol.Stable, protocol.RuleAssigned, 0)
	x.position(A, 1, 10, false)
	x.ms(215).serves(A, 0, 1)
	x.ms(220).delivered(A, 1, 10, 15)
	x.ms(300).rec(sim.Rec{Op: sim.OpThaw, Node: B})
	x.finished(B, 1, 10, 20) // nobody had finished them
	x.ms(320).finished(A, 1, 10, 15)
	x.reads(A, 1, 15, 20)
	x.reads(A, 1, 20, 30)
	x.ms(340)
	x.answers(B, &protocol.HeartbeatAnswer{Error: protocol.UnknownMemberID})
	x.ms(345).note(B, protocol.NoteLost, 0, 0, parts(1), 0, 0)
	x.serves(B)
	r := x.done(400)

	p := r.Partitions[1]
	same(t, "zombie", p.Zombie, 40*ms)
	same(t, "hand-over", p.HandOver, 5*ms)
	same(t, "overlap", p.Overlap, 45*ms)
	same(t, "standstill", p.Standstill, 115*ms)
	same(t, "unread", p.Unread, 115*ms) // a frozen process does not read
	same(t, "finished", p.Finished, 40)
	same(t, "finished by the zombie", p.ZombieFinished, 10)
	same(t, "twice", p.Twice, 10)
	same(t, "twice by the zombie", p.TwiceZombie, 10)
	same(t, "faults", len(r.Faults), 1)
	f := r.Faults[0]
	same(t, "fault", f, Fault{Kind: Frozen, Member: "B", At: 100 * ms, Partitions: 1, Detection: 100 * ms, Recovery: 115 * ms})
}

// B dies with records in hand and others that it has not committed.
func TestKilled(t *testing.T) {
	x := newTape(2)
	x.forms([]int32{0}, []int32{1, 2})
	x.position(B, 1, 0, true)
	x.serves(A, 0)
	x.serves(B, 1, 2)
	x.reads(B, 1, 0, 100)
	x.commits(1, 60)
	x.delivered(B, 1, 100, 110)
	x.ms(10).rec(sim.Rec{Op: sim.OpCrash, Node: B})
	x.ms(20).member(B, "removed", 0)
	x.group(protocol.Stable, protocol.PreparingRebalance, protocol.RuleSessionExpired, 0)
	x.ms(30).stores([]int32{0, 1, 2})
	x.group(protocol.CompletingRebalance, protocol.Stable, protocol.RuleAssigned, 0)
	x.position(A, 1, 60, false)
	x.ms(40).serves(A, 0, 1)
	x.reads(A, 1, 60, 130)
	x.ms(45).serves(A, 0, 1, 2)
	r := x.done(100)

	p := r.Partitions[1]
	same(t, "delivered", p.Delivered, 180)
	same(t, "finished", p.Finished, 170)
	same(t, "unfinished", p.Unfinished, 10)
	same(t, "twice", p.Twice, 40)
	same(t, "not committed", p.TwiceLate, 40)
	same(t, "skipped", p.Skipped, 0)
	same(t, "detection", r.Detection, 10*ms)
	same(t, "recovery", r.Recovery, 35*ms)
	same(t, "standstill", p.Standstill, 30*ms)
}

// What is committed before it is finished is skipped when the process dies; what a reset
// jumps over is, too; and a reset to the beginning reads again.
func TestSkippedAndReset(t *testing.T) {
	x := newTape(1)
	x.forms([]int32{0})
	x.position(A, 0, 0, true)
	x.serves(A, 0)
	x.reads(A, 0, 0, 10)
	x.delivered(A, 0, 10, 20)
	x.commits(0, 20) // before the batch
	restart := func(offset int64, reset bool) {
		x.rec(sim.Rec{Op: sim.OpCrash, Node: A})
		x.rec(sim.Rec{Op: sim.OpStart, Node: A})
		x.position(A, 0, offset, reset)
		x.serves(A, 0)
	}
	restart(20, false)
	x.reads(A, 0, 20, 30)
	restart(50, true) // to the end
	x.reads(A, 0, 50, 55)
	x.commits(0, 55)
	restart(0, true) // to the beginning
	x.reads(A, 0, 0, 5)
	x.delivered(A, 0, 5, 12)
	r := x.done(100)

	p := r.Partitions[0]
	same(t, "twice", p.Twice, 5)
	same(t, "backward", p.TwiceBackward, 5)
	same(t, "skipped", p.Skipped, 0) // the position lies below all of it again

	x = newTape(1)
	x.forms([]int32{0})
	x.position(A, 0, 0, true)
	x.serves(A, 0)
	x.delivered(A, 0, 0, 20)
	x.commits(0, 20)
	restart(20, false)
	x.reads(A, 0, 20, 30)
	restart(50, true)
	x.delivered(A, 0, 50, 60) // in hand: not skipped
	r = x.done(100)
	p = r.Partitions[0]
	same(t, "skipped", p.Skipped, 40)
	same(t, "committed first", p.SkippedCommit, 20)
	same(t, "reset", p.SkippedReset, 20)
	same(t, "other", p.SkippedOther, 0)
}

// The larger loads stay with those who had more: what lies above that is needless. Then
// everything goes back.
func TestLeastMoves(t *testing.T) {
	x := newTape(2)
	x.forms([]int32{0, 1, 2}, []int32{3})
	x.stores([]int32{0, 3}, []int32{1, 2}) // one move would do for 2 and 2
	same(t, "moves", x.parts[1].cost.Moves+x.parts[2].cost.Moves+x.parts[3].cost.Moves, 3)
	same(t, "least", x.result.Least, 1)
	x.stores([]int32{0, 1, 2}, []int32{3})
	r := x.done(10)
	same(t, "moves", r.Total.Moves, 6)
	same(t, "least", r.Least, 2)
	same(t, "needless", r.Needless(), 4)
	same(t, "round trips", r.Total.RoundTrips, 3)
	same(t, "forced", r.Total.Forced, 0)
}

// The coordinator's word counts while it lives; then what the log has. A record that is
// not committed is in no assignment, and dies with its broker.
func TestStoredIsCommitted(t *testing.T) {
	x := newTape(2)
	x.forms([]int32{0}, []int32{1})
	x.serves(A, 0)
	x.serves(B, 1)
	end := int64(5)
	late := func(lists ...[]int32) {
		r := &protocol.LogRecord{Group: "g"}
		for i, list := range lists {
			n := name(sim.NodeID(i + 1))
			r.Members = append(r.Members, protocol.StoredMember{ID: n + "-1", ClientID: n, Metadata: &protocol.Metadata{Topics: []string{"o"}},
				Assignment: &protocol.Assignment{Partitions: parts(list...).Partitions}})
		}
		x.rec(sim.Rec{Op: sim.OpNote, Node: broker, Note: sim.Note{Code: protocol.NoteAppend, A: 7, B: end, C: 1, Body: r}})
		end++
	}
	x.ms(10)
	late([]int32{1}, []int32{0})
	late([]int32{0}, []int32{1})
	same(t, "right to o-0 before the commit", x.parts[0].right, 0)
	x.ms(20).note(broker, protocol.NoteCommitted, 7, 6, nil, 0, 0)
	same(t, "right to o-0 after it", x.parts[0].right, 1)
	x.ms(30)
	late([]int32{0}, []int32{1})
	x.ms(40).rec(sim.Rec{Op: sim.OpCrash, Node: broker})
	x.ms(50).note(broker, protocol.NoteCommitted, 7, 8, nil, 0, 0)
	same(t, "right to o-0 after the crash", x.parts[0].right, 1)
	r := x.done(60)
	same(t, "standstill", r.Total.Standstill, 80*ms)
	same(t, "unread", r.Total.Unread, 0)
	same(t, "zombie", r.Total.Zombie, 80*ms)
}

// A static member that did not join in time keeps its partitions, and cannot commit.
func TestFenced(t *testing.T) {
	x := newTape(1)
	client := func(generation int32) {
		x.rec(sim.Rec{Op: sim.OpNote, Node: A, Note: sim.Note{Code: protocol.NoteClient, Body: &protocol.ClientChange{Member: "A-1", Generation: generation}}})
	}
	rests := func(generation int32) {
		x.note(broker, protocol.NoteGroup, 0, 0, &protocol.GroupChange{Group: "g", To: protocol.Stable, Generation: generation}, 0, 0)
	}
	x.forms([]int32{0})
	client(1)
	rests(1)
	x.serves(A, 0)
	x.ms(100).group(protocol.Stable, protocol.PreparingRebalance, protocol.RuleNewMember, 0)
	x.ms(200)
	rests(2)
	x.ms(250)
	client(2)
	r := x.done(300)
	same(t, "fenced", r.Total.Fenced, 50*ms)
	same(t, "standstill", r.Total.Standstill, 0)
}

// 100 records a second go to two partitions; one is committed after a second, the other
// never.
func TestLag(t *testing.T) {
	x := newTape(1, coordinator.Topic{Name: "o", Leaders: []sim.NodeID{broker, broker}, Rate: 100})
	x.forms([]int32{0, 1})
	x.position(A, 0, 0, true)
	x.position(A, 1, 0, true)
	x.serves(A, 0, 1)
	x.ms(1000).reads(A, 0, 0, 50)
	x.commits(0, 50)
	r := x.done(3000)
	same(t, "largest lag of o-0", r.Partitions[0].LagMax, 100)
	same(t, "lag of o-0", r.Partitions[0].Lag, 100)
	same(t, "lag of o-1", r.Partitions[1].Lag, 150)
	same(t, "lag", r.Total.Lag, 250)
	same(t, "largest lag", r.Total.LagMax, 150)
	same(t, "behind", r.Total.Behind, 250)
	same(t, "known", r.Total.LagKnown, true)
}

// A window between marks.
func TestMarks(t *testing.T) {
	x := newTape(1)
	x.opt.Window = Window{Moment{Given: true, Mark: "deploy"}, Moment{Given: true, Mark: "over"}}
	x.forms([]int32{0})
	mark := func(text string) {
		x.rec(sim.Rec{Op: sim.OpAct, Node: sim.Nobody, Note: sim.Note{Code: protocol.NoteMark, Body: &protocol.Text{Text: text}}})
	}
	x.ms(100)
	mark("deploy")
	x.ms(150).serves(A, 0)
	x.ms(180).serves(A)
	x.ms(200)
	mark("over")
	x.ms(500).serves(A, 0)
	r := x.done(600)
	same(t, "from", r.From, 100*ms)
	same(t, "to", r.To, 200*ms)
	same(t, "standstill", r.Total.Standstill, 70*ms)
}

// A partition that is added and assigned late stands still until it is served.
func TestPartitionAdded(t *testing.T) {
	o := func(n int) []coordinator.Topic {
		return []coordinator.Topic{{Name: "o", Leaders: make([]sim.NodeID, n)}}
	}
	x := newTape(1, o(1)...)
	x.forms([]int32{0})
	x.serves(A, 0)
	x.ms(100).rec(sim.Rec{Op: sim.OpCommand, Node: broker, Body: &coordinator.SetImage{Image: &coordinator.Image{Topics: o(2)}}})
	x.ms(400).stores([]int32{0, 1})
	x.ms(420).serves(A, 0, 1)
	r := x.done(500)
	same(t, "standstill of o-0", r.Partitions[0].Standstill, 0)
	same(t, "standstill of o-1", r.Partitions[1].Standstill, 320*ms)
	same(t, "longest", r.Total.Longest, 320*ms)
	same(t, "moves", r.Total.Moves, 0)
}

// A window between times of the run, which cuts what goes on.
func TestWindowOfTime(t *testing.T) {
	x := newTape(2)
	at := func(ms int) Moment { return Moment{Given: true, At: sim.Time(ms) * sim.Millisecond} }
	x.opt.Window = Window{at(100), at(300)}
	x.edge = x.nextEdge()
	x.forms([]int32{0}, []int32{1, 2})
	x.serves(A, 0)
	x.ms(90).asks(B, &protocol.HeartbeatRequest{}, 0)
	x.ms(150).serves(B, 1)
	x.asks(B, &protocol.HeartbeatRequest{}, 0)
	x.ms(250).serves(B, 1, 2)
	x.ms(300).asks(B, &protocol.HeartbeatRequest{}, 0)
	x.ms(400).serves(B)
	r := x.done(500)
	same(t, "from", r.From, 100*ms)
	same(t, "to", r.To, 300*ms)
	same(t, "cut", r.Cut, false)
	same(t, "standstill", r.Total.Standstill, 50*ms+150*ms)
	same(t, "heartbeats", r.Requests[protocol.KindHeartbeat], 1)
	b := r.Members[1]
	same(t, "heartbeats of B", b.Requests[protocol.KindHeartbeat], 1)
	same(t, "idle time of B", b.Idle, 50*ms)
	same(t, "served by B", b.Served, 150*ms+50*ms)
	same(t, "served by B at once", b.Most, 2)
	same(t, "served by A", r.Members[0].Served, 200*ms)

	x = newTape(1)
	x.opt.Window = Window{at(100), at(300)}
	x.edge = x.nextEdge()
	r = x.done(200)
	same(t, "measured", r.Measured, true)
	same(t, "cut", r.Cut, true)
}

// What a Fold keeps does not grow with time: a group that goes on for ever, with a member
// that comes under a new id each time, reads and dies.
func TestMemory(t *testing.T) {
	x := newTape(2)
	x.forms([]int32{0}, []int32{1})
	x.serves(A, 0)
	x.position(A, 0, 0, true)
	stores := func(id string, list ...int32) {
		r := &protocol.LogRecord{Group: "g"}
		for _, m := range []struct {
			id   string
			list []int32
		}{{"A-1", []int32{0}}, {id, list}} {
			r.Members = append(r.Members, protocol.StoredMember{ID: m.id, ClientID: m.id[:1], Metadata: &protocol.Metadata{Topics: []string{"o"}},
				Assignment: &protocol.Assignment{Partitions: parts(m.list...).Partitions}})
		}
		x.note(broker, protocol.NoteAppend, 7, 0, r, 0, 0)
	}
	for i := range 3 * kept {
		id := fmt.Sprint("B-", i)
		member := func(what string) {
			x.note(broker, protocol.NoteMember, 0, 0, &protocol.MemberChange{Group: "g", Member: id, Client: "B", What: what}, 0, 0)
		}
		x.at += ms
		x.rec(sim.Rec{Op: sim.OpStart, Node: B})
		x.group(protocol.Stable, protocol.PreparingRebalance, protocol.RuleNewMember, 0)
		member("added")
		stores(id, 1)
		x.group(protocol.CompletingRebalance, protocol.Stable, protocol.RuleAssigned, 0)
		from := int64(10 * i)
		x.position(B, 1, from, false)
		x.serves(B, 1)
		x.reads(B, 1, from, from+10)
		x.reads(A, 0, from, from+10)
		x.delivered(B, 1, from+10, from+15)
		x.commits(1, from+10)
		x.rec(sim.Rec{Op: sim.OpCrash, Node: B})
		member("removed")
	}
	for _, y := range []struct {
		what     string
		got, max int
	}{
		{"ids", len(x.log.ids), 3}, {"roster", len(x.roster.byID), 2}, {"stored", len(x.log.now), 2}, {"slots", len(x.log.slots), 3},
		{"disturbances", len(x.result.Disturbances), kept}, {"faults kept", len(x.result.Faults), kept}, {"faults", len(x.faults), 1},
		{"causes", len(x.result.Causes), 1}, {"pieces of o-1", len(x.parts[1].done), 1}, {"readers of o-1", len(x.parts[1].list), 1},
	} {
		if y.got > y.max {
			t.Errorf("%s: %d are kept, want at most %d", y.what, y.got, y.max)
		}
	}
	r := x.done(10_000)
	same(t, "rebalances", r.Rebalances, 3*kept)
	same(t, "faults", r.FaultCount, 3*kept)
	same(t, "unfinished", r.Total.Unfinished, 5*3*kept)
	same(t, "twice", r.Total.Twice, 0)
}

// Every measure has a name of its own, and can be found by it.
func TestMeasures(t *testing.T) {
	r := &Result{Detection: -1, Recovery: -1}
	r.Requests[protocol.KindJoinGroup], r.Requests[protocol.KindHeartbeat], r.Requests[protocol.KindOffsetCommit] = 2, 3, 4
	for _, m := range Measures() {
		if MeasureNamed(m.Name) == nil || MeasureNamed(m.Name).Text != m.Text {
			t.Errorf("%s is not found by its name", m.Name)
		}
	}
	for _, x := range []struct {
		name, want string
	}{{"group-requests", "5"}, {"joins", "2"}, {"heartbeats", "3"}, {"commits", "4"}, {"detection", "-"}, {"lag-max", "-"}, {"standstill", "0.000"}} {
		m := MeasureNamed(x.name)
		same(t, x.name, m.Unit.Show(m.Of(r)), x.want)
	}
	if MeasureNamed("latency") != nil {
		t.Error("there is a measure that there is not")
	}
	for _, x := range []struct {
		n    int64
		want string
	}{{3_120_500, "3.121"}, {25_840_000, "25.8"}, {999_949_999, "999.9"}, {1_270_400_000, "1270"}} {
		same(t, "length", Length.Show(x.n), x.want)
	}
}
