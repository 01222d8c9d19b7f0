package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report"
)

// writeBehaviours writes what can be forced, with what it can be and the changes of it.
func writeBehaviours(w io.Writer, patterns []string) error {
	out := bufio.NewWriter(w)
	last := ""
	for _, b := range protocol.Behaviours() {
		of := func(side string) bool { return b.Side == side }
		names := []string{b.Side + "." + b.Name}
		for _, r := range b.Rows {
			names = append(names, r.Release, r.ID, r.What)
		}
		if !fitsAll(patterns, of, names...) {
			continue
		}
		if b.Side != last {
			fmt.Fprintf(out, "%s, and the releases that change it\n", b.Side)
			last = b.Side
		}
		can := listed(b.Values, " or ")
		if b.Values == nil {
			can = "a number"
		}
		for _, line := range report.Wrap(can, report.Columns, fmt.Sprintf("  %s.%s  ", b.Side, b.Name)) {
			fmt.Fprintln(out, line)
		}
		for _, r := range b.Rows {
			for _, line := range report.Wrap(r.What, report.Columns, fmt.Sprintf("    %-11s %-11s ", r.Release, r.ID)) {
				fmt.Fprintln(out, line)
			}
		}
	}
	if last == "" {
		return fmt.Errorf("no behaviour fits %q", strings.Join(patterns, " "))
	}
	return out.Flush()
}
