package check

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
)

func (e *ExpectGeneration) judge(r *run) string {
	number := int32(e.Generation.Min)
	if e.Generation.Relative {
		number += r.generationAt(e.Generation.Since)
	}
	var times []*history.Move
	last := int32(0)
	for i := range r.Moves {
		if m := &r.Moves[i]; m.Group == r.group && handsOut(m) {
			if last = max(last, m.Generation); m.Generation == number {
				times = append(times, m)
			}
		}
	}
	if len(times) == 0 && (e.HandedOut == nil || e.HandedOut.Min > 0) {
		return fmt.Sprintf("generation %d was never handed out; the last was %d", number, last)
	}
	if e.HandedOut.differs(r, "", int64(len(times))) != "" {
		return "it was handed out " + howOften(len(times))
	}
	different := false
	for _, m := range times {
		if problem := firstOf(leaderDiffers(r, e.Leader, m.Leader), e.Members.differs(r.after(m))); problem != "" {
			return fmt.Sprintf("%s, as %s handed it out at %s s", problem, r.World.Name(m.Node), m.At)
		}
		different = different || e.Differ != Unsaid && !sameNames(r.after(m), r.after(times[0]))
	}
	switch {
	case e.Differ == Yes && !different:
		return "it was handed out to the same members"
	case e.Differ == No && different:
		return "it was handed out to different members"
	}
	return ""
}

// handsOut reports whether a move hands a generation out: the coordinator has its members
// and tells each of them. One with which the run begins was handed out before.
func handsOut(m *history.Move) bool {
	return m.To == protocol.CompletingRebalance || m.Why == protocol.RuleFormed && m.To == protocol.Stable
}

func howOften(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// after lists the members that the group has at the broker that moves it, which may not be
// the coordinator and believe so, as it does. Of a group that is loaded, or that the run
// begins with, they are told behind the move.
func (r *run) after(m *history.Move) []string {
	l := r.reel()
	l.word = m.Node
	for l.next() && l.coming.ref <= m.Ref {
		l.take()
	}
	told := m.Why == protocol.RuleLoaded || m.Why == protocol.RuleFormed
	for told && l.joined < len(l.Joined) && l.Joined[l.joined].By == m.By {
		l.takeJoined()
	}
	return l.names()
}
