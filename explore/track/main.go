// Track writes docs/track-record.md: which known bugs of Kafka the default swarm finds, when
// each is switched on and nothing else is said.
//
//	go run ./explore/track -dir docs/track-record > docs/track-record.md
//
// For each bug it looks in ten places of the seeds for the first run with a finding, and
// makes the first place's run small. What is found does not hang on the machine.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/explore/shrink"
	"github.com/rebalsim/rebalsim/protocol"
)

func main() {
	seeds := flag.Uint64("seeds", 20_000, "so many seeds at most, from each place")
	rounds := flag.Int("rounds", 10, "so many places")
	dir := flag.String("dir", "docs/track-record", "where the small cases go")
	flag.Parse()
	var rows []row
	for _, b := range protocol.Bugs() {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), b.ID) {
			continue
		}
		r, err := search(b, *seeds, *rounds, *dir)
		if err != nil {
			fmt.Fprintf(os.Stderr, "track: %s: %s\n", b.ID, err)
			os.Exit(1)
		}
		fmt.Fprintf(os.Stderr, "%-20s %s\n", b.ID, r.found())
		rows = append(rows, r)
	}
	write(os.Stdout, rows, *seeds, *rounds)
}

// apart is how far the places lie apart at which the search begins.
const apart = 10_000_000

// row is what came of one bug.
type row struct {
	bug       protocol.Bug
	needed    []uint64 // seeds until the first finding, of each place that had one
	signature string
	report    shrink.Report
	file      string
}

// search looks for a bug. If the first place has no finding the others are left out: their
// median could not say that it is found.
func search(b protocol.Bug, seeds uint64, rounds int, dir string) (r row, err error) {
	r.bug = b
	for i := range rounds {
		from := uint64(i)*apart + 1
		group := first(explore.Swarm{Bugs: []string{b.ID}}, from, seeds)
		if group == nil {
			if i == 0 {
				return r, nil
			}
			r.needed = append(r.needed, seeds+1)
			continue
		}
		r.needed = append(r.needed, group.First-from+1)
		if i > 0 {
			continue
		}
		r.signature = group.Signature
		small, report, err := shrink.Shrink(group.Shortest.Case, group.Signature, 0)
		if err != nil {
			return r, err
		}
		r.report = report
		if r.file, err = save(b.ID, group, small, dir); err != nil {
			return r, err
		}
	}
	slices.Sort(r.needed)
	return r, nil
}

// first is the first finding of some seeds that the same seed without the bugs does not
// have; nil if there is none.
func first(s explore.Swarm, from, seeds uint64) *explore.Group {
	const step = 64
	without := s
	without.Bugs = nil
	for next := from; next < from+seeds; next += step {
		b := explore.Batch{Sources: []explore.Source{s.Source()}, From: next, Seeds: min(step, from+seeds-next)}
		for _, g := range b.Run(nil).Failures { // in the order of the first seed
			if o := explore.Play(without.Generate(g.First)); o.Has(g.Signature) {
				continue
			}
			g.Shortest.Case = s.Generate(g.First)
			return &g
		}
	}
	return nil
}

func save(id string, g *explore.Group, small explore.Case, dir string) (string, error) {
	g.Become(small)
	f := explore.Failure{Case: g.Shortest.Case, Version: "track", Signature: g.Signature,
		Text: g.Shortest.Finding.Text, Hash: g.Shortest.Hash}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	file := filepath.Join(dir, id+".yaml")
	return file, os.WriteFile(file, f.Marshal(), 0o666)
}
