package report

import (
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// Line tells a record that is being observed: when, who, what, its name, its content. It is for
// people, and may change; what golden traces have does not.
func Line(w *sim.World, r *sim.Rec, name string) string {
	who := "-"
	if r.Node != sim.Nobody {
		who = w.Name(r.Node)
	}
	line := fmt.Sprintf("%9s  %-6s %-8s %s", r.At, who, history.Verb(r.Op), name)
	if content := content(w, r); content != "" {
		line += "  " + content
	}
	return line
}

// content is what a record says beyond its name.
func content(w *sim.World, r *sim.Rec) string {
	switch r.Op {
	case sim.OpTimer:
		if b, ok := w.Actor(r.Node).(*coordinator.Broker); ok {
			return timerName(b.TimerOf(r.Timer.ID))
		}
	case sim.OpSend:
		if kind := behind(w, r); kind != "" {
			return history.Content(w, r) + ", behind a " + kind
		}
	case sim.OpNote:
		return strings.TrimSpace(noted(&r.Note) + " " + history.Body(r.Note.Body))
	}
	return history.Content(w, r)
}

// behind is the kind of request, often a Fetch, that the server has to answer before it reads
// the one that is sent, "" if there is none.
func behind(w *sim.World, r *sim.Rec) string {
	if kind, ok := w.Answering(r.Msg.Link); ok && !r.Msg.Answer {
		return protocol.KindName(kind)
	}
	return ""
}

var timerNames = map[uint8]string{
	coordinator.TimerSession: "session", coordinator.TimerJoin: "join phase", coordinator.TimerSync: "missing SyncGroups",
	coordinator.TimerWrite: "offsets.commit.timeout.ms", coordinator.TimerCommit: "the log has it", coordinator.TimerLoad: "load",
	coordinator.TimerCleanup: "old offsets", coordinator.TimerFetch: "fetch.max.wait.ms",
	coordinator.TimerLeftover: "leftover session", coordinator.TimerIdle: "forgotten session",
}

func timerName(kind uint8, _, member string) string {
	if member == "" {
		return timerNames[kind]
	}
	return timerNames[kind] + " of " + member
}

var callbacks = map[uint8]string{protocol.NoteRevoked: "onPartitionsRevoked", protocol.NoteAssigned: "onPartitionsAssigned", protocol.NoteLost: "onPartitionsLost"}

// noted is what the numbers of a note say.
func noted(n *sim.Note) string {
	partition := fmt.Sprintf("__consumer_offsets-%d", n.A)
	switch n.Code {
	case protocol.NoteAppend:
		s := fmt.Sprintf("%s offset %d", partition, n.B)
		if n.C != 0 {
			s += ", not committed yet"
		}
		return s + ":"
	case protocol.NoteUnwritten:
		return partition + ":"
	case protocol.NoteCommitted:
		return fmt.Sprintf("%s up to offset %d", partition, n.B)
	case protocol.NoteLoaded, protocol.NoteUnloaded:
		return fmt.Sprintf("%s, groups: %d", partition, n.B)
	case protocol.NoteCallbackEnd:
		s := callbacks[consumer.CallbackNote(n.A)]
		if n.B != 0 {
			s += " throws " + consumer.Class(n.B).String()
		}
		return s
	case protocol.NoteThrown:
		return consumer.Thrown{Class: consumer.Class(n.A), Cause: consumer.Class(n.B)}.String()
	case protocol.NoteDelivered, protocol.NoteFinished:
		return fmt.Sprintf("offsets %d to %d:", n.A, n.B-1)
	case protocol.NoteBusy:
		return fmt.Sprintf("for %d ms", n.A)
	case protocol.NoteCommitCallback:
		s := fmt.Sprintf("commitAsync %d", n.A)
		if n.B != 0 {
			s += " fails with " + consumer.Class(n.B).String()
		}
		return s
	}
	return ""
}

// unfolded breaks a line that is wider than the page: what it lists stands below, one a line, so
// far in.
func unfolded(line string, in int) []string {
	open := -1
	if len(line) > Columns {
		open = listIn(line)
	}
	if open < 0 {
		return []string{line}
	}
	lines := []string{line[:open+1]}
	depth, from, quoted := 0, 0, false
	for i := open + 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"' && line[i-1] != '\\':
			quoted = !quoted
		case quoted:
		case c == '{':
			if depth == 0 {
				from = i + 1
			}
			depth++
		case c == '}':
			if depth--; depth == 0 {
				lines = append(lines, unfolded(strings.Repeat(" ", in)+line[from:i], in+4)...)
			}
		case c == ']' && depth == 0:
			return append(lines, unfolded(strings.Repeat(" ", in-2)+line[i:], in)...)
		}
	}
	return []string{line} // it does not close: some text that has it
}

// listIn is where a list of structures begins in a line, outside of quotes, -1 if none does.
func listIn(line string) int {
	quoted := false
	for i := 1; i+1 < len(line); i++ {
		switch {
		case line[i] == '"' && line[i-1] != '\\':
			quoted = !quoted
		case !quoted && line[i-1:i+2] == "=[{":
			return i
		}
	}
	return -1
}
