package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/explore/compare"
	"github.com/rebalsim/rebalsim/scenarios"
)

// defaultSeeds is with how many seeds variants are compared. Each figure hangs on the
// phase of heartbeats and restarts: one run is an anecdote.
const defaultSeeds = 50

func newCompareCmd() *cobra.Command {
	var vary []string
	var seeds, first uint64
	var kafka, format string
	var ledger bool
	cmd := &cobra.Command{
		Use:        "compare SCENARIO",
		SuggestFor: []string{"diff", "vary", "ledger"},
		Short:      "What would these settings change? A table over variants and seeds",
		Long: `Play a scenario's variants, each over many seeds, and show what each costs: median, worst,
and the seed of the worst. Variants are those of the file, and with --vary each combination
of the values given.

A key is a setting of the consumers or of the brokers by Kafka's name, for all of them;
what the members' programs do (poll, batch, per-batch, commit, on-stop, …) or what their
clients do otherwise than Java's; latency, rate, partitions; what the timeline says (down,
for, to, …); or kafka, the release. Values are separated by commas, a list as a value is in
brackets, "unset" takes a setting away, and {name} is the member's name.

docs/metrics.md says what the columns mean. The first variant is what the others are
compared with. Fails with exit code 1 if a figure of the file's variants is not as the file
expects.`,
		Example: `  rebalsim compare deploy-40
  rebalsim compare deploy-40 --vary session.timeout.ms=10s,45s --seeds 10
  rebalsim compare mine.yaml \
      --vary partition.assignment.strategy=range,cooperative-sticky
  rebalsim compare mine.yaml --vary on-stop=close,kill --vary kafka=2.8,3.9`,
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			show := comparisonFormats[format]
			if ledger && format != "text" {
				return fmt.Errorf("--ledger is part of the format text only")
			}
			s, err := loadScenario(args[0])
			if err != nil {
				return err
			}
			note, err := onlyScenario(s)
			if err != nil {
				return err
			}
			if note != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "rebalsim: %s\n", note)
			}
			if !cmd.Flags().Changed("seeds") && s.Measure.Seeds > 0 {
				seeds = uint64(s.Measure.Seeds)
			}
			c, err := comparisonOf(s, vary, kafka, first, seeds)
			if err != nil {
				return err
			}
			c.ledger = ledger
			if err := withProgress(cmd.ErrOrStderr(), "runs", c.Play); err != nil {
				return err
			}
			if err := show(c, cmd.OutOrStdout()); err != nil {
				return err
			}
			if ledger {
				if err := c.writeLedger(cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
					return err
				}
			}
			if slices.ContainsFunc(c.Judge(), func(v compare.Verdict) bool { return v.Instead != "" }) {
				return failed{exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&vary, "vary", nil, "a setting and its values, `KEY=A,B,…`; may be given again")
	cmd.RegisterFlagCompletionFunc("vary", completeVaried)
	cmd.Flags().Uint64Var(&seeds, "seeds", defaultSeeds, "how many seeds each variant is played with; the file may say otherwise")
	cmd.Flags().Uint64Var(&first, "seed", 1, "the first of them; 0 is the plain run, in which chance has no part")
	kafkaFlag(cmd, &kafka)
	formatFlag(cmd, &format, "text, markdown, csv or json", "text", "markdown", "csv", "json")
	cmd.Flags().BoolVar(&ledger, "ledger", false, "halve and double what the scenario assumes, and tell what the result turns on")
	return cmd
}

// comparison is one with what the command line calls it.
type comparison struct {
	*compare.Comparison
	scenario *scenario
	ledger   bool // it follows the table
}

// comparisonOf makes the variants that the file and the command line ask for.
func comparisonOf(s *scenario, vary []string, kafka string, first, seeds uint64) (*comparison, error) {
	if len(vary) == 0 && len(s.Variants) == 0 {
		return nil, fmt.Errorf("%s has no variants: say what to compare, as in --vary session.timeout.ms=10s,45s", s.Name)
	}
	if kafka != "" {
		with, err := s.Vary("kafka", kafka)
		if err != nil {
			return nil, err
		}
		s = &scenario{with, s.Arg, s.BuiltIn, s.Written}
	}
	if seeds < 1 || seeds > scenarios.MaxSeeds {
		return nil, fmt.Errorf("--seeds %d: write a number from 1 to %d", seeds, scenarios.MaxSeeds)
	}
	c := &comparison{Comparison: compare.New(s.Scenario, first, int(seeds)), scenario: s}
	if err := c.AddVariants(kafka); err != nil {
		return nil, err
	}
	for _, text := range vary {
		key, list, ok := strings.Cut(text, "=")
		key = strings.TrimSpace(key)
		values, err := splitValues(list)
		switch {
		case key == "kafka" && kafka != "":
			return nil, fmt.Errorf("--vary %s and --kafka %s both say which releases are played: leave one out", text, kafka)
		case err != nil:
			return nil, fmt.Errorf("--vary %s: %w", text, err)
		case !ok || key == "" || slices.Contains(values, ""):
			return nil, fmt.Errorf("--vary %s: write KEY=A,B with at least one value, none of them empty", text)
		}
		if err := c.AddAxis(key, values); err != nil {
			return nil, fmt.Errorf("--vary %w", err)
		}
	}
	return c, nil
}

// splitValues splits at commas outside of brackets.
func splitValues(list string) (values []string, err error) {
	depth, from := 0, 0
	for i, r := range list {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				values = append(values, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
		if depth < 0 {
			return nil, fmt.Errorf("a bracket is closed that was not opened")
		}
	}
	if depth > 0 {
		return nil, fmt.Errorf("a bracket is not closed")
	}
	values = append(values, strings.TrimSpace(list[from:]))
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return nil, fmt.Errorf("%q is given twice", v)
		}
	}
	return values, nil
}

// verifyVariants plays a scenario's variants with few seeds, for verify: what of their figures is
// not as expected.
func verifyVariants(s *scenario, seeds int) ([]compare.Verdict, error) {
	c := compare.New(s.Scenario, 1, seeds)
	if err := c.AddVariants(""); err != nil {
		return nil, err
	}
	if err := c.Play(nil); err != nil {
		return nil, err
	}
	return c.Judge(), nil
}
