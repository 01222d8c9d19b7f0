package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
)

// readHabits reads what a client does otherwise than Java's, over what h says already.
// What is said as Java does it takes a habit of the group's away.
func readHabits(n *Node, h *consumer.Habits) {
	f := n.fields(habitsShape)
	for _, x := range []struct {
		key  string
		java bool
		into *bool
	}{
		{"leaves-on-close", true, &h.StaysOnClose},
		{"watches-metadata", true, &h.IgnoresMetadata},
		{"rejoins-when-lost", true, &h.StaysOut},
		{"keeps-member-id", true, &h.ForgetsMemberID},
		{"session-joins-anew", false, &h.SessionJoinsAnew},
		{"heartbeats-while-processing", true, &h.BeatsInPoll},
		{"heartbeats-while-syncing", true, &h.BeatsWhenStable},
	} {
		if v := f.Get(x.key); v.Given() {
			*x.into = v.Bool() != x.java
		}
	}
	if v := f.Get("rejoins-after"); v.Given() {
		h.RejoinsAfter = wholeMillis(v).Millis()
	}
	if v := f.Get("join-version"); v.Given() {
		h.JoinVersions = int16(v.Int(0, consumer.MaxJoinVersion)) + 1
		if h.JoinVersions > consumer.MaxJoinVersion {
			h.JoinVersions = 0 // Java's highest
		}
	}
	if v := f.Get("read-timeout"); v.Given() {
		h.ReadTimeout = wholeMillis(v).Millis()
	}
	f.Done()
}

// NotJava says of each client that is not Java's what it does otherwise, a sentence for
// those that do the same.
func (s *Scenario) NotJava() []string {
	var kinds []consumer.Habits
	for i := range s.Members {
		if h := s.Members[i].Habits; h != (consumer.Habits{}) && !slices.Contains(kinds, h) {
			kinds = append(kinds, h)
		}
	}
	var lines []string
	for _, kind := range kinds {
		var who []string
		for i := range s.Members {
			if s.Members[i].Habits == kind {
				who = append(who, s.Members[i].Name)
			}
		}
		what := strings.Join(kind.Names(), ", ")
		const most = 4
		switch n := len(who); {
		case n == 1:
			lines = append(lines, fmt.Sprintf("%s is not a Java client: %s", who[0], what))
		case n > most:
			lines = append(lines, fmt.Sprintf("%s and %d others are not Java clients: %s", who[0], n-1, what))
		default:
			lines = append(lines, fmt.Sprintf("%s and %s are not Java clients: %s", strings.Join(who[:n-1], ", "), who[n-1], what))
		}
	}
	return lines
}
