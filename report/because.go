package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// standing is something for which a member read nothing, and how long it did.
type standing struct {
	text string
	time sim.Time
}

// reasons are what one member read nothing for, and who kept it waiting. What the records do
// not prove has no reason.
type reasons struct {
	own, others tally
	all         sim.Time
	waited      sim.Time // for others
}

// tally adds lengths of time up, in the order in which their texts came.
type tally struct {
	list []standing
	at   map[string]int
}

func (t *tally) add(text string, time sim.Time) {
	i, ok := t.at[text]
	if !ok {
		if t.at == nil {
			t.at = map[string]int{}
		}
		i, t.list = len(t.list), append(t.list, standing{text: text})
		t.at[text] = i
	}
	t.list[i].time += time
}

// searched is a run as reasons are looked for in it.
type searched struct {
	*history.History
	with  map[sim.Ref][]*history.Request // what was answered when a record was handled
	gone  map[sim.Ref][]string           // whose members were removed then
	known map[sim.Ref]bool               // whether a member was replaced then, which was known
	names map[string]string              // of the nodes that member ids belong to
}

// own is what a client did or met by itself, in the order of time.
type own struct {
	requests []*history.Request
	broke    []cut // connections
	threw    []sim.Time
	busy     []busy // one may lie within another
}

// cut is that a client learned that a connection is gone.
type cut struct {
	at   sim.Time
	link sim.LinkID
}

// busy is a time in which a program did not poll.
type busy struct {
	from, to sim.Time
	text     string
}

// reasonsOf finds for each of the first clients what it read nothing for. It takes as many
// steps as those have requests and, for each that was parked, others were answered with it.
func reasonsOf(r *Run, first int) []reasons {
	h := search(r.History)
	of := h.owns()
	list := make([]reasons, first)
	for i, c := range h.Clients[:first] {
		o := of[c.Node]
		if o == nil {
			o = &own{}
		}
		slices.SortStableFunc(o.requests, func(a, b *history.Request) int { return cmp.Compare(a.Sent, b.Sent) })
		slices.SortStableFunc(o.busy, func(a, b busy) int { return cmp.Compare(a.from, b.from) })
		for _, p := range c.Pauses {
			if p.From = max(p.From, r.From); p.From >= p.To {
				continue
			}
			list[i].all += p.To - p.From
			o.begins(p.From)
			switch p.Why {
			case history.Frozen:
				list[i].own.add("frozen", p.To-p.From)
			case history.Down:
				list[i].own.add("down", p.To-p.From)
			default:
				list[i].pause(h, p, o)
			}
		}
	}
	return list
}

// begins drops what was over before a pause.
func (o *own) begins(at sim.Time) {
	for len(o.requests) > 1 && o.requests[1].Sent <= at && over(o.requests[0]) < at {
		o.requests = o.requests[1:] // it was over, or given up
	}
	for len(o.broke) > 0 && o.broke[0].at < at {
		o.broke = o.broke[1:]
	}
	for len(o.threw) > 0 && o.threw[0] < at {
		o.threw = o.threw[1:]
	}
	for len(o.busy) > 0 && o.busy[0].to <= at {
		o.busy = o.busy[1:]
	}
}

// over is when a request was answered, or the last of those that are counted with it.
func over(q *history.Request) sim.Time { return max(q.Answered, q.Until) }

// breaks is when the connection was gone that a request came by, -1: it was not.
func (o *own) breaks(q *history.Request) sim.Time {
	for _, b := range o.broke {
		if b.link == q.Link && b.at >= q.Arrived {
			return b.at
		}
	}
	return -1
}

func search(of *history.History) *searched {
	h := &searched{of, map[sim.Ref][]*history.Request{}, map[sim.Ref][]string{}, map[sim.Ref]bool{}, map[string]string{}}
	for _, q := range h.Requests {
		if q.Answer != nil && !q.AtOnce() {
			h.with[q.AnswerBy] = append(h.with[q.AnswerBy], q)
		}
	}
	for i := range h.Joined {
		j := &h.Joined[i]
		if j.Gone {
			h.gone[j.By] = append(h.gone[j.By], j.Name)
			continue
		}
		h.names[j.Member] = j.Name
		n := len(h.gone[j.By])
		h.gone[j.By] = slices.DeleteFunc(h.gone[j.By], func(name string) bool { return name == j.Name })
		h.known[j.By] = len(h.gone[j.By]) < n // a static member that was replaced has come back
	}
	return h
}

