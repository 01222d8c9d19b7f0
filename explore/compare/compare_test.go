package compare

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
)

func load(t *testing.T, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rolling restarts four pods, each of which has three partitions, in ten seconds each.
const rolling = `about: a rolling restart
latency: 1ms
topics: {orders: {partitions: 12, rate: 120/s}}
group: {id: g, config: {partition.assignment.strategy: [range], session.timeout.ms: 20s}, program: {per-batch: 100ms..300ms, on-throw: go-on}}
members: {"pod-{0..3}": {}}
timeline: [{at: 20s, mark: deploy, rolling-restart: {of: "pod-*", down: 10s}}]
measure: {from: deploy}
variants:
  eager: {}
  static: {config: {group.instance.id: "{name}"}}
  killed: {program: {on-stop: kill}}
expect:
  static: {rebalances: 0, standstill: "< killed / 3"}
  killed: {rebalances: 4}
`

func played(t *testing.T, text string, seeds int) *Comparison {
	t.Helper()
	c := New(load(t, text), 1, seeds)
	if err := c.AddVariants(""); err != nil {
		t.Fatal(err)
	}
	if err := c.Play(nil); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *Comparison) median(t *testing.T, variant, measure string) int64 {
	t.Helper()
	i := slices.IndexFunc(c.Variants, func(v Variant) bool { return v.Label() == variant })
	if i < 0 {
		t.Fatalf("no variant %q", variant)
	}
	return c.Of(&c.Variants[i], MeasureAt(measure)).Median
}

// What a static member leaves behind waits for it: 4 pods, 3 partitions each, 10 s and the
// few milliseconds that it takes to come back. The group does not move.
func TestStaticByArithmetic(t *testing.T) {
	c := played(t, rolling, 3)
	const second = 1_000_000
	if got := c.median(t, "static", "standstill"); got < 4*3*10*second || got > 4*3*10*second+4*3*second/10 {
		t.Errorf("standstill of static: %d us, want 120 s and up to 1.2 s", got)
	}
	if got := c.median(t, "static", "longest"); got < 10*second || got > 10*second+second/10 {
		t.Errorf("longest of static: %d us", got)
	}
	// Who leaves and comes back disturbs the group twice; who is killed once, as the group
	// has not missed it when it comes back and waits for the one that it was.
	for variant, want := range map[string]int64{"eager": 8, "static": 0, "killed": 4} {
		if got := c.median(t, variant, "rebalances"); got != want {
			t.Errorf("rebalances of %s: %d, want %d", variant, got, want)
		}
	}
	// A killed pod is missed when its session of 20 s is over, counted from its last heartbeat.
	if got := c.median(t, "killed", "detection"); got < 17*second || got > 20*second {
		t.Errorf("detection: %d us", got)
	}
	for _, v := range c.Judge() {
		if v.Instead != "" {
			t.Errorf("%s: %s", v.Text, v.Instead)
		}
	}
	if got := len(c.Judge()); got != 3 {
		t.Errorf("%d expectations, want 3", got)
	}
}

// The result does not hang on how many play, and seeds make a difference.
func TestCoresMakeNoDifference(t *testing.T) {
	one := func(cores int) [][][]int64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		var all [][][]int64
		c := played(t, rolling, 4)
		for i := range c.Variants {
			all = append(all, c.Variants[i].figures)
		}
		if c.Alike() {
			t.Error("all seeds are alike")
		}
		return all
	}
	if !reflect.DeepEqual(one(1), one(4)) {
		t.Error("four cores find something else than one")
	}
}

// fake makes a comparison of figures that were not played: of one measure, by variant and
// seed.
func fake(measure string, axes []Axis, figures map[string][]int64) *Comparison {
	c := &Comparison{Axes: axes, First: 1}
	for label, list := range figures {
		v := Variant{Values: strings.Split(label, ", "), unsettled: make([]bool, len(list))}
		c.Seeds = len(list)
		for _, m := range metrics.Measures() {
			if m.Name == measure {
				v.figures = append(v.figures, list)
			} else {
				v.figures = append(v.figures, make([]int64, len(list)))
			}
		}
		c.Variants = append(c.Variants, v)
	}
	slices.SortFunc(c.Variants, func(a, b Variant) int { return strings.Compare(a.Label(), b.Label()) })
	return c
}

