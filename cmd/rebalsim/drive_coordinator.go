package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/coordinator/drive"
)

func newDriveCoordinatorCmd() *cobra.Command {
	var batch bool
	cmd := &cobra.Command{
		Use:   "coordinator FILE",
		Short: "Send raw requests to one coordinator, without clients",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case batch && len(args) > 0:
				return errors.New("--batch reads standard input and takes no file")
			case !batch && len(args) != 1:
				return errors.New("drive coordinator wants one file, or --batch")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return drive.Batch(cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&batch, "batch", false, "answer JSON lines from standard input")
	return cmd
}
