package assignor

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// filling is the equal algorithm since 3.0.0. Members keep what they own up to
// their quota; those below the lower quota are filled in turn, then those at it
// get one more as long as quotas differ.
type filling struct {
	*sticky
	low, high, over int
	full            int // members at the upper quota
	lists           [][]int32
	under           []int32 // members below the lower quota
	exact           []int32 // members at it that may get one more
	givenUp         []int32 // partition -> who gave it up, -1 for nobody
	racks           bool    // matter, also by the rules
	counted         bool    // StickyEqualRacksCounted
	keys            []uint64
}

func (s *sticky) assignByFilling() ([][]int32, error) {
	f, free := s.startFilling()
	if f.racks {
		free = f.rackRound(free)
	}
	if err := f.fill(free); err != nil {
		return nil, err
	}
	return f.lists, nil
}

// startFilling lets members keep what they may. It also returns what is to be
// given out, in order.
func (s *sticky) startFilling() (f *filling, free []int32) {
	g := s.g
	f = &filling{sticky: s, counted: g.rules.StickyEqual == protocol.StickyEqualRacksCounted}
	f.racks = g.racks.inEffect && g.rules.StickyEqual >= protocol.StickyEqualRacks
	f.low, f.high, f.over = s.quotas()
	f.lists = make([][]int32, len(g.in.Members))
	f.givenUp = make([]int32, s.partitionCount())
	for i := range f.givenUp {
		f.givenUp[i] = -1
	}
	s.initMoving()
	f.keep()
	free, _ = g.mergeFree(g.allPartitions(), f.lists, g.byName)
	s.sortByID(f.under)
	s.sortByID(f.exact)
	if g.rules.StickyEqual >= protocol.StickyEqualRacks && g.racks.ofMembers {
		f.sortByRackMembers(free)
	}
	return f, free
}

// keep lets each member have what it owned, within the quotas.
func (f *filling) keep() {
	room := f.roomPerMember(f.high)
	for _, m := range f.g.secondWalk() {
		kept := f.keptOf(m)
		n := f.low
		switch {
		case len(kept) < f.low:
			n = len(kept)
			f.under = append(f.under, m)
		case len(kept) >= f.high && f.full < f.over:
			n = f.high
			if f.full++; f.full == f.over {
				f.exact = f.exact[:0]
			}
		case f.full < f.over:
			f.exact = append(f.exact, m)
		}
		f.lists[m] = append(room(m), kept[:n]...)
		for _, p := range kept[n:] {
			f.givenUp[p] = m
		}
	}
}

// keptOf is what a member may keep of what is believed to be its own.
func (f *filling) keptOf(m int32) []int32 {
	kept := f.kept[m]
	if f.racks {
		kept = slices.DeleteFunc(kept, func(p int32) bool {
			if !f.g.racks.mismatch(p, m) {
				return false
			}
			if f.counted {
				f.givenUp[p] = m
			}
			return true
		})
	}
	if f.counted {
		f.sortByNumber(kept)
	}
	return slices.DeleteFunc(kept, func(p int32) bool { return f.disputed[p] })
}

// sortByNumber sorts partitions by their number, then by topic name.
func (f *filling) sortByNumber(list []int32) {
	g := f.g
	f.keys = f.keys[:0]
	for _, p := range list {
		t, n := g.topicNumber(p)
		f.keys = append(f.keys, uint64(uint32(n)^1<<31)<<32|uint64(t))
	}
	slices.Sort(f.keys)
	for i, k := range f.keys {
		t := &g.topics[uint32(k)]
		n := int32(uint32(k>>32) ^ 1<<31)
		if 0 <= n && n < t.partitions {
			list[i] = t.first + n
		} else {
			list[i] = g.partition(t.name, n)
		}
	}
}

// fill gives out what is free: to the members below the lower quota in turn,
// then one each to those at it.
func (f *filling) fill(free []int32) error {
	next := 0
	for _, p := range free {
		if next == len(f.under) {
			f.under = slices.DeleteFunc(f.under, func(m int32) bool { return len(f.lists[m]) >= f.low })
			next = 0
		}
		var m int32
		switch {
		case len(f.under) > 0:
			m = f.under[next]
			next++
		case len(f.exact) > 0:
			m = f.exact[0]
			f.exact = f.exact[1:]
		default:
			return illegalState("a partition is left and every member has its share")
		}
		f.give(p, m)
		// A member that has reached the lower quota leaves under, at the
		// latest when the turn comes round.
		switch len(f.lists[m]) {
		case f.low:
			f.exact = append(f.exact, m)
		case f.high:
			f.full++
		}
	}
	for _, m := range f.under {
		if len(f.lists[m]) < f.low {
			return illegalState("a member stays below its share")
		}
	}
	return nil
}

// give appends p to m's list, and notes it if somebody must let go of it first.
func (f *filling) give(p, m int32) {
	f.lists[m] = append(f.lists[m], p)
	by := f.givenUp[p]
	// Who gives a partition up for its rack can get it back in the rack-blind
	// fill. Only StickyEqualRacksCounted sees that nothing moves then.
	if by >= 0 && !(f.counted && by == m) || f.disputed[p] {
		f.moving[p] = m
	}
}
