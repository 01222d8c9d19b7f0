package drive

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// stepOps are the steps that there are: one of these keys stands in each.
var stepOps = []string{"join", "sync", "heartbeat", "leave", "commit", "txn-commit", "fetch", "delete-offsets",
	"describe", "list", "delete", "find", "wait", "form", "failover", "unload", "load", "loaded", "hold", "release", "fail", "topics", "clock"}

// stepKeys are the other keys of a step.
var stepKeys = append([]string{"at", "group", "member", "generation", "assign", "protocol", "offsets", "stable",
	"metadata", "retention", "takes", "queued", "epoch"}, clientKeys...)

// readStep reads one step: a mapping that has one of the operations and what goes with it.
func (s *Script) readStep(r *reader, n *yaml.Node, base client) action {
	a := action{at: -1, group: s.group, who: -1, node: n, version: -1, retention: -1, epoch: -1, client: base}
	if n.Kind == yaml.ScalarNode { // "- describe"
		n = &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Column: n.Column,
			Content: []*yaml.Node{n, {Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}}}
	}
	f := r.mapping(n, "a step")
	var value *yaml.Node
	for i := range f.list {
		for _, op := range stepOps {
			if f.list[i].name != op {
				continue
			}
			if a.op != "" {
				r.Fail(f.list[i].key, "a step does one thing: %s, or %s", a.op, op)
			}
			a.op, value = op, f.take(op)
		}
	}
	if n := f.take("at"); n != nil {
		a.at = r.millis(n, "at")
	}
	if n := f.take("group"); n != nil {
		a.group = r.Text(n, "group")
	}
	if a.op != "" {
		s.readOp(r, f, &a, value)
	}
	f.done(append(stepOps, stepKeys...)...)
	if a.op == "" {
		r.Fail(n, "a step does one of these: %s", strings.Join(stepOps, ", "))
	}
	return a
}

func (s *Script) readOp(r *reader, f *fields, a *action, v *yaml.Node) {
	switch a.op {
	case "join":
		s.takeWho(r, f, a, v)
		a.client = takeClient(r, f, s.clients[a.who])
	case "sync":
		s.takeWho(r, f, a, v)
		takeGeneration(r, f, a)
		a.typ, a.proto = optional(r, f, "type"), optional(r, f, "protocol")
		if n := f.take("version"); n != nil {
			a.version = int16(r.Number(n, "version", 0, 5))
		}
		if n := f.take("assign"); n != nil {
			a.assign = namedTexts(r, n, "assign")
		}
	case "heartbeat":
		s.takeWho(r, f, a, v)
		takeGeneration(r, f, a)
	case "leave":
		s.takeLeaving(r, f, a, v)
	case "commit", "txn-commit":
		if v.Tag != "!!null" {
			s.takeWho(r, f, a, v)
		} else {
			a.member, a.instance = optional(r, f, "member"), optional(r, f, "instance")
		}
		takeGeneration(r, f, a)
		if n := f.take("offsets"); n != nil {
			for _, x := range r.mapping(n, "offsets").list {
				a.offsets = append(a.offsets, protocol.PartitionOffset{TopicPartition: partition(r, x.key),
					Offset: r.Number(x.value, "an offset", 0, 1<<60)})
			}
		}
		if n := f.take("metadata"); n != nil {
			size := int32(r.Number(n, "metadata", 0, 1<<20))
			for i := range a.offsets {
				a.offsets[i].MetadataSize = size
			}
		}
		if n := f.take("retention"); n != nil {
			a.retention = r.millis(n, "retention")
		}
		if n := f.take("version"); n != nil {
			a.version = int16(r.Number(n, "version", 0, 9))
		}
	case "fetch":
		if n := f.take("stable"); n != nil {
			a.stable = r.Flag(n, "stable")
		}
		if v.Kind == yaml.ScalarNode && v.Value == "all" {
			a.all = true
			return
		}
		fallthrough
	case "delete-offsets":
		for _, x := range r.List(v, a.op) {
			a.offsets = append(a.offsets, protocol.PartitionOffset{TopicPartition: partition(r, x)})
		}
	case "list":
		if v.Tag != "!!null" {
			for _, x := range r.List(v, "list") {
				a.states = append(a.states, r.Text(x, "a state"))
			}
		}
	case "wait":
		a.millis = r.millis(v, "wait")
	case "form":
		s.readForm(r, a, v)
	case "unload", "load", "failover":
		if n := f.take("epoch"); n != nil {
			a.epoch = int32(r.Number(n, "epoch", 0, 1<<30))
		}
		if n := f.take("queued"); n != nil {
			a.queued = r.millis(n, "queued")
		}
		if n := f.take("takes"); n != nil {
			if n.Value == "for ever" {
				a.millis = -1
			} else {
				a.millis = r.millis(n, "takes")
			}
		}
	case "clock":
		back, text := 1, *v
		if after, ok := strings.CutPrefix(text.Value, "-"); ok {
			back, text.Value = -1, after
		}
		a.millis = int64(back) * r.millis(&text, "clock")
	case "topics":
		for _, x := range r.mapping(v, "topics").list {
			a.topics = append(a.topics, coordinator.Topic{Name: r.Text(x.key, "a topic"), Leaders: make([]sim.NodeID, r.Number(x.value, "partitions", 1, 1000))})
		}
		slices.SortStableFunc(a.topics, func(x, y coordinator.Topic) int { return strings.Compare(x.Name, y.Name) })
	case "fail":
		if name := r.Text(v, "fail"); name != "none" {
			err, ok := protocol.ErrorOf(name)
			if !ok {
				r.Fail(v, "%q is not an error of Kafka", name)
			}
			a.err = err
		}
	}
}

