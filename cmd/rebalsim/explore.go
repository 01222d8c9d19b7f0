package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/explore/search"
	"github.com/rebalsim/rebalsim/protocol/script"
	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/sim"
)

// exploring is what the command line says of a search.
type exploring struct {
	choice
	bound    search.Bound
	clocks   string
	faults   int // -1: one if something may go wrong
	crash    string
	kill     []string
	drop     string
	lose     string
	steps    []string
	memory   int
	noReduce bool
	facts    bool
	exact    bool
	failures string
	table    bool
	orders   bool
	stopped  atomic.Bool // somebody interrupts
}

func newExploreCmd() *cobra.Command {
	e := &exploring{}
	cmd := &cobra.Command{
		Use:        "explore SCENARIO",
		SuggestFor: []string{"search", "orders"},
		Short:      "Play every order of events within a bound, not a sample",
		Long: `Play every order of a scenario's events within a bound, and look in each for what must
not be. Time moves only when a timer goes off, at its moment. A message takes no time
unless it is late. At one moment everything that can happen is tried in every order. So
every path is a real run. See docs/explore.md for what is promised and what is left out.

What is found comes with a shortest path to it, in a file that "rebalsim replay" plays, and
if possible as a scenario with times whose plain run shows it, which "rebalsim run" plays.
Exit code 1 if something is found, 0 if nothing is; also if the search ended at --states
or --memory before it was through. Then its first word is STOPPED. An interrupt (Ctrl-C) ends
it so as well, with exit code 130 if nothing was found.`,
		Example: `  rebalsim explore three-at-rest.yaml --crash coordinator --late 1
  rebalsim explore first-rebalance --kill any --generations 2
  rebalsim explore leader-not-first --table`,
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			defer stopOnInterrupt(&e.stopped, cmd.ErrOrStderr(), "what was found until now is told")()
			s, err := loadScenario(args[0])
			if err != nil {
				return err
			}
			if s, err = e.of(s); err != nil {
				return err
			}
			if e.table || e.orders {
				return e.tables(cmd.OutOrStdout(), s)
			}
			return e.search(cmd.OutOrStdout(), cmd.ErrOrStderr(), s)
		},
	}
	flags := cmd.Flags()
	kafkaFlag(cmd, &e.kafka)
	bugFlag(cmd, &e.bugs)
	flags.StringVar(&e.clocks, "clocks", "", "any: there are none; any message and any timer may be next (docs/explore.md)")
	flags.IntVar(&e.bound.Waits, "waits", 2, "with --clocks any: how many events of a path may take time")
	flags.IntVar(&e.bound.Late, "late", 0, "how many messages may be late on one path; each until the clock moves")
	flags.IntVar(&e.bound.Generations, "generations", 3, "how many new generations a path may have")
	flags.IntVar(&e.faults, "faults", -1, "how many faults a path may have; 1 if --crash, --kill, --drop-answer, --lose-answer or --fault says what they may be, otherwise 0")
	flags.StringVar(&e.crash, "crash", "", "coordinator: its broker may crash at any moment, and another takes over at once")
	flags.StringSliceVar(&e.kill, "kill", nil, "members that may be killed at any moment: any, or their names")
	flags.StringVar(&e.drop, "drop-answer", "", "any: an answer may be lost, and the client waits for it")
	flags.StringVar(&e.lose, "lose-answer", "", "any: an answer may be lost with its connection")
	flags.StringArrayVar(&e.steps, "fault", nil, "a step of a timeline that may happen at any moment: 'crash: {broker: b1, noticed-after: 2s}'")
	flags.IntVar(&e.bound.States, "states", 2_000_000, "stop at so many states")
	flags.IntVar(&e.memory, "memory", 4096, "stop when the states would need more megabytes than this, as far as that can be told beforehand")
	flags.BoolVar(&e.noReduce, "no-reduction", false, "try also the orders that cannot differ (docs/explore.md)")
	flags.BoolVar(&e.facts, "facts-only", false, "look only at what each state shows, and leave out the invariants that need a whole run")
	flags.BoolVar(&e.exact, "exact", false, "whenever a state comes again, go on from there once more and compare")
	flags.StringVar(&e.failures, "failures", "rebalsim-failures", "the folder of saved paths; empty: keep none")
	flags.BoolVar(&e.table, "table", false, "who is answered at once, for every order in which 2 to 5 members of a formed group join again")
	flags.BoolVar(&e.orders, "orders", false, "as --table, and every order on a line of its own")
	return cmd
}

