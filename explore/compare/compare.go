// Package compare plays variants of a scenario over many seeds and says what each costs,
// what helped most, and what that hangs on. Results never depend on how many cores play.
package compare

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// MaxRuns bounds what one comparison plays.
const MaxRuns = 1_000_000

// Comparison is a scenario in several variants, each played with the same seeds.
type Comparison struct {
	Scenario *scenarios.Scenario
	First    uint64 // the first seed
	Seeds    int
	Axes     []Axis
	Variants []Variant // every combination of the axes' values, those of the last axis side by side
}

// Axis is one thing that varies, with its values. The first value is what the others are
// compared with.
type Axis struct {
	Key    string // a setting, or "variant": the scenario's own
	Values []string
}

// Named is the Key of the axis whose values are the scenario's own variants.
const Named = "variant"

// Variant is one combination of values, and what was measured of it.
type Variant struct {
	Values   []string // by axis
	Scenario *scenarios.Scenario
	// LeftOut is why it cannot be compared with others, "" if it can; of a comparison that
	// was played.
	LeftOut string

	prepared  *scenarios.Prepared
	figures   [][]int64 // by measure, by seed
	unsettled []bool    // by seed
}

// New is a comparison of a scenario with itself only: axes make variants of it.
func New(s *scenarios.Scenario, first uint64, seeds int) *Comparison {
	return &Comparison{Scenario: s, First: first, Seeds: seeds, Variants: []Variant{{Scenario: s}}}
}

// AddVariants adds the scenario's own variants as the first axis. With kafka not "" they
// are played with other releases, unless they name some themselves.
func (c *Comparison) AddVariants(kafka string) error {
	if len(c.Scenario.Variants) == 0 {
		return nil
	}
	c.Axes = append(c.Axes, Axis{Named, c.Scenario.VariantNames()})
	c.Variants = nil
	for i := range c.Scenario.Variants {
		v := &c.Scenario.Variants[i]
		s := v.Scenario
		if kafka != "" && !v.OwnKafka {
			var err error
			if s, err = s.Vary("kafka", kafka); err != nil {
				return err
			}
		}
		c.Variants = append(c.Variants, Variant{Values: []string{v.Name}, Scenario: s})
	}
	return nil
}

// AddAxis makes every combination of the variants so far with each of the values.
func (c *Comparison) AddAxis(key string, values []string) error {
	if slices.ContainsFunc(c.Axes, func(a Axis) bool { return a.Key == key }) {
		return fmt.Errorf("%s is given twice: write all its values in one", key)
	}
	if len(values) > MaxRuns/len(c.Variants) {
		return fmt.Errorf("these are %d variants: at most %d runs are played", len(values)*len(c.Variants), MaxRuns)
	}
	var next []Variant
	for _, v := range c.Variants {
		for _, value := range values {
			s, err := v.Scenario.Vary(key, value)
			if err != nil {
				return err
			}
			next = append(next, Variant{Values: append(slices.Clone(v.Values), value), Scenario: s})
		}
	}
	c.Axes, c.Variants = append(c.Axes, Axis{key, values}), next
	return nil
}

// Label names a variant by its values.
func (v *Variant) Label() string { return strings.Join(v.Values, ", ") }

// settings says what a variant has set, as the command line would.
func (c *Comparison) settings(v *Variant) string {
	list := slices.Clone(v.Values)
	for k, a := range c.Axes {
		if a.Key != Named {
			list[k] = a.Key + "=" + list[k]
		}
	}
	return strings.Join(list, ", ")
}

// prepare makes room for figures, and finds out what cannot be played.
func (c *Comparison) prepare() error {
	if c.Seeds < 1 || c.Seeds > MaxRuns/len(c.Variants) {
		return fmt.Errorf("%d seeds of %d variants: from 1 to %d runs in all are played", c.Seeds, len(c.Variants), MaxRuns)
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		p, err := scenarios.Prepare(v.Scenario, v.Scenario.Kafka)
		if err != nil {
			if set := c.settings(v); set != "" {
				return fmt.Errorf("%s: %w", set, err)
			}
			return err
		}
		v.prepared = p
		v.unsettled = make([]bool, c.Seeds)
		v.figures = make([][]int64, len(metrics.Measures()))
		for m := range v.figures {
			v.figures[m] = make([]int64, c.Seeds)
		}
	}
	return nil
}

// Play plays all runs on all cores. It calls progress, which may be nil, with how many are
// done, never at the same time as itself. A defect of the simulator is a panic, as it is
// in any run.
func (c *Comparison) Play(progress func(done, of int)) error {
	if err := c.prepare(); err != nil {
		return err
	}
	var runs []run
	for i := range c.Variants {
		for seed := range c.Seeds {
			runs = append(runs, run{c, i, seed})
		}
	}
	playAll(runs, 0, progress)
	c.leaveOut()
	return nil
}

// run is one run of a comparison, by the places of its variant and of its seed.
type run struct {
	*Comparison
	variant, seed int
}

// playAll plays runs on all cores, and counts them to those that were played before.
func playAll(runs []run, before int, progress func(done, of int)) {
	defer explore.CollectLess()()
	var next atomic.Int64
	var failure atomic.Pointer[string]
	var telling sync.Mutex
	var wg sync.WaitGroup
	done := before
	for range min(runtime.GOMAXPROCS(0), len(runs)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				n := int(next.Add(1)) - 1
				if n >= len(runs) || failure.Load() != nil {
					return
				}
				if text := runs[n].play(); text != "" {
					failure.CompareAndSwap(nil, &text)
				}
				if progress != nil {
					telling.Lock()
					done++
					progress(done, before+len(runs))
					telling.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	if text := failure.Load(); text != nil {
		panic(errors.New(*text))
	}
}

// play plays it. What it gives is the defect that ended it, if one did.
func (r run) play() (defect string) {
	v, i := &r.Variants[r.variant], r.seed
	seed := r.First + uint64(i)
	defer func() {
		if p := recover(); p != nil {
			defect = fmt.Sprintf("%s, seed %d: %v", v.Label(), seed, p)
		}
	}()
	cluster := v.prepared.Cluster(&sim.Decisions{Seed: seed})
	f := metrics.New(cluster.Measured(v.Scenario.Measure.Window))
	cluster.World.WatchEvents(f)
	cluster.Run()
	report := f.Done(cluster.World.Now())
	assigned := f.Still() >= 0
	for m := range metrics.Measures() {
		measure := &metrics.Measures()[m]
		v.figures[m][i] = measure.Of(report)
		if _, ok := measure.OfPartition(&report.Total); ok && !assigned {
			v.figures[m][i] = -1 // there is none of partitions that nobody ever had
		}
	}
	v.unsettled[i] = cluster.Ended() != "" || !report.Measured || report.Cut
	return ""
}
