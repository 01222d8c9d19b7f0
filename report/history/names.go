package history

import (
	"strconv"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Names gives every record its stable name: what happened, to whom, for the how
// manieth time. A message is "F1.JoinGroup#2", its answer "F1.JoinGroup#2.answer";
// what nodes make known is "b1.group.Stable#3" or "F1.revoked#1". Names do not move
// when something is added elsewhere in a run. A Names must see every record in turn.
type Names struct {
	w      Namer
	counts [][pages]*page // by node, Nobody first, and by label number
}

// page has room for labels that mostly come together: a broker's notes, or a client's.
type page [64]uint32

const pages = (64 + 256) / len(page{}) // of operations and states, and of notes

// Namer gives a node's name; a *sim.World does.
type Namer interface{ Name(sim.NodeID) string }

// NewNames names what is yet to happen in w.
func NewNames(w Namer) *Names { return &Names{w: w} }

// Of counts a record and names it. Records of one message share its name.
func (n *Names) Of(r *sim.Rec) string {
	n.Count(r)
	return n.Name(r)
}

// Count counts a record without naming it, which is cheap.
func (n *Names) Count(r *sim.Rec) {
	if ofMessage(r) {
		return
	}
	node := int(r.Node) + 1
	for node >= len(n.counts) {
		n.counts = append(n.counts, [pages]*page{})
	}
	label := labelNumber(r)
	p := &n.counts[node][label/len(page{})]
	if *p == nil {
		*p = new(page)
	}
	(*p)[label%len(page{})]++
}

// Name names the record that was counted last.
func (n *Names) Name(r *sim.Rec) string {
	if ofMessage(r) {
		return Message(n.w, &r.Msg)
	}
	name := label(r)
	if r.Node != sim.Nobody {
		name = n.w.Name(r.Node) + "." + name
	}
	label := labelNumber(r)
	return name + "#" + strconv.Itoa(int(n.counts[r.Node+1][label/len(page{})][label%len(page{})]))
}

func ofMessage(r *sim.Rec) bool {
	switch r.Op {
	case sim.OpSend, sim.OpArrive, sim.OpLost, sim.OpHeld, sim.OpReleased:
		return true
	}
	return false
}

// Message is the stable name of a message.
func Message(w Namer, m *sim.Message) string {
	name := w.Name(m.Client()) + "." + protocol.KindName(m.Kind()) + "#" + strconv.Itoa(int(m.Ord))
	if m.Answer {
		name += ".answer"
	}
	return name
}

var opLabels = map[sim.Op]string{
	sim.OpStart: "started", sim.OpCrash: "crashed", sim.OpCommand: "told", sim.OpAct: "act",
	sim.OpOpen: "connected", sim.OpClose: "closed", sim.OpClosed: "disconnected",
	sim.OpTimer: "timer", sim.OpDecision: "decision", sim.OpExit: "ended",
	sim.OpFreeze: "frozen", sim.OpThaw: "thawed", sim.OpClock: "clock",
}

var noteLabels = map[uint8]string{
	protocol.NoteMember: "member", protocol.NotePark: "parked", protocol.NoteAppend: "append",
	protocol.NoteLoaded: "loaded", protocol.NoteUnloaded: "unloaded", protocol.NoteForgot: "forgot",
	protocol.NoteUnwritten: "unwritten",
	protocol.NoteClient:    "state", protocol.NoteRevoked: "revoked", protocol.NoteAssigned: "assigned",
	protocol.NoteLost: "lost", protocol.NoteCallbackEnd: "returned", protocol.NoteServes: "serves",
	protocol.NoteCommitted: "committed", protocol.NoteThrown: "thrown", protocol.NoteClosed: "done",
	protocol.NoteBusy:      "busy",
	protocol.NoteDelivered: "delivered", protocol.NoteFinished: "finished", protocol.NoteCommitCallback: "callback",
	protocol.NoteLate: "late", protocol.NoteMark: "mark",
}

// labelNumber numbers labels: operations, notes, states of groups.
func labelNumber(r *sim.Rec) int {
	if r.Op != sim.OpNote {
		return int(r.Op)
	}
	if g, ok := r.Note.Body.(*protocol.GroupChange); ok {
		return 32 + int(g.To)
	}
	return 64 + int(r.Note.Code)
}

func label(r *sim.Rec) string {
	if r.Op != sim.OpNote {
		return opLabels[r.Op]
	}
	if g, ok := r.Note.Body.(*protocol.GroupChange); ok {
		return "group." + g.To.String()
	}
	if l, ok := noteLabels[r.Note.Code]; ok {
		return l
	}
	return "note" + strconv.Itoa(int(r.Note.Code))
}

var verbs = map[sim.Op]string{
	sim.OpStart: "starts", sim.OpCrash: "dies", sim.OpCommand: "is told", sim.OpOpen: "connects",
	sim.OpClose: "hangs up", sim.OpClosed: "is cut off", sim.OpSend: "sends", sim.OpArrive: "gets",
	sim.OpLost: "loses", sim.OpTimer: "timer", sim.OpNote: "notes", sim.OpExit: "ends",
	sim.OpFreeze: "freezes", sim.OpThaw: "thaws", sim.OpClock: "clock",
}

// Verb says in a word or two what a node does by an operation.
func Verb(op sim.Op) string { return verbs[op] }
