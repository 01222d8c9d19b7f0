package invariants_test

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// naiveReading are naive rules of who reads what.
var naiveReading = map[string]func() naive{
	"one-owner": always(func(v *view, _ *sim.Rec) string { return v.overlap(func(*asSeen) bool { return true }) }),
	"all-assigned": func() naive {
		had := map[protocol.TopicPartition]bool{}
		return func(v *view, r *sim.Rec) (what string) {
			rec := record(r)
			if rec == nil || rec.IsOffset {
				return ""
			}
			for tp := range had {
				if v.owner(tp) == "" {
					what = tp.String() + " is given to nobody"
				}
			}
			for i := range rec.Members {
				for _, tp := range rec.Members[i].Assignment.Partitions {
					had[tp] = true
				}
			}
			return what
		}
	},
	"all-assigned-new": always(func(v *view, r *sim.Rec) string {
		rec := record(r)
		if rec == nil || rec.IsOffset || len(rec.Members) == 0 {
			return ""
		}
		for topic, n := range v.partitions {
			for p := range n {
				if tp := (protocol.TopicPartition{Topic: topic, Partition: int32(p)}); v.owner(tp) == "" {
					return tp.String() + " is given to nobody"
				}
			}
		}
		return ""
	}),
	"cooperative-waits": always(func(v *view, r *sim.Rec) string {
		rec := record(r)
		if rec == nil || rec.IsOffset || rec.Protocol.Value != "cooperative-sticky" {
			return ""
		}
		for _, c := range v.facts.Clients {
			seen := v.clients[c.Node]
			for _, tp := range seen.serves {
				if o := v.owner(tp); o != "" && o != seen.member && seen.member != "" {
					return fmt.Sprintf("%s is given to %s, and %s reads it", tp, o, v.name(c.Node))
				}
			}
		}
		return ""
	}),
	"two-current": always(func(v *view, _ *sim.Rec) string {
		return v.overlap(func(c *asSeen) bool { return !c.frozen && slices.Contains(v.members, c.member) })
	}),
	"zombie-ends": func() naive {
		lost := map[string]sim.Time{}
		return func(v *view, r *sim.Rec) string {
			for _, c := range v.facts.Clients {
				for _, tp := range v.clients[c.Node].serves {
					key := v.name(c.Node) + " " + tp.String()
					if o := v.owner(tp); o == "" || v.was[c.Node] == "" || o == v.was[c.Node] {
						delete(lost, key)
					} else if _, ok := lost[key]; !ok {
						lost[key] = r.At
					} else if took := (r.At - lost[key]).Millis(); took > 2*int64(c.Config.Settings.SessionTimeout) {
						return fmt.Sprintf("%s for %d ms after it was given to another", key, took)
					}
				}
			}
			return ""
		}
	},
	"nothing-skipped": func() naive {
		next := map[protocol.TopicPartition]int64{}
		return func(_ *view, r *sim.Rec) string {
			if r.Op != sim.OpNote || r.Note.Code != protocol.NoteDelivered {
				return ""
			}
			tp := r.Note.Body.(*protocol.PartitionList).Partitions[0]
			if was, ok := next[tp]; r.Note.A > was && (ok || tp.Partition > 1) { // the first two begin at the end
				return fmt.Sprintf("%s: %d after %d", tp, r.Note.A, was)
			}
			next[tp] = r.Note.B
			return ""
		}
	},
	"nothing-skipped-twice": func() naive {
		next := map[protocol.TopicPartition]int64{}
		return func(v *view, r *sim.Rec) string {
			if r.Op != sim.OpNote || r.Note.Code != protocol.NoteDelivered {
				return ""
			}
			tp := r.Note.Body.(*protocol.PartitionList).Partitions[0]
			if r.Note.A < next[tp] {
				return fmt.Sprintf("%s: %d after %d", tp, r.Note.A, next[tp])
			}
			next[tp] = r.Note.B
			return ""
		}
	},
	"commit-then-revoke": func() naive {
		committed := map[sim.NodeID]bool{}
		return func(v *view, r *sim.Rec) string {
			_, commit := r.Msg.Body.(*protocol.OffsetCommitRequest)
			switch {
			case commit && r.Op == sim.OpSend && protocol.Rule(r.Why) == protocol.RulePrepareCommit:
				committed[r.Msg.From] = true
			case r.Op != sim.OpNote:
			case r.Note.Code == protocol.NoteRevoked || r.Note.Code == protocol.NoteAssigned:
				delete(committed, r.Node)
			case r.Note.Code == protocol.NoteDelivered && committed[r.Node]:
				return v.name(r.Node) + " has committed before it joins, and is given more"
			}
			return ""
		}
	},
}
