package explore

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report"
)

// Verdict is what a batch came to, with what was asked of it.
type Verdict struct {
	*Result
	// Missed are the requirements that no run met, Unused the steps of scenarios that
	// happened in no run.
	Missed []string `json:"missed"`
	Unused []Tally  `json:"unused"`
	// Mended are saved failures that do not fail any more.
	Mended []string `json:"mended"`
	// Interrupted is that somebody broke the batch off.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Interrupt says that the batch was broken off: then it is not held to what only a whole
// one can come to.
func (v *Verdict) Interrupt() { v.Interrupted, v.Missed, v.Unused = true, nil, nil }

// NewVerdict judges a result. Only a whole one is held to requirements.
func NewVerdict(r *Result, required []Requirement, mended []string) *Verdict {
	v := &Verdict{Result: r, Unused: r.Never(), Mended: mended}
	for i := range required {
		if required[i].Times(&r.Coverage) == 0 {
			v.Missed = append(v.Missed, required[i].Text)
		}
	}
	return v
}

// Exit is the exit code: 70 for a panic, 3 for a run that was not deterministic, 1 for
// what failed otherwise, 130 for a batch that was broken off, 2 if nothing was played, unless the part
// of a shard is empty.
func (v *Verdict) Exit() int {
	for i := range v.Failures {
		if v.Failures[i].Shortest.Finding.Invariant == InternalError {
			return 70
		}
	}
	switch {
	case len(v.Differs) > 0:
		return 3
	case len(v.Failures) > 0 || len(v.Missed) > 0 || len(v.Unused) > 0:
		return 1
	case v.Interrupted:
		return 130
	case v.Runs == 0 && (v.Unplayable.Runs > 0 || v.Shard == ""):
		return 2
	}
	return 0
}

// shown is how many failures the text tells before it only counts the rest.
const shown = 6

// Text writes the verdict for people: one screen.
func (v *Verdict) Text(w io.Writer) error {
	t := &text{w: w}
	t.wrap("fuzz   ", v.What+" "+v.Flags)
	t.line("%-6s %s", v.word(), v.summary())
	if v.Interrupted {
		t.line("%s", v.interruption())
	}
	for i := range v.Failures {
		if i == shown {
			t.line("\n ... and %s more: --json FILE has all", count(uint64(len(v.Failures)-shown), "kind"))
			break
		}
		v.failure(t, i)
	}
	for _, d := range v.Differs {
		t.line("\n NOT DETERMINISTIC  %s", seedOf(d.Source, d.Seed))
		for _, l := range strings.Split(d.Text, "\n") {
			t.line("   %s", l)
		}
	}
	for _, m := range v.Missed {
		t.line("\n never reached: %s", m)
	}
	for _, u := range v.Unused {
		t.line("\n in %s a step had no effect in any run:", u.Source)
		t.wrap("   ", u.Text)
	}
	for _, m := range v.Mended {
		t.line("\n does not fail any more: %s", m)
	}
	v.tail(t)
	return t.err
}

func (v *Verdict) word() string {
	switch code := v.Exit(); {
	case code == 0 && v.Runs > 0:
		return "PASS"
	case code == 0, code == 2:
		return "NONE"
	case code == 130:
		return "OPEN"
	}
	return "FAIL"
}

func (v *Verdict) interruption() string {
	s := fmt.Sprintf("interrupted: only the seeds from %d to before %d were played", v.From, v.Next)
	if v.Exit() == 130 {
		s += "; nothing failed in them"
	}
	return s
}

func (v *Verdict) summary() string {
	failed := uint64(0)
	for i := range v.Failures {
		failed = max(failed, v.Failures[i].Runs)
	}
	if v.Runs == 0 {
		return "nothing was played."
	}
	s := fmt.Sprintf("%s, %s events", count(v.Runs, "run"), thousands(v.Events))
	switch {
	case len(v.Failures) == 1:
		s = fmt.Sprintf("1 kind of failure, in %s of %s", thousands(v.Failures[0].Runs), s)
	case len(v.Failures) > 1:
		s = fmt.Sprintf("%d kinds of failure, the commonest in %s of %s", len(v.Failures), thousands(failed), s)
	}
	return s + "."
}

func (v *Verdict) failure(t *text, i int) {
	g := &v.Failures[i]
	t.line("")
	t.wrap(fmt.Sprintf(" %d  ", i+1), g.Signature)
	t.line("    %s; the shortest has %s events", g.extent(), thousands(g.Shortest.Events))
	t.wrap("    ", g.Shortest.Finding.Text)
	t.line("    replay: %s", v.Replay(g))
}

// extent says how many runs have it.
func (g *Group) extent() string {
	if g.Runs == 0 {
		return "it was saved before, and still fails"
	}
	return count(g.Runs, "run") + ", the first with " + seedOf(g.Source, g.First)
}

// Replay is the command that plays the shortest run of a group again.
func (r *Result) Replay(g *Group) string {
	if g.File != "" {
		return "rebalsim replay " + g.File
	}
	words := []string{"rebalsim fuzz", g.Source, r.Flags, fmt.Sprintf("--from %d --seeds 1", g.Shortest.Case.Seed)}
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
}

// tail tells what is no failure.
func (v *Verdict) tail(t *text) {
	t.line("")
	if names := v.broken(); len(names) == 1 {
		t.line(" what must hold, and why: rebalsim invariants %s", names[0])
	} else if len(names) > 1 {
		t.line(" what must hold, and why: rebalsim invariants NAME")
	}
	if issues := v.issues(); len(issues) > 0 {
		t.wrap(" known flaws: ", strings.Join(issues, ", ")+". They fail nothing: rebalsim invariants --flaws")
	}
	if n := v.Unplayable.Runs; n > 0 {
		t.wrap(" ", fmt.Sprintf("%s could not be played: %s", count(n, "case"), v.Unplayable.Text))
	}
	if v.Unsettled > 0 {
		t.wrap(" ", count(v.Unsettled, "run")+" stopped at the latest moment that the scenario allows (end: at-most), and not at rest; where that has no excuse, it is a failure of settles")
	}
	answers, faults := v.Coverage.Matrix(v.brokers())
	a, ofA := Reached(answers)
	f, ofF := Reached(faults)
	t.line(" reached: %d of %d answers by state, %d of %d troubles by state (--coverage)", a, ofA, f, ofF)
	if v.Twice > 0 {
		t.line(" played twice and compared: %s", count(v.Twice, "run"))
	}
}

// broken names the invariants that failures break.
func (r *Result) broken() (names []string) {
	for i := range r.Failures {
		name := r.Failures[i].Shortest.Finding.Invariant
		if name != Expectation && name != InternalError && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// issues lists the issues that explain findings, with the runs that show them, and of those that
// Kafka has no issue of, what breaks.
func (r *Result) issues() (list []string) {
	var runs []Tally
	for i := range r.Known {
		g := &r.Known[i]
		issue := g.Issue
		if issue == invariants.NoIssue {
			issue = "without an issue: " + g.Signature
		}
		at := slices.IndexFunc(runs, func(t Tally) bool { return t.Text == issue })
		if at < 0 {
			at, runs = len(runs), append(runs, Tally{Text: issue})
		}
		runs[at].Runs = max(runs[at].Runs, g.Runs)
	}
	for _, t := range runs {
		list = append(list, fmt.Sprintf("%s (%s)", t.Text, count(t.Runs, "run")))
	}
	return list
}

func (r *Result) brokers() (list []protocol.Release) {
	for _, t := range r.Brokers {
		if release, err := protocol.ParseRelease(t.Text); err == nil {
			list = append(list, release)
		}
	}
	return list
}

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

// thousands writes a number with commas.
func thousands(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func count(n uint64, what string) string {
	if n != 1 {
		what += "s"
	}
	return thousands(n) + " " + what
}

func seedOf(source string, seed uint64) string {
	if source == "" {
		return fmt.Sprintf("seed %d", seed)
	}
	return fmt.Sprintf("seed %d of %s", seed, source)
}

// text writes lines, and remembers the first error.
type text struct {
	w   io.Writer
	err error
}

func (t *text) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format+"\n", args...)
	}
}

// wrap writes a text on lines of at most 80 characters, the first one with the lead, the
// others as far in.
func (t *text) wrap(lead, s string) {
	for _, l := range report.Wrap(s, 80, lead) {
		t.line("%s", l)
	}
}
