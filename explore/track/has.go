package main

import (
	"reflect"
	"strings"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
)

// has reports whether the releases of a generated case have the bug all by themselves, or
// cannot have it: then there is nothing to look for.
func has(b *protocol.Bug, c *explore.Case) bool {
	if strings.Count(c.Scenario, "kafka:") != 1 { // some member or step has a release of its own
		return false
	}
	_, rest, _ := strings.Cut(c.Scenario, "\nkafka: ")
	want, _, _ := strings.Cut(rest, "\n")
	k, err := new(scenarios.Scenario).Releases(releases.Replace(want))
	if err != nil {
		return false
	}
	force := protocol.Force{Bugs: []*protocol.Bug{b}}
	switch {
	case b.Broker != nil:
		rules, err := force.BrokerRules(k.Broker)
		return err != nil || reflect.DeepEqual(rules, protocol.BrokerRulesOf(k.Broker))
	case b.Client != nil:
		rules, err := force.ClientRules(k.Client)
		return err != nil || reflect.DeepEqual(rules, protocol.ClientRulesOf(k.Client))
	}
	rules, err := force.AssignorRules(k.Client)
	return err != nil || reflect.DeepEqual(rules, protocol.AssignorRulesOf(k.Client))
}

// releases turns the releases of a scenario into what --kafka takes.
var releases = strings.NewReplacer(`"`, "", "{", "", "}", "", ": ", "=", ", ", ",")
