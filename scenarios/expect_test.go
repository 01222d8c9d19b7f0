package scenarios

import (
	"bytes"
	"testing"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// expectations are told of the run of leader-not-first-3.9: each as it is written, and
// what is said when it is not so; "" where it is.
var expectations = []struct{ text, want string }{
	{`F1.JoinGroup#1: {answered: at once}`, ""},
	{`F1.JoinGroup#1: {answered: later}`, "F1.JoinGroup#1 was answered at once: error=NONE generation=2 protocolType=consumer protocol=range leader=L-1 member=F1-1 hasSkip=true"},
	{`L.JoinGroup#1: {answered: later}`, ""},
	{`F1.JoinGroup#1: {answered: never}`, "F1.JoinGroup#1 was answered at once: error=NONE generation=2 protocolType=consumer protocol=range leader=L-1 member=F1-1 hasSkip=true"},
	{`F3.JoinGroup#1: {waits: true}`, ""},
	{`F1.JoinGroup#1: {waits: true}`, "F1.JoinGroup#1 was answered at once: error=NONE generation=2 protocolType=consumer protocol=range leader=L-1 member=F1-1 hasSkip=true"},
	{`F1.JoinGroup#1: {in: Stable}`, ""},
	{`F1.JoinGroup#1: {in: PreparingRebalance}`, "the group was Stable"},
	{`L.JoinGroup#1: {moves: Stable -> PreparingRebalance}`, ""},
	{`L.JoinGroup#1: {moves: Stable -> Empty}`, "L.JoinGroup#1 moved the group from Stable to PreparingRebalance"},
	{`F1.JoinGroup#1: {moves: nothing}`, ""},
	{`L.JoinGroup#1: {moves: nothing}`, "L.JoinGroup#1 moved the group to PreparingRebalance"},
	{`F1.JoinGroup#1: {moves: Stable -> PreparingRebalance}`, "F1.JoinGroup#1 left the group in Stable"},
	{`F1.JoinGroup#1: {generation: 2}`, ""},
	{`F1.JoinGroup#1: {generation: 3..4}`, "the generation was 2"},
	{`F1.JoinGroup#1: {leader: L}`, ""},
	{`F1.JoinGroup#1: {leader: F2}`, "the leader was L"},
	{`L.JoinGroup#1: {members: [L, F1, F2, F3]}`, ""},
	{`L.JoinGroup#1: {members: all}`, ""},
	{`L.JoinGroup#1: {members: [L, F1, F2]}`, "the members were F1, F2, F3, L"},
	{`L.JoinGroup#1: {members: 3}`, "there were 4 members"},
	{`F1.JoinGroup#1: {members: all}`, "there were 0 members"},
	{`F1.Heartbeat#1: {error: REBALANCE_IN_PROGRESS}`, ""},
	{`F1.Heartbeat#1: {error: none}`, "the error was REBALANCE_IN_PROGRESS"},
	{`F1.SyncGroup#1: {partitions: [orders-0, orders-1]}`, ""},
	{`F1.SyncGroup#1: {partitions: [orders-7]}`, "the partitions were orders-0,1"},
	{`F1.SyncGroup#1: {partitions: 3}`, "the partitions were orders-0,1"},
	{`F3.JoinGroup#1: {answered with: L.JoinGroup#1}`, ""},
	{`F3.JoinGroup#1: {answered with: F1.JoinGroup#3}`, "there was no F1.JoinGroup#3"},
	{`F1.JoinGroup#1: {at: 90ms..110ms}`, ""},
	{`F1.JoinGroup#1: {at: 0s..50ms}`, "it was at 0.103 s"},
	{`F1.JoinGroup#9: {answered: at once}`, "there was no F1.JoinGroup#9; the last was F1.JoinGroup#2"},
	{`b1.group.Stable#2: {generation: 3}`, ""},
	{`b1.group.Stable#2: {generation: 2}`, "the generation was 3"},
	{`b1.group.Stable#3: {generation: 4}`, "there was no b1.group.Stable#3"},
	{`F1.assigned#1: {partitions: 2}`, ""},
	{`F1.assigned#1: {partitions: none}`, "the partitions were orders-0,1"},
	{`F1.lost#1: {partitions: none}`, "there was no F1.lost#1"},
	{`in the end: {state: Stable, generation: 3, leader: L, members: all}`, ""},
	{`in the end: {state: Empty}`, "the group is Stable"},
	{`in the end: {generation: "+1"}`, ""},
	{`in the end: {generation: "+2"}`, "the generation was 3"},
	{`in the end: {leader: F1}`, "the leader was L"},
	{`in the end: {members: [L, F1]}`, "the members were F1, F2, F3, L"},
	{`in the end: {holds: {F1: 2}}`, ""},
	{`in the end: {holds: {F1: [orders-6, orders-7]}}`, "the partitions were orders-0,1"},
	{`never: {state: Empty}`, ""},
	{`never: {state: Stable}`, "at 0.000 s the group was Stable"},
	{`never: {error: FENCED_INSTANCE_ID}`, ""},
	{`never: {error: REBALANCE_IN_PROGRESS}`, "at 3.105 s F1.Heartbeat#1 was answered REBALANCE_IN_PROGRESS"},
	{`never: F1.lost`, ""},
	{`never: F1.revoked`, "there was F1.revoked#1"},
	{`order: [F1.JoinGroup#1, L.JoinGroup#1, b1.group.Stable#2]`, ""},
	{`order: [L.JoinGroup#1, F1.JoinGroup#1]`, "F1.JoinGroup#1 came before L.JoinGroup#1"},
	{`order: [L.JoinGroup#1, F1.lost#1]`, "there was no F1.lost#1"},
	{`count: {"*.JoinGroup": 6}`, ""},
	{`count: {"*.JoinGroup": 4}`, "the number was 6"},
}

// Every kind of expectation is met where it is so, and says what was instead where it
// is not.
func TestExpectationsAreJudged(t *testing.T) {
	b, err := Find("leader-not-first-3.9")
	if err != nil {
		t.Fatal(err)
	}
	base, _, _ := bytes.Cut(b.Text, []byte("\nexpect:"))
	for _, e := range expectations {
		s, err := Load("test.yaml", append(bytes.Clone(base), "\nexpect:\n  - "+e.text+"\n"...))
		if err != nil {
			t.Errorf("%s: %v", e.text, err)
			continue
		}
		c, err := Build(s, s.Kafka, &sim.Decisions{})
		if err != nil {
			t.Fatal(err)
		}
		h := history.New(c.World, c.Clients)
		c.World.Watch(h)
		c.Run()
		h.Done(c.World.Now())
		for _, x := range s.Expected(s.Kafka) {
			if got := check.Judge(x.What, h, s.Group.ID); got != e.want {
				t.Errorf("%s\n  says %q\n  want %q", e.text, got, e.want)
			}
		}
	}
}
