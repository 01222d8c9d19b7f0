package coordinator

import "maps"

// names finds a number by a name. A few names are searched one by one, which is
// quicker to copy and not slower to search than a map.
type names struct {
	few []named
	all map[string]int32
}

type named struct {
	name string
	n    int32
}

const fewNames = 8

// none is the number of a name that is not there.
const none int32 = -1

func (s *names) find(name string) int32 {
	if s.all != nil {
		if n, ok := s.all[name]; ok {
			return n
		}
		return none
	}
	for i := range s.few {
		if s.few[i].name == name {
			return s.few[i].n
		}
	}
	return none
}

func (s *names) put(name string, n int32) {
	if s.all != nil {
		s.all[name] = n
		return
	}
	for i := range s.few {
		if s.few[i].name == name {
			s.few[i].n = n
			return
		}
	}
	if len(s.few) < fewNames {
		s.few = append(s.few, named{name, n})
		return
	}
	s.all = make(map[string]int32, 4*fewNames)
	for _, x := range s.few {
		s.all[x.name] = x.n
	}
	s.few = nil
	s.all[name] = n
}

func (s *names) remove(name string) {
	if s.all != nil {
		delete(s.all, name)
		return
	}
	for i := range s.few {
		if s.few[i].name == name {
			last := len(s.few) - 1
			s.few[i] = s.few[last]
			s.few = s.few[:last]
			return
		}
	}
}

func (s *names) clone() names {
	return names{few: append([]named(nil), s.few...), all: maps.Clone(s.all)}
}