func TestHelped(t *testing.T) {
	one := []Axis{{"poll", []string{"a", "b"}}}
	two := []Axis{{"poll", []string{"a", "b"}}, {"batch", []string{"1", "2"}}}
	named := []Axis{{Named, []string{"a", "b", "c"}}}
	const s = 1_000_000
	for _, x := range []struct {
		c    *Comparison
		want string
	}{
		{fake("standstill", one, map[string][]int64{"a": {9 * s, 5 * s, 7 * s}, "b": {1 * s, 2 * s, 3 * s}}),
			"Helped most: poll=b instead of a: partitions stood still for 2.000 instead of 7.000 partition-seconds (median)."},
		{fake("standstill", one, map[string][]int64{"a": {9 * s, 5 * s, 7 * s}, "b": {1 * s, 2 * s, 90 * s}}),
			"No clear difference in standstill: poll=b has 2.000 and a has 7.000 (medians), and seeds differ by more."},
		{fake("standstill", one, map[string][]int64{"a": {3 * s, 7 * s, 8 * s, 9 * s}, "b": {1 * s, 5 * s, 6 * s, 90 * s}}),
			"Helped most: poll=b instead of a: partitions stood still for 5.000 instead of 7.000 partition-seconds (median)."},
		{fake("standstill", named, map[string][]int64{"a": {9 * s, 9 * s}, "b": {4 * s, 6 * s}, "c": {3 * s, 5 * s}}),
			"Helped most: b instead of a: partitions stood still for 4.000 instead of 9.000 partition-seconds (median)."},
		{fake("standstill", named, map[string][]int64{"a": {9 * s, 9 * s}, "b": {1 * s, 10 * s}, "c": {3 * s, 5 * s}}),
			"Helped most: c instead of a: partitions stood still for 3.000 instead of 9.000 partition-seconds (median)."},
		{fake("standstill", two, map[string][]int64{"a, 1": {8 * s}, "a, 2": {8 * s}, "b, 1": {2 * s}, "b, 2": {2 * s}}),
			"Helped most: poll=b instead of a: partitions stood still for 2.000 instead of 8.000 partition-seconds (median, on average of the other settings). batch made no difference to that."},
		{fake("standstill", named, map[string][]int64{"a": {1 * s}, "b": {4 * s}, "c": {3 * s}}),
			"Nothing has less standstill than a: 1.000. The next is c with 3.000 (medians)."},
		{fake("moves", named, map[string][]int64{"a": {5}, "b": {4}, "c": {5}}), "Helped most: b instead of a: 4 moves instead of 5 (median)."},
		{fake("moves", named, map[string][]int64{"a": {5}, "b": {5}, "c": {5}}), "Nothing made a difference."},
		// A trifle is nothing, also on either side of where figures are rounded.
		{fake("standstill", one, map[string][]int64{"a": {20_048_000}, "b": {20_032_000}}), "Nothing made a difference."},
		{fake("standstill", one, map[string][]int64{"a": {20_051_000}, "b": {20_049_000}}), "Nothing made a difference."},
		{fake("standstill", one, map[string][]int64{"a": {300}, "b": {200}}), "Nothing made a difference."},
		{fake("standstill", named, map[string][]int64{"a": {20_048_000}, "b": {20_049_000}, "c": {30 * s}}),
			"Nothing has less standstill than a: 20.0. b has as much. The next is c with 30.0 (medians)."},
		{fake("standstill", named, map[string][]int64{"a": {9 * s}, "b": {3_001_000}, "c": {3_000_000}}),
			"Helped most: b instead of a: partitions stood still for 3.001 instead of 9.000 partition-seconds (median)."},
		{fake("moves", two, map[string][]int64{"a, 1": {5}, "a, 2": {4}, "b, 1": {4}, "b, 2": {4}}),
			"Helped most: poll=b instead of a: 4 moves instead of 4.5 (median, on average of the other settings)."},
	} {
		if got := x.c.Helped(); got != x.want {
			t.Errorf("got  %s\nwant %s", got, x.want)
		}
	}
}

