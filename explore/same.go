package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// Text is a scenario that was played: two batches are of the same if its hash is.
type Text struct {
	Source string `json:"source"`
	Hash   string `json:"hash"`
}

// Begin is the empty result of the batch: all that the results of its parts have in common,
// besides What, Flags and Version, which the batch does not know.
func (b *Batch) Begin() *Result {
	r := &Result{From: b.From, Next: b.From, Seeds: b.Seeds}
	if b.Shards > 1 {
		r.Shard = fmt.Sprintf("%d/%d", b.Shard, b.Shards)
	}
	for _, s := range b.Sources {
		if s.Name != "" {
			r.Texts = append(r.Texts, Text{s.Name, fmt.Sprintf("%016x", sim.HashString(s.Case(0).Scenario))})
		}
	}
	slices.SortFunc(r.Texts, func(a, b Text) int { return cmp.Compare(a.Source, b.Source) })
	return r
}

// Unlike says why a result cannot be added to another as a part of the same batch, ""
// if it can: what was played, with what, or by which program was not the same.
func (r *Result) Unlike(other *Result) string {
	of := func(r *Result) string { return strings.TrimSpace(r.What + " " + r.Flags) }
	switch {
	case of(r) != of(other):
		return fmt.Sprintf("it has %s, and this is %s", of(r), of(other))
	case r.From != other.From:
		return fmt.Sprintf("it begins with seed %d, and this begins with seed %d", r.From, other.From)
	case r.Version != other.Version:
		return fmt.Sprintf("it was played by rebalsim %s, and this is rebalsim %s", cmp.Or(r.Version, "of a version that it does not tell"), other.Version)
	}
	for _, t := range other.Texts {
		if !slices.Contains(r.Texts, t) {
			return fmt.Sprintf("it is of another %s: the text was not the same", t.Source)
		}
	}
	return ""
}
