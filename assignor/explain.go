package assignor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

// Explanation sets an assignment against what the members owned before it.
type Explanation struct {
	// Fewest and Most partitions that a member has that subscribes to any.
	Fewest, Most int
	// Kept partitions stay with a member that owned them. The others are
	// Changes, by topic and number.
	Kept    int
	Changes []Change
	Moved   int // of Changes: from a member that is still there to another
	// Least is the smallest number of moves with which these loads could have
	// been reached. It is defined where all members subscribe to the same topics.
	Least        int
	LeastDefined bool
	Withheld     int // of Changes: not given out before their owner revokes them
}

// Change is a partition that nobody keeps. Members are places in Input.Members,
// -1 for none.
type Change struct {
	Partition protocol.TopicPartition
	From, To  int
	Withheld  bool
	Why       string
}

// Explain explains what Assign returned for the input.
func Explain(name string, rules protocol.AssignorRules, in Input, res Result) (Explanation, error) {
	g, err := newGroup(rules, in)
	if err != nil {
		return Explanation{}, err
	}
	x := explainer{name: name, g: g, in: &in, res: &res, target: res.Target}
	if x.target == nil {
		x.target = res.Assigned
	}
	x.read()
	return x.explain(), nil
}

type explainer struct {
	name   string
	g      *group
	in     *Input
	res    *Result
	target [][]protocol.TopicPartition

	claimants [][]int32 // of a partition, in order of the members
	to        []int32
	withheld  []bool
	owned     []int   // partitions that exist, by member
	top       int32   // highest generation of a claim
	lost      []int32 // members whose claims the leader lost
}

func (x *explainer) read() {
	g := x.g
	x.claimants = make([][]int32, g.total)
	x.to = make([]int32, g.total)
	x.withheld = make([]bool, g.total)
	x.owned = make([]int, len(x.in.Members))
	x.top = -1
	for i, m := range x.in.Members {
		if len(m.Owned) > 0 {
			x.top = max(x.top, x.generation(int32(i)))
		}
		for _, tp := range m.Owned {
			if p := g.partition(g.name(tp.Topic), tp.Partition); p < g.total {
				if !slices.Contains(x.claimants[p], int32(i)) {
					x.claimants[p] = append(x.claimants[p], int32(i))
					x.owned[i]++
				}
			}
		}
	}
	for p := range x.to {
		x.to[p] = -1
	}
	x.each(x.target, func(p, m int32) { x.to[p], x.withheld[p] = m, x.res.Target != nil })
	x.each(x.res.Assigned, func(p, _ int32) { x.withheld[p] = false })
	if x.name == Sticky && x.res.Path == PathGeneral && g.rules.StickyReread == protocol.StickyRereadEmpty {
		_, passed := g.equalSubscriptions()
		x.lost = g.walk[:passed]
	}
}

func (x *explainer) each(lists [][]protocol.TopicPartition, do func(p, m int32)) {
	for m, list := range lists {
		for _, tp := range list {
			if p := x.g.partition(x.g.name(tp.Topic), tp.Partition); p < x.g.total {
				do(p, int32(m))
			}
		}
	}
}

func (x *explainer) generation(m int32) int32 {
	member := &x.in.Members[m]
	if x.name == CooperativeSticky && x.g.rules.CooperativeGeneration == protocol.CooperativeGenerationField && member.SubscriptionGeneration.Known {
		return member.SubscriptionGeneration.Number
	}
	return member.UserDataGeneration.orMinusOne()
}

