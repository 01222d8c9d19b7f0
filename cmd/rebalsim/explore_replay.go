package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/rebalsim/rebalsim/explore/search"
	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// savedPath is a path that explore has saved, with its scenario as it was explored.
type savedPath struct {
	*search.File
	name     string
	scenario *scenario
	setup    search.Setup
}

func readPath(name string, text []byte) (*savedPath, error) {
	f, err := search.Read(name, text)
	if err != nil {
		return nil, err
	}
	loaded, err := scenarios.Load(name, []byte(f.Scenario))
	if err != nil {
		return nil, err
	}
	s, err := (&scenario{Scenario: loaded, Arg: name}).with(f.Bugs)
	if err != nil {
		return nil, err
	}
	u := search.Setup{Scenario: s.Scenario, Bound: f.Bound, Faults: f.Faults, AnyTime: f.AnyTime}
	u.Kafka, err = s.Releases(f.Kafka)
	return &savedPath{f, name, s, u}, err
}

func (f *savedPath) play(watch func(*sim.World, []sim.NodeID) sim.Observer) (*search.Played, error) {
	p, err := f.setup.Play(f.Path, watch)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return p, nil
}

// replayPath plays a path that explore has saved and tells what happens on it.
func replayPath(out io.Writer, file string, text []byte, how telling) error {
	f, err := readPath(file, text)
	if err != nil {
		return err
	}
	s, u := f.scenario, f.setup
	var h *history.History
	var facts *report.Facts
	p, err := f.play(func(w *sim.World, clients []sim.NodeID) sim.Observer {
		facts = how.facts(w)
		w.Watch(facts)
		h = history.New(w, clients, history.Wanted{})
		return h
	})
	if err != nil {
		return err
	}
	h.Done(p.End)
	run := &report.Run{
		Name: strings.TrimSuffix(filepath.Base(file), ".yaml"), About: s.About, Kafka: u.Kafka.Long() + forced(s),
		Chance: fmt.Sprintf("an order of %s that explore found", plural(len(f.Path), "move")), Group: s.Group.ID, Hash: p.Hash, History: h,
		Ended: "the path ends at " + p.End.String() + " s", Replay: "rebalsim replay " + filepath.ToSlash(file),
	}
	if b := p.Broken; b != nil {
		run.Broken = append(run.Broken, report.Broken{Invariant: b.Invariant, At: b.At, Text: b.What})
	}
	if err := how.tell(out, run, facts); err != nil {
		return err
	}
	switch {
	case p.Broken == nil && f.Invariant == "":
		return nil
	case p.Broken == nil:
		fmt.Fprintf(out, " saved:  nothing goes wrong on it any more; it was %s: %s\n", f.Invariant, f.What)
		return nil
	case p.Broken.Invariant == f.Invariant && p.Broken.What == f.What:
		fmt.Fprintln(out, " saved:  it fails as it did")
	default:
		fmt.Fprintf(out, " saved:  it fails otherwise than it did: %s: %s\n", f.Invariant, f.What)
	}
	return failed{exitFailed}
}
