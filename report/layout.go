package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// membersTold is how many members are told of on the one screen.
const membersTold = 8

// fewRows is how many rows are told at least, as long as there are rules that can be left out
// instead.
const fewRows = 10

// fewest is how many rows are left out at least: the line that says so is one, too.
const fewest = 3

// keptMost is how many rows are told for what they show, wherever they stand.
const keptMost = 6

// turnsTold is how many turns of one kind are few: each is told. Of more the first and the last are.
const turnsTold = 5

// layout writes the rows, and below them the rules that made them so, in the lines that
// there are. If there are too few it gathers rows that say the same of many members, then
// does without rules, first without those that every rebalance has, and then leaves rows out.
func layout(r *Run, room int) (body, notes []string) {
	rows := tell(r)
	body, notes = write(r, rows, nil, nil)
	if r.Full || len(body)+len(notes) <= room {
		return body, notes
	}
	rows = gathered(rows)
	routine, others := rules(rows)
	if len(rows) <= room {
		if body, notes = fitting(r, rows, nil, slices.Concat(routine, others), room); len(body)+len(notes) <= room {
			return body, notes
		}
	}
	order, wanted := byWeight(r, rows, room)
	wanted = min(max(wanted, fewRows), room)
	untold := map[protocol.Rule]bool{}
	for _, rule := range routine {
		untold[rule] = true
	}
	for told := min(len(rows), room); told > wanted; told-- {
		if body, notes = write(r, rows, chosen(order, told), untold); len(body)+len(notes) <= room {
			return body, notes
		}
	}
	for told := min(len(rows), wanted); told > 0; told-- {
		if body, notes = fitting(r, rows, chosen(order, told), slices.Concat(routine, others), room); len(body)+len(notes) <= room {
			break
		}
	}
	return body, notes
}

// fitting writes rows with as many rules as there are lines for: it does without some, in the
// order given.
func fitting(r *Run, rows []row, chosen []bool, rules []protocol.Rule, room int) (body, notes []string) {
	body, notes = write(r, rows, chosen, nil)
	untold := map[protocol.Rule]bool{}
	for _, rule := range rules {
		if len(body)+len(notes) <= room {
			break
		}
		untold[rule] = true
		body, notes = write(r, rows, chosen, untold)
	}
	return body, notes
}

// rules are those behind rows, the last first: those that every rebalance has, and others.
func rules(rows []row) (routine, others []protocol.Rule) {
	heavy, seen := map[protocol.Rule]bool{}, map[protocol.Rule]bool{}
	for i := range rows {
		heavy[rows[i].why] = heavy[rows[i].why] || !rows[i].light
	}
	for i := len(rows) - 1; i >= 0; i-- {
		switch why := rows[i].why; {
		case seen[why]:
		case heavy[why]:
			others = append(others, why)
		default:
			routine = append(routine, why)
		}
		seen[rows[i].why] = true
	}
	return routine, others
}

// byWeight orders rows by how much they are wanted: those that show what went wrong, the
// longest wait, the turns of the story, then those of what is measured, two from its beginning
// for each one from its end, then the others. So many of them, the first, are wanted more than
// rules.
func byWeight(r *Run, rows []row, room int) (order []int, wanted int) {
	taken := make([]bool, len(rows))
	take := func(i int) {
		if !taken[i] {
			taken[i] = true
			order = append(order, i)
		}
	}
	wrong := r.wrong()
	for i := range rows {
		if len(order) < keptMost && slices.ContainsFunc(rows[i].names, func(name string) bool { return wrong[name] }) {
			take(i)
		}
	}
	for _, at := range r.moments() {
		if i, _ := slices.BinarySearchFunc(rows, at+1, func(x row, at sim.Time) int { return cmp.Compare(x.at, at) }); i > 0 {
			take(i - 1)
		}
	}
	first, last := 0, len(rows)-1
	for first <= last && rows[first].at < r.From {
		first++
	}
	before := first - 1
	if i := longest(rows[first:]); i >= 0 {
		take(first + i)
	}
	for _, i := range turns(rows[first:]) {
		take(first + i)
	}
	wanted = len(order)
	if begun := beginnings(rows[first:]); len(begun) <= turnsTold && len(rows) > room*3/2 {
		for _, i := range begun {
			take(first + i)
		}
	}
	for n := 0; first <= last; n++ {
		if n%3 < 2 {
			take(first)
			first++
		} else {
			take(last)
			last--
		}
	}
	for ; before >= 0; before-- {
		take(before)
	}
	return order, wanted
}

