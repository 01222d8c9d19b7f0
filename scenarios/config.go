package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/assignor"
	"github.com/rebalsim/rebalsim/sim"
)

// Config is a set of Kafka's settings under Kafka's names, each at most once. A
// setting that is not in it has Kafka's default of the release.
type Config struct{ list []Setting }

// Setting is the value of a setting. Which field counts is a matter of the setting's
// type.
type Setting struct {
	Pos      Pos
	Name     string
	Duration sim.Time // whole milliseconds
	Number   int64
	Bool     bool
	Text     string
	List     []string
	// Written is the value as the file has it, on one line.
	Written string
}

// Find gives a setting's value; ok is false if it is not set.
func (c Config) Find(name string) (s Setting, ok bool) {
	for _, s := range c.list {
		if s.Name == name {
			return s, true
		}
	}
	return Setting{}, false
}

// Millis is the value of a setting that is a length of time, or def if it is not set.
func (c Config) Millis(name string, def int64) int64 {
	if s, ok := c.Find(name); ok {
		return s.Duration.Millis()
	}
	return def
}

// Number is the value of a setting that is a number or a size in bytes, or def if it
// is not set.
func (c Config) Number(name string, def int64) int64 {
	if s, ok := c.Find(name); ok {
		return s.Number
	}
	return def
}

// Bool is the value of a setting that is true or false, or def if it is not set.
func (c Config) Bool(name string, def bool) bool {
	if s, ok := c.Find(name); ok {
		return s.Bool
	}
	return def
}

// Text is the value of a setting that is a text or one of several words, or def if
// it is not set.
func (c Config) Text(name, def string) string {
	if s, ok := c.Find(name); ok {
		return s.Text
	}
	return def
}

// Texts is the value of a setting that is a list, or def if it is not set.
func (c Config) Texts(name string, def []string) []string {
	if s, ok := c.Find(name); ok {
		return s.List
	}
	return def
}

// Settings lists what is set, in the order of the file.
func (c Config) Settings() []Setting { return c.list }

// settingType is the type of a setting.
type settingType uint8

const (
	settingDuration settingType = iota // milliseconds, written as 45s or as 45000
	settingMinutes                     // written as 24h or as 1440
	settingNumber
	settingSize // bytes
	settingBool
	settingText
	settingWord      // one of words
	settingAssignors // a list of assignors
)

// settingSpec is a setting that plays a part in the simulation.
type settingSpec struct {
	name     string
	kind     settingType
	low, max int64 // milliseconds, of a number or a size
	words    []string
	// def is Kafka's default, for the reader of docs/language.md.
	def string
	// since is the release that brought it; "": all have it.
	since string
}

const maxInt = 1<<31 - 1

// consumerSettings are the consumer's settings that a member can have.
var consumerSettings = []settingSpec{
	{"auto.commit.interval.ms", settingDuration, 1, maxInt, nil, "5s", ""},
	{"auto.offset.reset", settingWord, 0, 0, []string{"latest", "earliest", "none"}, "latest", ""},
	{"client.rack", settingText, 0, 0, nil, "none", ""},
	{"default.api.timeout.ms", settingDuration, 1, maxInt, nil, "1m", "2.0"},
	{"enable.auto.commit", settingBool, 0, 0, nil, "true", ""},
	{"fetch.max.wait.ms", settingDuration, 0, maxInt, nil, "500ms", ""},
	{"group.instance.id", settingText, 0, 0, nil, "none", "2.3"},
	{"heartbeat.interval.ms", settingDuration, 1, maxInt, nil, "3s", ""},
	{"internal.leave.group.on.close", settingBool, 0, 0, nil, "true", "0.11"},
	{"max.poll.interval.ms", settingDuration, 1, maxInt, nil, "5m", "0.10.1"},
	{"max.poll.records", settingNumber, 1, maxInt, nil, "500; in 0.10.0 2147483647", ""},
	{"metadata.max.age.ms", settingDuration, 0, maxInt, nil, "5m", ""},
	{"partition.assignment.strategy", settingAssignors, 0, 0, nil, "[range, cooperative-sticky]; before 3.0 [range]", ""},
	{"reconnect.backoff.max.ms", settingDuration, 0, maxInt, nil, "1s", "0.11"},
	{"reconnect.backoff.ms", settingDuration, 0, maxInt, nil, "50ms", ""},
	{"request.timeout.ms", settingDuration, 1, maxInt, nil, "30s; 0.10.1 to 1.1 305s; before 40s", ""},
	{"retry.backoff.max.ms", settingDuration, 0, maxInt, nil, "1s", "3.7"},
	{"retry.backoff.ms", settingDuration, 1, maxInt, nil, "100ms", ""},
	{"session.timeout.ms", settingDuration, 1, maxInt, nil, "45s; before 3.0 10s; before 0.10.1 30s", ""},
}

