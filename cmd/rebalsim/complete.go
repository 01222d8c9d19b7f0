package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// completeScenarios completes names of built-in scenarios, and leaves files to the shell: as
// many as the command's Use line takes.
func completeScenarios(cmd *cobra.Command, args []string, begun string) (names []string, _ cobra.ShellCompDirective) {
	if words := strings.Fields(cmd.Use)[1:]; len(args) > 0 && !strings.Contains(words[0], "…") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, b := range scenarios.List() {
		if strings.HasPrefix(b.Name, begun) {
			names = append(names, b.Name+"\t"+b.About())
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeEvents completes a scenario, and then the names of the events of its plain run.
func completeEvents(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return completeScenarios(cmd, args, begun)
	}
	s, err := loadScenario(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var causes *report.Causes
	_, err = play(s, choice{}, func(w *sim.World, _ scenarios.Kafka) sim.Observer {
		causes = report.NewCauses(w, "")
		return causes
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, name := range causes.Names() {
		if strings.HasPrefix(name, begun) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeVariants completes the names of the variants of the scenario that is named.
func completeVariants(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		if s, err := loadScenario(args[0]); err == nil {
			names = s.VariantNames()
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeVaried completes the key of something that can be set: session.timeout.ms=
func completeVaried(*cobra.Command, []string, string) (list []string, _ cobra.ShellCompDirective) {
	for _, key := range scenarios.Varied() {
		list = append(list, key+"=")
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeReleases completes a release.
func completeReleases(*cobra.Command, []string, string) (list []string, _ cobra.ShellCompDirective) {
	for _, r := range protocol.Releases() {
		list = append(list, r.String())
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// completeSides completes a release, or two by side: broker=3.9,client=2.8.1.
func completeSides(_ *cobra.Command, _ []string, begun string) (list []string, _ cobra.ShellCompDirective) {
	lead := begun[:strings.LastIndexAny(begun, ",=")+1]
	if !strings.HasSuffix(lead, "=") {
		for _, side := range []string{"broker=", "client="} {
			if !strings.Contains(lead, side) {
				list = append(list, lead+side)
			}
		}
	}
	if !strings.HasSuffix(lead, ",") {
		for _, r := range protocol.Releases() {
			list = append(list, lead+r.String())
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeBehaviours completes what can be forced: broker.PendingSync=
func completeBehaviours(*cobra.Command, []string, string) (list []string, _ cobra.ShellCompDirective) {
	for _, x := range []struct {
		side  string
		names []string
	}{{"broker", protocol.BrokerBehaviours()}, {"client", protocol.ClientBehaviours()}, {"assignor", protocol.AssignorBehaviours()}} {
		for _, name := range x.names {
			list = append(list, fmt.Sprintf("%s.%s=", x.side, name))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
