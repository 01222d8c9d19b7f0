package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/consumer/drive"
)

func newDriveClientCmd() *cobra.Command {
	var batch bool
	var release string
	cmd := &cobra.Command{
		Use:   "client FILE",
		Short: "Send scripted answers to one Java client: what would it send now?",
		Long: `Put one Java client on a bench, in virtual time: what would it send now? FILE is YAML:

  kafka: 3.9
  config: {session.timeout.ms: 10s, partition.assignment.strategy: [range]}
  topics: {orders: 2}
  steps:
  - subscribe orders
  - poll 5s
  - +1ms answer FindCoordinator node=0
  - +1ms answer JoinGroup error=MEMBER_ID_REQUIRED member=m-1
  - +1ms answer JoinGroup generation=1 leads=true
  - +1ms answer SyncGroup
  - +1ms answer OffsetFetch offset=0
  - wait 5s
  - answer Heartbeat error=REBALANCE_IN_PROGRESS

A step happens when the one before did, or so much later as it says. Calls of the program
are made one after the other: subscribe, subscribe-pattern, assign, unsubscribe, poll,
poll-long, commit-sync, commit-async, committed, advance, pause, resume, position,
enforce-rebalance, close. The other steps are answer, disconnect coord:0, down 0, up 0,
topics orders=4, racks orders=a,b/c (of its partitions), wakeup, intrude (a call from a
second thread), refresh-metadata, clock 1h or clock -1h, wait, and join, which answers
whatever a member asks until it has its partitions.

Other keys are brokers (a number), fetch: true (without it nothing is fetched), listener
({revoked: [{commit-sync: 1s, seek: 0, sleep: 5s, throw: state}]}, time by time, and the
same of assigned and lost) and assignor ({name: mine, cooperative: true, takes: 1s, throws:
true, gives: {m-1: [orders-0]}}, which partition.assignment.strategy then names).

Each line is something that the client does; in brackets stands how it sees itself then.

--batch reads recorded vectors as JSON lines from standard input and writes each with
what the simulated client does; of their events only those with "in" are read.`,
		Example: `  rebalsim drive client join.yaml
  rebalsim drive client join.yaml --kafka 2.8.0
  rebalsim drive client --batch < vectors.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case batch && len(args) > 0:
				return errors.New("--batch reads standard input and takes no file")
			case !batch && len(args) != 1:
				return errors.New("drive client wants one file, or --batch")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if batch {
				return drive.Batch(cmd.InOrStdin(), cmd.OutOrStdout())
			}
			name, text, err := readInput(args[0])
			if err != nil {
				return err
			}
			s, err := drive.Parse(name, text, release)
			if err != nil {
				return noScript(name, text, err)
			}
			return s.Play(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&batch, "batch", false, "play JSON lines from standard input")
	oneReleaseFlag(cmd, &release, "kafka", "play on this release instead of the script's")
	return cmd
}
