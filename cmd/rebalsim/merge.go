package main

import (
	"fmt"
	"slices"

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
--require asks for need not be reached by each part, only by all of them together.`,
		Example: `  rebalsim fuzz merge shard-*.json --junit fuzz.xml \
      --require 'failover in Stable'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, text := range f.required {
				q, err := explore.ParseRequirement(text)
				if err != nil {
					return fmt.Errorf("--require %w", err)
				}
				f.requirements = append(f.requirements, q)
			}
			if err := f.writable(); err != nil {
				return err
			}
			r, err := merge(args)
			if err != nil {
				return err
			}
			return f.finish(r, nil, nil, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.reportFlags(cmd)
	return cmd
}

// merge adds up results that belong together: of one batch, each shard once.
func merge(files []string) (*explore.Result, error) {
	var sum *explore.Result
	var shards []string
	for _, file := range files {
		r, err := readResult(file)
		if err != nil {
			return nil, err
		}
		if slices.Contains(shards, r.Shard) {
			return nil, fmt.Errorf("%s: shard %q is there already", file, r.Shard)
		}
		shards = append(shards, r.Shard)
		switch {
		case sum == nil:
			sum = &explore.Result{What: r.What, Flags: r.Flags, Version: r.Version, Texts: r.Texts, From: r.From, Next: r.Next}
		case r.Unlike(sum) != "":
			return nil, fmt.Errorf("%s: beside %s %s", file, files[0], r.Unlike(sum))
		}
		sum.Next = min(sum.Next, r.Next)
		sum.Add(r)
	}
	return sum, nil
}
