package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
)

func newListCmd() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the built-in scenarios",
		Example: "  rebalsim list\n  rebalsim list --format json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			type entry struct {
				Name  string `json:"name"`
				About string `json:"about"`
			}
			var all []entry
			for _, b := range scenarios.List() {
				all = append(all, entry{b.Name, b.About()})
			}
			switch format {
			case "json":
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetEscapeHTML(false)
				return e.Encode(all)
			case "text":
				rows := make([][]string, len(all))
				for i, e := range all {
					rows[i] = []string{e.Name, e.About}
				}
				return report.Table(cmd.OutOrStdout(), []string{"scenario", "about"}, rows)
			}
			return fmt.Errorf("no format %q: it is text or json", format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func newShowCmd() *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Print the text of a built-in scenario",
		Example:           "  rebalsim show leader-not-first > mine.yaml",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := scenarios.Find(args[0])
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(b.Text)
			return err
		},
	}
}

func completeScenarios(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, b := range scenarios.List() {
		names = append(names, b.Name)
	}
	return names, cobra.ShellCompDirectiveDefault
}
