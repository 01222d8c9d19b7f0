package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/protocol"
)

const joining = `about: A new member joins.
brokers: 2
topics: {orders: {partitions: 2}}
group: {id: my-group, config: {enable.auto.commit: false, partition.assignment.strategy: [range]}}
members: {L: {}, N: {}}
start: {formed: {leader: L, members: [L], generation: 2, state: Stable}}
`

// What a search finds is told as a scenario whose plain run shows it, and nothing that was
// added to it can be left out.
func TestPathsAreRetold(t *testing.T) {
	cases := []struct {
		bug    string
		faults Faults
		added  []string
	}{
		{"KAFKA-10134", Faults{Kill: []string{"L", "N"}}, []string{"L.JoinGroup#1.answer", "kill: L"}},
		{"KAFKA-9752", Faults{Kill: []string{"N"}}, []string{"end", "kill: N"}},
	}
	for _, c := range cases {
		b, err := protocol.FindBug(c.bug)
		if err != nil {
			t.Fatal(err)
		}
		u := setup(load(t, joining).With(b), c.faults)
		found := search1(t, u, Options{Reduce: true}).Broken
		if found == nil {
			t.Fatalf("%s: nothing is found", c.bug)
		}
		told := u.Retell(found, joining, []string{c.bug})
		if told == nil {
			t.Errorf("%s: no scenario tells of\n%s", c.bug, strings.Join(found.Path, "\n"))
			continue
		}
		if len(told.Added) != len(c.added) {
			t.Errorf("%s: added %q", c.bug, told.Added)
		}
		for i := range told.Added {
			if !strings.Contains(told.Added[i], c.added[i]) {
				t.Errorf("%s: %q should be about %s", c.bug, told.Added[i], c.added[i])
			}
		}
		if o := explore.Play(told.Case); !o.Has(told.Signature) || o.Hash != told.Hash {
			t.Errorf("%s: played again: %v, not %s", c.bug, o.Findings, told.Signature)
		}
	}
}

// An order that only a search has is told by what messages take.
func TestAnOrderIsRetold(t *testing.T) {
	text := groupText(2, true, "")
	u := setup(load(t, text), Faults{})
	u.plant = plantGreedy
	found := search1(t, u, Options{Reduce: true, FactsOnly: true}).Broken
	told := u.Retell(found, text, nil)
	if told == nil {
		t.Fatalf("no scenario tells of\n%s", strings.Join(found.Path, "\n"))
	}
	late := func(s string) bool { return strings.Contains(s, "delay: {message: L.JoinGroup#1, by: ") }
	if len(told.Added) > 2 || !slices.ContainsFunc(told.Added, late) {
		t.Errorf("added %q", told.Added)
	}

	u.plant = nil // and what no run breaks is not told
	if told := u.Retell(found, text, nil); told != nil {
		t.Errorf("without the defect: %+v", told)
	}
}
