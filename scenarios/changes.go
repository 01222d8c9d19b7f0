package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/sim"
)

// changes are the configurations that processes have when they start again: by the step
// that changes them, plus 1, and by process. Number 0 is what each was built with.
type changes struct {
	members [][]memberChange
	brokers [][]brokerChange
}

type memberChange struct{ order sim.Body }

type brokerChange struct {
	release string
	config  *coordinator.Config
}

// restartOf is what a member starts again with.
func (p *changes) restartOf(config, member int) sim.Body { return p.members[config][member].order }

// addChanges makes the configurations of all steps. A change is on top of those that
// stand above it in the file.
func (b *builder) addChanges() error {
	members, brokers := slices.Clone(b.Members), slices.Clone(b.Brokers)
	first := make([]memberChange, len(members))
	for i := range members {
		first[i].order = consumer.NewRestart("", b.clientConfig(&members[i]))
	}
	c := &b.plan.changes
	c.members = append(c.members, first)
	c.brokers = append(c.brokers, nil)
	for step := range b.Timeline {
		var m []memberChange
		var br []brokerChange
		if a, ok := b.Timeline[step].Do.(Restart); ok && !a.Change.None() {
			var err error
			if a.Brokers {
				br = b.brokerChanges(brokers, &a)
			} else if m, err = b.memberChanges(members, &a); err != nil {
				pos := b.Timeline[step].Pos
				return &Error{File: b.File, Line: pos.Line, Column: pos.Column, Problem: err.Error()}
			}
		}
		c.members, c.brokers = append(c.members, m), append(c.brokers, br)
	}
	return nil
}

func (b *builder) memberChanges(members []Member, a *Restart) ([]memberChange, error) {
	list := make([]memberChange, len(members))
	for _, name := range a.Of {
		i := b.plan.memberPlace(name)
		m := &members[i]
		m.Config = m.Config.over(a.Change.Config.named(name))
		if a.Change.HasKafka {
			m.Kafka, m.HasKafka = a.Change.Kafka, true
		}
		if a.Change.Subscribes {
			m.Topics, m.Pattern = a.Change.Topics, a.Change.Pattern
		}
		cfg := b.clientConfig(m)
		if err := cfg.Check(); err != nil {
			return nil, fmt.Errorf("member %s: %w", name, err)
		}
		list[i].order = consumer.NewRestart(a.Change.String(), cfg)
	}
	return list, nil
}

func (b *builder) brokerChanges(brokers []Broker, a *Restart) []brokerChange {
	list := make([]brokerChange, len(brokers))
	for _, name := range a.Of {
		i := b.plan.brokerPlace(name)
		br := &brokers[i]
		br.Config = br.Config.over(a.Change.Config)
		if a.Change.HasKafka {
			br.Kafka, br.HasKafka = a.Change.Kafka, true
		}
		cfg := b.brokerConfig(br)
		list[i] = brokerChange{a.Change.String(), &cfg}
	}
	return list
}

// over is the settings with others over them.
func (c Config) over(d Config) Config {
	list := slices.DeleteFunc(slices.Clone(c.list), func(s Setting) bool { _, twice := d.Find(s.Name); return twice })
	return Config{append(list, d.list...)}
}

// String says what changes, in a few words.
func (c *Change) String() string {
	var parts []string
	if c.HasKafka {
		parts = append(parts, "Kafka "+c.Kafka.String())
	}
	for _, s := range c.Config.list {
		parts = append(parts, s.Name+"="+s.Written)
	}
	if c.Subscribes {
		parts = append(parts, "subscribes to "+strings.Join(c.Topics, ",")+c.Pattern)
	}
	return strings.Join(parts, " ")
}
