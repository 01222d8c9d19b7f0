package drive

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/protocol/script"
)

// Script is what is to be asked of one coordinator, and when.
type Script struct {
	Release protocol.Release
	Config  coordinator.Config
	group   string
	clients []client
	steps   []action
}

// client is a name under which requests are sent, and what it offers.
type client struct {
	name, instance     string
	session, rebalance int32
	typ                string
	protocols          []protocol.GroupProtocol
	version            int16 // of JoinGroup; -1: the newest
}

// action is one step: a request, an order, or waiting.
type action struct {
	op    string
	at    int64 // moment, -1: now
	group string
	who   int // index of the client, -1: nobody
	node  *yaml.Node

	// What is not set is as the client has it, or as it was told last.
	member     *string // a client's name stands for its id
	instance   *string
	generation *int32
	version    int16 // -1
	client     client
	typ, proto *string
	assign     []namedText
	leaving    []leaving
	offsets    []protocol.PartitionOffset
	all        bool
	stable     bool
	retention  int64
	err        protocol.Error
	millis     int64
	queued     int64
	epoch      int32
	form       *coordinator.Form
	formed     []namedText // assignments of a formed group, by client
	states     []string
	topics     []coordinator.Topic
}

type namedText struct{ name, text string }

type leaving struct{ member, instance string }

// catch turns a panic of the reader's into an error.
func catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case problem:
		*err = p.error
	default:
		panic(p)
	}
}

var scriptKeys = []string{"about", "kafka", "config", "force", "group", "order", "defaults", "members", "steps"}

// Parse reads a script. File is its name in errors, which have line and column.
// Release, if not "", is taken instead of the script's own.
func Parse(file string, text []byte, release string) (*Script, error) {
	return parse(file, text, release, nil)
}

// parse is Parse with other rules than the release's, if bend is given.
func parse(file string, text []byte, release string, bend func(*protocol.BrokerRules)) (s *Script, err error) {
	defer catch(&err)
	r := newReader(file)
	f := r.mapping(r.Document(text), "a script")
	s = &Script{group: "g"}
	s.readRelease(r, f, release)
	f.take("about")
	if n := f.take("group"); n != nil {
		s.group = r.Text(n, "group")
	}
	s.readConfig(r, f, bend)
	base := client{session: 10_000, rebalance: 60_000, typ: "consumer", version: -1,
		protocols: []protocol.GroupProtocol{{Name: "range", Metadata: subscription("t")}}}
	if n := f.take("defaults"); n != nil {
		base = readClient(r, n, base, "defaults")
	}
	if n := f.take("members"); n != nil {
		for _, m := range r.mapping(n, "members").list {
			c := base
			c.name = m.name
			if m.value.Tag != "!!null" {
				c = readClient(r, m.value, c, "a member")
			}
			s.clients = append(s.clients, c)
		}
	}
	steps := f.take("steps")
	f.done(scriptKeys...)
	if steps == nil {
		r.Fail(f.node, "steps are missing")
	}
	for _, n := range r.List(steps, "steps") {
		s.steps = append(s.steps, s.readStep(r, n, base))
	}
	return s, nil
}

func (s *Script) readRelease(r *reader, f *fields, release string) {
	n := f.take("kafka")
	if release == "" {
		release = protocol.Default
		if n != nil {
			release = r.Text(n, "kafka")
			if n.Tag == "!!float" && strings.HasPrefix(release, "0.") {
				r.Fail(n, "%s is a number in YAML: write the release in full, as 0.10.2.1", release)
			}
		}
	}
	var err error
	if s.Release, err = protocol.ParseRelease(release); err != nil {
		r.Fail(n, "%s", err)
	}
}

