package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A fork has the future of its original, whichever of the two goes first, and so has a
// fork of a fork.
func TestForkHasTheSameFuture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plots.Draw(t, "plot")
		at := rapid.IntRange(0, plotSteps).Draw(t, "fork after")
		whole := p.world()
		steps(whole, at)
		want := watched(whole)
		steps(whole, plotSteps)

		w := p.world()
		steps(w, at)
		worlds := []*World{w, w.Fork()}
		worlds = append(worlds, worlds[1].Fork())
		tapes := []*tape{watched(worlds[0]), watched(worlds[1]), watched(worlds[2])}
		left := []int{plotSteps, plotSteps, plotSteps}
		for left[0]+left[1]+left[2] > 0 { // in turns of random length
			i := rapid.IntRange(0, len(worlds)-1).Draw(t, "world")
			n := min(left[i], rapid.IntRange(1, 300).Draw(t, "steps"))
			if left[i] == 0 {
				i = slices.IndexFunc(left, func(n int) bool { return n > 0 })
				n = left[i]
			}
			steps(worlds[i], n)
			left[i] -= n
			if rapid.IntRange(0, 3).Draw(t, "fork again") == 0 {
				steps(worlds[i].Fork(), 20) // and throw it away
			}
		}
		for i, got := range tapes {
			if d := firstDifference(want, got); d != "" {
				t.Fatalf("world %d, %s", i, d)
			}
			if worlds[i].Hash() != whole.Hash() {
				t.Fatalf("world %d ends with another hash", i)
			}
		}
	})
}

// Stepping a fork changes no byte of its original: its hash, and the worlds that share
// nodes with it, stay as they are.
func TestForkLeavesTheOriginalAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := plots.Draw(t, "plot").world()
		steps(w, rapid.IntRange(0, plotSteps).Draw(t, "fork after"))
		before := w.Hash()
		f := w.Fork()
		g := f.Fork()
		steps(f, 300)
		if w.Hash() != before || g.Hash() != before {
			t.Fatal("the original changed")
		}
		end := f.Hash()
		steps(g, 300)
		steps(w, 300)
		if f.Hash() != end || g.Hash() != end || w.Hash() != end {
			t.Fatal("the three end differently")
		}
	})
}

// Replacing any node by its copy, and the world by its fork, between any two events
// changes no byte.
func TestRecopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plots.Draw(t, "plot")
		a, b, c := p.world(), p.world(), p.world()
		x, y, z := watched(a), watched(b), watched(c)
		for range plotSteps {
			a.Step()
			for i := range b.nodes {
				b.Recopy(NodeID(i))
			}
			b.Step()
			c = c.Fork()
			c.Watch(z)
			c.Step()
		}
		if d := firstDifference(x, y); d != "" {
			t.Fatalf("recopied nodes: %s", d)
		}
		if d := firstDifference(x, z); d != "" {
			t.Fatalf("forked worlds: %s", d)
		}
	})
}

// facts tells what happens without what a hash leaves out: numbers of records and of
// requests, slots, and absolute time.
type facts struct {
	lines []string
	since Time
}

func (f *facts) Observe(r *Rec) {
	m := r.Msg
	m.Ref, m.Ord = 0, 0
	n := r.Note
	f.lines = append(f.lines, fmt.Sprint(r.At-f.since, r.Op, r.Node, r.Why, m, r.Timer.Kind, r.Timer.Arg, n, r.Body))
}

// Equal hash, then equal futures: along the run of a world, whenever a hash comes again,
// the next event is the same as the last time, and so is the hash after it; by
// induction so is all that follows.
func TestEqualHashEqualFuture(t *testing.T) {
	again := 0
	for _, base := range []Time{0, 1, Millisecond, 1500, 7300} {
		for users := 1; users <= 3; users++ {
			for _, rule := range []*Rule{
				nil,
				{From: 1, To: Nobody, Kind: kindAcquire, First: 120, Last: 120, Do: Drop},
				{From: Nobody, To: 1, AnyKind: true, Answer: true, First: 90, Times: 3, Do: Delay, Delay: 333 * Millisecond},
			} {
				again += followHashes(t, users, base, rule)
			}
		}
	}
	if again < 10_000 {
		t.Errorf("only %d states came again", again)
	}
}

func followHashes(t *testing.T, users int, base Time, rule *Rule) (again int) {
	type event struct {
		facts string
		then  uint64
	}
	w := lockWorld(&Decisions{}, users, base, 0, act{Second, func(c *Control) {
		if rule != nil {
			c.AddRule(*rule)
		}
	}})
	f := &facts{}
	w.Watch(f)
	seen := map[uint64]event{}
	for range 4000 {
		h := w.Hash()
		f.lines, f.since = f.lines[:0], w.now
		w.Step()
		e := event{fmt.Sprint(w.now-f.since, f.lines), w.Hash()}
		if before, ok := seen[h]; !ok {
			seen[h] = e
		} else if again++; e != before {
			t.Fatalf("%d users, base %v, rule %+v: at %v\n%v\nbut before\n%v", users, base, rule, w.now, e, before)
		}
	}
	return again
}

