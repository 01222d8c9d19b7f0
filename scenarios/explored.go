package scenarios

import (
	"errors"
	"slices"

	"github.com/rebalsim/rebalsim/sim"
)

// Free adds steps to the timeline that happen when the caller says so: see Cluster.Do.
// The scenario itself stays as it is. A step is written as in a file, without a time
// ("crash: b1").
func (s *Scenario) Free(steps ...string) (*Scenario, error) {
	c := *s
	c.Timeline = slices.Clip(s.Timeline)
	for _, text := range steps {
		step, err := c.freeStep(text)
		if err != nil {
			return nil, err
		}
		c.Timeline = append(c.Timeline, step)
	}
	return &c, nil
}

func (s *Scenario) freeStep(text string) (Step, error) {
	root, err := ReadYAML(text, []byte(text))
	if err != nil {
		return Step{}, ofStep(text, err)
	}
	l := &loader{names: names{isNode: make(map[string]bool), lines: make(map[string]int)}, s: &Scenario{End: s.End}}
	l.know(s)
	l.step(root)
	if err := root.Err(); err != nil {
		return Step{}, ofStep(text, err)
	}
	step := l.s.Timeline[0]
	step.Free = true
	return step, nil
}

// ofStep is what is wrong with a step, which stands in no file.
func ofStep(text string, err error) error {
	var list Errors
	if errors.As(err, &list) {
		for _, e := range list {
			e.File, e.Line, e.Column = "'"+text+"'", 0, 0
		}
	}
	return err
}

// know takes over what the scenario has introduced, so that more steps can be read.
func (l *loader) know(s *Scenario) {
	l.s.Brokers, l.s.Topics, l.s.Group, l.s.Members = s.Brokers, s.Topics, s.Group, s.Members
	for i := range s.Brokers {
		l.names.brokers = append(l.names.brokers, s.Brokers[i].Name)
	}
	for i := range s.Members {
		l.names.members = append(l.names.members, s.Members[i].Name)
	}
	for i := range s.Topics {
		l.names.topics = append(l.names.topics, s.Topics[i].Name)
	}
	for _, name := range l.nodes() {
		l.isNode[name] = true
	}
}

// Endless lets nothing end the run: neither that the group has settled nor the time. Call
// it before anything happens.
func (c *Cluster) Endless() { c.director().endless = true }

// Do does a step of the timeline, by its index, in a fork of the cluster's world.
func Do(w *sim.World, step int) {
	d := w.Director().(*director)
	d.do(step, sim.NewControl(w))
}

// Coordinator is the broker that leads the group's partition, or led it last, and the
// partition.
func Coordinator(w *sim.World) (sim.NodeID, int32) {
	d := w.Director().(*director)
	return d.ctl.leader, d.part
}
