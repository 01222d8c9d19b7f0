package drive

import (
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// do sends a step's request, or gives its order.
func (p *player) do(a *action) {
	v := &p.Config.Versions
	n := protocol.CoordinatorPartition(a.group, p.Config.OffsetsPartitions)
	switch a.op {
	case "join":
		c := &a.client
		version := c.version
		if version < 0 {
			version = v[protocol.KindJoinGroup]
		}
		r := &protocol.JoinGroupRequest{Version: version, Group: a.group, ClientID: c.name, Member: p.member(a), Instance: c.instance,
			SessionTimeout: c.session, RebalanceTimeout: c.rebalance, ProtocolType: c.typ, Protocols: c.protocols}
		p.ask(a, "join "+c.name, r.Freeze())
	case "sync":
		version := a.version // without names as old clients send it
		if version < 0 {
			version = min(v[protocol.KindSyncGroup], 4)
		}
		r := &protocol.SyncGroupRequest{Version: version, Group: a.group, Generation: p.generation(a),
			Member: p.member(a), Instance: p.instance(a), ProtocolType: nullOf(a.typ), Protocol: nullOf(a.proto)}
		for _, x := range a.assign {
			r.Assignments = append(r.Assignments, protocol.MemberAssignment{Member: p.id(x.name), Assignment: assignment(x.text)})
		}
		p.ask(a, "sync "+p.clients[a.who].name, r.Freeze())
	case "heartbeat":
		p.ask(a, "heartbeat "+p.clients[a.who].name, (&protocol.HeartbeatRequest{Group: a.group, Generation: p.generation(a),
			Member: p.member(a), Instance: p.instance(a)}).Freeze())
	case "leave":
		r := &protocol.LeaveGroupRequest{Version: v[protocol.KindLeaveGroup], Group: a.group}
		if a.version >= 0 {
			r.Version = a.version
		}
		names := make([]string, len(a.leaving))
		for i, l := range a.leaving {
			r.Members = append(r.Members, protocol.LeavingMember{Member: p.id(l.member), Instance: l.instance})
			names[i] = strings.TrimSpace(l.member + " " + l.instance)
		}
		p.ask(a, "leave "+strings.Join(names, ", "), r.Freeze())
	case "commit":
		r := &protocol.OffsetCommitRequest{Version: v[protocol.KindOffsetCommit], Group: a.group, Generation: p.generation(a),
			Member: p.member(a), Instance: p.instance(a), Retention: a.retention, Offsets: a.offsets}
		if a.version >= 0 {
			r.Version = a.version
		} else if a.retention >= 0 {
			r.Version = 4
		}
		p.ask(a, "commit "+p.nameOf(a), r.Freeze())
	case "txn-commit":
		p.ask(a, "txn-commit "+p.nameOf(a), (&protocol.TxnOffsetCommitRequest{Version: v[protocol.KindTxnOffsetCommit], Group: a.group,
			Generation: p.generation(a), Member: p.member(a), Instance: p.instance(a), Offsets: a.offsets}).Freeze())
	case "fetch":
		r := &protocol.OffsetFetchRequest{Version: v[protocol.KindOffsetFetch], Group: a.group, All: a.all, RequireStable: a.stable}
		for i := range a.offsets {
			r.Partitions = append(r.Partitions, a.offsets[i].TopicPartition)
		}
		p.ask(a, "fetch", r.Freeze())
	case "delete-offsets":
		r := &protocol.OffsetDeleteRequest{Group: a.group}
		for i := range a.offsets {
			r.Partitions = append(r.Partitions, a.offsets[i].TopicPartition)
		}
		p.ask(a, "delete-offsets", r.Freeze())
	case "describe":
		p.ask(a, "describe", (&protocol.DescribeGroupsRequest{Groups: []string{a.group}}).Freeze())
	case "list":
		p.ask(a, "list", (&protocol.ListGroupsRequest{States: a.states}).Freeze())
	case "delete":
		p.ask(a, "delete", (&protocol.DeleteGroupsRequest{Groups: []string{a.group}}).Freeze())
	case "find":
		p.ask(a, "find", (&protocol.FindCoordinatorRequest{Group: a.group}).Freeze())
	case "form":
		p.order(a, a.form)
		for i, m := range a.formed {
			k := &p.known[p.client(m.name)]
			k.id, k.generation = a.form.Members[i].ID, a.form.Generation
		}
	case "failover":
		p.order(a, &coordinator.Unload{Partition: n, Epoch: p.next(a)})
		p.order(a, &coordinator.Load{Partition: n, Epoch: p.next(a), KeepLog: true, Queued: a.queued, Takes: a.millis})
	case "unload":
		p.order(a, &coordinator.Unload{Partition: n, Epoch: p.next(a)})
	case "load":
		p.order(a, &coordinator.Load{Partition: n, Epoch: p.next(a), KeepLog: true, Queued: a.queued, Takes: a.millis})
	case "loaded":
		p.order(a, &coordinator.LoadDone{Partition: n})
	case "hold", "release":
		p.order(a, &coordinator.Hold{Partition: n, Release: a.op == "release"})
	case "clock":
		p.solo.JumpClock(sim.Time(a.millis) * sim.Millisecond)
		p.tell(fmt.Sprintf("(clock %+d ms)", a.millis), nil)
	case "topics":
		image := *p.image
		image.Topics, image.AnyTopic = a.topics, false
		p.order(a, &coordinator.SetImage{Image: &image})
	case "fail":
		p.order(a, &coordinator.FailAppends{Partition: n, Error: a.err})
	}
}

func (p *player) next(a *action) int32 {
	if a.epoch >= 0 {
		p.epoch = max(p.epoch, a.epoch)
		return a.epoch
	}
	p.epoch++
	return p.epoch
}

func (p *player) ask(a *action, label string, body sim.Body) {
	state := ""
	if p.cover != nil {
		state = stateOf(p.broker, a.group, protocol.CoordinatorPartition(a.group, p.Config.OffsetsPartitions))
	}
	req := p.solo.Request(0, body)
	if p.cover != nil && a.group != "" {
		p.cover.add(coverNames[a.op], state, outcome(p.solo.Acts, req.Ref))
	}
	p.requests = append(p.requests, request{ref: req.Ref, label: strings.TrimSpace(label), who: a.who, asked: body})
	p.tell("", &p.requests[len(p.requests)-1])
}

// coverNames are the names that the table of coverage has for steps.
var coverNames = map[string]string{"join": "join", "sync": "sync", "heartbeat": "heartbeat", "leave": "leave", "commit": "offset_commit",
	"fetch": "offset_fetch", "delete-offsets": "offset_delete", "describe": "describe", "delete": "delete_group"}

func (p *player) order(a *action, body sim.Body) {
	p.solo.Input(sim.Input{Kind: sim.InputCommand, Body: body})
	p.tell("("+a.op+")", nil)
}

// id is a client's member id if it has one of that name, else the text itself.
func (p *player) id(name string) string {
	if i := p.client(name); i >= 0 && name != "" && p.known[i].id != "" {
		return p.known[i].id
	}
	return name
}

func (p *player) member(a *action) string {
	switch {
	case a.member != nil:
		return p.id(*a.member)
	case a.who < 0:
		return ""
	}
	return p.known[a.who].id
}

func (p *player) instance(a *action) string {
	switch {
	case a.instance != nil:
		return *a.instance
	case a.who < 0:
		return ""
	}
	return p.clients[a.who].instance
}

func (p *player) generation(a *action) int32 {
	switch {
	case a.generation != nil:
		return *a.generation
	case a.who < 0:
		return -1
	}
	return p.known[a.who].generation
}

func (p *player) nameOf(a *action) string {
	if a.who < 0 {
		return ""
	}
	return p.clients[a.who].name
}

// show tells an answer in a few words.
func (p *player) show(r *request, body sim.Body) string {
	switch a := body.(type) {
	case *protocol.JoinGroupAnswer:
		return showJoin(r, a)
	case *protocol.SyncGroupAnswer:
		s := a.Error.String()
		if a.Error == protocol.None {
			s += " " + quoted(assigned(a.Assignment))
		}
		if a.Protocol.Valid {
			s += " of " + a.ProtocolType.Value + " " + a.Protocol.Value
		}
		return s
	case *protocol.HeartbeatAnswer:
		return a.Error.String()
	case *protocol.LeaveGroupAnswer:
		s := a.Error.String()
		for i := range a.Members {
			m := &a.Members[i]
			s += fmt.Sprintf("; %s %s", strings.TrimSpace(m.Member+" "+m.Instance), m.Error)
		}
		return s
	case *protocol.OffsetCommitAnswer:
		return showErrors(a.Partitions)
	case *protocol.TxnOffsetCommitAnswer:
		return showErrors(a.Partitions)
	case *protocol.OffsetDeleteAnswer:
		if a.Error != protocol.None {
			return a.Error.String()
		}
		return showErrors(a.Partitions)
	case *protocol.OffsetFetchAnswer:
		s := a.Error.String()
		for i := range a.Partitions {
			o := &a.Partitions[i]
			s += fmt.Sprintf("; %s %d", o.TopicPartition, o.Offset)
			if o.Error != protocol.None {
				s += " " + o.Error.String()
			}
		}
		return s
	case *protocol.DescribeGroupsAnswer:
		return showDescribed(&a.Groups[0])
	case *protocol.ListGroupsAnswer:
		s := a.Error.String()
		for _, g := range a.Groups {
			s += fmt.Sprintf("; %s %s %s", g.Group, quoted(g.ProtocolType), g.State)
		}
		return s
	case *protocol.DeleteGroupsAnswer:
		return a.Groups[0].Error.String()
	case *protocol.FindCoordinatorAnswer:
		return a.Error.String()
	}
	return fmt.Sprintf("%T", body)
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

func showJoin(r *request, a *protocol.JoinGroupAnswer) string {
	if a.Error != protocol.None {
		s := a.Error.String()
		if q, ok := r.asked.(*protocol.JoinGroupRequest); ok && q.Member != a.Member {
			s += " member " + quoted(a.Member)
		}
		if a.Generation > 0 {
			s += fmt.Sprintf(" generation %d leader %s", a.Generation, a.Leader)
		}
		return s
	}
	s := fmt.Sprintf("%s generation %d %s, you %s, leader %s", a.Error, a.Generation, a.Protocol.Value, a.Member, a.Leader)
	if len(a.Members) > 0 {
		s += ", members"
		for i := range a.Members {
			s += " " + a.Members[i].ID
		}
	}
	if a.SkipAssignment {
		s += ", skip the assignment"
	}
	return s
}

func showErrors(list []protocol.PartitionOffset) string {
	var parts []string
	for i := range list {
		parts = append(parts, list[i].TopicPartition.String()+" "+list[i].Error.String())
	}
	return strings.Join(parts, "; ")
}

func showDescribed(g *protocol.DescribedGroup) string {
	if g.Error != protocol.None {
		return g.Error.String()
	}
	s := fmt.Sprintf("%s %s type %s protocol %s", g.Error, g.State, quoted(g.ProtocolType), quoted(g.Protocol))
	for i := range g.Members {
		m := &g.Members[i]
		s += fmt.Sprintf("; %s", m.ID)
		if m.Metadata != nil {
			s += " with " + quoted(text(m.Metadata))
		}
		if m.Assignment != nil {
			s += " has " + quoted(assigned(m.Assignment))
		}
	}
	return s
}
