package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// maxRuns bounds what one comparison plays.
const maxRuns = 1_000_000

func newCompareCmd() *cobra.Command {
	var vary []string
	var seeds, first uint64
	var kafka, format string
	var ledger bool
	cmd := &cobra.Command{
		Use:   "compare SCENARIO --vary KEY=A,B…",
		Short: "What would these settings change? A table over variants and seeds",
		Long: `Play a scenario with each combination of the settings given, over many seeds, and show
what each costs: median, worst, and the seed of the worst.

A key is a setting of the consumers or of the brokers by Kafka's name, for all of them;
kafka, the release; or what the members' programs do: poll, batch, per-batch, commit,
on-stop, on-throw. Values are separated by commas, a list as a value is in brackets,
"unset" takes a setting away, and {name} is the member's name.

docs/metrics.md says what the columns mean. The first combination is what the others are
compared with.`,
		Example: `  rebalsim compare deploy.yaml --vary partition.assignment.strategy=range,cooperative-sticky
  rebalsim compare deploy.yaml --vary 'group.instance.id=unset,{name}' --vary session.timeout.ms=10s,45s
  rebalsim compare deploy.yaml --vary on-stop=close,kill --vary kafka=2.8,3.9 --seeds 200 --format csv`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			show, ok := comparisonFormats[format]
			if ledger && format != "text" {
				return fmt.Errorf("--ledger is part of the format text only")
			}
			if !ok {
				return fmt.Errorf("no format %q: it is text, markdown, csv or json", format)
			}
			s, err := loadScenario(args[0])
			if err != nil {
				return err
			}
			c := &comparison{scenario: s, first: first, seeds: int(min(seeds, maxRuns+1))}
			if kafka != "" {
				if s.Scenario, err = s.Vary("kafka", kafka); err != nil {
					return err
				}
			}
			if err := c.addVariants(vary); err != nil {
				return err
			}
			if err := c.play(cmd.ErrOrStderr()); err != nil {
				return err
			}
			if err := show(c, cmd.OutOrStdout()); err != nil || !ledger {
				return err
			}
			return c.writeLedger(vary, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringArrayVar(&vary, "vary", nil, "KEY=A,B,…: a setting and its values; may be given again")
	cmd.Flags().Uint64Var(&seeds, "seeds", 50, "how many seeds each variant is played with")
	cmd.Flags().Uint64Var(&first, "seed", 0, "the first of them; 0 is the plain run")
	cmd.Flags().StringVar(&kafka, "kafka", "", "play this release instead: 2.8.1, or broker=3.9,client=2.8.1")
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown, csv or json")
	cmd.Flags().BoolVar(&ledger, "ledger", false, "halve and double what the scenario assumes, and tell what the result turns on")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "markdown", "csv", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// comparison is a scenario in several variants, each played with the same seeds.
type comparison struct {
	scenario *scenario
	first    uint64
	seeds    int
	keys     []string
	values   [][]string // by key
	variants []variant

	ledgerSeeds int
}

// variant is one combination of values.
type variant struct {
	values    []string // by key
	scenario  *scenarios.Scenario
	figures   [][]int64 // by measure, by seed
	unsettled []bool    // by seed
}

// addVariants makes the cross product of what is varied.
func (c *comparison) addVariants(vary []string) error {
	if len(vary) == 0 {
		return fmt.Errorf("say what to compare: --vary KEY=A,B, as in --vary session.timeout.ms=10s,45s")
	}
	c.variants = []variant{{scenario: c.scenario.Scenario}}
	for _, text := range vary {
		key, list, ok := strings.Cut(text, "=")
		key = strings.TrimSpace(key)
		values := splitValues(list)
		switch {
		case !ok || key == "" || slices.Contains(values, ""):
			return fmt.Errorf("--vary %s: write KEY=A,B with at least one value", text)
		case slices.Contains(c.keys, key):
			return fmt.Errorf("--vary: %s is given twice: write all its values in one", key)
		case c.seeds < 1 || len(c.variants)*len(values)*c.seeds > maxRuns:
			return fmt.Errorf("these are %d seeds of %d variants or more: from 1 to %d runs in all are played", c.seeds, len(c.variants)*len(values), maxRuns)
		}
		var next []variant
		for _, v := range c.variants {
			for _, value := range values {
				s, err := v.scenario.Vary(key, value)
				if err != nil {
					return fmt.Errorf("--vary %w", err)
				}
				next = append(next, variant{values: append(slices.Clone(v.values), value), scenario: s})
			}
		}
		c.keys, c.values, c.variants = append(c.keys, key), append(c.values, values), next
	}
	for i := range c.variants {
		v := &c.variants[i]
		if _, err := scenarios.Build(v.scenario, v.scenario.Kafka, &sim.Decisions{}); err != nil {
			return fmt.Errorf("%s: %w", c.label(v), err)
		}
		v.unsettled = make([]bool, c.seeds)
		v.figures = make([][]int64, len(metrics.Measures()))
		for m := range v.figures {
			v.figures[m] = make([]int64, c.seeds)
		}
	}
	return nil
}

// splitValues splits at commas outside of brackets.
func splitValues(list string) []string {
	var values []string
	depth, from := 0, 0
	for i, r := range list + "," {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == ',' && (depth <= 0 || i == len(list)):
			values = append(values, strings.TrimSpace(list[from:i]))
			from = i + 1
		}
	}
	return values
}

// label names a variant by its values.
func (c *comparison) label(v *variant) string { return strings.Join(v.values, ", ") }

// play plays all runs on all cores.
func (c *comparison) play(progress io.Writer) error {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // runs are short and small: collect less often
	runs := len(c.variants) * c.seeds
	var next, done atomic.Int64
	var failure atomic.Pointer[string]
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), runs) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				n := int(next.Add(1)) - 1
				if n >= runs || failure.Load() != nil {
					return
				}
				if text := c.playOne(n); text != "" {
					failure.CompareAndSwap(nil, &text)
				}
				done.Add(1)
			}
		}()
	}
	finished := make(chan struct{})
	go func() { wg.Wait(); close(finished) }()
	showProgress(progress, finished, func() string { return fmt.Sprintf("%d of %d runs", done.Load(), runs) })
	if text := failure.Load(); text != nil {
		panic(*text)
	}
	return nil
}

