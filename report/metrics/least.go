package metrics

import "slices"

// Beyond this the least number of moves is not computed where members subscribe to
// different topics.
const (
	mostMembers = 40
	mostChoices = 50_000 // partitions times members
)

// item is a partition as fewest looks at it: with members by their place in log.now.
type item struct {
	at, had int  // who has it, and who had it last; none: nobody who could have it now
	fresh   bool // nobody has had it: to come to somebody is no move
	topic   int32
}

// fewest is the least number of moves that leads from what members had to as many partitions
// for each as the assignment being stored gives it, where nobody gets a topic that it does
// not subscribe to. It begins with that assignment and gives partitions around in circles
// of members as long as more come back to who had them than leave who had them: when there
// is no such circle, there is no assignment with fewer moves (it is a minimum-cost flow).
// Ok is false if the group is too large for that.
func (f *Fold) fewest() (moves int64, ok bool) {
	items, wants := f.items()
	n := len(wants)
	if n > mostMembers || n*len(items) > mostChoices {
		return 0, false
	}
	for {
		circle := circleOf(items, wants)
		if circle == nil {
			break
		}
		for _, step := range circle {
			items[step.item].at = step.to
		}
	}
	for _, x := range items {
		if x.had != x.at && !x.fresh {
			moves++
		}
	}
	return moves, true
}

// items are the partitions that are stored. Wants says of each member which topics it takes.
func (f *Fold) items() (items []item, wants []map[int32]bool) {
	l := &f.log
	place := map[int32]int{} // of members in l.now
	for at, k := range l.now {
		s := &l.slots[k]
		if s.member != none {
			place[s.member] = at
		}
		topics := map[int32]bool{}
		for _, name := range s.topics {
			topics[f.topicNamed(name)] = true
		}
		wants = append(wants, topics)
	}
	for at, k := range l.now {
		for _, i := range l.slots[k].parts {
			p := &f.parts[i]
			x := item{at: at, had: none, fresh: p.had == none, topic: p.topic}
			if had, there := place[p.had]; there && wants[had][p.topic] {
				x.had = had
			}
			items = append(items, x)
		}
	}
	return items, wants
}

// step is that a partition goes from who has it to another.
type step struct{ item, from, to, gain int }

// circleOf finds a circle of members, each of whom gives one partition to the next, in which
// more partitions come to who had them than leave who had them. Nil: there is none.
func circleOf(items []item, wants []map[int32]bool) []step {
	n := len(wants)
	best := make([]step, n*n) // by from and to
	for i := range best {
		best[i].item = none
	}
	for i, x := range items {
		for to := range n {
			if to == x.at || !wants[to][x.topic] {
				continue
			}
			gain := 0
			if to == x.had {
				gain = 1
			} else if x.at == x.had {
				gain = -1
			}
			if b := &best[x.at*n+to]; b.item == none || gain > b.gain {
				*b = step{i, x.at, to, gain}
			}
		}
	}
	dist, by := make([]int, n), make([]int, n) // by: the step that led here
	last := none
	for range n + 1 {
		last = none
		for i := range best {
			if s := &best[i]; s.item != none && dist[s.from]+s.gain > dist[s.to] {
				dist[s.to], by[s.to], last = dist[s.from]+s.gain, i, s.to
			}
		}
		if last == none {
			return nil
		}
	}
	for range n {
		last = best[by[last]].from // now it is on a circle
	}
	var circle []step
	for at := last; ; {
		s := best[by[at]]
		circle = append(circle, s)
		if at = s.from; at == last {
			slices.Reverse(circle)
			return circle
		}
	}
}
