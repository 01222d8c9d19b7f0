package metrics

import (
	"testing"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// tape writes records by hand and lets a Fold observe them. Node 0 is the broker, the
// nodes from 1 on are the members A, B, C; partition n is o-n. Times are milliseconds.
type tape struct {
	*Fold
	at  sim.Time
	id  sim.Ref
	gen int32
}

const broker sim.NodeID = 0

func newTape(members int, topics ...coordinator.Topic) *tape {
	var clients []sim.NodeID
	for i := range members {
		clients = append(clients, sim.NodeID(i+1))
	}
	f := New(Options{Group: "g", Clients: clients, Topics: topics, Name: func(n sim.NodeID) string {
		return string(rune('A' + n - 1))
	}})
	t := &tape{Fold: f}
	for _, c := range clients {
		t.rec(sim.Rec{Op: sim.OpStart, Node: c})
	}
	return t
}

// name is the member's client id, and its member id is that with "-1".
func name(n sim.NodeID) string { return string(rune('A' + n - 1)) }

func (t *tape) rec(r sim.Rec) sim.Ref {
	t.id++
	r.ID, r.At = t.id, t.at
	t.Observe(&r)
	return t.id
}

func (t *tape) ms(ms int) *tape { t.at = sim.Time(ms) * sim.Millisecond; return t }

func parts(list ...int32) *protocol.PartitionList {
	l := &protocol.PartitionList{}
	for _, p := range list {
		l.Partitions = append(l.Partitions, tp(p))
	}
	return l
}

func tp(p int32) protocol.TopicPartition { return protocol.TopicPartition{Topic: "o", Partition: p} }

func (t *tape) note(n sim.NodeID, code uint8, a, b int64, body sim.Body, why protocol.Rule, cause sim.Ref) {
	t.rec(sim.Rec{Op: sim.OpNote, Node: n, Note: sim.Note{Code: code, A: a, B: b, Body: body}, Why: uint16(why), Cause: cause})
}

func (t *tape) serves(n sim.NodeID, list ...int32) {
	t.note(n, protocol.NoteServes, 0, 0, parts(list...), 0, 0)
}
func (t *tape) revoked(n sim.NodeID, list ...int32) {
	t.note(n, protocol.NoteRevoked, 0, 0, parts(list...), 0, 0)
}

// position tells a member where to begin with a partition: at a committed offset, or
// with reset where the policy says.
func (t *tape) position(n sim.NodeID, p int32, offset int64, reset bool) {
	o := []protocol.PartitionOffset{{TopicPartition: tp(p), Offset: offset}}
	var body sim.Body = &protocol.OffsetFetchAnswer{Partitions: o}
	if reset {
		body = &protocol.ListOffsetsAnswer{Partitions: o}
	}
	t.rec(sim.Rec{Op: sim.OpArrive, Node: n, Msg: sim.Message{From: broker, To: n, Answer: true, Body: body}})
}

func (t *tape) delivered(n sim.NodeID, p int32, from, to int64) {
	t.note(n, protocol.NoteDelivered, from, to, parts(p), 0, 0)
}

func (t *tape) finished(n sim.NodeID, p int32, from, to int64) {
	t.note(n, protocol.NoteFinished, from, to, parts(p), 0, 0)
}

// reads lets a member be delivered records and finish them at once.
func (t *tape) reads(n sim.NodeID, p int32, from, to int64) {
	t.delivered(n, p, from, to)
	t.finished(n, p, from, to)
}

func (t *tape) commits(p int32, offset int64) {
	t.note(broker, protocol.NoteAppend, 7, 0, &protocol.LogRecord{Group: "g", IsOffset: true, Partition: tp(p), Offset: offset}, 0, 0)
}

func (t *tape) member(n sim.NodeID, what string, cause sim.Ref) {
	t.note(broker, protocol.NoteMember, 0, 0, &protocol.MemberChange{Group: "g", Member: name(n) + "-1", Client: name(n), What: what}, 0, cause)
}

func (t *tape) group(from, to protocol.GroupState, why protocol.Rule, cause sim.Ref) {
	t.note(broker, protocol.NoteGroup, 0, 0, &protocol.GroupChange{Group: "g", From: from, To: to}, why, cause)
}

// stores writes an assignment into the log: partitions by member, nil for those that
// are not in the group.
func (t *tape) stores(lists ...[]int32) {
	t.gen++
	r := &protocol.LogRecord{Group: "g", Generation: t.gen}
	for i, list := range lists {
		if list == nil {
			continue
		}
		n := name(sim.NodeID(i + 1))
		r.Members = append(r.Members, protocol.StoredMember{ID: n + "-1", ClientID: n,
			Metadata:   &protocol.Metadata{Topics: []string{"o"}},
			Assignment: (&protocol.Assignment{Partitions: parts(list...).Partitions}).Freeze()})
	}
	t.note(broker, protocol.NoteAppend, 7, 0, r, 0, 0)
}

// asks lets a member's request arrive at the broker, and gives the arrival.
func (t *tape) asks(n sim.NodeID, body sim.Body, why protocol.Rule) sim.Ref {
	m := sim.Message{From: n, To: broker, Body: body}
	t.rec(sim.Rec{Op: sim.OpSend, Node: n, Msg: m, Why: uint16(why)})
	return t.rec(sim.Rec{Op: sim.OpArrive, Node: broker, Msg: m})
}

// answers lets the broker send a member an answer.
func (t *tape) answers(n sim.NodeID, body sim.Body) {
	t.rec(sim.Rec{Op: sim.OpSend, Node: broker, Msg: sim.Message{From: broker, To: n, Answer: true, Body: body}})
}

// forms lets the members form a group at once, with the assignment given.
func (t *tape) forms(lists ...[]int32) {
	for i := range lists {
		t.member(sim.NodeID(i+1), "added", 0)
	}
	t.stores(lists...)
	t.group(protocol.CompletingRebalance, protocol.Stable, protocol.RuleAssigned, 0)
}

func (t *tape) done(ms int) *Result { return t.Done(sim.Time(ms) * sim.Millisecond) }

const ms = sim.Millisecond

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
