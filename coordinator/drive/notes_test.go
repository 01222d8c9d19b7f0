package drive

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rebalsim/rebalsim/protocol"
)

// Every note below a script has a line that refers to it, and every line that refers to one
// finds it.
func TestNotesAreReferredTo(t *testing.T) {
	note := regexp.MustCompile(`(?m)^ (\[\d+\]) `)
	reference := regexp.MustCompile(`  (\[\d+\])`)
	noted := 0
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			text := d.Input
			if !strings.Contains(text, "config:") {
				text = fixture + text
			}
			var out strings.Builder
			s, err := Parse(d.Pos, []byte(text), protocol.MustRelease(protocol.Default).String())
			if err != nil {
				return d.Expected // it is for other releases
			}
			if err := s.Play(&out, Show{Rules: true}); err != nil {
				return d.Expected
			}
			body, notes, _ := strings.Cut(out.String(), "\n\n")
			has := map[string]bool{}
			for _, m := range note.FindAllStringSubmatch("\n"+notes, -1) {
				has[m[1]] = true
				if noted++; !strings.Contains(body, "  "+m[1]) {
					t.Errorf("%s: nothing refers to note %s:\n%s", d.Pos, m[1], out.String())
				}
			}
			for _, m := range reference.FindAllStringSubmatch(body, -1) {
				if !has[m[1]] {
					t.Errorf("%s: there is no note %s:\n%s", d.Pos, m[1], out.String())
				}
			}
			return d.Expected
		})
	})
	if noted < 100 {
		t.Errorf("only %d notes", noted)
	}
}
