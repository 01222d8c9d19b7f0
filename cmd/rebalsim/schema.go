package main

import (
	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/scenarios"
)

func newSchemaCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the scenario language, for editors",
		Long: `Print the JSON Schema of the scenario language. Editors that know YAML complete keys and
show mistakes with it, if a file begins with this line:

  # yaml-language-server: $schema=scenario.schema.json`,
		Example: "  rebalsim schema > scenario.schema.json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(scenarios.Schema())
			return err
		},
	}
}
