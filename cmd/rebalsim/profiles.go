package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report"
)

func newProfilesCmd() *cobra.Command {
	var release string
	var bugs, behaviours bool
	cmd := &cobra.Command{
		Use:        "profiles [PATTERN…]",
		SuggestFor: []string{"releases", "bugs", "versions"},
		Short:      "Show which Kafka release behaves how",
		Long: `Show at which release of Kafka which behaviour changed: the broker's (B), the Java
client's (C) and the assignors' (A), each with the KIP or issue that brought it. A fix
that went into several lines of releases stands in each. Where recorded runs of Kafka's
real code judge a release, it says of which side; the rest was derived from reading.

With a pattern, show only the rows that it fits: a release, an issue, broker, client or
assignor, or a word of what has changed. With several patterns all must fit.`,
		Example: `  rebalsim profiles
  rebalsim profiles static broker
  rebalsim profiles KIP-62
  rebalsim profiles --release 2.4.1 client
  rebalsim profiles --bugs commit
  rebalsim profiles --behaviours KAFKA-12890`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case bugs:
				return writeBugs(cmd.OutOrStdout(), args)
			case behaviours:
				return writeBehaviours(cmd.OutOrStdout(), args)
			}
			rows := fitting(protocol.Rows(), args)
			if len(rows) == 0 {
				return fmt.Errorf("nothing that has changed fits %q", strings.Join(args, " "))
			}
			if release != "" {
				r, err := protocol.ParseRelease(release)
				if err != nil {
					return err
				}
				head := "Kafka %s is all of this.\n\n"
				if len(args) > 0 {
					head = "Of what was asked for, Kafka %s has this.\n\n"
				}
				fmt.Fprintf(cmd.OutOrStdout(), head, r)
				rows = included(rows, r)
			}
			fmt.Fprint(cmd.OutOrStdout(), "B: of the broker, C: of the Java client, A: of the assignors\n\n")
			return writeRows(cmd.OutOrStdout(), rows, len(args) > 0)
		},
	}
	oneReleaseFlag(cmd, &release, "release", "only what is part of this release")
	cmd.Flags().BoolVar(&bugs, "bugs", false, "the known bugs that a run can be given, by --bug or in its file")
	cmd.Flags().BoolVar(&behaviours, "behaviours", false, "the single behaviours that can be forced, by fuzz --behaviour or in a file")
	cmd.MarkFlagsMutuallyExclusive("release", "bugs", "behaviours")
	return cmd
}

// sides are who behaves.
var sides = []string{"broker", "client", "assignor"}

// fitsAll reports whether all patterns fit something that is of a side and has these names
// and words.
func fitsAll(patterns []string, of func(side string) bool, names ...string) bool {
	return !slices.ContainsFunc(patterns, func(p string) bool {
		if slices.Contains(sides, p) {
			return !of(p)
		}
		return !slices.ContainsFunc(names, func(n string) bool { return contains(n, p) })
	})
}

// fitting are the rows that all patterns fit.
func fitting(all []protocol.Row, patterns []string) (rows []protocol.Row) {
	for _, r := range all {
		of := func(s string) bool { return strings.Contains(side(&r), strings.ToUpper(s[:1])) }
		if fitsAll(patterns, of, r.Release, r.ID, r.What) {
			rows = append(rows, r)
		}
	}
	return rows
}

// writeBugs writes the bugs that can be switched on, each with the last release that has
// it by itself.
func writeBugs(w io.Writer, patterns []string) error {
	out := bufio.NewWriter(w)
	written := 0
	for _, side := range sides {
		head := fmt.Sprintf("%s, and the last release that has it\n", side)
		for _, b := range protocol.Bugs() {
			if b.Side() != side || !fitsAll(patterns, func(s string) bool { return s == side }, b.ID, b.In, b.What) {
				continue
			}
			out.WriteString(head)
			head = ""
			written++
			lead := fmt.Sprintf("  %-19s %-9s ", b.ID, b.In)
			for _, line := range report.Wrap(b.What, report.Columns, lead) {
				fmt.Fprintln(out, line)
			}
		}
	}
	if written == 0 {
		return fmt.Errorf("no known bug fits %q", strings.Join(patterns, " "))
	}
	return out.Flush()
}

func included(rows []protocol.Row, r protocol.Release) []protocol.Row {
	var in []protocol.Row
	for _, row := range rows {
		if r.Includes(protocol.MustRelease(row.Release)) {
			in = append(in, row)
		}
	}
	return in
}

// writeRows writes the rows of each release below its number. A release without any is
// left out, unless it was recorded and nothing else was asked for.
func writeRows(w io.Writer, rows []protocol.Row, some bool) error {
	out := bufio.NewWriter(w)
	for _, r := range protocol.Releases() {
		n := 0
		for n < len(rows) && protocol.MustRelease(rows[n].Release) == r {
			n++
		}
		if n > 0 || recorded(r) != "" && !some {
			fmt.Fprintf(out, "%s%s\n", r, recorded(r))
		}
		for i := range rows[:n] {
			lead := fmt.Sprintf("  %-2s %-12s ", side(&rows[i]), rows[i].ID)
			for _, line := range report.Wrap(rows[i].What, report.Columns, lead) {
				fmt.Fprintln(out, line)
			}
		}
		rows = rows[n:]
	}
	return out.Flush()
}

// recorded says what of a release was recorded.
func recorded(r protocol.Release) string {
	sides := r.Recorded()
	if len(sides) == 0 {
		return ""
	}
	return "   recorded: " + strings.Join(sides, ", ")
}

func side(row *protocol.Row) string {
	s := ""
	if row.Broker != nil {
		s += "B"
	}
	if row.Client != nil {
		s += "C"
	}
	if row.Assignor != nil {
		s += "A"
	}
	return s
}
