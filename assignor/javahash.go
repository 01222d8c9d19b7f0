package assignor

// The order in which java.util.HashMap and HashSet walk their keys, as far as
// assignments depend on it.
//
// A table has a power of two of buckets, 16 at first. Walking it visits the
// buckets in turn and in each bucket its chain. Doubling keeps the order inside
// chains, so the order of a whole table follows from the final number of
// buckets and from the order of insertion alone.
//
// Not reproduced: a chain of nine or more keys in a table of 64 or more buckets
// becomes a red-black tree with an order of its own (vector
// range-hand-topic-treebin). Strings get there only if they are chosen to collide.
// Topic-partitions can (topics t-00 to t-99 collide in tens), but as they are not
// comparable Java then orders them by identity hash, which is different in every
// run. Result.TreeBins tells of both.

const (
	firstBuckets = 16
	treeBuckets  = 64 // below, a long chain doubles the table instead of becoming a tree
	longChain    = 8
)

// javaString is String.hashCode: over UTF-16 code units.
func javaString(s string) uint32 {
	h := uint32(0)
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return javaStringUnicode(s)
		}
		h = 31*h + uint32(s[i])
	}
	return h
}

func javaStringUnicode(s string) uint32 {
	h := uint32(0)
	for _, r := range s {
		if r >= 0x10000 {
			r -= 0x10000
			h = 31*h + 0xD800 + uint32(r>>10)
			r = 0xDC00 + r&0x3FF
		}
		h = 31*h + uint32(r)
	}
	return h
}

// javaPartition is TopicPartition.hashCode, from the topic's.
func javaPartition(topic uint32, partition int32) uint32 {
	return 31*(31+uint32(partition)) + topic
}

// spread is what HashMap makes of a hash code.
func spread(h uint32) uint32 { return h ^ h>>16 }

// javaTable is the order of a HashMap or HashSet that only grows, filled
// either by put/add or by computeIfAbsent. Keys are known by the order in which
// they came: the first is 0.
type javaTable struct {
	hashes  []uint32 // spread
	buckets int
	chains  [treeBuckets / 2]uint8 // lengths, kept while they can double the table
	front   bool                   // keys went to the front of their chains
	treed   bool                   // order has met a chain that is a tree in Java
}

func newJavaTable(capacity int) *javaTable {
	return &javaTable{hashes: make([]uint32, 0, capacity), buckets: firstBuckets}
}

// put adds a new key: to the end of its chain, then the table grows if it is
// more than three quarters full.
func (t *javaTable) put(hash uint32) {
	if t.add(hash) > longChain {
		t.double()
	}
	if t.full() {
		t.double()
	}
}

// computeIfAbsent looks a key up and adds it if it is new: to the front of its
// chain. The table grows before it looks, even if the key is there.
func (t *javaTable) computeIfAbsent(hash uint32, isNew bool) {
	t.front = true
	if t.full() {
		t.double()
	}
	if isNew && t.add(hash) >= longChain {
		t.double()
	}
}

func (t *javaTable) full() bool { return 4*len(t.hashes) > 3*t.buckets }

// add returns the new length of the key's chain if that can double the table,
// else 0.
func (t *javaTable) add(hash uint32) int {
	h := spread(hash)
	t.hashes = append(t.hashes, h)
	if t.buckets >= treeBuckets {
		return 0
	}
	b := h & uint32(t.buckets-1)
	t.chains[b]++
	return int(t.chains[b])
}

func (t *javaTable) double() {
	t.buckets *= 2
	if t.buckets >= treeBuckets {
		return
	}
	t.chains = [treeBuckets / 2]uint8{}
	for _, h := range t.hashes {
		t.chains[h&uint32(t.buckets-1)]++
	}
}

// order returns the keys in the order in which Java walks them.
func (t *javaTable) order() []int32 {
	start := make([]int32, t.buckets+1)
	mask := uint32(t.buckets - 1)
	for _, h := range t.hashes {
		start[h&mask+1]++
	}
	longest := longChain
	if t.front {
		longest-- // computeIfAbsent makes a tree of eight
	}
	for b := range t.buckets {
		t.treed = t.treed || t.buckets >= treeBuckets && int(start[b+1]) > longest
		start[b+1] += start[b]
	}
	out := make([]int32, len(t.hashes))
	place := func(i int) {
		b := t.hashes[i] & mask
		out[start[b]] = int32(i)
		start[b]++
	}
	if t.front {
		for i := len(t.hashes) - 1; i >= 0; i-- {
			place(i)
		}
	} else {
		for i := range t.hashes {
			place(i)
		}
	}
	return out
}

// javaSet is a HashSet of partitions from which keys are also removed, which
// never shrinks it. Only its first key is ever asked for. The zero value is a
// new set.
type javaSet struct {
	keys    []int32
	hashes  []uint32 // spread, parallel to keys, in order of insertion
	buckets int      // 0 while the set is new
}

func (s *javaSet) empty() bool { return len(s.keys) == 0 }

// add adds a key that is not in the set.
func (s *javaSet) add(key int32, hash uint32) {
	if s.buckets == 0 {
		s.buckets = firstBuckets
	}
	h := spread(hash)
	s.keys = append(s.keys, key)
	s.hashes = append(s.hashes, h)
	if s.buckets < treeBuckets && s.chain(h) > longChain {
		s.buckets *= 2
	}
	if 4*len(s.keys) > 3*s.buckets {
		s.buckets *= 2
	}
}

func (s *javaSet) chain(hash uint32) int {
	n, mask := 0, uint32(s.buckets-1)
	for _, h := range s.hashes {
		if h&mask == hash&mask {
			n++
		}
	}
	return n
}

// remove takes a key out. A set that becomes empty is dropped by its user, so
// it starts anew.
func (s *javaSet) remove(key int32) {
	for i, k := range s.keys {
		if k == key {
			s.keys = append(s.keys[:i], s.keys[i+1:]...)
			s.hashes = append(s.hashes[:i], s.hashes[i+1:]...)
			break
		}
	}
	if len(s.keys) == 0 {
		s.buckets = 0
	}
}

// first returns the key that Java's iterator meets first.
func (s *javaSet) first() int32 {
	best, mask := 0, uint32(s.buckets-1)
	for i, h := range s.hashes {
		if h&mask < s.hashes[best]&mask {
			best = i
		}
	}
	return s.keys[best]
}
