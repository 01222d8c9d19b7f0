package drive

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// answer is an answer as the vectors have it. What is null is left out.
type answer struct {
	Re      int      `json:"re"`
	Op      string   `json:"op"`
	Error   string   `json:"error"`
	Member  *string  `json:"member,omitempty"`
	Gen     *int32   `json:"gen,omitempty"`
	S       *string  `json:"s,omitempty"`
	PType   *string  `json:"ptype,omitempty"`
	PName   *string  `json:"pname,omitempty"`
	Leader  *string  `json:"leader,omitempty"`
	Skip    bool     `json:"skip,omitempty"`
	Assign  *string  `json:"assign,omitempty"`
	Members *anyList `json:"members,omitempty"`
	Offsets *anyList `json:"offsets,omitempty"`
	Thrown  bool     `json:"thrown,omitempty"`
}

// anyList is a list that is written even if it is empty.
type anyList []any

type recordOut struct {
	T         string   `json:"t"`
	Gen       *int32   `json:"gen,omitempty"`
	PType     *string  `json:"ptype,omitempty"`
	PName     *string  `json:"pname,omitempty"`
	Leader    *string  `json:"leader,omitempty"`
	Members   *anyList `json:"members,omitempty"`
	Topic     string   `json:"topic,omitempty"`
	Partition *int32   `json:"partition,omitempty"`
	Offset    *int64   `json:"offset,omitempty"`
	Tombstone bool     `json:"tombstone,omitempty"`
}

type memberOut struct {
	ID        string  `json:"id"`
	Inst      *string `json:"inst,omitempty"`
	Client    *string `json:"client,omitempty"`
	Session   int32   `json:"session,omitempty"`
	Rebalance int32   `json:"rebalance,omitempty"`
	MD        string  `json:"md"`
	Assign    string  `json:"assign"`
}

type stateOut struct {
	S           string   `json:"s"`
	Gen         int32    `json:"gen"`
	Leader      *string  `json:"leader,omitempty"`
	PName       *string  `json:"pname,omitempty"`
	Members     anyList  `json:"members"`
	PendingJoin []string `json:"pending_join,omitempty"`
	PendingSync []string `json:"pending_sync,omitempty"`
}

func writeJSON(buf *bytes.Buffer, v any) {
	e := json.NewEncoder(buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only strings, numbers and lists of them
	}
	buf.Truncate(buf.Len() - 1)
}

// answered turns what the coordinator did since it was last asked into answers and
// records of the current entry.
func (b *bench) answered() {
	for i := range b.solo.Acts {
		a := &b.solo.Acts[i]
		switch {
		case a.Kind == sim.ActReply:
			q := b.asked[a.Req.Ref]
			b.out = append(b.out, b.answer(q, a.Body, protocol.Rule(a.Why)))
		case a.Kind == sim.ActNote && a.Note.Code == protocol.NoteLate:
			b.out = append(b.out, b.answer(b.asked[a.Ref], a.Note.Body, protocol.Rule(a.Why)))
		case a.Kind == sim.ActNote && a.Note.Code == protocol.NoteAppend:
			b.records = append(b.records, b.record(a.Note.Body.(*protocol.LogRecord)))
		}
	}
	b.solo.Acts = b.solo.Acts[:0]
}

// show writes what was observed in an entry.
func (b *bench) show(buf *bytes.Buffer, request bool) {
	n := buf.Len()
	b.answered()
	if len(b.out) > 0 {
		buf.WriteString(`,"out":`)
		writeJSON(buf, b.out)
	}
	if len(b.records) > 0 {
		buf.WriteString(`,"records":`)
		writeJSON(buf, b.records)
	}
	b.out, b.records = nil, nil
	var state bytes.Buffer
	b.writeState(&state)
	if !bytes.Equal(state.Bytes(), b.state) {
		buf.WriteString(`,"state":`)
		buf.Write(state.Bytes())
		b.state = state.Bytes()
	}
	b.showTimers(buf, request || buf.Len() > n)
}

