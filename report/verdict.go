package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

func verdict(b *bytes.Buffer, r *Run, figures int) {
	lead := r.Name + "   "
	for _, line := range Wrap(fmt.Sprintf("Kafka %s, seed %d (%s)", r.Kafka, r.Seed, r.Chance), Columns, lead) {
		fmt.Fprintln(b, line)
	}
	inLines(b, judgement(r), rebalances(r))
	cost(b, r)
	inLines(b, exceptions(r))
	for _, c := range r.Checks {
		if !c.OK {
			tellWrapped(b, c.Text, "  not so: ")
			tellWrapped(b, c.Detail, "          ")
		}
	}
	broken(b, r)
	for _, line := range r.NotJava {
		for i, part := range Wrap(line, Columns-4, "") {
			fmt.Fprintf(b, "  %s%s\n", [...]string{"", "  "}[min(i, 1)], part)
		}
	}
	vain(b, r)
	found(b, r, figures)
	if r.Skipped != "" {
		tellWrapped(b, r.Skipped, "  ")
	}
	if r.Ended != "" {
		fmt.Fprintf(b, "  %s\n", r.Ended)
	}
}

func tellWrapped(b *bytes.Buffer, text, lead string) {
	for _, line := range Wrap(text, Columns, lead) {
		fmt.Fprintln(b, line)
	}
}

// judgement says whether the run is as it must be.
func judgement(r *Run) string {
	all, failed := len(r.Checks), r.Failed()
	switch {
	case failed > 0:
		return fmt.Sprintf("FAIL  %d of %d expectations not met.", failed, all)
	case r.Unexplained() > 0 && all > 0:
		return fmt.Sprintf("FAIL  %d of %d expectations met, but see below.", all, all)
	case r.Unexplained() > 0:
		return "FAIL"
	case all == 0:
		return "No expectations for it."
	}
	return fmt.Sprintf("PASS  %d of %d expectations.", all, all)
}

// inLines writes sentences, beside each other as far as there is room.
func inLines(b *bytes.Buffer, sentences ...string) {
	line := ""
	for _, s := range sentences {
		switch {
		case line == "":
			line = s
		case len(line)+2+len(s) <= Columns:
			line += "  " + s
		default:
			fmt.Fprintln(b, line)
			line = s
		}
	}
	if line != "" {
		fmt.Fprintln(b, line)
	}
}

// cost says how long the group was not Stable, and how long partitions stood still for it.
func cost(b *bytes.Buffer, r *Run) {
	var said []string
	if x := r.movement(); x.unstable > 0 {
		said = append(said, "Not Stable for "+span(x.unstable)+".")
	}
	if c := r.Cost; c != nil && c.Total.Longest >= hardly {
		said = append(said, fmt.Sprintf("Stood still %d.%d partition-s, %s for %s.", c.Total.Standstill/sim.Second,
			c.Total.Standstill%sim.Second/(sim.Second/10), c.Worst, span(c.Total.Longest)))
	}
	inLines(b, said...)
}

// broken tells what did not hold of the run though it must of every one.
func broken(b *bytes.Buffer, r *Run) {
	var flaws []string
	for i := range r.Broken {
		f := &r.Broken[i]
		if f.Known != "" {
			flaws = append(flaws, fmt.Sprintf("%s (%s)", f.Known, f.Invariant))
			continue
		}
		name := f.Invariant
		if f.Place != "" {
			name += ": " + f.Place
		}
		tellWrapped(b, name, "  broken: ")
		at := fmt.Sprintf("at %s s: %s", f.At, f.Text)
		if f.Event != "" {
			at = fmt.Sprintf("at %s s, %s: %s", f.At, f.Event, f.Text)
		}
		tellWrapped(b, at, "          ")
	}
	if len(flaws) > 0 {
		tellWrapped(b, "known flaws: "+strings.Join(flaws, ", "), "  ")
	}
}

// held says how many of the invariants held.
func held(r *Run) string {
	if r.Invariants == 0 {
		return ""
	}
	var names []string
	for i := range r.Broken {
		if !slices.Contains(names, r.Broken[i].Invariant) {
			names = append(names, r.Broken[i].Invariant)
		}
	}
	if len(names) > 0 {
		return fmt.Sprintf("   invariants: %d of %d hold", r.Invariants-len(names), r.Invariants)
	}
	return fmt.Sprintf("   invariants: %d hold", r.Invariants)
}

// vainTold is how many steps are told of that had no effect.
const vainTold = 3

// vain tells which steps of the timeline came about and had no effect.
func vain(b *bytes.Buffer, r *Run) {
	told := 0
	for _, s := range r.Steps {
		if !s.Vain {
			continue
		}
		if told++; told > vainTold {
			continue
		}
		text := s.Text
		if s.Why != "" {
			text += ": " + s.Why
		}
		tellWrapped(b, text, "  had no effect: ")
	}
	if told > vainTold {
		fmt.Fprintf(b, "  had no effect: %s more steps: -v tells them\n", number(told-vainTold))
	}
}

// figuresTold is how many expectations of figures are told of with what was found.
const figuresTold = 3

// found tells the figures that are as expected.
func found(b *bytes.Buffer, r *Run, most int) {
	told := 0
	for _, c := range r.Checks {
		if !c.OK || c.Found == "" {
			continue
		}
		if told++; told <= most {
			tellWrapped(b, c.Found, "  found: ")
		}
	}
	if told > most {
		fmt.Fprintf(b, "  found: %s more figures as expected: -v tells them\n", number(told-most))
	}
}

// movement is how a group moved in what is measured.
type movement struct {
	times    int
	from, to int32    // generations
	unstable sim.Time // how long it was not Stable
	since    sim.Time // when that began which is not over, -1: it is at rest
}

func (r *Run) movement() movement {
	x := movement{from: -1, since: -1}
	for _, m := range r.History.Moves {
		if m.Group != r.Group || m.At < r.From {
			continue
		}
		switch m.To {
		case protocol.PreparingRebalance:
			if x.since < 0 {
				x.since = m.At
			}
			if x.from < 0 {
				x.from = m.Generation
			}
		case protocol.Stable, protocol.Empty, protocol.Dead:
			if x.since >= 0 {
				x.times++
				x.unstable += m.At - x.since
			}
			x.since, x.to = -1, m.Generation
		}
	}
	if x.since >= 0 {
		x.unstable += r.History.End - x.since
	}
	return x
}

// rebalances sums the run up: "One rebalance, generation 2 -> 3."
func rebalances(r *Run) string {
	x, from := r.movement(), ""
	if r.From > 0 {
		from = fmt.Sprintf(" from %s on", span(r.From))
	}
	switch {
	case x.since >= 0:
		return fmt.Sprintf("A rebalance goes on since %s.", span(x.since))
	case x.times == 0:
		return "No rebalance" + from + "."
	case x.times == 1:
		return fmt.Sprintf("One rebalance%s, generation %d -> %d.", from, x.from, x.to)
	}
	n := number(x.times)
	return fmt.Sprintf("%s rebalances%s, generation %d -> %d.", strings.ToUpper(n[:1])+n[1:], from, x.from, x.to)
}
