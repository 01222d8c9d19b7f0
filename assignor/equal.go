package assignor

import (
	"cmp"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// secondWalk is the order of a second member map that the equal algorithm fills
// from the first. It is the same as the first one's unless many ids collide.
func (g *group) secondWalk() []int32 {
	if g.in.MemberOrder != nil {
		return g.walk
	}
	table := newJavaTable(len(g.walk))
	for _, m := range g.walk {
		table.put(javaString(g.in.Members[m].ID))
	}
	return pick(g.walk, g.ordered(table))
}

func (s *sticky) sortByID(members []int32) {
	// total: ranks are
	slices.SortFunc(members, func(a, b int32) int {
		return cmp.Compare(s.g.idRank[a], s.g.idRank[b])
	})
}

// assignByQueues is the equal algorithm of 2.5.1 to 2.8. Members that reach the
// lower or the upper quota with what they keep queue up in walking order; spare
// partitions go to the first queue, missing ones come from the second.
func (s *sticky) assignByQueues() ([][]int32, error) {
	g := s.g
	low, high, _ := s.quotas()
	lists := make([][]int32, len(g.in.Members))
	s.initMoving()
	var short, atLow, atHigh []int32
	taken := make([]bool, s.partitionCount())
	givenUp := make([]bool, s.partitionCount())
	room := s.roomPerMember(high)
	for _, m := range g.secondWalk() {
		kept := slices.DeleteFunc(s.kept[m], func(p int32) bool { return s.disputed[p] })
		lists[m] = append(room(m), kept[:min(high, len(kept))]...)
		for _, p := range lists[m] {
			taken[p] = true
		}
		for _, p := range kept[len(lists[m]):] {
			givenUp[p] = true
		}
		if len(kept) < low {
			short = append(short, m)
			continue
		}
		if len(lists[m]) == low {
			atLow = append(atLow, m)
		}
		if len(lists[m]) == high {
			atHigh = append(atHigh, m)
		}
	}
	s.sortByID(short)
	disputed := g.rules.StickyEqual == protocol.StickyEqualQueuesDisputed
	give := func(p, m int32) {
		lists[m] = append(lists[m], p)
		if givenUp[p] || disputed && s.disputed[p] {
			s.moving[p] = m
		}
	}
	free := freePartitions(taken[:g.total])
	for len(short) > 0 && len(free) > 0 {
		left := short[:0]
		for i, m := range short {
			if len(free) == 0 {
				left = append(left, short[i:]...)
				break
			}
			give(free[0], m)
			free = free[1:]
			if len(lists[m]) == low {
				atLow = append(atLow, m)
			} else {
				left = append(left, m)
			}
		}
		short = left
	}
	for _, m := range short {
		for len(lists[m]) < low {
			if len(atHigh) == 0 {
				return nil, illegalState("a member is short and none has more than its share")
			}
			from := atHigh[0]
			atHigh = atHigh[1:]
			p := lists[from][0]
			lists[from] = lists[from][1:]
			lists[m] = append(lists[m], p)
			s.moving[p] = m
		}
		atLow = append(atLow, m)
	}
	for _, p := range free {
		if len(atLow) == 0 {
			return nil, illegalState("a partition is left and no member has room")
		}
		give(p, atLow[0])
		atLow = atLow[1:]
	}
	return lists, nil
}

// freePartitions lists those that are not taken, by name.
func freePartitions(taken []bool) []int32 {
	n := 0
	for _, t := range taken {
		if !t {
			n++
		}
	}
	free := make([]int32, 0, n)
	for p, t := range taken {
		if !t {
			free = append(free, int32(p))
		}
	}
	return free
}

// roomPerMember hands out empty lists with room for high partitions from one
// piece of memory.
func (s *sticky) roomPerMember(high int) func(m int32) []int32 {
	all := make([]int32, high*len(s.g.in.Members))
	return func(m int32) []int32 {
		from := int(m) * high
		return all[from : from : from+high]
	}
}
