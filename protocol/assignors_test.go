package protocol

import (
	"strings"
	"testing"
)

// The releases that share an algorithm, assignor by assignor.
func TestAssignorRulesByRelease(t *testing.T) {
	type groups struct {
		releases string
		rules    AssignorRules
	}
	for _, g := range []groups{
		{"0.10.0.0 0.10.1.1 0.10.2.2", AssignorRules{}},
		{"0.11.0.0 1.0.2 1.1.1 2.0.1", AssignorRules{Sticky: StickyNotModelled}},
		{"2.1.0 2.2.2 2.3.1", AssignorRules{Range: RangeComputeOrder, Sticky: StickyNotModelled}},
		{"2.4.0 2.4.1 2.5.0", AssignorRules{
			RangeStaticFirst, RoundRobinStaticFirst, StickyBoth,
			StickyEqualAbsent, StickyGeneralAnySubscriptions, StickyClaimsByPartition, StickyReadsOnce, CooperativeGenerationAbsent,
		}},
		{"2.5.1 2.6.0 2.6.3 2.7.0 2.7.2 2.8.0", AssignorRules{
			RangeStaticFirst, RoundRobinStaticFirst, StickyBoth,
			StickyEqualQueues, StickyGeneralUnequal, StickyClaimsHighest, StickyRereadEmpty, CooperativeGenerationAbsent,
		}},
		{"2.8.1 2.8.2", AssignorRules{
			RangeStaticFirst, RoundRobinStaticFirst, StickyBoth,
			StickyEqualQueuesDisputed, StickyGeneralUnequal, StickyClaimsDisputed, StickyRereadEmpty, CooperativeGenerationUserData,
		}},
		{"3.0.0 3.0.2 3.1.0 3.2.3 3.3.2", AssignorRules{
			RangeStaticFirst, RoundRobinStaticFirst, StickyBoth,
			StickyEqualFill, StickyGeneralKeepsOrder, StickyClaimsRemembered, StickyRereadWhole, CooperativeGenerationUserData,
		}},
		{"3.4.0", AssignorRules{
			RangeStaticFirst, RoundRobinStaticFirst, StickyBoth,
			StickyEqualFill, StickyGeneralKeepsOrder, StickyClaimsRemembered, StickyRereadWhole, CooperativeGenerationField,
		}},
		{"3.4.1", AssignorRules{
			RangeStaticFirst, RoundRobinStaticFirst, StickyBoth,
			StickyEqualFill, StickyGeneralKeepsOrder, StickyClaimsPairwise, StickyRereadWhole, CooperativeGenerationField,
		}},
		{"3.5.0 3.5.1", AssignorRules{
			RangeRackAware, RoundRobinStaticFirst, StickyBoth,
			StickyEqualRacks, StickyGeneralRacks, StickyClaimsPairwise, StickyRereadWhole, CooperativeGenerationField,
		}},
		{"3.5.2 3.6.0 3.6.2 3.7.0", AssignorRules{
			RangeRackAware, RoundRobinStaticFirst, StickyBoth,
			StickyEqualRacks, StickyGeneralRacksBalanced, StickyClaimsPairwiseWinner, StickyRereadWhole, CooperativeGenerationField,
		}},
		{"3.7.1 3.7.2 3.8.0 3.9.0 3.9.1 4.0-2024-10", AssignorRules{
			RangeRackAware, RoundRobinStaticFirst, StickyBoth,
			StickyEqualRacksCounted, StickyGeneralRacksBalanced, StickyClaimsPairwiseWinner, StickyRereadWhole, CooperativeGenerationField,
		}},
	} {
		for _, name := range strings.Fields(g.releases) {
			r, err := ParseRelease(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := AssignorRulesOf(r); got != g.rules {
				t.Errorf("%s: %+v, want %+v", name, got, g.rules)
			}
			if err := g.rules.Check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestAssignorRowsAreInOrder(t *testing.T) {
	for i, row := range assignorRows {
		if i > 0 && MustRelease(row.Release).Compare(MustRelease(assignorRows[i-1].Release)) < 0 {
			t.Errorf("%s stands behind %s", row.Release, assignorRows[i-1].Release)
		}
		if row.ID == "" || row.What == "" || row.Assignor == nil {
			t.Errorf("the row of %s is not complete", row.Release)
		}
	}
}
