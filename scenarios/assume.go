package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Assumption is a quantity that a run rests on, given in the file or by a default.
type Assumption struct {
	// Name is a setting's, or a key's of the language.
	Name string
	// Value is what it is; of the first member or step, if they differ.
	Value sim.Span
	// Rate is that it is no length of time but a number of records a second.
	Rate bool

	change func(s *Scenario, scale func(int64) int64)
}

// Scaled is the scenario with the quantity num/den times as large for all.
func (a *Assumption) Scaled(s *Scenario, num, den int64) *Scenario {
	c := *s
	a.change(&c, func(n int64) int64 { return n * num / den })
	return &c
}

// assumed are the consumer's settings that are lengths of time and play a part in what
// a rebalance costs.
var assumed = []struct {
	name string
	of   func(*consumer.Settings) int64
}{
	{"session.timeout.ms", func(s *consumer.Settings) int64 { return s.SessionTimeout }},
	{"heartbeat.interval.ms", func(s *consumer.Settings) int64 { return s.HeartbeatInterval }},
	{"max.poll.interval.ms", func(s *consumer.Settings) int64 { return s.MaxPollInterval }},
	{"auto.commit.interval.ms", func(s *consumer.Settings) int64 { return s.AutoCommitInterval }},
	{"fetch.max.wait.ms", func(s *consumer.Settings) int64 { return s.FetchMaxWait }},
	{"retry.backoff.ms", func(s *consumer.Settings) int64 { return s.RetryBackoff }},
	{"metadata.max.age.ms", func(s *consumer.Settings) int64 { return s.MetadataMaxAge }},
	{"request.timeout.ms", func(s *consumer.Settings) int64 { return s.RequestTimeout }},
}

// Assumptions lists the quantities that a scenario rests on.
func (s *Scenario) Assumptions() []Assumption {
	list := []Assumption{{Name: "latency", Value: s.Latency, change: func(s *Scenario, scale func(int64) int64) {
		s.Latency = scaledSpan(s.Latency, scale)
	}}}
	if x := s.Members[0].Program.PerBatch; x.Max > 0 {
		list = append(list, Assumption{Name: "per-batch", Value: x, change: scaleBatches})
	}
	for i := range s.Topics {
		if r := s.Topics[i].Rate; r.Records > 0 {
			list = append(list, Assumption{Name: "rate", Rate: true, Value: Span{Min: sim.Time(r.Records * int64(sim.Second) / int64(r.Per))},
				change: scaleRates})
			break
		}
	}
	for i := range s.Timeline {
		if a, ok := s.Timeline[i].Do.(Restart); ok && a.Down.Max > 0 {
			list = append(list, Assumption{Name: "down", Value: a.Down, change: scaleDown})
			break
		}
	}
	list = append(list, s.assumedSteps()...)
	return append(list, s.assumedSettings()...)
}

// timesOf gives f each length of time that a step assumes, by its name, and is the action
// with what f makes of it.
func timesOf(a Action, f func(name string, t sim.Time) sim.Time) Action {
	switch x := a.(type) {
	case Restart:
		if x.AtATime > 0 && !x.Ready {
			x.After = f("next-when", x.After)
		}
		if x.Brokers {
			x.LoadTime = f("load-takes", x.LoadTime)
		}
		return x
	case Deploy:
		if !x.Ready {
			x.After = f("next-when", x.After)
		}
		return x
	case Scale:
		x.Gap = f("gap", x.Gap)
		return x
	case Freeze:
		x.For = f("for", x.For)
		return x
	case Slow:
		x.For = f("for", x.For)
		return x
	case Cut:
		x.For = f("for", x.For)
		return x
	case StallLog:
		x.For = f("for", x.For)
		return x
	case FailLog:
		x.For = f("for", x.For)
		return x
	case Delay:
		x.By = f("by", x.By)
		return x
	case Crash:
		x.Noticed, x.Elected, x.LoadTime = f("noticed-after", x.Noticed), f("elected-after", x.Elected), f("load-takes", x.LoadTime)
		return x
	case Move:
		x.Noticed, x.LoadTime = f("noticed-after", x.Noticed), f("load-takes", x.LoadTime)
		return x
	}
	return a
}

// assumedSteps lists the lengths of time that steps of the timeline assume.
func (s *Scenario) assumedSteps() (list []Assumption) {
	for i := range s.Timeline {
		timesOf(s.Timeline[i].Do, func(name string, t sim.Time) sim.Time {
			known := slices.ContainsFunc(list, func(a Assumption) bool { return a.Name == name })
			if t > 0 && !known {
				list = append(list, Assumption{Name: name, Value: Span{Min: t, Max: t}, change: func(s *Scenario, scale func(int64) int64) {
					s.scaleSteps(name, scale)
				}})
			}
			return t
		})
	}
	return list
}

func (s *Scenario) scaleSteps(name string, scale func(int64) int64) {
	s.Timeline = slices.Clone(s.Timeline)
	for i := range s.Timeline {
		s.Timeline[i].Do = timesOf(s.Timeline[i].Do, func(n string, t sim.Time) sim.Time {
			if n != name {
				return t
			}
			return scaledMillis(Span{Min: t, Max: t}, scale).Min
		})
	}
}

func scaledSpan(x Span, scale func(int64) int64) Span {
	return Span{Min: sim.Time(scale(int64(x.Min))), Max: sim.Time(scale(int64(x.Max)))}
}

// scaledMillis is scaledSpan in whole milliseconds.
func scaledMillis(x Span, scale func(int64) int64) Span {
	return scaledSpan(x, func(n int64) int64 { return scale(n) / int64(sim.Millisecond) * int64(sim.Millisecond) })
}

func scaleBatches(s *Scenario, scale func(int64) int64) {
	s.Members = slices.Clone(s.Members)
	for i := range s.Members {
		p := &s.Members[i].Program
		p.PerBatch = scaledMillis(p.PerBatch, scale)
	}
}

func scaleRates(s *Scenario, scale func(int64) int64) {
	s.Topics = slices.Clone(s.Topics)
	for i := range s.Topics {
		if r := &s.Topics[i].Rate; r.Records > 0 {
			r.Records = max(1, scale(r.Records))
		}
	}
}

func scaleDown(s *Scenario, scale func(int64) int64) {
	s.Timeline = slices.Clone(s.Timeline)
	for i := range s.Timeline {
		if a, ok := s.Timeline[i].Do.(Restart); ok {
			a.Down = scaledMillis(a.Down, scale)
			s.Timeline[i].Do = a
		}
	}
}

func (s *Scenario) assumedSettings() (list []Assumption) {
	value := func(s *Scenario, i, k int) int64 {
		m := &s.Members[i]
		release := s.Kafka.Client
		if m.HasKafka {
			release = m.Kafka
		}
		rules := protocol.ClientRulesOf(release)
		settings := clientSettings(consumer.SettingsOf(&rules), m.Config)
		return assumed[k].of(&settings)
	}
	for k := range assumed {
		v := sim.Time(value(s, 0, k)) * sim.Millisecond
		list = append(list, Assumption{Name: assumed[k].name, Value: Span{Min: v, Max: v}, change: func(s *Scenario, scale func(int64) int64) {
			s.Members = slices.Clone(s.Members)
			for i := range s.Members {
				c := Setting{Name: assumed[k].name, Duration: sim.Time(scale(value(s, i, k))) * sim.Millisecond}
				s.Members[i].Config = s.Members[i].Config.over(Config{[]Setting{c}})
			}
		}})
	}
	return list
}