func TestPrice(t *testing.T) {
	c := fake("standstill", []Axis{{Named, []string{"a", "b"}}}, map[string][]int64{"a": {4_000_000}, "b": {1_000_000}})
	c.Variants[1].figures[MeasureAt("twice")] = []int64{7}
	c.Variants[1].figures[MeasureAt("rebalances")] = []int64{2}
	want := "Helped most: b instead of a: partitions stood still for 1.000 instead of 4.000 partition-seconds (median). Its price: 7 records are read twice instead of 0; 2 rebalances instead of 0."
	if got := c.Helped(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What cannot be compared is left out on both sides: b is judged without the half of which c
// has nothing.
func TestLeftOutOfAverages(t *testing.T) {
	const s = 1_000_000
	c := fake("standstill", []Axis{{"poll", []string{"a", "b"}}, {"batch", []string{"1", "2"}}},
		map[string][]int64{"a, 1": {8 * s}, "a, 2": {90 * s}, "b, 1": {6 * s}, "b, 2": {-1}})
	c.leaveOut()
	want := "Helped most: poll=b instead of a: partitions stood still for 6.000 instead of 8.000 partition-seconds (median)."
	if got := c.Helped(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := c.Variants[3].LeftOut; got != "nobody ever had a partition (seed 1)" {
		t.Errorf("left out: %q", got)
	}
}

// Who does not settle where the first does is left out, and who settles where it does not is not.
func TestUnsettledIsLeftOut(t *testing.T) {
	c := fake("standstill", []Axis{{Named, []string{"a", "b", "c"}}}, map[string][]int64{"a": {4, 4}, "b": {1, 1}, "c": {2, 2}})
	c.Variants[0].unsettled[0], c.Variants[1].unsettled[1] = true, true
	c.leaveOut()
	if got := []string{c.Variants[0].LeftOut, c.Variants[1].LeftOut, c.Variants[2].LeftOut}; !slices.Equal(got, []string{"", "runs did not settle (seed 2)", ""}) {
		t.Errorf("left out: %q", got)
	}
}

// What seeds may have made says nothing: a measure that is clear does.
func TestUnclearIsNoHelp(t *testing.T) {
	c := fake("standstill", []Axis{{Named, []string{"a", "b"}}}, map[string][]int64{"a": {4_000_000, 6_000_000}, "b": {3_000_000, 7_000_000}})
	c.Variants[0].figures[MeasureAt("moves")] = []int64{7, 8}
	want := "No clear difference in standstill: b has 3.000 and a has 4.000 (medians), and seeds differ by more. Helped most: b instead of a: 0 moves instead of 7 (median)."
	if got := c.Helped(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	both := []int{0, 1}
	if first := c.outcome(both, -1, 2); first.Best != 0 || first.Standstill != 4_000_000 {
		t.Errorf("the best is %+v", first)
	}
	if other := c.outcome(both, 1, 2); other.Best != 1 {
		t.Errorf("what was best is not any more: %+v", other)
	}
}

// Twice the session keeps what a dead pod had standing still for twice as long.
func TestLedger(t *testing.T) {
	c := New(load(t, `about: a pod dies
topics: {orders: {partitions: 4, rate: 40/s}}
group: {id: g, config: {session.timeout.ms: 20s}}
members: {A: {}, B: {}}
timeline: [{at: 20s, mark: death, kill: B}]
end: {at: 2m}
measure: {from: death}
`), 1, 2)
	if err := c.Play(nil); err != nil {
		t.Fatal(err)
	}
	l, err := c.Ledger(nil)
	if err != nil {
		t.Fatal(err)
	}
	turns := map[string]string{}
	for _, e := range l.Entries {
		if l.Turns(e.Half) || l.Turns(e.Twice) {
			turns[e.Name] = fmt.Sprintf("%s %s", metrics.Summed.Show(e.Half.Standstill), metrics.Summed.Show(e.Twice.Standstill))
			if e.Name == "session.timeout.ms" && (e.Twice.Standstill < 19*l.Base.Standstill/10 || e.Half.Standstill > 6*l.Base.Standstill/10) {
				t.Errorf("half and twice the session: %s, now %s", turns[e.Name], metrics.Summed.Show(l.Base.Standstill))
			}
		}
	}
	if turns["session.timeout.ms"] == "" || turns["max.poll.interval.ms"] != "" || turns["metadata.max.age.ms"] != "" {
		t.Errorf("the result turns on %v", turns)
	}
}

// Programs that end by an exception are told of: the group is smaller then.
func TestGaveUp(t *testing.T) {
	c := New(load(t, `about: one works for longer than it may
topics: {orders: {partitions: 4, rate: 40/s}}
group: {id: g, config: {max.poll.interval.ms: 10s}, program: {commit: sync after batch}}
members: {A: {}, B: {program: {per-batch: 30s}}}
end: {at: 2m}
`), 1, 1)
	if err := c.Play(nil); err != nil {
		t.Fatal(err)
	}
	want := "programs ended by an exception, 1 with seed 1: the group shrank. With on-throw: go-on they poll again."
	if got := c.Trouble(); !slices.Contains(got, want) {
		t.Errorf("got %q", got)
	}
}

// Half of a session that the broker just allows is not better than the session itself.
func TestLedgerOfWhatIsRefused(t *testing.T) {
	c := New(load(t, `about: a pod dies
topics: {orders: {partitions: 4, rate: 40/s}}
group: {id: g, config: {session.timeout.ms: 6s, heartbeat.interval.ms: 1s}}
members: {A: {}, B: {}}
timeline: [{at: 20s, mark: death, kill: B}]
end: {at: 1m}
measure: {from: death}
`), 1, 1)
	if err := c.Play(nil); err != nil {
		t.Fatal(err)
	}
	l, err := c.Ledger(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range l.Entries {
		if e.Name == "session.timeout.ms" && e.Half.Problem != "programs end" {
			t.Errorf("half the session: %+v", e.Half)
		}
	}
}

// The questions that come with the program, each with as many seeds as its file says.
func BenchmarkQuestions(b *testing.B) {
	for _, builtin := range scenarios.List() {
		if builtin.Shelf != scenarios.Questions {
			continue
		}
		s, err := builtin.Load()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(builtin.Name, func(b *testing.B) {
			for range b.N {
				c := New(s, 1, s.Measure.Seeds)
				if err := c.AddVariants(""); err != nil {
					b.Fatal(err)
				}
				if err := c.Play(nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What changes nothing is tried with two seeds, what changes something with all five, and a
// variant that is far behind with none.
func TestLedgerPlaysWhatItNeeds(t *testing.T) {
	c := New(load(t, rolling), 1, 10)
	if err := c.AddVariants(""); err != nil {
		t.Fatal(err)
	}
	if err := c.Play(nil); err != nil {
		t.Fatal(err)
	}
	played := 0
	l, err := c.Ledger(func(done, _ int) { played = done })
	if err != nil {
		t.Fatal(err)
	}
	open := 0
	for _, e := range l.Entries {
		if l.Turns(e.Half) || l.Turns(e.Twice) {
			open++
		}
	}
	trials := 2 * len(l.Entries)
	if least, most := trials*2*2, trials*3*ledgerSeeds/2; open == 0 || open == len(l.Entries) || played < least || played > most {
		t.Errorf("%d of %d assumptions count, and %d runs were played: want from %d to %d", open, len(l.Entries), played, least, most)
	}
}
