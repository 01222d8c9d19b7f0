package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/explore/search"
	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

func newReplayCmd() *cobra.Command {
	var markdown string
	var how telling
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Play a run that fuzz has saved, and say whether it still fails",
		Long: `Play a run that "rebalsim fuzz" or "rebalsim explore" has saved: its scenario with the
answers of chance that it had then. Says whether what went wrong still does, and tells what
happened. Exit code 1 if anything goes wrong in it, 0 if nothing does.`,
		Example: `  rebalsim replay rebalsim-failures/one-owner-Stable-1a2b3c.yaml
  rebalsim replay failure.yaml --report issue.md
  rebalsim replay failure.yaml -v --since 20s --until 30s`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := how.check(); err != nil {
				return err
			}
			how.progress = cmd.ErrOrStderr()
			name, text, err := readInput(args[0])
			if err != nil {
				return err
			}
			if err := writable(args, target{"report", markdown}); err != nil {
				return err
			}
			if search.Saved(text) {
				return replayPath(cmd.OutOrStdout(), name, text, how)
			}
			f, err := explore.ReadCase(name, text)
			if err != nil {
				return err
			}
			t, err := tell(f, args[0], explore.HoldsCase(text), how, nil)
			if err != nil {
				return err
			}
			if err := t.text(cmd.OutOrStdout()); err != nil {
				return err
			}
			if err := writeTo(markdown, t.markdown); err != nil {
				return fmt.Errorf("--report: %w", err)
			}
			return t.verdict()
		},
	}
	cmd.Flags().StringVar(&markdown, "report", "", "write a Markdown `file` to paste into a bug tracker")
	how.flags(cmd)
	return cmd
}

// told is a saved run that was played again.
type told struct {
	*explore.Failure
	file    string
	saved   bool // it is more than a scenario
	outcome explore.Outcome
	run     *report.Run
	how     telling
	facts   *report.Facts // those to be told
}

// tell plays a saved run, to be told so. One more may watch, unless it is nil.
func tell(f *explore.Failure, file string, saved bool, how telling, more func(*scenarios.Cluster) sim.Observer) (*told, error) {
	t := &told{Failure: f, file: file, saved: saved, how: how}
	loaded, err := scenarios.Load(file, []byte(f.Scenario))
	if err != nil {
		return nil, err
	}
	if loaded, err = f.Force(loaded); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &scenario{Scenario: loaded, Arg: file}
	kafka, err := s.Releases(f.Kafka)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var j *judge
	watching := []func(*scenarios.Cluster) sim.Observer{func(c *scenarios.Cluster) sim.Observer {
		j = newJudge(s, c, kafka)
		return j.history
	}}
	if how.verbose {
		watching = append(watching, func(c *scenarios.Cluster) sim.Observer {
			t.facts = how.facts(c.World)
			return t.facts
		})
	}
	if more != nil {
		watching = append(watching, more)
	}
	var p explore.Player
	var o explore.Outcome
	var now clock
	watching = append(watching, func(*scenarios.Cluster) sim.Observer { return &now })
	now.showing(how.progress, func() { o = p.Play(f.Case, watching...) })
	if o.Err != nil {
		return nil, o.Err
	}
	t.outcome = o
	t.run = j.run(slices.Concat(wrong(o.Findings), o.Known))
	if !saved { // of a scenario; what was saved is one of many runs, of which one suffices for a step
		j.idle(t.run)
	}
	t.run.Name, t.run.Seed, t.run.Chance = strings.TrimSuffix(filepath.Base(file), ".yaml"), f.Seed, t.chance(loaded)
	t.run.Hash, t.run.Replay = o.Hash, "rebalsim replay "+file
	return t, nil
}

// wrong are findings as what is wrong, also if it was looked for: a bug that was put in
// explains nothing.
func wrong(list []explore.Finding) []explore.Finding {
	list = slices.Clone(list)
	for i := range list {
		list[i].Known = ""
	}
	return list
}

