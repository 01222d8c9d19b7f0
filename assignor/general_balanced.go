package assignor

import (
	"cmp"
	"slices"
)

// balanceTest is Kafka's question whether passes should go on.
type balanceTest struct {
	*general
	ahead int32 // how much larger the holder's list may be, and nobody minds

	// The last proof that the group is not balanced: a member and a partition
	// that it could take over.
	member, partition int32
	proved            bool

	work int // partitions looked at
}

// balanced fails with a NullPointerException if the test meets a partition that
// no member in the balancing has.
func (b *balanceTest) balanced() (bool, error) {
	least, most := int32(0), int32(0)
	found := false
	for m, n := range b.size {
		if b.fixed[m] {
			continue
		}
		if !found {
			least, most, found = n, n, true
		}
		least, most = min(least, n), max(most, n)
	}
	if most-least <= 1 {
		return true, nil
	}
	if !b.tidy {
		return b.search()
	}
	if b.proved && b.wants(b.member, b.size[b.owner[b.partition]]) {
		return false, nil
	}
	return !b.prove(), nil
}

// wants says that a member could take a partition over from a list of that size.
func (b *balanceTest) wants(member, size int32) bool {
	return b.size[member] != b.capacity[member] && b.size[member]+b.ahead < size
}

// prove looks for a partition that a subscriber could take over. Where every
// partition has one owner, whom the test knows, the order of the search does not
// matter.
func (b *balanceTest) prove() bool {
	g := b.g
	b.work += int(g.total)
	largest := make([]int32, len(g.topics)) // a partition of each topic, in the longest list
	for t, topic := range g.topics {
		largest[t] = topic.first
		for p := topic.first; p < topic.first+topic.partitions; p++ {
			if b.size[b.owner[p]] > b.size[b.owner[largest[t]]] {
				largest[t] = p
			}
		}
	}
	for i := range b.lists {
		m := int32(i)
		if b.fixed[m] || b.size[m] == b.capacity[m] {
			continue
		}
		b.work += len(g.subscribed(m))
		for _, t := range g.subscribed(m) {
			if b.wants(m, b.size[b.owner[largest[t]]]) {
				b.member, b.partition, b.proved = m, largest[t], true
				return true
			}
		}
	}
	return false
}

// search goes the way that Kafka goes, for inputs where it can fail on it.
func (b *balanceTest) search() (bool, error) {
	g := b.g
	b.work += int(g.total)
	holder := make([]int32, g.total)
	for p := range holder {
		holder[p] = -1
	}
	var members []int32
	for _, m := range g.walk {
		if b.fixed[m] {
			continue
		}
		members = append(members, m)
		for _, p := range b.lists[m] {
			if p != hole && p < g.total {
				holder[p] = m
			}
		}
	}
	// total: ranks are
	slices.SortFunc(members, func(x, y int32) int {
		return cmp.Or(cmp.Compare(b.size[x], b.size[y]), cmp.Compare(g.idRank[x], g.idRank[y]))
	})
	has := make([]int32, g.total) // member + 1
	for _, m := range members {
		if b.size[m] == b.capacity[m] {
			continue
		}
		for _, p := range b.lists[m] {
			if p != hole && p < g.total {
				has[p] = m + 1
			}
		}
		for _, t := range g.subscribed(m) {
			topic := g.topics[t]
			b.work += int(topic.partitions)
			for p := topic.first; p < topic.first+topic.partitions; p++ {
				switch {
				case has[p] == m+1:
				case holder[p] < 0:
					return false, nullPointer("no member in the balancing has " + g.topicPartition(p).String())
				case b.wants(m, b.size[holder[p]]):
					return false, nil
				}
			}
		}
	}
	return true, nil
}
