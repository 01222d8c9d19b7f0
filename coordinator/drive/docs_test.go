package drive

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestDocumentNamesTests: what docs/fidelity-broker.md names as the test of a rule is there.
func TestDocumentNamesTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/fidelity-broker.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`(?:cases|bugs|cells)/[a-z0-9*-]+`).FindAllString(string(text), -1) {
		if regexp.MustCompile(`/\d+$`).MatchString(name) {
			name += "-*"
		}
		if found, err := filepath.Glob("testdata/" + name); err != nil || len(found) == 0 {
			t.Errorf("there is no testdata/%s", name)
		}
	}
}