// owns gives each client what is its own.
func (h *searched) owns() map[sim.NodeID]*own {
	all := map[sim.NodeID]*own{}
	of := func(id sim.NodeID) *own {
		if all[id] == nil {
			all[id] = &own{}
		}
		return all[id]
	}
	for _, q := range h.Requests {
		switch q.Kind {
		case protocol.KindJoinGroup, protocol.KindSyncGroup, protocol.KindHeartbeat, protocol.KindFindCoordinator, protocol.KindOffsetFetch, protocol.KindListOffsets:
			of(q.Client).requests = append(of(q.Client).requests, q)
		case protocol.KindOffsetCommit:
			if q.Answer != nil && q.Error() == protocol.UnknownTopicOrPartition {
				of(q.Client).requests = append(of(q.Client).requests, q)
			}
		}
	}
	last, closing := lasts(h.History), map[sim.NodeID]sim.Time{}
	for i := range h.Events {
		r := &h.Events[i].Rec
		switch {
		case stops(r):
			closing[r.Node] = r.At
		case r.Op == sim.OpExit:
			if at, ok := closing[r.Node]; ok {
				of(r.Node).busy = append(of(r.Node).busy, busy{at, r.At, "closing"})
			}
			delete(closing, r.Node)
		case r.Op == sim.OpClosed:
			of(r.Node).broke = append(of(r.Node).broke, cut{r.At, r.Msg.Link})
		case r.Op != sim.OpNote:
		case r.Note.Code == protocol.NoteThrown:
			of(r.Node).threw = append(of(r.Node).threw, r.At)
		case r.Note.Code == protocol.NoteBusy:
			of(r.Node).busy = append(of(r.Node).busy, busy{r.At, r.At + sim.Time(r.Note.A)*sim.Millisecond, "busy"})
		case callbacks[r.Note.Code] != "" && last[r.ID] > 0:
			of(r.Node).busy = append(of(r.Node).busy, busy{r.At, r.At + last[r.ID], callbacks[r.Note.Code]})
		}
	}
	return all
}

// hardly is how long a member may read nothing without a reason: a few messages take as long.
const hardly = 30 * sim.Millisecond

// told is what took longest, in so many columns; "" if hardly anything did. How a member that
// is gone ended comes before that, in full.
func (rs *reasons) told(end string, width int) string {
	list := slices.Clone(rs.own.list)
	if rs.waited > 0 {
		list = append(list, standing{waitedFor, rs.waited})
	}
	slices.SortStableFunc(list, func(a, b standing) int { return cmp.Compare(b.time, a.time) })
	above := inWords(end, width)
	cell := above[len(above)-1]
	above = above[:len(above)-1]
	for _, x := range list {
		next := " " + span(x.time)
		room := width - len(cell) - len(next)
		if cell != "" {
			room -= len(", ")
		}
		if x.time < hardly || cell != "" && room < len(x.text) {
			break
		}
		if x.text == waitedFor {
			x.text = rs.forWhom(room)
		}
		if cell != "" {
			cell += ", "
		}
		cell += short(x.text, room) + next
	}
	return strings.Join(append(above, cell), "\n")
}

const waitedFor = "waited for "

// forWhom says who was waited for, the longest first, in so many columns if that can be: that they
// were waited for counts more than who they are.
func (rs *reasons) forWhom(width int) string {
	slices.SortStableFunc(rs.others.list, func(a, b standing) int { return cmp.Compare(b.time, a.time) })
	var names []string
	for _, x := range rs.others.list {
		names = append(names, x.text)
	}
	for _, text := range []string{waitedFor + people(names, max(width-len(waitedFor), 10)), fmt.Sprintf("%s%d memb.", waitedFor, len(names))} {
		if len(text) <= width {
			return text
		}
	}
	return "waited"
}

