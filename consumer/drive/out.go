package drive

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// What a client does, as vectors write it.

func connName(node sim.NodeID, channel uint8) string {
	if channel == consumer.ChannelCoordinator {
		return "coord:" + itoa(int64(node))
	}
	return "broker:" + itoa(int64(node))
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// see is told of what the client does.
func (b *vectorRun) see(s *consumer.Seen) {
	conn := connName(s.Node, s.Channel)
	switch s.What {
	case consumer.SeenSend:
		b.sent(s)
	case consumer.SeenConnectFailed:
		b.tell("connect-failed", "conn", conn)
	case consumer.SeenDisconnect:
		b.lose(conn)
		b.tell("client-disconnect", "conn", conn)
	case consumer.SeenTimeout:
		b.lose(conn)
		b.tell("request-timeout", "conn", conn)
	case consumer.SeenMetadata:
		b.metadata(s.Body.(*protocol.MetadataAnswer))
	case consumer.SeenCallback:
		names := []string{}
		for _, p := range s.Parts {
			names = append(names, p.String())
		}
		b.tell("callback", "cb", callbackName(s.Note), "parts", names)
		b.state()
	case consumer.SeenCallbackEnd:
		kv := []any{"cb", callbackName(s.Note)}
		switch {
		case s.Thrown.Class == consumer.IllegalState:
			kv = append(kv, "throws", "state")
		case !s.Thrown.None():
			kv = append(kv, "throws", "kafka")
		}
		b.tell("callback-end", kv...)
	case consumer.SeenCommitCallback:
		b.tell("commit-callback", thrown([]any{"id", s.ID}, s.Thrown)...)
	case consumer.SeenCall:
		if len(b.calls) > 0 {
			b.emit(b.calls[0])
			b.calls = b.calls[1:]
		}
	case consumer.SeenReturn:
		if v := b.c.View(); v.Heartbeating {
			b.pollAt = b.deadline(v.Poll)
		}
		b.state()
		b.tell("return", thrown([]any{"op", s.Op.String()}, s.Thrown)...)
	case consumer.SeenNestedCall:
		b.emit([]byte(`{"t":` + itoa(b.solo.Now().Millis()) + `,"in":"op","op":"commitSync","nested":true}`))
	case consumer.SeenNestedReturn:
		b.state()
		b.tell("return", thrown([]any{"op", s.Op.String(), "nested", true}, s.Thrown)...)
	}
}

// lose is told that a connection is gone, and what was asked over it.
func (b *vectorRun) lose(conn string) {
	for i := range b.reqs {
		if q := &b.reqs[i]; q.conn == conn {
			q.lost = true
		}
	}
}

// thrown adds an exception, if there was one.
func thrown(kv []any, t consumer.Thrown) []any {
	if !t.None() {
		kv = append(kv, "ex", t.String())
	}
	return kv
}

func (b *vectorRun) sent(s *consumer.Seen) {
	kind := s.Body.Kind()
	b.reqs = append(b.reqs, vectorRequest{kind: kind, ord: s.Ord, link: s.Link, body: s.Body, req: len(b.reqs) + 1, conn: connName(s.Node, s.Channel)})
	thread := "user"
	if s.Thread == consumer.HeartbeatThread {
		thread = "hb"
	}
	rules := &b.cfg.Rules
	kv := []any{"req", len(b.reqs), "thr", thread, "conn", connName(s.Node, s.Channel), "kind", vectorKind(kind), "ver", b.version(s.Body), "tmo", s.Timeout}
	switch q := s.Body.(type) {
	case *protocol.FindCoordinatorRequest:
		kv = append(kv, "key", q.Group)
	case *protocol.JoinGroupRequest:
		kv = append(kv, "group", q.Group, "member", q.Member)
		kv = instance(kv, q.Instance)
		kv = append(kv, "session", q.SessionTimeout, "rebalance", q.RebalanceTimeout, "ptype", q.ProtocolType, "protocols", protocolsOut(q.Protocols))
		if rules.TellsReasons {
			kv = append(kv, "reason", q.Reason)
		}
	case *protocol.SyncGroupRequest:
		kv = append(kv, "group", q.Group, "gen", q.Generation, "member", q.Member)
		kv = instance(kv, q.Instance)
		kv = append(kv, "ptype", q.ProtocolType, "pname", q.Protocol)
		all := map[string]any{}
		for _, a := range q.Assignments {
			all[a.Member] = map[string]any{"ver": a.Assignment.Version, "parts": grouped(a.Assignment.Partitions)}
		}
		kv = append(kv, "assignments", all)
	case *protocol.HeartbeatRequest:
		kv = append(kv, "group", q.Group, "gen", q.Generation, "member", q.Member)
		kv = instance(kv, q.Instance)
	case *protocol.LeaveGroupRequest:
		var list []any
		for _, m := range q.Members {
			x := map[string]any{"member": m.Member}
			if m.Instance != "" {
				x["instance"] = m.Instance
			}
			if rules.TellsReasons {
				x["reason"] = m.Reason
			}
			list = append(list, x)
		}
		kv = append(kv, "group", q.Group, "members", list)
	case *protocol.OffsetCommitRequest:
		offsets := map[string]int64{}
		for _, o := range q.Offsets {
			offsets[o.TopicPartition.String()] = o.Offset
		}
		kv = append(kv, "group", q.Group, "gen", q.Generation, "member", q.Member)
		kv = instance(kv, q.Instance)
		kv = append(kv, "offsets", offsets)
	case *protocol.OffsetFetchRequest:
		kv = append(kv, "parts", grouped(q.Partitions), "stable", q.RequireStable)
	}
	b.tell("send", kv...)
}

func instance(kv []any, id string) []any {
	if id != "" {
		kv = append(kv, "instance", id)
	}
	return kv
}

// version is the version that the release sends. Fetches that name topics end at 12;
// what closes a session names none.
func (b *vectorRun) version(body sim.Body) int16 {
	v := b.cfg.Versions[body.Kind()]
	if q, ok := body.(*protocol.FetchRequest); ok && len(q.Partitions) > 0 {
		return min(v, 12)
	}
	return v
}

// byTopic gives partitions by topic, in their order.
func byTopic(list []protocol.TopicPartition) map[string][]int32 {
	parts := map[string][]int32{}
	for _, p := range list {
		parts[p.Topic] = append(parts[p.Topic], p.Partition)
	}
	return parts
}

// grouped gives partitions by topic, sorted, as vectors have most of them.
func grouped(list []protocol.TopicPartition) map[string][]int32 {
	parts := byTopic(list)
	for _, topic := range sortedKeys(parts) {
		slices.Sort(parts[topic])
	}
	return parts
}

func protocolsOut(list []protocol.GroupProtocol) []any {
	var all []any
	for i := range list {
		m := list[i].Metadata
		sub := map[string]any{"ver": m.Version, "topics": m.Topics, "owned": grouped(m.Owned)}
		if m.Version >= 2 {
			sub["gen"] = m.Generation
		}
		switch m.UserData.Kind {
		case protocol.UserDataGeneration:
			sub["user"] = map[string]any{"gen": m.UserData.Generation}
		case protocol.UserDataSticky:
			sub["user"] = map[string]any{"prev": byTopic(m.UserData.Partitions), "gen": m.UserData.Generation}
		}
		all = append(all, map[string]any{"name": list[i].Name, "sub": sub})
	}
	return all
}

func (b *vectorRun) metadata(a *protocol.MetadataAnswer) {
	topics := map[string]int{}
	for i := range a.Topics {
		topics[a.Topics[i].Name] = len(a.Topics[i].Leaders)
	}
	b.tell("metadata", "topics", topics)
}

func callbackName(note uint8) string {
	switch note {
	case protocol.NoteRevoked:
		return "revoked"
	case protocol.NoteAssigned:
		return "assigned"
	}
	return "lost"
}

// deadline is when a timer goes off, in milliseconds; nil: never.
func (b *vectorRun) deadline(id sim.TimerID) any {
	var at any
	b.solo.Armed(func(f sim.Fired, t sim.Time) {
		if f.ID == id {
			at = t.Millis()
		}
	})
	return at
}

// settle is told that nothing can run any more at this moment.
func (b *vectorRun) settle() { b.state() }

// stateKeys are the fields of a state, in their order.
var stateKeys = []string{"st", "gen", "member", "proto", "rejoin", "prep", "join", "leader", "coord", "find", "hb", "hbAt", "sessAt", "pollAt", "owned"}

// state tells what has changed of the client's state since it was told last.
func (b *vectorRun) state() {
	v := b.c.View()
	now := map[string]any{
		"st": v.State, "gen": v.Generation, "member": v.Member, "proto": nil, "rejoin": v.Rejoin, "prep": v.Prepares,
		"join": v.Joining, "leader": v.Leader, "coord": nil, "find": v.Finding, "hb": "none", "hbAt": nil, "sessAt": nil, "pollAt": nil,
		"owned": grouped(v.Owned),
	}
	if v.Protocol != "" {
		now["proto"] = v.Protocol
	}
	if v.Coordinator != sim.Nobody {
		now["coord"] = v.Coordinator
	}
	switch {
	case v.Heartbeating:
		now["hb"] = "on"
		now["hbAt"], now["sessAt"], now["pollAt"] = b.deadline(v.Beat), b.deadline(v.Session), b.pollAt
	case v.HeartbeatThread:
		now["hb"] = "off"
		b.pollAt = nil
	default:
		b.pollAt = nil
	}
	var kv []any
	for _, k := range stateKeys {
		if old, told := b.last[k]; !told || !reflect.DeepEqual(old, now[k]) {
			kv = append(kv, k, now[k])
		}
	}
	b.last = now
	if len(kv) > 0 {
		b.tell("state", kv...)
	}
}