func (b *bench) writeState(buf *bytes.Buffer) {
	v, ok := b.broker.View(group)
	switch {
	case !b.loaded:
		buf.WriteString(`"not loaded"`)
		return
	case !ok:
		buf.WriteString("null")
		return
	}
	s := stateOut{S: v.StateName, Gen: v.Generation, Leader: orNull(v.Leader), PName: orNull(v.Protocol), Members: anyList{}}
	for i := range v.Members {
		m := &v.Members[i]
		x := []any{m.ID}
		switch m.Parked {
		case protocol.KindJoinGroup:
			x = append(x, orNull(m.Instance), "join")
		case protocol.KindSyncGroup:
			x = append(x, orNull(m.Instance), "sync")
		default:
			if m.Instance != "" {
				x = append(x, m.Instance)
			}
		}
		s.Members = append(s.Members, x)
	}
	s.PendingJoin, s.PendingSync = v.Waiting, v.Owing
	slices.SortStableFunc(s.PendingJoin, compareKeys)
	if b.cfg.Rules.HashOrder == protocol.HashScala {
		slices.SortStableFunc(s.PendingSync, compareKeys)
	}
	writeJSON(buf, s)
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// showTimers writes the timers that changed: those that are set, then those that are
// gone. That the expiry check will come again is not worth an entry of its own.
func (b *bench) showTimers(buf *bytes.Buffer, entry bool) {
	now := map[string]int64{}
	var keys []string
	b.solo.Armed(func(f sim.Fired, due sim.Time) {
		key := b.timerKey(f.ID)
		if key == "" {
			return
		}
		at, ok := now[key]
		if !ok {
			keys = append(keys, key)
		}
		if !ok || due.Millis() < at {
			now[key] = due.Millis()
		}
	})
	slices.Sort(keys)
	var changes bytes.Buffer
	change := func(key, at string) {
		changes.WriteByte(',')
		writeJSON(&changes, key)
		changes.WriteString(":" + at)
	}
	trivial := !entry
	for _, k := range keys {
		if at, ok := b.timers[k]; !ok || at != now[k] {
			change(k, strconv.FormatInt(now[k], 10))
			trivial = trivial && k == "cleanup"
		}
	}
	for _, k := range b.shown {
		if _, ok := now[k]; !ok {
			change(k, "null")
			trivial = false
		}
	}
	if changes.Len() > 0 && !trivial {
		buf.WriteString(`,"timers":{`)
		buf.Write(changes.Bytes()[1:])
		buf.WriteByte('}')
	}
	b.timers, b.shown = now, keys
}

// text is what a metadata was made of, see metadata.
func text(m *protocol.Metadata) string {
	switch {
	case m == nil:
		return ""
	case m.Raw.Valid:
		return m.Raw.Value
	case m.UserData.Kind == protocol.UserDataRaw:
		return strings.Join(m.Topics, ",") + "/" + m.UserData.Raw
	}
	return strings.Join(m.Topics, ",")
}

func assigned(a *protocol.Assignment) string {
	if a == nil {
		return ""
	}
	return a.Raw.Value
}

func (b *bench) record(r *protocol.LogRecord) recordOut {
	if r.IsOffset {
		o := recordOut{T: "offset", Topic: r.Partition.Topic, Partition: &r.Partition.Partition, Tombstone: r.Tombstone}
		if !r.Tombstone {
			o.Offset = &r.Offset
		}
		return o
	}
	if r.Tombstone {
		return recordOut{T: "group", Tombstone: true}
	}
	o := recordOut{T: "group", Gen: &r.Generation, PType: &r.ProtocolType, Leader: orNull(r.Leader), Members: &anyList{}}
	if r.Protocol.Valid {
		o.PName = &r.Protocol.Value
	}
	for i := range r.Members {
		m := &r.Members[i]
		x := memberOut{ID: m.ID, Inst: orNull(m.Instance), Session: m.SessionTimeout, MD: text(m.Metadata), Assign: assigned(m.Assignment)}
		if b.cfg.Rules.RebalanceTimeout {
			x.Rebalance = m.RebalanceTimeout
		}
		*o.Members = append(*o.Members, x)
	}
	return o
}

func (b *bench) answer(q asked, body sim.Body, why protocol.Rule) answer {
	o := answer{Re: q.n, Op: q.op}
	thrown := why == protocol.RuleThrows || why == protocol.RulePendingStatic && b.throws(body)
	switch a := body.(type) {
	case *protocol.JoinGroupAnswer:
		o.Error = a.Error.String()
		if thrown {
			o.Thrown = true
			return o
		}
		o.Member, o.Gen, o.Leader, o.Skip = &a.Member, &a.Generation, &a.Leader, a.SkipAssignment
		o.PType, o.PName = nullText(a.ProtocolType), nullText(a.Protocol)
		if len(a.Members) > 0 {
			o.Members = &anyList{}
			for i := range a.Members {
				m := &a.Members[i]
				*o.Members = append(*o.Members, []any{m.ID, orNull(m.Instance), text(m.Metadata)})
			}
		}
	case *protocol.SyncGroupAnswer:
		o.Error = a.Error.String()
		if thrown {
			o.Thrown = true
			return o
		}
		s := assigned(a.Assignment)
		o.Assign, o.PType, o.PName = &s, nullText(a.ProtocolType), nullText(a.Protocol)
	case *protocol.HeartbeatAnswer:
		o.Error = a.Error.String()
	case *protocol.LeaveGroupAnswer:
		o.Error, o.Thrown = a.Error.String(), thrown
		if !thrown && b.cfg.Rules.BatchLeave {
			o.Members = &anyList{}
			for i := range a.Members {
				m := &a.Members[i]
				*o.Members = append(*o.Members, []any{m.Member, orNull(m.Instance), m.Error.String()})
			}
		}
	case *protocol.OffsetCommitAnswer:
		o.Error = protocol.FirstError(a.Partitions).String()
	case *protocol.OffsetFetchAnswer:
		o.Error = a.Error.String()
		if a.Error == protocol.None || !b.cfg.Rules.WaitsForLog {
			o.Offsets = &anyList{}
			for i := range a.Partitions {
				p := &a.Partitions[i]
				x := []any{p.Topic, p.Partition, p.Offset}
				if p.Error != protocol.None {
					x = append(x, p.Error.String())
				}
				*o.Offsets = append(*o.Offsets, x)
			}
		}
	case *protocol.OffsetDeleteAnswer:
		o.Error = a.Error.String()
		o.Offsets = &anyList{}
		for i := range a.Partitions {
			p := &a.Partitions[i]
			*o.Offsets = append(*o.Offsets, []any{p.Topic, p.Partition, p.Error.String()})
		}
	case *protocol.DeleteGroupsAnswer:
		o.Error = a.Groups[0].Error.String()
	case *protocol.DescribeGroupsAnswer:
		g := &a.Groups[0]
		o.Error, o.S, o.PType, o.PName, o.Members = g.Error.String(), &g.State, &g.ProtocolType, &g.Protocol, &anyList{}
		for i := range g.Members {
			m := &g.Members[i]
			*o.Members = append(*o.Members, memberOut{ID: m.ID, Inst: orNull(m.Instance), Client: &m.ClientID,
				MD: text(m.Metadata), Assign: assigned(m.Assignment)})
		}
	}
	return o
}

func nullText(n protocol.Null) *string {
	if !n.Valid {
		return nil
	}
	return &n.Value
}

// common is the error that all partitions have, or the first that one has.
// throws: the coordinator in Scala throws where a pending id is static; the one in
// Java answers.
func (b *bench) throws(sim.Body) bool { return !b.cfg.Rules.WaitsForLog }
