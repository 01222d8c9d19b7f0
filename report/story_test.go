package report

import (
	"slices"
	"testing"
)

// No line is broken within a command.
func TestWrapBreaksNoCommand(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{`it is known: "rebalsim invariants --flaws" tells of it`, []string{`it is known:`, `"rebalsim invariants --flaws"`, `tells of it`}},
		{`say ("rebalsim list") or not`, []string{`say ("rebalsim list") or`, `not`}},
		{`an open "rebalsim has no end`, []string{`an open "rebalsim has no`, `end`}},
	} {
		if got := Wrap(c.text, 24, ""); !slices.Equal(got, c.want) {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}
