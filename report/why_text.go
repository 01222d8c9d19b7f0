package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// inset is how far the text of an event stands in.
const inset = "          "

// tell writes a step of a chain: the event, what it says with what decides first, and its
// rule, if that has not been told yet.
func (c *Causes) tell(l link, asked bool, told map[protocol.Rule]bool) []string {
	r := l.at
	lead := " <- "
	if asked {
		lead = "    "
	}
	who := "-"
	if r.Node != sim.Nobody {
		who = c.w.Name(r.Node)
	}
	verb := history.Verb(r.Op)
	if r.Op == sim.OpAct {
		verb = "step"
	}
	line := fmt.Sprintf("%s%9s  %-6s %-8s %s", lead, r.At, who, verb, r.name)
	words := c.says(r)
	if l.also != "" {
		words = append(words, "("+l.also+")")
	}
	lines := filled(line, words)
	lines = append(lines, Wrap(l.rule(told), Columns, inset)...)
	if l.more > 0 {
		lines = append(lines, fmt.Sprintf(" ...  %d more like that, back to %s", l.more, l.back))
	}
	return lines
}

// rule is the rule of a step in words, "" if it has been told.
func (l *link) rule(told map[protocol.Rule]bool) string {
	switch text := l.why.Text(); {
	case told[l.why]:
		return ""
	case text.Source != "":
		told[l.why] = true
		return text.Text + " (" + text.Source + ")"
	case text.Text != "":
		told[l.why] = true
		return text.Text
	case l.first && l.at.Op == sim.OpStart:
		return "The scenario starts it."
	case l.first && l.at.Op != sim.OpAct && l.at.Op != sim.OpDecision:
		return strings.TrimSpace(opRules[l.at.Op] + " The scenario begins with it.")
	}
	return opRules[l.at.Op]
}

// opRules say what stands behind records that no rule of the protocol has made.
var opRules = map[sim.Op]string{
	sim.OpCrash:  "The process is killed: it takes leave of nobody.",
	sim.OpExit:   "The process ends.",
	sim.OpFreeze: "The process stands still: it sends nothing and handles nothing.",
	sim.OpOpen:   "The client connects, to ask something there.",
	sim.OpClosed: "The connection has broken, or the other side has closed it.",
	sim.OpLost:   "It does not arrive.",

	sim.OpDecision: "Chance has given an answer that is not the plain one.",
}

// filled adds words to a line, and more lines below it as they are needed, at most two: what
// there is no room for is left out at the end, so that which words come first counts.
func filled(line string, words []string) []string {
	lines := []string{line}
	const room = 3 // lines
	for i, w := range words {
		sep := " "
		last := &lines[len(lines)-1]
		if len(lines) == 1 && i == 0 {
			sep = "  "
		}
		switch {
		case len(*last)+len(sep)+len(w) <= Columns:
			*last += sep + w
		case len(lines) < room && len(inset)+len(w) <= Columns:
			lines = append(lines, inset+w)
		case len(lines) < room && !strings.HasSuffix(*last, ".."):
			lines = append(lines, inset+wholeWords(w, Columns-len(inset)-3)+" ..")
		case !strings.HasSuffix(*last, ".."):
			if len(*last)+3 <= Columns {
				*last += " .."
			}
			return lines
		}
	}
	return lines
}

// wholeWords are as many words of a text as fit a width, or what fits of its first.
func wholeWords(s string, width int) string {
	if i := strings.LastIndexByte(s[:width], ' '); i > 0 {
		return s[:i]
	}
	return strings.ToValidUTF8(s[:width], "")
}

// says is the content of a record in words, what decides first.
func (c *Causes) says(r *kept) []string {
	switch r.Op {
	case sim.OpTimer:
		return []string{r.timer}
	case sim.OpAct:
		return c.stepSays(r)
	case sim.OpDecision:
		return []string{r.chance}
	case sim.OpNote:
		var words []string
		if s := noted(&r.Note); s != "" {
			words = append(words, s)
		}
		return append(words, decisive(r.Note.Body)...)
	case sim.OpSend, sim.OpArrive, sim.OpLost:
		words := decisive(r.Msg.Body)
		if r.Msg.Answer {
			words = append([]string{"error=" + protocol.ErrorIn(r.Msg.Body).String()}, words...)
		}
		return words
	case sim.OpOpen, sim.OpClose, sim.OpClosed:
		to, channel := c.w.Channel(r.Msg.Link)
		if channel == 1 {
			return []string{"with " + c.w.Name(to) + " as the coordinator"}
		}
		return []string{"with " + c.w.Name(to)}
	case sim.OpCommand, sim.OpStart:
		return decisive(r.Body)
	}
	return nil
}

// stepSays is where a step stands, and what it says.
func (c *Causes) stepSays(r *kept) []string {
	var words []string
	if t, ok := r.Note.Body.(*protocol.Text); ok && t.Line > 0 && c.file != "" {
		words = []string{fmt.Sprintf("%s:%d:", c.file, t.Line)}
	}
	return append(words, strings.Fields(actText(r))...)
}

func actText(r *kept) string {
	t, ok := r.Note.Body.(*protocol.Text)
	if !ok {
		return ""
	}
	return t.Text
}

// decisive are the fields of a body, those first by which people know what happened, and
// without the error, which comes before all, and those that say the same in all.
func decisive(b sim.Body) []string {
	switch q := b.(type) {
	case *protocol.JoinGroupRequest:
		return joinSays(q)
	case *protocol.LeaveGroupRequest:
		return leaveSays(q)
	case *protocol.LeaveGroupAnswer:
		return nil
	case *protocol.PartitionList:
		if len(q.Partitions) == 0 {
			return []string{"nothing"}
		}
	}
	var first, rest []string
	for _, f := range history.Fields(b) {
		switch name, _, _ := strings.Cut(f, "="); name {
		case "state", "from", "to", "what", "op", "generation", "reason":
			first = append(first, f)
		case "error", "version", "group", "protocolType", "hasSkip", "retention", "requireStable":
		default:
			rest = append(rest, f)
		}
	}
	return append(first, rest...)
}

// joinSays is who asks to join, and how.
func joinSays(q *protocol.JoinGroupRequest) []string {
	words := []string{"as " + q.Member}
	if q.Member == "" {
		words[0] = "as a new member"
	}
	if q.Instance != "" {
		words = append(words, "instance="+q.Instance)
	}
	if q.Reason != "" {
		words = append(words, "reason="+strconv.Quote(q.Reason))
	}
	names := make([]string, len(q.Protocols))
	for i := range q.Protocols {
		names[i] = q.Protocols[i].Name
	}
	return append(words, "protocols="+strings.Join(names, ","))
}

// leaveSays is who leaves, and why.
func leaveSays(q *protocol.LeaveGroupRequest) (words []string) {
	for _, m := range q.Members {
		words = append(words, m.Member+m.Instance)
		if m.Reason != "" {
			words = append(words, "reason="+strconv.Quote(m.Reason))
		}
	}
	return words
}

// sessionOf is the member whose session a timer watches, "" if it is another one.
func sessionOf(w *sim.World, r *sim.Rec) string {
	b, ok := w.Actor(r.Node).(*coordinator.Broker)
	if !ok {
		return ""
	}
	kind, _, member := b.TimerOf(r.Timer.ID)
	if kind != coordinator.TimerSession {
		return ""
	}
	return member
}
