package invariants_test

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// naiveClients are naive rules of what clients do, and of how it ends.
var naiveClients = map[string]func() naive{
	"callbacks-alternate": func() naive {
		assigned := map[sim.NodeID]bool{}
		return func(v *view, r *sim.Rec) string {
			switch r.Note.Code {
			case protocol.NoteRevoked, protocol.NoteLost:
				delete(assigned, r.Node)
			case protocol.NoteAssigned:
				if assigned[r.Node] {
					return v.name(r.Node) + " is assigned twice, and nothing was revoked"
				}
				assigned[r.Node] = true
			}
			if r.Op == sim.OpExit || r.Op == sim.OpCrash {
				delete(assigned, r.Node)
			}
			return ""
		}
	},
	"callbacks-alternate-unsubscribed": func() naive {
		has := map[string]bool{}
		return func(v *view, r *sim.Rec) string {
			list, ok := r.Note.Body.(*protocol.PartitionList)
			if !ok {
				return ""
			}
			for _, tp := range list.Partitions {
				key := v.name(r.Node) + " " + tp.String()
				if r.Note.Code == protocol.NoteAssigned && has[key] {
					return key + " is assigned twice"
				}
				has[key] = r.Note.Code == protocol.NoteAssigned || has[key] && r.Note.Code == protocol.NoteServes
			}
			return ""
		}
	},
	"one-callback": func() naive {
		runs := map[sim.NodeID]bool{}
		return func(v *view, r *sim.Rec) string {
			switch r.Note.Code {
			case protocol.NoteRevoked, protocol.NoteLost, protocol.NoteAssigned:
				if runs[r.Node] {
					return "the listener of " + v.name(r.Node) + " is called, and has not returned"
				}
				runs[r.Node] = true
			case protocol.NoteCallbackEnd:
				delete(runs, r.Node)
			}
			return ""
		}
	},
	"owns-what-was-given": func() naive {
		given := map[sim.NodeID][]protocol.TopicPartition{}
		return func(v *view, r *sim.Rec) string {
			if a, ok := r.Msg.Body.(*protocol.SyncGroupAnswer); ok && r.Op == sim.OpArrive && a.Assignment != nil {
				given[r.Node] = append(given[r.Node], a.Assignment.Partitions...)
			}
			for _, c := range v.facts.Clients {
				if c.Config.Formed != nil {
					continue
				}
				for _, tp := range v.clients[c.Node].serves {
					if !slices.Contains(given[c.Node], tp) {
						return v.name(c.Node) + " was never given " + tp.String()
					}
				}
			}
			return ""
		}
	},
	"own-generation": always(func(v *view, r *sim.Rec) string {
		if h, ok := r.Msg.Body.(*protocol.HeartbeatRequest); ok && r.Op == sim.OpArrive {
			if c := v.clients[r.Msg.From]; c.generation != h.Generation {
				return fmt.Sprintf("a heartbeat of generation %d comes from a process in %d", h.Generation, c.generation)
			}
		}
		return ""
	}),
	"one-asked": func() naive {
		waits := map[sim.NodeID]bool{}
		return func(v *view, r *sim.Rec) string {
			if r.Msg.Kind() != protocol.KindJoinGroup {
				return ""
			}
			switch {
			case r.Op == sim.OpSend && !r.Msg.Answer:
				if waits[r.Msg.From] {
					return v.name(r.Msg.From) + " asks twice"
				}
				waits[r.Msg.From] = true
			case r.Op == sim.OpArrive && r.Msg.Answer:
				delete(waits, r.Node)
			}
			return ""
		}
	},
	"keeps-its-id": func() naive {
		ids, told := map[sim.NodeID]string{}, map[sim.NodeID]bool{}
		return func(v *view, r *sim.Rec) (what string) {
			if q := v.answer(r); q != nil && (q.err == protocol.UnknownMemberID || q.err == protocol.FencedInstanceID) {
				told[q.from] = true
			}
			c, ok := r.Note.Body.(*protocol.ClientChange)
			if !ok {
				return ""
			}
			if was := ids[r.Node]; was != "" && c.Member != was && v.alive[r.Node] && !told[r.Node] && protocol.Rule(r.Why) != protocol.RuleClosed {
				what = v.name(r.Node) + " drops " + was
			}
			ids[r.Node] = c.Member
			return what
		}
	},
	"late-errors-are-late": func() naive {
		told := map[sim.NodeID]int32{} // of which generation it was told last
		return func(v *view, r *sim.Rec) string {
			if q := v.find(r); r.Op == sim.OpArrive && r.Msg.Answer && q != nil {
				_, told[r.Node] = idIn(q.body)
			}
			before := v.before
			if c, ok := r.Note.Body.(*protocol.ClientChange); ok && c.Generation < before && protocol.Rule(r.Why) == protocol.RuleMemberUnknown && told[r.Node] != before {
				return fmt.Sprintf("%s gives up generation %d, and was told of %d", v.name(r.Node), before, told[r.Node])
			}
			return ""
		}
	},
	"lost-for-a-reason": always(func(v *view, r *sim.Rec) string {
		if r.Op != sim.OpNote || r.Note.Code != protocol.NoteLost {
			return ""
		}
		for _, tp := range r.Note.Body.(*protocol.PartitionList).Partitions {
			for _, c := range v.facts.Clients {
				if c.Node != r.Node && slices.Contains(v.clients[c.Node].serves, tp) {
					return ""
				}
			}
		}
		return "partitions are lost, and nobody has them"
	}),
	"claims-what-it-owns": always(func(v *view, r *sim.Rec) string {
		q, ok := r.Msg.Body.(*protocol.JoinGroupRequest)
		if r.Op != sim.OpSend || !ok {
			return ""
		}
		for _, tp := range q.Protocols[0].Metadata.Owned {
			if o := v.owner(tp); o != "" && o != q.Member {
				return fmt.Sprintf("%s claims %s, which is given to %s", q.Member, tp, o)
			}
		}
		return ""
	}),
	"join-is-waited-for": func() naive {
		asked := map[sim.NodeID]sim.Time{}
		return func(v *view, r *sim.Rec) string {
			if r.Op != sim.OpSend && r.Op != sim.OpArrive || r.Msg.Kind() != protocol.KindJoinGroup {
				return ""
			}
			if r.Op == sim.OpArrive {
				if r.Msg.Answer {
					delete(asked, r.Node)
				}
				return ""
			}
			if at, ok := asked[r.Msg.From]; ok && !r.Msg.Answer && r.At-at < 5*sim.Minute { // max.poll.interval.ms
				return v.name(r.Msg.From) + " gives its JoinGroup up"
			}
			if !r.Msg.Answer {
				asked[r.Msg.From] = r.At
			}
			return ""
		}
	},
	"joins-in-time": func() naive {
		heard := map[string]sim.Time{}
		return func(v *view, r *sim.Rec) string {
			if q := v.answer(r); q != nil && q.err == protocol.RebalanceInProgress && heard[q.member] < v.since {
				heard[q.member] = r.At
			}
			if c := memberChange(r); c != nil && protocol.Rule(r.Why) == protocol.RuleNotRejoined && heard[c.Member] > v.since {
				return fmt.Sprintf("%s has known for %d ms that it should join, and is dropped", c.Member, (r.At - heard[c.Member]).Millis())
			}
			return ""
		}
	},
	"close-leaves": always(func(v *view, r *sim.Rec) string {
		if r.Op == sim.OpExit && slices.Contains(v.members, v.was[r.Node]) {
			return v.name(r.Node) + " ends, and is in the group"
		}
		return ""
	}),
	"leader-watches": onMove(func(v *view, c *protocol.GroupChange) string {
		if c.To == protocol.PreparingRebalance && v.by != nil && v.by.known && v.by.kind == protocol.KindJoinGroup && v.by.member != v.by.in.Leader {
			return "a follower begins a rebalance"
		}
		return ""
	}),
	"throws-what-is-known": always(func(v *view, r *sim.Rec) string {
		if r.Op == sim.OpNote && r.Note.Code == protocol.NoteThrown {
			return "something is thrown at the program of " + v.name(r.Node)
		}
		return ""
	}),
	"settles": always(func(v *view, r *sim.Rec) string {
		if r == atEnd {
			return v.ended
		}
		return ""
	}),
	"settles-beside": always(func(v *view, r *sim.Rec) string {
		for _, c := range v.facts.Clients {
			if r == atEnd && v.alive[c.Node] && !slices.Contains(v.members, v.clients[c.Node].member) {
				return v.name(c.Node) + " lives, and is no member"
			}
		}
		return ""
	}),
}
