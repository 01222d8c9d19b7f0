package explore

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/scenarios"
)

// What is saved is read as it was, and is a scenario file like any other.
func TestCasesAreSavedAndRead(t *testing.T) {
	for seed := uint64(1); seed < 30; seed++ {
		c := Generate(seed)
		if seed%2 == 0 {
			c = Record(c)
		}
		if seed%3 == 0 {
			c.Kafka, c.Bugs, c.Behaviours = "broker=3.9,client=2.8.2", []string{"KAFKA-2877"}, []string{"broker.UnloadsOwnOnly=false"}
		}
		f := &Failure{Case: c, Version: "v1", Signature: "one-owner: Stable", Text: "what was", Hash: "t1:00"}
		text := f.Marshal()
		got, err := ReadCase("saved.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Marshal()) != string(text) {
			t.Fatalf("seed %d: saved again it is\n%s", seed, got.Marshal())
		}
		got.Decisions, f.Decisions = nil, nil // their order is not kept, and has no meaning
		f.Scenario = strings.TrimRight(f.Scenario, "\n") + "\n"
		if !reflect.DeepEqual(got, f) {
			t.Errorf("saved %+v\nread  %+v", f, got)
		}
		if _, err := scenarios.Load("saved.yaml", text); err != nil {
			t.Errorf("it is no scenario: %v", err)
		}
	}
}

// A finding without a place is known again when it was saved, also by a program that wrote
// its separator.
func TestASignatureWithoutAPlaceIsReadAsItWas(t *testing.T) {
	found := Finding{Invariant: "leader-watches"}
	o := Outcome{Findings: []Finding{found}}
	for _, signature := range []string{SignatureOf(&found), found.Signature()} {
		f := &Failure{Case: Generate(1), Signature: signature}
		got, err := ReadCase("saved.yaml", f.Marshal())
		if err != nil {
			t.Fatal(err)
		}
		if got.Signature != "leader-watches" || !o.Has(got.Signature) {
			t.Errorf("%q is read as %q, which the run does not have", signature, got.Signature)
		}
	}
	v := NewVerdict(&Result{What: "x", Failures: []Group{newGroup("", 1, Case{}, found, &o)}}, nil, nil)
	for _, write := range []func(io.Writer) error{v.Text, v.JUnit, v.JSON} {
		var b strings.Builder
		if err := write(&b); err != nil || !strings.Contains(b.String(), "leader-watches") || strings.Contains(b.String(), "leader-watches:") {
			t.Errorf("%v: %s", err, b.String())
		}
	}
}

func TestARecordedCaseThatIsReadIsTheSameRun(t *testing.T) {
	c := builtin(t, "rolling-restart-dynamic")
	c.Seed, c.Depth = 9, 2
	want := Play(c)
	f := &Failure{Case: Record(c)}
	f.Seed = 0
	got, err := ReadCase("saved.yaml", f.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	if o := Play(got.Case); o.Hash != want.Hash {
		t.Errorf("saved as %s, played as %s: %v", want.Hash, o.Hash, o.Err)
	}
}

// A file that Windows has had is the same case.
func TestCasesWithOtherLineEnds(t *testing.T) {
	f := &Failure{Case: Record(builtin(t, "rolling-restart-dynamic")), Signature: "one-owner: Stable"}
	text := f.Marshal()
	got, err := ReadCase("saved.yaml", []byte(strings.ReplaceAll(string(text), "\n", "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	if got.Scenario = strings.ReplaceAll(got.Scenario, "\r", ""); string(got.Marshal()) != string(text) {
		t.Errorf("it is\n%s", got.Marshal())
	}
}

func TestMalformedCases(t *testing.T) {
	scenario := builtin(t, "first-rebalance").Scenario
	lines := strings.Count(scenario, "\n")
	for block, want := range map[string]string{
		"# rebalsim case 2: x\n":                         "this is a case of format 2 (this program reads format 1)",
		"# rebalsim case 1: x\n#: seed many\n":           `seed: "many" is no number`,
		"# rebalsim case 1: x\n#: nonsense c1 0=1/2\n":   `there is no point of decision "nonsense"`,
		"# rebalsim case 1: x\n#: latency c1->b1 0:1\n":  `"0:1" is no decision: write question=answer/answers`,
		"# rebalsim case 1: x\nend: {at: 1s}\n#: seed 1": `what follows a scenario begins with "#: " (put what belongs to the scenario before the case)`,
	} {
		_, err := ReadCase("f.yaml", []byte(scenario+"\n"+block))
		line := lines + 3 // the second of the block
		if strings.HasPrefix(block, "# rebalsim case 2") {
			line--
		}
		if err == nil || err.Error() != fmt.Sprintf("f.yaml:%d:1: %s", line, want) {
			t.Errorf("%q: %v", block, err)
		}
	}
}
