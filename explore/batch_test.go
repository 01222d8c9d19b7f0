package explore

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rebalsim/rebalsim/scenarios"
)

func asJSON(t *testing.T, r *Result) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// failing is a source of which some seeds fail.
func failing(t *testing.T) Source {
	c := builtin(t, "consumer-crash")
	c.Scenario = strings.Replace(c.Scenario, "topics:", "latency: 1ms..900ms\ntopics:", 1) + "  - count: {\"*.JoinGroup\": \"< 3\"}\n"
	return Scenario(c)
}

// What is found does not hang on the number of workers, on where the batch was broken off
// and went on, or on how it was cut into shards.
func TestResultsDoNotHangOnHowTheyCameAbout(t *testing.T) {
	b := &Batch{Sources: []Source{Swarm{}.Source(), failing(t)}, From: 5, Seeds: 70, Workers: 1}
	r := b.Run(nil)
	want := asJSON(t, r)
	if r.Runs != 140 || r.Next != 75 || r.Events == 0 {
		t.Fatalf("%d runs, %d events, next %d", r.Runs, r.Events, r.Next)
	}
	b.Workers = 3
	if got := asJSON(t, b.Run(nil)); got != want {
		t.Errorf("three workers find something else")
	}
	b.Seeds = 32
	first := b.Run(nil)
	b.Seeds = 70
	if got := asJSON(t, b.Run(first)); got != want {
		t.Errorf("broken off and resumed it finds something else")
	}
	var parts []Part
	for shard := uint64(3); shard >= 1; shard-- {
		b.Shard, b.Shards = shard, 3
		parts = append(parts, Part{"", b.Run(nil)})
	}
	sum, lacking, err := Merge(parts)
	if err != nil || len(lacking) > 0 {
		t.Fatal(lacking, err)
	}
	if got := asJSON(t, sum); got != want {
		t.Errorf("three shards find something else:\n%s\n%s", got[:2000], want[:2000])
	}
}

// A batch that has a time limit plays whole seeds, one after the other, and says how far
// it came.
func TestATimeLimit(t *testing.T) {
	b := &Batch{Sources: []Source{Scenario(builtin(t, "first-rebalance"))}, Until: time.Now().Add(200 * time.Millisecond)}
	r := b.Run(nil)
	if r.Runs == 0 || r.Runs != r.Next {
		t.Errorf("%d runs of the seeds before %d", r.Runs, r.Next)
	}
	b.Until = time.Now().Add(-time.Second)
	if r := b.Run(nil); r.Runs != 0 {
		t.Errorf("%d runs in no time", r.Runs)
	}
}

// A run that is not the same when it is played again is found, with the first event that
// differs.
func TestTheDeterminismGuard(t *testing.T) {
	b := &Batch{Sources: []Source{Scenario(builtin(t, "rolling-restart-dynamic"))}, From: 1, Seeds: 3}
	b.again = func(c Case) Case { return c }
	if r := b.Run(nil); r.Twice != 3 || len(r.Differs) != 0 {
		t.Fatalf("%d were played twice, and there are differences: %v", r.Twice, r.Differs)
	}
	b.again = func(c Case) Case {
		if c.Seed == 2 {
			c.Seed = 7
		}
		return c
	}
	r := b.Run(nil)
	if len(r.Differs) != 1 || r.Differs[0].Seed != 2 {
		t.Fatalf("the differences are %v", r.Differs)
	}
	lines := strings.Split(r.Differs[0].Text, "\n")
	if len(lines) != 3 || lines[1][len("first  "):] == lines[2][len("again  "):] || !strings.HasPrefix(lines[2], "again  ") {
		t.Errorf("it says\n%s", r.Differs[0].Text)
	}
}

// One in a hundred seeds is played twice, without being asked to, and the first of a batch is.
func TestSomeArePlayedTwice(t *testing.T) {
	few := &Batch{Sources: []Source{Scenario(builtin(t, "first-rebalance"))}, From: 3, Seeds: 5}
	if r := few.Run(nil); r.Twice != 1 {
		t.Errorf("%d of 5 were played twice", r.Twice)
	}
	b := &Batch{Sources: []Source{Scenario(builtin(t, "first-rebalance"))}, Seeds: 1000}
	if r := b.Run(nil); r.Twice < 3 || r.Twice > 30 {
		t.Errorf("%d of 1,000 were played twice", r.Twice)
	}
}

// Findings are kept by signature: how many runs, the first seed, and the shortest run,
// which has it when it is played again.
func TestFailuresAreGrouped(t *testing.T) {
	b := &Batch{Sources: []Source{failing(t)}, Seeds: 40}
	r := b.Run(nil)
	if len(r.Failures) == 0 || r.Failures[0].Runs < 2 || r.Failures[0].Runs == 40 {
		t.Fatalf("the failures are %+v", r.Failures)
	}
	g := r.Failures[0]
	o := Play(g.Shortest.Case)
	if o.Hash != g.Shortest.Hash || !o.Has(g.Signature) || o.Events != g.Shortest.Events {
		t.Errorf("the shortest is %s, played again %s: %v", g.Shortest.Hash, o.Hash, o.Findings)
	}
	for seed := range uint64(40) {
		o := Play(b.Sources[0].Case(seed))
		if o.Has(g.Signature) && (seed < g.First || o.Events < g.Shortest.Events) {
			t.Errorf("seed %d has %d events; the first is said to be %d, the shortest to have %d", seed, o.Events, g.First, g.Shortest.Events)
		}
	}
}

// A step that no run came to is told, one that some came to is not.
func TestStepsThatNeverHappen(t *testing.T) {
	c := builtin(t, "rolling-restart-dynamic")
	c.Scenario = strings.Replace(c.Scenario, "timeline:\n", "timeline:\n  - {when: {event: "+firstMember(t, c)+".JoinGroup#90}, mark: nobody}\n", 1)
	b := &Batch{Sources: []Source{Scenario(c)}, Seeds: 5}
	r := b.Run(nil)
	if never := r.Never(); len(never) != 1 || !strings.Contains(never[0].Text, "mark: nobody") {
		t.Errorf("never: %v", never)
	}
}

func firstMember(t *testing.T, c Case) string {
	t.Helper()
	s, err := scenarios.Load(c.Name, []byte(c.Scenario))
	if err != nil {
		t.Fatal(err)
	}
	return s.Members[0].Name
}

// A result that is written and read is the same.
func TestResultsAreSavedAndRead(t *testing.T) {
	b := &Batch{Sources: []Source{Swarm{}.Source(), failing(t)}, Seeds: 40}
	r := b.Run(nil)
	var got Result
	if err := json.Unmarshal([]byte(asJSON(t, r)), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&got, r) {
		t.Errorf("it is not the same")
	}
}

// BenchmarkSwarm plays generated scenarios with all checks; an op is a run.
func BenchmarkSwarm(b *testing.B) {
	batch := &Batch{Sources: []Source{Swarm{}.Source()}, Seeds: uint64(b.N)}
	b.ReportAllocs()
	b.ResetTimer()
	r := batch.Run(nil)
	b.ReportMetric(float64(r.Runs)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(float64(r.Events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(r.Events)/float64(r.Runs), "events/run")
}
