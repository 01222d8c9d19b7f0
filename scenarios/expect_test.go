package scenarios

import (
	"bytes"
	"strconv"
	"strings"
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
	{`in the end: {state: Empty}`, "the group was Stable"},
	{`in the end: {generation: "+1"}`, ""},
	{`in the end: {generation: "+2"}`, "the generation was 3"},
	{`in the end: {leader: F1}`, "the leader was L"},
	{`in the end: {members: [L, F1]}`, "the members were F1, F2, F3, L"},
	{`in the end: {holds: {F1: 2}}`, ""},
	{`in the end: {holds: {F1: [orders-6, orders-7]}}`, "the partitions were orders-0,1 for F1"},
	{`never: {state: Empty}`, ""},
	{`never: {state: Stable}`, "at 0.000 s the group was Stable"},
	{`never: {error: FENCED_INSTANCE_ID}`, ""},
	{`never: {error: REBALANCE_IN_PROGRESS}`, "at 3.105 s F1.Heartbeat#1 was answered REBALANCE_IN_PROGRESS"},
	{`never: F1.lost`, ""},
	{`never: F1.revoked`, "at 3.106 s there was F1.revoked#1"},
	{`order: [F1.JoinGroup#1, L.JoinGroup#1, b1.group.Stable#2]`, ""},
	{`order: [L.JoinGroup#1, F1.JoinGroup#1]`, "F1.JoinGroup#1 came before L.JoinGroup#1"},
	{`order: [L.JoinGroup#1, F1.lost#1]`, "there was no F1.lost#1"},
	{`count: {"*.JoinGroup": 6}`, ""},
	{`count: {"*.JoinGroup": 4}`, "the number was 6"},
	{`count: {"*.Heartbeat": 2, error: REBALANCE_IN_PROGRESS}`, ""},
	{`count: {"*.Heartbeat": 2, error: none}`, "the number was 0"},
	{`count: {"*.JoinGroup": 3, from: 103ms, to: 253ms}`, ""},
	{`count: {"*.JoinGroup": 4, from: 103ms, to: 253ms}`, "the number was 3"},
	{`never: {event: F1.revoked, to: 3s}`, ""},
	{`never: {event: F1.revoked, from: 3s}`, "at 3.106 s there was F1.revoked#1"},
	{`never: {state: CompletingRebalance, to: 3.1s}`, ""},
	{`never: {state: PreparingRebalance, from: 200ms, to: 1s}`, "at 0.203 s the group was PreparingRebalance"},
	{`F1.JoinGroup#2: {at: 2.9s..3.1s after F1.JoinGroup#1}`, ""},
	{`F1.JoinGroup#2: {at: 1s after F1.JoinGroup#1}`, "it was at 3.107 s, 3.004 s after that"},
	{`F1.JoinGroup#1: {at: 1s after F1.JoinGroup#2}`, "it was at 0.103 s, 3.004 s before that"},
	{`F1.JoinGroup#1: {at: 1s after F1.lost#1}`, "there was no F1.lost#1"},
	{`at 1s: {state: PreparingRebalance, generation: 2, holds: {F1: 2, L: none}}`, ""},
	{`at 1s: {state: Stable}`, "the group was PreparingRebalance"},
	{`at 1s: {holds: {F1: none}}`, "the partitions were orders-0,1 for F1"},
	{`at 1h: {state: Stable}`, "the run was over at 4.172 s"},
	{`at 1s: {committed: {orders-0: none}}`, ""},
	{`in the end: {committed: {orders-0: 0}}`, "nothing was committed of orders-0"},
	{`metrics: {rebalances: 1, generations: 1, longest: "< 3.2s", twice: 0, recovery: none}`, ""},
	{`metrics: {rebalances: 2, longest: "> 3.2s", twice: 0}`, "rebalances was 1, longest was 3.164 s"},
	{`metrics: {from: 1s, to: 2s, unread: 4s..6s, joins: 0, standstill: 4s}`, ""},
	{`metrics: {from: 1s, to: 2s, unread: "> 4s"}`, "unread was 4.000 s"},
	{`metrics: {of: L, from: 1s, to: 2s, idle-time: 1s, served-most: 0}`, ""},
	{`metrics: {of: L, from: 1s, to: 2s, idle-time: "< 1s"}`, "idle-time was 1.000 s"},
	{`metrics: {of: orders-0, longest: 0s..1s, moves: 0}`, ""},
	{`metrics: {of: orders-7, longest: "<= 1s"}`, "longest was 3.164 s"},
	{`metrics: {of: orders, moves: "<= 3"}`, ""},
	{`metrics: {detection: 0s}`, "detection was none"},
	{`metrics: {from: 1s, to: 2m, joins: 0}`, "the run was over at 4.172 s, before 120.000 s"},
	{`metrics: {from: 2m, joins: 0}`, "120.000 s never came"},
	{`b1.group.Stable#2: {leader: L, members: [L, F1, F2, F3]}`, ""},
	{`b1.group.Stable#2: {leader: F1}`, "the leader was L"},
	{`b1.group.Stable#2: {members: [L, F1]}`, "the members were F1, F2, F3, L"},
	{`b1.group.Stable#2: {members: 3}`, "there were 4 members"},
	{`at 1s: {members: [L, F1, F2, F3], owns: {L: 2, F1: [orders-0, orders-1]}}`, ""},
	{`at 1s: {members: [L, F1]}`, "the members were F1, F2, F3, L"},
	{`at 1s: {owns: {L: none}}`, "the partitions were orders-6,7 that L had the right to"},
	{`at 1s: {all-served: true}`, "4 partitions stood still"},
	{`at 1s: {all-served: false}`, ""},
	{`in the end: {all-served: true, lag: 0}`, ""},
	{`in the end: {all-served: false}`, "all partitions were served"},
	{`in the end: {lag: "> 0"}`, "the lag was 0"},
	{`eventually: {state: Stable, generation: 3, within: 4s}`, ""},
	{`eventually: {state: Stable, generation: 3, within: 1s}`, "it was never so: at 1.000 s the group was PreparingRebalance"},
	{`eventually: {state: Stable, generation: 3, within: 3s after L.JoinGroup#1}`, ""},
	{`eventually: {state: Stable, generation: 3, within: 2s after L.JoinGroup}`, "it was never so: at 2.203 s the group was PreparingRebalance"},
	{`eventually: {state: Stable, generation: 3, within: 1h}`, ""},
	{`eventually: {state: Empty, within: 1h}`, "it was never so: at 4.172 s, the end, the group was Stable"},
	{`eventually: {state: Empty}`, "it was never so: at 4.172 s, the end, the group was Stable"},
	{`eventually: {state: CompletingRebalance, within: 0s after F1.lost#1}`, "there was no F1.lost#1"},
	{`eventually: {state: Stable, generation: 2, within: 0s}`, ""},
	{`eventually: {holds: {F1: [orders-2, orders-3]}, all-served: true}`, "it was never so: at 4.172 s, the end, the partitions were orders-0,1 for F1"},
	{`eventually: {all-served: true, within: 20ms after b1.group.Stable#2}`, ""},
	{`generation 3: {handed-out: 1 time, leader: L, members: all, to-different-members: false}`, ""},
	{`generation 2: {handed-out: 1}`, ""},
	{`generation +1: {handed-out: 1}`, ""},
	{`generation 3: {handed-out: 2 times}`, "it was handed out once"},
	{`generation 3: {leader: F1}`, "the leader was L, as b1 handed it out at 3.157 s"},
	{`generation 3: {members: [F1]}`, "the members were F1, F2, F3, L, as b1 handed it out at 3.157 s"},
	{`generation 3: {to-different-members: true}`, "it was handed out to the same members"},
	{`generation 4: {leader: L}`, "generation 4 was never handed out; the last was 3"},
	{`generation 4: {handed-out: 0}`, ""},
	{`records: {twice: 0, skipped: 0}`, ""},
	{`records: {delivered: "> 5"}`, "delivered was 0"},
}

