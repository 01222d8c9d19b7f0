package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// ledgerSeeds bounds with how many seeds an assumption is tried.
const ledgerSeeds = 5

// entry is an assumption of the scenario and what becomes of the comparison if it is
// half, or twice, what it is taken to be.
type entry struct {
	scenarios.Assumption
	half, twice trial
}

// trial is a comparison with one assumption otherwise.
type trial struct {
	problem    string // why there is none
	standstill int64  // of the variant that was best, median
	best       int    // the variant that is best now
}

// ledger tries every assumption that is not varied.
func (c *comparison) ledger(vary []string, progress io.Writer) (base trial, list []entry, err error) {
	c.ledgerSeeds = min(c.seeds, ledgerSeeds)
	base, err = c.try(c.scenario.Scenario, vary, -1, progress)
	if err != nil {
		return base, nil, err
	}
	for _, a := range c.scenario.Assumptions() {
		if slices.Contains(c.keys, a.Name) {
			continue
		}
		e := entry{Assumption: a}
		if e.half, err = c.try(a.Scaled(c.scenario.Scenario, 1, 2), vary, base.best, progress); err != nil {
			return base, nil, err
		}
		if e.twice, err = c.try(a.Scaled(c.scenario.Scenario, 2, 1), vary, base.best, progress); err != nil {
			return base, nil, err
		}
		list = append(list, e)
	}
	return base, list, nil
}

// try plays the comparison with another scenario; of the variant given, or with -1 of the
// best one, it gives the standstill.
func (c *comparison) try(s *scenarios.Scenario, vary []string, of int, progress io.Writer) (trial, error) {
	other := &comparison{scenario: &scenario{s, c.scenario.Arg, c.scenario.BuiltIn}, first: c.first, seeds: c.ledgerSeeds}
	if err := other.addVariants(vary); err != nil {
		return trial{problem: "cannot be"}, nil
	}
	if err := other.play(progress); err != nil {
		return trial{}, err
	}
	m := measureAt("standstill")
	best, least := 0, int64(-1)
	for i := range other.variants {
		if other.variants[i].unsettledRuns() > c.variants[i].unsettledRuns() {
			return trial{problem: "does not settle"}, nil
		}
		if n, _, _ := other.summary(&other.variants[i], m); least < 0 || n < least {
			best, least = i, n
		}
	}
	if of < 0 {
		of = best
	}
	n, _, _ := other.summary(&other.variants[of], m)
	return trial{standstill: n, best: best}, nil
}

// turns reports whether the result turns on a trial: another variant is best, or the
// standstill differs by a fifth.
func (t *trial) turns(base trial) bool {
	d := t.standstill - base.standstill
	return t.problem != "" || t.best != base.best || max(d, -d)*5 >= max(base.standstill, 1)
}

// writeLedger tries the assumptions and tells what the result turns on, and what not.
func (c *comparison) writeLedger(vary []string, w, progress io.Writer) error {
	base, list, err := c.ledger(vary, progress)
	if err != nil {
		return err
	}
	unit := metrics.Measures()[measureAt("standstill")].Unit
	say := func(text string) {
		for _, l := range report.Wrap(text, report.Columns, " ") {
			fmt.Fprintln(w, l)
		}
	}
	fmt.Fprintln(w)
	lead := fmt.Sprintf("What the result turns on: stood still, partition-s, now %s", unit.Show(base.standstill))
	if len(c.variants) > 1 {
		lead += " with the best, " + c.label(&c.variants[base.best])
	}
	say(lead + ".")
	fmt.Fprintf(w, "%-26s%14s%14s%14s\n", " if it were", "", "half", "twice")
	var rest []string
	for i := range list {
		e := &list[i]
		if !e.half.turns(base) && !e.twice.turns(base) {
			rest = append(rest, e.Name)
			continue
		}
		fmt.Fprintf(w, "%-26s%14s%14s%14s\n", "  "+e.Name, e.value(), e.half.show(unit), e.twice.show(unit))
		for _, t := range []struct {
			word string
			trial
		}{{"half", e.half}, {"twice", e.twice}} {
			if t.problem == "" && t.best != base.best {
				fmt.Fprintf(w, "    with %s of it the best is: %s\n", t.word, c.label(&c.variants[t.best]))
			}
		}
	}
	if len(rest) > 0 {
		say("It does not turn on " + strings.Join(rest, ", ") + ": by less than a fifth, and the best stays the best.")
	}
	return nil
}

func (t *trial) show(unit metrics.Unit) string {
	if t.problem != "" {
		return t.problem
	}
	return unit.Show(t.standstill)
}

// value writes what is assumed.
func (e *entry) value() string {
	if e.Rate {
		return fmt.Sprintf("%d/s", e.Value.Min)
	}
	if e.Value.Fixed() {
		return length(e.Value.Min)
	}
	return length(e.Value.Min) + ".." + length(e.Value.Max)
}

// length writes a length of time as scenarios do.
func length(t sim.Time) string {
	switch {
	case t%sim.Second == 0:
		return fmt.Sprintf("%ds", t/sim.Second)
	case t%sim.Millisecond == 0:
		return fmt.Sprintf("%dms", t/sim.Millisecond)
	}
	return fmt.Sprintf("%dus", t)
}
