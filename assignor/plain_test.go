package assignor

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rebalsim/rebalsim/protocol"
)

// Where the assignors take a faster way than Kafka's, it must come to the same
// result. The vectors show that for what was recorded; here the plain way is
// written down, and compared on drawn groups.

// plainTable is a HashMap with its chains as they are.
type plainTable struct {
	chains [][]uint32 // places in the order of insertion
	hashes []uint32
}

func (t *plainTable) double() {
	chains := make([][]uint32, 2*len(t.chains))
	for _, chain := range t.chains {
		for _, k := range chain {
			b := spread(t.hashes[k]) & uint32(len(chains)-1)
			chains[b] = append(chains[b], k)
		}
	}
	t.chains = chains
}

func (t *plainTable) insert(hash uint32, front bool) (chain int) {
	if t.chains == nil {
		t.chains = make([][]uint32, 16)
	}
	k := uint32(len(t.hashes))
	t.hashes = append(t.hashes, hash)
	b := spread(hash) & uint32(len(t.chains)-1)
	if front {
		t.chains[b] = slices.Insert(t.chains[b], 0, k)
	} else {
		t.chains[b] = append(t.chains[b], k)
	}
	return len(t.chains[b])
}

func (t *plainTable) full() bool { return len(t.chains) > 0 && 4*len(t.hashes) > 3*len(t.chains) }

func (t *plainTable) order() []int32 {
	out := []int32{}
	for _, chain := range t.chains {
		for _, k := range chain {
			out = append(out, int32(k))
		}
	}
	return out
}

func TestJavaTableOrder(t *testing.T) {
	var seen shares
	rapid.Check(t, func(t *rapid.T) {
		// Few different low bits make long chains.
		hashes := rapid.SliceOfN(rapid.Uint32(), 1, 120).Draw(t, "hashes")
		mask := rapid.SampledFrom([]uint32{^uint32(0), 0xFFF3, 0xFF0}).Draw(t, "mask")
		compute := rapid.Bool().Draw(t, "computeIfAbsent")
		table, plain := newJavaTable(0), &plainTable{}
		long := false
		for _, h := range hashes {
			h &= mask
			if compute {
				again := rapid.Bool().Draw(t, "again") && len(plain.hashes) > 0
				table.computeIfAbsent(h, !again)
				if plain.full() {
					plain.double()
				}
				if !again && plain.insert(h, true) >= 8 && len(plain.chains) < 64 {
					long = true
					plain.double()
				}
				continue
			}
			table.put(h)
			if plain.insert(h, false) > 8 && len(plain.chains) < 64 {
				long = true
				plain.double()
			}
			if plain.full() {
				plain.double()
			}
		}
		if got, want := table.order(), plain.order(); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		if long {
			seen.add("early doubling")
		} else {
			seen.add("no early doubling")
		}
	})
	seen.log(t, "early doubling", "no early doubling")
}

// plainRoundRobin walks the ring one member at a time.
func plainRoundRobin(g *group) [][]int32 {
	ring := g.idOrder
	if g.rules.RoundRobin == protocol.RoundRobinStaticFirst {
		ring = g.staticFirst()
	}
	lists := make([][]int32, len(ring))
	at := 0
	for t, topic := range g.topics {
		for p := topic.first; p < topic.first+topic.partitions; p++ {
			for !slices.Contains(g.subscribed(ring[at]), int32(t)) {
				at = (at + 1) % len(ring)
			}
			lists[ring[at]] = append(lists[ring[at]], p)
			at = (at + 1) % len(ring)
		}
	}
	return lists
}

