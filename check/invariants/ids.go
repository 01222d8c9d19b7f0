package invariants

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// ids numbers the member ids of a run, in the order in which they are met.
type ids struct {
	byName map[string]int32
	list   []person
}

// person is a member id and whose it is.
type person struct {
	id       string
	client   int32 // the client that has, or had it; none: not known
	instance string
	handedBy int32    // the incarnation of the group that gave it out, 0: not known
	dropped  bool     // the client was reset while it waited for the JoinGroup answer with it, and has not taken it
	handedAt sim.Time // when a JoinGroup was answered with it, to come back with; none: it was not, or it has come
}

// number is an id's number; "" is none.
func (l *ids) number(id string) int32 {
	if id == "" {
		return none
	}
	n, ok := l.byName[id]
	if !ok {
		n = int32(len(l.list))
		l.byName[id] = n
		l.list = append(l.list, person{id: id, client: none, handedAt: none})
	}
	return n
}

func (l *ids) name(n int32) string {
	if n < 0 {
		return ""
	}
	return l.list[n].id
}

// cachedID is an id that a client uses over and over.
type cachedID struct {
	name string
	n    int32
}

func (m *Monitor) idOf(c *client, id string) int32 {
	if c.lastID.name != id || id == "" {
		c.lastID = cachedID{id, m.ids.number(id)}
	}
	return c.lastID.n
}

// parts numbers the partitions of a run, in the order in which they are met.
type parts struct {
	byTopic map[string]int32
	topics  []topic
	last    int32
	list    []part
	marks   uint32
}

type topic struct {
	name  string
	parts []int32
}

// part is what is kept of one partition.
type part struct {
	tp      protocol.TopicPartition
	mark    uint32  // of the set that it is in
	owner   int32   // place in the stored assignment, none
	servers []int32 // clients that serve it
	robbed  int32   // the one of them that is static, and from which it was taken while it was absent; none
	readers []reader

	offset offset
}

func (l *parts) topic(name string) int32 {
	if int(l.last) < len(l.topics) && l.topics[l.last].name == name {
		return l.last
	}
	i, ok := l.byTopic[name]
	if !ok {
		i = int32(len(l.topics))
		l.byTopic[name] = i
		l.topics = append(l.topics, topic{name: name})
	}
	l.last = i
	return i
}

func (l *parts) number(tp protocol.TopicPartition) int32 {
	t := &l.topics[l.topic(tp.Topic)]
	for int(tp.Partition) >= len(t.parts) {
		t.parts = append(t.parts, none)
	}
	i := t.parts[tp.Partition]
	if i == none {
		i = int32(len(l.list))
		t.parts[tp.Partition] = i
		l.list = append(l.list, part{tp: tp, owner: none, robbed: none, offset: offset{at: none, visible: none, by: none}})
	}
	return i
}

// numbers are those of a list, in a slice that is used again if there is room.
func (l *parts) numbers(into []int32, list []protocol.TopicPartition) []int32 {
	into = into[:0]
	for _, tp := range list {
		into = append(into, l.number(tp))
	}
	return into
}

// markAll begins a new set of partitions and puts the list into it.
func (l *parts) markAll(list []int32) uint32 {
	l.marks++
	for _, p := range list {
		l.list[p].mark = l.marks
	}
	return l.marks
}

// marked is what of a list is in the set, in the list's own room.
func (l *parts) marked(list []int32, mark uint32) []int32 {
	n := 0
	for _, p := range list {
		if l.list[p].mark == mark {
			list[n] = p
			n++
		}
	}
	return list[:n]
}

func (l *parts) name(p int32) string { return l.list[p].tp.String() }
