package assignor

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// withhold takes partitions out of a balanced target that their owner has to
// revoke first (KIP-429). They are given out in the rebalance that follows.
func (s *sticky) withhold(lists [][]int32, target [][]protocol.TopicPartition) [][]protocol.TopicPartition {
	if s.path == PathGeneral {
		s.findMoving(lists)
	}
	if s.moving == nil {
		return target
	}
	assigned := make([][]protocol.TopicPartition, len(target))
	for m, list := range lists {
		assigned[m] = target[m]
		for i, p := range list {
			if s.moving[p] != int32(m) {
				continue
			}
			s.moving[p] = -1 // only its first occurrence
			assigned[m] = s.withheld(lists[m][i+1:], int32(m), slices.Clone(target[m][:i]), target[m][i+1:])
			break
		}
	}
	return assigned
}

// withheld appends to kept what stays of the rest of a member's list.
func (s *sticky) withheld(rest []int32, m int32, kept, target []protocol.TopicPartition) []protocol.TopicPartition {
	for i, p := range rest {
		if s.moving[p] == m {
			s.moving[p] = -1
		} else {
			kept = append(kept, target[i])
		}
	}
	return kept
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