// where says when a finding showed, and at which event.
func where(f *explore.Finding) string {
	if f.Event == "" {
		return fmt.Sprintf("at %s s: ", f.At)
	}
	return fmt.Sprintf("at %s s, %s: ", f.At, f.Event)
}

func (t *told) chance(s *scenarios.Scenario) string {
	switch {
	case t.Recorded && len(t.Decisions) == 0:
		return "plain"
	case t.Recorded && len(t.Decisions) == 1:
		return "one answer of chance is not plain"
	case t.Recorded:
		return fmt.Sprintf("%d answers of chance are not plain", len(t.Decisions))
	}
	return chance(s, t.Seed)
}

// compared says what has become of what was saved, "" if nothing was.
func (t *told) compared() string {
	switch {
	case t.Signature == "" && len(t.outcome.Findings) == 0:
		return "nothing goes wrong in it"
	case t.Signature == "":
		return "it was saved without a failure, and fails"
	case !t.outcome.Has(t.Signature) && (&explore.Outcome{Findings: t.outcome.Known}).Has(t.Signature):
		return "it still shows " + t.Signature + ", which is a known flaw: \"rebalsim invariants --flaws\" tells of it"
	case !t.outcome.Has(t.Signature):
		return "it does not fail any more as it did: " + t.Signature
	case t.Hash != "" && t.Hash != t.outcome.Hash:
		return "it fails as it did, in another run: the trace was " + t.Hash
	}
	return "it fails as it did, event by event"
}

// verdict is the error of a run in which something goes wrong.
func (t *told) verdict() error { return verdict(t.run) }

func (t *told) text(w io.Writer) error {
	if err := t.how.tell(w, t.run, t.facts); err != nil {
		return err
	}
	if !t.saved {
		return nil
	}
	for _, line := range report.Wrap(t.compared(), report.Columns, " saved:  ") {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// markdown writes what a bug tracker wants to know: what, with which versions, how to see
// it, the scenario, and what happened.
func (t *told) markdown(w io.Writer) error {
	var b strings.Builder
	title := cmp.Or(t.Signature, t.run.Name)
	if t.Signature == "" && len(t.outcome.Findings) > 0 {
		title = explore.SignatureOf(&t.outcome.Findings[0])
	}
	fmt.Fprintf(&b, "# %s\n\n", title)
	for _, x := range t.outcome.Findings {
		fmt.Fprintf(&b, "- **%s**, %s%s\n", explore.SignatureOf(&x), where(&x), x.Text)
	}
	fmt.Fprintf(&b, "\n| | |\n| --- | --- |\n| Kafka | %s |\n| chance | %s |\n| found by rebalsim | %s |\n| played by rebalsim | %s |\n| trace | `%s` |\n",
		t.run.Kafka, t.run.Chance, ofVersion(t.Version), ofVersion(version()), t.outcome.Hash)
	if t.saved {
		fmt.Fprintf(&b, "| saved run | %s |\n", t.compared())
	}
	run := *t.run // whoever reads it has the file, and no folder of ours
	run.Full, run.Replay = false, "rebalsim replay "+t.ownName()
	fmt.Fprintf(&b, "\n## How to see it\n\nSave this as `%s`:\n\n```yaml\n%s```\n\n```console\n$ %s\n```\n", t.ownName(), t.Marshal(), run.Replay)
	b.WriteString("\n## What happened\n\n```\n")
	if err := report.Story(&b, &run); err != nil {
		return err
	}
	b.WriteString("```\n\n```mermaid\n")
	if err := report.Mermaid(&b, &run); err != nil {
		return err
	}
	b.WriteString("```\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// ownName is what the file is called without its folder.
func (t *told) ownName() string { return strings.TrimSuffix(filepath.Base(t.file), ".yaml") + ".yaml" }

// ofVersion says a version, or why there is none to be said.
func ofVersion(v string) string {
	switch v {
	case "":
		return "not said"
	case "(devel)":
		return "(devel): the build does not say of which commit (go build -buildvcs=true does)"
	}
	return v
}
