package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/coordinator/drive"
)

func newDriveCoordinatorCmd() *cobra.Command {
	var batch, quiet, coverage bool
	var release string
	cmd := &cobra.Command{
		Use:   "coordinator FILE",
		Short: "Send raw requests to one coordinator, without clients",
		Long: `Send raw requests to one group coordinator in virtual time, without clients: a bench
for questions of protocol and for bug reports. FILE is YAML:

  kafka: 2.8.0
  config: {group.initial.rebalance.delay.ms: 0}
  members:
    L: {session: 10s, rebalance: 1m, protocols: [range]}
  steps:
    - form: {members: {L: "t-0", F: "t-1"}}   # Stable, generation 1, L leads
    - join: F                                 # with the id that F has
    - {at: 100ms, join: L}
    - {heartbeat: F, generation: 1}
    - {wait: 5m}

Each line is an answer at once (->), a request that is parked (..), or the answer of a
parked one (=>); below stands the group, if it has changed. A request carries what
its client was told last, or what the step says: member, generation, instance, version.
The steps are join, sync, heartbeat, leave, commit, txn-commit, fetch, delete-offsets,
describe, list, delete, find, wait, form, failover, unload, load, loaded, hold, release,
fail, topics and clock (-1h puts it back). Topics says which ones the broker has, and
with how many partitions; until then it takes commits of any.

--batch reads recorded vectors as JSON lines from standard input and writes each with
what the simulated coordinator answers: out, records, state, timers, fired.
--coverage reads them too, and tells which requests they send in which states, with
which answers, and which that can be they do not reach.`,
		Example: `  rebalsim drive coordinator join.yaml
  rebalsim drive coordinator join.yaml --kafka 3.9
  rebalsim drive coordinator --batch < vectors.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case batch && coverage:
				return errors.New("--batch and --coverage cannot be had together")
			case (batch || coverage) && len(args) > 0:
				return errors.New("--batch and --coverage read standard input and take no file")
			case !batch && !coverage && len(args) != 1:
				return errors.New("drive coordinator wants one file, or --batch, or --coverage")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if batch {
				return drive.Batch(cmd.InOrStdin(), cmd.OutOrStdout())
			}
			if coverage {
				var c drive.Coverage
				if err := c.Vectors(cmd.InOrStdin()); err != nil {
					return err
				}
				return c.Write(cmd.OutOrStdout())
			}
			name, text, err := readInput(args[0])
			if err != nil {
				return err
			}
			script, err := drive.Parse(name, text, release)
			if err != nil {
				return noScript(name, text, err)
			}
			return script.Play(cmd.OutOrStdout(), drive.Show{Rules: !quiet, Owing: true})
		},
	}
	cmd.Flags().BoolVar(&batch, "batch", false, "answer JSON lines from standard input")
	cmd.Flags().BoolVar(&coverage, "coverage", false, "tell what JSON lines from standard input reach")
	oneReleaseFlag(cmd, &release, "kafka", "play on this release instead of the script's")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "leave out the rules behind the answers")
	return cmd
}
