package report

import (
	"bufio"
	"io"
	"strconv"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// JSONFormat is the number of the format of JSON lines. docs/trace.md describes it.
const JSONFormat = 1

// JSONLines is an observer that writes every record as a line of JSON, as it comes.
type JSONLines struct {
	w     *sim.World
	out   *bufio.Writer
	names *history.Names
	line  []byte
}

// NewJSONLines writes the first line, which says what run it is, and then writes what
// is yet to happen in w.
func NewJSONLines(w *sim.World, out io.Writer, scenario, broker, client string, seed uint64) *JSONLines {
	j := &JSONLines{w: w, out: bufio.NewWriter(out), names: history.NewNames(w)}
	b := append(j.line, `{"trace":`...)
	b = strconv.AppendInt(b, JSONFormat, 10)
	b = appendField(b, "scenario", scenario)
	b = append(b, `,"kafka":{"broker":`...)
	b = strconv.AppendQuote(b, broker)
	b = appendField(b, "client", client)
	b = append(b, `},"seed":`...)
	b = strconv.AppendUint(b, seed, 10)
	b = append(b, `,"nodes":[`...)
	for id := range sim.NodeID(w.Nodes()) {
		if id > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, w.Name(id))
	}
	j.write(append(b, "]}"...))
	return j
}

func appendField(b []byte, key, value string) []byte {
	b = append(b, ',', '"')
	b = append(b, key...)
	b = append(b, '"', ':')
	return strconv.AppendQuote(b, value)
}

func appendNumber(b []byte, key string, n int64) []byte {
	b = append(b, ',', '"')
	b = append(b, key...)
	b = append(b, '"', ':')
	return strconv.AppendInt(b, n, 10)
}

func (j *JSONLines) write(line []byte) {
	j.line = line[:0]
	j.out.Write(line)
	j.out.WriteByte('\n')
}

// Close writes the last line, with the trace's hash. It returns the first error that
// there was in writing.
func (j *JSONLines) Close(at sim.Time, hash string) error {
	b := append(j.line, `{"end":`...)
	b = strconv.AppendInt(b, int64(at), 10)
	b = appendField(b, "hash", hash)
	j.write(append(b, '}'))
	return j.out.Flush()
}

var opNames = [...]string{
	sim.OpStart: "start", sim.OpCrash: "crash", sim.OpCommand: "command", sim.OpAct: "act",
	sim.OpOpen: "open", sim.OpClose: "close", sim.OpClosed: "closed", sim.OpSend: "send",
	sim.OpArrive: "arrive", sim.OpLost: "lost", sim.OpHeld: "held", sim.OpReleased: "released",
	sim.OpTimer: "timer", sim.OpNote: "note", sim.OpDecision: "decision",
	sim.OpExit: "exit", sim.OpFreeze: "freeze", sim.OpThaw: "thaw", sim.OpClock: "clock",
}

// Observe writes one record.
func (j *JSONLines) Observe(r *sim.Rec) {
	b := append(j.line, `{"id":`...)
	b = strconv.AppendUint(b, uint64(r.ID), 10)
	b = appendNumber(b, "at", int64(r.At))
	b = appendField(b, "op", opNames[r.Op])
	b = appendField(b, "name", j.names.Of(r))
	if r.Node != sim.Nobody {
		b = appendField(b, "node", j.w.Name(r.Node))
	}
	if r.Cause != 0 {
		b = appendNumber(b, "cause", int64(r.Cause))
	}
	if r.Ref != 0 {
		b = appendNumber(b, "ref", int64(r.Ref))
	}
	if why := protocol.Rule(r.Why).String(); why != "" {
		b = appendField(b, "why", why)
	}
	j.write(append(j.appendContent(b, r), '}'))
}

func (j *JSONLines) appendContent(b []byte, r *sim.Rec) []byte {
	switch r.Op {
	case sim.OpSend, sim.OpArrive, sim.OpLost, sim.OpHeld, sim.OpReleased:
		b = appendField(b, "from", j.w.Name(r.Msg.From))
		b = appendField(b, "to", j.w.Name(r.Msg.To))
		return appendBody(b, r.Msg.Body)
	case sim.OpOpen, sim.OpClose, sim.OpClosed:
		to, channel := j.w.Channel(r.Msg.Link)
		b = appendField(b, "to", j.w.Name(to))
		return appendNumber(b, "channel", int64(channel))
	case sim.OpTimer:
		b = appendNumber(b, "kind", int64(r.Timer.Kind))
		return appendTimer(appendNumber(b, "arg", int64(r.Timer.Arg)), j.w, r)
	case sim.OpClock:
		b = appendNumber(b, "jump", r.Note.A)
		return appendNumber(b, "fast", r.Note.B)
	case sim.OpNote, sim.OpAct:
		b = appendNumber(b, "code", int64(r.Note.Code))
		b = append(b, `,"numbers":[`...)
		b = strconv.AppendInt(b, r.Note.A, 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, r.Note.B, 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, r.Note.C, 10)
		b = append(b, ']')
		if r.Note.Comment {
			b = append(b, `,"comment":true`...)
		}
		if r.Op == sim.OpNote {
			b = appendNamed(b, &r.Note)
		}
		return appendBody(b, r.Note.Body)
	case sim.OpDecision:
		d := r.Decision
		b = appendField(b, "point", d.Point)
		b = appendField(b, "subject", d.Subject)
		b = appendNumber(b, "k", int64(d.K))
		b = appendNumber(b, "of", int64(d.N))
		return appendNumber(b, "answer", int64(d.Answer))
	}
	return appendBody(b, r.Body)
}

func appendBody(b []byte, body sim.Body) []byte {
	if body == nil {
		return b
	}
	b = append(b, `,"body":`...)
	return history.AppendJSON(b, body)
}
