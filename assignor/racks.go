package assignor

import (
	"encoding/binary"
	"slices"
)

// rackTable holds the racks of members and partitions as numbers. Many
// partitions share a set of racks, so sets are numbered too.
type rackTable struct {
	names     map[string]int32
	ofMembers bool    // some member has a rack
	ofMember  []int32 // or -1
	setOf     []int32 // per known partition: its replicas' racks
	sets      [][]int32

	inEffect bool // for the sticky pair: matching racks can make a difference

	// Marks of matter: equal to round if seen in this call.
	setSeen, rackSeen []int32
	round             int32
}

// read fills the table, unless no member has a rack: then nobody looks at it.
func (r *rackTable) read(g *group) {
	r.names = make(map[string]int32)
	r.ofMember = make([]int32, len(g.in.Members))
	for m := range g.in.Members {
		r.ofMember[m] = -1
		if rack := g.in.Members[m].Rack; rack != "" {
			r.ofMember[m] = r.name(rack)
			r.ofMembers = true
		}
	}
	if !r.ofMembers {
		return
	}
	ids := make(map[string]int32)
	r.setOf = make([]int32, 0, g.total)
	var set []int32
	var key []byte
	for _, t := range g.topics {
		// A name is numbered by its place in Input.Topics.
		racks := g.in.Topics[t.name].Racks
		for p := range int(t.partitions) {
			set, key = set[:0], key[:0]
			if p < len(racks) {
				for _, rack := range racks[p] {
					set = append(set, r.name(rack))
				}
			}
			slices.Sort(set)
			set = slices.Compact(set)
			for _, rack := range set {
				key = binary.LittleEndian.AppendUint32(key, uint32(rack))
			}
			id, ok := ids[string(key)]
			if !ok {
				id = int32(len(r.sets))
				ids[string(key)] = id
				r.sets = append(r.sets, slices.Clone(set))
			}
			r.setOf = append(r.setOf, id)
		}
	}
	r.setSeen = make([]int32, len(r.sets))
	r.rackSeen = make([]int32, len(r.names))
}

func (r *rackTable) name(text string) int32 {
	id, ok := r.names[text]
	if !ok {
		id = int32(len(r.names))
		r.names[text] = id
	}
	return id
}

// of returns the racks that have a replica of the partition; a stray has none.
func (r *rackTable) of(p int32) []int32 {
	if int(p) >= len(r.setOf) {
		return nil
	}
	return r.sets[r.setOf[p]]
}

func (r *rackTable) has(p, rack int32) bool {
	_, ok := slices.BinarySearch(r.of(p), rack)
	return ok
}

// matter says whether looking at racks can make a difference to members with
// these racks: one of them has a replica of something, and not every partition
// has replicas in all racks that occur.
func (r *rackTable) matter(members, setOf []int32) bool {
	r.round++
	size := 0
	for _, s := range setOf {
		if r.setSeen[s] == r.round {
			continue
		}
		r.setSeen[s] = r.round
		for _, rack := range r.sets[s] {
			if r.rackSeen[rack] != r.round {
				r.rackSeen[rack] = r.round
				size++
			}
		}
	}
	if !slices.ContainsFunc(members, func(rack int32) bool { return r.rackSeen[rack] == r.round }) {
		return false
	}
	return slices.ContainsFunc(setOf, func(s int32) bool { return len(r.sets[s]) != size })
}

// mismatch says that racks are in effect and the member's rack has no replica
// of the partition. A member without a rack matches everything.
func (r *rackTable) mismatch(p, member int32) bool {
	if !r.inEffect || r.ofMember[member] < 0 {
		return false
	}
	return !r.has(p, r.ofMember[member])
}
