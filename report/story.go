package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// The screen that a story fits.
const (
	Columns = 80
	Lines   = 45
)

// Story writes a run on one screen: the verdict, what the coordinator handled in its
// order, which rules made it so, and what each member paid.
func Story(w io.Writer, r *Run) error {
	var b bytes.Buffer
	verdict(&b, r, figuresTold)
	b.WriteByte('\n')
	about := Wrap(r.About, Columns, "")
	tail := outcome(r, membersTold)
	foot := footer(r)
	const between = 4 // empty lines
	body, notes := layout(tell(r), Lines-bytes.Count(b.Bytes(), []byte{'\n'})-len(about)-len(tail)-len(foot)-between)
	for i, part := range [...][]string{about, body, notes, tail, foot} {
		for _, line := range part {
			b.WriteString(strings.TrimRight(line, " "))
			b.WriteByte('\n')
		}
		if len(part) > 0 && i < 4 {
			b.WriteByte('\n')
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func verdict(b *bytes.Buffer, r *Run, figures int) {
	lead := r.Name + "   "
	for _, line := range Wrap(fmt.Sprintf("Kafka %s, seed %d (%s)", r.Kafka, r.Seed, r.Chance), Columns, lead) {
		fmt.Fprintln(b, line)
	}
	ok := len(r.Checks) - r.Failed()
	word := "PASS"
	if r.Failed() > 0 || r.Unexplained() > 0 {
		word = "FAIL"
	}
	switch {
	case len(r.Checks) == 0 && r.Unexplained() > 0:
		fmt.Fprintf(b, "FAIL  %s\n", rebalances(r))
	case len(r.Checks) == 0:
		fmt.Fprintf(b, "No expectations for it.  %s\n", rebalances(r))
	default:
		fmt.Fprintf(b, "%s  %d of %d expectations.  %s\n", word, ok, len(r.Checks), rebalances(r))
	}
	for _, c := range r.Checks {
		if !c.OK {
			fmt.Fprintf(b, "  not so: %s\n", c.Text)
			if c.Detail != "" {
				fmt.Fprintf(b, "          %s\n", c.Detail)
			}
		}
	}
	broken(b, r)
	for _, line := range r.NotJava {
		for i, part := range Wrap(line, Columns-4, "") {
			fmt.Fprintf(b, "  %s%s\n", [...]string{"", "  "}[min(i, 1)], part)
		}
	}
	found(b, r, figures)
	if r.Skipped != "" {
		for _, line := range Wrap(r.Skipped, Columns, "  ") {
			fmt.Fprintln(b, line)
		}
	}
	if r.Ended != "" {
		fmt.Fprintf(b, "  %s\n", r.Ended)
	}
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
		fmt.Fprintf(b, "  broken: %s\n", name)
		at := fmt.Sprintf("at %s s: %s", f.At, f.Text)
		if f.Event != "" {
			at = fmt.Sprintf("at %s s, %s: %s", f.At, f.Event, f.Text)
		}
		for _, line := range Wrap(at, Columns, "          ") {
			fmt.Fprintln(b, line)
		}
	}
	if len(flaws) > 0 {
		for _, line := range Wrap("known flaws: "+strings.Join(flaws, ", "), Columns, "  ") {
			fmt.Fprintln(b, line)
		}
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
			for _, line := range Wrap(c.Found, Columns, "  found: ") {
				fmt.Fprintln(b, line)
			}
		}
	}
	if told > most {
		fmt.Fprintf(b, "  found: %s more figures as expected: -v tells them\n", number(told-most))
	}
}

// rebalances sums the run up: "One rebalance, generation 2 -> 3, 2.963 s."
func rebalances(r *Run) string {
	var count int
	var total, began sim.Time
	from, to := int32(-1), int32(0)
	moving := false
	for _, m := range r.History.Moves {
		if m.Group != r.Group {
			continue
		}
		switch m.To {
		case protocol.PreparingRebalance:
			if !moving {
				moving, began = true, m.At
			}
			if from < 0 {
				from = m.Generation
			}
		case protocol.Stable, protocol.Empty, protocol.Dead:
			if moving {
				moving = false
				count++
				total += m.At - began
			}
			to = m.Generation
		}
	}
	switch {
	case moving:
		return fmt.Sprintf("A rebalance goes on since %s.", span(began))
	case count == 0:
		return "No rebalance."
	case count == 1:
		return fmt.Sprintf("One rebalance, generation %d -> %d, %s.", from, to, span(total))
	}
	n := number(count)
	return fmt.Sprintf("%s rebalances, generation %d -> %d, %s.", strings.ToUpper(n[:1])+n[1:], from, to, span(total))
}

// membersTold is how many members are told of on the one screen.
const membersTold = 8

// fewRows is how many rows are told at least, whatever there is to note.
const fewRows = 10

// layout writes the rows, and below them the rules that made them so, in the lines that
// there are. What does not fit is taken out of the middle.
func layout(rows []row, room int) (body, notes []string) {
	for told := min(len(rows), room); ; told-- {
		body, notes = tellSome(rows, told)
		if len(body)+len(notes) <= room {
			return body, notes
		}
		if told <= fewRows {
			return body, fewer(notes, room-len(body))
		}
	}
}

// tellSome tells so many rows: two from the beginning for each one from the end.
func tellSome(rows []row, told int) (body, notes []string) {
	body = []string{"    s   who        asks       the group             is answered"}
	last := told / 3
	first := told - last
	numbered := map[protocol.Rule]int{}
	for i := range rows {
		r := &rows[i]
		switch {
		case told < len(rows) && i == first:
			body = append(body, fmt.Sprintf("  ...   %s more: -v tells all", number(len(rows)-told)))
			continue
		case told < len(rows) && i > first && i < len(rows)-last:
			continue
		}
		if text := r.why.Text().Text; text != "" && numbered[r.why] == 0 {
			numbered[r.why] = len(numbered) + 1
			notes = append(notes, Wrap(text, Columns, fmt.Sprintf(" [%d] ", len(numbered)))...)
		}
		body = append(body, r.lines(numbered)...)
	}
	return body, notes
}

// fewer cuts notes to so many lines, and says that there are more.
func fewer(notes []string, lines int) []string {
	lines = max(lines-1, 1)
	for lines > 1 && !strings.HasPrefix(notes[lines], " [") {
		lines-- // a note is told whole or not at all
	}
	return append(notes[:lines:lines], " More rules: rebalsim why tells the one behind an event.")
}

func (r *row) lines(numbered map[protocol.Rule]int) []string {
	var out []string
	if r.act != "" {
		h := " -- " + r.act + " "
		out = append(out, h+strings.Repeat("-", Columns-1-len(h)))
	}
	note := ""
	if n := numbered[r.why]; n > 0 {
		note = fmt.Sprintf("[%d]", n)
	}
	at := fmt.Sprintf("%6s", seconds(r.at))
	who := max(16-len(at), 8)
	line := fmt.Sprintf("%s  %-*s %-10s %-21s ", at, who, people(r.who, who), short(r.asks, 10), r.group)
	line += fmt.Sprintf("%-*s %s", Columns-len(line)-5, short(r.reply, Columns-len(line)-2-len(note)), note)
	return append(out, line)
}

// short is a text cut to a width.
func short(s string, width int) string {
	if len(s) <= width {
		return s
	}
	return s[:width-1] + "."
}

// seconds is a moment with three digits behind the point.
func seconds(t sim.Time) string {
	return fmt.Sprintf("%d.%03d", t/sim.Second, t%sim.Second/sim.Millisecond)
}

// people names them within a width, or counts them.
func people(names []string, width int) string {
	all := strings.Join(names, " ")
	if len(all) <= width {
		return all
	}
	if len(names) == 1 {
		return all[:width-1] + "~"
	}
	more := fmt.Sprintf(" +%d", len(names)-1)
	if len(names[0])+len(more) <= width {
		return names[0] + more
	}
	return fmt.Sprintf("%d members", len(names))
}

// outcome is the table of how each member ended and what it paid, as far as so many go.
func outcome(r *Run, most int) []string {
	head := []string{"member", "role", "generation", "partitions", "stood still", "because"}
	widths, left := make([]int, len(head)), Columns // for the last column
	for i := range head {
		widths[i] = len(head[i])
	}
	var rows [][]string
	for _, c := range r.History.Clients[:min(most, len(r.History.Clients))] {
		role := "follower"
		switch {
		case !r.History.World.Alive(c.Node):
			role = "gone"
		case c.Leader:
			role = "leader"
		case c.State == "":
			role = "-"
		}
		serves := history.Partitions(c.Serves)
		if len(serves) > 20 {
			serves = fmt.Sprintf("%d partitions", len(c.Serves))
		}
		rows = append(rows, []string{r.History.World.Name(c.Node), role, fmt.Sprint(c.Generation),
			serves, span(c.Idle)})
		room := Columns - 1
		for i, cell := range rows[len(rows)-1] {
			widths[i] = max(widths[i], len(cell))
			room -= widths[i] + 2
		}
		left = min(left, room)
	}
	reasons := reasonsOf(r, len(rows))
	for i := range rows {
		rows[i] = append(rows[i], reasons[i].most(left))
	}
	rest := len(r.History.Clients) - len(rows)
	var b bytes.Buffer
	if err := Table(&b, head, rows); err != nil {
		return []string{err.Error()}
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if rest > 0 {
		lines = append(lines, fmt.Sprintf(" ... and %d more: -v tells all", rest))
	}
	return append(lines, " (stood still: fetched from no partition, until it knew its offsets again)")
}

// footer says how to see more and how to see it again, and what the timeline exercised.
func footer(r *Run) []string {
	happened := 0
	for _, s := range r.Steps {
		if s.Times > 0 && !s.Vain {
			happened++
		}
	}
	more := " more:   -v tells every event, and rebalsim why how one came about"
	if n := len(r.Steps); n > 0 {
		more = fmt.Sprintf(" more:   -v, rebalsim why.  Of the timeline %d of %d steps had an effect", happened, n)
	}
	foot := []string{more, " replay: " + r.Replay, " trace:  " + r.Hash + held(r)}
	for _, s := range r.Steps {
		if s.Why != "" {
			return append([]string{clipped(" in vain: "+s.Text+": "+s.Why, Columns)}, foot...)
		}
	}
	return foot
}

// clipped cuts the beginning of a text that is too long: what it ends with counts.
func clipped(text string, width int) string {
	if n := len(text) - width; n > 0 {
		return text[:10] + "…" + strings.ToValidUTF8(text[10+n+3:], "")
	}
	return text
}

// Wrap breaks a text into lines; the first begins with lead, the others are as far in.
func Wrap(text string, width int, lead string) []string {
	var lines []string
	line := lead
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line, empty = strings.Repeat(" ", len(lead)), true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	if empty {
		return lines
	}
	return append(lines, line)
}
