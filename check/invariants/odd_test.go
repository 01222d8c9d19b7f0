package invariants_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// An odd run is one that looks as if it broke an invariant, and is right by Kafka's rules.
// Each is a scenario in testdata/odd, named after the invariant, whose text says what looks
// wrong and, from the second line on, why it is right. The naive rule beside it is what
// somebody would write down who knows an ordinary run: it holds of one, and the odd run
// breaks it.
var naives = []map[string]func() naive{naiveGroup, naiveAnswers, naiveLog, naiveReading, naiveClients}

// brokenBy are rules that more than one odd run breaks.
var brokenBy = map[string]string{
	"all-assigned-not-wanted":    "all-assigned",
	"callbacks-alternate-threw":  "callbacks-alternate",
	"expired-in-time-no-sync":    "expired-in-time",
	"heartbeats-go-on-assigning": "heartbeats-go-on",
	"heartbeats-go-on-cut":       "heartbeats-go-on",
	"keeps-its-id-unsubscribed":  "keeps-its-id",
	"lost-for-a-reason-closing":  "lost-for-a-reason",
	"nothing-skipped-seek":       "nothing-skipped-twice",
	"settles-one-instance":       "settles",
}

// naive looks at each record, with the view as it is after it, and says what it finds.
type naive func(v *view, r *sim.Rec) string

// atEnd is the record that is not there: the run is over.
var atEnd = &sim.Rec{Node: sim.Nobody}

// ordinary is a run in which nothing is odd.
const ordinary = `about: a group that grows and shrinks in order
brokers: {b1: {config: {group.initial.rebalance.delay.ms: 0s}}}
topics: {orders: {partitions: 4, rate: 1/5s}}
group:
  id: g
  config: {session.timeout.ms: 10s, auto.offset.reset: earliest, partition.assignment.strategy: [range], enable.auto.commit: false}
  program: {commit: sync after batch, on-stop: close-in-turn}
members: {A: {}, B: {start: 2s}, C: {start: 11s}, D: {start: 21s}}
timeline:
  - {at: 31s, close: C}
  - {at: 43s, kill: D}
end: {at: 90s}
`

// oddFiles lists the odd runs in the order of the invariants, with the invariant of each.
func oddFiles(t *testing.T) (files, of []string) {
	t.Helper()
	for _, i := range invariants.Invariants() {
		list, err := filepath.Glob("testdata/odd/" + i.Name + "*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		list = slices.DeleteFunc(list, func(file string) bool { return invariantOf(file) != i.Name })
		if len(list) == 0 {
			t.Errorf("no odd run of %s", i.Name)
		}
		slices.SortFunc(list, func(a, b string) int { return strings.Compare(nameOf(a), nameOf(b)) })
		for _, file := range list {
			files, of = append(files, file), append(of, i.Name)
		}
	}
	return files, of
}

func nameOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".yaml") }

// invariantOf is the invariant of which a file is an odd run: the longest that its name
// begins with.
func invariantOf(file string) (longest string) {
	for _, i := range invariants.Invariants() {
		name := nameOf(file)
		if (name == i.Name || strings.HasPrefix(name, i.Name+"-")) && len(i.Name) > len(longest) {
			longest = i.Name
		}
	}
	return longest
}

func naiveOf(file string) func() naive {
	name := nameOf(file)
	if other := brokenBy[name]; other != "" {
		name = other
	}
	for _, list := range naives {
		if rule := list[name]; rule != nil {
			return rule
		}
	}
	return nil
}

// oddRun is a run that is watched by the invariants and by a naive rule.
type oddRun struct {
	found   []invariants.Finding
	naively string // the first thing that the naive rule found
	failed  []string
}

func playOdd(t *testing.T, name, text string, rule naive) (o oddRun) {
	t.Helper()
	s, err := scenarios.Load(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := scenarios.Build(s, s.Kafka, &sim.Decisions{})
	if err != nil {
		t.Fatal(err)
	}
	facts := invariants.FactsOf(c.World, c.Clients, s.Group.ID)
	m, v, h := invariants.New(facts), newView(facts), history.New(c.World, c.Clients, history.Wanted{})
	c.World.Watch(m)
	c.World.Watch(h)
	c.World.Watch(watch(func(r *sim.Rec) {
		v.observe(r)
		if what := rule(v, r); what != "" && o.naively == "" {
			o.naively = fmt.Sprintf("%s s: %s", r.At, what)
		}
	}))
	c.Run()
	h.Done(c.World.Now())
	v.ended = c.Ended()
	if o.naively == "" {
		o.naively = rule(v, atEnd)
	}
	for _, e := range s.ExpectedPlain(s.Kafka) {
		if instead := check.Judge(e.What, h, s.Group.ID, nil); instead != "" {
			o.failed = append(o.failed, e.Text+": "+instead)
		}
	}
	o.failed = append(o.failed, c.Idle()...)
	o.found = m.Done(invariants.End{At: c.World.Now(), Settled: c.Ended() == "", Excuse: c.Unrest(), Latency: c.Latency()})
	return o
}

type watch func(r *sim.Rec)

func (w watch) Observe(r *sim.Rec) { w(r) }

// TestOdd: each odd run breaks its naive rule and no invariant, not even by a known flaw.
func TestOdd(t *testing.T) {
	files, of := oddFiles(t)
	for i, file := range files {
		t.Run(nameOf(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rule := naiveOf(file)
			if rule == nil {
				t.Fatalf("there is no naive rule for an odd run of %s", of[i])
			}
			o := playOdd(t, file, string(text), rule())
			if o.naively == "" {
				t.Error("the naive rule finds nothing odd")
			}
			for _, f := range o.found {
				t.Errorf("found: %s", f.String())
			}
			for _, f := range o.failed {
				t.Error(f)
			}
			t.Logf("naively, at %s", o.naively)
			if o := playOdd(t, "ordinary.yaml", ordinary, rule()); o.naively != "" || len(o.failed) > 0 {
				t.Errorf("the naive rule does not hold of an ordinary run: %s %v", o.naively, o.failed)
			}
		})
	}
}

// TestOddFiles: every file is of an invariant, and every naive rule of a file.
func TestOddFiles(t *testing.T) {
	files, _ := oddFiles(t)
	all, err := filepath.Glob("testdata/odd/*")
	if err != nil || len(all) != len(files) {
		t.Errorf("%d of %d files are odd runs: %v", len(files), len(all), err)
	}
	n := len(brokenBy)
	for _, list := range naives {
		n += len(list)
	}
	if n != len(files) {
		t.Errorf("%d naive rules for %d odd runs", n, len(files))
	}
}

// oddText is what an odd run's text says: what looks wrong, and why it is right.
func oddText(t *testing.T, file string) (looks, right string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Load(file, text)
	if err != nil {
		t.Fatal(err)
	}
	looks, right, ok := strings.Cut(strings.TrimSpace(s.About), "\n")
	if !ok {
		t.Errorf("%s does not say why it is right", file)
	}
	return looks, strings.ReplaceAll(right, "\n", " ")
}
