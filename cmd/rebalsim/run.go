package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

func newRunCmd() *cobra.Command {
	var how choice
	var format, output string
	var t telling
	cmd := &cobra.Command{
		Use:        "run SCENARIO",
		SuggestFor: []string{"play", "simulate", "start"},
		Short:      "Play one scenario and tell what happened",
		Long: `Play one scenario, a file or the name of a built-in one, and tell what happened:
what the coordinator handled and what happened to processes, in its order, why it answered
as it did, and what each member paid. F1#2 is F1's second process. Fails with exit code 1 if
an expectation of the scenario is not met.

A file that fuzz has saved is played as it was saved, as "rebalsim replay" does, unless
--seed or --kafka says how its scenario is to be played.

Formats: text (the story), jsonl (every record; see docs/trace.md), mermaid (a sequence
diagram), hash (the trace's hash alone).`,
		Example: `  rebalsim run leader-not-first
  rebalsim run my-group.yaml --kafka 2.8.1 --seed 42
  rebalsim run leader-not-first -v --since 6s --until 10s
  rebalsim run leader-not-first --format mermaid -o run.mmd`,
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadScenario(args[0])
			if err != nil {
				return err
			}
			if err := t.check(); err != nil {
				return err
			}
			kind, err := savedAs(cmd, s)
			if err != nil {
				return err
			}
			if kind == savedByExplore {
				return fmt.Errorf("%s holds a path that explore has saved: rebalsim replay %s plays it (and with --seed 0, run plays its scenario)", s.Arg, s.Arg)
			}
			t.progress = cmd.ErrOrStderr()
			how.progress = t.progress
			show := func(out io.Writer) error {
				if kind == savedByFuzz {
					return runSaved(out, s, format, t)
				}
				return formats[format](out, s, how, t)
			}
			if output == "" || output == "-" {
				return show(cmd.OutOrStdout())
			}
			if err := writable(s.files(), target{"output", output}); err != nil {
				return err
			}
			file := &lateFile{name: output}
			return errors.Join(show(file), file.Close())
		},
	}
	how.flags(cmd)
	how.variants(cmd)
	formatFlag(cmd, &format, "text, jsonl, mermaid or hash", "text", "jsonl", "mermaid", "hash")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to a `file` instead of standard output")
	t.flags(cmd)
	return cmd
}

// telling is how much of a run is told.
type telling struct {
	verbose, full bool
	since, until  time.Duration
	progress      io.Writer // for how far the run is
}

func (t *telling) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&t.verbose, "verbose", "v", false, "tell every event, also those that changed nothing")
	cmd.Flags().DurationVar(&t.since, "since", 0, "with -v: the events from this moment of the run on, like 20s")
	cmd.Flags().DurationVar(&t.until, "until", 0, "with -v: the events until this moment")
	cmd.Flags().BoolVar(&t.full, "full", false, "tell the whole story, also if it is longer than a screen")
}

// check says what of it cannot be.
func (t *telling) check() error {
	switch {
	case t.since < 0:
		return fmt.Errorf("--since %s: a run begins at 0s", t.since)
	case t.until < 0:
		return fmt.Errorf("--until %s: a run begins at 0s", t.until)
	case (t.since > 0 || t.until > 0) && !t.verbose:
		return errors.New("--since and --until say which events -v tells: add -v")
	case t.until > 0 && t.until < t.since:
		return fmt.Errorf("--until %s is before --since %s", t.until, t.since)
	}
	return nil
}

// facts are the events to be told of a run that is yet to happen.
func (t *telling) facts(w *sim.World) *report.Facts {
	f := report.NewFacts(w)
	f.Since, f.Until = sim.Time(t.since.Microseconds()), sim.Time(t.until.Microseconds())
	return f
}

// tell tells the story of a run, or its events.
func (t *telling) tell(w io.Writer, r *report.Run, facts *report.Facts) error {
	if r.Full = t.full; t.verbose {
		return report.Log(w, r, facts)
	}
	return report.Story(w, r)
}

// formats are the ways to show a run. Each plays it.
var formats = map[string]func(w io.Writer, s *scenario, how choice, t telling) error{
	"text": func(w io.Writer, s *scenario, how choice, t telling) error {
		var facts *report.Facts
		var watch []watcher
		if t.verbose {
			watch = append(watch, func(w *sim.World, _ scenarios.Kafka) sim.Observer {
				facts = t.facts(w)
				return facts
			})
		}
		p, err := play(s, how, watch...)
		if err != nil {
			return err
		}
		if err := t.tell(w, p.run, facts); err != nil {
			return err
		}
		return p.verdict()
	},
	"jsonl": func(w io.Writer, s *scenario, how choice, _ telling) error {
		how.untold = true
		var lines *report.JSONLines
		p, err := play(s, how, func(world *sim.World, k scenarios.Kafka) sim.Observer {
			lines = report.NewJSONLines(world, w, s.Name, k.Broker.String(), k.Client.String(), how.seed)
			return lines
		})
		if err != nil {
			return err
		}
		if err := lines.Close(p.world.Now(), p.run.Hash); err != nil {
			return err
		}
		return p.verdict()
	},
	"mermaid": func(w io.Writer, s *scenario, how choice, _ telling) error {
		p, err := play(s, how)
		if err != nil {
			return err
		}
		if err := report.Mermaid(w, p.run); err != nil {
			return err
		}
		return p.verdict()
	},
	"hash": func(w io.Writer, s *scenario, how choice, _ telling) error {
		how.untold = true
		p, err := play(s, how)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, p.run.Hash)
		return p.verdict()
	},
}