// plainRackRange is the rack-aware range assignor record by record.
func plainRackRange(g *group) [][]int32 {
	r := newRangeRacks(g)
	lists := make([][]int32, len(g.in.Members))
	type record struct {
		first, n, quota, extra int32
		members, given         []int32
		free                   []bool
		racked, wants          bool
	}
	room := func(t *record, i int) int32 {
		n := t.quota - t.given[i]
		if t.extra > 0 {
			n++
		}
		return max(0, n)
	}
	give := func(t *record, i int, batch ...int32) {
		for _, p := range batch {
			t.free[p] = false
			lists[t.members[i]] = append(lists[t.members[i]], t.first+p)
		}
		t.given[i] += int32(len(batch))
		if len(batch) > 0 && t.given[i] > t.quota {
			t.extra--
		}
	}
	matches := func(t *record, i int, p int32) bool {
		rack := g.racks.ofMember[t.members[i]]
		return rack < 0 || g.racks.has(t.first+p, rack)
	}
	firstFree := func(t *record, i int, most int32, match bool) (batch []int32) {
		for p, free := range t.free {
			if int32(len(batch)) < most && free && (!match || matches(t, i, int32(p))) {
				batch = append(batch, int32(p))
			}
		}
		return batch
	}
	phase := r.needed()
	var records []*record
	for _, t := range g.knownOrder() {
		topic := g.topics[t]
		c := int32(len(r.subscribers[t]))
		rec := &record{first: topic.first, n: topic.partitions, quota: topic.partitions / c, extra: topic.partitions % c}
		for _, place := range r.subscribers[t] {
			rec.members = append(rec.members, r.members[place])
		}
		rec.given = make([]int32, c)
		rec.free = slices.Repeat([]bool{true}, int(topic.partitions))
		if phase {
			rec.racked, rec.wants = r.topics[t].racks, r.topics[t].wants
		}
		records = append(records, rec)
	}
	done := make([]bool, len(records))
	for i, a := range records {
		if !phase || done[i] {
			continue
		}
		var alike []*record
		for j, b := range records {
			if slices.Equal(a.members, b.members) && (a.racked == b.racked && a.n == b.n || !a.racked && !b.racked) {
				alike = append(alike, b)
				done[j] = true
			}
		}
		switch {
		case len(alike) > 1 && a.racked:
			for p := range a.n {
				for m := range a.members {
					if !slices.ContainsFunc(alike, func(t *record) bool { return room(t, m) == 0 || !matches(t, m, p) }) {
						for _, t := range alike {
							give(t, m, p)
						}
						break
					}
				}
			}
		case len(alike) == 1 && a.wants:
			for m := range a.members {
				give(a, m, firstFree(a, m, room(a, m), true)...)
			}
		}
	}
	for _, t := range records {
		for m := range t.members {
			give(t, m, firstFree(t, m, room(t, m), false)...)
		}
	}
	if phase {
		for _, l := range lists {
			slices.Sort(l)
		}
	}
	return lists
}

func TestFastRangeAndRoundRobin(t *testing.T) {
	var seen shares
	rapid.Check(t, func(t *rapid.T) {
		d := drawGroup(t, judged)
		g, err := newGroup(d.rules, d.in)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := g.assignRoundRobin(), plainRoundRobin(g); !sameLists(got, want) {
			t.Fatalf("round robin: %v, want %v\n%v", got, want, d)
		}
		classes := d.classes
		if d.rules.Range == protocol.RangeRackAware {
			got, racks := g.assignRange()
			if want := plainRackRange(g); !sameLists(got, want) {
				t.Fatalf("range: %v, want %v\n%v", got, want, d)
			}
			if racks {
				classes = append(classes, "range matches racks")
			}
		}
		seen.add(classes...)
	})
	seen.log(t, "equal", "unequal", "static", "racks", "no topics", "range matches racks")
}

func sameLists(a, b [][]int32) bool {
	return slices.EqualFunc(a, b, func(x, y []int32) bool { return slices.Equal(x, y) })
}

func drawSticky(t *rapid.T, releases []string) (*drawnGroup, *sticky) {
	d := drawGroup(t, releases)
	return d, stickyOf(t, d)
}

func stickyOf(t *rapid.T, d *drawnGroup) *sticky {
	g, err := newGroup(d.rules, d.in)
	if err != nil {
		t.Fatal(err)
	}
	return newSticky(g, rapid.Bool().Draw(t, "cooperative"), State{})
}

// A fresh group gets by the closed form what the two equal algorithms give it.
func TestFreshIsWhatTheAlgorithmsGive(t *testing.T) {
	var seen shares
	rapid.Check(t, func(t *rapid.T) {
		d, s := drawSticky(t, stickyReleases)
		if equal, _ := s.g.equalSubscriptions(); !equal || !d.has("fresh") || s.g.racks.inEffect {
			return
		}
		fresh := s.assignFresh()
		s.settleClaims()
		assign := s.assignByFilling
		switch d.rules.StickyEqual {
		case protocol.StickyEqualAbsent:
			return
		case protocol.StickyEqualQueues, protocol.StickyEqualQueuesDisputed:
			assign = s.assignByQueues
		}
		lists, err := assign()
		if err != nil || !sameLists(fresh, lists) {
			t.Fatalf("%v, want %v, %v\n%v", fresh, lists, err, d)
		}
		seen.add(d.classes...)
	})
	seen.log(t, "fewer partitions than members", "racks", "static", "nothing to assign")
}

