package assignor

import "github.com/rebalsim/rebalsim/protocol"

// assignRange cuts each topic into one block of consecutive partitions per
// subscriber. It also says whether racks had a say.
func (g *group) assignRange() ([][]int32, bool) {
	lists := make([][]int32, len(g.in.Members))
	if g.rules.Range == protocol.RangeRackAware {
		r := newRangeRacks(g)
		if r.needed() {
			r.assign(lists)
			return lists, true
		}
		g.rangeBlocks(lists, r.members, r.subscribers, g.knownOrder())
		return lists, false
	}
	members := g.idOrder
	if g.rules.Range == protocol.RangeStaticFirst {
		members = g.staticFirst()
	}
	// A name that is twice in a subscription earns its member two blocks.
	g.rangeBlocks(lists, members, g.subscribers(members, true), g.rangeOrder())
	return lists, false
}

// rangeBlocks gives out the topics in order. Subscribers are places in members.
func (g *group) rangeBlocks(lists [][]int32, members []int32, subscribers [][]int32, order []int32) {
	for _, t := range order {
		p, n := g.topics[t].first, g.topics[t].partitions
		count := int32(len(subscribers[t]))
		quota, extra := n/count, n%count
		for i, place := range subscribers[t] {
			size := quota
			if int32(i) < extra {
				size++
			}
			m := members[place]
			for end := p + size; p < end; p++ {
				lists[m] = append(lists[m], p)
			}
		}
	}
}

// rangeOrder is the order of the map of members per topic, which decides the
// order of topics inside the members' lists. Names of unknown topics are keys of
// it as well.
func (g *group) rangeOrder() []int32 {
	names := g.nameIDsInRangeOrder()
	topics := make([]int32, 0, len(g.topics))
	for _, id := range names {
		if t := g.names[id].topic; t >= 0 {
			topics = append(topics, t)
		}
	}
	return topics
}

func (g *group) nameIDsInRangeOrder() []int32 {
	if g.rules.Range == protocol.RangeByMemberID {
		return g.nameOrder()
	}
	table := newJavaTable(len(g.names))
	seen := make([]bool, len(g.names))
	var names []int32
	for _, m := range g.walk {
		for _, id := range g.nameLists[g.listOf[m]] {
			table.computeIfAbsent(g.names[id].hash, !seen[id])
			if !seen[id] {
				seen[id] = true
				names = append(names, id)
			}
		}
	}
	return pick(names, g.ordered(table))
}
