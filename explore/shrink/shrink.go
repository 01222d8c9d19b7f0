// Package shrink makes a case that fails small, so that a person can read it.
//
// It is delta debugging over what the case is made of: the answers of chance that were
// not plain, the steps of the timeline, the members, brokers and topics with all that
// refers to them, every other entry of the file, and the values in it. Each try is
// played; it counts only if the run still shows a finding of the same signature and the
// case costs less than before. So the result is a scenario like any other, and shrinking
// is a pure function of the case.
//
// Its limits: it finds a small case, not the smallest, and a finding of the same
// signature may have another cause than the one that was begun with.
package shrink

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/sim"
)

// Size is how large a case is.
type Size struct {
	Events    uint64 `json:"events"` // facts in its trace
	Members   int    `json:"members"`
	Steps     int    `json:"steps"`     // of the timeline: actions and faults
	Decisions int    `json:"decisions"` // answers of chance that are not plain
	Lines     int    `json:"lines"`     // of the scenario
}

// Report is what shrinking did.
type Report struct {
	Before, After Size
	// Plays is how many runs it took, long ones counted as several; Spent is that no more
	// were allowed.
	Plays int
	Spent bool
}

// String is the report in a line.
func (r Report) String() string {
	s := fmt.Sprintf("%d -> %d events, %d -> %d members, %d -> %d steps, %d -> %d decisions, in %d runs",
		r.Before.Events, r.After.Events, r.Before.Members, r.After.Members, r.Before.Steps, r.After.Steps,
		r.Before.Decisions, r.After.Decisions, r.Plays)
	if r.Spent {
		s += ", which is all that were allowed"
	}
	return s
}

// DefaultPlays is how many runs shrinking may take unless it is told otherwise.
const DefaultPlays = 3000

// ordinary is how many events a run has that counts as one; a longer one counts as more, so
// that what shrinking may take is bounded by the work, and not by the clock.
const ordinary = 10_000

// Limit is how long shrinking may go on.
type Limit struct {
	Plays int // how many runs it may take, long ones counted as several; 0: DefaultPlays
	// GoOn is asked before each run with how many are left, and ends shrinking if it says no:
	// then what is smallest so far is given. Nil: it always goes on.
	GoOn func(left int) bool
}

// Shrink gives a smaller case whose run has a finding of the same signature. The error says
// that the case itself has none.
func Shrink(c explore.Case, signature string, limit Limit) (explore.Case, Report, error) {
	return (&shrinker{signature: signature, limit: limit}).shrink(c)
}

// Chance is Shrink that leaves the scenario as it is, and makes only the answers of chance
// plain: what a person wrote, and expects, is not what is wrong.
func Chance(c explore.Case, signature string, limit Limit) (explore.Case, Report, error) {
	return (&shrinker{signature: signature, limit: limit, chance: true}).shrink(c)
}

// Of is Chance for a broken expectation, which is of its very scenario, else Shrink.
func Of(c explore.Case, f *explore.Finding, limit Limit) (explore.Case, Report, error) {
	if f.Invariant == explore.Expectation {
		return Chance(c, f.Signature(), limit)
	}
	return Shrink(c, f.Signature(), limit)
}

func (s *shrinker) shrink(c explore.Case) (explore.Case, Report, error) {
	most := s.limit.Plays
	if most == 0 {
		most = DefaultPlays
	}
	s.left = most
	if !c.Recorded {
		c = explore.Record(c)
	}
	first, err := parse(c)
	if err != nil {
		return c, Report{}, err
	}
	o := s.play(c)
	if o.Err != nil {
		return c, Report{}, o.Err
	}
	if !o.Has(s.signature) {
		return c, Report{}, fmt.Errorf("the run has no finding of %q", s.signature)
	}
	s.best, s.bestCost, s.outcome = first, cost(c, &o), o
	r := Report{Before: size(first, c, &o)}
	s.run()
	if !s.chance {
		set(s.best.root(), "about", text(fmt.Sprintf("What is left of %s. It still shows %s.", title(c), s.signature)))
	}
	small := s.best.write()
	r.After, r.Plays, r.Spent = size(s.best, small, &s.outcome), most-s.left, s.left <= 0
	return small, r, nil
}

