package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/golden"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// choice is what the command line says about how a scenario is played.
type choice struct {
	seed  uint64
	kafka string
	bugs  []string // known bugs that all have, besides those of the scenario

	variant string   // of the scenario's, "": none
	set     []string // KEY=VALUE

	records  bool      // every fact is kept, not only the hash of all
	untold   bool      // no story is told of it: only what is expected of it is judged
	progress io.Writer // for how far it is, nil: it is not shown
}

func (c *choice) flags(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&c.seed, "seed", 0, "what is left to chance; 0 is the plain run")
	kafkaFlag(cmd, &c.kafka)
	bugFlag(cmd, &c.bugs)
}

// variants are the flags of commands that play one run of a variant.
func (c *choice) variants(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.variant, "variant", "", "play this variant of the scenario, by its `name`")
	cmd.RegisterFlagCompletionFunc("variant", completeVariants)
	cmd.Flags().StringArrayVar(&c.set, "set", nil, "set `KEY=VALUE` for all, as compare --vary does; may be given again")
	cmd.RegisterFlagCompletionFunc("set", completeVaried)
}

// name is how a run is called.
func (c *choice) name(s *scenario) string {
	if c.variant != "" {
		return s.Name + ", " + c.variant
	}
	return s.Name
}

// of is the scenario with what the command line says otherwise.
func (c *choice) of(s *scenario) (*scenario, error) {
	one := *s
	if c.variant != "" {
		v, err := s.Variant(c.variant)
		if err != nil {
			return nil, fmt.Errorf("--variant: %w", err)
		}
		one.Scenario = v.Scenario
	}
	given := map[string]bool{}
	for _, text := range c.set {
		key, value, ok := strings.Cut(text, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !ok || key == "" || value == "":
			return nil, fmt.Errorf("--set %s: write KEY=VALUE", text)
		case given[key]:
			return nil, fmt.Errorf("--set %s: %s is given twice", text, key)
		}
		given[key] = true
		if key == "kafka" && c.kafka != "" {
			return nil, fmt.Errorf("--set %s and --kafka %s both say which release is played: leave one out", text, c.kafka)
		}
		with, err := one.Vary(key, value)
		if err != nil {
			return nil, fmt.Errorf("--set %w", err)
		}
		one.Scenario = with
	}
	return one.with(c.bugs)
}

// scenario is a scenario and where it comes from.
type scenario struct {
	*scenarios.Scenario
	Arg     string // as the command line names it
	BuiltIn bool
	Written []byte // the text
}

// loadScenario loads a file, standard input for "-", or a built-in scenario by its name. A
// name with a folder or an ending is a file's.
func loadScenario(arg string) (*scenario, error) {
	if ending := filepath.Ext(arg); arg != "-" && filepath.Base(arg) == arg && ending != ".yaml" && ending != ".yml" {
		b, err := scenarios.Find(arg)
		if err != nil {
			return nil, noScenario(arg, err)
		}
		s, err := b.Load()
		return &scenario{s, arg, true, b.Text}, err
	}
	name, text, err := readInput(arg)
	if err != nil {
		return nil, err
	}
	s, err := scenarios.Load(name, text)
	return &scenario{s, arg, false, text}, err
}

// files are those that it was read from.
func (s *scenario) files() []string {
	if s.BuiltIn {
		return nil
	}
	return []string{s.Arg}
}

// noScenario is the error of a name that no built-in scenario has: a file or a folder may
// be called so.
func noScenario(arg string, err error) error {
	if folder := isFolder(arg, ".yaml"); folder != nil {
		return folder
	}
	if _, other := os.Stat(arg); other == nil {
		return fmt.Errorf("no built-in scenario is called %q; the file is ./%s", arg, arg)
	}
	return err
}

// with is the scenario with known bugs in it, by their ids.
func (s *scenario) with(ids []string) (*scenario, error) {
	var bugs []*protocol.Bug
	for _, id := range ids {
		b, err := protocol.FindBug(id)
		if err != nil {
			return nil, err
		}
		bugs = append(bugs, b)
	}
	return &scenario{s.With(bugs...), s.Arg, s.BuiltIn, s.Written}, nil
}

