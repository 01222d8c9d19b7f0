package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// Causes is an observer that keeps every record, so that it can tell how something came
// about. It is for runs that a person looks at.
type Causes struct {
	w     *sim.World
	file  string
	names *history.Names
	recs  []kept                   // by reference
	first map[string]sim.Ref       // the first record of each name
	order []string                 // the names
	asked map[string]asked         // the messages, by their names
	ids   map[string]sim.NodeID    // of member ids
	gone  map[string][]sim.Ref     // what removed or replaced each
	gave  map[sim.NodeID][]sim.Ref // when a broker gave groups up last
	acts  []sim.Ref
}

// kept is a record, its name, and what only the moment could tell of it.
type kept struct {
	sim.Rec
	name   string
	timer  string // what timer it is
	member string // whose session it watches
	chance string // what it has answered
	cut    bool   // it was sent where nothing arrives
	behind string // the kind of request that it has to wait for, to be read
}

// asked is what became of a message.
type asked struct{ sent, arrived, lost sim.Ref }

// NewCauses keeps what is yet to happen in w, where what the scenario does stands in a file.
func NewCauses(w *sim.World, file string) *Causes {
	return &Causes{w: w, file: file, names: history.NewNames(w), recs: make([]kept, 1),
		first: map[string]sim.Ref{}, asked: map[string]asked{}, ids: map[string]sim.NodeID{}, gone: map[string][]sim.Ref{}, gave: map[sim.NodeID][]sim.Ref{}}
}

// Observe takes one record.
func (c *Causes) Observe(r *sim.Rec) {
	k := kept{Rec: *r, name: c.names.Of(r)}
	switch r.Op {
	case sim.OpSend:
		k.cut = c.w.IsCut(r.Msg.From, r.Msg.To)
		k.behind = behind(c.w, r)
		c.asked[k.name] = asked{sent: r.ID}
	case sim.OpArrive, sim.OpLost:
		a := c.asked[k.name]
		if a.arrived = r.ID; r.Op == sim.OpLost {
			a.arrived, a.lost = 0, r.ID
		}
		c.asked[k.name] = a
	case sim.OpTimer:
		k.timer, k.member = content(c.w, r), sessionOf(c.w, r)
	case sim.OpDecision:
		k.Decision = nil // it is the world's
		k.chance = fmt.Sprintf("%s of %s: %d of %d", r.Decision.Point, r.Decision.Subject, r.Decision.Answer, r.Decision.N)
	case sim.OpAct:
		c.acts = append(c.acts, r.ID)
	case sim.OpNote:
		if m, ok := r.Note.Body.(*protocol.MemberChange); ok {
			c.member(r, m)
		}
		if r.Note.Code == protocol.NoteUnloaded {
			c.gave[r.Node] = append(c.gave[r.Node], r.ID)
		}
	}
	c.recs = append(c.recs, k)
	if c.first[k.name] == 0 {
		c.first[k.name] = r.ID
		c.order = append(c.order, k.name)
	}
}

// member follows whose member ids are, and what became of them.
func (c *Causes) member(r *sim.Rec, m *protocol.MemberChange) {
	if m.What != "added" {
		c.gone[m.Member] = append(c.gone[m.Member], r.ID)
		return
	}
	if by := c.recs[r.Cause]; by.Op == sim.OpArrive && by.Msg.Kind() == protocol.KindJoinGroup {
		c.ids[m.Member] = by.Msg.From
		return
	}
	for id := range sim.NodeID(c.w.Nodes()) { // it was formed, or loaded
		if _, known := c.ids[m.Member]; !known && c.w.Name(id) == m.Client {
			c.ids[m.Member] = id
		}
	}
}

// Names lists the names of all that happened, in the order in which it did.
func (c *Causes) Names() []string { return c.order }

// most is how many lines a chain has at most, unless all is asked for.
const most = 22

// Why writes the chain of causes that ends in the event of the name: each event, the
// rule that made it so, and then what it rests on. What repeats is folded, and the middle
// of a long chain left out, unless all is asked for. It reports false if there was no
// such event.
func (c *Causes) Why(w io.Writer, name string, all bool) bool {
	at := c.find(name)
	if at == 0 {
		return false
	}
	links := c.chain(at)
	if !all {
		links = fold(links)
	}
	told := map[protocol.Rule]bool{}
	lines := 0
	texts := make([][]string, len(links))
	for i, l := range links {
		texts[i] = c.tell(l, i == 0, told)
		lines += len(texts[i])
	}
	out := bufio.NewWriter(w)
	defer out.Flush()
	from, to := leftOut(texts, lines)
	for i, text := range texts {
		if !all && i >= from && i < to {
			if i == from {
				fmt.Fprintf(out, " ...  %d more on the way: --all tells them\n", to-from)
			}
			continue
		}
		for _, l := range text {
			fmt.Fprintln(out, l)
		}
	}
	return true
}

// leftOut is the part of a chain that there is no room for: its last event stays, as that is
// what began it all.
func leftOut(texts [][]string, lines int) (from, to int) {
	if lines <= most {
		return 0, 0
	}
	to = max(len(texts)-1, 1)
	room := most - 1
	for _, t := range texts[to:] {
		room -= len(t)
	}
	for from < to && len(texts[from]) <= room {
		room -= len(texts[from])
		from++
	}
	from = max(from, 1)
	return from, max(to, from)
}

// link is a step of a chain.
type link struct {
	at   *kept
	why  protocol.Rule
	also string // what else is to be known of it
	more int    // how many like it came before
	back sim.Time

	first bool // nothing led to it
}

