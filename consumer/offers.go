package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// Offers is what a consumer offers in its JoinGroup when it was assigned had in the
// generation given; -1 is that it was in none. It is how the members of a group that
// was formed before the run began had introduced themselves.
func Offers(cfg *Config, had []protocol.TopicPartition, generation int32) []protocol.GroupProtocol {
	c := New(cfg)
	c.sub.topics = slices.Sorted(slices.Values(cfg.Subscription.Topics))
	c.gen = noGeneration
	if generation >= 0 {
		c.gen.id = generation
		c.sticky = stickyMemory{known: true, parts: had, generation: generation}
		c.cooperative = stickyMemory{known: true, generation: generation}
		if cooperative, _ := rebalanceProtocol(cfg.Settings.Strategy); cooperative && cfg.Rules.Cooperative {
			c.sub.assign(had)
		}
	}
	return c.protocols()
}
