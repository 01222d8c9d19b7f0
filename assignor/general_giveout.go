package assignor

import "cmp"

// giveOut gives each unassigned partition to its least loaded subscriber; where
// racks are in effect, to one in a matching rack if there is one.
func (gen *general) giveOut() {
	waiting := gen.unassigned
	if gen.racks {
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
