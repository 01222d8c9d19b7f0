package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// mermaidMost is how many steps a picture has at most: Mermaid draws 500 arrows by default.
const mermaidMost = 400

// Mermaid writes the run as a Mermaid sequence diagram: what the coordinator handled and
// answered and when, how the group moved, and what happened to processes. It begins where the
// run's figures do. What is lost ends in a cross. Heartbeats, fetches and lookups that changed
// nothing are left out, and what happens to a client again and again is drawn once.
func Mermaid(w io.Writer, r *Run) error {
	m := &mermaid{h: r.History}
	for _, c := range m.h.Clients {
		m.takesPart(c.Node)
	}
	for _, q := range m.h.Requests {
		m.takesPart(q.Broker)
	}
	m.collect(r.From)
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	for _, id := range m.nodes {
		if m.id(id) == m.name(id) {
			fmt.Fprintf(&b, "    participant %s\n", m.name(id))
		} else {
			fmt.Fprintf(&b, "    participant %s as %s\n", m.id(id), m.name(id))
		}
	}
	if r.From > 0 {
		fmt.Fprintf(&b, "    Note over %s: from %s s on\n", m.all(), r.From)
	}
	for i, p := range m.steps {
		if i == mermaidMost {
			fmt.Fprintf(&b, "    Note over %s: … the picture ends here, the run at %s s\n", m.all(), m.h.End)
			break
		}
		b.WriteString(p.String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type mermaid struct {
	h     *history.History
	nodes []sim.NodeID // who takes part, the clients first
	steps []*picture
}

// picture is a step of the diagram: a note, a question or an answer.
type picture struct {
	ref   sim.Ref
	at    sim.Time
	lead  string // "    F1->>b1: "
	text  string
	of    sim.NodeID // the client that asks, or that it happens to; Nobody: it is no such step
	kind  uint8      // of a question
	reply *picture   // to a question, nil: none
	again int        // how often it came again
	until sim.Time
	gone  bool // it is a part of an earlier one
}

func (p *picture) String() string {
	text := fmt.Sprintf("%s%s %s", p.lead, p.at, p.text)
	if p.again > 0 {
		text += fmt.Sprintf(" (%d more, until %s)", p.again, p.until)
	}
	return text + "\n"
}

func (m *mermaid) takesPart(id sim.NodeID) {
	if !slices.Contains(m.nodes, id) {
		m.nodes = append(m.nodes, id)
	}
}

func (m *mermaid) name(id sim.NodeID) string { return m.h.World.Name(id) }

// taken are words that Mermaid does not take for the beginning of a name.
var taken = strings.Fields(`activate actor alt and autonumber box break create critical deactivate destroy details else end link
	links loop note opt option over par par_over participant properties rect title`)

// id is what a node is called in the diagram's text: its name, unless Mermaid would take that for a
// word of its own or for an arrow.
func (m *mermaid) id(id sim.NodeID) string {
	name := strings.ToLower(m.name(id))
	first, _, _ := strings.Cut(name, "-")
	if !slices.Contains(taken, first) && !strings.Contains(name+"-", "--") && !strings.Contains(name, "-x") {
		return m.name(id)
	}
	other := "_" + strings.ReplaceAll(m.name(id), "-", "_")
	for slices.ContainsFunc(m.nodes, func(n sim.NodeID) bool { return m.name(n) == other }) {
		other = "_" + other
	}
	return other
}

// all spans the picture.
func (m *mermaid) all() string {
	return m.id(m.nodes[0]) + "," + m.id(m.nodes[len(m.nodes)-1])
}

// collect makes the steps, in the order of their records, from a moment on.
func (m *mermaid) collect(from sim.Time) {
	for _, q := range m.h.Requests {
		if q.Quiet() || q.Arrived < from {
			continue
		}
		ask := m.ask(q, q.Arrival, q.Arrived, "->>")
		if q.Answer != nil {
			ask.reply = m.answer(q)
			m.steps = append(m.steps, ask.reply)
		}
	}
	for _, q := range m.h.Unheard {
		if !q.Quiet() && q.Sent >= from {
			m.ask(q, q.Sending, q.Sent, "-x")
		}
	}
	for _, mv := range m.h.Moves {
		if mv.At >= from {
			m.note(mv.Ref, mv.At, m.id(mv.Node), stateText(mv.To, mv.Generation))
		}
	}
	for i := range m.h.Events {
		if e := &m.h.Events[i].Rec; e.At >= from {
			m.event(e)
		}
	}
	slices.SortStableFunc(m.steps, func(a, b *picture) int { return cmp.Compare(a.ref, b.ref) })
	m.fold()
}

func (m *mermaid) ask(q *history.Request, ref sim.Ref, at sim.Time, arrow string) *picture {
	p := &picture{ref: ref, at: at, of: q.Client, kind: q.Kind, text: q.Name[len(m.name(q.Client))+1:],
		lead: fmt.Sprintf("    %s%s%s: ", m.id(q.Client), arrow, m.id(q.Broker))}
	m.steps = append(m.steps, p)
	return p
}

func (m *mermaid) answer(q *history.Request) *picture {
	arrow := "-->>"
	if q.Lost && q.Got < 0 {
		arrow = "--x"
	}
	return &picture{ref: q.AnswerRef, at: q.Answered, of: sim.Nobody, text: answerText(q),
		lead: fmt.Sprintf("    %s%s%s: ", m.id(q.Broker), arrow, m.id(q.Client))}
}

func (m *mermaid) note(ref sim.Ref, at sim.Time, over, text string) *picture {
	p := &picture{ref: ref, at: at, of: sim.Nobody, lead: "    Note over " + over + ": ", text: text}
	m.steps = append(m.steps, p)
	return p
}

// lives say what becomes of a process.
var lives = map[sim.Op]string{sim.OpStart: "starts", sim.OpCrash: "dies", sim.OpExit: "ends",
	sim.OpFreeze: "stands still", sim.OpThaw: "goes on", sim.OpClosed: "is disconnected"}

// event tells of the scenario's steps and of processes, but not that all begin.
func (m *mermaid) event(e *sim.Rec) {
	switch body, said := e.Note.Body.(*protocol.Text); {
	case e.Op == sim.OpAct && said && e.Note.Code == protocol.NoteAct:
		m.note(e.ID, e.At, m.all(), plain(body.Text))
	case e.Op == sim.OpStart && e.At == 0 || e.Node == sim.Nobody || !slices.Contains(m.nodes, e.Node):
	case e.Op == sim.OpClosed:
		if _, channel := m.h.World.Channel(e.Msg.Link); channel == consumer.ChannelCoordinator {
			m.happens(e, lives[e.Op])
		}
	case lives[e.Op] != "":
		m.happens(e, lives[e.Op])
	case e.Op == sim.OpNote && e.Note.Code == protocol.NoteThrown:
		m.happens(e, "throws "+noted(&e.Note))
	}
}

func (m *mermaid) happens(e *sim.Rec, text string) {
	m.note(e.ID, e.At, m.id(e.Node), text).of = e.Node
}

// plain is a text without what Mermaid takes for more than text.
func plain(s string) string { return strings.NewReplacer(";", ",", "\n", " ").Replace(s) }

// fold draws what happens to a client again and again once: a few steps in the same order, each
// asked and answered in the same way.
func (m *mermaid) fold() {
	of := map[sim.NodeID][]*picture{}
	for _, p := range m.steps {
		if p.of != sim.Nobody {
			of[p.of] = append(of[p.of], p)
		}
	}
	for _, id := range m.nodes {
		foldRepeats(of[id])
	}
	m.steps = slices.DeleteFunc(m.steps, func(p *picture) bool { return p.gone })
}

// longestTurn is how many steps are looked at that could come again in the same order.
const longestTurn = 4

// foldRepeats folds what a client's steps repeat. It takes as many comparisons as there are steps,
// times longestTurn squared.
func foldRepeats(steps []*picture) {
	for i := 0; i < len(steps); {
		n := turn(steps[i:])
		if n == 0 {
			i++
			continue
		}
		first := steps[i : i+n]
		for i += n; comesAgain(first, steps[i:]); i += n {
			for j, p := range steps[i : i+n] {
				first[j].takes(p)
			}
		}
	}
}

// turn is how many steps come again right behind, 0 if none do.
func turn(steps []*picture) int {
	for n := 1; n <= longestTurn && 2*n <= len(steps); n++ {
		if comesAgain(steps[:n], steps[n:]) {
			return n
		}
	}
	return 0
}

// comesAgain reports whether steps begin as others do.
func comesAgain(first, steps []*picture) bool {
	return len(steps) >= len(first) && slices.EqualFunc(first, steps[:len(first)], (*picture).like)
}

// like reports whether two steps are drawn the same but for their times and numbers, and what is
// asked in them is answered at once.
func (p *picture) like(q *picture) bool {
	if p.lead != q.lead || p.kind != q.kind || p.kind == 0 && p.text != q.text {
		return false
	}
	if p.reply == nil || q.reply == nil {
		return p.reply == nil && q.reply == nil
	}
	return p.reply.lead == q.reply.lead && p.reply.text == q.reply.text && p.reply.at == p.at && q.reply.at == q.at
}

// takes makes a step that is like this one a part of it.
func (p *picture) takes(q *picture) {
	p.again++
	p.until, q.gone = q.at, true
	if q.reply != nil {
		q.reply.gone = true
	}
}

func answerText(q *history.Request) string {
	if e := q.Error(); e != protocol.None {
		return e.String()
	}
	switch a := q.Answer.(type) {
	case *protocol.JoinGroupAnswer:
		if len(a.Members) > 0 {
			return fmt.Sprintf("generation %d, leads %s", a.Generation, number(len(a.Members)))
		}
		return fmt.Sprintf("generation %d", a.Generation)
	case *protocol.SyncGroupAnswer:
		if a.Assignment == nil || len(a.Assignment.Partitions) == 0 {
			return "nothing"
		}
		return history.Partitions(a.Assignment.Partitions)
	}
	return "NONE"
}
