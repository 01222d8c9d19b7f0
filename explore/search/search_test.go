package search

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// group is a scenario of so many members of a formed group. With lost, all lost answers
// and join again.
func group(t testing.TB, members int, lost bool, more string) *scenarios.Scenario {
	t.Helper()
	return load(t, groupText(members, lost, more))
}

func load(t testing.TB, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load("group.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func groupText(members int, lost bool, more string) string {
	names, answers := "L: {}", "L: SyncGroup"
	for i := 1; i < members; i++ {
		names += fmt.Sprintf(", F%d: {}", i)
		answers += fmt.Sprintf(", F%d: JoinGroup", i)
	}
	if !lost {
		answers = ""
	}
	return fmt.Sprintf(`about: a group
brokers: 2
topics: {orders: {partitions: 2}}
group: {id: my-group, config: {enable.auto.commit: false, partition.assignment.strategy: [range]}}
members: {%s}
start: {formed: {leader: L, generation: 2, state: Stable, lost-answers: {%s}}}
%s`, names, answers, more)
}

func setup(s *scenarios.Scenario, f Faults) Setup {
	u := Setup{Scenario: s, Kafka: s.Kafka, Faults: f,
		Bound: Bound{Generations: 2, Horizon: sim.Hour, States: 100_000}}
	if f.Some() {
		u.Bound.Faults = 1
	}
	return u
}

func search1(t testing.TB, u Setup, o Options) *Result {
	t.Helper()
	r, err := u.Search(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A group at rest comes back to where it was: the search ends by itself, and nothing is
// wrong anywhere.
func TestAtRestIsExhausted(t *testing.T) {
	for _, f := range []Faults{{}, {Crash: true}, {Kill: []string{"F1"}}, {DropAnswer: true}, {LoseAnswer: true}} {
		u := setup(group(t, 2, false, ""), f)
		u.Bound.Late = 1
		r := search1(t, u, Options{Reduce: true})
		if r.Broken != nil {
			t.Errorf("%+v: %s: %s\n%v", f, r.Broken.Invariant, r.Broken.What, r.Broken.Path)
		}
		if r.Waiting > 0 || r.States < 100 || r.Paths == 0 {
			t.Errorf("%+v: %+v", f, r.Counts)
		}
	}
}

// Members, a failover at any moment and a late message: every order there is. With three
// members, as docs/explore.md has them, that takes two minutes; with two it is always done.
func TestAFailoverAndALateMessage(t *testing.T) {
	members, states := 2, 53_786
	if os.Getenv("REBALSIM_ALL") != "" {
		members, states = 3, 1_341_886
	}
	u := setup(group(t, members, false, ""), Faults{Crash: true})
	u.Bound = Bound{Late: 1, Faults: 1, Generations: 3, Horizon: sim.Hour, States: 3_000_000}
	r := search1(t, u, Options{Reduce: true})
	if r.Broken != nil || r.Waiting > 0 || r.States != states {
		t.Errorf("%+v, %+v", r.Broken, r.Counts)
	}
}

// Whatever can be tried first without a loss leads to the same: every state in which the
// clock moves on is reached with the reduction and without it. And it saves states.
func TestReductionLosesNothing(t *testing.T) {
	cases := []struct {
		name    string
		members int
		lost    bool
		late    int
		faults  Faults
	}{
		{"at rest", 3, false, 0, Faults{}},
		{"at rest, one late", 2, false, 1, Faults{}},
		{"at rest, one killed", 2, false, 0, Faults{Kill: []string{"L", "F1"}}},
		{"at rest, an answer lost, one late", 2, false, 1, Faults{DropAnswer: true}},
		{"at rest, an answer lost with its connection", 2, false, 0, Faults{LoseAnswer: true}},
		{"at rest, a failover", 2, false, 0, Faults{Crash: true}},
	}
	for _, c := range cases {
		u := setup(group(t, c.members, c.lost, ""), c.faults)
		u.Bound.Late = c.late
		all := search1(t, u, Options{FactsOnly: true})
		few := search1(t, u, Options{FactsOnly: true, Reduce: true})
		if all.Waiting > 0 || few.Waiting > 0 {
			t.Fatalf("%s: not exhausted: %+v", c.name, all.Counts)
		}
		if all.Moments != few.Moments {
			t.Errorf("%s: the clock moves on in %+v, with the reduction in %+v", c.name, all.Moments, few.Moments)
		}
		if few.States >= all.States {
			t.Errorf("%s: %d states, with the reduction %d", c.name, all.States, few.States)
		}
		t.Logf("%s: %d states, with the reduction %d (%d%%)", c.name, all.States, few.States, 100*few.States/all.States)
	}
}

// A search finds the same on any number of cores.
func TestAnyNumberOfCores(t *testing.T) {
	u := setup(group(t, 2, false, ""), Faults{Crash: true})
	want := search1(t, u, Options{Reduce: true, Workers: 1})
	for _, workers := range []int{2, 3, 7} {
		if got := search1(t, u, Options{Reduce: true, Workers: workers}); got.Counts != want.Counts || got.Moments != want.Moments {
			t.Errorf("%d workers: %+v, not %+v", workers, got.Counts, want.Counts)
		}
	}
}

// Equal hashes mean equal futures: from every state that comes again it goes on as it did
// the first time.
func TestStatesThatComeAgainGoOnAsBefore(t *testing.T) {
	for _, f := range []Faults{{Crash: true}, {Kill: []string{"F1"}}, {DropAnswer: true}} {
		u := setup(group(t, 2, false, ""), f)
		u.Bound.Late = 1
		u.Bound.States = 8000
		r := search1(t, u, Options{Reduce: true, FactsOnly: true, Exact: true})
		if r.Broken != nil {
			t.Errorf("%+v: %s\n%v", f, r.Broken.What, r.Broken.Path)
		}
		if r.Again < 100 {
			t.Errorf("%+v: only %d states came again", f, r.Again)
		}
	}
}

// A path can be played again by the names of its moves, and shows what it showed.
func TestPathsArePlayedAgain(t *testing.T) {
	u := setup(group(t, 2, true, ""), Faults{})
	m, root, err := newModel(u)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	n := &node{world: root.world.Fork(), used: root.used}
	for range 80 { // the last thing that may happen, each time
		list, _ := m.moves(n, nil, nil)
		v := list[len(list)-1]
		names = append(names, m.name(n, v))
		m.make(n, v)
	}
	f := File{Scenario: "about: x\n", Kafka: u.Kafka.String(), Bound: u.Bound, Faults: Faults{Kill: []string{"L"}, Crash: true}, Invariant: "x", What: "y", Path: names}
	read, err := Read("path.yaml", f.Marshal())
	if err != nil || !slices.Equal(read.Path, names) || !slices.Equal(read.Faults.Kill, []string{"L"}) || !read.Faults.Crash {
		t.Fatalf("%v: read %+v", err, read)
	}
	p, err := u.Play(read.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.End != n.world.Now() || p.Broken != nil {
		t.Errorf("played to %s, not %s; %+v", p.End, n.world.Now(), p.Broken)
	}
	if _, err := u.Play(append(names, "F9.JoinGroup#1 arrives"), nil); err == nil {
		t.Error("a move that cannot be made is played")
	}
}
