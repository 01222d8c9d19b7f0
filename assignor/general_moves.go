package assignor

// moves carries out moves of partitions between members, and remembers them per
// topic and pair of members: where a move would undo an earlier one between the
// same two, the earlier one's partition goes back instead.
type moves struct {
	*general
	from    []int32        // partition -> its owner before its first recorded move, or -1
	records []int32        // topic -> number of partitions with a record
	numbers map[pair]int32 // of the pairs that came up
	pairs   []movedSet
}

type pair struct{ topic, from, to int32 }

type movedSet struct {
	pair
	javaSet
}

func newMoves(gen *general) moves {
	mv := moves{
		general: gen,
		from:    make([]int32, gen.g.total),
		records: make([]int32, len(gen.g.topics)),
		numbers: make(map[pair]int32),
	}
	for p := range mv.from {
		mv.from[p] = -1
	}
	return mv
}

// move moves p to a member, or another partition in its stead.
func (mv *moves) move(p, to int32) {
	q := mv.stead(p, to)
	t, owner := mv.g.topicOf[q], mv.owner[q]
	if from := mv.from[q]; from >= 0 {
		mv.set(pair{t, from, owner}).remove(q)
		mv.records[t]--
		mv.from[q] = -1
		if from != to {
			mv.record(q, from, to)
		}
	} else {
		mv.record(q, owner, to)
	}
	mv.remove(q, owner)
	mv.append(q, to)
}

// stead returns the partition to move where p should go to a member.
func (mv *moves) stead(p, to int32) int32 {
	t := mv.g.topicOf[p]
	if mv.records[t] == 0 {
		return p
	}
	from := mv.from[p]
	if from < 0 {
		from = mv.owner[p]
	}
	if i, ok := mv.numbers[pair{t, to, from}]; ok && !mv.pairs[i].empty() {
		return mv.pairs[i].first()
	}
	return p
}

func (mv *moves) record(p, from, to int32) {
	t := mv.g.topicOf[p]
	mv.set(pair{t, from, to}).add(p, mv.g.hash(p))
	mv.records[t]++
	mv.from[p] = from
}

func (mv *moves) set(k pair) *javaSet {
	i, ok := mv.numbers[k]
	if !ok {
		i = int32(len(mv.pairs))
		mv.numbers[k] = i
		mv.pairs = append(mv.pairs, movedSet{pair: k})
	}
	return &mv.pairs[i].javaSet
}
