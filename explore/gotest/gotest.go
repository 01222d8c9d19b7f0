// Package gotest fuzzes scenarios, and clients of one's own, in a Go test:
//
//	func TestDeploy(t *testing.T) {
//		gotest.Fuzz(t, "testdata/deploy.yaml", 1000)
//	}
//
// REBALSIM_SEED=17 in the environment plays seed 17 alone, without what is saved.
package gotest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/explore/shrink"
	"github.com/rebalsim/rebalsim/sim"
)

// T is what is needed of a *testing.T.
type T interface {
	Helper()
	Name() string
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Failures is the folder, beside the scenario, in which failures are saved.
const Failures = "rebalsim-failures"

// Fuzz plays the scenario of a file with so many seeds on all cores, from 0 on. The test
// fails for each kind of failure: a broken invariant, an expectation of the scenario that
// is not met, a run that is not deterministic, a step that has no effect in any run. The
// shortest run of each kind is made small and saved beside the scenario; what is saved
// there is played before anything else the next time.
func Fuzz(t T, file string, seeds uint64) {
	t.Helper()
	b, alone := batch(t, file, seeds)
	r := b.Begin()
	r.What = file
	store := explore.Store{Dir: filepath.Join(filepath.Dir(file), Failures)}
	var mended []string
	if !alone {
		saved, err := store.Load(b.Sources)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if mended, err = explore.Replay(saved, b.Sources, r); err != nil {
			t.Fatalf("%v", err)
		}
	}
	r = b.Run(r)
	replaced, err := store.Keep(r.Failures, "go test", makeSmall)
	if err != nil {
		t.Errorf("%v", err)
	}
	v := explore.NewVerdict(r, nil, mended)
	v.Replace(replaced)
	text := judge(t, v)
	if i := slices.IndexFunc(v.Failures, func(g explore.Group) bool { return g.Runs > 0 }); i >= 0 {
		text += fmt.Sprintf(" in this test: %s\n", command(t, v.Failures[i].First))
	}
	fail(t, text)
}

func makeSmall(failures []*explore.Group) {
	for _, g := range failures {
		if c, _, err := shrink.Of(g.Shortest.Case, &g.Shortest.Finding, shrink.Limit{}); err == nil {
			g.Become(c)
		}
	}
}

// FuzzClient plays the scenario of a file with clients of one's own in the place of
// Kafka's: client makes the one of a member, given by its name, and may be called by
// several goroutines at once. The brokers, the network and the timeline are the
// scenario's; what clients can be told (to stop, for one) comes to them as commands, of
// type *consumer.Call, which they may ignore. A client that panics fails the test, with its
// stack.
func FuzzClient(t T, file string, seeds uint64, client func(member string) sim.Actor) {
	t.Helper()
	b, _ := batch(t, file, seeds)
	b.Client = client
	r := b.Begin()
	r.What = file
	v := explore.NewVerdict(b.Run(r), nil, nil)
	v.Again = func(g *explore.Group) string { return command(t, g.Shortest.Case.Seed) }
	fail(t, judge(t, v))
}

// batch is the scenario with the seeds, or with the one of the environment alone.
func batch(t T, file string, seeds uint64) (b *explore.Batch, alone bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v", err)
	}
	c := explore.Case{Name: file, Scenario: string(text)}
	if err := explore.Check(c); err != nil {
		t.Fatalf("%v", err)
	}
	b = &explore.Batch{Sources: []explore.Source{explore.Scenario(c)}, Seeds: seeds}
	one := os.Getenv("REBALSIM_SEED")
	if one == "" {
		return b, false
	}
	if b.From, err = strconv.ParseUint(one, 10, 64); err != nil {
		t.Fatalf("REBALSIM_SEED=%s: write a seed, a whole number, 0 or more", one)
	}
	b.Seeds = 1
	return b, true
}

// judge is what the verdict says, "" if nothing is wrong.
func judge(t T, v *explore.Verdict) string {
	t.Helper()
	if v.Exit() == 0 {
		return ""
	}
	var text strings.Builder
	if err := v.Text(&text); err != nil {
		t.Errorf("%v", err)
	}
	return text.String()
}

// fail fails the test with what is said, if anything is.
func fail(t T, text string) {
	t.Helper()
	if text != "" {
		t.Errorf("%s", text)
	}
}

// command plays one seed in this test alone.
func command(t T, seed uint64) string {
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(t.Name()), "/", "$/^") + "$"
	return fmt.Sprintf("REBALSIM_SEED=%d go test -run '%s'", seed, pattern)
}