// pause goes through what a client asked for, and how it was answered, from the beginning
// of a pause to its end.
func (rs *reasons) pause(h *searched, p history.Pause, o *own) {
	at, doing := p.From, notAsked
	until := func(t sim.Time, text string) {
		if t = min(t, p.To); t > at {
			rs.alone(at, t, text, o)
			at = t
		}
	}
	for _, q := range o.requests {
		if q.Sent >= p.To {
			break
		}
		if q.Answered >= 0 && over(q) < p.From {
			continue
		}
		if doing == notAsked && len(o.broke) > 0 && o.broke[0].at < q.Sent {
			doing = "was disconnected"
		}
		until(q.Sent, doing)
		switch q.Kind {
		case protocol.KindOffsetCommit:
			doing = "commits in vain"
			continue
		case protocol.KindOffsetFetch, protocol.KindListOffsets:
			doing = "offset lookup"
			until(q.Got, doing)
			continue
		case protocol.KindHeartbeat:
			if doing == notAsked && q.Answer != nil && q.Error() == protocol.None {
				doing = nothing
			}
			continue
		default:
			until(q.Arrived, protocol.KindName(q.Kind)+" late")
		}
		switch {
		case q.Answered < 0:
			doing = h.unanswered(q)
			if at := o.breaks(q); at >= 0 {
				until(at, doing)
				doing = "was disconnected"
			}
			continue
		case !q.AtOnce() && q.Answered > at:
			rs.parked(h, q, at, min(q.Answered, p.To))
			at = max(at, min(q.Answered, p.To))
		}
		if q.Got < 0 {
			doing = noAnswer
			continue
		}
		until(q.Got, "answered late")
		if next, ok := after(q); ok {
			doing = next
		}
	}
	if doing == syncLate {
		doing = "sent no SyncGroup"
	}
	until(p.To, doing)
}

// unanswered is what a client does that never had an answer, as far as the coordinator knew
// what it waited for.
func (h *searched) unanswered(q *history.Request) string {
	leader, ok := h.names[q.In.Leader]
	switch {
	case q.Kind != protocol.KindSyncGroup || q.Waits == 0 || q.Waits == protocol.RuleLeaderSyncWaits || !ok:
		return noAnswer
	case leader == h.World.Name(q.Client):
		return "waited for its old id"
	}
	return waitedFor + leader
}

// alone adds what a client did by itself from one moment to another: first of all what kept
// its program from polling.
func (rs *reasons) alone(from, to sim.Time, text string, o *own) {
	o.begins(from)
	at, rest := from, to-from
	for _, b := range o.busy {
		if b.from >= to {
			break
		}
		begun := max(b.from, at)
		if part := min(b.to, to) - begun; part > 0 {
			rs.own.add(b.text, part)
			at, rest = begun+part, rest-part
		}
	}
	if text == unsure && len(o.threw) > 0 && o.threw[0] < to {
		text = "after an exception"
	}
	if text != unsure && rest > 0 {
		rs.own.add(text, rest)
	}
}

const (
	unsure   = "" // no record says what for
	notAsked = "did not ask to join"
	noAnswer = "got no answer"
	nothing  = "assigned nothing"
	syncLate = "SyncGroup late"
)

// after is what a client does when it has an answer, until it asks again; false for what it
// did before.
func after(q *history.Request) (string, bool) {
	e := q.Error()
	switch {
	case e == protocol.CoordinatorLoadInProgress:
		return "the coordinator loads", true
	case e == protocol.NotCoordinator || e == protocol.CoordinatorNotAvailable:
		return "had no coordinator", true
	case e == protocol.MemberIDRequired || e == protocol.RebalanceInProgress:
		return "asked again late", true
	case e != protocol.None:
		return short(e.String(), 22), true
	case q.Kind == protocol.KindFindCoordinator:
		return "", false
	case q.Kind == protocol.KindJoinGroup:
		return syncLate, true
	}
	if a, ok := q.Answer.(*protocol.SyncGroupAnswer); ok && (a.Assignment == nil || len(a.Assignment.Partitions) == 0) {
		return nothing, true
	}
	return unsure, true
}
