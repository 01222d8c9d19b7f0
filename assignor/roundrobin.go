package assignor

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// assignRoundRobin deals all partitions, by topic name and number, to the
// members in turn; a member that does not subscribe to the topic is passed over.
// The turn does not start anew with a topic.
func (g *group) assignRoundRobin() [][]int32 {
	ring := g.idOrder
	if g.rules.RoundRobin == protocol.RoundRobinStaticFirst {
		ring = g.staticFirst()
	}
	subscribers := g.subscribers(ring, false)
	lists := make([][]int32, len(ring))
	next := int32(0) // place on the ring whose turn it is
	for t, topic := range g.topics {
		places := subscribers[t]
		i, _ := slices.BinarySearch(places, next)
		for p := topic.first; p < topic.first+topic.partitions; p++ {
			if i == len(places) {
				i = 0
			}
			m := ring[places[i]]
			lists[m] = append(lists[m], p)
			i++
		}
		next = places[i-1] + 1
	}
	return lists
}