// plainRackRound searches the lists themselves.
func plainRackRound(f *filling, free []int32) (left []int32) {
	r := &f.g.racks
	search := func(p int32, list []int32, from int) int {
		for k := range list {
			i := (from + k) % len(list)
			if rack := r.ofMember[list[i]]; rack >= 0 && r.has(p, rack) {
				return i
			}
		}
		return -1
	}
	x := 0
	for _, p := range free {
		if i := search(p, f.under, x); i >= 0 {
			u := f.under[i]
			c := len(f.lists[u]) + 1
			if c >= f.low {
				f.under = slices.Delete(f.under, i, i+1)
				if c < f.high && (!f.counted || f.full < f.over) {
					f.exact = append(f.exact, u)
				}
			} else {
				i++
			}
			x = 0
			if len(f.under) > 0 {
				x = i % len(f.under)
			}
			f.give(p, u)
			continue
		}
		if j := search(p, f.exact, 0); j >= 0 {
			e := f.exact[j]
			if len(f.lists[e])+1 == f.high {
				f.exact = slices.Delete(f.exact, j, j+1)
				if f.counted {
					if f.full++; f.full == f.over {
						f.exact = nil
					}
				}
			}
			f.give(p, e)
			continue
		}
		left = append(left, p)
	}
	return left
}

func TestFastRackRound(t *testing.T) {
	var seen shares
	rapid.Check(t, func(t *rapid.T) {
		d, s := drawSticky(t, []string{"3.5.0", "3.9.0"})
		if equal, _ := s.g.equalSubscriptions(); !equal || !s.g.racks.inEffect {
			return
		}
		other := newSticky(s.g, s.cooperative, State{})
		got, gotErr := s.fillRacked((*filling).rackRound)
		want, wantErr := other.fillRacked(plainRackRound)
		if !sameLists(got, want) || !slices.Equal(s.moving, other.moving) || (gotErr == nil) != (wantErr == nil) {
			t.Fatalf("%v, %v, want %v, %v\n%v", got, gotErr, want, wantErr, d)
		}
		seen.add(d.classes...)
	})
	seen.log(t, "fresh", "consistent", "contradictory", "stale")
}

func (s *sticky) fillRacked(round func(*filling, []int32) []int32) ([][]int32, error) {
	s.settleClaims()
	f, free := s.startFilling()
	free = round(f, free)
	err := f.fill(free)
	return f.lists, err
}

// The general algorithm asks the balance test only where it matters, keeps
// partitions' places, and remembers why a group is not balanced. Without all
// that it does the same.
func TestFastBalancing(t *testing.T) {
	var seen shares
	rapid.Check(t, func(t *rapid.T) {
		d, s := drawSticky(t, stickyReleases)
		s.settle()
		fast := s.startGeneral()
		got, gotErr := fast.balance()
		other := newSticky(s.g, s.cooperative, State{})
		other.settle()
		plain := other.startGeneral()
		plain.tested, plain.tidy = true, false
		want, wantErr := plain.balance()
		if !sameLists(got, want) || !errors.Is(gotErr, wantErr) && (gotErr == nil || wantErr == nil || gotErr.Error() != wantErr.Error()) {
			t.Fatalf("%v, %v, want %v, %v\n%v", got, gotErr, want, wantErr, d)
		}
		classes := d.classes
		if fast.tested {
			classes = append(classes, "the test matters")
		}
		if !fast.tidy {
			classes = append(classes, "untidy")
		}
		if gotErr != nil {
			classes = append(classes, "fails")
		}
		seen.add(classes...)
	})
	seen.log(t, "fresh", "consistent", "contradictory", "stale", "racks", "the test matters", "untidy")
}

// The least loaded member of a set is the one that a search finds.
func TestLoads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "members")
		l := loads{size: make([]int32, n), fixed: make([]bool, n)}
		ids := make([]int, n)
		for i := range ids {
			ids[i] = i
		}
		for _, rank := range rapid.Permutation(ids).Draw(t, "ranks") {
			l.idRank = append(l.idRank, int32(rank))
		}
		for range rapid.IntRange(1, 4).Draw(t, "sets") {
			var set []int32
			for m := range n {
				if rapid.Bool().Draw(t, "in") {
					set = append(set, int32(m))
				}
			}
			slices.SortFunc(set, func(a, b int32) int { return cmp.Compare(l.idRank[a], l.idRank[b]) })
			l.sets = append(l.sets, loadSet{members: set})
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			m := rapid.IntRange(0, n-1).Draw(t, "member")
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				l.fixed[m] = true
				l.startAnew()
			case 1, 2, 3, 4, 5:
				l.add(int32(m), rapid.SampledFrom([]int32{-1, 1, 1}).Draw(t, "by"))
			default:
				set := rapid.IntRange(0, len(l.sets)-1).Draw(t, "set")
				want := int32(-1)
				for _, m := range l.sets[set].members {
					if !l.fixed[m] && (want < 0 || l.size[m] < l.size[want]) {
						want = m
					}
				}
				if got := l.first(int32(set)); got != want {
					t.Fatalf("set %v: %d, want %d, sizes %v", l.sets[set].members, got, want, l.size)
				}
			}
		}
	})
}
