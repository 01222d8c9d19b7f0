package assignor

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// group is an Input with everything named by small numbers. Members are known
// by their place in Input.Members.
//
// Only known topics are assigned: subscribed to by somebody, and with at least
// one partition. They are numbered by name. A partition of a known topic is
// numbered through in the same order, so that sorting numbers sorts by topic
// name, then partition. Other partitions that members claim (of unknown topics,
// or past the end of a known one: "strays") have numbers from total upwards.
type group struct {
	rules   protocol.AssignorRules
	in      *Input
	walk    []int32 // members in the order of Java's member map
	names   []name  // the cluster's topics, then other names that came up
	nameIDs map[string]int32

	topics  []topic // known ones, by name
	total   int32   // partitions of known topics
	topicOf []int32 // of a partition below total

	// Members with equal topic lists may share a list number: topicLists and
	// nameLists are looked up by it.
	listOf     []int32
	nameLists  [][]int32 // as subscribed, unknown names and repeats included
	topicLists [][]int32 // known topics only, repeats included

	idRank  []int32 // of a member, by member id
	idOrder []int32 // the other way round

	strays   []stray
	strayIDs map[stray]int32

	racks    rackTable
	treeBins bool // see Result
}

type name struct {
	text       string
	hash       uint32
	partitions int32
	topic      int32 // known topic, or -1
	subscribed bool
}

type topic struct {
	text       string
	name       int32
	partitions int32
	first      int32 // number of its partition 0
}

type stray struct {
	name      int32
	partition int32
}

func newGroup(rules protocol.AssignorRules, in Input) (*group, error) {
	g := &group{rules: rules, in: &in, nameIDs: make(map[string]int32, len(in.Topics))}
	if err := g.readTopics(); err != nil {
		return nil, err
	}
	if err := g.readMembers(); err != nil {
		return nil, err
	}
	if err := g.narrow(); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *group) readTopics() error {
	g.names = make([]name, 0, len(g.in.Topics))
	for _, t := range g.in.Topics {
		if _, ok := g.nameIDs[t.Name]; ok {
			return fmt.Errorf("%w: topic %q is listed twice", ErrInput, t.Name)
		}
		if t.Partitions < 0 {
			return fmt.Errorf("%w: topic %q has %d partitions", ErrInput, t.Name, t.Partitions)
		}
		if len(t.Racks) > int(t.Partitions) {
			return fmt.Errorf("%w: topic %q has racks for %d partitions, but %d partitions", ErrInput, t.Name, len(t.Racks), t.Partitions)
		}
		g.names[g.name(t.Name)].partitions = t.Partitions
	}
	return nil
}

// name returns the number of a topic name, a new one if need be.
func (g *group) name(text string) int32 {
	id, ok := g.nameIDs[text]
	if !ok {
		id = int32(len(g.names))
		g.nameIDs[text] = id
		g.names = append(g.names, name{text: text, hash: javaString(text), topic: -1})
	}
	return id
}

func (g *group) readMembers() error {
	members := g.in.Members
	ids := make(map[string]struct{}, len(members))
	table := newJavaTable(len(members))
	g.listOf = make([]int32, len(members))
	for m := range members {
		id := members[m].ID
		if _, ok := ids[id]; ok {
			return fmt.Errorf("%w: member %q is listed twice", ErrInput, id)
		}
		ids[id] = struct{}{}
		table.put(javaString(id))

		if m == 0 || !slices.Equal(members[m].Topics, members[m-1].Topics) {
			g.nameLists = append(g.nameLists, g.readSubscription(members[m].Topics))
		}
		g.listOf[m] = int32(len(g.nameLists) - 1)
	}
	if err := g.readOrder(table); err != nil {
		return err
	}
	g.idOrder = make([]int32, len(members))
	for m := range g.idOrder {
		g.idOrder[m] = int32(m)
	}
	// total: ids are unique
	slices.SortFunc(g.idOrder, func(a, b int32) int {
		return compareUTF16(members[a].ID, members[b].ID)
	})
	g.idRank = make([]int32, len(members))
	for rank, m := range g.idOrder {
		g.idRank[m] = int32(rank)
	}
	return nil
}

