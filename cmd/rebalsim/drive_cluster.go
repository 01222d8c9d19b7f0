package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/scenarios/cluster"
)

func newDriveClusterCmd() *cobra.Command {
	var batch, compare bool
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Play whole runs recorded of Kafka's own clients and coordinator",
		Long: `Play whole runs of clients and coordinator together, in the form in which runs of
Kafka's own 3.9 clients joined to Kafka's own coordinator were recorded.

--batch reads runs as JSON lines from standard input: config, broker, topics, subscribe,
poll, work, latency and script say what is done. Events that a line holds are not read.
Each line is written with the events that come of it. A run ends a minute after the last
that is done, or at "until" milliseconds.

--compare reads recorded runs, plays each up to its last event, and says whether the
events are the same, or where they first differ: all of them, and those of the coordinator
alone. The exit code is 1 if a run differs.`,
		Example: `  rebalsim drive cluster --batch < runs.jsonl
  rebalsim drive cluster --compare < recorded.jsonl`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case batch == compare:
				return errors.New("drive cluster wants either --batch or --compare")
			case batch:
				return cluster.Batch(cmd.InOrStdin(), cmd.OutOrStdout())
			}
			same, err := cluster.Report(cmd.InOrStdin(), cmd.OutOrStdout())
			if err == nil && !same {
				return failed{exitFailed}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&batch, "batch", false, "play JSON lines from standard input")
	cmd.Flags().BoolVar(&compare, "compare", false, "play recorded runs and say where they differ")
	return cmd
}
