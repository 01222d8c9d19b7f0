package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/report"
)

func newInvariantsCmd() *cobra.Command {
	var format string
	var flaws bool
	cmd := &cobra.Command{
		Use:        "invariants",
		SuggestFor: []string{"rules", "promises"},
		Short:      "List what must hold of every run",
		Long: `List what must hold of every run, whatever its seed, and why Kafka promises it. Every
run is held to it: see docs/invariants.md.`,
		Example: "  rebalsim invariants\n  rebalsim invariants --flaws",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format == "json" {
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetEscapeHTML(false)
				if flaws {
					return e.Encode(invariants.Exemptions())
				}
				return e.Encode(invariants.Invariants())
			}
			if flaws {
				listFlaws(cmd.OutOrStdout())
			} else {
				listInvariants(cmd.OutOrStdout())
			}
			return nil
		},
	}
	formatFlag(cmd, &format, "text or json", "text", "json")
	cmd.Flags().BoolVar(&flaws, "flaws", false, "list the known flaws that break them instead")
	return cmd
}

func listInvariants(w io.Writer) {
	for _, i := range invariants.Invariants() {
		fmt.Fprintf(w, "%s  (since %s)\n", i.Name, i.Since)
		for _, text := range []string{i.Statement, i.Why} {
			for _, line := range report.Wrap(text, report.Columns, "  ") {
				fmt.Fprintln(w, line)
			}
		}
	}
}

func listFlaws(w io.Writer) {
	for _, e := range invariants.Exemptions() {
		at := e.Invariant
		if e.Place != "" {
			at += ": " + e.Place
		}
		fmt.Fprintf(w, "%s  %s\n", e.Issue, at)
		for _, line := range report.Wrap(e.Text, report.Columns, "  ") {
			fmt.Fprintln(w, line)
		}
		if e.From != "" {
			fmt.Fprintf(w, "  from: %s\n", e.From)
		}
		if e.Behaviour != "" {
			fmt.Fprintf(w, "  with: %s\n", e.Behaviour)
		}
	}
}
