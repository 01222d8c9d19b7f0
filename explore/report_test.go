package explore

import (
	"encoding/xml"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/sim"
)

func failed(invariant string, n int) *Result {
	r := &Result{What: "x.yaml", Runs: 10}
	for i := range n {
		f := Finding{Invariant: invariant, Place: fmt.Sprint("place ", i), Text: "what\nwas 100%"}
		r.Failures = append(r.Failures, Group{Source: "x.yaml", Signature: f.Signature(), Runs: 1, Shortest: Found{Finding: f}})
	}
	return r
}

func TestExitCodes(t *testing.T) {
	differs := failed("one-owner", 1)
	differs.Differs = []Difference{{Seed: 3, Text: "x"}}
	both := failed(InternalError, 1)
	both.Differs = differs.Differs
	never := &Result{Runs: 3, Scenarios: []Tally{{Text: "x.yaml", Runs: 3}}, Idle: []Tally{{Source: "x.yaml", Text: "kill: F9", Runs: 3}}}
	sometimes := &Result{Runs: 3, Scenarios: []Tally{{Text: "x.yaml", Runs: 3}}, Idle: []Tally{{Source: "x.yaml", Text: "kill: F9", Runs: 2}}}
	q, err := ParseRequirement("failover in Stable")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		what string
		v    *Verdict
		code int
	}{
		{"nothing", NewVerdict(&Result{Runs: 3}, nil, nil), 0},
		{"a known flaw", NewVerdict(&Result{Runs: 3, Known: []Group{{Issue: "KAFKA-1"}}}, nil, nil), 0},
		{"a failure", NewVerdict(failed("one-owner", 1), nil, nil), 1},
		{"a step that never happened", NewVerdict(never, nil, nil), 1},
		{"a step that happened once", NewVerdict(sometimes, nil, nil), 0},
		{"something not reached", NewVerdict(&Result{Runs: 3}, []Requirement{q}, nil), 1},
		{"no run", NewVerdict(&Result{Unplayable: Tally{Runs: 3}}, nil, nil), 2},
		{"a difference", NewVerdict(differs, nil, nil), 3},
		{"a panic", NewVerdict(both, nil, nil), 70},
	} {
		if got := x.v.Exit(); got != x.code {
			t.Errorf("%s: exit code %d, not %d", x.what, got, x.code)
		}
	}
}

// GitHub shows ten errors of a step, so the tenth counts those that are left.
func TestGitHubsLimits(t *testing.T) {
	for _, n := range []int{1, 10, 11, 25} {
		var b strings.Builder
		if err := NewVerdict(failed("one-owner", n), nil, nil).GitHub(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != min(n, 10) {
			t.Errorf("%d failures make %d annotations", n, len(lines))
		}
		if want := "::error file=x.yaml,title=one-owner%3A place 0::what%0Awas 100%25%0A"; !strings.HasPrefix(lines[0], want) {
			t.Errorf("the first is %q", lines[0])
		}
		if n > 10 && lines[9] != fmt.Sprintf("::error title=rebalsim fuzz::and %d more", n-9) {
			t.Errorf("of %d the last is %q", n, lines[9])
		}
	}
}

func TestJUnit(t *testing.T) {
	r := failed("one-owner", 2)
	r.Differs = []Difference{{Seed: 3, Text: "after <a>\nfirst b & c"}}
	var b strings.Builder
	if err := NewVerdict(r, nil, nil).JUnit(&b); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	s := got.Suites[0]
	if s.Tests != 4 || s.Failures != 3 || len(s.Cases) != 4 || s.Cases[0].Failure != nil {
		t.Errorf("it is\n%s", &b)
	}
	if c := s.Cases[3]; c.Name != "deterministic: seed 3" || c.Failure == nil || c.Failure.Text != "after <a>\nfirst b & c" {
		t.Errorf("the last is %+v", c)
	}
}

// The text fits the screen, whatever was found.
func TestTheTextIsOneScreen(t *testing.T) {
	r := failed("one-owner", 30)
	for i := range r.Failures {
		r.Failures[i].Shortest.Finding.Text = strings.Repeat("what was, and what was not ", 5)
	}
	for i := range 20 {
		r.Known = append(r.Known, Group{Issue: fmt.Sprint("KAFKA-", i%7), Runs: uint64(i)})
	}
	var b strings.Builder
	if err := NewVerdict(r, nil, nil).Text(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) > 48 || !strings.Contains(b.String(), "and 24 kinds more") || !strings.Contains(b.String(), "\n known flaws: KAFKA-5 (19 runs), KAFKA-4 (18 runs), KAFKA-3 (17 runs) and 4\n              more. They") {
		t.Errorf("%d lines:\n%s", len(lines), &b)
	}
	for _, l := range lines {
		if len(l) > 80 && !strings.Contains(l, "replay:") {
			t.Errorf("a line of %d characters: %s", len(l), l)
		}
	}
}

// What was saved before and did not fail in these runs is not counted as if it had.
func TestOnlySavedBefore(t *testing.T) {
	r := failed("one-owner", 1)
	r.Failures[0].Runs = 0
	var b strings.Builder
	if err := NewVerdict(r, nil, nil).Text(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "1 kind of failure, saved before, and none in these: ") || strings.Contains(b.String(), "in 0 of") {
		t.Errorf("it says\n%s", &b)
	}
}

// Whatever is asked for can be required, and is then found in the runs that have it.
func TestRequirements(t *testing.T) {
	o := Play(builtin(t, "failover-preparing"))
	for text, want := range map[string]bool{
		"failover in PreparingRebalance":                        true,
		"coordinator crash in PreparingRebalance":               true,
		"JoinGroup in PreparingRebalance":                       true,
		"JoinGroup disconnected in PreparingRebalance":          true,
		"failover in Stable":                                    false,
		"Heartbeat FENCED_INSTANCE_ID in Stable":                false,
		"Heartbeat REBALANCE_IN_PROGRESS in PreparingRebalance": true,
	} {
		q, err := ParseRequirement(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Times(o.Coverage) > 0; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, text := range []string{"failover", "failover in Nowhere", "nonsense in Stable"} {
		if _, err := ParseRequirement(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// docs/fuzz.md says what there is.
func TestTheDocumentCounts(t *testing.T) {
	text, err := os.ReadFile("../docs/fuzz.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("out of %d:", len(troubles)); !strings.Contains(string(text), want) {
		t.Errorf("docs/fuzz.md does not say %q", want)
	}
}

// docs/fuzz.md tells every key of the JSON.
func TestTheDocumentTellsTheKeys(t *testing.T) {
	text, err := os.ReadFile("../docs/fuzz.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "\n## For programs\n")
	section, _, _ := strings.Cut(after, "\n## ")
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			f := of.Field(i)
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "-" {
				continue
			}
			if key != "" && !strings.Contains(section, "`"+key+"`") {
				t.Errorf("docs/fuzz.md does not tell the key %s of %s", key, of)
			}
			if f.Type != reflect.TypeFor[[]sim.Decision]() {
				look(f.Type)
			}
		}
	}
	look(reflect.TypeFor[Verdict]())
	look(reflect.TypeFor[cellJSON]())
	if len(seen) < 8 {
		t.Errorf("only %d kinds of objects", len(seen))
	}
}