func (s *Script) readConfig(r *reader, f *fields, bend func(*protocol.BrokerRules)) {
	rules := protocol.BrokerRulesOf(s.Release)
	if bend != nil {
		bend(&rules)
	}
	if n := f.take("force"); n != nil {
		for _, b := range r.mapping(n, "force").list {
			if err := rules.Force(b.name, r.Text(b.value, b.name)); err != nil {
				hint := ""
				if best := script.Nearest(b.name, protocol.BrokerBehaviours()); best != "" && best != b.name {
					hint = "; is " + best + " meant?"
				}
				r.Fail(b.key, "%s%s", err, hint)
			}
		}
		if err := rules.Check(); err != nil {
			r.Fail(n, "%s", err)
		}
	}
	s.Config = coordinator.DefaultsOf(rules, s.Release.Versions())
	s.Config.AppendLinger = 0
	s.Config.OffsetsPartitions = 50
	if n := f.take("order"); n != nil {
		switch r.Text(n, "order") {
		case "added":
		case "kafka":
			s.Config.LastAddedFirst = rules.HashOrder == protocol.HashScala
		default:
			r.Fail(n, "order is added or kafka, not %q", n.Value)
		}
	}
	if n := f.take("config"); n != nil {
		for _, c := range r.mapping(n, "config").list {
			var v int64
			if strings.HasSuffix(c.name, ".ms") {
				v = r.millis(c.value, c.name)
			} else {
				v = r.Number(c.value, c.name, 0, 1<<31-1)
			}
			if err := setting(&s.Config, c.name, v); err != nil {
				hint := ""
				if best := script.Nearest(c.name, settings); best != "" {
					hint = "; is " + best + " meant?"
				}
				r.Fail(c.key, "%s%s", err, hint)
			}
		}
	}
}

// settings are the names that setting knows.
var settings = []string{
	"group.initial.rebalance.delay.ms", "group.min.session.timeout.ms", "group.max.session.timeout.ms",
	"group.max.size", "offsets.commit.timeout.ms", "offsets.retention.minutes",
	"offsets.retention.check.interval.ms", "offset.metadata.max.bytes", "group.coordinator.append.linger.ms",
}

var clientKeys = []string{"instance", "session", "rebalance", "type", "protocols", "version"}

func readClient(r *reader, n *yaml.Node, c client, what string) client {
	f := r.mapping(n, what)
	c = takeClient(r, f, c)
	f.done(clientKeys...)
	return c
}

// takeClient reads what a JoinGroup carries.
func takeClient(r *reader, f *fields, c client) client {
	if n := f.take("instance"); n != nil {
		c.instance = r.Text(n, "instance")
	}
	if n := f.take("session"); n != nil {
		c.session = int32(min(r.millis(n, "session"), 1<<31-1))
	}
	if n := f.take("rebalance"); n != nil {
		c.rebalance = int32(min(r.millis(n, "rebalance"), 1<<31-1))
	}
	if n := f.take("type"); n != nil {
		c.typ = r.Text(n, "type")
	}
	if n := f.take("version"); n != nil {
		c.version = int16(r.Number(n, "version", 0, 9))
	}
	if n := f.take("protocols"); n != nil {
		c.protocols = nil
		if n.Kind == yaml.MappingNode {
			for _, p := range r.mapping(n, "protocols").list {
				c.protocols = append(c.protocols, protocol.GroupProtocol{Name: p.name, Metadata: subscription(r.Text(p.value, p.name))})
			}
		} else {
			for _, p := range r.List(n, "protocols") {
				c.protocols = append(c.protocols, protocol.GroupProtocol{Name: r.Text(p, "a protocol"), Metadata: subscription("t")})
			}
		}
		for i := range c.protocols {
			for j := range c.protocols[:i] {
				if c.protocols[i].Name == c.protocols[j].Name {
					r.Fail(n, "protocol %q stands here twice", c.protocols[i].Name)
				}
			}
		}
	}
	return c
}

// subscription is what "topic,topic/userdata" stands for.
func subscription(s string) *protocol.Metadata {
	topics, userData, has := strings.Cut(s, "/")
	m := &protocol.Metadata{Generation: -1}
	if topics != "" {
		m.Topics = strings.Split(topics, ",")
	}
	if has {
		m.UserData = protocol.UserData{Kind: protocol.UserDataRaw, Raw: userData}
	}
	return m.Freeze()
}
