package assignor

// loads answers who of a set of members has the fewest partitions, at equal
// numbers the one with the smallest id. It can be asked for many sets in turn
// while members gain and lose partitions: each set catches up when it is asked.
type loads struct {
	idRank  []int32
	size    []int32 // of each member's list
	fixed   []bool  // members that are out of the order
	sets    []loadSet
	changes []int32 // members whose size changed, since the last restart
	restart int
}

// loadSet is a tournament of the set's members: each node holds the winner of
// the two below it, node 1 the winner of all.
type loadSet struct {
	members []int32 // by id
	tree    []int32 // places in members; leaves from len(members) on
	seen    int     // changes taken into account
	restart int     // of loads when the tree was built
}

const changesKept = 1 << 16

func (l *loads) add(member, n int32) {
	l.size[member] += n
	if len(l.changes) == changesKept {
		l.startAnew()
	}
	l.changes = append(l.changes, member)
}

// startAnew makes all sets build their trees again.
func (l *loads) startAnew() {
	l.changes = l.changes[:0]
	l.restart++
}

// first returns the set's least loaded member, or -1 if it has none.
func (l *loads) first(set int32) int32 {
	s := &l.sets[set]
	n := len(s.members)
	if n == 0 {
		return -1
	}
	if s.tree == nil || s.restart != l.restart || len(l.changes)-s.seen > n {
		l.build(s)
	}
	for _, m := range l.changes[s.seen:] {
		place, ok := l.place(s.members, m)
		if !ok {
			continue
		}
		for node := (n + place) / 2; node >= 1; node /= 2 {
			s.tree[node] = l.winner(s, s.tree[2*node], s.tree[2*node+1])
		}
	}
	s.seen = len(l.changes)
	m := s.members[s.tree[1]]
	if l.fixed[m] {
		return -1
	}
	return m
}

// place finds a member in a list that is sorted by id.
func (l *loads) place(members []int32, m int32) (place int, ok bool) {
	low, high, rank := 0, len(members), l.idRank[m]
	for low < high {
		if mid := (low + high) / 2; l.idRank[members[mid]] < rank {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < len(members) && members[low] == m
}

func (l *loads) build(s *loadSet) {
	n := len(s.members)
	if s.tree == nil {
		s.tree = make([]int32, 2*n)
		for place := range n {
			s.tree[n+place] = int32(place)
		}
	}
	for node := n - 1; node >= 1; node-- {
		s.tree[node] = l.winner(s, s.tree[2*node], s.tree[2*node+1])
	}
	s.seen, s.restart = len(l.changes), l.restart
}

func (l *loads) winner(s *loadSet, a, b int32) int32 {
	x, y := s.members[a], s.members[b]
	switch {
	case l.fixed[x] != l.fixed[y]:
		if l.fixed[x] {
			return b
		}
		return a
	case l.size[x] != l.size[y]:
		if l.size[x] < l.size[y] {
			return a
		}
		return b
	}
	return min(a, b)
}
