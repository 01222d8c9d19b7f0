package consumer

import (
	"errors"
	"slices"

	"github.com/rebalsim/rebalsim/assignor"
	"github.com/rebalsim/rebalsim/protocol"
)

// OwnAssignor is an assignor of the program's own, or what it makes of one of Kafka's: of
// one under the name of Kafka's, only Takes and Throws count.
type OwnAssignor struct {
	Name string // as it stands in Settings.Strategy
	// Cooperative is one that supports the cooperative protocol besides the eager one.
	Cooperative bool
	// Takes is how long it takes, in milliseconds. The leader sends no heartbeat meanwhile.
	Takes int64
	// Throws is one that ends with an exception, which the caller of poll gets.
	Throws bool
	// Gives is what it gives to each member, by its id; nil: what range would.
	Gives []protocol.MemberAssignment
}

// own is the assignor of the program's own that has the name; nil: there is none.
func (cfg *Config) own(name string) *OwnAssignor {
	for i := range cfg.Own {
		if cfg.Own[i].Name == name {
			return &cfg.Own[i]
		}
	}
	return nil
}

var errThrown = errors.New("the assignor throws")

// runAssignor runs the assignor of that name.
func (c *Consumer) runAssignor(name string, in assignor.Input) (assignor.Result, error) {
	own := c.cfg.own(name)
	if own == nil {
		return assignor.Assign(name, c.cfg.Assignor, in)
	}
	if own.Throws {
		return assignor.Result{}, errThrown
	}
	if own.Gives == nil {
		if !slices.Contains(builtIn, name) {
			name = assignor.Range
		}
		return assignor.Assign(name, c.cfg.Assignor, in)
	}
	result := assignor.Result{Assigned: make([][]protocol.TopicPartition, len(in.Members)), State: in.State}
	for i := range in.Members {
		for _, g := range own.Gives {
			if g.Member == in.Members[i].ID {
				result.Assigned[i] = g.Assignment.Partitions
			}
		}
	}
	return result, nil
}

var builtIn = []string{assignor.Range, assignor.RoundRobin, assignor.Sticky, assignor.CooperativeSticky}
