package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/rebalsim/rebalsim/explore/compare"
	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/sim"
)

// writeLedger tries the assumptions and tells what the result turns on, and what not.
func (c *comparison) writeLedger(w, progress io.Writer) error {
	say := func(text string) {
		for _, l := range report.Wrap(text, report.Columns, " ") {
			fmt.Fprintln(w, l)
		}
	}
	fmt.Fprintln(w)
	if first := &c.Variants[0]; first.LeftOut != "" {
		say("What the result turns on is not tried: with " + first.Label() + " there is none.")
		return nil
	}
	var l *compare.Ledger
	err := withProgress(progress, "runs", func(tell func(done, of int)) (err error) {
		l, err = c.Ledger(tell)
		return err
	})
	if err != nil {
		return err
	}
	unit := metrics.Measures()[compare.MeasureAt("standstill")].Unit
	lead := fmt.Sprintf("What the result turns on: stood still, partition-s, now %s", unit.Show(l.Base.Standstill))
	if len(c.Variants) > 1 {
		lead += " with the best, " + c.Variants[l.Base.Best].Label()
	}
	if l.Base.Best > 0 {
		lead += fmt.Sprintf(", and %s with %s", unit.Show(l.Base.First), c.Variants[0].Label())
	}
	say(lead + ".")
	fmt.Fprintf(w, "%-26s%14s%14s%14s\n", " if it were", "", "half", "twice")
	var rest []string
	for i := range l.Entries {
		e := &l.Entries[i]
		if !l.Turns(e.Half) && !l.Turns(e.Twice) {
			rest = append(rest, e.Name)
			continue
		}
		fmt.Fprintf(w, "%-26s%14s%14s%14s\n", "  "+e.Name, assumed(e), tried(unit, e.Half), tried(unit, e.Twice))
		if l.Base.Best > 0 {
			first := func(t compare.Trial) string { return shown(unit, t.Problem, t.First) }
			fmt.Fprintf(w, "%-40s%14s%14s\n", "    "+clipped(c.Variants[0].Label(), 34), first(e.Half), first(e.Twice))
		}
		for _, t := range []struct {
			word string
			compare.Trial
		}{{"half", e.Half}, {"twice", e.Twice}} {
			if t.Problem == "" && t.Best != l.Base.Best {
				for _, line := range report.Wrap(fmt.Sprintf("with %s of it the best is: %s", t.word, c.Variants[t.Best].Label()), report.Columns, "    ") {
					fmt.Fprintln(w, line)
				}
			}
		}
	}
	if len(rest) > 0 {
		say("It does not turn on " + strings.Join(rest, ", ") + ": by less than a fifth, and the best stays the best.")
	}
	return nil
}

// tried writes what became of a trial.
func tried(unit metrics.Unit, t compare.Trial) string { return shown(unit, t.Problem, t.Standstill) }

func shown(unit metrics.Unit, problem string, n int64) string {
	if problem != "" {
		return problem
	}
	return unit.Show(n)
}

// clipped is a text cut to a width.
func clipped(s string, width int) string {
	if len(s) <= width {
		return s
	}
	return s[:width-1] + "~"
}

// assumed writes what is assumed.
func assumed(e *compare.Entry) string {
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
