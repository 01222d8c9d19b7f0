package search

import (
	"bytes"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// Retell tells a path as a scenario: the one that was explored, with the path's faults at
// their moments and as few delays as it takes, so that its plain run breaks the same. Text
// is the scenario's, as it was written. It is nil if no such scenario is found: then only
// the path shows it.
func (u Setup) Retell(b *Broken, text string, bugs []string) *Retold {
	text, _, _ = strings.Cut(text, "\n# rebalsim ") // of a file that was saved
	r := &reteller{Setup: u, broken: b, text: text, bugs: bugs, left: mostPlays}
	if b.Apart {
		return nil
	}
	faults := faultsOf(b.additions)
	end := (b.end/sim.Second + 1) * sim.Second
	for _, try := range []story{{steps: faults}, {steps: faults, still: true, long: true}, {steps: b.additions, still: true, long: true}} {
		if r.shows(try) {
			return r.simplest(try)
		}
		if try.end = end; r.shows(try) { // later on it shows no more
			return r.simplest(try)
		}
	}
	if b.moments != nil {
		if s, ok := r.onTime(story{steps: b.additions, still: true, long: true, end: end}); ok {
			return r.simplest(s)
		}
	}
	if s, ok := r.reorder(story{steps: b.additions, still: true, long: true}); ok {
		return r.simplest(s)
	}
	return nil
}

// Retold is a path as a scenario.
type Retold struct {
	explore.Failure
	// Added is what the scenario has besides what was explored: settings, and steps of
	// the timeline.
	Added []string
}

// mostPlays is how many runs it may take to tell a path as a scenario.
const mostPlays = 2000

// story is a scenario with what a path adds to it.
type story struct {
	steps []addition
	// still is that messages take no time, and long that polls do, as in a search.
	still, long bool
	end         sim.Time // of the run, as of the path; 0: when the group has settled
}

// reteller looks for the scenario.
type reteller struct {
	Setup
	broken *Broken
	text   string
	bugs   []string
	left   int
	came   came   // in the last run
	found  Retold // the last one that shows it
}

// added lists what the story adds.
func (s *story) added() (list []string) {
	if s.still {
		list = append(list, "latency: 0s")
	}
	if s.long {
		list = append(list, "program: {poll: 3s}")
	}
	if s.end > 0 {
		list = append(list, "end: {at: "+length(s.end)+"}")
	}
	for i := range s.steps {
		list = append(list, s.steps[i].step())
	}
	return list
}

func faultsOf(list []addition) []addition {
	return slices.DeleteFunc(slices.Clone(list), func(a addition) bool { return !a.fault })
}

// shows reports whether the plain run breaks what the path breaks. A fact is no invariant:
// whatever breaks with it will do.
func (r *reteller) shows(s story) bool {
	text, err := s.write(r.text)
	if err != nil || r.left == 0 {
		return false
	}
	r.left--
	c := explore.Case{Name: r.Scenario.Name, Scenario: text, Kafka: r.Kafka.String(), Bugs: r.bugs, Recorded: true}
	o := new(explore.Player).Play(c, func(c *scenarios.Cluster) sim.Observer {
		if r.plant != nil {
			r.plant(c.World)
		}
		r.came = came{world: c.World, own: r.own}
		return &r.came
	})
	if r.came.broke {
		r.found = Retold{explore.Failure{Case: c, Hash: o.Hash}, s.added()}
		return true
	}
	for i := range o.Findings {
		f := &o.Findings[i]
		if f.Invariant == r.broken.Invariant || r.broken.Invariant == fact && f.Invariant != explore.InternalError {
			r.found = Retold{explore.Failure{Case: c, Signature: explore.SignatureOf(f), Text: f.Text, Hash: o.Hash}, s.added()}
			return true
		}
	}
	return false
}

// simplest leaves out what the story does not need, many steps at once as long as that
// goes, and makes times round.
func (r *reteller) simplest(s story) *Retold {
	for size := len(s.steps); size > 0; {
		smaller := false
		for i := 0; i < len(s.steps); {
			less := s
			less.steps = slices.Concat(s.steps[:i], s.steps[min(i+size, len(s.steps)):])
			if r.shows(less) {
				s, smaller = less, true
			} else {
				i += size
			}
		}
		if size = min(size, len(s.steps)); size > 1 || !smaller {
			size /= 2
		}
	}
	for i := range s.steps {
		for _, unit := range []sim.Time{sim.Second, 100 * sim.Millisecond, sim.Millisecond} {
			rounder := s
			rounder.steps = slices.Clone(s.steps)
			if rounder.steps[i].round(unit) && r.shows(rounder) {
				s = rounder
				break
			}
		}
	}
	if moving := s; s.still {
		if moving.still = false; r.shows(moving) {
			s = moving
		}
	}
	if open := s; s.end > 0 {
		if open.end = 0; r.shows(open) {
			s = open
		}
	}
	if short := s; s.long {
		short.long = false
		r.shows(short)
	}
	return &r.found
}

// round makes a step's time a whole number of units, no sooner; false if it is one.
func (a *addition) round(unit sim.Time) bool {
	t := &a.at
	if a.do == "delay" {
		t = &a.by
	}
	was := *t
	*t = (was + unit - 1) / unit * unit
	return *t != was
}

// write puts the story into the scenario's text. What the scenario expects, and its
// variants, are of the run without it.
func (s *story) write(text string) (string, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return "", err
	}
	root := doc.Content[0]
	for _, key := range []string{"expect", "variants", "measure"} {
		remove(root, key)
	}
	if s.still {
		*entry(root, "latency") = scalar("0s")
	}
	if s.long {
		poll(entry(root, "group"))
		if members := entry(root, "members"); members.Kind == yaml.MappingNode {
			for i := 1; i < len(members.Content); i += 2 {
				if find(members.Content[i], "program") != nil {
					poll(members.Content[i])
				}
			}
		}
	}
	if s.end > 0 {
		end := yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		*entry(&end, "at") = scalar(length(s.end))
		*entry(root, "end") = end
	}
	if len(s.steps) > 0 {
		timeline := entry(root, "timeline")
		timeline.Kind, timeline.Tag, timeline.Value = yaml.SequenceNode, "", ""
		timeline.Style = 0
		for i := range s.steps {
			var step yaml.Node
			if err := yaml.Unmarshal([]byte(s.steps[i].step()), &step); err != nil {
				return "", err
			}
			timeline.Content = append(timeline.Content, step.Content[0])
		}
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err := e.Encode(&doc)
	return b.String(), err
}

// poll makes polls as long as a search has them.
func poll(of *yaml.Node) { *entry(entry(of, "program"), "poll") = scalar("3s") }

func scalar(text string) yaml.Node { return yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// find is the value of a map's key, nil if there is none.
func find(m *yaml.Node, key string) *yaml.Node {
	for i := 0; m.Kind == yaml.MappingNode && i < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// entry is the value of a map's key, which it gets if it has none.
func entry(m *yaml.Node, key string) *yaml.Node {
	if v := find(m, key); v != nil {
		return v
	}
	if m.Kind != yaml.MappingNode {
		*m = yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	}
	name, v := scalar(key), scalar("")
	m.Content = append(m.Content, &name, &v)
	return &v
}

func remove(m *yaml.Node, key string) {
	for i := 0; i < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content = slices.Delete(m.Content, i, i+2)
			return
		}
	}
}
