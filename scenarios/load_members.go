package scenarios

import (
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// group reads the group with what it says for all members, and then the members.
func (l *loader) group(n, members *Node) {
	f := n.fields(groupShape)
	id := f.Get("id")
	l.s.Group = Group{Pos: Pos{1, 1}, ID: id.Text()}
	if n != nil {
		l.s.Group.Pos = n.Pos
	}
	if id.IsText() && !id.misread() && (id.text == "" || len(id.text) > 1000) {
		id.Fail("", "a group's id has 1 to 1000 characters")
	}
	if c := f.Get("coordinator"); c.Given() {
		l.s.Group.Coordinator = l.broker(c)
	}
	for _, b := range f.Get("next").List() {
		l.s.Group.Next = append(l.s.Group.Next, l.broker(b))
	}
	all := Member{Program: Program{Poll: 100 * sim.Millisecond}, Topics: slices.Clone(l.names.topics)}
	all.Config = readConfig(f.Get("config"), Config{}, consumerSettings, "a consumer's")
	l.program(f.Get("program"), &all.Program)
	if t := f.Get("subscribe"); t.Given() {
		all.Topics, all.Pattern = l.subscription(t)
	}
	readHabits(f.Get("habits"), &all.Habits)
	f.Done()

	for _, e := range members.Entries() {
		l.member1(e, all)
	}
	if members != nil && members.kind != textNode && members.kind != listNode && len(members.keys) == 0 {
		members.Fail("write {C1: {}, C2: {}}", "members has nobody")
	}
}

// member1 reads one entry of members, which may stand for many.
func (l *loader) member1(e Entry, all Member) {
	if l.tooMany(e.Key, "members", len(l.s.Members), MaxMembers) {
		return
	}
	list := newName(e.Key, "member", MaxMembers)
	m := all
	m.Pos = e.Key.Pos
	f := e.Value.fields(memberShape)
	m.Config = readConfig(f.Get("config"), all.Config, consumerSettings, "a consumer's")
	l.program(f.Get("program"), &m.Program)
	if t := f.Get("subscribe"); t.Given() {
		m.Topics, m.Pattern = l.subscription(t)
	}
	if a := f.Get("assign"); a.Given() {
		l.assign(a, &m, f.Get("subscribe"))
	}
	m.Config = m.Config.inRack(f.Get("rack"))
	readHabits(f.Get("habits"), &m.Habits)
	if k := f.Get("kafka"); k.Given() {
		m.Kafka, m.HasKafka = release(k), true
	}
	if start := f.Get("start"); start.IsText() && start.text == "never" {
		m.Never = true
	} else {
		m.Start = start.Duration()
	}
	f.Done()
	checkTimeouts(e.Key, m.Config)
	for _, name := range list {
		if l.taken(e.Key, name) || l.tooMany(e.Key, "members", len(l.s.Members), MaxMembers) {
			return
		}
		m.Name = name
		l.introduced(e.Key, name)
		l.names.members = append(l.names.members, name)
		l.isNode[name] = true
		one := m
		one.Config = m.Config.named(name)
		l.s.Members = append(l.s.Members, one)
	}
}

// inRack is the settings with client.rack as another key says.
func (c Config) inRack(rack *Node) Config {
	if !rack.Given() {
		return c
	}
	list := slices.DeleteFunc(slices.Clone(c.list), func(s Setting) bool { return s.Name == "client.rack" })
	return Config{append(list, Setting{Pos: rack.Pos, Name: "client.rack", Text: rack.Text(), Written: rack.inner()})}
}

// named puts the member's name where a text setting says {name}.
func (c Config) named(name string) Config {
	at := slices.IndexFunc(c.list, func(s Setting) bool { return strings.Contains(s.Text, "{name}") })
	if at < 0 {
		return c
	}
	list := slices.Clone(c.list)
	for i := range list {
		list[i].Text = strings.ReplaceAll(list[i].Text, "{name}", name)
	}
	return Config{list}
}

// checkTimeouts makes the check that KafkaConsumer makes when it is constructed.
func checkTimeouts(n *Node, c Config) {
	session, given := c.Find("session.timeout.ms")
	if !given || session.Duration == 0 { // it is no length of time, which has been said
		return
	}
	heartbeat := c.Millis("heartbeat.interval.ms", 3000)
	if heartbeat >= session.Duration.Millis() {
		n.doc.fail(session.Pos, "session.timeout.ms must be longer than heartbeat.interval.ms, here "+
			(sim.Time(heartbeat)*sim.Millisecond).String()+" s", "")
	}
}
