package assignor

import "slices"

// mergeFree lists the partitions that are in none of the lists, as Kafka finds
// them: by a merge of all, in order, with the listed ones, sorted by compare. A
// listed partition that does not exist or comes twice blocks the merge: everything
// behind it counts as free, and will be given out a second time.
func (g *group) mergeFree(all []int32, lists [][]int32, compare func(a, b int32) int) (free []int32, blocked bool) {
	taken := make([]bool, g.total)
	n := 0
	for _, list := range lists {
		n += len(list)
		for _, p := range list {
			if p >= g.total || taken[p] {
				blocked = true
			} else {
				taken[p] = true
			}
		}
	}
	if !blocked {
		free = make([]int32, 0, max(0, len(all)-n))
		for _, p := range all {
			if !taken[p] {
				free = append(free, p)
			}
		}
		return free, false
	}
	listed := slices.Concat(lists...)
	slices.SortStableFunc(listed, compare)
	for _, p := range all {
		if len(listed) > 0 && p == listed[0] {
			listed = listed[1:]
		} else {
			free = append(free, p)
		}
	}
	return free, true
}

// allPartitions lists all partitions by topic name and number.
func (g *group) allPartitions() []int32 {
	all := make([]int32, g.total)
	for p := range all {
		all[p] = int32(p)
	}
	return all
}