// ofFailover are told of the run of failover-before-leaders-sync.
var ofFailover = []struct{ text, want string }{
	{`b2.loaded#1: {state: Stable, generation: 1, leader: L, members: [L, F1, F2]}`, ""},
	{`b2.loaded#1: {leader: F1}`, "the leader was L"},
	{`b2.loaded#1: {members: 4}`, "there were 3 members"},
	{`b2.loaded#1: {members: [L, F1, F2, N]}`, "the members were F1, F2, L"},
	{`F1.SyncGroup#1: {answered: disconnected}`, ""},
	{`F1.SyncGroup#1: {answered: later}`, "F1.SyncGroup#1 was not answered: its connection was closed"},
	{`L.JoinGroup#1: {answered: disconnected}`, "L.JoinGroup#1 was answered after 0.000 s: error=NONE generation=2 protocolType=consumer protocol=range leader=L-1 member=L-1 hasSkip=true members=[{id=L-1 metadata={version=3 topics=[orders] generation=1}} {id=F1-1 metadata={version=3 topics=[orders] generation=1}} {id=F2-1 metadata={version=3 topics=[orders] generation=1}} {id=N-1 metadata={version=3 topics=[orders] generation=-1}}]"},
	{`generation 2: {handed-out: 2 times}`, ""},
	{`generation 2: {to-different-members: false}`, "it was handed out to different members"},
	{`generation 2: {members: [L, F1, F2, N]}`, "the members were F1, F2, L, as b2 handed it out at 5.105 s"},
	{`eventually: {all-served: true, within: 20s after b1.crashed}`, ""},
	{`eventually: {owns: {N: 2}, within: 20s after b1.crashed}`, ""},
}