// takeWho reads a client's name and by what it is to be known.
func (s *Script) takeWho(r *reader, f *fields, a *action, v *yaml.Node) {
	name := r.Text(v, a.op)
	a.who = s.client(name)
	if a.who < 0 {
		s.clients = append(s.clients, a.client)
		a.who = len(s.clients) - 1
		s.clients[a.who].name = name
	}
	a.member = optional(r, f, "member")
	if a.op != "join" {
		a.instance = optional(r, f, "instance")
	}
}

func (s *Script) client(name string) int {
	for i := range s.clients {
		if s.clients[i].name == name {
			return i
		}
	}
	return -1
}

func optional(r *reader, f *fields, name string) *string {
	n := f.take(name)
	if n == nil {
		return nil
	}
	v := r.Text(n, name)
	return &v
}

func takeGeneration(r *reader, f *fields, a *action) {
	if n := f.take("generation"); n != nil {
		g := int32(r.Number(n, "generation", -1, 1<<30))
		a.generation = &g
	}
}

func namedTexts(r *reader, n *yaml.Node, what string) []namedText {
	var all []namedText
	for _, x := range r.mapping(n, what).list {
		all = append(all, namedText{x.name, r.Text(x.value, x.name)})
	}
	return all
}

// takeLeaving reads a client's name, or a list of them; one may be given by member
// and instance.
func (s *Script) takeLeaving(r *reader, f *fields, a *action, v *yaml.Node) {
	if n := f.take("version"); n != nil {
		a.version = int16(r.Number(n, "version", 0, 5))
	}
	list := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		list = v.Content
	}
	for _, n := range list {
		if n.Kind == yaml.ScalarNode {
			a.leaving = append(a.leaving, leaving{member: r.Text(n, "leave")})
			continue
		}
		m := r.mapping(n, "who leaves")
		var l leaving
		if x := m.take("member"); x != nil {
			l.member = r.Text(x, "member")
		}
		if x := m.take("instance"); x != nil {
			l.instance = r.Text(x, "instance")
		}
		m.done("member", "instance")
		a.leaving = append(a.leaving, l)
	}
}

// partition reads "topic-3".
func partition(r *reader, n *yaml.Node) protocol.TopicPartition {
	s := r.Text(n, "a partition")
	i := strings.LastIndexByte(s, '-')
	if i > 0 {
		if p, err := strconv.ParseInt(s[i+1:], 10, 32); err == nil && p >= 0 {
			return protocol.TopicPartition{Topic: s[:i], Partition: int32(p)}
		}
	}
	r.Fail(n, "a partition is written as topic-3, not %q", s)
	return protocol.TopicPartition{}
}

// readForm reads a group that exists already.
func (s *Script) readForm(r *reader, a *action, v *yaml.Node) {
	f := r.mapping(v, "form")
	o := &coordinator.Form{Group: a.group, State: protocol.Stable, Generation: 1, Protocol: "range"}
	if n := f.take("state"); n != nil {
		o.State = protocol.NoGroup
		for _, st := range []protocol.GroupState{protocol.Empty, protocol.CompletingRebalance, protocol.Stable, protocol.Dead} {
			if st.String() == r.Text(n, "state") {
				o.State = st
			}
		}
		if o.State == protocol.NoGroup {
			r.Fail(n, "a group is formed Empty, CompletingRebalance, Stable or Dead, not %q", n.Value)
		}
	}
	if n := f.take("generation"); n != nil {
		o.Generation = int32(r.Number(n, "generation", 0, 1<<30))
	}
	if n := f.take("protocol"); n != nil {
		o.Protocol = r.Text(n, "protocol")
	}
	if n := f.take("members"); n != nil {
		for _, x := range r.mapping(n, "members").list {
			m := namedText{name: x.name}
			if x.value.Tag != "!!null" {
				m.text = r.Text(x.value, x.name)
			}
			if s.client(m.name) < 0 {
				s.clients = append(s.clients, a.client)
				s.clients[len(s.clients)-1].name = m.name
			}
			a.formed = append(a.formed, m)
		}
	}
	if n := f.take("leader"); n != nil {
		o.Leader = r.Text(n, "leader")
	} else if len(a.formed) > 0 {
		o.Leader = a.formed[0].name
	}
	f.done("state", "generation", "protocol", "members", "leader")
	for _, m := range a.formed {
		c := &s.clients[s.client(m.name)]
		id := c.name
		if c.instance != "" {
			id = c.instance
		}
		fm := coordinator.FormedMember{ID: id + "-1", ClientID: c.name, Instance: c.instance, SessionTimeout: c.session,
			RebalanceTimeout: c.rebalance, Protocols: c.protocols, Assignment: assignment(m.text)}
		if m.name == o.Leader {
			o.Leader = fm.ID
		}
		o.Members = append(o.Members, fm)
	}
	if err := o.Check(&s.Config); err != nil {
		r.Fail(v, "%s", err)
	}
	a.form = o
}
