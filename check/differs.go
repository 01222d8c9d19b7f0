package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
)

func stateDiffers(lead string, want, got protocol.GroupState) string {
	if want == protocol.NoGroup || want == got {
		return ""
	}
	return fmt.Sprintf("%s %s", lead, got)
}

func leaderDiffers(r *run, want, got string) string {
	if want == "" || want == r.MemberName(got) {
		return ""
	}
	return "the leader was " + r.MemberName(got)
}

func (n *Number) differs(r *run, what string, got int64) string {
	if n == nil {
		return ""
	}
	base := int64(0)
	if n.Relative {
		base = int64(r.generationAt(n.Since))
	}
	if n.Min+base <= got && got <= n.Max+base {
		return ""
	}
	return fmt.Sprintf("%s was %d", what, got)
}

// generationAt is the group's generation at a mark, or with "" at the beginning.
func (r *run) generationAt(mark string) int32 {
	if m := r.mark(mark); m != nil {
		return r.scene(m.At, m.ID).group.Generation
	}
	for _, m := range r.Moves {
		if m.Group == r.group {
			if m.At > 0 {
				break // the group was not formed when the run began
			}
			return m.Generation
		}
	}
	return 0
}

func (m *Members) differs(got []string) string {
	if m == nil || m.Names == nil && m.Count == len(got) {
		return ""
	}
	if m.Names == nil && len(got) == 1 {
		return "there was one member"
	}
	if m.Names == nil {
		return fmt.Sprintf("there were %d members", len(got))
	}
	got = slices.Sorted(slices.Values(got))
	if slices.Equal(got, slices.Sorted(slices.Values(m.Names))) {
		return ""
	}
	if len(got) == 0 {
		return "there were no members"
	}
	return "the members were " + strings.Join(got, ", ")
}

func (p *Partitions) differs(got []protocol.TopicPartition) string {
	if p == nil || p.List == nil && p.Count == len(got) {
		return ""
	}
	if p.List != nil {
		a, b := slices.Clone(got), slices.Clone(p.List)
		slices.SortFunc(a, protocol.TopicPartition.Compare)
		slices.SortFunc(b, protocol.TopicPartition.Compare)
		if slices.Equal(a, b) {
			return ""
		}
	}
	if len(got) == 0 {
		return "there were no partitions"
	}
	return "the partitions were " + history.Partitions(got)
}

func firstOf(problems ...string) string {
	for _, p := range problems {
		if p != "" {
			return p
		}
	}
	return ""
}
