package assignor

// withhold takes partitions out of a balanced target that their owner has to
// revoke first (KIP-429). They are given out in the rebalance that follows.
func (s *sticky) withhold(target [][]int32) [][]int32 {
	if s.path == PathGeneral {
		s.findMoving(target)
	}
	lists := make([][]int32, len(target))
	for m, list := range target {
		kept := make([]int32, 0, len(list))
		for _, p := range list {
			if s.moving[p] == int32(m) {
				s.moving[p] = -1 // only its first occurrence
			} else {
				kept = append(kept, p)
			}
		}
		lists[m] = kept
	}
	return lists
}

// findMoving compares the target of the general algorithm with everything that
// members say they own, believed or not: what one does not get that it owns, and
// another gets that it did not own, is moving.
func (s *sticky) findMoving(target [][]int32) {
	s.initMoving()
	revoked := make([]bool, s.partitionCount())
	mark := make([]int32, s.partitionCount()) // member + 1
	for _, m := range s.g.walk {
		for _, p := range s.owned[m] {
			mark[p] = m + 1
		}
		for _, p := range target[m] {
			if mark[p] != m+1 {
				s.moving[p] = m
			}
		}
		for _, p := range target[m] {
			mark[p] = -m - 1
		}
		for _, p := range s.owned[m] {
			if mark[p] != -m-1 {
				revoked[p] = true
			}
		}
	}
	for p, r := range revoked {
		if !r {
			s.moving[p] = -1
		}
	}
}