// turns are the rows that the story turns at: the first and the last of each kind, and then those
// between them if they are few.
func turns(rows []row) (list []int) {
	of, kinds := map[string][]int{}, []string{}
	for i := range rows {
		if kind := rows[i].turn; kind != "" {
			if of[kind] == nil {
				kinds = append(kinds, kind)
			}
			of[kind] = append(of[kind], i)
		}
	}
	for _, kind := range kinds {
		all := of[kind]
		list = append(list, all[0], all[len(all)-1])
	}
	for _, kind := range kinds {
		if all := of[kind]; len(all) <= turnsTold {
			list = append(list, all...)
		}
	}
	return list
}

// beginnings are the rows that begin a rebalance.
func beginnings(rows []row) (list []int) {
	for i := range rows {
		if strings.HasSuffix(rows[i].act, begins) {
			list = append(list, i)
		}
	}
	return list
}

// longest is the row with the longest wait, -1 if none is long.
func longest(rows []row) int {
	at, most := -1, long-1
	for i := range rows {
		if rows[i].waits > most {
			at, most = i, rows[i].waits
		}
	}
	return at
}

// wrong are the names of the events that show what went wrong.
func (r *Run) wrong() map[string]bool {
	names := map[string]bool{}
	for i := range r.Broken {
		names[r.Broken[i].Event] = true
	}
	for i := range r.Checks {
		if !r.Checks[i].OK {
			names[r.Checks[i].Event] = true
		}
	}
	delete(names, "")
	return names
}

// moments are those at which something showed that no event is the name of.
func (r *Run) moments() (list []sim.Time) {
	for i := range r.Broken {
		if b := &r.Broken[i]; b.Event == "" && b.Known == "" && len(list) < keptMost {
			list = append(list, b.At)
		}
	}
	if c := r.Cost; c != nil && r.Failed() > 0 && c.Total.Longest > 0 {
		list = append(list, c.Total.LongestAt, c.Total.LongestAt+c.Total.Longest)
	}
	return list
}

// chosen are so many rows, the first of the order, and what lies between them if it is less
// than leaving it out would take.
func chosen(order []int, told int) []bool {
	rows := make([]bool, len(order))
	for _, i := range order[:told] {
		rows[i] = true
	}
	for i := 0; i < len(rows); {
		gap := i
		for gap < len(rows) && !rows[gap] {
			gap++
		}
		if gap-i < fewest {
			for j := i; j < gap; j++ {
				rows[j] = true
			}
		}
		i = gap + 1
	}
	return rows
}

// write writes rows, those that are chosen or all if that is nil, and the rules behind them but
// those that are not told.
func write(r *Run, rows []row, chosen []bool, untold map[protocol.Rule]bool) (body, notes []string) {
	body = []string{"    s   who        asks       the group             is answered"}
	numbered := map[protocol.Rule]int{}
	for i := 0; i < len(rows); i++ {
		if chosen != nil && !chosen[i] {
			from := i
			for i+1 < len(rows) && !chosen[i+1] {
				i++
			}
			body = append(body, left(r, rows[from:i+1], len(rows)))
			continue
		}
		x := &rows[i]
		if text := x.why.Text().Text; text != "" && numbered[x.why] == 0 && !untold[x.why] {
			numbered[x.why] = len(numbered) + 1
			notes = append(notes, Wrap(text, Columns, fmt.Sprintf(" [%d] ", len(numbered)))...)
		}
		body = append(body, x.lines(numbered)...)
	}
	if len(untold) > 0 {
		notes = append(notes, " More rules: rebalsim why tells the one behind an event.")
	}
	return body, notes
}

