package assignor

import "github.com/rebalsim/rebalsim/protocol"

// unowned says that nobody claims anything.
func (s *sticky) unowned() bool {
	for _, list := range s.owned {
		if len(list) > 0 {
			return false
		}
	}
	return true
}

// assignFresh is what both equal algorithms come to where nobody owns anything
// and racks do not matter: the partitions are dealt to the members in order of
// their ids. With fewer partitions than members StickyEqualQueues deals them in
// walking order, since then all members queue at the lower quota, which is 0.
func (s *sticky) assignFresh() [][]int32 {
	g := s.g
	members, total := int32(len(g.in.Members)), g.total
	order := g.idOrder
	if total < members && g.rules.StickyEqual <= protocol.StickyEqualQueuesDisputed {
		order = g.secondWalk()
	}
	all := make([]int32, total)
	lists := make([][]int32, members)
	for i, m := range order {
		n := 0
		for p := int32(i); p < total; p += members {
			all[n] = p
			n++
		}
		lists[m] = all[:n:n]
		all = all[n:]
	}
	return lists
}
