package report

import (
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// appendNamed writes by their names what the numbers of a note say. docs/trace.md lists them.
func appendNamed(b []byte, n *sim.Note) []byte {
	switch n.Code {
	case protocol.NoteAppend:
		b = appendNumber(appendNumber(b, "partition", n.A), "offset", n.B)
		if n.C != 0 {
			b = append(b, `,"uncommitted":true`...)
		}
	case protocol.NoteUnwritten:
		b = appendNumber(b, "partition", n.A)
	case protocol.NoteCommitted:
		b = appendNumber(appendNumber(b, "partition", n.A), "end", n.B)
	case protocol.NoteLoaded, protocol.NoteUnloaded:
		b = appendNumber(appendNumber(b, "partition", n.A), "groups", n.B)
	case protocol.NoteCallbackEnd:
		b = appendThrown(appendField(b, "callback", callbacks[consumer.CallbackNote(n.A)]), n.B, 0)
	case protocol.NoteThrown:
		b = appendThrown(b, n.A, n.B)
	case protocol.NoteDelivered, protocol.NoteFinished:
		b = appendNumber(appendNumber(b, "offset", n.A), "end", n.B)
	case protocol.NoteCommitCallback:
		b = appendThrown(appendNumber(b, "commit", n.A), n.B, 0)
	case protocol.NoteBusy:
		b = appendNumber(b, "ms", n.A)
	}
	return b
}

// appendThrown writes the class of an exception and that of its cause, if there are any.
func appendThrown(b []byte, class, cause int64) []byte {
	if class != 0 {
		b = appendField(b, "error", consumer.Class(class).String())
	}
	if cause != 0 {
		b = appendField(b, "errorCause", consumer.Class(cause).String())
	}
	return b
}

// appendTimer writes which timer of a broker went off, and whose.
func appendTimer(b []byte, w *sim.World, r *sim.Rec) []byte {
	broker, ok := w.Actor(r.Node).(*coordinator.Broker)
	if !ok {
		return b
	}
	kind, group, member := broker.TimerOf(r.Timer.ID)
	b = appendField(b, "timer", timerNames[kind])
	if group != "" {
		b = appendField(b, "group", group)
	}
	if member != "" {
		b = appendField(b, "member", member)
	}
	return b
}