// left is the line that stands for rows left out. It hides no wait.
func left(r *Run, rows []row, all int) string {
	n, last := number(len(rows)), rows[len(rows)-1].at
	waits := ""
	if i := longest(rows); i >= 0 {
		waits = ", waits up to " + span(rows[i].waits)
	}
	if last < r.From {
		return fmt.Sprintf("  ...   %s until %s, not measured%s: --full", n, span(last), waits)
	}
	return fmt.Sprintf("  ...   %s more until %s%s: --full tells all %d", n, span(last), waits, all)
}

// lines writes the row, below the heading of the act that it begins.
func (r *row) lines(numbered map[protocol.Rule]int) []string {
	var out []string
	if r.act != "" {
		h := " -- " + r.act + " "
		out = append(out, h+strings.Repeat("-", max(0, Columns-1-len(h))))
	}
	note := ""
	if n := numbered[r.why]; n > 0 {
		note = fmt.Sprintf("[%d]", n)
	}
	at := fmt.Sprintf("%6s", moment(r.at))
	line := fmt.Sprintf("%-8s%-10s ", at, people(r.who, 10))
	if len(at) > 6 {
		line = fmt.Sprintf("%s %-10s ", at, people(r.who, 10))
	}
	if r.says != "" {
		return append(out, withNote(Wrap(agreeing(r.says, len(r.who)), room(note), line), note)...)
	}
	line += fmt.Sprintf("%-10s %-21s ", short(r.asks, 10), r.group)
	return append(out, withNote(aligned(line, r.reply, room(note)), note)...)
}

// room is how wide a line is beside a note.
func room(note string) int {
	if note == "" {
		return Columns
	}
	return Columns - 1 - len(note)
}

// withNote writes a note at the end of the first line, or on one of its own.
func withNote(lines []string, note string) []string {
	switch {
	case note == "":
	case len(lines[0]) > room(note):
		lines = append(lines, strings.Repeat(" ", room(note)+1)+note)
	default:
		lines[0] = fmt.Sprintf("%-*s %s", Columns-1-max(len(note), 4), lines[0], note)
	}
	return lines
}

// aligned writes a text behind a line, as wide as there is room. One that is too long begins
// earlier, if the line ends in spaces, or goes on below.
func aligned(line, text string, room int) []string {
	if over := len(line) + len(text) - room; over > 0 {
		if bare := len(strings.TrimRight(line, " ")) + 1; len(line)-over >= bare {
			line = line[:len(line)-over]
		}
	}
	if text == "" {
		return []string{line}
	}
	lines := Wrap(text, room, line)
	if len(lines[0]) > Columns {
		lines = append([]string{line}, Wrap(text, room, strings.Repeat(" ", len(line)))...)
	}
	for i := 1; i < len(lines); i++ {
		lines[i] = lines[i][max(0, len(lines[i])-Columns):] // of what is spaces
	}
	return lines
}

// moment is a time in seconds with three digits behind the point, if seven characters do.
func moment(t sim.Time) string {
	s := seconds(t)
	if len(s) > 7 {
		s = strings.TrimRight(s[:max(7, len(s)-4)], ".")
	}
	return s
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
		return "~" + all[len(all)-width+1:] // names differ at their ends
	}
	more := fmt.Sprintf(" +%d", len(names)-1)
	if len(names[0])+len(more) <= width {
		return names[0] + more
	}
	if all = fmt.Sprintf("%d members", len(names)); len(all) > width {
		return fmt.Sprintf("%d memb.", len(names))
	}
	return all
}
