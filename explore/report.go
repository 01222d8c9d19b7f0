package explore

import (
	"cmp"
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
	// Replaced are saved failures that did not fail any more, and in whose place is another
	// run that fails so.
	Replaced []string `json:"replaced"`
	// Interrupted is that somebody broke the batch off.
	Interrupted bool `json:"interrupted,omitempty"`
	// Lacking is what results that were added up lack to be a whole batch. Partial is that
	// they are judged all the same.
	Lacking []string `json:"lacking"`
	Partial bool     `json:"partial,omitempty"`
	// Again, if not nil, is the command that plays the shortest run of a group again, where
	// that is none of rebalsim's.
	Again func(*Group) string `json:"-"`
}

// Interrupt says that somebody has broken the batch off.
func (v *Verdict) Interrupt() {
	v.Interrupted = true
	if v.Ended == BrokenOff {
		v.unheld()
	}
}

// Lack says what is lacking of the whole batch, if anything is. Partial is that what there is
// is judged for itself.
func (v *Verdict) Lack(lacking []string, partial bool) {
	v.Lacking, v.Partial = lacking, partial
	if len(lacking) > 0 && !partial {
		v.unheld()
	}
}

// Replace says in which files of failures that do not fail any more others have been saved.
func (v *Verdict) Replace(files []string) {
	v.Replaced = files
	v.Mended = slices.DeleteFunc(v.Mended, func(m string) bool { return slices.Contains(files, m) })
}

// unheld is that the batch is not held to what only a whole one can come to.
func (v *Verdict) unheld() { v.Missed, v.Unused = nil, nil }

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

// Exit is the exit code: 70 for a panic, 3 for a run that was not deterministic, 1 for what
// failed otherwise or is not whole, 130 for a batch that somebody broke off, 2 if nothing was
// played, unless the part of a shard is empty.
func (v *Verdict) Exit() int {
	for i := range v.Failures {
		if v.Failures[i].Shortest.Finding.Invariant == InternalError {
			return 70
		}
	}
	switch {
	case len(v.Differs) > 0:
		return 3
	case v.failed() || v.partless():
		return 1
	case v.Interrupted && v.Ended == BrokenOff:
		return 130
	case v.Runs == 0 && (v.Unplayable.Runs > 0 || v.Shard == ""):
		return 2
	}
	return 0
}

// failed reports whether something of what was played is not as it should be.
func (v *Verdict) failed() bool {
	return len(v.Failures) > 0 || len(v.Differs) > 0 || len(v.Missed) > 0 || len(v.Unused) > 0
}

// partless reports whether parts are lacking that are asked for.
func (v *Verdict) partless() bool { return len(v.Lacking) > 0 && !v.Partial }

// shown is how many failures the text tells before it only counts the rest, shownFlaws how many
// known flaws.
const (
	shown      = 6
	shownFlaws = 3
)

// Text writes the verdict for people: one screen.
func (v *Verdict) Text(w io.Writer) error {
	t := &text{w: w}
	t.wrap("fuzz   ", v.What+" "+v.Flags)
	t.line("%-6s %s", v.word(), v.summary())
	v.extent(t)
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
	for _, m := range v.Replaced {
		t.line("\n replaced, since it did not fail any more: %s", m)
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
	case code == 130, code == 1 && !v.failed():
		return "OPEN"
	}
	return "FAIL"
}

// extent says what of the seeds was played, if it was not just those that were asked for.
func (v *Verdict) extent(t *text) {
	if v.Interrupted {
		t.line("%s", v.interruption())
	}
	if v.Ended == TimeUp {
		s := fmt.Sprintf("time was up: the seeds from %d to before %d were played", v.From, v.Next)
		if v.Furthest > 0 {
			s += fmt.Sprintf(" by all shards, to before %d by some", v.Furthest)
		}
		t.wrap("", s)
	}
	for _, l := range v.Lacking {
		t.wrap("not whole: ", l)
	}
	switch {
	case v.partless():
		t.wrap("", "Play what is lacking with the same command; --partial judges what there is alone")
	case len(v.Lacking) > 0:
		t.line("what there is is judged alone: --partial")
	}
}

func (v *Verdict) interruption() string {
	switch {
	case v.Ended != BrokenOff:
		return "interrupted: everything was played, and failures are not as small as they could be"
	case v.failed():
		return fmt.Sprintf("interrupted: only the seeds from %d to before %d were played", v.From, v.Next)
	}
	return fmt.Sprintf("interrupted: only the seeds from %d to before %d were played; nothing failed in them", v.From, v.Next)
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
	case failed == 0 && len(v.Failures) > 0:
		s = fmt.Sprintf("%s, saved before, and none in these: %s", kindsOf(len(v.Failures)), s)
	case len(v.Failures) == 1:
		s = fmt.Sprintf("%s, in %s of %s", kindsOf(1), thousands(failed), s)
	case len(v.Failures) > 1:
		s = fmt.Sprintf("%s, the commonest in %s of %s", kindsOf(len(v.Failures)), thousands(failed), s)
	}
	return s + "."
}

func kindsOf(n int) string {
	if n == 1 {
		return "1 kind of failure"
	}
	return fmt.Sprintf("%d kinds of failure", n)
}

func (v *Verdict) failure(t *text, i int) {
	g := &v.Failures[i]
	t.line("")
	t.wrap(fmt.Sprintf(" %d  ", i+1), g.Signature)
	which := "the shortest"
	if g.Kept {
		which = "the saved run"
	}
	t.line("    %s; %s has %s events", g.extent(), which, thousands(g.Shortest.Events))
	t.wrap("    ", g.text())
	for _, s := range g.Shortest.Stack {
		t.line("      %s", strings.ReplaceAll(s, "\n", "\n      "))
	}
	t.line("    replay: %s", v.Replay(g))
}

// text says what was found in the shortest run, and what in all if that is a figure.
func (g *Group) text() string {
	s := g.Shortest.Finding.Text
	if all := g.Spread.String(); all != "" {
		s += "; with these seeds " + all
	}
	return s
}

// extent says how many runs have it.
func (g *Group) extent() string {
	if g.Runs == 0 {
		return "it was saved before, and still fails"
	}
	return count(g.Runs, "run") + ", the first with " + seedOf(g.Source, g.First)
}

// Replay is the command that plays the shortest run of a group again.
func (v *Verdict) Replay(g *Group) string {
	switch {
	case v.Again != nil:
		return v.Again(g)
	case g.File != "":
		return "rebalsim replay " + g.File
	}
	words := []string{"rebalsim fuzz", g.Source, v.Flags, fmt.Sprintf("--from %d --seeds 1", g.Shortest.Case.Seed)}
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
		more := ""
		if n := len(issues) - shownFlaws; n > 0 {
			issues, more = issues[:shownFlaws], fmt.Sprintf(" and %d more", n)
		}
		t.wrap(" known flaws: ", strings.Join(issues, ", ")+more+". They fail nothing: rebalsim invariants --flaws")
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
		if name != Expectation && name != InternalError && name != ClientPanic && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// issues lists the issues that explain findings, with the runs that show them, and of those that
// Kafka has no issue of, what breaks: the commonest first.
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
	slices.SortStableFunc(runs, func(a, b Tally) int { return cmp.Compare(b.Runs, a.Runs) })
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
