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
	w      *sim.World
	counts map[string]int
}

// NewNames names what is yet to happen in w.
func NewNames(w *sim.World) *Names { return &Names{w: w, counts: map[string]int{}} }

// Of names a record, and counts it. Records of one message share its name.
func (n *Names) Of(r *sim.Rec) string {
	switch r.Op {
	case sim.OpSend, sim.OpArrive, sim.OpLost, sim.OpHeld, sim.OpReleased:
		return Message(n.w, &r.Msg)
	}
	label := label(r)
	if r.Node != sim.Nobody {
		label = n.w.Name(r.Node) + "." + label
	}
	n.counts[label]++
	return label + "#" + strconv.Itoa(n.counts[label])
}

// Message is the stable name of a message.
func Message(w *sim.World, m *sim.Message) string {
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
	sim.OpFreeze: "frozen", sim.OpThaw: "thawed",
}

var noteLabels = map[uint8]string{
	protocol.NoteMember: "member", protocol.NotePark: "parked", protocol.NoteAppend: "append",
	protocol.NoteLoaded: "loaded", protocol.NoteUnloaded: "unloaded", protocol.NoteForgot: "forgot",
	protocol.NoteClient: "state", protocol.NoteRevoked: "revoked", protocol.NoteAssigned: "assigned",
	protocol.NoteLost: "lost", protocol.NoteCallbackEnd: "returned", protocol.NoteServes: "serves",
	protocol.NoteCommitted: "committed", protocol.NoteThrown: "thrown", protocol.NoteClosed: "done",
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
