package cluster

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// record is an event being written: an object whose keys stand in the order of adding.
type record struct {
	scribe  *scribe
	buf     bytes.Buffer
	answers *requestName // of an answer that leaves: what it answers
	left    int          // of one that arrives: its place among those that left
}

// new begins an event of this moment.
func (s *scribe) new(key string, value any) *record {
	e := &record{scribe: s}
	e.buf.WriteString(`{"t":` + strconv.FormatInt(s.world.sim.Now().Millis(), 10))
	return e.add(key, value)
}

// out begins an event of a client's doing.
func (s *scribe) out(c *seen, what string) *record { return s.new("c", c.name).add("out", what) }

// put writes an event that is told as it happens.
func (s *scribe) put(e *record) {
	s.tellArrived()
	s.write(e)
}

func (s *scribe) write(e *record) {
	e.buf.WriteByte('}')
	s.events = append(s.events, e.buf.Bytes())
}

func (e *record) add(key string, value any) *record {
	text, err := json.Marshal(value)
	if err != nil {
		e.scribe.err = err
		text = []byte("null")
	}
	e.buf.WriteString(`,"` + key + `":`)
	e.buf.Write(text)
	return e
}

// request names the request that a message is, or answers.
func (e *record) request(c *seen, m *sim.Message) *record {
	return e.add("req", c.number(m.Kind(), m.Ord)).add("kind", kindName(m.Kind()))
}

// number is the place of a request among all that the client has sent, from 1.
func (c *seen) number(kind uint8, ord uint32) int {
	for i, r := range c.requests {
		if r.kind == kind && r.ord == ord {
			return i + 1
		}
	}
	return 0
}

// kindName is the kind of a request as events have it: "JOIN_GROUP".
func kindName(kind uint8) string {
	var out []byte
	for i, ch := range []byte(protocol.KindName(kind)) {
		if i > 0 && ch >= 'A' && ch <= 'Z' {
			out = append(out, '_')
		}
		out = append(out, ch)
	}
	return strings.ToUpper(string(out))
}

func connName(e *consumer.Seen) string {
	if e.Channel == consumer.ChannelCoordinator {
		return "coord:" + itoa(int(e.Node))
	}
	return "broker:" + itoa(int(e.Node))
}

func itoa(n int) string { return strconv.Itoa(n) }

func callbackName(note uint8) string {
	switch note {
	case protocol.NoteRevoked:
		return "revoked"
	case protocol.NoteAssigned:
		return "assigned"
	}
	return "lost"
}

func partitionNames(list []protocol.TopicPartition) []string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.String()
	}
	return names
}

func grouped(list []protocol.TopicPartition) map[string][]int32 {
	parts := map[string][]int32{}
	for _, p := range list {
		parts[p.Topic] = append(parts[p.Topic], p.Partition)
	}
	return parts
}

// sent tells of a request that is written.
func (s *scribe) sent(c *seen, x *consumer.Seen) {
	kind := x.Body.Kind()
	c.requests = append(c.requests, requestName{kind: kind, ord: x.Ord})
	thread := "user"
	if x.Thread == consumer.HeartbeatThread {
		thread = "hb"
	}
	e := s.out(c, "send").add("req", len(c.requests)).add("thr", thread).add("conn", connName(x)).add("kind", kindName(kind))
	switch q := x.Body.(type) {
	case *protocol.FindCoordinatorRequest:
		e.add("key", q.Group)
	case *protocol.JoinGroupRequest:
		e.add("member", s.id(q.Member)).instance(q.Instance)
		e.add("session", q.SessionTimeout).add("rebalance", q.RebalanceTimeout)
		var all []any
		for i := range q.Protocols {
			all = append(all, protocolOut{q.Protocols[i].Name, subscriptionOf(q.Protocols[i].Metadata)})
		}
		e.add("protocols", all).add("reason", s.reason(q.Reason))
	case *protocol.SyncGroupRequest:
		e.add("gen", q.Generation).add("member", s.id(q.Member)).instance(q.Instance).add("pname", q.Protocol)
		all := map[string]any{}
		for _, a := range q.Assignments {
			all[s.id(a.Member)] = assignmentOf(a.Assignment)
		}
		e.add("assignments", all)
	case *protocol.HeartbeatRequest:
		e.add("gen", q.Generation).add("member", s.id(q.Member)).instance(q.Instance)
	case *protocol.LeaveGroupRequest:
		var all []any
		for _, m := range q.Members {
			all = append(all, leavingOut{s.id(m.Member), m.Instance, m.Reason})
		}
		e.add("members", all)
	case *protocol.OffsetCommitRequest:
		offsets := map[string]int64{}
		for _, o := range q.Offsets {
			offsets[o.TopicPartition.String()] = o.Offset
		}
		e.add("gen", q.Generation).add("member", s.id(q.Member)).instance(q.Instance).add("offsets", offsets)
	case *protocol.OffsetFetchRequest:
		e.add("parts", grouped(q.Partitions)).add("stable", q.RequireStable)
	}
	s.put(e)
}

