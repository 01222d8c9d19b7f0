package assignor

import (
	"cmp"
	"slices"
)

// sortByRackMembers puts partitions first that few members' racks hold.
func (f *filling) sortByRackMembers(free []int32) {
	r := &f.g.racks
	members := make([]int32, len(r.names)) // per rack
	for _, rack := range r.ofMember {
		if rack >= 0 {
			members[rack]++
		}
	}
	count := make([]int32, len(r.sets))
	for s, racks := range r.sets {
		for _, rack := range racks {
			count[s] += members[rack]
		}
	}
	slices.SortStableFunc(free, func(a, b int32) int {
		return cmp.Compare(count[r.setOf[a]], count[r.setOf[b]])
	})
}

// rackRound gives each partition to a member in one of its racks, if there is
// one below its quota, and returns what is left.
func (f *filling) rackRound(free []int32) []int32 {
	under := newRackRing(f, f.under)
	exact := newRackQueue(f)
	for _, m := range f.exact {
		exact.push(m)
	}
	left := make([]int32, 0, len(free))
	for _, p := range free {
		racks := f.g.racks.of(p)
		if m, ok := under.next(racks); ok {
			n := len(f.lists[m]) + 1
			if n >= f.low {
				under.drop()
				if n < f.high && (!f.counted || f.full < f.over) {
					exact.push(m)
				}
			} else {
				under.pass()
			}
			f.give(p, m)
			continue
		}
		if m, ok := exact.head(racks); ok {
			if len(f.lists[m])+1 == f.high {
				exact.pop(m)
				if f.counted {
					if f.full++; f.full == f.over {
						exact.empty()
					}
				}
			}
			f.give(p, m)
			continue
		}
		left = append(left, p)
	}
	f.under = under.rest()
	f.exact = exact.rest()
	return left
}

// rackRing is a list of members that is gone through in a circle; asked for
// certain racks, it passes over the members of others. The circle is not
// walked: members of one rack know their places, and a place whose member has
// left points onwards.
type rackRing struct {
	members []int32
	byRack  [][]int32 // places, ascending
	onward  [][]int32 // per rack and index in byRack: the next index still there
	indexOf []int32   // place -> index in byRack
	rackOf  []int32   // place -> rack
	alive   []int32   // place -> next place still there, itself included
	at      int32     // the search starts here
	found   int32     // where next found a member
	left    int
}

func newRackRing(f *filling, members []int32) *rackRing {
	n := len(members)
	r := &rackRing{
		members: members,
		byRack:  make([][]int32, len(f.g.racks.names)),
		onward:  make([][]int32, len(f.g.racks.names)),
		indexOf: make([]int32, n),
		rackOf:  make([]int32, n),
		alive:   make([]int32, n+1),
		left:    n,
	}
	for place, m := range members {
		r.alive[place] = int32(place)
		rack := f.g.racks.ofMember[m]
		r.rackOf[place] = rack
		if rack >= 0 {
			r.indexOf[place] = int32(len(r.byRack[rack]))
			r.byRack[rack] = append(r.byRack[rack], int32(place))
		}
	}
	r.alive[n] = int32(n)
	for rack, places := range r.byRack {
		r.onward[rack] = make([]int32, len(places)+1)
		for i := range r.onward[rack] {
			r.onward[rack][i] = int32(i)
		}
	}
	return r
}

// follow finds the first index at or after i that still points to itself, and
// shortens the way for the next search.
func follow(onward []int32, i int32) int32 {
	end := i
	for onward[end] != end {
		end = onward[end]
	}
	for onward[i] != end {
		i, onward[i] = onward[i], end
	}
	return end
}

// next finds the first member, from where the ring stands, in one of the racks.
func (r *rackRing) next(racks []int32) (member int32, ok bool) {
	n := int32(len(r.members))
	best, bestWay := int32(0), n
	for _, rack := range racks {
		places := r.byRack[rack]
		from, _ := slices.BinarySearch(places, r.at)
		i := follow(r.onward[rack], int32(from))
		if int(i) == len(places) {
			i = follow(r.onward[rack], 0) // once round
		}
		if int(i) == len(places) {
			continue
		}
		way := places[i] - r.at
		if way < 0 {
			way += n
		}
		if way < bestWay {
			best, bestWay = places[i], way
		}
	}
	if bestWay == n {
		return 0, false
	}
	r.found = best
	return r.members[best], true
}

// pass lets the next search start behind the member found.
func (r *rackRing) pass() { r.startFrom(r.found + 1) }

// drop does so too, and takes the member out.
func (r *rackRing) drop() {
	place := r.found
	r.alive[place] = place + 1
	i := r.indexOf[place]
	r.onward[r.rackOf[place]][i] = i + 1
	r.left--
	r.startFrom(place + 1)
}

func (r *rackRing) startFrom(place int32) {
	r.at = 0
	if r.left == 0 {
		return
	}
	r.at = follow(r.alive, place)
	if int(r.at) == len(r.members) {
		r.at = follow(r.alive, 0)
	}
}

func (r *rackRing) rest() []int32 {
	var rest []int32
	for place, m := range r.members {
		if r.alive[place] == int32(place) {
			rest = append(rest, m)
		}
	}
	return rest
}

// rackQueue is a list to whose end members come, and which is asked for the
// first one in certain racks.
type rackQueue struct {
	f      *filling
	order  []int32 // members, hole for those that left
	byRack [][]int32
	place  []int32 // of a member in order
}

func newRackQueue(f *filling) *rackQueue {
	return &rackQueue{f: f, byRack: make([][]int32, len(f.g.racks.names)), place: make([]int32, len(f.lists))}
}

func (q *rackQueue) push(m int32) {
	q.place[m] = int32(len(q.order))
	q.order = append(q.order, m)
	if rack := q.f.g.racks.ofMember[m]; rack >= 0 {
		q.byRack[rack] = append(q.byRack[rack], m)
	}
}

func (q *rackQueue) head(racks []int32) (member int32, ok bool) {
	for _, rack := range racks {
		if in := q.byRack[rack]; len(in) > 0 && (!ok || q.place[in[0]] < q.place[member]) {
			member, ok = in[0], true
		}
	}
	return member, ok
}

// pop takes out a member that head found.
func (q *rackQueue) pop(m int32) {
	rack := q.f.g.racks.ofMember[m]
	q.byRack[rack] = q.byRack[rack][1:]
	q.order[q.place[m]] = hole
}

func (q *rackQueue) empty() {
	q.order = q.order[:0]
	clear(q.byRack)
}

func (q *rackQueue) rest() []int32 {
	return slices.DeleteFunc(q.order, func(m int32) bool { return m == hole })
}
