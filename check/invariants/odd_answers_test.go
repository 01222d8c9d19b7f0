package invariants_test

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// naiveAnswers are naive rules of requests and what comes of them.
var naiveAnswers = map[string]func() naive{
	"true-answer": func() naive {
		went := map[string]bool{}
		return func(v *view, r *sim.Rec) string {
			if c := memberChange(r); c != nil && c.What != "added" {
				went[c.Member] = true
			}
			if q := v.answer(r); q != nil && q.err == protocol.UnknownMemberID && !went[q.member] {
				return q.member + " is not known, and nobody has removed it"
			}
			return ""
		}
	},
	"true-answer-fenced": onAnswer(func(v *view, q *call, _ sim.Body) string {
		if q.err == protocol.FencedInstanceID && v.clients[q.from].member == q.member {
			return v.name(q.from) + " goes by its own id, and is fenced"
		}
		return ""
	}),
	"true-answer-while-loading": onAnswer(func(v *view, q *call, _ sim.Body) string {
		if q.kind == protocol.KindHeartbeat && q.err == protocol.None && !q.known {
			return q.member + " is no member, and its heartbeat is fine"
		}
		return ""
	}),
	"true-answer-beside": onAnswer(func(v *view, q *call, _ sim.Body) string {
		if q.err == protocol.UnknownMemberID && q.member == "" {
			return "it names no member, and is told that it is not known"
		}
		return ""
	}),
	"true-answer-unknown-topic": onAnswer(func(v *view, q *call, _ sim.Body) string {
		if q.kind == protocol.KindOffsetCommit && q.known && q.in.To == protocol.Stable && q.err != protocol.None {
			return q.member + " is a member of a Stable group, and its commit is not accepted"
		}
		return ""
	}),
	"expected-error": onAnswer(func(v *view, q *call, _ sim.Body) string {
		if q.err == protocol.CoordinatorNotAvailable && q.in.To == protocol.Stable {
			return "the coordinator is there, and says that it is not"
		}
		return ""
	}),
	"no-exception": onAnswer(func(v *view, q *call, _ sim.Body) string {
		if q.err == protocol.UnknownServerError {
			return "a request is answered UNKNOWN_SERVER_ERROR"
		}
		return ""
	}),
	"one-parked": always(func(v *view, r *sim.Rec) string {
		if r.Op != sim.OpArrive || v.call == nil || v.call.kind != protocol.KindJoinGroup || v.call.member == "" {
			return ""
		}
		for _, q := range v.calls {
			if q != v.call && q.kind == protocol.KindJoinGroup && q.member == v.call.member && q.parked && !q.answered {
				return q.member + " has two JoinGroups there"
			}
		}
		return ""
	}),
	"parked-is-answered": always(func(v *view, r *sim.Rec) string {
		for _, q := range v.calls {
			if r == atEnd && q.parked && !q.answered && v.alive[q.to] {
				return v.name(q.from) + " is never answered"
			}
		}
		return ""
	}),
	"parked-is-answered-delay": func() naive {
		var asked sim.Time
		return func(v *view, r *sim.Rec) string {
			if q := v.call; r.Op == sim.OpArrive && q != nil && q.kind == protocol.KindJoinGroup {
				asked = r.At
			}
			if v.move.To != protocol.PreparingRebalance || r.At == asked || len(v.members) == 0 {
				return ""
			}
			for _, id := range v.members {
				if !slices.Contains(v.joined, id) {
					return ""
				}
			}
			return "all members have asked, and wait"
		}
	},
	"join-answer": onAnswer(func(v *view, q *call, body sim.Body) string {
		if a, ok := body.(*protocol.JoinGroupAnswer); ok && a.Error == protocol.None && a.Leader == a.Member && q.in.To != protocol.PreparingRebalance && q.in.To != protocol.NoGroup {
			return "it leads, and the group has not collected anew"
		}
		return ""
	}),
	"sync-answer": func() naive {
		given := map[string]bool{}
		return func(v *view, r *sim.Rec) string {
			if s, ok := r.Msg.Body.(*protocol.SyncGroupRequest); ok && r.Op == sim.OpArrive {
				for i := range s.Assignments {
					given[s.Assignments[i].Member] = true
				}
			}
			if q := v.answer(r); q != nil && q.kind == protocol.KindSyncGroup && q.err == protocol.None && !given[q.member] {
				return q.member + " is given what no leader gave it"
			}
			return ""
		}
	},
	"restart-is-stored": onAnswer(func(v *view, q *call, body sim.Body) string {
		if a, ok := body.(*protocol.JoinGroupAnswer); ok && a.Error == protocol.None && q.member == "" && v.stored != nil &&
			!slices.ContainsFunc(v.stored.Members, func(m protocol.StoredMember) bool { return m.ID == a.Member }) {
			return a.Member + " is not in the log"
		}
		return ""
	}),
}