// withZombie is a run in which an old coordinator does not know for 29 s that it is none.
const withZombie = `about: b1 takes itself for the coordinator. F1 learns of b2, and the others do not.
kafka: 3.9
brokers: 3
topics: {orders: {partitions: 6, leader: b3}}
group: {id: my-group, coordinator: b1, config: {session.timeout.ms: 10s, enable.auto.commit: false}}
members: {L: {}, F1: {}, F2: {}}
start: {formed: {leader: L}}
timeline: [{at: 1s, move: {to: b2, noticed-after: 40s}}, {at: 2s, commit: F1}]
end: {at: 30s}
`

var ofZombie = []struct{ text, want string }{
	{`b2.loaded#1: {leader: L, members: [L, F1, F2]}`, ""},
	{`at 13s: {state: Stable, generation: 2, leader: F1, members: [F1]}`, ""}, // whatever b1 says
	{`at 13s: {holds: {L: 2, F1: 6}, owns: {L: none, F1: 6}, all-served: true}`, ""},
	{`at 10s: {holds: {L: 2, F1: 2}, owns: {L: 2, F1: 2}, members: 3}`, ""},
	{`generation 2: {handed-out: 2 times, to-different-members: true}`, ""}, // by b2 to F1, and by b1 to the others
	{`generation 2: {members: [F1]}`, "the members were F2, L, as b1 handed it out at 15.003 s"},
}

// withLag is a run in which nothing is committed for a while.
const withLag = `about: F1 is slow, and the lag grows.
topics: {orders: {partitions: 2, rate: 20/s}}
group: {id: my-group, config: {auto.commit.interval.ms: 1s, auto.offset.reset: earliest}}
members: {L: {}, F1: {}}
start: {formed: {leader: L}}
timeline: [{at: 10s, mark: slow, slow: {of: [L, F1], for: 10s}}, {at: 30s, mark: late}]
end: {at: 40s}
`

var ofLag = []struct{ text, want string }{
	{`at slow: {lag: "< 30"}`, ""},
	{`at 20s: {lag: 200..230}`, ""},
	{`at 20s: {lag: "< 30"}`, "the lag was 201"},
	{`at late: {lag: "< 30", all-served: true}`, ""},
	{`in the end: {lag: "< 30"}`, ""},
	{`in the end: {lag: 0}`, "the lag was 19"},
	{`eventually: {lag: "< 30", within: 12s after slow}`, ""},
	{`eventually: {lag: "> 150", within: 5s}`, "it was never so: at 5.000 s the lag was 20"},
	{`eventually: {lag: "< 5"}`, ""},
}

