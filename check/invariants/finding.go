package invariants

import (
	"fmt"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Finding is an invariant that a run broke.
type Finding struct {
	// Invariant is its name: "commit-current".
	Invariant string
	// Place says where in the protocol it broke, in words that are the same for every
	// run that breaks it so: states, kinds of requests, errors, roles, and no names of
	// members, numbers or times.
	Place string
	// At is when it broke first, and Event the stable name of the record that showed it;
	// "" for what showed only at the end.
	At    sim.Time
	Event string
	// Text says what was, and what should have been.
	Text string
	// Known is the issue that explains it, "" if none does: a flaw of the release, or of
	// the protocol, that is not this run's news. See Exemptions.
	Known string
	// Times is how often it broke here.
	Times int
}

// Signature tells findings of different kinds apart: what is the same in another run
// has the same signature.
func (f *Finding) Signature() string { return f.Invariant + ": " + f.Place }

// String is the finding on one line.
func (f *Finding) String() string {
	s := fmt.Sprintf("%s s  %s (%s): %s", f.At, f.Invariant, f.Place, f.Text)
	if f.Known != "" {
		s += " [" + f.Known + "]"
	}
	return s
}

// Unexplained are those of the findings that no known issue explains: the run has
// failed if there are any.
func Unexplained(list []Finding) []Finding {
	var news []Finding
	for _, f := range list {
		if f.Known == "" {
			news = append(news, f)
		}
	}
	return news
}

// Invariant is something that must hold of every run.
type Invariant struct {
	Name string
	// Since is the first release that promises it; "0.9" for those that always did.
	Since string
	// Statement is what must hold.
	Statement string
	// Why is the reason in Kafka's terms.
	Why string
}

// Exemption is a known flaw that breaks an invariant.
type Exemption struct {
	Invariant string
	// Place is the finding's, or the beginning of it; "" for all.
	Place string
	// Issue is Kafka's, or "none known". Where the flaw is a bug that can be switched on
	// it is the protocol.Bug's ID.
	Issue string
	// Behaviour says with which of protocol's behaviours the flaw is there: "broker
	// CommitRenews=false"; "" if it is the protocol's own, in every release.
	Behaviour string
	Text      string

	broker   func(*protocol.BrokerRules) bool
	client   func(*protocol.ClientRules) bool
	assignor func(*protocol.AssignorRules) bool
}
