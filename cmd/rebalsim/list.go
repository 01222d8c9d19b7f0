package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
)

func newListCmd() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:        "list [PATTERN…]",
		SuggestFor: []string{"scenarios"},
		Short:      "List the built-in scenarios",
		Long: `List the names of the built-in scenarios. With a pattern, list what each is about that it
fits: a part of the library (documented, questions, recorded or reports), or a word that
is in the name or in what it is about. With several patterns all must fit.`,
		Example: `  rebalsim list
  rebalsim list questions
  rebalsim list cooperative
  rebalsim list reports static --format json`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return shelfNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			list := scenarios.List()
			for _, pattern := range args {
				var fit []scenarios.Builtin
				for _, b := range list {
					if fits(b, pattern) {
						fit = append(fit, b)
					}
				}
				if list = fit; len(list) == 0 {
					return noneFits(args, pattern)
				}
			}
			switch {
			case format == "json":
				return listJSON(cmd.OutOrStdout(), list)
			case len(args) == 0:
				listNames(cmd.OutOrStdout(), list)
			default:
				listAbout(cmd.OutOrStdout(), list)
			}
			return nil
		},
	}
	formatFlag(cmd, &format, "text or json", "text", "json")
	return cmd
}

// shelfNames are those of the parts of the library.
func shelfNames() (names []string) {
	for i := range scenarios.Shelves {
		names = append(names, scenarios.Shelves[i].Name)
	}
	return names
}

// fits reports whether a pattern is the name of a scenario's part, or in what is said of it.
func fits(b scenarios.Builtin, pattern string) bool {
	if slices.Contains(shelfNames(), pattern) {
		return b.Shelf.String() == pattern
	}
	return contains(b.Name, pattern) || contains(b.About(), pattern)
}

// contains reports whether a word is in a text, in whatever case.
func contains(text, word string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(word))
}

func noneFits(patterns []string, last string) error {
	names := shelfNames()
	for _, b := range scenarios.List() {
		names = append(names, b.Name)
	}
	return fmt.Errorf("no scenario fits %q%s: it is a word, or one of the parts %s",
		strings.Join(patterns, " "), didYouMean(last, names), listed(shelfNames(), " and "))
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

// listNames writes the names of each part, side by side.
func listNames(w io.Writer, list []scenarios.Builtin) {
	for len(list) > 0 {
		shelf, line, n := list[0].Shelf, "", 0
		for n < len(list) && list[n].Shelf == shelf {
			n++
		}
		fmt.Fprintf(w, "%s (%d)\n\n", scenarios.Shelves[shelf].Title, n)
		for _, b := range list[:n] {
			if line != "" && len(line)+2+len(b.Name) > report.Columns {
				fmt.Fprintln(w, line)
				line = ""
			}
			line += "  " + b.Name
		}
		fmt.Fprintf(w, "%s\n\n", line)
		list = list[n:]
	}
	fmt.Fprintf(w, "rebalsim list %s tells what each is about,\n"+
		"and rebalsim list WORD of those that have the word in their name or text.\n", strings.Join(shelfNames(), "|"))
}

// listAbout writes what each scenario is about beside its name, and below a name that is
// too long for that.
func listAbout(w io.Writer, list []scenarios.Builtin) {
	const column = 33
	for i, b := range list {
		if i == 0 || b.Shelf != list[i-1].Shelf {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "%s\n\n", scenarios.Shelves[b.Shelf].Title)
		}
		lead := fmt.Sprintf(" %-*s", column-1, b.Name)
		if len(lead) > column || lead[column-1] != ' ' {
			fmt.Fprintln(w, lead)
			lead = strings.Repeat(" ", column)
		}
		for _, line := range report.Wrap(b.About(), report.Columns, lead) {
			fmt.Fprintln(w, line)
		}
	}
}

// own is a built-in scenario as somebody's own file: where the schema is from here says nothing there.
func own(text []byte) []byte {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	if bytes.HasPrefix(line, []byte("# yaml-language-server:")) {
		return rest
	}
	return text
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
			if _, file := os.Stat(args[0]); err != nil && file == nil {
				return fmt.Errorf("%s is no built-in scenario, which are all that show prints", args[0])
			}
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(own(b.Text))
			return err
		},
	}
}
