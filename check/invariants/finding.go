package invariants

import (
	"fmt"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Finding is an invariant that a run broke.
type Finding struct {
	// Invariant is its name: "commit-current".
	Invariant string `json:"invariant"`
	// Place says where in the protocol it broke, in words that are the same for every
	// run that breaks it so: states, kinds of requests, errors, roles, and no names of
	// members, numbers or times.
	Place string `json:"place,omitempty"`
	// At is when it broke first, and Event the stable name of the record that showed it;
	// "" for what showed only at the end.
	At    sim.Time `json:"at"`
	Event string   `json:"event,omitempty"`
	// Text says what was, and what should have been.
	Text string `json:"text"`
	// Known is the issue that explains it, "" if none does: a flaw of the release, or of
	// the protocol, that is not this run's news. See Exemptions.
	Known string `json:"known,omitempty"`
	// Times is how often it broke here.
	Times int `json:"times,omitempty"`
}

// span is a length of time, given in milliseconds, as findings tell it.
func span[N int32 | int64](ms N) string { return (sim.Time(ms) * sim.Millisecond).String() + " s" }

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
	Name string `json:"name"`
	// Since is the first release that promises it; "0.9" for those that always did.
	Since string `json:"since"`
	// Statement is what must hold.
	Statement string `json:"statement"`
	// Why is the reason in Kafka's terms.
	Why string `json:"why"`
}

// NoIssue is the issue of flaws that Kafka's tracker does not know, as far as this one's table
// does.
const NoIssue = "none known"

// Exemption is a known flaw that breaks an invariant.
type Exemption struct {
	Invariant string `json:"invariant"`
	// Place is the finding's, or the beginning of it; "" for all.
	Place string `json:"place,omitempty"`
	// Issue is Kafka's, or NoIssue. Where the flaw is a bug that can be switched on
	// it is the protocol.Bug's ID.
	Issue string `json:"issue"`
	// From is what brought the rules that the flaw follows from, if no issue is known of it.
	From string `json:"from,omitempty"`
	// Behaviour says with which of protocol's behaviours the flaw is there: "broker
	// CommitRenews=false"; "" if it is the protocol's own, in every release.
	Behaviour string `json:"behaviour,omitempty"`
	Text      string `json:"text"`

	broker   func(*protocol.BrokerRules) bool
	client   func(*protocol.ClientRules) bool
	assignor func(*protocol.AssignorRules) bool
	// cooperative is that the assignor has to be a cooperative one. some is what has to hold of
	// one of the clients besides.
	cooperative bool
	some        func(*client) bool
}
