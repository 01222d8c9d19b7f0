package report

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// parked finds why a request was answered no earlier.
func (rs *reasons) parked(h *searched, q *history.Request, from, to sim.Time) {
	if q.Kind == protocol.KindSyncGroup {
		rs.parkedSync(h, q, from, to)
		return
	}
	own := h.World.Name(q.Client)
	late := h.late(q)
	by := h.By(q.AnswerBy)
	switch gone := h.gone[q.AnswerBy]; {
	case len(gone) > 0 && !slices.ContainsFunc(gone, func(name string) bool { return name != own }):
		rs.own.add("waited for its old id", to-from)
		return
	case len(gone) > 0:
		late = slices.DeleteFunc(slices.Clone(gone), func(name string) bool { return name == own })
	case by != nil && by.Client != q.Client && by.Kind == protocol.KindLeaveGroup:
		late = append(late, h.World.Name(by.Client))
	}
	switch {
	case len(late) > 0:
		rs.wait(late, to-from)
	case q.Error() != protocol.None && q.Got < 0:
		rs.own.add(noAnswer, to-from)
	case q.Error() != protocol.None:
	case q.Why == protocol.RuleJoinTimeout:
		rs.own.add("rebalance timeout", to-from)
	case q.Why == protocol.RuleDelayOver:
		rs.own.add("the initial delay", to-from)
	case q.Why == protocol.RuleAllJoined && by == nil:
		rs.own.add("waited for a new id", to-from) // that nobody came back with
	}
}

// late are the others whose JoinGroup was waited for as well, and that came in the second
// half of the wait. A new member is not waited for until it has an id.
func (h *searched) late(q *history.Request) (names []string) {
	half := (q.Arrived + q.Answered) / 2
	look := func(o *history.Request) {
		r, ok := o.Body.(*protocol.JoinGroupRequest)
		if !ok || o.Client == q.Client || o.Arrived <= half || r.Member == "" && !h.known[o.Arrival] {
			return
		}
		if name := h.World.Name(o.Client); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, o := range h.with[q.AnswerBy] {
		look(o)
	}
	if last := h.By(q.AnswerBy); last != nil {
		look(last)
	}
	return names
}

// parkedSync adds a wait for the leader's SyncGroup, and then for the log to have the
// assignment.
func (rs *reasons) parkedSync(h *searched, q *history.Request, from, to sim.Time) {
	leader, ok := h.names[q.In.Leader]
	own := h.World.Name(q.Client)
	if q.Waits == protocol.RuleLeaderSyncWaits {
		rs.own.add("waited for the log", to-from)
		return
	}
	for _, o := range h.with[q.AnswerBy] {
		if o.Waits == protocol.RuleLeaderSyncWaits {
			if came := max(from, o.Arrived); came < to {
				rs.own.add("waited for the log", to-came)
				to = came
			}
		}
	}
	switch {
	case !ok || to <= from:
	case leader == own:
		rs.own.add("waited for its old id", to-from)
	default:
		rs.wait([]string{leader}, to-from)
	}
}

func (rs *reasons) wait(names []string, time sim.Time) {
	rs.waited += time
	for _, name := range names {
		rs.others.add(name, time)
	}
}
