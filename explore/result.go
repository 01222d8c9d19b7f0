package explore

import (
	"cmp"
	"slices"

	"github.com/rebalsim/rebalsim/golden"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// Result is what a batch, or a part of one, has found. Results of parts are added up.
type Result struct {
	// What says what was played, and Flags how, as the command line has it. Version is the
	// program's, Texts are the scenarios'. Two results can be added up if these are the same.
	What    string `json:"what"`
	Flags   string `json:"flags,omitempty"`
	Version string `json:"version,omitempty"`
	Texts   []Text `json:"texts"`
	// From is the first seed and Next the one after the last. Shard is "2/8" if only a
	// part of the seeds between was played. Of shards that time ended, Furthest is the last
	// Next, if they differ: Next is how far all came.
	From     uint64 `json:"from"`
	Next     uint64 `json:"next"`
	Furthest uint64 `json:"furthest,omitempty"`
	Shard    string `json:"shard,omitempty"`
	// Seeds is how many were planned, from From on and for all shards together; 0: as many as
	// there is time for. Ended is how it ended.
	Seeds uint64 `json:"seeds"`
	Ended Ending `json:"ended"`
	// Runs is how many runs were played, Events how many facts they had together, Twice
	// how many of them were played twice and compared.
	Runs   uint64 `json:"runs"`
	Events uint64 `json:"events"`
	Twice  uint64 `json:"twice"`
	// Unsettled is how many did not come to rest.
	Unsettled uint64 `json:"unsettled"`
	// Unplayable is how many cases could not be played, and why the first of them.
	Unplayable Tally `json:"unplayable"`
	// Failures are the findings by signature, in the order of the first seed that had it.
	Failures []Group `json:"failures"`
	// Known are findings that an issue of Kafka explains, which are no failures.
	Known []Group `json:"known"`
	// Differs are the runs that were not the same when played again.
	Differs []Difference `json:"differs"`
	// Scenarios is how often each scenario was played, Idle how often a step of its
	// timeline did not happen or had nothing to act on.
	Scenarios []Tally `json:"scenarios"`
	Idle      []Tally `json:"idle"`
	// Brokers are the releases that brokers ran.
	Brokers []Tally `json:"brokers"`
	// Coverage is what the runs reached.
	Coverage Coverage `json:"coverage"`
}

// Ending is how a batch has ended.
type Ending string

// The endings. A result that was written meanwhile is one that is broken off.
const (
	BrokenOff Ending = ""
	Whole     Ending = "whole"
	TimeUp    Ending = "time"
)

// Tally is a text with a count.
type Tally struct {
	Source string `json:"source,omitempty"`
	Text   string `json:"text"`
	Runs   uint64 `json:"runs"`
}

// Group is a kind of finding, which many runs may have.
type Group struct {
	// Source is the scenario, "" for generated ones.
	Source    string `json:"source,omitempty"`
	Signature string `json:"signature"`
	// Issue is Kafka's, if one explains it.
	Issue string `json:"issue,omitempty"`
	// Runs is how many runs have it, First the first seed that has. If none has, it is one
	// that was saved before, and First its seed.
	Runs  uint64 `json:"runs"`
	First uint64 `json:"first"`
	// Spread is what the figure was in them, if it is a figure that was expected to be another.
	Spread Spread `json:"spread,omitzero"`
	// Shortest is the run with the fewest events among them, made small, or if Kept the one
	// that was saved before.
	Shortest Found `json:"shortest"`
	Kept     bool  `json:"kept,omitempty"`
	// File is where it was saved, "" if it was not.
	File string `json:"file,omitempty"`
}

// Become puts another run in the place of the shortest, if it has what the group is of.
func (g *Group) Become(c Case) bool {
	o := Play(c)
	for _, f := range o.Findings {
		if SignatureOf(&f) == g.Signature {
			g.Shortest = Found{Case: c, Finding: f, Events: o.Events, Hash: o.Hash}
			return true
		}
	}
	return false
}

// Found is a run with a finding.
type Found struct {
	Case    Case    `json:"case"`
	Finding Finding `json:"finding"`
	Events  uint64  `json:"events"`
	Hash    string  `json:"hash"`
	// Stack is where in a client of one's own it panicked.
	Stack []string `json:"stack,omitempty"`
}

func (f *Found) less(g *Found) bool {
	return f.Events < g.Events || f.Events == g.Events && f.Case.Seed < g.Case.Seed
}

// Difference is a run that was another when it was played again.
type Difference struct {
	Source string `json:"source,omitempty"`
	Seed   uint64 `json:"seed"`
	// Text shows the first event that differs.
	Text string `json:"text"`
}

// count adds one run.
func (r *Result) count(source string, seed uint64, c Case, o *Outcome) {
	if o.Err != nil {
		if r.Unplayable.Runs == 0 {
			r.Unplayable = Tally{Source: c.Name, Text: o.Err.Error()}
		}
		r.Unplayable.Runs++
		return
	}
	r.Runs++
	r.Events += o.Events
	if o.Ended != "" {
		r.Unsettled++
	}
	r.Coverage.Add(o.Coverage)
	r.Brokers = tally(r.Brokers, "", o.Kafka.Broker.String(), 1)
	if source != "" {
		r.Scenarios = tally(r.Scenarios, "", source, 1)
		for _, text := range o.idle {
			r.Idle = tally(r.Idle, source, text, 1)
		}
	}
	for i, f := range o.Findings {
		g := newGroup(source, seed, c, f, o)
		g.Spread = o.figures[i]
		r.Failures = addGroup(r.Failures, g)
	}
	for _, f := range o.Known {
		r.Known = addGroup(r.Known, newGroup(source, seed, c, f, o))
	}
}

func newGroup(source string, seed uint64, c Case, f Finding, o *Outcome) Group {
	return Group{Source: source, Signature: SignatureOf(&f), Issue: f.Known, Runs: 1, First: seed,
		Shortest: Found{Case: c, Finding: f, Events: o.Events, Hash: o.Hash, Stack: o.Stack}}
}

// Add adds what another part of the batch has found.
func (r *Result) Add(s *Result) {
	r.Runs += s.Runs
	r.Events += s.Events
	r.Twice += s.Twice
	r.Unsettled += s.Unsettled
	if r.Unplayable.Runs == 0 {
		r.Unplayable.Source, r.Unplayable.Text = s.Unplayable.Source, s.Unplayable.Text
	}
	r.Unplayable.Runs += s.Unplayable.Runs
	for _, g := range s.Failures {
		r.Failures = addGroup(r.Failures, g)
	}
	for _, g := range s.Known {
		r.Known = addGroup(r.Known, g)
	}
	r.Differs = append(r.Differs, s.Differs...)
	slices.SortStableFunc(r.Differs, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Source, b.Source))
	})
	for _, t := range s.Scenarios {
		r.Scenarios = tally(r.Scenarios, t.Source, t.Text, t.Runs)
	}
	for _, t := range s.Idle {
		r.Idle = tally(r.Idle, t.Source, t.Text, t.Runs)
	}
	for _, t := range s.Brokers {
		r.Brokers = tally(r.Brokers, t.Source, t.Text, t.Runs)
	}
	r.Coverage.Add(&s.Coverage)
}

