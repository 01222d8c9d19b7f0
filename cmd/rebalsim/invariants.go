package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/report"
)

func newInvariantsCmd() *cobra.Command {
	var format string
	var flaws bool
	cmd := &cobra.Command{
		Use:        "invariants [NAME]",
		SuggestFor: []string{"rules", "promises"},
		Short:      "List what must hold of every run",
		Long: `List what must hold of every run, whatever its seed, and why Kafka promises it. Every
run is held to it: see docs/invariants.md. With a name, it is that one alone, with the known
flaws that break it.`,
		Example:           "  rebalsim invariants\n  rebalsim invariants phase-ends\n  rebalsim invariants --flaws",
		ValidArgsFunction: cobra.FixedCompletions(invariantNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, broken := invariants.Invariants(), invariants.Exemptions()
			if len(args) > 0 {
				name, _, _ := strings.Cut(args[0], ":") // the place of a finding may follow
				if !slices.Contains(invariantNames(), name) {
					return fmt.Errorf("there is no invariant %q%s: rebalsim invariants lists them", clipped(name, 60), didYouMean(name, invariantNames()))
				}
				list = slices.DeleteFunc(list, func(i invariants.Invariant) bool { return i.Name != name })
				broken = slices.DeleteFunc(broken, func(e invariants.Exemption) bool { return e.Invariant != name })
			}
			out := cmd.OutOrStdout()
			switch {
			case format == "json" && flaws:
				return plainJSON(out, broken)
			case format == "json":
				return plainJSON(out, list)
			case flaws:
				listFlaws(out, broken)
				return nil
			}
			listInvariants(out, list)
			if len(args) > 0 && len(broken) > 0 {
				fmt.Fprintln(out, "\nKnown flaws that break it:")
				listFlaws(out, broken)
			}
			return nil
		},
	}
	formatFlag(cmd, &format, "text or json", "text", "json")
	cmd.Flags().BoolVar(&flaws, "flaws", false, "list the known flaws that break them instead")
	return cmd
}

func invariantNames() (names []string) {
	for _, i := range invariants.Invariants() {
		names = append(names, i.Name)
	}
	return names
}

func plainJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func listInvariants(w io.Writer, list []invariants.Invariant) {
	for _, i := range list {
		fmt.Fprintf(w, "%s  (since %s)\n", i.Name, i.Since)
		for _, text := range []string{i.Statement, i.Why} {
			for _, line := range report.Wrap(text, report.Columns, "  ") {
				fmt.Fprintln(w, line)
			}
		}
	}
}

func listFlaws(w io.Writer, list []invariants.Exemption) {
	for _, e := range list {
		at := e.Invariant
		if e.Place != "" {
			at += ": " + e.Place
		}
		for _, part := range []struct{ lead, text string }{
			{e.Issue + "  ", at}, {"  ", e.Text}, {"  from: ", e.From}, {"  with: ", e.Behaviour},
		} {
			if part.text == "" {
				continue
			}
			for _, line := range report.Wrap(part.text, report.Columns, part.lead) {
				fmt.Fprintln(w, line)
			}
		}
	}
}