// withThrows is a member that commits after it has been away for too long.
const withThrows = `
about: a batch that is too long
kafka: 3.9
topics: {orders: {partitions: 2, rate: 1/s}}
group: {id: g, config: {max.poll.interval.ms: 30s}}
members: {A: {program: {per-batch: 1m, commit: sync after batch}}, B: {}}
end: {at: 100s}
`

var ofThrows = []struct{ text, want string }{
	{`A.thrown#1: {error: CommitFailedException}`, ""},
	{`A.thrown#1: {error: TimeoutException}`, "the exception was CommitFailedException"},
	{`count: {"*.thrown": 1, error: CommitFailedException}`, ""},
	{`count: {"*.thrown": 0, error: TimeoutException}`, ""},
	{`never: {error: TimeoutException}`, ""},
	{`never: {error: TimeoutException<-KafkaException}`, ""},
	{`never: {error: CommitFailedException, to: 20s}`, ""},
	{`never: {error: CommitFailedException}`, "at 67.001 s A.thrown#1 was CommitFailedException"},
}

// Every kind of expectation is met where it is so, and says what was instead where it
// is not.
func TestExpectationsAreJudged(t *testing.T) {
	for _, of := range []struct {
		name string
		list []struct{ text, want string }
	}{{"leader-not-first-3.9", expectations}, {"failover-before-leaders-sync", ofFailover}} {
		b, err := Find(of.name)
		if err != nil {
			t.Fatal(err)
		}
		base, _, _ := bytes.Cut(b.Text, []byte("\nexpect:"))
		areJudged(t, base, of.list)
	}
	areJudged(t, []byte(withLag), ofLag)
	areJudged(t, []byte(withZombie), ofZombie)
	areJudged(t, []byte(withThrows), ofThrows)
}

func areJudged(t *testing.T, base []byte, list []struct{ text, want string }) {
	t.Helper()
	for _, e := range list {
		s, err := Load("test.yaml", append(bytes.Clone(base), "\nexpect:\n  - "+e.text+"\n"...))
		if err != nil {
			t.Errorf("%s: %v", e.text, err)
			continue
		}
		c, err := Build(s, s.Kafka, &sim.Decisions{})
		if err != nil {
			t.Fatal(err)
		}
		h, gauge := history.New(c.World, c.Clients, Wants(s.Expect)), c.Gauge(s.Expect)
		c.World.Watch(h)
		c.Run()
		h.Done(c.World.Now())
		gauge.Done(c.World.Now())
		for _, x := range s.Expected(s.Kafka) {
			if got := check.Judge(x.What, h, s.Group.ID, gauge); got != e.want {
				t.Errorf("%s\n  says %q\n  want %q", e.text, got, e.want)
			}
		}
	}
}

// Whenever a broker moves the group, the members that the trace has named are as many as
// the move says.
func TestMembersAreAsManyAsMovesSay(t *testing.T) {
	moves := 0
	for _, b := range ofOneRun() {
		s, err := b.Load()
		if err != nil {
			t.Fatal(err)
		}
		c, err := Build(s, s.Kafka, &sim.Decisions{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		h := history.New(c.World, c.Clients, history.Wanted{})
		c.World.Watch(h)
		c.Run()
		h.Done(c.World.Now())
		for i := range h.Moves {
			m := &h.Moves[i]
			node, rest, _ := strings.Cut(m.Name, ".")
			if _, number, ok := strings.Cut(rest, "#"); ok && i < 200 {
				n, _ := strconv.ParseUint(number, 10, 32)
				event := EventName{Node: node, Verb: VerbGroup, State: m.To, First: uint32(n), Last: uint32(n)}
				if got := check.Judge(&ExpectEvent{Event: event, Members: &Members{Count: int(m.Members)}}, h, m.Group, nil); got != "" {
					t.Errorf("%s: %s with %d members: %s", b.Name, m.Name, m.Members, got)
				}
				moves++
			}
		}
	}
	if moves < 500 {
		t.Errorf("only %d moves", moves)
	}
}
