package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/protocol/script"
	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

func newWhyCmd() *cobra.Command {
	var how choice
	var all bool
	cmd := &cobra.Command{
		Use:   "why SCENARIO EVENT",
		Short: "Tell how an event of a run came about",
		Long: `Play a scenario and tell how one of its events came about: the event, the rule that made
it so, what that rests on, and so on back to the beginning. Events have the names that
run -v shows: F1.JoinGroup#2, F1.JoinGroup#2.answer, b1.group.PreparingRebalance#1,
F1.revoked#1; F1#2.thrown#1 is the first that F1's second process threw, as the story
calls it. What decides stands first; what repeats is told once, and what a screen has
no room for is left out, unless you say --all. Of a file that fuzz or explore has saved it
is the run that is saved there.`,
		Example: `  rebalsim why leader-not-first F1.JoinGroup#2
  rebalsim why leader-not-first F1.revoked#1 --kafka 3.9`,
		ValidArgsFunction: completeEvents,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadScenario(args[0])
			if err != nil {
				return err
			}
			how.progress = cmd.ErrOrStderr()
			var causes *report.Causes
			watch := func(w *sim.World) sim.Observer {
				causes = report.NewCauses(w, s.Arg)
				return causes
			}
			verbose := "rebalsim run " + s.Arg + " -v"
			switch kind, err := savedAs(cmd, s); {
			case err != nil:
				return err
			case kind == notSaved:
				_, err = play(s, how, func(w *sim.World, _ scenarios.Kafka) sim.Observer { return watch(w) })
				if err != nil {
					return err
				}
			default:
				verbose = "rebalsim replay " + s.Arg + " -v"
				if err := watchSaved(s, kind, watch); err != nil {
					return err
				}
			}
			if causes.Why(cmd.OutOrStdout(), args[1], all) {
				return nil
			}
			hint := ""
			if near := script.Nearest(args[1], causes.Names()); near != "" {
				hint = fmt.Sprintf(" (did you mean %q?)", near)
			}
			return fmt.Errorf("there was no event %q in the run%s; %s shows them all", args[1], hint, verbose)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "tell the whole chain, however long, and fold nothing")
	how.flags(cmd)
	how.variants(cmd)
	return cmd
}
