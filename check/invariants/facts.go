package invariants

import (
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/sim"
)

// Facts are what a Monitor is told of a run before it begins: who there is, and how
// each is set. Everything else it reads from the trace.
type Facts struct {
	Group string
	// Name gives a node's name.
	Name    func(sim.NodeID) string
	Brokers []Broker
	Clients []Client
	// AnyOrder is that what happens at one moment happens in any order: a request may be
	// handled before a timer of the same moment.
	AnyOrder bool
}

// Broker is a node that is a broker.
type Broker struct {
	Node   sim.NodeID
	Config *coordinator.Config
	// Image is what it knows of the cluster, nil: its topics are not looked at.
	Image *coordinator.Image
}

// Client is a node that is a member, or is to become one.
type Client struct {
	Node sim.NodeID
	// Config is nil for a client whose rules and program are not known: it is only held
	// to what its messages say.
	Config *consumer.Config
}

// FactsOf reads the facts of a world that has not begun, whose members are the nodes
// given.
func FactsOf(w *sim.World, clients []sim.NodeID, group string) Facts {
	f := Facts{Group: group, Name: w.Name}
	for id := range sim.NodeID(w.Nodes()) {
		if b, ok := w.Actor(id).(*coordinator.Broker); ok {
			f.Brokers = append(f.Brokers, Broker{id, b.Config(), b.Image()})
		}
	}
	for _, id := range clients {
		c := Client{Node: id}
		if actor, ok := w.Actor(id).(*consumer.Consumer); ok {
			c.Config = actor.Config()
		}
		f.Clients = append(f.Clients, c)
	}
	return f
}

// End is how a run came to its end.
type End struct {
	At sim.Time
	// Settled is that it came to rest by itself, and was not cut off.
	Settled bool
	// Excuse says why it need not have come to rest, or not in order: "b1 is cut off and
	// stays so". "": it had to.
	Excuse string
	// Latency is the longest that a message may take.
	Latency sim.Time
}
