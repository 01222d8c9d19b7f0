package assignor

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// balance gives out what nobody has and then improves the balance.
func (gen *general) balance() ([][]int32, error) {
	g := gen.g
	fresh := !slices.ContainsFunc(gen.size, func(n int32) bool { return n > 0 })
	gen.giveOut()

	only := func(p int32) bool { return gen.subscribers[g.topicOf[p]] < 2 }
	candidates := slices.DeleteFunc(gen.candidates, only)
	unassigned := slices.DeleteFunc(gen.unassigned, only)
	gen.fix()

	saved := make([][]int32, len(gen.lists))
	for m, list := range gen.lists {
		if !gen.fixed[m] {
			saved[m] = withoutHoles(slices.Clone(list))
		}
	}
	before := gen.score()
	run := gen.newPasses()
	if !gen.revoked {
		if _, err := run.over(unassigned); err != nil {
			return nil, err
		}
	}
	changed, err := run.over(candidates)
	if err != nil {
		return nil, err
	}
	if !fresh && changed && gen.score() >= before {
		for m := range saved {
			if !gen.fixed[m] {
				gen.lists[m] = saved[m]
			}
		}
	}
	for m, list := range gen.lists {
		gen.lists[m] = withoutHoles(list)
	}
	return gen.lists, nil
}

// fix takes members out of everything that follows, that have all they can get
// and nothing that anybody else could have.
func (gen *general) fix() {
	for m, list := range gen.lists {
		gen.fixed[m] = gen.size[m] >= gen.capacity[m] && !slices.ContainsFunc(list, func(p int32) bool {
			if p == hole {
				return false
			}
			t, _ := gen.g.topicNumber(p)
			return gen.subscribers[t] >= 2
		})
	}
	gen.startAnew()
}

// score is the sum of the differences of all pairs of members, in Java's 32 bits.
func (gen *general) score() int32 {
	var sizes []int32
	for m, n := range gen.size {
		if !gen.fixed[m] {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	sum := int64(0)
	for i, n := range sizes {
		sum += int64(n) * int64(2*i-len(sizes)+1)
	}
	return int32(sum)
}

// workLimit bounds the partitions that passes and balance tests look at in one
// call. Nothing bounds them in Kafka's code. Passes that end are few, 5 at most in
// all that was recorded; a group that balances a million partitions stays below a
// hundredth of the limit, which is some seconds' work.
const workLimit = 1 << 31

// passes improves the balance.
type passes struct {
	*general
	balanced  bool   // what the balance test said last
	fixedSubs []bool // topics with a fixed subscriber
	test      balanceTest
}

func (gen *general) newPasses() *passes {
	run := &passes{general: gen, fixedSubs: make([]bool, len(gen.g.topics))}
	for m, fixed := range gen.fixed {
		if fixed {
			for _, t := range gen.g.subscribed(int32(m)) {
				run.fixedSubs[t] = true
			}
		}
	}
	run.test = balanceTest{general: gen, ahead: 0}
	if gen.g.rules.StickyGeneral == protocol.StickyGeneralRacksBalanced {
		run.test.ahead = 1
	}
	gen.moves = newMoves(gen)
	return run
}

// testMatters says whether the balance test can have an effect. The only moves
// that a balanced group leaves possible go to a previous owner that does not
// subscribe; and contradictory input can make the test fail.
func (gen *general) testMatters() bool {
	g := gen.g
	if !gen.tidy || slices.ContainsFunc(g.strays, func(s stray) bool { return g.names[s.name].topic >= 0 }) {
		return true
	}
	seen := make([]int32, len(g.topics)) // list + 1
	for i, list := range g.topicLists {
		for _, t := range list {
			if seen[t] == int32(i+1) {
				return true // a repeated name
			}
			seen[t] = int32(i + 1)
		}
	}
	for p, v := range gen.prev[:g.total] {
		if v >= 0 && !gen.subscribes(v, g.topicOf[p]) {
			return true
		}
	}
	return false
}

// over makes passes over the list until one of them moves nothing.
func (run *passes) over(list []int32) (changed bool, err error) {
	if len(list) == 0 {
		return false, nil
	}
	if err := run.retest(); err != nil {
		return false, err
	}
	var states circle
	for pass := 1; ; pass++ {
		moved, err := run.pass(list)
		if err != nil {
			return false, err
		}
		if !moved {
			return changed, nil
		}
		changed = true
		if states.closed(run.general, pass) {
			return false, fmt.Errorf("%w: pass %d came back to an earlier state", ErrNeverEnds, pass)
		}
	}
}

// retest asks the balance test. What it says holds until the next move.
func (run *passes) retest() (err error) {
	if run.tested {
		run.balanced, err = run.test.balanced()
	}
	return err
}

func (run *passes) pass(list []int32) (moved bool, err error) {
	run.test.work += len(list)
	for _, p := range list {
		if run.balanced {
			break
		}
		if run.test.work > workLimit {
			return false, ErrTooLong
		}
		to, err := run.improvement(p)
		if err != nil {
			return false, err
		}
		if to < 0 {
			continue
		}
		run.moves.move(p, to)
		moved = true
		if err := run.retest(); err != nil {
			return false, err
		}
	}
	return moved, nil
}

// improvement says who should get p: its previous owner, even if that does not
// subscribe any more, else the least loaded subscriber; -1 if its owner should
// keep it.
func (run *passes) improvement(p int32) (int32, error) {
	if run.fixed[run.owner[p]] {
		return 0, nullPointer("the owner of " + run.g.topicPartition(p).String() + " is out of the balancing")
	}
	size := run.size[run.owner[p]]
	if v := run.prev[p]; v >= 0 {
		if run.fixed[v] {
			return 0, nullPointer("the previous owner of " + run.g.topicPartition(p).String() + " is out of the balancing")
		}
		if size > run.size[v]+1 {
			return v, nil
		}
	}
	t := run.g.topicOf[p]
	if run.fixedSubs[t] {
		if ok, err := run.anyLighter(t, size); !ok || err != nil {
			return -1, err
		}
	}
	m := run.first(run.setOf[t])
	if m >= 0 && run.size[m]+1 < size {
		return m, nil
	}
	return -1, nil
}

// anyLighter goes through a topic's subscribers as Kafka does, which fails at
// the first one that is fixed.
func (run *passes) anyLighter(t, size int32) (bool, error) {
	for _, m := range run.g.walk {
		if !run.subscribes(m, t) {
			continue
		}
		if run.fixed[m] {
			return false, nullPointer("a subscriber of " + run.g.names[run.g.topics[t].name].text + " is out of the balancing")
		}
		if run.size[m]+1 < size {
			return true, nil
		}
	}
	return false, nil
}
