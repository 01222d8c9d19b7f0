package main

import (
	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/explore"
)

func newMergeCmd() *cobra.Command {
	var f fuzzing
	cmd := &cobra.Command{
		Use:   "merge FILE…",
		Short: "Add up the results of shards, as if one machine had played all",
		Long: `Add up what several "rebalsim fuzz --shard i/n --json FILE" have found, and report it as
if one machine had played all: the same failures in the same order, one coverage. What
--require asks for need not be reached by each part, only by all of them together.

Each shard must be there, once, and have played what was planned: otherwise it is said what
is lacking, and the exit code is 1. Shards that --for ended may have come to different seeds.`,
		Example: `  rebalsim fuzz merge shard-*.json --junit fuzz.xml \
      --require 'failover in Stable'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.require(); err != nil {
				return err
			}
			if err := f.writable(args); err != nil {
				return err
			}
			parts, err := readParts(args)
			if err != nil {
				return err
			}
			r, lacking, err := explore.Merge(parts)
			if err != nil {
				return err
			}
			f.lacking = lacking
			return f.finish(r, nil, nil, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().BoolVar(&f.partial, "partial", false, "judge what there is alone, if something is lacking")
	f.reportFlags(cmd)
	return cmd
}

func readParts(files []string) (parts []explore.Part, err error) {
	for _, file := range files {
		r, err := readResult(file)
		if err != nil {
			return nil, err
		}
		parts = append(parts, explore.Part{File: file, Result: r})
	}
	return parts, nil
}
