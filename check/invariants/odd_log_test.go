package invariants_test

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// naiveLog are naive rules of what is written down, of groups and of offsets.
var naiveLog = map[string]func() naive{
	"stable-is-stored": func() naive {
		written := map[string]bool{} // and committed at once
		return func(v *view, r *sim.Rec) string {
			if rec := record(r); rec != nil && r.Note.C == 0 {
				for i := range rec.Members {
					written[rec.Members[i].ID] = true
				}
			}
			for _, id := range v.members {
				if (r.Op == sim.OpArrive || r.Op == sim.OpTimer) && v.move.To == protocol.Stable && !written[id] { // whatever was done is done
					return id + " is in a Stable group, and not in the log"
				}
			}
			return ""
		}
	},
	"stored-as-assigned": always(func(v *view, r *sim.Rec) string {
		if rec := record(r); rec != nil && !rec.IsOffset && len(rec.Members) > 0 && v.call != nil && v.call.kind != protocol.KindSyncGroup {
			return "an assignment is stored, and no leader has sent one"
		}
		return ""
	}),
	"load-is-log": func() naive {
		var last []string // who was in the group at any moment before
		return func(v *view, r *sim.Rec) string {
			if c := memberChange(r); c != nil && v.why == protocol.RuleLoaded && !slices.Contains(last, c.Member) {
				return c.Member + " is loaded, and had left"
			}
			if c := change(r); c == nil || protocol.Rule(r.Why) != protocol.RuleLoaded && c.To != protocol.Dead {
				last = slices.Clone(v.members)
			}
			return ""
		}
	},
	"log-generation": func() naive {
		last := int32(0)
		return func(_ *view, r *sim.Rec) (what string) {
			if rec := record(r); rec != nil && !rec.IsOffset && !rec.Tombstone {
				if rec.Generation < last {
					what = fmt.Sprintf("generation %d is written behind %d", rec.Generation, last)
				}
				last = rec.Generation
			}
			return what
		}
	},
	"commit-stored": func() naive {
		wrote := map[*call]bool{}
		return func(v *view, r *sim.Rec) string {
			if rec := record(r); rec != nil && rec.IsOffset && v.call != nil {
				wrote[v.call] = true
			}
			if q := v.answer(r); q != nil && q.kind == protocol.KindOffsetCommit && wrote[q] != (q.err == protocol.None) {
				return "a commit is answered " + q.err.String() + ", and is in the log"
			}
			return ""
		}
	},

	"commit-current": onCommit(func(v *view, q *call, _ *protocol.OffsetCommitRequest) string {
		if q.in.To != protocol.Stable {
			return "a commit is accepted, and the group is " + q.in.To.String()
		}
		return ""
	}),
	"commit-current-nobody": onCommit(func(v *view, q *call, r *protocol.OffsetCommitRequest) string {
		if r.Member == "" {
			return "a commit of no member is accepted"
		}
		return ""
	}),
	"commit-current-loaded": func() naive {
		told := map[string]bool{}
		return func(v *view, r *sim.Rec) string {
			if c := change(r); c != nil && protocol.Rule(r.Why) != protocol.RuleLoaded {
				told[fmt.Sprint(r.Node, c.Generation)] = true
			}
			q := v.answer(r)
			if q == nil || q.kind != protocol.KindOffsetCommit || q.err != protocol.None {
				return ""
			}
			if _, g := idIn(q.body); !told[fmt.Sprint(q.to, g)] {
				return fmt.Sprintf("%s has handed out no generation %d", v.name(q.to), g)
			}
			return ""
		}
	},
	"committed-falls":         committedFalls,
	"committed-falls-expired": committedFalls,
	"committed-is-told": func() naive {
		last := map[protocol.TopicPartition]int64{}
		return func(v *view, r *sim.Rec) string {
			if rec := record(r); rec != nil && rec.IsOffset {
				last[rec.Partition] = rec.Offset
			}
			if a, ok := r.Msg.Body.(*protocol.OffsetFetchAnswer); ok && r.Op == sim.OpSend {
				for _, p := range a.Partitions {
					if at, ok := last[p.TopicPartition]; ok && at != p.Offset {
						return fmt.Sprintf("%d is told, and %d was committed", p.Offset, at)
					}
				}
			}
			return ""
		}
	},
	"offset-kept": always(func(v *view, r *sim.Rec) string {
		if rec := record(r); rec != nil && rec.IsOffset && rec.Tombstone && v.move.To != protocol.Empty {
			return "an offset expires, and the group has members"
		}
		return ""
	}),
	"commit-delivered": func() naive {
		given := map[sim.NodeID]bool{}
		return func(v *view, r *sim.Rec) string {
			if r.Op == sim.OpNote && r.Note.Code == protocol.NoteDelivered {
				given[r.Node] = true
			}
			if _, ok := r.Msg.Body.(*protocol.OffsetCommitRequest); ok && r.Op == sim.OpSend && !given[r.Msg.From] {
				return v.name(r.Msg.From) + " commits, and was given nothing"
			}
			return ""
		}
	},
	"auto-commits": func() naive {
		reads := map[sim.NodeID]sim.Time{}
		return func(v *view, r *sim.Rec) string {
			if _, ok := r.Msg.Body.(*protocol.OffsetCommitRequest); ok && r.Op == sim.OpSend {
				delete(reads, r.Msg.From)
			}
			if r.Op != sim.OpNote || r.Note.Code != protocol.NoteDelivered {
				return ""
			}
			if at, ok := reads[r.Node]; !ok {
				reads[r.Node] = r.At
			} else if r.At-at > 10*sim.Second { // two of auto.commit.interval.ms
				return fmt.Sprintf("%s has read for %d ms and committed nothing", v.name(r.Node), (r.At - at).Millis())
			}
			return ""
		}
	},
	"commit-finished": func() naive {
		done := map[protocol.TopicPartition]int64{}
		return func(v *view, r *sim.Rec) string {
			if r.Note.Code == protocol.NoteFinished {
				done[r.Note.Body.(*protocol.PartitionList).Partitions[0]] = r.Note.B
			}
			if q, ok := r.Msg.Body.(*protocol.OffsetCommitRequest); ok && r.Op == sim.OpSend {
				for _, o := range q.Offsets {
					if d, ok := done[o.TopicPartition]; ok && o.Offset > d {
						return fmt.Sprintf("%d is committed, and %d is done", o.Offset, d)
					}
				}
			}
			return ""
		}
	},
}

// onCommit is a rule of commits that are accepted.
func onCommit(rule func(*view, *call, *protocol.OffsetCommitRequest) string) func() naive {
	return onAnswer(func(v *view, q *call, _ sim.Body) string {
		if r, ok := q.body.(*protocol.OffsetCommitRequest); ok && q.err == protocol.None {
			return rule(v, q, r)
		}
		return ""
	})
}

// committedFalls finds an offset that is lower than one that was committed before.
func committedFalls() naive {
	last := map[protocol.TopicPartition]int64{}
	return func(v *view, r *sim.Rec) string {
		rec := record(r)
		if rec == nil || !rec.IsOffset || rec.Tombstone {
			return ""
		}
		before := last[rec.Partition]
		if last[rec.Partition] = rec.Offset; rec.Offset < before {
			return fmt.Sprintf("%d is committed after %d", rec.Offset, before)
		}
		return ""
	}
}
