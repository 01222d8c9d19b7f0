package search

// set is a set of 64-bit hashes: a table with open addressing, 8 bytes an entry. It may
// be read by many at once, and written by one while nobody reads.
type set struct {
	table []uint64 // 0: free; a power of two long
	n     int
	zero  bool // whether 0 is in it
}

func newSet(room int) *set { return &set{table: make([]uint64, room)} }

func (s *set) has(h uint64) bool {
	if h == 0 {
		return s.zero
	}
	for i := h & uint64(len(s.table)-1); ; i = (i + 1) & uint64(len(s.table)-1) {
		switch s.table[i] {
		case h:
			return true
		case 0:
			return false
		}
	}
}

// add puts a hash into the set, and reports whether it is new.
func (s *set) add(h uint64) bool {
	if s.has(h) {
		return false
	}
	if h == 0 {
		s.zero = true
		return true
	}
	if s.n++; s.n*4 > len(s.table)*3 {
		old := s.table
		s.table = make([]uint64, 2*len(old))
		for _, h := range old {
			if h != 0 {
				s.put(h)
			}
		}
	}
	s.put(h)
	return true
}

func (s *set) put(h uint64) {
	i := h & uint64(len(s.table)-1)
	for s.table[i] != 0 {
		i = (i + 1) & uint64(len(s.table)-1)
	}
	s.table[i] = h
}
