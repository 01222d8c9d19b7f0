package explore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// saved are the cases of a folder, by file.
func saved(t *testing.T, dir string) map[string]*Failure {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d cases, %v", dir, len(files), err)
	}
	cases := map[string]*Failure{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if cases[file], err = ReadCase(file, text); err != nil {
			t.Fatal(err)
		}
	}
	return cases
}

// Each flaw of the protocol that this program has found has a case that shows it, and
// nothing that is not explained.
func TestFlaws(t *testing.T) {
	doc, err := os.ReadFile("../docs/invariants.md")
	if err != nil {
		t.Fatal(err)
	}
	for file, f := range saved(t, "../docs/flaws") {
		if !strings.Contains(string(doc), "(flaws/"+filepath.Base(file)+")") {
			t.Errorf("docs/invariants.md does not name %s", file)
		}
		o := Play(f.Case)
		if len(o.Findings) > 0 {
			t.Errorf("%s: %v", file, o.Findings)
		}
		shows := Outcome{Findings: o.Known}
		if !shows.Has(f.Signature) {
			t.Errorf("%s: %v, and not %s", file, o.Known, f.Signature)
		}
	}
}

// What was a mistake of the simulator, or of what is asked of a run, shows no more.
func TestMended(t *testing.T) {
	for file, f := range saved(t, "testdata/mended") {
		o := Play(f.Case)
		if known := (Outcome{Findings: o.Known}); len(o.Findings) > 0 || known.Has(f.Signature) {
			t.Errorf("%s: %v, %v", file, o.Findings, o.Known)
		}
	}
}
