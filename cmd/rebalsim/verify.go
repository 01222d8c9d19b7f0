package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/golden"
	"github.com/rebalsim/rebalsim/scenarios"
)

func newVerifyCmd() *cobra.Command {
	var how choice
	var update bool
	var dir string
	cmd := &cobra.Command{
		Use:        "verify [SCENARIO…]",
		SuggestFor: []string{"check", "test"},
		Short:      "Play scenarios again and compare them with their golden traces",
		Long: `Play scenarios, all built-in ones if none is named, check their expectations, and
compare each run with its golden trace. A built-in scenario's trace is part of the
program; a file's stands beside it: my-group.yaml has my-group@3.9.1.trace.

--update writes the traces anew, those of built-in scenarios into the folder --golden.
It refuses while an expectation fails.`,
		Example: `  rebalsim verify
  rebalsim verify leader-not-first my-group.yaml
  rebalsim verify my-group.yaml --update`,
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			if update && how.seed != 0 {
				return fmt.Errorf("--update keeps the plain run: leave --seed out")
			}
			runs, err := toVerify(args, how)
			if err != nil {
				return err
			}
			v := verifier{cmd: cmd, update: update, dir: dir}
			for _, r := range runs {
				if err := v.one(r); err != nil {
					return err
				}
			}
			return v.summary()
		},
	}
	how.flags(cmd)
	cmd.Flags().BoolVar(&update, "update", false, "write the golden traces anew")
	cmd.Flags().StringVar(&dir, "golden", "golden", "`folder` for the golden traces of built-in scenarios, with --update")
	return cmd
}

// verification is a scenario and how it is to be played.
type verification struct {
	s   *scenario
	how choice
}

// toVerify loads everything before anything is played. Each scenario is played as it
// says and, unless a release was chosen, with every other that it has a trace for.
func toVerify(args []string, how choice) ([]verification, error) {
	if len(args) == 0 {
		for _, b := range scenarios.List() {
			args = append(args, b.Name)
		}
	}
	var runs []verification
	for _, name := range args {
		if name == "-" {
			return nil, errors.New("verify wants a file: standard input has no golden trace beside it")
		}
		s, err := loadScenario(name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, verification{s, how})
		if how.kafka != "" {
			continue
		}
		for _, release := range otherReleases(s) {
			other := how
			other.kafka = release
			runs = append(runs, verification{s, other})
		}
	}
	return runs, nil
}

type verifier struct {
	cmd     *cobra.Command
	update  bool
	dir     string
	good    int
	bad     int
	written int
}

func (v *verifier) one(r verification) error {
	if kafka, err := r.s.Releases(r.how.kafka); err == nil && r.how.kafka != "" && !r.s.meantFor(kafka) {
		v.printf("SKIP  %s: it says nothing of Kafka %s\n", r.s.Name, kafka.Long())
		return nil
	}
	r.how.records = true
	p, err := play(r.s, r.how)
	if err != nil {
		return err
	}
	label := fmt.Sprintf("%s (Kafka %s)", r.s.Name, p.run.Kafka)
	if !v.asExpected(p, label) {
		return nil
	}
	if v.update {
		return v.write(r.s, p)
	}
	text, ok, err := keptTrace(r.s, p.release)
	if r.how.seed != 0 {
		ok = false // kept is the plain run
	}
	switch {
	case err != nil:
		return err
	case !ok && (r.how.kafka != "" || r.how.seed != 0):
		v.good++
		v.printf("PASS  %s  %s (no golden trace to compare with)\n", label, p.run.Hash)
		return nil
	case !ok:
		v.bad++
		v.printf("FAIL  %s: it has no golden trace; verify --update writes one\n", label)
		return nil
	}
	diff, err := golden.Compare(text, p.recorder)
	if err != nil {
		return fmt.Errorf("%s: %w", label, err)
	}
	if diff != nil {
		v.bad++
		v.printf("FAIL  %s: the run is not as in its golden trace\n%s  replay: %s\n", label, diff, p.run.Replay)
		return nil
	}
	v.good++
	v.printf("PASS  %s  %s\n", label, p.run.Hash)
	return v.variants(r)
}

