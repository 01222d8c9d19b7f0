package main

import "github.com/spf13/cobra"

// newDriveCmd holds the benches: one part of the system alone, with nothing simulated
// around it.
func newDriveCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "drive",
		Short: "Put one part of the system on a bench and send it raw requests",
		Args:  subcommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDriveCoordinatorCmd(), newDriveClientCmd(), newDriveClusterCmd())
	return cmd
}