// brokerSettings are the broker's settings that a broker can have.
var brokerSettings = []settingSpec{
	{"group.coordinator.append.linger.ms", settingDuration, 0, maxInt, nil, "10ms; 4.0 only", ""},
	{"group.initial.rebalance.delay.ms", settingDuration, 0, maxInt, nil, "3s", "0.11"},
	{"group.max.session.timeout.ms", settingDuration, 1, maxInt, nil, "30m; before 2.3 5m; in 0.9 30s", ""},
	{"group.max.size", settingNumber, 1, maxInt, nil, "2147483647", "2.2"},
	{"group.min.session.timeout.ms", settingDuration, 1, maxInt, nil, "6s", ""},
	{"offset.metadata.max.bytes", settingSize, 0, maxInt, nil, "4096", ""},
	{"offsets.commit.timeout.ms", settingDuration, 1, maxInt, nil, "5s", ""},
	{"offsets.retention.check.interval.ms", settingDuration, 100, maxInt, nil, "10m", ""},
	{"offsets.retention.minutes", settingMinutes, int64(sim.Minute / sim.Millisecond), maxInt, nil, "168h; before 2.0 24h", ""},
	{"offsets.topic.num.partitions", settingNumber, 1, 10_000, nil, "50", ""},
}

// noPart are settings of Kafka's that people have in their files and that play no
// part here, with the reason where it is not plain. A trailing dot is a prefix.
var noPart = []struct{ name, hint string }{
	{"group.id", "say it under group: {id: …}"},
	{"client.id", "it is the member's name"},
	{"bootstrap.servers", "a member knows all brokers"},
	{"isolation.level", "there are no transactions yet"},
	{"allow.auto.create.topics", ""},
	{"auto.include.jmx.reporter", ""},
	{"check.crcs", ""},
	{"client.dns.lookup", ""},
	{"connections.max.idle.ms", "connections do not close by themselves here"},
	{"enable.metrics.push", ""},
	{"exclude.internal.topics", ""},
	{"fetch.min.bytes", "records have no size here"},
	{"fetch.max.bytes", "records have no size here"},
	{"interceptor.classes", ""},
	{"key.deserializer", ""},
	{"max.partition.fetch.bytes", "records have no size here"},
	{"metadata.recovery.strategy", ""},
	{"metric.reporters", ""},
	{"metrics.", ""},
	{"receive.buffer.bytes", ""},
	{"sasl.", ""},
	{"security.", ""},
	{"send.buffer.bytes", ""},
	{"socket.connection.setup.timeout.", "connecting takes no time here"},
	{"ssl.", ""},
	{"value.deserializer", ""},
}

// readConfig reads settings into a copy of base; a value of its own wins, and "unset"
// takes a value of base away.
func readConfig(n *Node, base Config, table []settingSpec, whose string) Config {
	c := Config{slices.Clone(base.list)}
	var known []string
	for _, s := range table {
		known = append(known, s.name)
	}
	for _, e := range n.Entries() {
		name := e.Key.text
		i := slices.Index(known, name)
		if i < 0 {
			unknownSetting(e, known, whose)
			continue
		}
		c.list = slices.DeleteFunc(c.list, func(s Setting) bool { return s.Name == name })
		if e.Value.IsText() && e.Value.text == "unset" {
			continue
		}
		s := table[i].read(e.Value)
		s.Name, s.Pos, s.Written = name, e.Key.Pos, e.Value.inner()
		c.list = append(c.list, s)
	}
	return c
}

