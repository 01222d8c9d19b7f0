package history

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Client is how a client stands.
type Client struct {
	Node       sim.NodeID
	Member     string // its member id
	Generation int32
	Leader     bool
	State      string
	Serves     []protocol.TopicPartition
	Pauses     []Pause // the times in which it served nothing, from its first start on

	started, alive, frozen bool

	now   Standing // how it stands
	since sim.Time // since when
}

// Pause is a time in which a client served nothing.
type Pause struct {
	From, To sim.Time
	Why      Standing
}

// Standing is how a client stands to its partitions.
type Standing uint8

// How it can stand.
const (
	Serves Standing = iota // or it has not been started yet
	Idle                   // its process runs and serves nothing
	Frozen                 // its process stands still
	Down                   // its process has ended
)

// running follows the life of the client's process.
func (c *Client) running(r *sim.Rec) {
	switch r.Op {
	case sim.OpCrash, sim.OpExit:
		c.alive, c.frozen, c.Serves = false, false, nil
	case sim.OpStart:
		c.started, c.alive = true, true
	case sim.OpFreeze:
		c.frozen = true
	case sim.OpThaw:
		c.frozen = false
	default:
		return
	}
	c.stands(r.At)
}

func (c *Client) serve(at sim.Time, list []protocol.TopicPartition) {
	c.Serves = list
	c.stands(at)
}

// stands looks how the client stands now. A pause ends when it stands otherwise.
func (c *Client) stands(at sim.Time) {
	now := Serves
	switch {
	case !c.started:
	case !c.alive:
		now = Down
	case c.frozen:
		now = Frozen
	case len(c.Serves) == 0:
		now = Idle
	}
	if now != c.now {
		c.pauseEnds(at)
		c.now, c.since = now, at
	}
}

func (c *Client) pauseEnds(at sim.Time) {
	if c.now != Serves && at > c.since {
		c.Pauses = append(c.Pauses, Pause{c.since, at, c.now})
	}
}

// without is a list less what is in another. A member serves nothing that its listener
// was told is gone, though before 2.4 the consumer holds it until it has a new assignment.
// It takes as many steps as both are long.
func without(list, gone []protocol.TopicPartition) []protocol.TopicPartition {
	out := make(map[protocol.TopicPartition]bool, len(gone))
	for _, p := range gone {
		out[p] = true
	}
	var left []protocol.TopicPartition
	for _, p := range list {
		if !out[p] {
			left = append(left, p)
		}
	}
	return left
}
