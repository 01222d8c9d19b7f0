package scenarios

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// forcedValue is a behaviour's value: on or off, one of its names, or a number.
var forcedValue = anyOf{boolValue{}, anyTextValue}

func behaviourShape(side string, names []string) *shape {
	s := &shape{name: side + "-behaviours"}
	for _, name := range names {
		s.keys = append(s.keys, key{name, forcedValue, false, ""})
	}
	return s
}

var (
	forcedBroker   = behaviourShape("broker", protocol.BrokerBehaviours())
	forcedClient   = behaviourShape("client", protocol.ClientBehaviours())
	forcedAssignor = behaviourShape("assignor", protocol.AssignorBehaviours())
)

var forceShape = &shape{name: "force", keys: []key{
	{"broker", forcedBroker, false, "Behaviours of brokers, by the names in protocol.BrokerRules."},
	{"client", forcedClient, false, "Behaviours of clients, by the names in protocol.ClientRules."},
	{"assignor", forcedAssignor, false, "Behaviours of assignors, by the names in protocol.AssignorRules."},
}}

// force reads what is forced upon the rules of the releases. That a release cannot have
// it is seen when the cluster is built, for only then is the release known.
func (l *loader) force(bugs, force *Node) {
	to := &l.s.Force
	if bugs.Given() {
		for _, n := range bugs.List() {
			b, err := protocol.FindBug(n.Text())
			if err != nil {
				n.Fail(didYouMean(n.Text(), protocol.BugIDs()), "%s: rebalsim profiles --bugs lists them", err)
				continue
			}
			to.Bugs = append(to.Bugs, b)
		}
	}
	if !force.Given() {
		return
	}
	f := force.fields(forceShape)
	to.Broker = forced(f.Get("broker"), forcedBroker, func(b protocol.Forced) error {
		return new(protocol.BrokerRules).Force(b.Name, b.Value)
	})
	to.Client = forced(f.Get("client"), forcedClient, func(b protocol.Forced) error {
		return new(protocol.ClientRules).Force(b.Name, b.Value)
	})
	to.Assignor = forced(f.Get("assignor"), forcedAssignor, func(b protocol.Forced) error {
		return new(protocol.AssignorRules).Force(b.Name, b.Value)
	})
	f.Done()
}

func forced(n *Node, s *shape, try func(protocol.Forced) error) (list []protocol.Forced) {
	if !n.Given() {
		return nil
	}
	f := n.fields(s)
	for _, k := range s.keys {
		v := f.Get(k.name)
		if !v.Given() {
			continue
		}
		b := protocol.Forced{Name: k.name, Value: v.Text()}
		if err := try(b); err != nil && b.Value != "" {
			v.Fail("", "%s", err)
			continue
		}
		list = append(list, b)
	}
	f.Done()
	return list
}

// rules are a broker's of a release, with what is forced.
func (b *builder) brokerRules(release protocol.Release) protocol.BrokerRules {
	rules, err := b.Force.BrokerRules(release)
	b.refuse(err)
	return rules
}

// clientRules are a client's of a release and those of its assignors, with what is forced.
func (b *builder) clientRules(release protocol.Release) (protocol.ClientRules, protocol.AssignorRules) {
	client, err := b.Force.ClientRules(release)
	b.refuse(err)
	assignor, err := b.Force.AssignorRules(release)
	b.refuse(err)
	return client, assignor
}

// refuse notes the first thing that cannot be had.
func (b *builder) refuse(err error) {
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("%s: %w", b.File, err)
	}
}

// With is the scenario with these bugs in it, besides what it forces itself.
func (s *Scenario) With(bugs ...*protocol.Bug) *Scenario {
	if len(bugs) == 0 {
		return s
	}
	c := *s
	c.Force.Bugs = slices.Clone(s.Force.Bugs)
	for _, b := range bugs {
		if !slices.Contains(c.Force.Bugs, b) {
			c.Force.Bugs = append(c.Force.Bugs, b)
		}
	}
	return &c
}