// forced tells what the scenario forces upon its releases.
func forced(s *scenario) string {
	if !s.Force.Some() {
		return ""
	}
	return " with " + s.Force.String()
}

// played is a run that has ended.
type played struct {
	run      *report.Run
	recorder *golden.Recorder // nil unless it was asked for
	release  string           // names its golden trace
	world    *sim.World
}

// watcher makes an observer of a run that is about to begin.
type watcher func(w *sim.World, k scenarios.Kafka) sim.Observer

// play plays a scenario. More may watch.
func play(s *scenario, how choice, more ...watcher) (*played, error) {
	s, err := how.of(s)
	if err != nil {
		return nil, err
	}
	kafka, err := s.Releases(how.kafka)
	if err != nil {
		return nil, err
	}
	c, err := scenarios.Build(s.Scenario, kafka, &sim.Decisions{Seed: how.seed})
	if err != nil {
		return nil, err
	}
	p := &played{world: c.World, release: kafka.String()}
	hash := sim.NewTraceHash(c.World)
	if how.records {
		p.recorder = golden.NewRecorder(c.World)
		c.World.Watch(p.recorder)
	} else {
		c.World.Watch(hash)
	}
	j := newJudge(s, c, kafka)
	if !how.untold || len(j.expected) > 0 {
		c.World.Watch(j.history)
	}
	watched := invariants.New(invariants.FactsOf(c.World, c.Clients, s.Group.ID))
	c.World.Watch(watched)
	for _, watch := range more {
		c.World.Watch(watch(c.World, kafka))
	}
	var now clock
	c.World.WatchEvents(&now)
	now.showing(how.progress, c.Run)
	p.run = j.run(watched.Done(explore.EndOf(c)))
	j.idle(p.run)
	p.run.Name, p.run.Seed, p.run.Chance = how.name(s), how.seed, chance(s.Scenario, how.seed)
	if how.seed == 0 && (s.Ranges() || s.Shares()) {
		p.run.Chance += "; --seed 1 samples"
	}
	p.run.Hash, p.run.Replay = p.hash(hash), replay(s, kafka, how)
	return p, nil
}

// meantFor reports whether the scenario says anything of these releases, if it says of
// which releases what it expects holds.
func (s *scenario) meantFor(kafka scenarios.Kafka) bool {
	return len(s.Expect) == 0 || len(s.ExpectedPlain(kafka)) > 0 || len(s.Expected(kafka)) > 0
}

// hash is the hash of the run.
func (p *played) hash(h *sim.TraceHash) string {
	if p.recorder != nil {
		return p.recorder.Hash()
	}
	return golden.Hash(h)
}

// verdict is the error of a run that was not as expected.
func (p *played) verdict() error { return verdict(p.run) }

// chance says what a run leaves to chance.
func chance(s *scenarios.Scenario, seed uint64) string {
	latency := fmt.Sprintf("%s ms a message", millis(s.Latency.Min))
	switch {
	case seed == 0 && s.Ranges():
		return "plain: ranges at their least"
	case seed == 0 && s.Shares():
		return "plain: " + latency + ", no share of messages"
	case seed == 0:
		return "plain: " + latency
	case s.Latency.Fixed():
		return latency + ", order of simultaneous events drawn"
	}
	return fmt.Sprintf("%s to %s ms a message, drawn", millis(s.Latency.Min), millis(s.Latency.Max))
}

func millis(t sim.Time) string {
	s := fmt.Sprintf("%d.%03d", t/sim.Millisecond, t%sim.Millisecond)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// replay is the command that plays the run again.
func replay(s *scenario, k scenarios.Kafka, how choice) string {
	more := ""
	for _, b := range how.bugs {
		more += " --bug " + b
	}
	if how.variant != "" {
		more += " --variant " + shellWord(how.variant)
	}
	for _, text := range how.set {
		more += " --set " + shellWord(text)
	}
	return fmt.Sprintf("rebalsim run %s --kafka %s --seed %d%s", s.Arg, k, how.seed, more)
}

// shellWord is a word as a shell reads it.
func shellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,/:") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
