package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// Facts is an observer that tells every fact of a run, a line each. It is for runs that a person
// looks at.
type Facts struct {
	// Since and Until are the first and the last moment of which is told; no Until: to the end.
	Since, Until sim.Time

	w     *sim.World
	names *history.Names
	lines []string
}

// NewFacts tells what is yet to happen in w.
func NewFacts(w *sim.World) *Facts { return &Facts{w: w, names: history.NewNames(w)} }

// Observe takes one record.
func (f *Facts) Observe(r *sim.Rec) {
	if name := f.names.Of(r); r.Fact() && r.At >= f.Since && (f.Until == 0 || r.At <= f.Until) {
		f.lines = append(f.lines, unfolded(Line(f.w, r, name), 14)...)
	}
}

// Log writes the verdict, then every fact of the run, or of a part, then how it ended.
func Log(w io.Writer, r *Run, facts *Facts) error {
	var head bytes.Buffer
	verdict(&head, r, len(r.Checks))
	out := bufio.NewWriter(w)
	out.Write(head.Bytes())
	out.WriteByte('\n')
	for _, l := range facts.lines {
		fmt.Fprintln(out, l)
	}
	if len(facts.lines) == 0 {
		fmt.Fprintln(out, " no event in this time")
	}
	if len(r.History.Clients) > 0 {
		fmt.Fprintln(out)
	}
	for _, line := range outcome(r, len(r.History.Clients)) {
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	for i, step := range r.Steps {
		if i == 0 {
			fmt.Fprintf(out, "\n timeline:\n")
		}
		fmt.Fprintf(out, "  %s, %s: %s\n", counted(step.Times, "time"), counted(step.Effects, "effect"), step.Text)
	}
	fmt.Fprintf(out, "\n replay: %s\n trace:  %s\n", r.Replay, r.Hash)
	return out.Flush()
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
