package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/explore/shrink"
)

// fuzzing is what the command line says about a batch.
type fuzzing struct {
	seeds, from  uint64
	fromCommit   bool
	limit        time.Duration
	kafka        string
	bugs         []string
	behaviours   []string
	shard        string
	resume       string
	failures     string
	shrinkTries  int
	required     []string
	coverage     bool
	format       string
	junit, json  string
	annotations  bool
	requirements []explore.Requirement

	read           []string    // files of what is played, and of what was saved
	notes          []string    // on what is played
	timed, counted bool        // --for, --seeds were given
	stopped        atomic.Bool // somebody interrupts

	lacking []string // of the parts that merge adds up
	partial bool     // which judges them alone
}

func newFuzzCmd() *cobra.Command {
	var f fuzzing
	cmd := &cobra.Command{
		Use:        "fuzz [SCENARIO…]",
		SuggestFor: []string{"random", "seeds", "stress"},
		Short:      "Play many seeds, and keep the runs that break something",
		Long: `Play scenarios with many seeds on all cores, and check each run for what must hold of
every run (docs/invariants.md) and for what its scenario expects. Without a scenario each
seed makes one: its own members, brokers, settings, releases, programs and troubles.

What fails is grouped by what broke and where. The shortest run of each group is made
small, saved in a folder, and played again before anything else the next time; it stays
as it is for as long as it fails. "rebalsim replay FILE" plays it. What is found depends on
the seeds alone, and not on the number of cores or their speed.

An interrupt (Ctrl-C) ends it early: the seeds under way are played to their end, and what
was found is kept, as small as it is by then, and told as otherwise. A second one ends it at
once.

docs/fuzz.md shows how to run it in CI and on several machines.`,
		Example: `  rebalsim fuzz --seeds 10000
  rebalsim fuzz deploy.yaml --seeds 1000 --junit fuzz.xml
  rebalsim fuzz --for 10m --seed-from-commit --kafka 3.9
  rebalsim fuzz --seeds 5000 --require 'failover in CompletingRebalance'
  rebalsim fuzz --seeds 1000000 --shard 2/8 --json shard-2.json
  rebalsim fuzz merge shard-*.json`,
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.timed, f.counted = cmd.Flags().Changed("for"), cmd.Flags().Changed("seeds")
			return f.run(args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.Uint64Var(&f.seeds, "seeds", 1000, "how many seeds each scenario is played with")
	flags.Uint64Var(&f.from, "from", 0, "the first seed")
	flags.BoolVar(&f.fromCommit, "seed-from-commit", false, "take the first seed from the commit that is built, so that each commit plays others")
	flags.DurationVar(&f.limit, "for", 0, "begin no more seeds after this time; with --seeds: whichever ends first")
	kafkaFlag(cmd, &f.kafka)
	bugFlag(cmd, &f.bugs)
	flags.StringArrayVar(&f.behaviours, "behaviour", nil, "force a behaviour, `SIDE.NAME=VALUE`: broker.PendingSync=false")
	cmd.RegisterFlagCompletionFunc("behaviour", completeBehaviours)
	cmd.MarkFlagsMutuallyExclusive("from", "seed-from-commit")
	flags.StringVar(&f.shard, "shard", "", "play the i-th of n parts, `I/N`; auto, or auto/N: as the environment says")
	flags.StringVar(&f.resume, "resume", "", "go on with what this `file` has, and write it now and then")
	f.reportFlags(cmd)
	cmd.AddCommand(newMergeCmd())
	return cmd
}

// reportFlags are the flags about what becomes of a result.
func (f *fuzzing) reportFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.failures, "failures", "rebalsim-failures", "the `folder` of saved failures; empty: keep none")
	flags.IntVar(&f.shrinkTries, "shrink", 2000, "how many tries it may take to make a failure small, one of more than 10,000 events counts as several; 0: leave it as it is")
	flags.StringArrayVar(&f.required, "require", nil, "fail if no run comes to `this`: 'failover in CompletingRebalance'")
	cmd.RegisterFlagCompletionFunc("require", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return explore.Requirements(), cobra.ShellCompDirectiveNoFileComp
	})
	flags.BoolVar(&f.coverage, "coverage", false, "show what was reached: answers and troubles by state")
	formatFlag(cmd, &f.format, "text, json or junit", "text", "json", "junit")
	flags.StringVar(&f.json, "json", "", "write a JSON report to this `file` as well")
	flags.StringVar(&f.junit, "junit", "", "write a JUnit report to this `file` as well")
	flags.BoolVar(&f.annotations, "annotations", os.Getenv("GITHUB_ACTIONS") == "true", "add annotations for a GitHub workflow; as the environment says unless given")
	flags.Lookup("annotations").DefValue = ""
}

