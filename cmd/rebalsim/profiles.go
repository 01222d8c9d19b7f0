package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report"
)

func newProfilesCmd() *cobra.Command {
	var release string
	cmd := &cobra.Command{
		Use:   "profiles",
		Short: "Show which Kafka release behaves how",
		Long: `Show at which release of Kafka which behaviour changed: the broker's (B), the Java
client's (C) and the assignors' (A), each with the KIP or issue that brought it.`,
		Example: "  rebalsim profiles\n  rebalsim profiles --release 2.4.1",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows := protocol.Rows()
			if release != "" {
				r, err := protocol.ParseRelease(release)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "Kafka %s is all of these:\n", r)
				rows = included(rows, r)
			}
			table := make([][]string, len(rows))
			for i, row := range rows {
				table[i] = []string{row.Release, side(&row), row.ID, row.What}
			}
			return report.Table(cmd.OutOrStdout(), []string{"release", "side", "by", "change"}, table)
		},
	}
	cmd.Flags().StringVar(&release, "release", "", "only what is part of this release")
	return cmd
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