// permute is a world that should have the same hash and the same future as w: other
// timer slots, another heap, other sequence numbers and generations, another time.
func permute(w *World, rng *rand.Rand) *World {
	f := w.Fork()
	shift := Time(0)
	if d := f.director.(*play); d.next == len(d.acts) {
		shift = Time(rng.IntN(5000)) * Millisecond
	}
	f.now += shift
	maps := make([][]int, len(f.nodes))
	for i := range f.nodes {
		n := f.own(NodeID(i))
		maps[i] = permuteSlots(n, shift, rng)
		for j := range n.waiting {
			if e := &n.waiting[j]; e.what == fromTimer {
				e.slot = int32(maps[i][e.slot])
			} else {
				e.gen += 100
			}
		}
	}
	for i := range f.links {
		l := f.mine(LinkID(i))
		if l.since != never {
			l.since += shift
		}
		for j := range l.dir {
			d := &l.dir[j]
			d.gen += 100
			for k := range d.rest() {
				d.rest()[k].at += shift
			}
		}
	}
	// Sequence numbers may be any that keep the order.
	widen := func(key uint64) uint64 { return key>>40<<40 | key<<24>>24*3 }
	old := f.queue.heap
	f.queue.heap, f.queue.seq = nil, f.queue.seq*3
	rng.Shuffle(len(old), func(i, j int) { old[i], old[j] = old[j], old[i] })
	for _, e := range old {
		e.at, e.key = e.at+shift, widen(e.key)
		switch e.what {
		case fromTimer:
			e.slot = int32(maps[e.id][e.slot])
		case fromLink:
			e.gen += 100
		}
		f.queue.push(e)
	}
	for _, n := range f.nodes {
		for i := range n.timers.slots {
			s := &n.timers.slots[i]
			s.key, s.place = widen(s.key), widen(s.place)
		}
	}
	return f
}

func permuteSlots(n *node, shift Time, rng *rand.Rand) []int {
	old := n.timers.slots
	if len(old) == 0 {
		return nil
	}
	to := append([]int{0}, rng.Perm(len(old)-1)...)
	for i := 1; i < len(to); i++ {
		to[i]++
	}
	n.timers.slots = make([]timer, len(old))
	for i, s := range old {
		if s.deadline != never {
			s.deadline += shift
		}
		if s.queued != never {
			s.queued += shift
		}
		n.timers.slots[to[i]] = s
	}
	for i, s := range n.timers.free {
		n.timers.free[i] = int32(to[s])
	}
	rng.Shuffle(len(n.timers.free), func(i, j int) {
		n.timers.free[i], n.timers.free[j] = n.timers.free[j], n.timers.free[i]
	})
	n.actor.(interface{ eachTimer(func(*TimerID)) }).eachTimer(func(id *TimerID) { *id = TimerID(to[*id]) })
	return to
}

func TestHashLeavesOutWhatDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plots.Draw(t, "plot")
		p.seed = 0 // the questions asked so far are left out
		w := p.world()
		steps(w, rapid.IntRange(0, plotSteps).Draw(t, "steps"))
		f := permute(w, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "permutation"), 0)))
		if w.Hash() != f.Hash() {
			t.Fatal("permuted world has another hash")
		}
		a, b := &facts{since: w.now}, &facts{since: f.now}
		w.Watch(a)
		f.Watch(b)
		steps(w, 1000)
		steps(f, 1000)
		for i := range a.lines {
			if i >= len(b.lines) || a.lines[i] != b.lines[i] {
				t.Fatalf("fact %d:\n%s\n%s", i, a.lines[i], b.lines[i])
			}
		}
		if w.Hash() != f.Hash() {
			t.Fatal("hashes differ in the end")
		}
	})
}

