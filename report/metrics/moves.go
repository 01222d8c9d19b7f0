package metrics

import (
	"slices"
)

// countMoves compares an assignment that is being stored with who had each partition
// last, and with the least that would have led to the same loads.
func (f *Fold) countMoves() {
	l := &f.log
	for _, k := range l.now {
		if m := l.slots[k].member; m != none {
			f.members[m].storedAt, f.members[m].storedIn = k, l.stamp
		}
	}
	var moves, forced int64
	for _, k := range l.changed {
		s := &l.slots[k]
		for _, i := range s.parts {
			p := &f.parts[i]
			p.stamp = l.stamp
			if p.had == none || p.had == s.member || !f.open {
				continue
			}
			moves++
			p.cost.Moves++
			if f.mustGo(p) {
				forced++
				p.cost.Forced++
			}
			if s.member == p.hadBefore {
				p.cost.RoundTrips++
			}
		}
	}
	least := forced
	if moves > forced {
		if l.alike() {
			least += f.excess()
		} else if fewest, ok := f.fewest(); ok {
			least = fewest
		} else {
			f.result.LeastUndefined = true
		}
	}
	f.result.Least += least
	for _, k := range l.changed {
		s := &l.slots[k]
		for _, i := range s.parts {
			if p := &f.parts[i]; p.had != s.member {
				p.had, p.hadBefore = s.member, p.had
			}
		}
	}
}

// mustGo reports whether a partition cannot stay where it was: its last owner is not a
// member any more, or does not subscribe to the topic.
func (f *Fold) mustGo(p *partition) bool {
	m := &f.members[p.had]
	return m.storedIn != f.log.stamp || !slices.Contains(f.log.slots[m.storedAt].topics, p.tp.Topic)
}

// alike reports whether all members subscribe to the same topics.
func (l *log) alike() bool {
	for _, k := range l.now {
		a, b := l.slots[l.now[0]].topics, l.slots[k].topics
		if len(a) != len(b) || slices.ContainsFunc(a, func(t string) bool { return !slices.Contains(b, t) }) {
			return false
		}
	}
	return true
}

// excess is the least number of moves beside the forced ones that leads to the loads of
// the assignment being stored: the larger loads go to those who had more.
func (f *Fold) excess() (n int64) {
	l := &f.log
	held, loads := make([]int, len(l.slots)), make([]int, len(l.slots))
	for _, k := range l.now {
		loads[k] = len(l.slots[k].parts)
		for _, i := range l.slots[k].parts {
			if p := &f.parts[i]; p.had != none && !f.mustGo(p) {
				held[f.members[p.had].storedAt]++
			}
		}
	}
	slices.Sort(held)
	slices.Sort(loads)
	for k := range held {
		n += int64(max(0, held[k]-loads[k]))
	}
	return n
}
