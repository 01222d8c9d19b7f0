package assignor

import (
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
	racks    bool    // matter, also by the rules
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
	gen.racks = g.racks.inEffect && g.rules.StickyGeneral >= protocol.StickyGeneralRacks
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
	_, ok := gen.place(gen.sets[gen.setOf[topic]].members, member)
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
	gen.claimed = pick(order, gen.g.ordered(table))
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
			if t, _ := g.topicNumber(p); subscribed[t] != m+1 || gen.racks && g.racks.mismatch(p, m) {
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
