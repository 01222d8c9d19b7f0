package explore

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/rebalsim/rebalsim/sim"
)

// Batch is many cases: each of its sources with each of its seeds.
type Batch struct {
	// Sources make the case of a seed. There is at least one.
	Sources []Source
	// From is the first seed, Seeds how many there are. Seeds 0: until Until or Stop.
	From, Seeds uint64
	// Until, if not zero, is when no more seeds are begun.
	Until time.Time
	// Stop, if not nil, reports whether no more seeds are to be begun. Several goroutines
	// ask it.
	Stop func() bool
	// Shard of Shards, from 1, plays its part of the seeds: those that leave the
	// remainder Shard-1. Shards 0 or 1: all.
	Shard, Shards uint64
	// Workers is how many cases are played at once; 0: as many as there are cores. It has
	// no influence on what is found.
	Workers int
	// Client, if not nil, makes the client of a member instead of Kafka's. It is called
	// by several goroutines at once.
	Client func(member string) sim.Actor
	// Progress, if not nil, is told now and then, by one goroutine at a time, what has
	// been found so far.
	Progress func(*Result)

	// again makes the case of the second playing of the same case: a test's way to plant
	// what is not deterministic.
	again func(Case) Case
}

// Source makes the case of a seed.
type Source struct {
	// Name is the scenario's, "" for generated ones.
	Name string
	Case func(seed uint64) Case
}

// Source is the source of generated scenarios.
func (s Swarm) Source() Source { return Source{Case: s.Generate} }

// Scenario is the source of one scenario's runs: the seeds answer what it leaves to
// chance, half of them by priorities (see sim.Decisions).
func Scenario(c Case) Source {
	return Source{Name: c.Name, Case: func(seed uint64) Case {
		c := c
		c.Seed, c.Depth = seed, depthOf(seed)
		return c
	}}
}

// depthOf is the depth with which a seed is played: none for half of them, else 1 to 3.
func depthOf(seed uint64) int {
	d := dice{seed}
	if seed == 0 || d.oneIn(2, "depth") {
		return 0
	}
	return 1 + d.n(3, "how deep")
}

// twicePerMille is how many of a thousand cases are played twice, besides the first.
const twicePerMille = 10

// block is how many seeds a worker takes at once.
const block = 32

// Run plays the batch and gives what it found. With a result of the same batch that was
// broken off, it goes on where that ended. What is found does not depend on the number of
// workers or their timing.
func (b *Batch) Run(before *Result) *Result {
	defer CollectLess()()
	workers := b.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var mu sync.Mutex // guards what follows
	done := before
	if done == nil {
		done = b.Begin()
	}
	done.Seeds, done.Ended = b.Seeds, BrokenOff
	next := done.Next
	finished := map[uint64]*Result{} // blocks that end after done, by their first seed
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := worker{Batch: b, player: Player{Client: b.Client}}
			for {
				mu.Lock()
				from, to := next, b.blockEnd(next)
				next = to
				mu.Unlock()
				if from == to {
					return
				}
				r := w.play(from, to)
				mu.Lock()
				finished[from] = r
				for finished[done.Next] != nil {
					r := finished[done.Next]
					delete(finished, done.Next)
					done.Add(r)
					done.Next = r.Next
				}
				if b.Progress != nil {
					b.Progress(done)
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	switch {
	case b.Seeds > 0 && done.Next == b.From+b.Seeds:
		done.Ended = Whole
	case b.Stop == nil || !b.Stop():
		done.Ended = TimeUp
	}
	return done
}

// blockEnd is where the block ends that begins with the seed; the seed itself if none does.
func (b *Batch) blockEnd(from uint64) uint64 {
	if !b.Until.IsZero() && !time.Now().Before(b.Until) {
		return from
	}
	if b.Stop != nil && b.Stop() {
		return from
	}
	size := uint64(block) * max(1, b.Shards)
	if b.Seeds > 0 {
		return max(from, min(from+size, b.From+b.Seeds)) // what is gone on with may be further
	}
	return from + size
}

// mine reports whether a seed is played by this shard.
func (b *Batch) mine(seed uint64) bool { return b.Shards <= 1 || seed%b.Shards == b.Shard-1 }

// worker plays seeds, one after the other.
type worker struct {
	*Batch
	player Player
}

func (w *worker) play(from, to uint64) *Result {
	r := &Result{From: from, Next: to}
	for _, s := range w.Sources {
		for seed := from; seed < to; seed++ {
			if w.mine(seed) {
				w.one(s, seed, r)
			}
		}
	}
	return r
}

func (w *worker) one(s Source, seed uint64, r *Result) {
	c := s.Case(seed)
	o := w.player.Play(c)
	r.count(s.Name, seed, c, &o)
	if o.Err != nil || w.again == nil && seed != w.From && (dice{seed}).n(1000, "twice") >= twicePerMille {
		return
	}
	second := c
	if w.again != nil {
		second = w.again(c)
	}
	r.Twice++
	fresh := Player{Client: w.Client}
	if p := fresh.Play(second); p.Hash != o.Hash || p.Events != o.Events || !slices.Equal(p.Findings, o.Findings) {
		r.Differs = append(r.Differs, Difference{Source: s.Name, Seed: seed, Text: firstDifference(&fresh, c, second)})
	}
}