// Whatever makes a difference to the future makes one to the hash.
func TestHashTellsApart(t *testing.T) {
	changes := []struct {
		name   string
		change func(c *Control)
	}{
		{"a later phase of the millisecond", func(c *Control) { c.w.now++ }},
		{"a dead node", func(c *Control) { c.Crash(2) }},
		{"a frozen node", func(c *Control) { c.Freeze(2) }},
		{"latency on a way not used yet", func(c *Control) { c.SetLatency(1, 2, Second, 0) }},
		{"another such latency", func(c *Control) { c.SetLatency(1, 2, Second, 1) }},
		{"latency on a way in use", func(c *Control) { c.SetLatency(0, 1, Second, 0) }},
		{"a cut on a way not used yet", func(c *Control) { c.Cut(1, 2) }},
		{"a cut on a way in use", func(c *Control) { c.Cut(0, 1) }},
		{"a rule", func(c *Control) { c.AddRule(Rule{Do: Drop}) }},
		{"another rule", func(c *Control) { c.AddRule(Rule{Do: Break}) }},
		{"a rule for a number", func(c *Control) { c.AddRule(Rule{Do: Drop, First: 7}) }},
		{"a rule that has hits", func(c *Control) { c.AddRule(Rule{Do: Drop, Hits: 1}) }},
		{"a wake-up", func(c *Control) { c.After(Second, 1) }},
		{"another wake-up", func(c *Control) { c.After(Second, 2) }},
		{"a later wake-up", func(c *Control) { c.After(2*Second, 1) }},
		{"a broken connection", func(c *Control) { c.Disconnect(1, 0) }},
		{"a timer not armed", func(c *Control) { c.w.nodes[0].timers.slots[2].deadline = never }},
		{"a timer not yet due", func(c *Control) { c.w.nodes[0].timers.slots[2].deadline = c.Now() + Second }},
		{"a held message", func(c *Control) { c.w.links[0].dir[toServer].put(&transit{held: true}) }},
		{"a message held under another tag", func(c *Control) { c.w.links[0].dir[toServer].put(&transit{held: true, tag: 1}) }},
		{"a message that is not held", func(c *Control) { c.w.links[0].dir[toServer].put(&transit{}) }},
		{"a connection leading elsewhere", func(c *Control) { c.w.links[0].server = 2 }},
		{"a connection of another channel", func(c *Control) { c.w.links[0].channel = 9 }},
		{"a busy server", func(c *Control) { c.w.links[0].busy = !c.w.links[0].busy }},
	}
	at := func() *World {
		w := lockWorld(&Decisions{}, 2, Millisecond, 0)
		w.Run(300 * Millisecond)
		return w
	}
	seen := map[uint64]string{at().Hash(): "no change"}
	for _, x := range changes {
		w := at()
		x.change(&w.control)
		h := w.Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("%s: as %s", x.name, other)
		}
		seen[h] = x.name
	}
}

// Where rules name numbers of requests, the hash knows them, up to the highest named. Of
// others it knows which of its sender's last requests it is.
func TestHashKnowsNumbersThatRulesName(t *testing.T) {
	at := func(kind uint8, ord uint32, change func(l *link)) uint64 {
		w := lockWorld(&Decisions{}, 1, Millisecond, 0)
		w.control.AddRule(Rule{From: 1, To: 0, Kind: kindAcquire, First: 7, Last: 7, Do: Drop})
		w.Run(300 * Millisecond)
		w.nodes[1].sent[kind] = ord
		change(w.links[0])
		return w.Hash()
	}
	onItsWay := func(kind uint8, ord uint32) uint64 {
		return at(kind, ord, func(l *link) { l.dir[toServer].put(&transit{msg: Message{req: kind, Ord: ord}}) })
	}
	reading := func(ord uint32) uint64 {
		return at(kindAcquire, ord, func(l *link) { l.busy, l.reading = true, Request{kind: kindAcquire, Ord: ord} })
	}
	switch {
	case onItsWay(kindAcquire, 6) == onItsWay(kindAcquire, 7), reading(6) == reading(7):
		t.Error("a named number is not told apart")
	case onItsWay(kindAcquire, 8) != onItsWay(kindAcquire, 9), onItsWay(kindRenew, 6) != onItsWay(kindRenew, 7), reading(8) != reading(9):
		t.Error("numbers that no rule names are told apart")
	}
	older := at(kindRenew, 9, func(l *link) { l.dir[toServer].put(&transit{msg: Message{req: kindRenew, Ord: 8}}) })
	if older == onItsWay(kindRenew, 9) {
		t.Error("the last request and the one before are not told apart")
	}
}

func TestHashKnowsWhatWaitsForAThaw(t *testing.T) {
	w := lockWorld(&Decisions{}, 1, Millisecond, 0)
	w.Run(300 * Millisecond)
	w.control.Freeze(1)
	w.Run(Second)
	f := w.Fork()
	n := f.own(1)
	if len(n.waiting) == 0 {
		t.Fatal("nothing waits")
	}
	n.waiting = n.waiting[1:]
	if w.Hash() == f.Hash() {
		t.Error("one hash with and without it")
	}
}

// What two forks add is each one's own, also where a slice has room for it.
func TestForksGrowApart(t *testing.T) {
	p := newPair(Millisecond)
	p.clientAt(1, func(out *Out) {
		for channel := range uint8(3) {
			out.Open(srv, channel)
		}
	})
	p.run(t, 10)
	f := p.Fork()
	open := func(w *World, channel uint8) {
		w.control.Command(cli, order{func(out *Out) { out.Open(srv, channel) }})
	}
	p.World.open(srv, cli, 0) // so that the two number connections differently
	open(p.World, 5)
	open(f, 3)
	for _, x := range []struct {
		w    *World
		last uint8
	}{{f, 3}, {p.World, 5}} {
		links := x.w.nodes[cli].links
		if _, channel := x.w.Channel(links[len(links)-1]); channel != x.last {
			t.Errorf("last channel %d, want %d", channel, x.last)
		}
		if _, found := x.w.findLink(cli, srv, x.last); !found {
			t.Errorf("channel %d not found", x.last)
		}
	}
}
