package invariants_test

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// naiveGroup are naive rules of the group and its members.
var naiveGroup = map[string]func() naive{
	"legal-move": onMove(func(_ *view, c *protocol.GroupChange) string {
		if c.From == protocol.CompletingRebalance && c.To != protocol.Stable {
			return "a generation is formed and does not become Stable"
		}
		return ""
	}),
	"legal-move-given-up": onMove(func(_ *view, c *protocol.GroupChange) string {
		if c.To == protocol.Dead && c.From != protocol.Empty {
			return "a group with members dies"
		}
		return ""
	}),
	"next-generation": func() naive {
		last := int32(0)
		return func(_ *view, r *sim.Rec) (what string) {
			if c := change(r); c != nil {
				if c.Generation < last {
					what = fmt.Sprintf("generation %d after %d", c.Generation, last)
				}
				last = c.Generation
			}
			return what
		}
	},
	"next-generation-of-nobody": onMove(func(_ *view, c *protocol.GroupChange) string {
		if c.To != protocol.PreparingRebalance && c.Generation > 0 && c.Members == 0 {
			return fmt.Sprintf("nobody is in generation %d", c.Generation)
		}
		return ""
	}),
	"moves-for-a-reason": onMove(func(v *view, c *protocol.GroupChange) string {
		if c.To == protocol.PreparingRebalance && v.by != nil && v.by.kind == protocol.KindJoinGroup && v.by.known {
			return "a member that is in it begins a rebalance"
		}
		return ""
	}),
	"moves-for-a-reason-not-stored": onMove(func(v *view, c *protocol.GroupChange) string {
		if c.To == protocol.PreparingRebalance && v.by != nil && v.by.kind != protocol.KindJoinGroup && v.by.kind != protocol.KindLeaveGroup {
			return "a rebalance begins, and nobody came or went"
		}
		return ""
	}),
	"phase-ends": func() naive {
		var began sim.Time
		return func(v *view, r *sim.Rec) (what string) {
			if c := change(r); c != nil {
				limit := v.facts.Clients[0].Config.Settings.MaxPollInterval
				if took := (r.At - began).Millis(); c.From == protocol.PreparingRebalance && took > limit {
					what = fmt.Sprintf("it took %d ms, and max.poll.interval.ms is %d", took, limit)
				}
				began = r.At
			}
			return what
		}
	},
	"phase-ends-delay": func() naive {
		var began sim.Time
		first := false
		return func(v *view, r *sim.Rec) (what string) {
			if c := change(r); c != nil {
				limit := int64(v.facts.Brokers[0].Config.InitialRebalanceDelay)
				if took := (r.At - began).Millis(); first && took > limit {
					what = fmt.Sprintf("it took %d ms, and group.initial.rebalance.delay.ms is %d", took, limit)
				}
				began, first = r.At, c.From == protocol.Empty
			}
			return what
		}
	},
	"all-have-asked": onMove(func(v *view, c *protocol.GroupChange) string {
		for _, id := range v.members {
			if c.To == protocol.CompletingRebalance && !slices.Contains(v.joined, id) {
				return id + " has not asked"
			}
		}
		return ""
	}),
	"leader-is-member": always(func(v *view, r *sim.Rec) string {
		if r.Op == sim.OpCrash && v.move.To == protocol.Stable && v.was[r.Node] == v.move.Leader {
			return "the leader is dead, and the group Stable"
		}
		return ""
	}),
	"within-size": always(func(v *view, r *sim.Rec) string {
		if cfg := v.brokers[r.Node]; change(r) != nil && len(v.members) > int(cfg.MaxSize) {
			return fmt.Sprintf("%d members", len(v.members))
		}
		return ""
	}),
	"member-once": func() naive {
		has := map[string]sim.NodeID{}
		return func(v *view, r *sim.Rec) string {
			instance := ""
			switch q := r.Msg.Body.(type) {
			case *protocol.JoinGroupRequest:
				instance = q.Instance
			case *protocol.HeartbeatRequest:
				instance = q.Instance
			}
			if instance == "" {
				return ""
			}
			if n, ok := has[instance]; ok && n != r.Msg.From && v.alive[n] {
				return v.name(r.Msg.From) + " has the group.instance.id of " + v.name(n)
			}
			has[instance] = r.Msg.From
			return ""
		}
	},
	"member-once-again": func() naive {
		came := map[string]bool{}
		return func(v *view, r *sim.Rec) (what string) {
			if c := memberChange(r); c != nil && c.What == "added" {
				if came[c.Member] {
					what = c.Member + " comes twice"
				}
				came[c.Member] = true
			}
			return what
		}
	},
	"id-once": func() naive {
		went := map[string]bool{}
		return func(v *view, r *sim.Rec) string {
			c := memberChange(r)
			switch {
			case c == nil || v.why == protocol.RuleLoaded:
			case c.What != "added":
				went[c.Member] = true
			case went[c.Member]:
				return c.Member + " is an id again"
			}
			return ""
		}
	},
	"expired-in-time": func() naive {
		heard := map[string]sim.Time{}
		return func(v *view, r *sim.Rec) string {
			if q := v.answer(r); q != nil && q.kind == protocol.KindHeartbeat && (q.err == protocol.None || q.err == protocol.RebalanceInProgress) {
				heard[q.member] = r.At
			}
			c := memberChange(r)
			if c == nil || c.What != "removed" || v.call != nil && v.call.kind == protocol.KindLeaveGroup {
				return ""
			}
			if ago := (r.At - heard[c.Member]).Millis(); ago < int64(v.facts.Clients[0].Config.Settings.SessionTimeout) {
				return fmt.Sprintf("%s was heard of %d ms ago", c.Member, ago)
			}
			return ""
		}
	},
	"expired-at-last": always(func(v *view, _ *sim.Rec) string {
		for _, id := range v.members {
			for i := len(v.calls) - 1; i >= 0; i-- {
				if q := v.calls[i]; q.member == id {
					if ago := (v.now - q.at).Millis(); ago > int64(v.facts.Clients[0].Config.Settings.SessionTimeout) {
						return fmt.Sprintf("%s was heard of %d ms ago", id, ago)
					}
					break
				}
			}
		}
		return ""
	}),
	"heartbeats-go-on": always(func(v *view, _ *sim.Rec) string {
		for _, c := range v.facts.Clients {
			seen := v.clients[c.Node]
			if v.alive[c.Node] && seen.heard > 0 && (v.now-seen.heard).Millis() > int64(c.Config.Settings.SessionTimeout) {
				return v.name(c.Node) + " lives, and nothing is heard of it"
			}
		}
		return ""
	}),
	"unload-in-order-told-again": func() naive {
		told := map[sim.NodeID]bool{}
		return func(v *view, r *sim.Rec) string {
			switch _, ok := r.Body.(*coordinator.Unload); {
			case r.Op == sim.OpCommand && ok:
				told[r.Node] = true
			case r.Op == sim.OpNote && r.Note.Code == protocol.NoteUnloaded:
				delete(told, r.Node)
			case told[r.Node] && r.Op == sim.OpArrive:
				return v.name(r.Node) + " does not give the group up"
			}
			return ""
		}
	},
	"unload-in-order": func() naive {
		loads := map[sim.NodeID]bool{}
		return func(v *view, r *sim.Rec) string {
			switch r.Body.(type) {
			case *coordinator.Load:
				loads[r.Node] = true
			case *coordinator.Unload:
				if loads[r.Node] {
					return v.name(r.Node) + " gives the group up, and has not loaded it"
				}
			}
			if r.Op == sim.OpNote && r.Note.Code == protocol.NoteLoaded {
				delete(loads, r.Node)
			}
			return ""
		}
	},
}
