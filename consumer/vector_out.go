package consumer

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// What a client does, as vectors write it.

func (b *vectorRun) connName(i int16) string {
	k := &b.c.conns[i]
	n := itoa(int64(k.node))
	if k.channel == ChannelCoordinator {
		return "coord:" + n
	}
	return "broker:" + n
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func (b *vectorRun) sent(c *Consumer, r *request) {
	b.reqs = append(b.reqs, vectorRequest{kind: r.kind, ord: r.ord, link: c.conns[r.conn].link, body: r.body})
	thread := "user"
	if c.thread == heartbeatThread {
		thread = "hb"
	}
	kv := []any{"req", len(b.reqs), "thr", thread, "conn", b.connName(r.conn), "kind", vectorKind(r.kind), "ver", b.version(r), "tmo", r.timeout}
	switch q := r.body.(type) {
	case *protocol.FindCoordinatorRequest:
		kv = append(kv, "key", q.Group)
	case *protocol.JoinGroupRequest:
		kv = append(kv, "group", q.Group, "member", q.Member)
		kv = instance(kv, q.Instance)
		kv = append(kv, "session", q.SessionTimeout, "rebalance", q.RebalanceTimeout, "ptype", q.ProtocolType, "protocols", protocolsOut(q.Protocols))
		if c.cfg.Rules.TellsReasons {
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
			if c.cfg.Rules.TellsReasons {
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
func (b *vectorRun) version(r *request) int16 {
	v := b.cfg.Versions[r.kind]
	if q, ok := r.body.(*protocol.FetchRequest); ok && len(q.Partitions) > 0 {
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

func (b *vectorRun) connectFailed(_ *Consumer, i int16) {
	b.tell("connect-failed", "conn", b.connName(i))
}
func (b *vectorRun) disconnects(_ *Consumer, i int16) {
	b.tell("client-disconnect", "conn", b.connName(i))
}
func (b *vectorRun) timedOut(_ *Consumer, i int16) { b.tell("request-timeout", "conn", b.connName(i)) }

func (b *vectorRun) metadata(_ *Consumer, a *protocol.MetadataAnswer) {
	topics := map[string]int{}
	for i := range a.Topics {
		topics[a.Topics[i].Name] = len(a.Topics[i].Leaders)
	}
	b.tell("metadata", "topics", topics)
}

var callbackNames = [...]string{cbRevoked: "revoked", cbAssigned: "assigned", cbLost: "lost"}

func (b *vectorRun) callback(_ *Consumer, kind int32, parts []protocol.TopicPartition) {
	names := []string{}
	for _, p := range parts {
		names = append(names, p.String())
	}
	b.tell("callback", "cb", callbackNames[kind], "parts", names)
	b.state()
}

func (b *vectorRun) callbackEnd(_ *Consumer, kind int32, t Thrown) {
	kv := []any{"cb", callbackNames[kind]}
	switch {
	case t.Class == IllegalState:
		kv = append(kv, "throws", "state")
	case !t.None():
		kv = append(kv, "throws", "kafka")
	}
	b.tell("callback-end", kv...)
}

func (b *vectorRun) commitCallback(_ *Consumer, id int64, t Thrown) {
	kv := []any{"id", id}
	if !t.None() {
		kv = append(kv, "ex", t.String())
	}
	b.tell("commit-callback", kv...)
}

func (b *vectorRun) returned(c *Consumer, op Op, t Thrown) {
	if c.heart.exists && c.heart.enabled {
		b.pollAt = b.deadline(c.heart.poll)
	}
	b.state()
	kv := []any{"op", opNames[op]}
	if !t.None() {
		kv = append(kv, "ex", t.String())
	}
	b.tell("return", kv...)
}

func (b *vectorRun) begins(*Consumer) {
	if len(b.calls) > 0 {
		b.emit(b.calls[0])
		b.calls = b.calls[1:]
	}
}

// nested tells of a commitSync inside a callback.
func (b *vectorRun) nested(_ *Consumer, ends bool, t Thrown) {
	if !ends {
		b.emit([]byte(`{"t":` + itoa(b.solo.Now().Millis()) + `,"in":"op","op":"commitSync","nested":true}`))
		return
	}
	kv := []any{"op", "commitSync", "nested", true}
	if !t.None() {
		kv = append(kv, "ex", t.String())
	}
	b.state()
	b.tell("return", kv...)
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
	c := b.c
	now := map[string]any{
		"st": c.stateName(), "gen": c.gen.id, "member": c.gen.member, "proto": nil, "rejoin": c.rejoin, "prep": c.needsPrepare,
		"join": c.join != 0, "leader": c.leads, "coord": nil, "find": c.find != 0, "hb": "none", "hbAt": nil, "sessAt": nil, "pollAt": nil,
		"owned": grouped(c.sub.assigned()),
	}
	if c.gen.protocol != "" {
		now["proto"] = c.gen.protocol
	}
	if c.coord >= 0 {
		now["coord"] = c.conns[c.coord].node
	}
	switch {
	case c.heart.exists && c.heart.enabled:
		now["hb"] = "on"
		now["hbAt"], now["sessAt"], now["pollAt"] = b.deadline(c.heart.beat), b.deadline(c.heart.session), b.pollAt
	case c.heart.exists:
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