func (e *record) instance(id string) *record {
	if id != "" {
		e.add("instance", id)
	}
	return e
}

// Parts of requests and answers, as events have them.
type (
	protocolOut struct {
		Name string          `json:"name"`
		Sub  subscriptionOut `json:"sub"`
	}
	subscriptionOut struct {
		Version    int16              `json:"ver"`
		Topics     []string           `json:"topics"`
		Owned      map[string][]int32 `json:"owned"`
		Generation *int32             `json:"gen,omitempty"`
		User       *userOut           `json:"user,omitempty"`
	}
	userOut struct {
		Previous   map[string][]int32 `json:"prev,omitempty"`
		Generation int32              `json:"gen"`
	}
	leavingOut struct {
		Member   string `json:"member"`
		Instance string `json:"instance,omitempty"`
		Reason   string `json:"reason"`
	}
	memberOut struct {
		Member   string          `json:"member"`
		Instance string          `json:"instance,omitempty"`
		Sub      subscriptionOut `json:"sub"`
	}
	assignmentOut struct {
		Version int16              `json:"ver"`
		Parts   map[string][]int32 `json:"parts"`
	}
)

func subscriptionOf(m *protocol.Metadata) subscriptionOut {
	s := subscriptionOut{Version: m.Version, Topics: m.Topics, Owned: grouped(m.Owned)}
	if m.Version >= 2 {
		s.Generation = &m.Generation
	}
	switch m.UserData.Kind {
	case protocol.UserDataGeneration:
		s.User = &userOut{Generation: m.UserData.Generation}
	case protocol.UserDataSticky:
		s.User = &userOut{Previous: grouped(m.UserData.Partitions), Generation: m.UserData.Generation}
	}
	return s
}

func assignmentOf(a *protocol.Assignment) *assignmentOut {
	if a == nil {
		return nil
	}
	return &assignmentOut{a.Version, grouped(slices.SortedFunc(slices.Values(a.Partitions), protocol.TopicPartition.Compare))}
}

// addAnswer adds an answer's content.
func (s *scribe) addAnswer(e *record, body sim.Body) {
	e.add("error", protocol.ErrorIn(body))
	switch a := body.(type) {
	case *protocol.JoinGroupAnswer:
		e.add("gen", a.Generation).add("member", s.id(a.Member)).add("leader", s.id(a.Leader))
		if a.Protocol.Value != "" {
			e.add("pname", a.Protocol)
		}
		if a.SkipAssignment {
			e.add("skip", true)
		}
		var all []memberOut
		for i := range a.Members {
			m := &a.Members[i]
			all = append(all, memberOut{s.id(m.ID), m.Instance, subscriptionOf(m.Metadata)})
		}
		if len(all) > 0 {
			e.add("members", all)
		}
	case *protocol.SyncGroupAnswer:
		if a.Protocol.Value != "" {
			e.add("pname", a.Protocol)
		}
		if a.Assignment != nil {
			e.add("assignment", assignmentOf(a.Assignment))
		}
	}
}