// setup is the search that the command line asks for.
func (e *exploring) setup(s *scenario) (u search.Setup, err error) {
	u = search.Setup{Scenario: s.Scenario, Bound: e.bound, AnyTime: e.clocks == "any"}
	if u.AnyTime && e.bound.Late > 0 {
		return u, fmt.Errorf("--late %d: with --clocks any every message may be late", e.bound.Late)
	}
	u.Bound.Horizon = sim.Hour
	u.Bound.Memory = int64(e.memory) << 20
	u.Faults.Steps = e.steps
	for _, step := range e.steps {
		if _, err := s.Free(step); err != nil {
			return u, fmt.Errorf("--fault %w", err)
		}
	}
	for _, x := range []struct {
		flag, value, only string
		on                *bool
	}{
		{"clocks", e.clocks, "any", &u.AnyTime},
		{"crash", e.crash, "coordinator", &u.Faults.Crash},
		{"drop-answer", e.drop, "any", &u.Faults.DropAnswer},
		{"lose-answer", e.lose, "any", &u.Faults.LoseAnswer},
	} {
		if *x.on = x.value == x.only; !*x.on && x.value != "" {
			return u, fmt.Errorf("--%s %s: it takes %s", x.flag, x.value, x.only)
		}
	}
	var names []string
	for i := range s.Members {
		names = append(names, s.Members[i].Name)
	}
	for _, name := range e.kill {
		switch {
		case name == "any":
			u.Faults.Kill = names
		case script.Nearest(name, names) == name:
			u.Faults.Kill = append(u.Faults.Kill, name)
		default:
			return u, fmt.Errorf("--kill %s: there is no such member; any is all of them", name)
		}
	}
	if u.Bound.Faults = e.faults; e.faults < 0 {
		u.Bound.Faults = 0
		if u.Faults.Some() {
			u.Bound.Faults = 1
		}
	} else if e.faults > 0 && !u.Faults.Some() {
		return u, fmt.Errorf("--faults %d: say which they may be, with --crash, --kill, --drop-answer, --lose-answer or --fault", e.faults)
	}
	for _, n := range []struct {
		flag   string
		of, at int
	}{{"late", u.Bound.Late, 0}, {"waits", u.Bound.Waits, 0}, {"generations", u.Bound.Generations, 0}, {"states", u.Bound.States, 1}, {"memory", e.memory, 1}} {
		if n.of < n.at || n.of > 100 && n.at == 0 {
			return u, fmt.Errorf("--%s %d: it is %d or more, and not out of all reason", n.flag, n.of, n.at)
		}
	}
	u.Kafka, err = s.Releases(e.kafka)
	return u, err
}