func (f *fuzzing) run(args []string, out, progress io.Writer) error {
	defer stopOnInterrupt(&f.stopped, progress, "the seeds under way are played to their end")()
	batch, err := f.batch(args)
	if err != nil {
		return err
	}
	for _, name := range filesIn(f.failures, ".yaml") {
		f.read = append(f.read, filepath.Join(f.failures, name))
	}
	if err := f.writable(f.read); err != nil {
		return err
	}
	for _, note := range f.notes {
		fmt.Fprintf(progress, "rebalsim: %s\n", note)
	}
	store := explore.Store{Dir: f.failures}
	var saved []explore.Saved
	if f.failures != "" {
		if saved, err = store.Load(batch.Sources); err != nil {
			return err
		}
	}
	r, err := f.begin(batch)
	if err != nil {
		return err
	}
	mended, err := explore.Replay(saved, batch.Sources, r)
	if err != nil {
		return err
	}
	r, unsaved := f.play(batch, r, progress)
	return f.finish(r, mended, unsaved, out, progress)
}

// writable says what cannot be written in the end; read are the files that are read.
func (f *fuzzing) writable(read []string) error {
	between := ""
	if f.resume != "" {
		between = f.resume + newEnding
	}
	err := writable(read, target{"json", f.json}, target{"junit", f.junit}, target{"resume", f.resume}, target{"resume", between})
	if err != nil {
		return err
	}
	if err := canFill(f.failures); err != nil {
		return fmt.Errorf("--failures: %w", err)
	}
	return nil
}

// finish keeps what was found and tells it. What could not be written is told after it, and
// is a failure: the findings are worth more than the files.
func (f *fuzzing) finish(r *explore.Result, mended []string, unwritten error, out, problems io.Writer) error {
	replaced, unkept := f.keep(r, problems)
	if f.resume != "" {
		unwritten = writeResult(f.resume, r) // what failed meanwhile does not matter now
	}
	v := explore.NewVerdict(r, f.requirements, mended)
	v.Replace(replaced)
	v.Lack(f.lacking, f.partial)
	if f.stopped.Load() {
		v.Interrupt()
	}
	err := f.report(v, out)
	if unwritten = errors.Join(unkept, unwritten); unwritten == nil {
		return err
	}
	fmt.Fprintf(problems, "rebalsim: %s\n", unwritten)
	if err == nil {
		err = failed{exitFailed}
	}
	return err
}

// batch is what is to be played.
func (f *fuzzing) batch(args []string) (*explore.Batch, error) {
	b := &explore.Batch{From: f.from, Seeds: f.seeds}
	var err error
	if f.fromCommit {
		if b.From, err = seedOfCommit(); err != nil {
			return nil, err
		}
	}
	if f.timed && f.limit <= 0 {
		return nil, fmt.Errorf("--for %s: write how long to play, like 10m", f.limit)
	}
	if f.seeds == 0 {
		return nil, errors.New("--seeds 0: there is nothing to play")
	}
	if f.shrinkTries < 0 {
		return nil, fmt.Errorf("--shrink %d: write how many tries, 0 for none", f.shrinkTries)
	}
	if f.timed && !f.counted {
		b.Seeds = 0
	}
	b.Stop = f.stopped.Load
	if b.From+b.Seeds < b.From {
		return nil, fmt.Errorf("--from %d --seeds %d: there are no such seeds", b.From, b.Seeds)
	}
	if b.Shard, b.Shards, err = shardOf(f.shard, os.Getenv); err != nil {
		return nil, err
	}
	if err := f.require(); err != nil {
		return nil, err
	}
	b.Sources, err = f.sources(args)
	return b, err
}

// require reads what the batch has to reach.
func (f *fuzzing) require() error {
	for _, text := range f.required {
		q, err := explore.ParseRequirement(text)
		if err != nil {
			return fmt.Errorf("--require %w", err)
		}
		f.requirements = append(f.requirements, q)
	}
	return nil
}