// playOne plays one run. What it gives is the defect that ended it, if one did.
func (c *comparison) playOne(n int) (defect string) {
	v, i := &c.variants[n/c.seeds], n%c.seeds
	seed := c.first + uint64(i)
	defer func() {
		if p := recover(); p != nil {
			defect = fmt.Sprintf("%s, seed %d: %v", c.label(v), seed, p)
		}
	}()
	r, ended, err := outcomeOf(v.scenario, seed)
	if err != nil {
		return err.Error()
	}
	for m := range metrics.Measures() {
		v.figures[m][i] = metrics.Measures()[m].Of(r)
	}
	v.unsettled[i] = ended != "" || !r.Measured
	return ""
}

// outcomeOf plays a scenario and measures it. Ended says why it did not settle.
func outcomeOf(s *scenarios.Scenario, seed uint64) (r *metrics.Result, ended string, err error) {
	cluster, err := scenarios.Build(s, s.Kafka, &sim.Decisions{Seed: seed})
	if err != nil {
		return nil, "", err
	}
	f := metrics.New(cluster.Measured(metrics.Window{}))
	cluster.World.Watch(f)
	cluster.Run()
	return f.Done(cluster.World.Now()), cluster.Ended(), nil
}

// showProgress waits for the end and meanwhile says how far it is: on a terminal, and
// only if it takes more than a second.
func showProgress(w io.Writer, finished <-chan struct{}, state func() string) {
	f, ok := w.(*os.File)
	if ok {
		info, err := f.Stat()
		ok = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	if !ok {
		<-finished
		return
	}
	wait := time.Second
	shown := false
	for {
		select {
		case <-finished:
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		case <-time.After(wait):
			fmt.Fprintf(w, "\r\x1b[K%s", state())
			shown, wait = true, 200*time.Millisecond
		}
	}
}

// median is the middle of the figures, the lower one of two; worst the largest, with the
// first seed that has it. Runs without the figure (-1) count for neither; if there are
// no others both are -1.
func (c *comparison) summary(v *variant, measure int) (median, worst int64, seed uint64) {
	worst = -1
	var have []int64
	for i, n := range v.figures[measure] {
		if n < 0 {
			continue
		}
		have = append(have, n)
		if n > worst {
			worst, seed = n, c.first+uint64(i)
		}
	}
	if len(have) == 0 {
		return -1, -1, 0
	}
	slices.Sort(have)
	return have[(len(have)-1)/2], worst, seed
}
