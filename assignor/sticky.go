package assignor

import "github.com/rebalsim/rebalsim/protocol"

// sticky is one call of the sticky or the cooperative-sticky assignor. Both
// share two algorithms: one for groups whose members all subscribe to the same
// topics (equal.go, equal_fill.go), one for all others (general.go).
type sticky struct {
	g           *group
	cooperative bool
	path        Path
	top         State

	owned      [][]int32    // each member's claims as it sent them
	generation []Generation // that goes with them
	kept       [][]int32    // claims that are believed (claims.go)
	disputed   []bool       // partitions that belong to none of their claimants

	// moving holds who gets a partition that somebody has to give up first; -1
	// for all others. It is nil if nothing moves.
	moving []int32
}

func newSticky(g *group, cooperative bool, state State) *sticky {
	s := &sticky{g: g, cooperative: cooperative, top: state, path: PathGeneral}
	if g.rules.StickyEqual >= protocol.StickyEqualRacks || g.rules.StickyGeneral >= protocol.StickyGeneralRacks {
		g.racks.read(g)
		g.racks.inEffect = g.racks.ofMembers && g.racks.matter(g.memberRacks(), g.racks.setOf)
	}
	s.readClaims()
	return s
}

func (g *group) memberRacks() []int32 {
	var racks []int32
	for _, r := range g.racks.ofMember {
		if r >= 0 {
			racks = append(racks, r)
		}
	}
	return racks
}

func (s *sticky) assign() ([][]int32, error) {
	if len(s.g.in.Members) == 0 {
		return nil, nil
	}
	if !s.settle() {
		return s.assignGeneral()
	}
	s.path = PathEqual
	switch {
	case s.unowned() && !s.g.racks.inEffect:
		return s.assignFresh(), nil
	case s.g.rules.StickyEqual <= protocol.StickyEqualQueuesDisputed:
		return s.assignByQueues()
	}
	return s.assignByFilling()
}

// settle tests whether the equal algorithm serves the group, and settles the
// claims for the algorithm that does.
func (s *sticky) settle() (equal bool) {
	rules, passed := &s.g.rules, 0
	if rules.StickyEqual != protocol.StickyEqualAbsent {
		equal, passed = s.g.equalSubscriptions()
	}
	if equal || rules.StickyGeneral >= protocol.StickyGeneralKeepsOrder {
		s.settleClaims()
	}
	if !equal && rules.StickyReread == protocol.StickyRereadEmpty {
		s.forget(s.g.walk[:passed])
	}
	return equal
}

// equalSubscriptions is the test that decides between the two algorithms, with
// its oddities: a member without topics passes as long as no member before it
// had any, and repeated names count as more topics. It also says how many
// members, in walking order, passed before one that did not.
func (g *group) equalSubscriptions() (equal bool, passed int) {
	inSet := make([]bool, len(g.names))
	size := 0
	verdicts := make([]int8, len(g.nameLists)) // of lists seen since the set is filled
	for i, m := range g.walk {
		list := g.listOf[m]
		names := g.nameLists[list]
		if size == 0 {
			for _, id := range names {
				if !inSet[id] {
					inSet[id] = true
					size++
				}
			}
			continue
		}
		if verdicts[list] == 0 {
			verdicts[list] = 1
			if len(names) != size {
				verdicts[list] = -1
			}
			for _, id := range names {
				if !inSet[id] {
					verdicts[list] = -1
				}
			}
		}
		if verdicts[list] < 0 {
			return false, i
		}
	}
	return true, len(g.walk)
}

// forget is what a consumed buffer does to members that are read a second
// time: "sticky" has its claims in the buffer and loses them; "cooperative-sticky"
// keeps them, but a generation that it had there can no longer be read.
func (s *sticky) forget(members []int32) {
	for _, m := range members {
		if !s.cooperative {
			s.owned[m], s.generation[m] = nil, Generation{}
		} else if s.generation[m].Known {
			s.generation[m] = InGeneration(-1)
		}
	}
}

// quotas of the equal algorithm: nobody gets less than low or more than high,
// and over members get high where the two differ.
func (s *sticky) quotas() (low, high, over int) {
	members := len(s.g.in.Members)
	low, over = int(s.g.total)/members, int(s.g.total)%members
	high = low
	if over > 0 {
		high++
	}
	return low, high, over
}

// partitionCount is the number of partitions that have a number, strays
// included.
func (s *sticky) partitionCount() int { return int(s.g.total) + len(s.g.strays) }

func (s *sticky) initMoving() {
	s.moving = make([]int32, s.partitionCount())
	for i := range s.moving {
		s.moving[i] = -1
	}
}
