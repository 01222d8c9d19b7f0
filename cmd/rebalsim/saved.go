package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/explore/search"
	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// saving says what of a run a file holds besides its scenario.
type saving int

const (
	notSaved saving = iota
	savedByFuzz
	savedByExplore
)

// savedAs says whether the scenario's file is to be played as it was saved: it is unless
// the command line says how. What would be lost without a word is refused.
func savedAs(cmd *cobra.Command, s *scenario) (saving, error) {
	kind := notSaved
	switch {
	case s.BuiltIn:
	case explore.HoldsCase(s.Written):
		kind = savedByFuzz
	case search.Saved(s.Written):
		kind = savedByExplore
	}
	if kind == notSaved || cmd.Flags().Changed("seed") || cmd.Flags().Changed("kafka") {
		return notSaved, nil
	}
	for _, flag := range []string{"bug", "variant", "set"} {
		if cmd.Flags().Changed(flag) {
			return notSaved, fmt.Errorf("--%s: %s holds a saved run, which rebalsim replay %s plays; to play its scenario, say also --seed", flag, s.Arg, s.Arg)
		}
	}
	return kind, nil
}

// onlyScenario is what a command says of a file that holds a saved run, when it plays only
// the scenario of it; "" if it holds none.
func onlyScenario(s *scenario) (string, error) {
	had := ""
	switch {
	case s.BuiltIn:
		return "", nil
	case explore.HoldsCase(s.Written):
		f, err := explore.ReadCase(s.Arg, s.Written)
		if err != nil {
			return "", err
		}
		had = caseFlags(&f.Case)
	case search.Saved(s.Written):
		f, err := search.Read(s.Arg, s.Written)
		if err != nil {
			return "", err
		}
		had = caseFlags(&explore.Case{Kafka: f.Kafka, Bugs: f.Bugs})
	default:
		return "", nil
	}
	if had != "" {
		had = " (the run had " + had + ")"
	}
	return fmt.Sprintf("%s holds a saved run%s: what is played here is its scenario. rebalsim replay %s plays the run", s.Arg, had, s.Arg), nil
}

// unasked says what the file has that runs of its scenario are not held to.
func (s *scenario) unasked(k scenarios.Kafka) (list []string) {
	if len(s.Variants) > 0 {
		list = append(list, fmt.Sprintf("%s: its variants are not played, nor is asked what it expects of them. rebalsim compare %s does", s.Arg, s.Arg))
	}
	if len(s.Expect) > 0 && len(s.Expected(k)) == 0 {
		list = append(list, fmt.Sprintf("%s expects nothing of runs of Kafka %s with a seed: only invariants are checked", s.Arg, k.Long()))
	}
	for _, text := range s.TooNew(k) {
		list = append(list, s.Arg+": "+text)
	}
	return list
}

// caseFlags are the flags that say what a case has besides its scenario and its seed.
func caseFlags(c *explore.Case) string {
	var list []string
	if c.Kafka != "" {
		list = append(list, "--kafka "+c.Kafka)
	}
	for _, b := range c.Bugs {
		list = append(list, "--bug "+b)
	}
	for _, b := range c.Behaviours {
		list = append(list, "--behaviour "+b)
	}
	return strings.Join(list, " ")
}

// watchSaved plays what a file holds for one who watches.
func watchSaved(s *scenario, kind saving, watch func(*sim.World) sim.Observer) error {
	if kind == savedByExplore {
		f, err := readPath(s.Arg, s.Written)
		if err != nil {
			return err
		}
		_, err = f.play(func(w *sim.World, _ []sim.NodeID) sim.Observer { return watch(w) })
		return err
	}
	f, err := explore.ReadCase(s.Arg, s.Written)
	if err != nil {
		return err
	}
	_, err = tell(f, s.Arg, true, telling{}, func(c *scenarios.Cluster) sim.Observer { return watch(c.World) })
	return err
}

// runSaved shows a saved run in one of the formats of run.
func runSaved(out io.Writer, s *scenario, format string, how telling) error {
	f, err := explore.ReadCase(s.Arg, s.Written)
	if err != nil {
		return err
	}
	var lines *report.JSONLines
	var watch func(c *scenarios.Cluster) sim.Observer
	if format == "jsonl" {
		loaded, err := f.Force(s.Scenario)
		if err != nil {
			return err
		}
		kafka, err := loaded.Releases(f.Kafka)
		if err != nil {
			return err
		}
		watch = func(c *scenarios.Cluster) sim.Observer {
			lines = report.NewJSONLines(c.World, out, s.Name, kafka.Broker.String(), kafka.Client.String(), f.Seed)
			return lines
		}
	}
	t, err := tell(f, s.Arg, true, how, watch)
	if err != nil {
		return err
	}
	switch format {
	case "text":
		err = t.text(out)
	case "jsonl":
		err = lines.Close(t.outcome.End, t.outcome.Hash)
	case "mermaid":
		err = report.Mermaid(out, t.run)
	case "hash":
		_, err = fmt.Fprintln(out, strings.TrimSpace(t.outcome.Hash))
	}
	if err != nil {
		return err
	}
	return t.verdict()
}
