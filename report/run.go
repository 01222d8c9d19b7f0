// Package report draws what people see of a run from its trace and nothing else: the
// story on one screen, tables, pictures, lines of JSON.
package report

import (
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/sim"
)

// Run is a run that has ended, with what is to be said of it.
type Run struct {
	Name   string // of the scenario
	About  string
	Kafka  string // "0.10.0.1", or "broker 3.9.1, client 2.8.2"
	Seed   uint64
	Chance string // what was left to chance, and what the plain run is: "plain: 1 ms a message, no jitter"
	Group  string
	// NotJava says which clients are not Java's and what they do otherwise, and which
	// settings the releases do not have.
	NotJava []string
	Skipped string // how many records were skipped, and why
	Ended   string // why it ended, if it did not settle: "stopped at 1h, not settled"
	Checks  []Check
	Steps   []Step // of the scenario's timeline
	Replay  string // the command that plays it again
	Hash    string // "t1:3f9ac0d2b7715e08"

	// Invariants is how many things that must hold of every run were watched, and Broken
	// which did not hold.
	Invariants int
	Broken     []Broken

	History *history.History

	// Cost is what the run cost in its window, nil if that was not measured. From is where
	// the window begins if the scenario says so.
	Cost *metrics.Result
	From sim.Time
	// Full is that the story is told in full, however long it is.
	Full bool
}

// Broken is something that must hold of every run, and did not.
type Broken struct {
	Invariant string
	Place     string // where in the protocol
	At        sim.Time
	Event     string // its stable name; "": it showed at the end
	Text      string
	Known     string // the issue that explains it, "" if none does
}

// Check is an expectation and how it came out.
type Check struct {
	Text   string
	OK     bool
	Detail string // of one that failed: what was instead
	Found  string // of figures: what they were
	Event  string // the name of the event that it is about, if it is about one
}

// Step is a step of the timeline and what became of it.
type Step struct {
	Text    string
	Times   int // how often it happened
	Effects int // on how many things it had an effect
	Vain    bool
	Why     string // why it had no effect on something; "": it had, or that is plain
}

// Failed counts the expectations that did not come true.
func (r *Run) Failed() int {
	n := 0
	for _, c := range r.Checks {
		if !c.OK {
			n++
		}
	}
	return n
}

// Unexplained counts what broke though it must hold of every run, and what no known
// issue explains.
func (r *Run) Unexplained() (n int) {
	for i := range r.Broken {
		if r.Broken[i].Known == "" {
			n++
		}
	}
	return n
}
