package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/protocol/script"
	"github.com/rebalsim/rebalsim/scenarios"
)

// Force puts the bugs and behaviours of the case into its scenario.
func (c *Case) Force(s *scenarios.Scenario) (*scenarios.Scenario, error) {
	var bugs []*protocol.Bug
	for _, id := range c.Bugs {
		b, err := protocol.FindBug(id)
		if err != nil {
			return nil, err
		}
		bugs = append(bugs, b)
	}
	s = s.With(bugs...)
	if len(c.Behaviours) == 0 {
		return s, nil
	}
	forced := *s
	for i, text := range c.Behaviours {
		side, rest, _ := strings.Cut(text, ".")
		name, value, ok := strings.Cut(rest, "=")
		if !ok {
			return nil, fmt.Errorf("behaviour %q: write side.Name=value, as in broker.StaticStored=false: rebalsim profiles --behaviours lists them", text)
		}
		f := protocol.Forced{Name: name, Value: value}
		var list *[]protocol.Forced
		var known []string
		var err error
		switch side {
		case "broker":
			list, known, err = &forced.Force.Broker, protocol.BrokerBehaviours(), new(protocol.BrokerRules).Force(name, value)
		case "client":
			list, known, err = &forced.Force.Client, protocol.ClientBehaviours(), new(protocol.ClientRules).Force(name, value)
		case "assignor":
			list, known, err = &forced.Force.Assignor, protocol.AssignorBehaviours(), new(protocol.AssignorRules).Force(name, value)
		default:
			err = fmt.Errorf("there are behaviours of broker, client and assignor")
		}
		if near := script.Nearest(name, known); err != nil && near != "" && near != name {
			err = fmt.Errorf("%w (did you mean %q?)", err, near)
		}
		if err != nil {
			return nil, fmt.Errorf("behaviour %q: %w: rebalsim profiles --behaviours lists them", text, err)
		}
		if slices.ContainsFunc(c.Behaviours[:i], func(s string) bool { return strings.HasPrefix(s, side+"."+name+"=") }) {
			return nil, fmt.Errorf("behaviour %q: %s.%s is given twice", text, side, name)
		}
		*list = append(slices.Clip(*list), f)
	}
	return &forced, nil
}

// sameScenario reports whether both cases play the same scenario with the same releases.
func (c *Case) sameScenario(d *Case) bool {
	return c.Name == d.Name && c.Kafka == d.Kafka && c.Scenario == d.Scenario && slices.Equal(c.Bugs, d.Bugs) && slices.Equal(c.Behaviours, d.Behaviours)
}