// readOrder fixes the order of the member map.
func (g *group) readOrder(table *javaTable) error {
	if g.in.MemberOrder == nil {
		g.walk = g.ordered(table)
		return nil
	}
	g.walk = make([]int32, 0, len(g.in.Members))
	seen := make([]bool, len(g.in.Members))
	for _, m := range g.in.MemberOrder {
		if m < 0 || m >= len(seen) || seen[m] {
			return fmt.Errorf("%w: the member order has %d out of place", ErrInput, m)
		}
		seen[m] = true
		g.walk = append(g.walk, int32(m))
	}
	if len(g.walk) < len(seen) {
		return fmt.Errorf("%w: the member order has %d of %d members", ErrInput, len(g.walk), len(seen))
	}
	return nil
}

// ordered returns the table's order.
func (g *group) ordered(table *javaTable) []int32 {
	order := table.order()
	g.treeBins = g.treeBins || table.treed
	return order
}

// nameAfter is name, and quicker where names come in the order in which they are
// numbered, as they mostly do.
func (g *group) nameAfter(last int32, text string) int32 {
	for id := last; id < last+4 && int(id) < len(g.names); id++ {
		if g.names[id].text == text {
			return id
		}
	}
	return g.name(text)
}

func (g *group) readSubscription(topics []string) []int32 {
	list := make([]int32, len(topics))
	id := int32(0)
	for i, text := range topics {
		id = g.nameAfter(id, text)
		g.names[id].subscribed = true
		list[i] = id
	}
	return list
}

// narrow keeps the known topics and numbers them and their partitions.
func (g *group) narrow() error {
	var known []int32
	total := int64(0)
	for id, n := range g.names {
		if n.subscribed && n.partitions > 0 {
			known = append(known, int32(id))
			total += int64(n.partitions)
		}
	}
	if total > MaxPartitions {
		return fmt.Errorf("%w: %d partitions, at most %d", ErrInput, total, MaxPartitions)
	}
	// total: names are unique
	slices.SortFunc(known, func(a, b int32) int {
		return compareUTF16(g.names[a].text, g.names[b].text)
	})
	g.topics = make([]topic, len(known))
	g.topicOf = make([]int32, 0, total)
	for t, id := range known {
		g.names[id].topic = int32(t)
		n := g.names[id].partitions
		g.topics[t] = topic{text: g.names[id].text, name: id, partitions: n, first: g.total}
		g.total += n
		for range n {
			g.topicOf = append(g.topicOf, int32(t))
		}
	}
	subscribed := 0
	for _, names := range g.nameLists {
		subscribed += len(names)
	}
	all := make([]int32, 0, subscribed)
	g.topicLists = make([][]int32, len(g.nameLists))
	for i, names := range g.nameLists {
		from := len(all)
		for _, id := range names {
			if t := g.names[id].topic; t >= 0 {
				all = append(all, t)
			}
		}
		g.topicLists[i] = all[from:len(all):len(all)]
	}
	return nil
}

// subscribed returns a member's known topics, in the order of its subscription.
func (g *group) subscribed(member int32) []int32 { return g.topicLists[g.listOf[member]] }

// nameOrder returns the subscribed names in the order of the leader's set of
// them, unknown ones included.
func (g *group) nameOrder() []int32 {
	table := newJavaTable(len(g.names))
	seen := make([]bool, len(g.names))
	var names []int32
	last := int32(-1)
	for _, m := range g.walk {
		if g.listOf[m] == last {
			continue
		}
		last = g.listOf[m]
		for _, id := range g.nameLists[last] {
			if !seen[id] {
				seen[id] = true
				names = append(names, id)
				table.put(g.names[id].hash)
			}
		}
	}
	return pick(names, g.ordered(table))
}

// knownOrder returns the known topics in the order of the leader's map of
// partitions per topic, which it fills from the set of subscribed names.
func (g *group) knownOrder() []int32 {
	table := newJavaTable(len(g.topics))
	var topics []int32
	for _, id := range g.nameOrder() {
		if t := g.names[id].topic; t >= 0 {
			topics = append(topics, t)
			table.put(g.names[id].hash)
		}
	}
	return pick(topics, g.ordered(table))
}

func pick(from, order []int32) []int32 {
	out := make([]int32, len(order))
	for i, k := range order {
		out[i] = from[k]
	}
	return out
}

