package scenarios

import (
	"strings"
	"testing"
)

// A group that begins in CompletingRebalance has nobody with an assignment: all ask again.
func TestFormedCompleting(t *testing.T) {
	for _, lost := range []string{"", ", lost-answers: {F1: JoinGroup}"} {
		text := strings.Replace(three, "members: [L, F1, F2]}}", "members: [L, F1, F2], state: CompletingRebalance"+lost+"}}", 1) + `
expect:
  - count: {"*.JoinGroup": 3, "*.SyncGroup": 3, "*.lost": 0}
  - in the end: {state: Stable, generation: 2, members: 3, holds: {L: 2, F1: 2, F2: 2}}
`
		s, err := Load("f.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if failures, expected := played(t, s, s.Kafka); len(failures) > 0 || expected != 4 {
			t.Errorf("%q: %d expectations, %q", lost, expected, failures)
		}
	}
}