// chain is what led to a record, the last first.
func (c *Causes) chain(at sim.Ref) (links []link) {
	for at != 0 {
		l := link{at: &c.recs[at], why: protocol.Rule(c.recs[at].Why)}
		if l.at.Op == sim.OpArrive { // what comes has been sent by a rule
			l.why = protocol.Rule(c.recs[l.at.Ref].Why)
		}
		var next sim.Ref
		if next, l.also = c.before(l.at); next >= at {
			next = 0 // all causes are earlier, so a chain ends
		}
		l.first = next == 0
		links = append(links, l)
		at = next
	}
	return links
}

// before is what a record rests on, and a word about the way there.
func (c *Causes) before(r *kept) (next sim.Ref, also string) {
	next = r.Cause
	if r.Ref != 0 {
		next = r.Ref
	}
	switch r.Op {
	case sim.OpNote: // a group and its members change by what is handled
		if _, ok := r.Note.Body.(*protocol.GroupChange); ok && r.Cause != 0 {
			return r.Cause, ""
		}
		if _, ok := r.Note.Body.(*protocol.MemberChange); ok && r.Cause != 0 {
			return r.Cause, ""
		}
	case sim.OpSend:
		if r.Msg.Answer {
			return c.beforeAnswer(r)
		}
		return next, c.fate(r)
	case sim.OpArrive:
		sent := &c.recs[r.Ref]
		if r.Ref == 0 || sent.Op != sim.OpSend {
			return next, ""
		}
		next, _ = c.before(sent) // the sending says nothing else
		also = "sent at " + sent.At.String()
		if sent.behind != "" && r.At > sent.At {
			also += ", waited behind a " + sent.behind
		}
		return next, also
	case sim.OpLost:
		if r.Cause != 0 {
			return r.Cause, "sent at " + c.recs[r.Ref].At.String()
		}
	case sim.OpTimer:
		if by, word := c.silence(r); by != 0 {
			return by, word
		}
		if r.Ref != 0 {
			also = "set at " + c.recs[r.Ref].At.String()
		}
	}
	return next, also
}

// beforeAnswer is what an answer rests on: one that was waited for, on what ended the wait;
// a refusal, on what it refers to; any other, on the request.
func (c *Causes) beforeAnswer(r *kept) (next sim.Ref, also string) {
	q := c.asked[strings.TrimSuffix(r.name, ".answer")].arrived
	switch {
	case q == 0:
		return r.Cause, ""
	case r.Cause != q && r.Cause != 0:
		return r.Cause, fmt.Sprintf("asked at %s, waited %s s", c.recs[q].At, r.At-c.recs[q].At)
	case c.wasTold(r, q) != 0:
		return c.wasTold(r, q), "asked at " + c.recs[q].At.String()
	case protocol.ErrorIn(r.Msg.Body) != protocol.None && r.Ref != 0 && r.Ref != q:
		return r.Ref, "asked at " + c.recs[q].At.String()
	}
	return q, ""
}

// wasTold is what became of a member that an answer says is none, or has been replaced, and of
// groups that the broker does not coordinate.
func (c *Causes) wasTold(r *kept, q sim.Ref) sim.Ref {
	_, member, _, _ := protocol.IDsIn(c.recs[q].Msg.Body)
	list := c.gone[member]
	switch protocol.ErrorIn(r.Msg.Body) {
	case protocol.UnknownMemberID, protocol.FencedInstanceID:
	case protocol.NotCoordinator:
		list = c.gave[r.Node]
	default:
		return 0
	}
	return lastBefore(list, r.ID)
}

// lastBefore is the last of some records before one.
func lastBefore(list []sim.Ref, at sim.Ref) sim.Ref {
	n, _ := slices.BinarySearch(list, at)
	if n == 0 {
		return 0
	}
	return list[n-1]
}

// fate is what became of a request.
func (c *Causes) fate(r *kept) string {
	a := c.asked[r.name]
	switch answer := c.asked[r.name+".answer"]; {
	case a.arrived == 0:
		return "never arrives"
	case answer.lost != 0:
		return "arrives at " + c.recs[a.arrived].At.String() + ", its answer is lost"
	case r.behind != "" && c.recs[a.arrived].At > r.At:
		return "arrives at " + c.recs[a.arrived].At.String() + ", behind a " + r.behind
	}
	return "arrives at " + c.recs[a.arrived].At.String()
}

// silence is why a member was not heard any more whose session is over: what happened to its
// process since, or what it sent in vain.
func (c *Causes) silence(r *kept) (by sim.Ref, also string) {
	node, ok := c.ids[r.member]
	if !ok || r.Ref == 0 {
		return 0, ""
	}
	also = "last heard of at " + c.recs[r.Ref].At.String()
	for at := r.ID - 1; at > r.Ref; at-- {
		k := &c.recs[at]
		if k.Node != node {
			continue
		}
		switch k.Op {
		case sim.OpCrash, sim.OpExit, sim.OpFreeze, sim.OpLost:
			return at, also
		case sim.OpSend:
			if k.Msg.To == r.Node && c.asked[k.name].arrived == 0 {
				by = at
			}
		}
	}
	if by != 0 && c.recs[by].cut {
		if cut := c.lastCut(by); cut != 0 {
			return cut, also + "; it sent " + c.recs[by].name + ", which never arrived"
		}
	}
	return by, also
}

// lastCut is the step that had cut a way before a record.
func (c *Causes) lastCut(before sim.Ref) sim.Ref {
	for i := len(c.acts) - 1; i >= 0; i-- {
		if at := c.acts[i]; at < before {
			if t, ok := c.recs[at].Note.Body.(*protocol.Text); ok && t.Cuts {
				return at
			}
		}
	}
	return 0
}
