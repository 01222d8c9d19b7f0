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

// replayPath plays a path that explore has saved and tells what happens on it.
func replayPath(out io.Writer, file string, text []byte) error {
	f, err := search.Read(file, text)
	if err != nil {
		return err
	}
	loaded, err := scenarios.Load(file, []byte(f.Scenario))
	if err != nil {
		return err
	}
	s, err := (&scenario{Scenario: loaded, Arg: file}).with(f.Bugs)
	if err != nil {
		return err
	}
	u := search.Setup{Scenario: s.Scenario, Bound: f.Bound, Faults: f.Faults}
	if u.Kafka, err = s.Releases(f.Kafka); err != nil {
		return err
	}
	var h *history.History
	p, err := u.Play(f.Path, func(w *sim.World, clients []sim.NodeID) sim.Observer {
		h = history.New(w, clients)
		return h
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	h.Done(p.End)
	run := &report.Run{
		Name: strings.TrimSuffix(filepath.Base(file), ".yaml"), About: s.About, Kafka: u.Kafka.Long() + forced(s),
		Chance: fmt.Sprintf("an order of %s that explore found", plural(len(f.Path), "move")), Group: s.Group.ID, Hash: p.Hash, History: h,
		Ended: "the path ends at " + p.End.String() + " s", Replay: "rebalsim replay " + filepath.ToSlash(file),
	}
	if b := p.Broken; b != nil {
		run.Checks = append(run.Checks, report.Check{Text: b.Invariant, Detail: fmt.Sprintf("at %s s: %s", b.At, b.What)})
	}
	if err := report.Story(out, run); err != nil {
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
