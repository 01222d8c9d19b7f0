package assignor

import (
	"cmp"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// general is the algorithm of the sticky pair for any subscriptions. It keeps
// what members own, gives each other partition to its least loaded subscriber,
// then moves partitions one at a time from members with more to members with
// fewer until no move helps (general_passes.go).
type general struct {
	*sticky
	loads // by number of subscriber set, then sets by rack

	lists  [][]int32 // each member's partitions; removed ones leave holes
	owner  []int32   // of a partition, or -1
	at     []int32   // its place in the owner's list, while tidy
	prev   []int32   // previous owner of a partition, or -1
	tidy   bool      // all that is listed exists, is listed once, and by its owner
	tested bool      // the balance test has a say

	candidates []int32 // all partitions in the order in which they are tried
	unassigned []int32 // those that nobody has
	revoked    bool    // a member has lost a partition that exists

	setOf       []int32 // topic -> its subscriber set
	subscribers []int32 // topic -> their number, repeats counted
	capacity    []int32 // member -> partitions it could have, repeats counted

	claimed  []int32 // GA, GB: all claimed partitions in the order of their table
	rackSets map[rackSet]int32
	moves    moves
}

type rackSet struct{ set, rack int32 } // rack -1: members without one

func (s *sticky) assignGeneral() ([][]int32, error) {
	return s.startGeneral().balance()
}

// startGeneral does everything up to the point where partitions are given out.
func (s *sticky) startGeneral() *general {
	gen := newGeneral(s)
	if s.g.rules.StickyGeneral >= protocol.StickyGeneralKeepsOrder {
		for m := range gen.lists {
			gen.lists[m] = slices.Clone(s.kept[m])
		}
		gen.findPrevious()
	} else {
		gen.settleByPartition()
	}
	gen.candidates = gen.candidateOrder()
	gen.noteOwners()
	gen.revoked = gen.clean()
	gen.unassigned = gen.withoutOwner()
	gen.noteLists()
	gen.tested = gen.testMatters()
	return gen
}

func newGeneral(s *sticky) *general {
	g := s.g
	members := len(g.in.Members)
	gen := &general{sticky: s, lists: make([][]int32, members)}
	gen.loads = loads{idRank: g.idRank, size: make([]int32, members), fixed: make([]bool, members)}
	setOf, sets := g.memberSets()
	gen.setOf = setOf
	for _, set := range sets {
		gen.sets = append(gen.sets, loadSet{members: set})
	}
	gen.subscribers = make([]int32, len(g.topics))
	gen.capacity = make([]int32, members)
	capacityOf := make([]int32, len(g.topicLists))
	usedBy := make([]int32, len(g.topicLists))
	for _, list := range g.listOf {
		usedBy[list]++
	}
	for i, list := range g.topicLists {
		for _, t := range list {
			gen.subscribers[t] += usedBy[i]
			capacityOf[i] += g.topics[t].partitions
		}
		if g.rules.StickyGeneral >= protocol.StickyGeneralKeepsOrder && len(list) == len(g.topics) {
			capacityOf[i] = g.total // without a look at repeats
		}
	}
	for m, list := range g.listOf {
		gen.capacity[m] = capacityOf[list]
	}
	gen.prev = make([]int32, s.partitionCount())
	for p := range gen.prev {
		gen.prev[p] = -1
	}
	return gen
}

func (gen *general) subscribes(member, topic int32) bool {
	_, ok := slices.BinarySearchFunc(gen.sets[gen.setOf[topic]].members, gen.g.idRank[member], func(x, rank int32) int {
		return cmp.Compare(gen.g.idRank[x], rank)
	})
	return ok
}

// findPrevious reads the claims of older generations. The previous owner of a
// partition is the one with the highest of these.
func (gen *general) findPrevious() {
	top := gen.top.TopGeneration.orMinusOne()
	best := make([]int32, gen.partitionCount())
	for _, m := range gen.g.walk {
		g := gen.generation[m]
		if g.Known && g.Number >= top || !g.Known && top == -1 {
			continue
		}
		n := g.orMinusOne()
		for _, p := range gen.owned[m] {
			if gen.prev[p] < 0 || n > best[p] {
				gen.prev[p], best[p] = m, n
			}
		}
	}
}

// settleByPartition is how claims were settled until 2.8: each partition goes
// to the claimant of the highest generation, the one of the second highest is its
// previous owner. In one generation the first claimant counts; without
// generations the last.
func (gen *general) settleByPartition() {
	type claim struct {
		generation, member int32
		next               int32
	}
	claims := []claim{{}} // 0 means none
	first := make([]int32, gen.partitionCount())
	table := newJavaTable(0)
	var order []int32
	for _, m := range gen.g.walk {
		known, n := gen.generation[m].Known, gen.generation[m].orMinusOne()
		for _, p := range gen.owned[m] {
			if first[p] == 0 {
				table.put(gen.g.hash(p))
				order = append(order, p)
			}
			c := first[p]
			for c != 0 && claims[c].generation != n {
				c = claims[c].next
			}
			switch {
			case c == 0:
				claims = append(claims, claim{n, m, first[p]})
				first[p] = int32(len(claims) - 1)
			case !known:
				claims[c].member = m
			}
		}
	}
	gen.claimed = pick(order, table.order())
	for _, p := range gen.claimed {
		holder, second := int32(0), int32(0)
		for c := first[p]; c != 0; c = claims[c].next {
			switch {
			case holder == 0 || claims[c].generation > claims[holder].generation:
				holder, second = c, holder
			case second == 0 || claims[c].generation > claims[second].generation:
				second = c
			}
		}
		m := claims[holder].member
		gen.lists[m] = append(gen.lists[m], p)
		if second != 0 {
			gen.prev[p] = claims[second].member
		}
	}
}

// clean takes out of the lists what cannot stay. It says whether a member loses
// a partition that exists.
func (gen *general) clean() (revoked bool) {
	g := gen.g
	old := g.rules.StickyGeneral < protocol.StickyGeneralKeepsOrder
	subscribed := make([]int32, len(g.topics)) // member + 1
	for i := range gen.lists {
		m := int32(i)
		for _, t := range g.subscribed(m) {
			subscribed[t] = m + 1
		}
		gen.lists[m] = slices.DeleteFunc(gen.lists[m], func(p int32) bool {
			if old && p >= g.total || !g.known(p) {
				return true
			}
			if t, _ := g.topicNumber(p); subscribed[t] != m+1 || g.racks.mismatch(p, m) {
				revoked = true
				return true
			}
			return false
		})
	}
	return revoked
}

// withoutOwner lists the candidates that nobody has.
func (gen *general) withoutOwner() []int32 {
	free, blocked := gen.g.mergeFree(gen.candidates, gen.lists, gen.byCandidate)
	gen.tidy = !blocked
	return free
}

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
	for _, p := range pick(all, table.order()) {
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
	return pick(with, table.order())
}

// noteOwners notes who has what. It is done before the lists are cleaned: where
// a partition stands in two of them, the owner can be a member that is about to
// lose it (StickyClaimsPairwise only).
func (gen *general) noteOwners() {
	gen.owner = make([]int32, gen.partitionCount())
	for p := range gen.owner {
		gen.owner[p] = -1
	}
	for _, m := range gen.g.walk {
		for _, p := range gen.lists[m] {
			gen.owner[p] = m
		}
	}
}

// noteLists notes the places of partitions in the cleaned lists.
func (gen *general) noteLists() {
	gen.at = make([]int32, gen.partitionCount())
	for i, list := range gen.lists {
		m := int32(i)
		gen.size[m] = int32(len(list))
		for i, p := range list {
			gen.at[p] = int32(i)
			gen.tidy = gen.tidy && gen.owner[p] == m
		}
	}
}

func (gen *general) append(p, m int32) {
	gen.owner[p], gen.at[p] = m, int32(len(gen.lists[m]))
	gen.lists[m] = append(gen.lists[m], p)
	gen.add(m, 1)
}

// remove takes p, its first occurrence, out of m's list.
func (gen *general) remove(p, m int32) {
	at := int(gen.at[p])
	if !gen.tidy {
		at = slices.Index(gen.lists[m], p)
		if at < 0 {
			return
		}
	}
	gen.lists[m][at] = hole
	gen.add(m, -1)
	if list := gen.lists[m]; len(list) > 2*int(gen.size[m])+16 {
		gen.lists[m] = withoutHoles(list)
		for i, p := range gen.lists[m] {
			gen.at[p] = int32(i)
		}
	}
}

func withoutHoles(list []int32) []int32 {
	return slices.DeleteFunc(list, func(p int32) bool { return p == hole })
}

// giveOut gives each unassigned partition to its least loaded subscriber; where
// racks are in effect, to one in a matching rack if there is one.
func (gen *general) giveOut() {
	waiting := gen.unassigned
	if gen.g.racks.inEffect {
		gen.rackSets = make(map[rackSet]int32)
		waiting = make([]int32, 0, len(gen.unassigned))
		for _, p := range gen.unassigned {
			if m := gen.firstInRack(p); m >= 0 {
				gen.append(p, m)
			} else {
				waiting = append(waiting, p)
			}
		}
	}
	for _, p := range waiting {
		if m := gen.first(gen.setOf[gen.g.topicOf[p]]); m >= 0 {
			gen.append(p, m)
		}
	}
}

// firstInRack returns the least loaded subscriber whose rack, if it has one, has
// a replica of p, or -1.
func (gen *general) firstInRack(p int32) int32 {
	set := gen.setOf[gen.g.topicOf[p]]
	best := gen.first(gen.rackSet(rackSet{set, -1}))
	for _, rack := range gen.g.racks.of(p) {
		m := gen.first(gen.rackSet(rackSet{set, rack}))
		if m >= 0 && (best < 0 || gen.lighter(m, best)) {
			best = m
		}
	}
	return best
}

func (gen *general) lighter(a, b int32) bool {
	return cmp.Or(cmp.Compare(gen.size[a], gen.size[b]), cmp.Compare(gen.g.idRank[a], gen.g.idRank[b])) < 0
}

// rackSet returns the number of the set's members in one rack.
func (gen *general) rackSet(key rackSet) int32 {
	id, ok := gen.rackSets[key]
	if !ok {
		id = int32(len(gen.sets))
		gen.rackSets[key] = id
		var members []int32
		for _, m := range gen.sets[key.set].members {
			if gen.g.racks.ofMember[m] == key.rack {
				members = append(members, m)
			}
		}
		gen.sets = append(gen.sets, loadSet{members: members})
	}
	return id
}
