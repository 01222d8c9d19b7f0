package invariants_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/protocol"
)

var update = flag.Bool("update", false, "write the list in docs/invariants.md")

const (
	listBegins = "<!-- written by: go test ./check/invariants -run Docs -update -->\n"
	listEnds   = "<!-- end -->\n"
)

// TestDocs: docs/invariants.md lists them all, in order, as the program does, and the odd runs.
func TestDocs(t *testing.T) {
	const file = "../../docs/invariants.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), listBegins)
	_, tail, ok2 := strings.Cut(rest, listEnds)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the list", file)
	}
	want := head + listBegins + list() + oddList(t) + listEnds + tail
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is old: go test ./check/invariants -run Docs -update", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}

func list() string {
	var b strings.Builder
	fmt.Fprint(&b, "\n| name | what must hold | why | since |\n| --- | --- | --- | --- |\n")
	for _, i := range invariants.Invariants() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", i.Name, i.Statement, i.Why, i.Since)
	}
	fmt.Fprint(&b, "\n## Exemptions\n\nWhat `rebalsim invariants --flaws` lists: the issue that tells of the flaw or, of those without one,\n"+
		"what brought the rules that it follows from (`rebalsim profiles` and `why` tell them).\n\n| invariant, place | issue | with | |\n| --- | --- | --- | --- |\n")
	for _, e := range invariants.Exemptions() {
		at := "`" + e.Invariant + "`"
		if e.Place != "" {
			at = "`" + e.Invariant + ": " + e.Place + "`"
		}
		with := "every release"
		if e.Behaviour != "" {
			with = e.Behaviour
		}
		said := e.Issue
		if e.From != "" {
			said += "; from " + e.From
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", at, said, with, e.Text)
	}
	return b.String() + "\n"
}

func oddList(t *testing.T) string {
	var b strings.Builder
	fmt.Fprint(&b, "## Odd, and right\n\nRuns that look as if they broke an invariant, and are right by Kafka's rules. Each is a scenario in\n"+
		"`check/invariants/testdata/odd`, which `rebalsim run` plays; a test holds it to the invariants.\n\n"+
		"| scenario | what looks wrong | why it is right |\n| --- | --- | --- |\n")
	files, _ := oddFiles(t)
	for _, file := range files {
		looks, right := oddText(t, file)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", nameOf(file), looks, right)
	}
	return b.String() + "\n"
}

// TestPlantedForEach: each invariant has a planted violation, and is named by no other; each
// exemption has an issue or names what its rules are from.
func TestPlantedForEach(t *testing.T) {
	planted := map[string]bool{}
	for i := range lies {
		planted[lies[i].invariant] = true
	}
	seen := map[string]bool{}
	for _, i := range invariants.Invariants() {
		if !planted[i.Name] {
			t.Errorf("no violation of %s is planted", i.Name)
		}
		if seen[i.Name] || i.Statement == "" || i.Why == "" || i.Since == "" {
			t.Errorf("%s is listed twice, or lacks something", i.Name)
		}
		seen[i.Name] = true
	}
	sources := map[string]bool{}
	for _, row := range protocol.Rows() {
		sources[row.ID] = true
	}
	for r := range 2 * protocol.RuleClients {
		sources[r.Text().Source] = true
	}
	for _, e := range invariants.Exemptions() {
		if (e.From != "") != (e.Issue == "none known") {
			t.Errorf("the exemption of %q: %q has the issue %q, and is from %q", e.Invariant, e.Place, e.Issue, e.From)
		}
		for _, from := range strings.Split(e.From, ", ") {
			if from != "" && !sources[from] {
				t.Errorf("the exemption of %q: %q is from %s, of which the protocol has nothing", e.Invariant, e.Place, from)
			}
		}
		if !seen[e.Invariant] || e.Issue == "" || e.Text == "" {
			t.Errorf("the exemption %s of %q lacks something, or there is no such invariant", e.Issue, e.Invariant)
		}
	}
}
