package explore

import (
	"fmt"
	"io"
	"strings"
)

// Matrix writes what was reached as a table: a row for each answer and each trouble, a
// column for each state. A dot is what cannot be.
func (v *Verdict) Matrix(w io.Writer) error {
	t := &text{w: w}
	answers, faults := v.Coverage.Matrix(v.brokers())
	heads := []string{"away", "loading", "none", "Empty", "Prep.", "Compl.", "Stable", "Dead"}
	t.line("\n away: at a broker that has not the group. 0: possible, and never reached.")
	last := ""
	for i := 0; i < len(answers); i += states {
		kind, answer, _ := strings.Cut(answers[i].Row, " ")
		if kind != last {
			t.line("\n%-30s%s", kind, columns(heads))
			last = kind
		}
		row(t, answer, answers[i:i+states])
	}
	t.line("\n%-30s%s", "trouble", columns(heads))
	for i := 0; i < len(faults); i += states {
		row(t, faults[i].Row, faults[i:i+states])
	}
	return t.err
}

// row writes a row, unless nothing in it is possible and nothing was reached.
func row(t *text, name string, cells []Cell) {
	var list []string
	any := false
	for _, c := range cells {
		switch {
		case c.Times > 0:
			list = append(list, short(c.Times))
		case c.Possible:
			list = append(list, "0")
		default:
			list = append(list, ".")
		}
		any = any || c.Possible || c.Times > 0
	}
	if any {
		t.line("  %-28s%s", name, columns(list))
	}
}

// columns sets eight fields side by side, 50 characters.
func columns(list []string) string {
	widths := [states]int{5, 8, 6, 6, 6, 7, 7, 5}
	var b strings.Builder
	for i, s := range list {
		fmt.Fprintf(&b, "%*s", widths[i], s)
	}
	return b.String()
}

// short writes a number in at most five characters.
func short(n uint64) string {
	for _, unit := range []string{"", "k", "M", "G"} {
		if n < 10_000 {
			return fmt.Sprintf("%d%s", n, unit)
		}
		n /= 1000
	}
	return "many"
}
