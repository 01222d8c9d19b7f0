package assignor

// memberSets finds the topics that have the same subscribers. It returns for
// each known topic the number of its set, and for each set its members in order
// of member id.
//
// It splits sets member by member, so it looks at each entry of each
// subscription once.
func (g *group) memberSets() (setOf []int32, sets [][]int32) {
	setOf = make([]int32, len(g.topics))
	if len(g.topics) == 0 {
		return setOf, nil
	}
	const none = -1
	splitInto := []int32{none} // set -> where this list's topics go
	marked := make([]int32, len(g.topics))
	for i, list := range g.topicLists {
		var touched []int32
		for _, t := range list {
			if marked[t] == int32(i+1) {
				continue // a repeated name
			}
			marked[t] = int32(i + 1)
			old := setOf[t]
			if splitInto[old] == none {
				splitInto[old] = int32(len(splitInto))
				touched = append(touched, old)
				splitInto = append(splitInto, none)
			}
			setOf[t] = splitInto[old]
		}
		for _, old := range touched {
			splitInto[old] = none
		}
	}
	// Number the sets that are left anew, by their first topic.
	renumber := make([]int32, len(splitInto))
	topicOf := []int32{}
	for t := range setOf {
		old := setOf[t]
		if renumber[old] == 0 {
			topicOf = append(topicOf, int32(t))
			renumber[old] = int32(len(topicOf))
		}
		setOf[t] = renumber[old] - 1
	}
	sets = make([][]int32, len(topicOf))
	for _, m := range g.idOrder {
		for _, t := range g.subscribed(m) {
			s := setOf[t]
			if topicOf[s] != t {
				continue
			}
			if n := len(sets[s]); n == 0 || sets[s][n-1] != m {
				sets[s] = append(sets[s], m)
			}
		}
	}
	return setOf, sets
}
