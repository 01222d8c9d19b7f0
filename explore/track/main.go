// Track keeps docs/track-record.md: which known bugs of Kafka the default swarm finds, when
// each is switched on and nothing else is said.
//
//	go run ./explore/track                       # all bugs
//	go run ./explore/track KAFKA-9885 KAFKA-3470 # these; what is known of the others stays
//	go run ./explore/track -find KAFKA-9885      # says only after how many seeds
//
// For each bug it looks in ten places of the seeds for the first run with a finding, and
// makes the first place's run small. What is found does not hang on the machine. Each bug is
// written down as it is done, so that a search that is stopped has lost nothing.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/explore/shrink"
	"github.com/rebalsim/rebalsim/protocol"
)

func main() {
	seeds := flag.Uint64("seeds", 20_000, "so many seeds at most, from each place")
	rounds := flag.Int("rounds", 10, "so many places")
	docs := flag.String("docs", "docs", "the folder with track-record.md, and track-record for the small cases")
	find := flag.Bool("find", false, "look in the first place only, and write nothing")
	flag.Parse()
	defer explore.CollectLess()()
	bugs, err := asked(flag.Args())
	if err != nil {
		fail(err)
	}
	if *find {
		*rounds = 1
	}
	s := searcher{seeds: *seeds, rounds: *rounds, find: *find, docs: *docs}
	if err := s.all(bugs); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintf(os.Stderr, "track: %s\n", err)
	os.Exit(1)
}

// asked are the bugs of the names, all without one.
func asked(names []string) ([]protocol.Bug, error) {
	if len(names) == 0 {
		return protocol.Bugs(), nil
	}
	var bugs []protocol.Bug
	for _, name := range names {
		b, err := protocol.FindBug(name)
		if err != nil {
			return nil, err
		}
		bugs = append(bugs, *b)
	}
	return bugs, nil
}

// searcher looks for bugs.
type searcher struct {
	seeds  uint64
	rounds int
	find   bool // nothing is made small, and nothing written
	docs   string
}

// all searches for the bugs on all cores, each on one.
func (s *searcher) all(bugs []protocol.Bug) error {
	errs := make([]error, len(bugs))
	var mu sync.Mutex
	next := 0
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(bugs) {
					return
				}
				r, small, err := s.search(&bugs[i])
				fmt.Fprintf(os.Stderr, "%-20s %s\n", bugs[i].ID, r.found())
				if err == nil && !s.find {
					mu.Lock()
					err = record(s.docs, r, small)
					mu.Unlock()
				}
				if err != nil {
					errs[i] = fmt.Errorf("%s: %w", bugs[i].ID, err)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// apart is how far the places lie apart at which the search begins.
const apart = 10_000_000

// search looks for a bug, and gives the first place's run made small. If that place has no
// finding the others are left out, as each would take as long: the bug counts as not found.
func (s *searcher) search(b *protocol.Bug) (r row, small *explore.Failure, err error) {
	r = row{Bug: b.ID, Seeds: s.seeds, Places: s.rounds}
	for i := range s.rounds {
		from := uint64(i)*apart + 1
		seed, signature := s.first(b, from)
		if seed == 0 && i == 0 {
			return r, nil, nil
		}
		if seed == 0 {
			r.Needed = append(r.Needed, s.seeds+1)
			continue
		}
		r.Needed = append(r.Needed, seed-from+1)
		if i > 0 {
			continue
		}
		r.Signature = signature
		if s.find {
			return r, nil, nil
		}
		if small, err = r.shrink(explore.Swarm{Bugs: []string{b.ID}}.Generate(seed)); err != nil {
			return r, nil, err
		}
	}
	slices.Sort(r.Needed)
	return r, small, nil
}

// first is the first seed of a place with a finding that the same seed does not have
// without the bug, and what it finds; 0 if there is none.
func (s *searcher) first(b *protocol.Bug, from uint64) (seed uint64, signature string) {
	with, without := explore.Swarm{Bugs: []string{b.ID}}, explore.Swarm{}
	var p explore.Player
	for seed := from; seed < from+s.seeds; seed++ {
		c := with.Generate(seed)
		if has(b, &c) {
			continue // with and without are the same run
		}
		o := p.Play(c)
		if len(o.Findings) == 0 {
			continue
		}
		plain := explore.Play(without.Generate(seed))
		for i := range o.Findings {
			if sign := explore.SignatureOf(&o.Findings[i]); !plain.Has(sign) {
				return seed, sign
			}
		}
	}
	return 0, ""
}

// shrink makes the case of the row's finding small.
func (r *row) shrink(c explore.Case) (*explore.Failure, error) {
	small, report, err := shrink.Shrink(c, r.Signature, shrink.Limit{})
	if err != nil {
		return nil, err
	}
	r.Before, r.After = report.Before, report.After
	g := explore.Group{Signature: r.Signature}
	g.Become(small)
	return &explore.Failure{Case: g.Shortest.Case, Version: "track", Signature: g.Signature,
		Text: g.Shortest.Finding.Text, Hash: g.Shortest.Hash}, nil
}