// shrinker holds the smallest case so far.
type shrinker struct {
	signature string
	limit     Limit
	chance    bool // the scenario stays as it is
	player    explore.Player
	best      *candidate
	bestCost  uint64
	outcome   explore.Outcome // of the best
	left      int             // runs that may still be made
}

// play plays a case, which counts.
func (s *shrinker) play(c explore.Case) explore.Outcome {
	o := s.player.Play(c)
	s.left -= 1 + int(o.Events/ordinary)
	return o
}

// over reports whether no more runs are allowed, or wanted.
func (s *shrinker) over() bool {
	return s.left <= 0 || s.limit.GoOn != nil && !s.limit.GoOn(s.left)
}

// run passes over the case, the coarsest pieces first, until a round finds nothing more.
func (s *shrinker) run() {
	for was := uint64(0); s.bestCost != was && !s.over(); {
		was = s.bestCost
		if s.rests() && !s.chance { // first, as all that follows takes less time then
			s.patience()
		}
		s.decisions()
		if s.chance {
			continue
		}
		s.list("timeline")
		s.names()
		s.entries()
		if !s.rests() {
			s.ending()
		}
		s.values()
	}
}

// try plays a candidate and keeps it if it fails in the same way for less.
func (s *shrinker) try(c *candidate) bool {
	if s.over() {
		return false
	}
	played := c.write()
	if s.rests() && !sameRest(c.root(), s.best.root()) {
		return false
	}
	o := s.play(played)
	if o.Err != nil || !o.Has(s.signature) || s.rests() && o.Ended != "" && o.End < o.Patience && !same(find(c.root(), "end"), find(s.best.root(), "end")) {
		return false
	}
	if price := cost(played, &o); price < s.bestCost {
		s.best, s.bestCost, s.outcome = c, price, o
		return true
	}
	return false
}

// rests reports whether the finding is that a run does not come to rest. Then how it ends
// is part of the finding: any run that is cut short too early does not.
func (s *shrinker) rests() bool {
	return strings.HasPrefix(s.signature, "settles: ")
}

// sameRest reports whether two scenarios end alike, but for how long they may last.
func sameRest(a, b *yaml.Node) bool {
	a, b = find(a, "end"), find(b, "end")
	for _, key := range []string{"at", "settled-for"} {
		if !same(find(a, key), find(b, key)) {
			return false
		}
	}
	return true
}

// cost is what is made less: events are what has to be read in a run, the text what has
// to be read before, and a decision that is not plain is an accident to be explained.
func cost(c explore.Case, o *explore.Outcome) uint64 {
	return o.Events + 3*uint64(len(c.Scenario)) + 20*uint64(len(c.Decisions))
}

func title(c explore.Case) string {
	if c.Name == "" {
		return fmt.Sprintf("seed %d", c.Seed)
	}
	return c.Name
}

func size(c *candidate, played explore.Case, o *explore.Outcome) Size {
	return Size{Events: o.Events, Members: members(c.root()), Steps: entriesOf(find(c.root(), "timeline")),
		Decisions: len(c.kase.Decisions), Lines: strings.Count(strings.TrimSpace(played.Scenario), "\n") + 1}
}

// candidate is a case whose scenario is a tree.
type candidate struct {
	doc  *yaml.Node
	kase explore.Case
}

func parse(c explore.Case) (*candidate, error) {
	doc := new(yaml.Node)
	if err := yaml.Unmarshal([]byte(c.Scenario), doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: a scenario is a map", c.Name)
	}
	uncomment(doc)
	return &candidate{doc: doc, kase: c}, nil
}

func (c *candidate) root() *yaml.Node { return c.doc.Content[0] }

// change is a copy with something done to its tree.
func (c *candidate) change(f func(root *yaml.Node)) *candidate {
	n := &candidate{doc: clone(c.doc), kase: c.kase}
	f(n.root())
	return n
}

// with is the candidate with other decisions.
func (c *candidate) with(list []sim.Decision) *candidate {
	n := *c
	n.kase.Decisions = list
	return &n
}

// write is the candidate as a case.
func (c *candidate) write() explore.Case {
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(c.doc); err != nil {
		panic(err) // a tree that was read can be written
	}
	played := c.kase
	played.Scenario = b.String()
	return played
}