func (x *explainer) explain() Explanation {
	var e Explanation
	first := true
	equal := true
	for m := range x.in.Members {
		topics := x.g.subscribed(int32(m))
		equal = equal && len(topics) == len(x.g.topics)
		if len(topics) == 0 {
			continue
		}
		n := len(x.target[m])
		if first {
			e.Fewest, e.Most, first = n, n, false
		}
		e.Fewest, e.Most = min(e.Fewest, n), max(e.Most, n)
	}
	for p := range x.g.total {
		to, claimants := x.to[p], x.claimants[p]
		if slices.Contains(claimants, to) {
			e.Kept++
			continue
		}
		c := Change{Partition: x.g.topicPartition(p), From: -1, To: int(to), Withheld: x.withheld[p]}
		if c.Withheld {
			e.Withheld++
		}
		if len(claimants) > 0 {
			from := x.newest(claimants)
			c.From, c.Why = int(from), x.why(p, from)
			e.Moved++
		} else {
			c.Why = "nobody owned it"
		}
		e.Changes = append(e.Changes, c)
	}
	_, e.Least = Moves(*x.in, x.target)
	e.LeastDefined = equal
	return e
}

func (x *explainer) newest(claimants []int32) int32 {
	from := claimants[0]
	for _, m := range claimants[1:] {
		if x.generation(m) > x.generation(from) {
			from = m
		}
	}
	return from
}

// why says why a partition does not stay with the member.
func (x *explainer) why(p, from int32) string {
	m := &x.in.Members[from]
	topic := x.g.topicPartition(p).Topic
	switch {
	case !slices.Contains(m.Topics, topic):
		return fmt.Sprintf("%s does not subscribe to %s any more", m.ID, topic)
	case x.name == Range || x.name == RoundRobin:
		return x.name + " does not look at what was owned"
	case slices.Contains(x.lost, from):
		return fmt.Sprintf("the leader read %s's claims twice and found none the second time (KAFKA-9987)", m.ID)
	}
	var rivals []string
	for _, c := range x.claimants[p] {
		if x.generation(c) == x.generation(from) {
			rivals = append(rivals, x.in.Members[c].ID)
		}
	}
	last := len(x.target[from])
	switch {
	case len(rivals) > 1:
		return fmt.Sprintf("%s claim it in one generation", strings.Join(rivals, " and "))
	case x.generation(from) < x.top && x.g.rules.StickyClaims < protocol.StickyClaimsPairwise:
		return fmt.Sprintf("%s's claim is of generation %d, the newest is of %d", m.ID, x.generation(from), x.top)
	case x.res.RacksMatched && m.Rack != "" && !x.replicaIn(p, m.Rack):
		return fmt.Sprintf("it has no replica in %s's rack %s", m.ID, m.Rack)
	case last < x.owned[from]:
		return fmt.Sprintf("balance: %s owned %d, its share is %d", m.ID, x.owned[from], last)
	}
	return fmt.Sprintf("exchanged: %s owned %d and has %d", m.ID, x.owned[from], last)
}

func (x *explainer) replicaIn(p int32, rack string) bool {
	t := &x.g.topics[x.g.topicOf[p]]
	racks := x.in.Topics[t.name].Racks // names are numbered in the order of Topics
	i := int(p - t.first)
	return i < len(racks) && slices.Contains(racks[i], rack)
}

// Moves counts the partitions that a member owned and another one has in lists,
// which is parallel to the members. Least is how many moves suffice for the same
// loads: those of partitions whose owner does not subscribe to the topic any more,
// and what is left if the larger loads stay with those who held more.
func Moves(in Input, lists [][]protocol.TopicPartition) (moved, least int) {
	to := make(map[protocol.TopicPartition]int)
	held, loads := make([]int, len(lists)), make([]int, len(lists))
	for m, list := range lists {
		loads[m] = len(list)
		for _, p := range list {
			to[p] = m
		}
	}
	for m := range in.Members {
		for _, p := range in.Members[m].Owned {
			now, ok := to[p]
			if !ok {
				continue
			}
			if now != m {
				moved++
			}
			if slices.Contains(in.Members[m].Topics, p.Topic) {
				held[m]++
			} else {
				least++
			}
		}
	}
	slices.Sort(held)
	slices.Sort(loads)
	for i := range held {
		least += max(0, held[i]-loads[i])
	}
	return moved, least
}
