package scenarios

import (
	"fmt"
	"path"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// loader reads a scenario from top to bottom. What refers to names is read after
// what introduces them, in whichever order the file has them.
type loader struct {
	names
	s      *Scenario
	unread []string // variants that are not looked at, since something else is wrong
}

// Load reads a scenario. File is what messages call it. The error, if any, is Errors.
func Load(file string, text []byte) (*Scenario, error) {
	root, err := ReadYAML(file, text)
	if err != nil {
		return nil, err
	}
	if !root.IsMap() {
		root.Fail(`begin with "about: …"`, "a scenario is a map of keys, not %s", root.describe())
		return nil, root.Err()
	}
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	l := &loader{
		names: names{isNode: make(map[string]bool), lines: make(map[string]int)},
		s:     &Scenario{File: file, Name: strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml")},
	}
	l.scenario(root)
	if err := root.Err(); err != nil {
		return nil, err
	}
	l.s.TellsFetches = l.names.fetches
	return l.s, nil
}

func (l *loader) scenario(root *Node) {
	f := root.fields(scenarioShape)
	about := f.Get("about")
	kafka := f.Get("kafka")
	latency := f.Get("latency")
	brokers := f.Get("brokers")
	topics := f.Get("topics")
	group := f.Get("group")
	members := f.Get("members")
	start := f.Get("start")
	timeline := f.Get("timeline")
	end := f.Get("end")
	measure, variants, expect := f.Get("measure"), f.Get("variants"), f.Get("expect")
	f.Done()

	l.s.About = strings.TrimSpace(about.Text())
	if about.IsText() && l.s.About == "" {
		about.Fail("", "about is empty: say what the run shows")
	}
	l.kafka(kafka)
	l.s.Latency = Span{Min: sim.Millisecond, Max: sim.Millisecond}
	if latency.Given() {
		l.s.Latency = latency.Span()
	}
	l.brokers(brokers)
	l.topics(topics)
	l.group(group, members)
	if len(l.s.Members) == 0 {
		return // that is wrong enough: what follows speaks of members
	}
	l.start(start)
	l.end(end)
	l.timeline(timeline)
	l.measure(measure)
	l.variants(variants)
	l.expect(expect)
}

// kafka reads one release for all, or one of the brokers and one of the clients.
func (l *loader) kafka(n *Node) {
	def := protocol.MustRelease(protocol.Default)
	l.s.Kafka = Kafka{Broker: def, Client: def}
	switch {
	case n == nil:
	case n.IsMap():
		f := n.fields(kafkaShape)
		if b := f.Get("broker"); b.Given() {
			l.s.Kafka.Broker = release(b)
		}
		if c := f.Get("client"); c.Given() {
			l.s.Kafka.Client = release(c)
		}
		l.force(f.Get("bugs"), f.Get("force"))
		f.Done()
	default:
		r := release(n)
		l.s.Kafka = Kafka{Broker: r, Client: r}
	}
}

// release reads a release of Kafka. YAML takes 2.8 for a number, and that is well as
// long as the number is written the same; of 0.10 only 0.1 would be left.
func release(n *Node) protocol.Release {
	text := n.Text()
	if text == "" {
		if n.IsText() {
			n.Fail("write one like 3.9", "no release of Kafka is given")
		}
		return protocol.Release{}
	}
	if whole, frac, ok := strings.Cut(text, "."); n.plain && ok && strings.Trim(whole+frac, "0123456789") == "" &&
		(whole == "0" || frac != "0" && strings.HasSuffix(frac, "0")) {
		n.Fail(releaseMeant(text), "%s is a number to YAML, and no release of Kafka", text)
		return protocol.Release{}
	}
	r, err := protocol.ParseRelease(text)
	if err != nil {
		n.Fail(releaseMeant(text), "%s", err)
	}
	return r
}

// releaseMeant says what to write instead of "0.10", which is three lines of releases.
func releaseMeant(text string) string {
	_, last, ok := releasesOf(text)
	if !ok {
		return ""
	}
	return fmt.Sprintf("write %q", last.Line())
}

// releasesOf gives the first and the last release whose number begins with the text:
// of "2.8" or "0.10", or the release itself.
func releasesOf(text string) (first, last protocol.Release, ok bool) {
	for _, r := range protocol.Releases() {
		if strings.HasPrefix(r.String()+".", text+".") {
			if !ok {
				first = r
			}
			last, ok = r, true
		}
	}
	return first, last, ok
}

// brokers reads a number of brokers, b1 and on, or names with options.
func (l *loader) brokers(n *Node) {
	add := func(at Pos, name string) *Broker {
		l.names.brokers = append(l.names.brokers, name)
		l.isNode[name] = true
		l.s.Brokers = append(l.s.Brokers, Broker{Pos: at, Name: name})
		return &l.s.Brokers[len(l.s.Brokers)-1]
	}
	switch {
	case n.IsMap():
		for _, e := range n.Entries() {
			for _, name := range newName(e.Key, "broker", MaxBrokers) {
				if l.taken(e.Key, name) || l.tooMany(e.Key, "brokers", len(l.s.Brokers), MaxBrokers) {
					break
				}
				l.introduced(e.Key, name)
				b := add(e.Key.Pos, name)
				f := e.Value.fields(brokerShape)
				b.Config = readConfig(f.Get("config"), Config{}, brokerSettings, "a broker's")
				b.Rack = f.Get("rack").Text()
				if k := f.Get("kafka"); k.Given() {
					b.Kafka, b.HasKafka = release(k), true
				}
				if takes := f.Get("log-takes"); takes.Given() {
					b.LogTakes, b.HasLogTakes = wholeMillis(takes), true
				}
				f.Done()
			}
		}
	case n != nil:
		count := int64(1)
		if n.IsText() {
			count = n.Int(1, MaxBrokers)
		} else {
			n.want("a number of brokers, or a map of names", "write 3, or {b1: {}, b2: {}}")
		}
		for i := range count {
			add(n.Pos, fmt.Sprintf("b%d", i+1))
		}
	}
	if len(l.s.Brokers) == 0 {
		l.alone = n == nil
		add(Pos{1, 1}, "b1")
	}
}

// taken notes a name that a node has already.
func (l *loader) taken(n *Node, name string) bool {
	if l.isNode[name] {
		n.Fail("", "the name %q is taken already", name)
	}
	return l.isNode[name]
}

func (l *loader) tooMany(n *Node, what string, have, most int) bool {
	if have >= most {
		n.Fail("", "more than %d %s", most, what)
	}
	return have >= most
}

func (l *loader) topics(n *Node) {
	total := int64(0)
	for _, e := range n.Entries() {
		name := e.Key.text
		e.Key.misread()
		if l.tooMany(e.Key, "topics", len(l.s.Topics), MaxTopics) {
			continue
		}
		if name == "" || name == "." || name == ".." || len(name) > 249 || strings.Trim(name, nameLetters+".") != "" {
			e.Key.Fail("letters, digits, dots, - and _; at most 249", "%q is no name for a topic", clip(name))
		}
		t := Topic{Pos: e.Key.Pos, Name: name}
		f := e.Value.fields(topicShape)
		if e.Value.kind == emptyNode {
			e.Key.Fail("", "%s lacks the key %q", name, "partitions")
		}
		t.Partitions = int32(f.Get("partitions").Int(1, MaxPartitions))
		t.Rate = parsed(f.Get("rate"), "a rate", parseRate)
		t.Leader = l.broker(f.Get("leader"))
		t.Replicas = 1
		if r := f.Get("replicas"); r.Given() {
			t.Replicas = int(r.Int(1, MaxBrokers))
			if t.Replicas > len(l.s.Brokers) && r.IsText() {
				r.Fail("", "there are %d brokers, too few for %d replicas", len(l.s.Brokers), t.Replicas)
			}
		}
		l.racks(f.Get("racks"), f.Get("replicas"), &t)
		t.Absent = f.Get("created").OneOf("never") != ""
		f.Done()
		if total += int64(t.Partitions); total > MaxPartitions {
			e.Key.Fail("", "all topics together have more than %d partitions", MaxPartitions)
			return
		}
		l.introduced(e.Key, name)
		l.names.topics = append(l.names.topics, name)
		t.Most = t.Partitions
		l.s.Topics = append(l.s.Topics, t)
	}
	if n != nil && n.kind != textNode && n.kind != listNode && len(n.keys) == 0 {
		n.Fail("write {orders: {partitions: 8}}", "topics has no topic")
	}
}

// racks reads where the replicas of each partition are.
func (l *loader) racks(n, replicas *Node, t *Topic) {
	if !n.Given() {
		return
	}
	if replicas.Given() {
		n.Fail("leave one of them out", "where its replicas are is said by racks, or by the brokers' racks and replicas")
	}
	for _, replicas := range n.List() {
		var of []string
		for _, rack := range replicas.List() {
			of = append(of, rack.Text())
		}
		t.Racks = append(t.Racks, of)
	}
	if n.IsList() && len(t.Racks) != int(t.Partitions) {
		n.Fail("write a list for each: [[east, west], [west]]", "%s has %d partitions, and racks of %d are given", t.Name, t.Partitions, len(t.Racks))
	}
}

// end reads when the run is over.
func (l *loader) end(n *Node) {
	e := End{SettledFor: 5 * sim.Second, AtMost: sim.Hour}
	f := n.fields(endShape)
	at, settled, most := f.Get("at"), f.Get("settled-for"), f.Get("at-most")
	f.Done()
	if at.Given() {
		e.At, e.HasAt = at.Duration(), true
		e.AtMost = e.At
		settled.Fail("", "the run ends at a given moment, so settled-for has no meaning")
		most.Fail("", "the run ends at a given moment, so at-most has no meaning")
	}
	if settled.Given() {
		e.SettledFor = settled.Duration()
	}
	if most.Given() {
		e.AtMost = most.Duration()
	}
	if e.SettledFor > e.AtMost && !e.HasAt {
		settled.Fail("", "settled-for is longer than the run may last (at-most)")
	}
	l.s.End = e
}
