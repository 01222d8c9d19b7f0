package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/scenarios"
)

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

// noScript is why a text is no script of a bench, or that it is a scenario.
func noScript(name string, text []byte, err error) error {
	if _, no := scenarios.Load(name, text); no == nil {
		return fmt.Errorf("%s is a scenario, and no script for one part alone: rebalsim run %s plays it", name, shellWord(name))
	}
	return err
}
