package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

func newRunCmd() *cobra.Command {
	var how choice
	var format, output string
	var verbose, full bool
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
  rebalsim run leader-not-first --format mermaid -o run.mmd`,
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadScenario(args[0])
			if err != nil {
				return err
			}
			kind, err := savedAs(cmd, s)
			if err != nil {
				return err
			}
			if kind == savedByExplore {
				return fmt.Errorf("%s holds a path that explore has saved: rebalsim replay %s plays it (and with --seed 0, run plays its scenario)", s.Arg, s.Arg)
			}
			out := cmd.OutOrStdout()
			if output != "" && output != "-" {
				f, err := create(output)
				if err != nil {
					return fmt.Errorf("--output: %w", err)
				}
				defer f.Close()
				out = f
			}
			if kind == savedByFuzz {
				return runSaved(out, s, format, verbose, full)
			}
			return formats[format](out, s, how, verbose, full)
		},
	}
	how.flags(cmd)
	how.variants(cmd)
	formatFlag(cmd, &format, "text, jsonl, mermaid or hash", "text", "jsonl", "mermaid", "hash")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to a `file` instead of standard output")
	tellingFlags(cmd, &verbose, &full)
	return cmd
}

// tellingFlags are those that say how much of a run is told.
func tellingFlags(cmd *cobra.Command, verbose, full *bool) {
	cmd.Flags().BoolVarP(verbose, "verbose", "v", false, "tell every event, also those that changed nothing")
	cmd.Flags().BoolVar(full, "full", false, "tell the whole story, also if it is longer than a screen")
}

// formats are the ways to show a run. Each plays it.
var formats = map[string]func(w io.Writer, s *scenario, how choice, verbose, full bool) error{
	"text": func(w io.Writer, s *scenario, how choice, verbose, full bool) error {
		var facts *report.Facts
		var watch []watcher
		if verbose {
			watch = append(watch, func(w *sim.World, _ scenarios.Kafka) sim.Observer {
				facts = report.NewFacts(w)
				return facts
			})
		}
		p, err := play(s, how, watch...)
		if err != nil {
			return err
		}
		p.run.Full = full
		if err := tellRun(w, p.run, facts, verbose); err != nil {
			return err
		}
		return p.verdict()
	},
	"jsonl": func(w io.Writer, s *scenario, how choice, _, _ bool) error {
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
	"mermaid": func(w io.Writer, s *scenario, how choice, _, _ bool) error {
		p, err := play(s, how)
		if err != nil {
			return err
		}
		if err := report.Mermaid(w, p.run); err != nil {
			return err
		}
		return p.verdict()
	},
	"hash": func(w io.Writer, s *scenario, how choice, _, _ bool) error {
		p, err := play(s, how)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, p.run.Hash)
		return p.verdict()
	},
}
