package report

import (
	"cmp"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// standing is something that members wait for, and how long one did.
type standing struct {
	text string
	time sim.Time
}

// reasons are what one member stood still for, and who kept it waiting.
type reasons struct {
	own, others tally
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
	with map[sim.Ref][]*history.Request // what was answered when a record was handled
	gone map[sim.Ref][]string           // whose members were removed then
}

// reasonsOf finds for each of the first clients what it stood still for. It takes as many
// steps as those have requests and, for each that was parked, others were answered with it.
func reasonsOf(r *Run, first int) []reasons {
	h := searched{r.History, map[sim.Ref][]*history.Request{}, map[sim.Ref][]string{}}
	of := map[sim.NodeID][]*history.Request{}
	for _, q := range h.Requests {
		if q.Answer != nil && !q.AtOnce() {
			h.with[q.AnswerBy] = append(h.with[q.AnswerBy], q)
		}
		switch q.Kind {
		case protocol.KindJoinGroup, protocol.KindSyncGroup, protocol.KindHeartbeat, protocol.KindFindCoordinator, protocol.KindOffsetFetch:
			of[q.Client] = append(of[q.Client], q)
		case protocol.KindOffsetCommit:
			if q.Answer != nil && q.Error() == protocol.UnknownTopicOrPartition {
				of[q.Client] = append(of[q.Client], q)
			}
		}
	}
	for i := range h.Joined {
		if j := &h.Joined[i]; j.Gone {
			h.gone[j.By] = append(h.gone[j.By], j.Name)
		} else { // a static member that was replaced has come back
			h.gone[j.By] = slices.DeleteFunc(h.gone[j.By], func(name string) bool { return name == j.Name })
		}
	}
	broke := map[sim.NodeID][]sim.Time{} // connections
	for i := range h.Events {
		if e := &h.Events[i]; e.Rec.Op == sim.OpClosed {
			broke[e.Rec.Node] = append(broke[e.Rec.Node], e.Rec.At)
		}
	}
	list := make([]reasons, first)
	for i, c := range h.Clients[:first] {
		requests := of[c.Node]
		slices.SortStableFunc(requests, func(a, b *history.Request) int { return cmp.Compare(a.Sent, b.Sent) })
		for _, p := range c.Pauses {
			for len(requests) > 1 && requests[1].Sent <= p.From && requests[0].Answered < p.From {
				requests = requests[1:] // it was over, or given up, before the pause
			}
			list[i].pause(&h, p, requests, broke[c.Node])
		}
	}
	return list
}

// hardly is how long a member may stand still without a reason: a few messages take as long.
const hardly = 30 * sim.Millisecond

// most is what took longest, in so many columns; "" if hardly anything did.
func (rs *reasons) most(width int) string {
	best, all := standing{}, rs.waited
	for _, x := range rs.own.list {
		all += x.time
		if x.time > best.time {
			best = x
		}
	}
	switch {
	case all < hardly:
		return ""
	case rs.waited < best.time:
		return short(best.text, width)
	}
	slices.SortStableFunc(rs.others.list, func(a, b standing) int { return cmp.Compare(b.time, a.time) })
	var names []string
	for _, x := range rs.others.list {
		names = append(names, x.text)
	}
	const lead = "waited for "
	return lead + people(names, width-len(lead))
}

// pause goes through what a client asked for, and how it was answered, from the beginning
// of a pause to its end.
func (rs *reasons) pause(h *searched, p history.Pause, requests []*history.Request, broke []sim.Time) {
	at, doing := p.From, notAsked
	until := func(t sim.Time, text string) {
		if t = min(t, p.To); t > at {
			rs.own.add(text, t-at)
			at = t
		}
	}
	for _, q := range requests {
		if q.Sent >= p.To {
			break
		}
		if q.Answered >= 0 && q.Answered < p.From {
			continue
		}
		if doing == notAsked && slices.ContainsFunc(broke, func(t sim.Time) bool { return p.From <= t && t < q.Sent }) {
			doing = "was disconnected"
		}
		until(q.Sent, doing)
		if q.Kind == protocol.KindOffsetCommit {
			doing = "commits in vain"
			continue
		}
		if q.Kind == protocol.KindHeartbeat {
			if doing == notAsked && q.Answer != nil && q.Error() == protocol.None {
				doing = nothing
			}
			continue
		}
		until(q.Arrived, protocol.KindName(q.Kind)+" was late")
		switch {
		case q.Answered < 0:
			doing = "was not answered"
			continue
		case !q.AtOnce() && q.Answered > at:
			rs.parked(h, q, min(q.Answered, p.To)-at)
			at = max(at, min(q.Answered, p.To))
		}
		if next := after(q); next != "" {
			doing = next
		}
	}
	until(p.To, doing)
}

const (
	notAsked = "did not ask to join"
	nothing  = "assigned nothing"
)

// after is what a client does when it has an answer, until it asks again; "" for what it
// did before.
func after(q *history.Request) string {
	e := q.Error()
	switch {
	case e == protocol.CoordinatorLoadInProgress:
		return "the coordinator loads"
	case e == protocol.NotCoordinator || e == protocol.CoordinatorNotAvailable:
		return "had no coordinator"
	case e == protocol.MemberIDRequired || e == protocol.RebalanceInProgress:
		return "asked again late"
	case e != protocol.None:
		return short(e.String(), 22)
	case q.Kind == protocol.KindFindCoordinator:
		return ""
	case q.Kind == protocol.KindJoinGroup:
		return "SyncGroup was late"
	}
	if a, ok := q.Answer.(*protocol.SyncGroupAnswer); ok && (a.Assignment == nil || len(a.Assignment.Partitions) == 0) {
		return nothing
	}
	return "looked up offsets"
}

// parked finds why a request was answered no earlier: who came in the second half of its
// wait, who was removed at its end, or what the coordinator itself waited for.
func (rs *reasons) parked(h *searched, q *history.Request, waited sim.Time) {
	half := (q.Arrived + q.Answered) / 2
	var late []string
	for _, other := range h.with[q.AnswerBy] {
		if other.Kind == q.Kind && other.Client != q.Client && other.Arrived > half {
			late = append(late, h.World.Name(other.Client))
		}
	}
	by, byRequest := h.By(q.AnswerBy).(*history.Request)
	own := h.World.Name(q.Client)
	switch gone := h.gone[q.AnswerBy]; {
	case len(gone) > 0 && !slices.ContainsFunc(gone, func(name string) bool { return name != own }):
		rs.own.add("waited for its old id", waited)
		return
	case len(gone) > 0:
		late = slices.DeleteFunc(slices.Clone(gone), func(name string) bool { return name == own })
	case byRequest && by.Client != q.Client && !slices.Contains(late, h.World.Name(by.Client)):
		late = append(late, h.World.Name(by.Client))
	}
	if len(late) > 0 {
		rs.waited += waited
		for _, name := range late {
			rs.others.add(name, waited)
		}
		return
	}
	switch {
	case q.Why == protocol.RuleJoinTimeout:
		rs.own.add("rebalance timeout", waited)
	case q.Waits == protocol.RuleDelayed || q.Waits == protocol.RuleFirstMember || q.Why == protocol.RuleDelayOver:
		rs.own.add("the initial delay", waited)
	case q.Kind == protocol.KindSyncGroup:
		rs.own.add("waited for the log", waited)
	case q.Why == protocol.RuleAllJoined && !byRequest:
		rs.own.add("waited for a new id", waited) // that nobody came back with
	default:
		rs.own.add("waited for others", waited)
	}
}
