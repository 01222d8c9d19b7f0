package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
)

// The story of every built-in scenario fits the screen, whatever its size.
func TestStoriesFitTheScreen(t *testing.T) {
	for _, b := range scenarios.List() {
		for _, kafka := range []string{"", "0.10.0.1", "2.4", "3.9"} {
			args := []string{"run", b.Name}
			if kafka != "" {
				args = append(args, "--kafka", kafka)
			}
			var out, errs bytes.Buffer
			code := run(args, strings.NewReader(""), &out, &errs)
			if code == exitUnusable && !meant(t, b, kafka) {
				continue // it says nothing of this release, which may be unable to play it
			}
			if code > exitFailed {
				t.Errorf("%v: exit code %d: %s", args, code, &errs)
				continue
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			failed := strings.Contains(out.String(), "\nFAIL") // what failed is told in full
			if len(lines) > report.Lines && !failed {
				t.Errorf("%v: %d lines", args, len(lines))
			}
			for _, l := range withoutReason(lines) {
				t.Errorf("%v: no reason: %s", args, l)
			}
			for _, l := range lines {
				if n := utf8.RuneCountInString(l); n > report.Columns && !strings.HasPrefix(l, " replay: ") {
					t.Errorf("%v: %d columns: %s", args, n, l)
				}
			}
		}
	}
}

// withoutReason are the members of a story's table that read nothing for more than a few
// messages take, and have no reason for it.
func withoutReason(lines []string) (bad []string) {
	stood, because := -1, 0
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, " member "):
			stood, because = strings.Index(l, "read nothing"), strings.Index(l, "of that")
		case stood < 0:
		case strings.Contains(l, "down, frozen, or no partition"):
			return bad
		case len(l) > stood && !strings.HasPrefix(l[stood:], "0.0") && len(l) <= because:
			bad = append(bad, l)
		}
	}
	return append(bad, "no table")
}

// meant reports whether a scenario says anything of a release.
func meant(t *testing.T, b scenarios.Builtin, kafka string) bool {
	t.Helper()
	s, err := b.Load()
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Releases(kafka)
	if err != nil {
		t.Fatal(err)
	}
	return (&scenario{Scenario: s}).meantFor(k)
}
