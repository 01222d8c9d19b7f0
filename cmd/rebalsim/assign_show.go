package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rebalsim/rebalsim/assignor"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report"
)

func (c assignCall) show(w io.Writer, all bool) error {
	res, e, err := c.run()
	if text, ok := outcome(err); ok {
		fmt.Fprintf(w, "%s of Kafka %s %s\n  %v\n", c.name, c.release, text, err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("Kafka %s: %w", c.release, err)
	}
	how := ""
	switch res.Path {
	case assignor.PathEqual:
		how = ", all members subscribe to the same"
	case assignor.PathGeneral:
		how = ", for any subscriptions"
	}
	if res.RacksMatched {
		how += ", racks matched"
	}
	fmt.Fprintf(w, "%s   Kafka %s%s\n\n", c.name, c.release, how)
	rows := make([][]string, len(c.in.Members))
	for i, m := range c.in.Members {
		rows[i] = []string{m.ID, strconv.Itoa(len(res.Assigned[i])), partitionText(res.Assigned[i])}
	}
	if err := fitted(w, []string{"member", "n", "partitions"}, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n balance:  %s\n moved:    %s\n", balanceText(e), movedText(e))
	if e.Withheld > 0 {
		fmt.Fprintf(w, " withheld: %d, for the rebalance after their owners have revoked them\n", e.Withheld)
	}
	if res.TreeBins {
		fmt.Fprint(w, " note:     many names collide in Java's hash tables; lists may be in another\n           order there\n")
	}
	return c.showChanges(w, e, all)
}

func balanceText(e assignor.Explanation) string {
	if e.Fewest == e.Most {
		return fmt.Sprintf("%d each", e.Most)
	}
	return fmt.Sprintf("%d to %d", e.Fewest, e.Most)
}

func movedText(e assignor.Explanation) string {
	text := fmt.Sprintf("%d of %d that somebody owned", e.Moved, e.Moved+e.Kept)
	switch {
	case e.Moved == 0:
	case !e.LeastDefined:
		text += "\n           (the least is not defined for differing subscriptions)"
	case e.Moved > e.Least:
		text += fmt.Sprintf(" (%d would do for these loads)", e.Least)
	default:
		text += " (the least for these loads)"
	}
	return text
}

// changesShown is how many changes fit a screen beside the rest.
const changesShown = 20

// showChanges tells what changed hands: a row for what went from one member to another for
// one reason.
func (c assignCall) showChanges(w io.Writer, e assignor.Explanation, all bool) error {
	type change struct{ from, to, why string }
	var order []change
	moved := map[change][]protocol.TopicPartition{}
	for _, ch := range e.Changes {
		if ch.From < 0 && e.Moved+e.Kept == 0 {
			continue // nobody owned anything: there is nothing to compare with
		}
		g := change{"-", "-", ch.Why}
		if ch.From >= 0 {
			g.from = c.in.Members[ch.From].ID
		}
		if ch.To >= 0 {
			g.to = c.in.Members[ch.To].ID
		}
		if ch.Withheld {
			g.to = "(" + g.to + ")"
		}
		if moved[g] == nil {
			order = append(order, g)
		}
		moved[g] = append(moved[g], ch.Partition)
	}
	if len(order) == 0 {
		return nil
	}
	more := len(order) - changesShown
	if all {
		more = 0
	}
	var rows [][]string
	for _, g := range order[:len(order)-max(more, 0)] {
		rows = append(rows, []string{g.from, g.to, partitionText(moved[g]), g.why})
	}
	fmt.Fprintln(w)
	if err := fitted(w, []string{"from", "to", "partitions", "why"}, rows); err != nil {
		return err
	}
	if more > 0 {
		fmt.Fprintf(w, " … %d more: --all shows them\n", more)
	}
	return nil
}

// listWidth is how much of a list of partitions a column shows.
const listWidth = 44

// showSideBySide shows several calls, each in a column or, if that is too wide for the
// screen, each in a line below the member.
func showSideBySide(w io.Writer, in assignor.Input, calls []assignCall) error {
	head := []string{""}
	rows := make([][]string, 0, len(in.Members)+3)
	for _, m := range in.Members {
		rows = append(rows, []string{m.ID})
	}
	rows = append(rows, []string{"balance"}, []string{"moved"}, []string{"withheld"})
	for _, c := range calls {
		head = append(head, fmt.Sprintf("%s@%s", c.name, c.release))
		res, e, err := c.run()
		text, ok := outcome(err)
		if err != nil && !ok {
			return fmt.Errorf("Kafka %s: %w", c.release, err)
		}
		cells := make([]string, len(rows))
		if ok {
			cells[0] = text
		} else {
			for i, list := range res.Assigned {
				cells[i] = clipList(partitionText(list), len(list))
			}
			n := len(in.Members)
			cells[n], cells[n+1] = balanceText(e), strconv.Itoa(e.Moved)
			cells[n+2] = strconv.Itoa(e.Withheld)
		}
		for i := range rows {
			rows[i] = append(rows[i], cells[i])
		}
	}
	if tableWidth(head, rows) <= report.Columns {
		return report.Table(w, head, rows)
	}
	column := 0
	for _, name := range head {
		column = max(column, len(name))
	}
	for _, row := range rows {
		fmt.Fprintf(w, " %s\n", row[0])
		for i, cell := range row[1:] {
			for _, line := range wrapList(cell, report.Columns, fmt.Sprintf("   %-*s  ", column, head[i+1])) {
				fmt.Fprintln(w, line)
			}
		}
	}
	return nil
}

func clipList(text string, n int) string {
	if len(text) <= listWidth {
		return text
	}
	cut := strings.LastIndexAny(text[:listWidth], ", ")
	return fmt.Sprintf("%s… (%d)", text[:max(cut+1, 1)], n)
}

// tableWidth is how wide a table is.
func tableWidth(head []string, rows [][]string) int {
	width := 0
	for i := range head {
		column := utf8.RuneCountInString(head[i])
		for _, row := range rows {
			column = max(column, utf8.RuneCountInString(row[i]))
		}
		width += column + 2
	}
	return width
}

// fitted writes a table that fits the screen: if it is too wide, what each row says last
// stands below it, and if that is not enough every column has a line of its own.
func fitted(w io.Writer, head []string, rows [][]string) error {
	below := 0 // columns from the right that stand below their row
	short := func() (h []string, r [][]string) {
		n := len(head) - below
		for _, row := range rows {
			r = append(r, row[:n])
		}
		return head[:n], r
	}
	for h, r := short(); tableWidth(h, r) > report.Columns && below < len(head)-1; h, r = short() {
		below++
	}
	if below == 0 {
		return report.Table(w, head, rows)
	}
	h, r := short()
	var b strings.Builder
	if err := report.Table(&b, h, r); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	fmt.Fprintf(w, "%s\n", lines[0])
	for i, line := range lines[1:] {
		fmt.Fprintf(w, "%s\n", line)
		for k := len(head) - below; k < len(head); k++ {
			lead := "    "
			if k < len(head)-1 || below == 1 && head[k] != "why" {
				lead += head[k] + ": "
			}
			for _, l := range wrapList(rows[i][k], report.Columns, lead) {
				fmt.Fprintln(w, l)
			}
		}
	}
	return nil
}

// wrapList breaks a list at its spaces and behind its commas; the first line begins with
// lead, the others are as far in.
func wrapList(text string, width int, lead string) (lines []string) {
	line, indent, begun := lead, strings.Repeat(" ", utf8.RuneCountInString(lead)), false
	for len(text) > 0 {
		n := strings.IndexAny(text, ", ") + 1
		if n == 0 {
			n = len(text)
		}
		piece := text[:n]
		if begun && utf8.RuneCountInString(line)+utf8.RuneCountInString(strings.TrimRight(piece, " ")) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line = indent
		}
		line, text, begun = line+piece, text[n:], true
	}
	return append(lines, strings.TrimRight(line, " "))
}

// partitionText writes a list in its order: orders-0..2,5 payments-1.
func partitionText(list []protocol.TopicPartition) string {
	var b strings.Builder
	for i := 0; i < len(list); {
		n := 1 // partitions in a row
		for i+n < len(list) && list[i+n].Topic == list[i].Topic && list[i+n].Partition == list[i].Partition+int32(n) {
			n++
		}
		switch {
		case i == 0:
			b.WriteString(list[i].String())
		case list[i].Topic != list[i-1].Topic:
			b.WriteString(" " + list[i].String())
		default:
			fmt.Fprintf(&b, ",%d", list[i].Partition)
		}
		switch n {
		case 1:
		case 2:
			fmt.Fprintf(&b, ",%d", list[i+1].Partition)
		default:
			fmt.Fprintf(&b, "..%d", list[i+n-1].Partition)
		}
		i += n
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()
}