func unknownSetting(e Entry, known []string, whose string) {
	name := e.Key.text
	if name == "group.protocol" || name == "group.remote.assignor" {
		if e.Value.IsText() && e.Value.text == "classic" {
			e.Key.Fail("leave it out", "group.protocol is always classic for now")
		} else {
			e.Key.Fail("every group has the classic protocol", "not yet: %s", newProtocol.yet)
		}
		return
	}
	for _, p := range noPart {
		if name == p.name || strings.HasSuffix(p.name, ".") && strings.HasPrefix(name, p.name) {
			hint := p.hint
			if hint == "" {
				hint = "leave it out"
			}
			e.Key.Fail(hint, "%s plays no part in a simulation", name)
			return
		}
	}
	other, owner := brokerSettings, "a broker's"
	if whose == owner {
		other, owner = consumerSettings, "a consumer's"
	}
	if slices.ContainsFunc(other, func(s settingSpec) bool { return s.name == name }) {
		e.Key.Fail("", "%s is %s setting, not %s", name, owner, whose)
		return
	}
	e.Key.Fail(didYouMean(name, known), "there is no setting %q of %s", clip(name), strings.TrimSuffix(whose, "'s"))
}

// read reads the value of a setting.
func (spec *settingSpec) read(n *Node) (s Setting) {
	switch spec.kind {
	case settingDuration, settingMinutes:
		unit := sim.Millisecond
		if spec.kind == settingMinutes {
			unit = sim.Minute
		}
		s.Duration = parsed(n, "a length of time", func(text string) (sim.Time, error) { return parseIn(unit, text) })
		if ms := s.Duration.Millis(); n.IsText() && (ms < spec.low || ms > spec.max) {
			n.Fail("", "%s must be from %s to %s", spec.name, shortTime(spec.low, unit), shortTime(spec.max, unit))
		}
	case settingNumber:
		s.Number = n.Int(spec.low, spec.max)
	case settingSize:
		s.Number = parsed(n, "a size", parseSize)
		if n.IsText() && s.Number > spec.max {
			n.Fail("", "%s must be at most %d", spec.name, spec.max)
		}
	case settingBool:
		s.Bool = n.Bool()
	case settingText:
		if s.Text = n.Text(); s.Text != "" {
			n.misread()
		}
	case settingWord:
		s.Text = n.OneOf(spec.words...)
	case settingAssignors:
		s.List = readAssignors(n)
	}
	return s
}

// shortTime writes milliseconds in the unit of a setting.
func shortTime(ms int64, unit sim.Time) string {
	if unit == sim.Minute {
		return fmt.Sprintf("%dm", ms/int64(sim.Minute/sim.Millisecond))
	}
	return fmt.Sprintf("%dms", ms)
}

// parseIn reads a length of time; a number without unit is in the unit of the
// setting, as in Kafka's own files.
func parseIn(unit sim.Time, s string) (sim.Time, error) {
	if s != "" && len(s) <= 10 && strings.Trim(s, "0123456789") == "" {
		n, err := parseInt(s)
		return sim.Time(n) * unit, err
	}
	d, err := parseDuration(s)
	if err == nil && d%sim.Millisecond != 0 {
		return 0, fmt.Errorf("%q is not a whole number of milliseconds", s)
	}
	return d, err
}

var assignorClasses = []struct{ class, name string }{
	{"RangeAssignor", assignor.Range},
	{"RoundRobinAssignor", assignor.RoundRobin},
	{"StickyAssignor", assignor.Sticky},
	{"CooperativeStickyAssignor", assignor.CooperativeSticky},
}

// readAssignors reads a list of assignors, by name or by class as in Kafka's files.
func readAssignors(n *Node) []string {
	var texts []string
	var places []*Node
	for _, item := range n.List() {
		for _, part := range strings.Split(item.Text(), ",") {
			texts, places = append(texts, strings.TrimSpace(part)), append(places, item)
		}
	}
	var list []string
	for i, text := range texts {
		bare := strings.TrimPrefix(text, "org.apache.kafka.clients.consumer.")
		for _, c := range assignorClasses {
			if c.class == bare {
				bare = c.name
			}
		}
		switch {
		case !slices.Contains(assignor.Names(), bare):
			places[i].Fail(didYouMean(bare, assignor.Names()), "there is no assignor %q", clip(text))
		case slices.Contains(list, bare):
			places[i].Fail("", "%q is named twice", bare)
		default:
			list = append(list, bare)
		}
	}
	if len(texts) == 0 && n.IsList() {
		n.Fail("", "partition.assignment.strategy names no assignor")
	}
	return list
}
