package metrics

// ranges is a set of offsets: pieces [from, to) in order, none of which touch. It is as
// long as there are gaps, however many offsets it has.
type ranges []piece

type piece struct{ from, to int64 }

// find gives the first piece that ends at or behind x.
func (s ranges) find(x int64) int {
	lo, hi := 0, len(s)
	for lo < hi {
		mid := (lo + hi) / 2
		if s[mid].to < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// add puts [from, to) into the set.
func (s *ranges) add(from, to int64) {
	if from >= to {
		return
	}
	list := *s
	i := list.find(from)
	j := i
	for j < len(list) && list[j].from <= to {
		from, to = min(from, list[j].from), max(to, list[j].to)
		j++
	}
	if j > i {
		list[i] = piece{from, to}
		*s = append(list[:i+1], list[j:]...)
		return
	}
	list = append(list, piece{})
	copy(list[i+1:], list[i:])
	list[i] = piece{from, to}
	*s = list
}

// remove takes [from, to) out of the set.
func (s *ranges) remove(from, to int64) {
	if from >= to || len(*s) == 0 {
		return
	}
	var rest ranges
	changed := false
	for _, p := range *s {
		if p.to <= from || to <= p.from {
			rest = append(rest, p)
			continue
		}
		changed = true
		if p.from < from {
			rest = append(rest, piece{p.from, from})
		}
		if to < p.to {
			rest = append(rest, piece{to, p.to})
		}
	}
	if changed {
		*s = rest
	}
}

// within calls f with what of the set lies in [from, to), piece by piece.
func (s ranges) within(from, to int64, f func(from, to int64)) {
	for i := s.find(from); i < len(s) && s[i].from < to; i++ {
		if a, b := max(s[i].from, from), min(s[i].to, to); a < b {
			f(a, b)
		}
	}
}

// outside calls f with what of [from, to) is not in the set.
func (s ranges) outside(from, to int64, f func(from, to int64)) {
	at := from
	s.within(from, to, func(a, b int64) {
		if at < a {
			f(at, a)
		}
		at = b
	})
	if at < to {
		f(at, to)
	}
}

// count is how many offsets of the set lie in [from, to).
func (s ranges) count(from, to int64) (n int64) {
	s.within(from, to, func(a, b int64) { n += b - a })
	return n
}