// asExpected reports whether a run met its expectations, and tells those that it did not.
func (v *verifier) asExpected(p *played, label string) bool {
	if p.run.Failed() == 0 {
		return true
	}
	v.bad++
	v.printf("FAIL  %s: %d of %d expectations are not met\n", label, p.run.Failed(), len(p.run.Checks))
	for _, c := range p.run.Checks {
		if !c.OK {
			v.printf("  not so: %s\n          %s\n", c.Text, c.Detail)
		}
	}
	v.printf("  replay: %s\n", p.run.Replay)
	return false
}

// variantSeeds is with how many seeds, from 1 on, the variants of a scenario are played.
const variantSeeds = 1

// variants judges what a file expects of its variants: lists of the plain run of each, and
// their figures.
func (v *verifier) variants(r verification) error {
	if r.how.kafka != "" || r.how.seed != 0 {
		return nil
	}
	for i := range r.s.Variants {
		if s := r.s.Variants[i].Scenario; len(s.ExpectedPlain(s.Kafka)) > 0 {
			how := r.how
			how.variant = r.s.Variants[i].Name
			p, err := play(r.s, how)
			if err != nil {
				return err
			}
			if label := fmt.Sprintf("%s (Kafka %s)", p.run.Name, p.run.Kafka); !v.asExpected(p, label) {
				continue
			}
			v.good++
			v.printf("PASS  %s: %d expectations of it\n", p.run.Name, len(p.run.Checks))
		}
	}
	if len(r.s.Figures) == 0 {
		return nil
	}
	verdicts, err := verifyVariants(r.s, variantSeeds)
	if err != nil {
		return err
	}
	bad := 0
	for _, x := range verdicts {
		if x.Instead != "" {
			bad++
			v.printf("  not so: %s\n          %s\n", x.Text, x.Instead)
		}
	}
	if bad > 0 {
		v.bad++
		v.printf("FAIL  %s: %d of %d expectations of its variants are not met\n  replay: rebalsim compare %s --seeds %d\n", r.s.Name, bad, len(verdicts), r.s.Arg, variantSeeds)
		return nil
	}
	v.good++
	v.printf("PASS  %s: %d expectations of its variants, with %d seed\n", r.s.Name, len(verdicts), variantSeeds)
	return nil
}

func (v *verifier) write(s *scenario, p *played) error {
	path := filepath.Join(v.dir, golden.FileName(s.Name, p.release))
	if !s.BuiltIn {
		path = besideFile(s, p.release)
	}
	text := p.recorder.Text(fmt.Sprintf("%s, Kafka %s, seed %d", s.Name, p.run.Kafka, p.run.Seed))
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		v.good++
		return nil
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return unwritable(path, err)
	}
	v.good++
	v.written++
	v.printf("wrote %s\n", path)
	return nil
}

func (v *verifier) summary() error {
	switch {
	case v.update:
		v.printf("%s written, %d unchanged\n", plural(v.written, "golden trace"), v.good-v.written)
	default:
		v.printf("%d passed, %d failed\n", v.good, v.bad)
	}
	if v.bad > 0 {
		return failed{exitFailed}
	}
	return nil
}

func (v *verifier) printf(format string, args ...any) {
	fmt.Fprintf(v.cmd.OutOrStdout(), format, args...)
}

// keptTrace is the golden trace of a scenario for a release; ok is false if there is none.
func keptTrace(s *scenario, release string) (text string, ok bool, err error) {
	if s.BuiltIn {
		text, ok = golden.Kept(s.Name, release)
		return text, ok, nil
	}
	b, err := os.ReadFile(besideFile(s, release))
	if os.IsNotExist(err) {
		return "", false, nil
	}
	return string(b), err == nil, err
}

// otherReleases are those that the scenario does not name and has golden traces for.
func otherReleases(s *scenario) []string {
	files := golden.Names(s.Name)
	if !s.BuiltIn {
		files, _ = filepath.Glob(besideFile(s, "*"))
	}
	var list []string
	for _, f := range files {
		release := strings.TrimSuffix(f[strings.LastIndex(f, "@")+1:], ".trace")
		if release != s.Kafka.String() {
			list = append(list, release)
		}
	}
	return list
}

// besideFile is where the golden trace of a scenario file stands.
func besideFile(s *scenario, release string) string {
	return strings.TrimSuffix(s.File, ".yaml") + golden.FileName("", release)
}
