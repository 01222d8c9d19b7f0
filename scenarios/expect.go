package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
)

// Expectation is one thing that a run is expected to show. Each is judged by itself.
type Expectation struct {
	Pos Pos
	// Text is what the file says, on one line.
	Text string
	// When is for which releases it is expected.
	When Releases
	What Expected
}

// Wants is what the history of a run has to keep for what is expected of it to be judged.
func Wants(list []Expectation) (w history.Wanted) {
	for _, e := range list {
		check.Wants(e.What, &w)
	}
	return w
}

// VariantFigure is what a figure of a variant is expected to be, over all seeds.
type VariantFigure struct {
	Pos  Pos
	Text string // what the file says
	check.VariantFigure
}

// What is expected of a run is package check's to say and to judge.
type (
	Expected         = check.Expected
	ExpectEvent      = check.ExpectEvent
	ExpectMoment     = check.ExpectMoment
	ExpectMetrics    = check.ExpectMetrics
	ExpectEventually = check.ExpectEventually
	ExpectGeneration = check.ExpectGeneration
	ExpectNever      = check.ExpectNever
	ExpectOrder      = check.ExpectOrder
	ExpectCount      = check.ExpectCount
	Answered         = check.Answered
	Tri              = check.Tri
	Number           = check.Number
	Members          = check.Members
	Partitions       = check.Partitions
	Holds            = check.Holds
	EventName        = check.EventName
	Verb             = check.Verb
)

const (
	AnsweredAnyhow       = check.AnsweredAnyhow
	AnsweredAtOnce       = check.AnsweredAtOnce
	AnsweredLater        = check.AnsweredLater
	AnsweredNever        = check.AnsweredNever
	AnsweredDisconnected = check.AnsweredDisconnected

	Unsaid = check.Unsaid
	Yes    = check.Yes
	No     = check.No

	VerbRequest  = check.VerbRequest
	VerbAnswer   = check.VerbAnswer
	VerbGroup    = check.VerbGroup
	VerbRevoked  = check.VerbRevoked
	VerbAssigned = check.VerbAssigned
	VerbLost     = check.VerbLost
	VerbServes   = check.VerbServes
	VerbThrown   = check.VerbThrown
	VerbLoaded   = check.VerbLoaded
	VerbUnloaded = check.VerbUnloaded
	VerbStarted  = check.VerbStarted
	VerbCrashed  = check.VerbCrashed
	VerbEnded    = check.VerbEnded
)

// Releases says for which releases something holds: those that meet all bounds and
// none of the exceptions.
type Releases struct {
	Bounds, Except []Bound
	// Plain is that it holds only when nothing is left to chance, Drawn that it holds only
	// when something is: the plain run has the least of every range, and is no sample.
	Plain, Drawn bool
}

// Bound bounds the releases of the brokers, or, with Client, of the clients.
type Bound struct {
	Client bool
	// Min and Max are lines or releases, both included, unless Below is set: then
	// Max itself is not.
	Min, Max       protocol.Release
	HasMin, HasMax bool
	Below          bool
}

// Hold reports whether they hold for these.
func (r Releases) Hold(k Kafka) bool {
	for _, b := range r.Bounds {
		if !b.holds(k) {
			return false
		}
	}
	return !slices.ContainsFunc(r.Except, func(b Bound) bool { return b.holds(k) })
}

func (b Bound) holds(k Kafka) bool {
	v := k.Broker
	if b.Client {
		v = k.Client
	}
	return !(b.HasMin && v.Compare(b.Min) < 0 ||
		b.HasMax && (v.Compare(b.Max) > 0 || b.Below && v.Compare(b.Max) == 0))
}

// Expected lists what is expected of every run with these releases, whatever chance
// decides, in the order of the file.
func (s *Scenario) Expected(k Kafka) []Expectation { return s.expected(k, false) }

// ExpectedPlain lists what is expected of the run in which nothing is left to chance.
func (s *Scenario) ExpectedPlain(k Kafka) []Expectation { return s.expected(k, true) }

// Expected lists what is expected of this run, of releases that the scenario knows.
func (c *Cluster) Expected(k Kafka) []Expectation {
	return c.director().scenario.expected(k, c.World.Plain())
}

func (s *Scenario) expected(k Kafka, plain bool) []Expectation {
	var list []Expectation
	for _, e := range s.Expect {
		if e.When.Hold(k) && !(e.When.Plain && !plain) && !(e.When.Drawn && plain) {
			list = append(list, e)
		}
	}
	return list
}