func (e *exploring) search(out, progress io.Writer, s *scenario) error {
	u, err := e.setup(s)
	if err != nil {
		return err
	}
	if err := canFill(e.failures); err != nil {
		return fmt.Errorf("--failures: %w", err)
	}
	begin := time.Now()
	var r *search.Result
	err = withProgress(progress, "states", func(tell func(done, of int)) error {
		r, err = u.Search(search.Options{Reduce: !e.noReduce, FactsOnly: e.facts, Exact: e.exact, Progress: tell, Stop: e.stopped.Load})
		return err
	})
	if err != nil {
		return err
	}
	took := time.Since(begin)
	head, orders := "", "every order of events"
	if (r.Broken == nil || r.Broken.Apart) && (r.Waiting > 0 || r.Interrupted) {
		head, orders = "STOPPED  ", "not every order of events"
	}
	fmt.Fprintf(out, "%s%s · Kafka %s%s · %s\n", head, s.Name, u.Kafka.Long(), forced(s), orders)
	for _, line := range u.Promise() {
		fmt.Fprintf(out, "  %s\n", line)
	}
	fmt.Fprintln(out)
	for _, line := range r.Lines(u.Bound) {
		fmt.Fprintf(out, "  %s\n", line)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(out, "  %.1f s: %.0f states/s; %d MB: %d bytes/state\n", took.Seconds(), float64(r.States)/took.Seconds(), m.HeapSys>>20, m.HeapSys/uint64(r.States))
	switch {
	case r.Broken == nil && r.Interrupted:
		return failed{exitInterrupted}
	case r.Broken == nil:
		return nil
	}
	return e.report(out, s, u, r.Broken)
}

// report says what is wrong, and keeps the path to it.
func (e *exploring) report(out io.Writer, s *scenario, u search.Setup, b *search.Broken) error {
	fmt.Fprintf(out, "\n  FOUND  %s\n", b.Invariant)
	for _, line := range report.Wrap(b.What, 79, "         ") {
		fmt.Fprintln(out, line)
	}
	after := "after " + plural(len(b.Path), "move") + "; it takes no fewer:"
	switch {
	case b.Apart:
		after = "after " + plural(len(b.Path), "move") + ", if clocks run apart: as clocks run alike, no moments\n         are possible for them:"
	case !u.AnyTime:
		after = "at " + b.At.String() + " s, " + after
	}
	fmt.Fprintf(out, "         %s\n\n", after)
	const most = 12
	for i, name := range b.Path {
		if left := len(b.Path) - most; i < left {
			if i == 0 {
				fmt.Fprintf(out, "         … %d before\n", left)
			}
			continue
		}
		fmt.Fprintf(out, "    %3d  %s\n", i+1, name)
	}
	if e.failures != "" {
		e.save(out, s, u, b)
	}
	return failed{exitFailed}
}

// save keeps what was found: as a scenario, if it can be told as one, and as a path.
func (e *exploring) save(out io.Writer, s *scenario, u search.Setup, b *search.Broken) {
	path := search.File{Scenario: string(s.Written), Kafka: u.Kafka.String(), Bugs: e.bugs, Bound: u.Bound, Faults: u.Faults, AnyTime: u.AnyTime,
		Invariant: b.Invariant, What: b.What, Path: b.Path}
	text := path.Marshal()
	name := s.Name + "-" + b.Invariant + ".yaml"
	fmt.Fprintln(out)
	if told := u.Retell(b, string(s.Written), e.bugs); told == nil {
		fmt.Fprintln(out, "  no plain run shows it, only the path does")
	} else {
		fmt.Fprintln(out, "  the plain run of this scenario shows it, with these lines more:")
		for _, line := range told.Added {
			fmt.Fprintf(out, "    %s\n", line)
		}
		told.Version = version()
		e.keep(out, "play it: rebalsim run", "run-"+name, told.Marshal())
	}
	e.keep(out, "the path: rebalsim replay", "path-"+name, text)
}

// keep writes a file, and says how to play it.
func (e *exploring) keep(out io.Writer, how, name string, text []byte) {
	file := filepath.Join(e.failures, name)
	err := os.MkdirAll(e.failures, 0o777)
	if err == nil {
		err = os.WriteFile(file, text, 0o666)
	}
	if err != nil {
		fmt.Fprintf(out, "  not saved: %s\n", err)
		return
	}
	fmt.Fprintf(out, "  %s %s\n", how, filepath.ToSlash(file))
}
