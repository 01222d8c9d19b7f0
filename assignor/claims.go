package assignor

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// readClaims numbers what the members say they owned, and finds the generation
// that goes with it.
func (s *sticky) readClaims() {
	members := s.g.in.Members
	s.owned = make([][]int32, len(members))
	s.generation = make([]Generation, len(members))
	n := 0
	for m := range members {
		n += len(members[m].Owned)
	}
	all := make([]int32, 0, n)
	for _, m := range s.g.walk {
		s.generation[m] = s.claimGeneration(&members[m])
		from := len(all)
		id := int32(0)
		for _, p := range members[m].Owned {
			id = s.g.nameAfter(id, p.Topic)
			all = append(all, s.g.partition(id, p.Partition))
		}
		s.owned[m] = all[from:len(all):len(all)]
	}
}

func (s *sticky) claimGeneration(m *Member) Generation {
	if !s.cooperative {
		return m.UserDataGeneration
	}
	switch s.g.rules.CooperativeGeneration {
	case protocol.CooperativeGenerationAbsent:
		return Generation{}
	case protocol.CooperativeGenerationField:
		if m.SubscriptionGeneration.Known && m.SubscriptionGeneration.Number >= 0 {
			return m.SubscriptionGeneration
		}
	}
	return m.UserDataGeneration
}

// fieldGeneration is the generation in the subscription itself, which pairwise
// comparison takes for the earlier claimant even where the later one's is from
// its user data.
func (s *sticky) fieldGeneration(member int32) int32 {
	return s.g.in.Members[member].SubscriptionGeneration.orMinusOne()
}

// settleClaims fills kept and disputed: what the equal algorithm, and since
// 3.0.0 the general one, starts from. Claims of unknown topics are dropped,
// strays of known ones stay.
func (s *sticky) settleClaims() {
	s.kept = make([][]int32, len(s.owned))
	s.disputed = make([]bool, s.partitionCount())
	if s.g.rules.StickyClaims >= protocol.StickyClaimsPairwise {
		s.settlePairwise()
	} else {
		s.settleByHighest()
	}
}

// settleByHighest believes members of the highest generation only. A member
// without a generation is believed until one with a generation turns up.
func (s *sticky) settleByHighest() {
	rules := s.g.rules.StickyClaims
	top := int32(-1)
	if rules == protocol.StickyClaimsRemembered {
		top = s.top.TopGeneration.orMinusOne()
	}
	var owner claimants
	if rules != protocol.StickyClaimsHighest {
		owner = s.newClaimants()
	}
	var current []int32
	for _, m := range s.g.walk {
		g := s.generation[m]
		if g.Known && g.Number < top || !g.Known && top > -1 {
			continue
		}
		if g.Known && g.Number > top {
			top = g.Number
			for _, old := range current {
				s.kept[old] = nil
			}
			current = current[:0]
			for _, p := range owner.used {
				owner.place[p] = 0
				s.disputed[p] = false
			}
			owner.used = owner.used[:0]
		}
		current = append(current, m)
		for _, p := range s.owned[m] {
			if !s.g.known(p) {
				continue
			}
			if owner.place == nil {
				s.kept[m] = append(s.kept[m], p)
				continue
			}
			if o := owner.of(p); o >= 0 {
				s.removeKept(o, owner.at[p])
				s.disputed[p] = true
				continue
			}
			owner.set(p, m, int32(len(s.kept[m])))
			s.kept[m] = append(s.kept[m], p)
		}
	}
	s.compactKept()
	if rules == protocol.StickyClaimsRemembered {
		s.remember(top)
	}
}

// settlePairwise compares each claim with the one before it.
func (s *sticky) settlePairwise() {
	top := s.top.TopGeneration.orMinusOne()
	owner := s.newClaimants()
	loserOwns := s.g.rules.StickyClaims == protocol.StickyClaimsPairwise
	for _, m := range s.g.walk {
		g := s.generation[m].orMinusOne()
		top = max(top, g)
		for _, p := range s.owned[m] {
			if !s.g.known(p) {
				continue
			}
			o := owner.of(p)
			if o < 0 {
				owner.set(p, m, int32(len(s.kept[m])))
				s.kept[m] = append(s.kept[m], p)
				continue
			}
			before, at := s.fieldGeneration(o), owner.at[p]
			switch {
			case g == before:
				s.removeKept(o, at)
				s.disputed[p] = true
				owner.set(p, m, gone)
			case g > before:
				here := int32(len(s.kept[m]))
				s.kept[m] = append(s.kept[m], p)
				if o == m && at == gone {
					at, here = here, gone
				}
				s.removeKept(o, at)
				owner.set(p, m, here)
			case loserOwns && o != m:
				owner.set(p, m, gone)
			}
		}
	}
	s.compactKept()
	s.remember(top)
}

func (s *sticky) remember(top int32) {
	if top > -1 || s.top.TopGeneration.Known {
		s.top.TopGeneration = InGeneration(top)
	}
}

// claimants says who is taken for the owner of each partition, and where it
// stands in that member's kept list.
type claimants struct {
	place []int32 // member + 1; 0 for none
	at    []int32
	used  []int32
}

const gone = -1 // not in the list

func (s *sticky) newClaimants() claimants {
	n := s.partitionCount()
	if s.unowned() {
		n = 0 // nobody will ask
	}
	return claimants{place: make([]int32, n), at: make([]int32, n)}
}

func (c *claimants) of(p int32) int32 { return c.place[p] - 1 }

func (c *claimants) set(p, member, at int32) {
	if c.place[p] == 0 {
		c.used = append(c.used, p)
	}
	c.place[p], c.at[p] = member+1, at
}

// removeKept leaves a hole, so that places in the list stay what they are.
func (s *sticky) removeKept(member, at int32) {
	if at != gone {
		s.kept[member][at] = hole
	}
}

const hole = -1

func (s *sticky) compactKept() {
	for m, list := range s.kept {
		s.kept[m] = slices.DeleteFunc(list, func(p int32) bool { return p == hole })
	}
}