// partition returns the number of a partition of any name.
func (g *group) partition(name, number int32) int32 {
	if t := g.names[name].topic; t >= 0 && 0 <= number && number < g.topics[t].partitions {
		return g.topics[t].first + number
	}
	key := stray{name, number}
	id, ok := g.strayIDs[key]
	if !ok {
		if g.strayIDs == nil {
			g.strayIDs = make(map[stray]int32)
		}
		id = g.total + int32(len(g.strays))
		g.strayIDs[key] = id
		g.strays = append(g.strays, key)
	}
	return id
}

// known says whether a partition's topic is a known one; a stray's may be.
func (g *group) known(p int32) bool {
	return p < g.total || g.names[g.strays[p-g.total].name].topic >= 0
}

// topicNumber returns the known topic of a partition and its number there, for
// a partition of which known is true.
func (g *group) topicNumber(p int32) (topic, number int32) {
	if p < g.total {
		t := g.topicOf[p]
		return t, p - g.topics[t].first
	}
	s := g.strays[p-g.total]
	return g.names[s.name].topic, s.partition
}

// hash is the partition's Java hash code.
func (g *group) hash(p int32) uint32 {
	if p < g.total {
		t := &g.topics[g.topicOf[p]]
		return javaPartition(g.names[t.name].hash, p-t.first)
	}
	s := g.strays[p-g.total]
	return javaPartition(g.names[s.name].hash, s.partition)
}

// byName compares partitions of known topics, strays among them, by topic name
// and number.
func (g *group) byName(a, b int32) int {
	if a < g.total && b < g.total {
		return cmp.Compare(a, b)
	}
	ta, na := g.topicNumber(a)
	tb, nb := g.topicNumber(b)
	return cmp.Or(cmp.Compare(ta, tb), cmp.Compare(na, nb))
}

// staticFirst returns the members with static ones first, by instance id, then
// the others by member id. Members with the same instance id stay in the order
// of the member map.
func (g *group) staticFirst() []int32 {
	order := slices.Clone(g.walk)
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := &g.in.Members[a], &g.in.Members[b]
		switch {
		case x.InstanceID != "" && y.InstanceID != "":
			return compareUTF16(x.InstanceID, y.InstanceID)
		case x.InstanceID != "":
			return -1
		case y.InstanceID != "":
			return 1
		}
		return cmp.Compare(g.idRank[a], g.idRank[b])
	})
	return order
}

// subscribers returns for each known topic the places in order of the members
// that subscribe to it; once per occurrence of the name if repeats is set.
func (g *group) subscribers(order []int32, repeats bool) [][]int32 {
	lists := make([][]int32, len(g.topics))
	if len(g.topicLists) == 1 && len(g.topicLists[0]) == len(g.topics) {
		all := make([]int32, len(order)) // one list of topics without repeats: all share it
		for i := range all {
			all[i] = int32(i)
		}
		for t := range lists {
			lists[t] = all
		}
		return lists
	}
	count := make([]int32, len(g.topics))
	total := int32(0)
	for _, m := range order {
		for _, t := range g.subscribed(m) {
			count[t]++
			total++
		}
	}
	all := make([]int32, total)
	for t, n := range count {
		lists[t], all = all[:0:n], all[n:]
	}
	for i, m := range order {
		for _, t := range g.subscribed(m) {
			if n := len(lists[t]); repeats || n == 0 || lists[t][n-1] != int32(i) {
				lists[t] = append(lists[t], int32(i))
			}
		}
	}
	return lists
}

// partitions turns numbers into names.
func (g *group) partitions(lists [][]int32) [][]protocol.TopicPartition {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	all := make([]protocol.TopicPartition, n)
	out := make([][]protocol.TopicPartition, len(lists))
	for m, l := range lists {
		list := all[:len(l):len(l)]
		all = all[len(l):]
		for i, p := range l {
			list[i] = g.topicPartition(p)
		}
		out[m] = list
	}
	return out
}

func (g *group) topicPartition(p int32) protocol.TopicPartition {
	if p < g.total {
		t := &g.topics[g.topicOf[p]]
		return protocol.TopicPartition{Topic: t.text, Partition: p - t.first}
	}
	s := g.strays[p-g.total]
	return protocol.TopicPartition{Topic: g.names[s.name].text, Partition: s.partition}
}

// compareUTF16 compares strings as Java does, by UTF-16 code units. That is the
// order of their bytes in UTF-8, except that characters outside the basic plane
// stand before U+E000 to U+FFFF.
func compareUTF16(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			return cmp.Compare(y, x)
		}
		return cmp.Compare(x, y)
	}
	return cmp.Compare(len(a), len(b))
}
