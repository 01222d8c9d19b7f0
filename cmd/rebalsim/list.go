package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
)

func newListCmd() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:        "list [PART]",
		SuggestFor: []string{"scenarios"},
		Short:      "List the built-in scenarios",
		Long:       "List the built-in scenarios, or a part of them: documented, questions, recorded or reports.",
		Example:    "  rebalsim list\n  rebalsim list reports --format json",
		ValidArgs:  []string{"documented", "questions", "recorded", "reports"},
		RunE: func(cmd *cobra.Command, args []string) error {
			list := scenarios.List()
			if len(args) > 0 {
				shelf, err := scenarios.FindShelf(args[0])
				if err != nil {
					return err
				}
				list = slices.DeleteFunc(list, func(b scenarios.Builtin) bool { return b.Shelf != shelf })
			}
			if format == "json" {
				return listJSON(cmd.OutOrStdout(), list)
			}
			listText(cmd.OutOrStdout(), list)
			return nil
		},
	}
	formatFlag(cmd, &format, "text or json", "text", "json")
	return cmd
}

func listJSON(w io.Writer, list []scenarios.Builtin) error {
	type entry struct {
		Name  string `json:"name"`
		About string `json:"about"`
		Part  string `json:"part"`
	}
	all := []entry{}
	for _, b := range list {
		all = append(all, entry{b.Name, b.About(), b.Shelf.String()})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(all)
}

// listText writes what each scenario is about beside its name, and below a name that is
// too long for that.
func listText(w io.Writer, list []scenarios.Builtin) {
	const column = 33
	for i, b := range list {
		if i == 0 || b.Shelf != list[i-1].Shelf {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "%s\n\n", scenarios.Shelves[b.Shelf].Title)
		}
		lead := fmt.Sprintf(" %-*s", column-1, b.Name)
		if len(lead) > column {
			fmt.Fprintln(w, lead)
			lead = strings.Repeat(" ", column)
		}
		for _, line := range report.Wrap(b.About(), report.Columns, lead) {
			fmt.Fprintln(w, line)
		}
	}
}

func newShowCmd() *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		SuggestFor:        []string{"print", "cat"},
		Short:             "Print the text of a built-in scenario",
		Example:           "  rebalsim show leader-not-first > mine.yaml",
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