// addGroup adds a group to the list, which is in the order of first seeds. One thing may have
// several reasons, each of which explains some runs.
func addGroup(list []Group, g Group) []Group {
	i := slices.IndexFunc(list, func(x Group) bool {
		return x.Source == g.Source && x.Signature == g.Signature && x.Issue == g.Issue
	})
	if i < 0 {
		list = append(list, g)
	} else {
		x := &list[i]
		switch { // the seed of one that was saved before is none of the batch's
		case x.Runs == 0:
			x.First = g.First
		case g.Runs > 0:
			x.First = min(x.First, g.First)
		}
		x.Runs += g.Runs
		x.Spread.add(g.Spread)
		if g.Shortest.less(&x.Shortest) {
			x.Shortest = g.Shortest
		}
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Signature, b.Signature), cmp.Compare(a.Issue, b.Issue))
	})
	return list
}

// tally counts a text of a list, which is in the order of texts.
func tally(list []Tally, source, text string, n uint64) []Tally {
	i, found := slices.BinarySearchFunc(list, Tally{Source: source, Text: text}, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Text, b.Text))
	})
	if !found {
		list = slices.Insert(list, i, Tally{Source: source, Text: text})
	}
	list[i].Runs += n
	return list
}

// Never lists the steps of timelines that happened in no run.
func (r *Result) Never() []Tally {
	var list []Tally
	for _, t := range r.Idle {
		for _, s := range r.Scenarios {
			if s.Text == t.Source && s.Runs == t.Runs {
				list = append(list, t)
			}
		}
	}
	return list
}

// firstDifference plays two cases that should be the same run and shows the first event
// in which they differ.
func firstDifference(p *Player, a, b Case) string {
	lines := func(c Case) []string {
		var rec *golden.Recorder
		p.Play(c, func(cluster *scenarios.Cluster) sim.Observer {
			rec = golden.NewRecorder(cluster.World)
			return rec
		})
		if rec == nil {
			return nil // it cannot be played
		}
		return rec.Lines()
	}
	x, y := lines(a), lines(b)
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	at := func(lines []string) string {
		if i < len(lines) {
			return lines[i]
		}
		return "nothing: the run was over"
	}
	if i == len(x) && i == len(y) {
		return "the events are the same, and what is concluded from them is not"
	}
	before := "the beginning"
	if i > 0 {
		before = x[i-1]
	}
	return "after  " + before + "\nfirst  " + at(x) + "\nagain  " + at(y)
}
