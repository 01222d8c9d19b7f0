package assignor

import (
	"cmp"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// byCandidate compares partitions, strays among them, in the order in which
// candidates are tried: those with the fewest subscribers first.
func (gen *general) byCandidate(a, b int32) int {
	ta, _ := gen.g.topicNumber(a)
	tb, _ := gen.g.topicNumber(b)
	return cmp.Or(cmp.Compare(gen.subscribers[ta], gen.subscribers[tb]), gen.g.byName(a, b))
}

// candidateOrder is the order in which partitions are tried.
func (gen *general) candidateOrder() []int32 {
	if gen.g.rules.StickyGeneral == protocol.StickyGeneralAnySubscriptions && len(gen.claimed) > 0 && gen.identical() {
		return gen.identicalCandidates()
	}
	g := gen.g
	topics := make([]int32, len(g.topics))
	for t := range topics {
		topics[t] = int32(t)
	}
	slices.SortStableFunc(topics, func(a, b int32) int {
		return cmp.Compare(gen.subscribers[a], gen.subscribers[b])
	})
	all := make([]int32, 0, g.total)
	for _, t := range topics {
		for n := range g.topics[t].partitions {
			all = append(all, g.topics[t].first+n)
		}
	}
	return all
}

// identical says that every member subscribes to every known topic.
func (gen *general) identical() bool {
	if len(gen.setOf) == 0 {
		return true
	}
	return len(gen.sets) == 1 && len(gen.sets[0].members) == len(gen.lists)
}

// identicalCandidates is the order of 2.4.0 for identical subscriptions: from the
// member with the most partitions downwards, partitions with a previous owner
// first; then those that nobody has.
func (gen *general) identicalCandidates() []int32 {
	g := gen.g
	queues := make([][]int32, len(gen.lists))
	listed := make([]bool, g.total)
	holder := make([]int32, g.total)
	for m, list := range gen.lists {
		for _, p := range list {
			if p < g.total {
				listed[p], holder[p] = true, int32(m)
			}
		}
	}
	queued := make([]bool, g.total)
	for _, p := range gen.previousOrder() {
		if p < g.total && listed[p] {
			queues[holder[p]] = append(queues[holder[p]], p)
			queued[p] = true
		}
	}
	for m, list := range gen.lists {
		for _, p := range list {
			if p < g.total && !queued[p] {
				queues[m] = append(queues[m], p)
			}
		}
	}
	order := make([]int32, 0, g.total)
	bySize := slices.Clone(g.idOrder) // those with the most last, in order of id
	slices.SortStableFunc(bySize, func(a, b int32) int { return cmp.Compare(len(queues[a]), len(queues[b])) })
	var largest []int32 // members with level partitions left, by id
	level := 0
	if n := len(bySize); n > 0 {
		level = len(queues[bySize[n-1]])
	}
	for ; level > 0; level-- {
		n := len(bySize)
		for n > 0 && len(queues[bySize[n-1]]) == level {
			n--
		}
		if n < len(bySize) {
			largest = append(largest, bySize[n:]...)
			bySize = bySize[:n]
			gen.sortByID(largest)
		}
		for _, m := range slices.Backward(largest) {
			order = append(order, queues[m][0])
			queues[m] = queues[m][1:]
		}
	}
	// The others follow in the order of a table of all partitions.
	table := newJavaTable(int(g.total))
	all := make([]int32, 0, g.total)
	for _, t := range g.knownOrder() {
		for n := range g.topics[t].partitions {
			p := g.topics[t].first + n
			table.put(g.hash(p))
			all = append(all, p)
		}
	}
	for _, p := range pick(all, gen.g.ordered(table)) {
		if !listed[p] {
			order = append(order, p)
		}
	}
	return order
}

// previousOrder lists the partitions with a previous owner in the order of their
// table, which is filled from the table of all claimed ones.
func (gen *general) previousOrder() []int32 {
	table := newJavaTable(0)
	var with []int32
	for _, p := range gen.claimed {
		if gen.prev[p] >= 0 {
			table.put(gen.g.hash(p))
			with = append(with, p)
		}
	}
	return pick(with, gen.g.ordered(table))
}
