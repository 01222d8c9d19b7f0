package assignor

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
)

// TestEveryRuleMatters steps each rule to its neighbour in the release of each
// vector file, and requires that between any two values some vector tells the
// difference.
func TestEveryRuleMatters(t *testing.T) {
	type rule struct {
		name   string
		values uint8
		step   func(*protocol.AssignorRules, uint8) uint8 // adds to the value; gives the new one
	}
	rules := []rule{
		{"Range", 4, func(r *protocol.AssignorRules, by uint8) uint8 { return step(&r.Range, by) }},
		{"RoundRobin", 2, func(r *protocol.AssignorRules, by uint8) uint8 { return step(&r.RoundRobin, by) }},
		{"Sticky", 3, func(r *protocol.AssignorRules, by uint8) uint8 { return step(&r.Sticky, by) }},
		{"StickyEqual", 6, func(r *protocol.AssignorRules, by uint8) uint8 { return step(&r.StickyEqual, by) }},
		{"StickyGeneral", 6, func(r *protocol.AssignorRules, by uint8) uint8 { return step(&r.StickyGeneral, by) }},
		{"StickyClaims", 7, func(r *protocol.AssignorRules, by uint8) uint8 { return step(&r.StickyClaims, by) }},
		{"StickyReread", 3, func(r *protocol.AssignorRules, by uint8) uint8 { return step(&r.StickyReread, by) }},
		{"CooperativeGeneration", 3, func(r *protocol.AssignorRules, by uint8) uint8 { return step(&r.CooperativeGeneration, by) }},
	}
	told := make(map[string]string) // "Range 0-1" -> the first vector that tells
	files, err := filepath.Glob("testdata/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		eachVector(t, file, func(v *vector) {
			is := rulesOf(t, v.Version)
			for _, r := range rules {
				for _, by := range []uint8{1, 255} {
					other := is
					now, then := r.step(&is, 0), r.step(&other, by)
					pair := fmt.Sprintf("%s %d-%d", r.name, min(now, then), max(now, then))
					if then < r.values && told[pair] == "" && !sameUnder(t, v, is, other) {
						told[pair] = v.Version + " " + v.ID
					}
				}
			}
		})
	}
	for _, r := range rules {
		for i := range r.values - 1 {
			pair := fmt.Sprintf("%s %d-%d", r.name, i, i+1)
			switch {
			case told[pair] != "":
				t.Logf("%s: told by %s", pair, told[pair])
			case pair == "Sticky 0-1": // both have no sticky assignor to ask
			default:
				t.Errorf("%s: no vector tells the difference", pair)
			}
		}
	}
}

func step[T ~uint8](v *T, by uint8) uint8 {
	*v += T(by)
	return uint8(*v)
}

// sameUnder says that both rules give the same in all steps.
func sameUnder(t *testing.T, v *vector, a, b protocol.AssignorRules) bool {
	for _, c := range v.calls() {
		in, err := c.input(v.Assignor)
		if err != nil {
			t.Fatal(err)
		}
		x, errX := Assign(v.Assignor, a, in)
		y, errY := Assign(v.Assignor, b, in)
		if (errX == nil) != (errY == nil) || !slices.EqualFunc(x.Assigned, y.Assigned, slices.Equal) {
			return false
		}
	}
	return true
}

// A scenario can force a rule. Rules that do not go together are refused, and
// none of the others breaks anything.
func TestForcedRules(t *testing.T) {
	in := endlessGroup(t)
	refused, ran := 0, 0
	for equal := range protocol.StickyEqualRacksCounted + 1 {
		for general := range protocol.StickyGeneralRacksBalanced + 1 {
			for claims := range protocol.StickyClaimsPairwiseWinner + 1 {
				for reread := range protocol.StickyRereadWhole + 1 {
					rules := protocol.AssignorRules{
						Sticky: protocol.StickyBoth, StickyEqual: equal, StickyGeneral: general,
						StickyClaims: claims, StickyReread: reread,
					}
					if _, err := Assign(CooperativeSticky, rules, in); rules.Check() != nil {
						refused++
						if err == nil {
							t.Errorf("%+v: not refused", rules)
						}
					} else {
						ran++
					}
				}
			}
		}
	}
	t.Logf("%d combinations refused, %d ran", refused, ran)
}
