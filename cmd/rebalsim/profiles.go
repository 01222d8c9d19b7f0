package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report"
)

func newProfilesCmd() *cobra.Command {
	var release string
	var bugs bool
	cmd := &cobra.Command{
		Use:        "profiles",
		SuggestFor: []string{"releases", "bugs", "versions"},
		Short:      "Show which Kafka release behaves how",
		Long: `Show at which release of Kafka which behaviour changed: the broker's (B), the Java
client's (C) and the assignors' (A), each with the KIP or issue that brought it. A fix
that went into several lines of releases stands in each. Where recorded runs of Kafka's
real code judge a release, it says of which side; the rest was derived from reading.`,
		Example: "  rebalsim profiles\n  rebalsim profiles --release 2.4.1\n  rebalsim profiles --bugs",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if bugs {
				return writeBugs(cmd.OutOrStdout())
			}
			rows := protocol.Rows()
			if release != "" {
				r, err := protocol.ParseRelease(release)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "Kafka %s is all of this.\n\n", r)
				rows = included(rows, r)
			}
			return writeRows(cmd.OutOrStdout(), rows)
		},
	}
	cmd.Flags().StringVar(&release, "release", "", "only what is part of this release")
	cmd.Flags().BoolVar(&bugs, "bugs", false, "the known bugs that a run can be given, by --bug or in its file")
	cmd.MarkFlagsMutuallyExclusive("release", "bugs")
	return cmd
}

// writeBugs writes the bugs that can be switched on, each with the last release that has
// it by itself.
func writeBugs(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, side := range []string{"broker", "client", "assignor"} {
		fmt.Fprintf(out, "%s, and the last release that has it\n", side)
		for _, b := range protocol.Bugs() {
			if b.Side() != side {
				continue
			}
			lead := fmt.Sprintf("  %-19s %-9s ", b.ID, b.In)
			for _, line := range report.Wrap(b.What, report.Columns, lead) {
				fmt.Fprintln(out, line)
			}
		}
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
// left out, unless it was recorded.
func writeRows(w io.Writer, rows []protocol.Row) error {
	out := bufio.NewWriter(w)
	for _, r := range protocol.Releases() {
		n := 0
		for n < len(rows) && protocol.MustRelease(rows[n].Release) == r {
			n++
		}
		if n > 0 || recorded(r) != "" {
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
