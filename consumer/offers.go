package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// Offers is what a consumer offers in its JoinGroup when the assignor selected had
// given it the partitions had in the generation given; -1 is that it was in none. It
// is how the members of a group that was formed before the run began had introduced
// themselves.
func Offers(cfg *Config, selected string, had []protocol.TopicPartition, generation int32) []protocol.GroupProtocol {
	c := New(cfg)
	c.sub.topics = slices.Sorted(slices.Values(cfg.Subscription.Topics))
	c.gen = noGeneration
	if generation >= 0 {
		c.gen.id = generation
		c.remember(selected, had, generation)
		if cooperative, _ := cfg.rebalanceProtocol(); cooperative && cfg.Rules.Cooperative {
			c.sub.assign(had)
		}
	}
	return c.protocols()
}

// remember has the assignor that was selected keep what it gave, as its onAssignment does.
func (c *Consumer) remember(selected string, had []protocol.TopicPartition, generation int32) {
	switch selected {
	case "sticky":
		c.sticky.known, c.sticky.generation, c.sticky.parts = true, generation, had
	case "cooperative-sticky":
		c.cooperative.known, c.cooperative.generation = true, generation
	}
}
