package assignor

import "slices"

// rangeRacks is the rack-aware range assignor (KIP-881): the same numbers of
// partitions, but the first choice of partitions goes by rack, and topics with
// the same members and the same number of partitions are assigned alike.
type rangeRacks struct {
	g           *group
	members     []int32   // sorted
	subscribers [][]int32 // per topic: places in members
	topics      []rangeTopic
}

// rangeTopic is one topic on its way through the rounds.
type rangeTopic struct {
	racks bool // some member of the topic has a rack
	wants bool // matching racks would make a difference
	given []int32
	extra int32
	free  []bool
	left  int32
}

func newRangeRacks(g *group) *rangeRacks {
	r := &rangeRacks{g: g, members: g.staticFirst()}
	r.subscribers = g.subscribers(r.members, false)
	return r
}

// needed looks whether any topic wants a rack round. Only then the others take
// part in it too.
func (r *rangeRacks) needed() bool {
	g := r.g
	g.racks.read(g)
	if !g.racks.ofMembers {
		return false
	}
	r.topics = make([]rangeTopic, len(g.topics))
	needed := false
	for t := range r.topics {
		rt := &r.topics[t]
		rt.racks, rt.wants = r.wants(t)
		needed = needed || rt.wants
	}
	return needed
}

func (r *rangeRacks) wants(t int) (racks, wants bool) {
	g := r.g
	var members []int32 // racks
	for _, place := range r.subscribers[t] {
		if rack := g.racks.ofMember[r.members[place]]; rack >= 0 {
			members = append(members, rack)
		}
	}
	if len(members) == 0 {
		return false, false
	}
	first := g.topics[t].first
	sets := g.racks.setOf[first : first+g.topics[t].partitions]
	return true, g.racks.matter(members, sets)
}

func (r *rangeRacks) assign(lists [][]int32) {
	g := r.g
	for t := range r.topics {
		rt := &r.topics[t]
		n := g.topics[t].partitions
		rt.given = make([]int32, len(r.subscribers[t]))
		rt.extra = n % int32(len(r.subscribers[t]))
		rt.free = make([]bool, n)
		rt.left = n
		for p := range rt.free {
			rt.free[p] = true
		}
	}
	for _, topics := range r.copartitioned() {
		switch {
		case len(topics) > 1 && r.topics[topics[0]].racks:
			r.together(topics, lists)
		case len(topics) == 1 && r.topics[topics[0]].wants:
			r.alone(topics[0], lists)
		}
	}
	for t := range r.topics {
		r.rest(int32(t), lists)
	}
	for _, l := range lists {
		slices.Sort(l)
	}
}

// copartitioned groups the topics by (members, number of partitions). Topics
// whose members have no racks count as having no partitions: no matter, as they
// get no rack round.
func (r *rangeRacks) copartitioned() [][]int32 {
	g := r.g
	setOf, sets := g.memberSets()
	type key struct{ set, size int32 }
	groupOf := make(map[key]int, len(sets))
	var groups [][]int32
	for t := range g.topics {
		k := key{setOf[t], 0}
		if r.topics[t].racks {
			k.size = g.topics[t].partitions
		}
		i, ok := groupOf[k]
		if !ok {
			i = len(groups)
			groupOf[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], int32(t))
	}
	return groups
}

// room is how many partitions a member of the topic may still get.
func (r *rangeRacks) room(t int32, i int) int32 {
	rt := &r.topics[t]
	room := r.g.topics[t].partitions/int32(len(rt.given)) - rt.given[i]
	if rt.extra > 0 {
		room++
	}
	return max(room, 0)
}

// hand takes n partitions off the free ones; take must have marked them.
func (r *rangeRacks) hand(t int32, i int, n int32) {
	rt := &r.topics[t]
	if n == 0 {
		return
	}
	rt.given[i] += n
	rt.left -= n
	if rt.given[i] > r.g.topics[t].partitions/int32(len(rt.given)) {
		rt.extra--
	}
}

func (r *rangeRacks) take(t int32, i int, number int32, lists [][]int32) {
	m := r.members[r.subscribers[t][i]]
	lists[m] = append(lists[m], r.g.topics[t].first+number)
	r.topics[t].free[number] = false
}

// together gives partition after partition of all topics to the first member
// that has room and whose rack has a replica in each topic. The topics have the
// same members and sizes, so their rooms stay equal and one topic's tell all.
// Members of one rack queue up: who has no room any more never gets it back.
func (r *rangeRacks) together(topics []int32, lists [][]int32) {
	g := r.g
	t := topics[0]
	queues := make([][]int, len(g.racks.names)+1) // by rack; members without a rack come last
	for i, place := range r.subscribers[t] {
		rack := g.racks.ofMember[r.members[place]]
		if rack < 0 {
			rack = int32(len(g.racks.names))
		}
		queues[rack] = append(queues[rack], i)
	}
	head := func(rack int32) int {
		q := queues[rack]
		for len(q) > 0 && r.room(t, q[0]) == 0 {
			q = q[1:]
		}
		queues[rack] = q
		if len(q) == 0 {
			return len(r.subscribers[t])
		}
		return q[0]
	}
	for number := range g.topics[t].partitions {
		best := head(int32(len(g.racks.names)))
		for _, rack := range g.racks.of(g.topics[t].first + number) {
			if r.inAll(rack, topics[1:], number) {
				best = min(best, head(rack))
			}
		}
		if best == len(r.subscribers[t]) {
			continue
		}
		for _, u := range topics {
			r.take(u, best, number, lists)
			r.hand(u, best, 1)
		}
	}
}

func (r *rangeRacks) inAll(rack int32, topics []int32, number int32) bool {
	for _, t := range topics {
		if !r.g.racks.has(r.g.topics[t].first+number, rack) {
			return false
		}
	}
	return true
}

// alone lets each member of one topic take the first partitions that its rack
// has a replica of. A rack's members go on where the one before stopped.
func (r *rangeRacks) alone(t int32, lists [][]int32) {
	g := r.g
	rt := &r.topics[t]
	n := g.topics[t].partitions
	next := make([]int32, len(g.racks.names)+1)
	for i, place := range r.subscribers[t] {
		if rt.left == 0 {
			return
		}
		rack := g.racks.ofMember[r.members[place]]
		at := &next[len(next)-1]
		if rack >= 0 {
			at = &next[rack]
		}
		room, got := r.room(t, i), int32(0)
		for ; got < room && *at < n; *at++ {
			if rt.free[*at] && (rack < 0 || g.racks.has(g.topics[t].first+*at, rack)) {
				r.take(t, i, *at, lists)
				got++
			}
		}
		r.hand(t, i, got)
	}
}

// rest gives out what the rack rounds left.
func (r *rangeRacks) rest(t int32, lists [][]int32) {
	rt := &r.topics[t]
	at := int32(0)
	for i := range r.subscribers[t] {
		if rt.left == 0 {
			return
		}
		room, got := r.room(t, i), int32(0)
		for ; got < room && at < r.g.topics[t].partitions; at++ {
			if rt.free[at] {
				r.take(t, i, at, lists)
				got++
			}
		}
		r.hand(t, i, got)
	}
}