// sources makes the cases: of each scenario, or of the swarm. Each is tried, so that what
// cannot be played is told before anything is.
func (f *fuzzing) sources(args []string) (list []explore.Source, err error) {
	more := explore.Case{Kafka: f.kafka, Bugs: f.bugs, Behaviours: f.behaviours}
	if len(args) == 0 {
		swarm := explore.Swarm{Kafka: f.kafka, Bugs: f.bugs, Behaviours: f.behaviours}
		return []explore.Source{swarm.Source()}, swarm.Check()
	}
	seen := map[string]bool{}
	for _, arg := range args {
		file := arg
		if filepath.Ext(arg) == ".yaml" { // others may be names of built-in ones
			file = filepath.Clean(arg)
		}
		if seen[file] {
			continue // a scenario that is named twice is played once
		}
		seen[file] = true
		c := more
		s, err := loadScenario(arg)
		if err != nil {
			return nil, err
		}
		note, err := onlyScenario(s)
		if err != nil {
			return nil, err
		}
		if note != "" {
			f.notes = append(f.notes, note)
		}
		c.Name, c.Scenario = s.Arg, string(s.Written)
		f.read = append(f.read, s.files()...)
		if err := explore.Check(c); err != nil {
			return nil, err
		}
		kafka, err := s.Releases(f.kafka)
		if err != nil {
			return nil, err
		}
		f.notes = append(f.notes, s.unasked(kafka)...)
		list = append(list, explore.Scenario(c))
	}
	return list, nil
}

// saveEvery is how often --resume writes its file.
const saveEvery = 30 * time.Second

// play plays the batch, and shows how far it is.
func (f *fuzzing) play(b *explore.Batch, r *explore.Result, progress io.Writer) (*explore.Result, error) {
	first, begun, lastSave := r.Runs, time.Now(), time.Now()
	if f.timed {
		b.Until = begun.Add(f.limit)
	}
	state := make(chan string, 1)
	var saving error
	b.Progress = func(r *explore.Result) {
		rate := float64(r.Runs-first) / time.Since(begun).Seconds()
		s := fmt.Sprintf("%d runs, %.0f/s, seed %d, %d kinds of failure", r.Runs, rate, r.Next, len(r.Failures))
		select {
		case <-state:
		default:
		}
		state <- s
		if f.resume != "" && time.Since(lastSave) > saveEvery {
			lastSave = time.Now()
			saving = errors.Join(saving, writeResult(f.resume, r))
		}
	}
	finished := make(chan struct{})
	go func() { r = b.Run(r); close(finished) }()
	last := "0 runs"
	showProgress(progress, finished, func() string {
		select {
		case last = <-state:
		default:
		}
		return last
	})
	return r, saving
}

// keep saves the failures, made small unless somebody waits for the end, and says whose files
// had runs that do not fail any more.
func (f *fuzzing) keep(r *explore.Result, progress io.Writer) (replaced []string, unkept error) {
	if f.failures == "" {
		return nil, nil
	}
	small := func(list []*explore.Group) { f.makeSmall(list, progress) }
	replaced, unkept = explore.Store{Dir: f.failures}.Keep(r.Failures, version(), small)
	if unkept != nil {
		unkept = fmt.Errorf("--failures: %w", unkept)
	}
	return replaced, unkept
}

// makeSmall shrinks the shortest run of each failure, several at a time. What comes of it does
// not depend on that, unless it is interrupted.
func (f *fuzzing) makeSmall(failures []*explore.Group, progress io.Writer) {
	if f.shrinkTries == 0 {
		return
	}
	var made atomic.Int64
	var workers sync.WaitGroup
	next := make(chan *explore.Group)
	for range min(runtime.GOMAXPROCS(0), len(failures)) {
		workers.Go(func() {
			for g := range next {
				limit := shrink.Limit{Plays: f.shrinkTries, GoOn: func(int) bool { return !f.stopped.Load() }}
				if c, _, err := shrink.Of(g.Shortest.Case, &g.Shortest.Finding, limit); err == nil {
					g.Become(c)
				}
				made.Add(1)
			}
		})
	}
	finished := make(chan struct{})
	go func() {
		for _, g := range failures {
			if g.Shortest.Finding.Invariant != explore.InternalError && !f.stopped.Load() {
				next <- g
			}
		}
		close(next)
		workers.Wait()
		close(finished)
	}()
	showProgress(progress, finished, func() string {
		return fmt.Sprintf("%d of %d failures made small", made.Load(), len(failures))
	})
}

// fuzzFormats are the ways to write a verdict on standard output.
var fuzzFormats = map[string]func(*explore.Verdict, io.Writer) error{
	"text":  (*explore.Verdict).Text,
	"json":  (*explore.Verdict).JSON,
	"junit": (*explore.Verdict).JUnit,
}

func (f *fuzzing) report(v *explore.Verdict, out io.Writer) error {
	if err := fuzzFormats[f.format](v, out); err != nil {
		return err
	}
	if f.coverage && f.format == "text" {
		if err := v.Matrix(out); err != nil {
			return err
		}
	}
	if f.annotations && f.format == "text" {
		if err := v.GitHub(out); err != nil {
			return err
		}
	}
	if err := errors.Join(writeTo(f.json, v.JSON), writeTo(f.junit, v.JUnit)); err != nil {
		return err
	}
	if code := v.Exit(); code != exitGood {
		return failed{code}
	}
	return nil
}
