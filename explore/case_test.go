package explore

import (
	"slices"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

func builtin(t *testing.T, name string) Case {
	t.Helper()
	b, err := scenarios.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return Case{Name: b.Name + ".yaml", Scenario: string(b.Text)}
}

// A case has its outcome whenever and with whatever player it is played.
func TestPlayIsAFunctionOfTheCase(t *testing.T) {
	var p Player
	for _, name := range []string{"leader-not-first", "broker-roll", "failover-preparing"} {
		for seed := range uint64(3) {
			c := builtin(t, name)
			c.Seed = seed
			a, b := Play(c), p.Play(c)
			if a.Err != nil || a.Hash != b.Hash || a.Events != b.Events || *a.Coverage != *b.Coverage {
				t.Errorf("%s, seed %d: %v, %s with %d events, then %s with %d", name, seed, a.Err, a.Hash, a.Events, b.Hash, b.Events)
			}
		}
	}
	for i := range uint64(60) { // a player's next run has nothing of the one before
		c := Generate(i / 2 * 7919)
		if i%2 == 1 {
			c = builtin(t, []string{"leader-not-first", "rolling-restart-static", "broker-roll"}[i%3])
			c.Seed = i
		}
		a, b := Play(c), p.Play(c)
		if a.Err != nil || a.Hash != b.Hash || a.Events != b.Events || *a.Coverage != *b.Coverage || !slices.Equal(a.Findings, b.Findings) || !slices.Equal(a.Known, b.Known) {
			t.Errorf("%s, seed %d: %v, %s with %d events, then %s with %d", c.Name, c.Seed, a.Err, a.Hash, a.Events, b.Hash, b.Events)
		}
	}
}

func TestAnExpectationThatDoesNotHoldIsAFinding(t *testing.T) {
	c := builtin(t, "consumer-crash")
	if o := Play(c); len(o.Findings) > 0 {
		t.Fatalf("as it is it has the findings %v", o.Findings)
	}
	c.Scenario += "  - in the end: {generation: 99}\n"
	o := Play(c)
	if len(o.Findings) != 1 || o.Findings[0].Signature() != "expectation: in the end: {generation: 99}" || !o.Has(o.Findings[0].Signature()) {
		t.Errorf("the findings are %+v", o.Findings)
	}
}

func TestWhatCannotBePlayed(t *testing.T) {
	for what, c := range map[string]Case{
		"no scenario":        {Scenario: "nonsense"},
		"an unknown release": {Scenario: builtin(t, "leader-not-first").Scenario, Kafka: "9.9"},
	} {
		if o := Play(c); o.Err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// A run that is played from its recorded decisions is the run that was recorded.
func TestRecordedDecisionsReplay(t *testing.T) {
	for _, name := range []string{"leader-not-first", "rolling-restart-dynamic", "scale-up-eager"} {
		c := builtin(t, name)
		c.Seed = 5
		want := Play(c)
		r := Record(c)
		if r.Seed = 0; len(r.Decisions) == 0 {
			t.Errorf("%s: nothing was decided", name)
		}
		if got := Play(r); got.Hash != want.Hash {
			t.Errorf("%s: recorded %s, played %s", name, want.Hash, got.Hash)
		}
	}
}

type breaks struct{}

func (breaks) Observe(r *sim.Rec) {
	if r.At > sim.Second {
		var none []int
		_ = none[r.ID]
	}
}

// A panic is a finding that says where, and does not end the batch.
func TestAPanicIsAFinding(t *testing.T) {
	var p Player
	o := p.Play(builtin(t, "first-rebalance"), func(*scenarios.Cluster) sim.Observer { return breaks{} })
	if len(o.Findings) != 1 || o.Findings[0].Signature() != "internal error: explore.breaks.Observe" || o.Findings[0].At <= sim.Second {
		t.Errorf("the findings are %+v", o.Findings)
	}
}

// What is counted is what the trace shows.
func TestCoverage(t *testing.T) {
	o := Play(builtin(t, "leader-not-first"))
	join := &o.Coverage.Answers[stateOf(protocol.Stable)][protocol.KindJoinGroup]
	if n := join[slices.Index(outcomes[:], protocol.None)]; n != 3 { // F1, F2 and L found it Stable
		t.Errorf("%d requests to join found it Stable", n)
	}
	o = Play(builtin(t, "failover-preparing"))
	preparing := stateOf(protocol.PreparingRebalance)
	if o.Coverage.Faults[failover][preparing] != 1 || o.Coverage.Faults[coordinatorCrash][preparing] != 1 {
		t.Errorf("the faults are %v", o.Coverage.Faults)
	}
	for _, f := range o.Coverage.Faults[memberKill] {
		if f != 0 {
			t.Error("nobody was killed")
		}
	}
}
