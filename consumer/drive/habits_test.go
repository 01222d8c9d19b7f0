package drive

import (
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
)

// playHabits plays a case of 3.9 with a member that leads and habits, and gives what
// follows its joining.
func playHabits(t *testing.T, h consumer.Habits, steps string) string {
	t.Helper()
	s := caseScript(t, steps)
	s.Release = "3.9"
	r, err := s.begin()
	if err != nil {
		t.Fatal(err)
	}
	r.cfg.Habits = h
	for _, step := range []string{"subscribe t1", "poll 100s", "join leads=true"} {
		if err := r.do(step); err != nil {
			t.Fatal(step, err)
		}
	}
	r.text.Reset()
	for _, step := range s.steps {
		if err := r.do(step.text); err != nil {
			t.Fatalf("%s: %v\n%s", step.text, err, r.text.String())
		}
	}
	return r.text.String()
}

// Each habit changes what a client does.
func TestHabits(t *testing.T) {
	for _, x := range []struct {
		name  string
		h     consumer.Habits
		steps string
		// what is said of Java's client, and of one with the habit; a text that begins with
		// "no " must not be there
		java, other string
	}{
		{"rejoins-after", consumer.Habits{RejoinsAfter: 100}, "wakeup; enforce-rebalance; poll 5s; wait 200ms",
			"0.005  coord:0 JoinGroup", "0.105  coord:0 JoinGroup"},
		{"watches-metadata", consumer.Habits{IgnoresMetadata: true}, "topics t1=2; refresh-metadata; wait 400ms",
			"JoinGroup", "no JoinGroup"},
		{"leaves-on-close", consumer.Habits{StaysOnClose: true}, "wakeup; close 1s; wait 5ms",
			"LeaveGroup", "no LeaveGroup"},
		{"rejoins-when-lost", consumer.Habits{StaysOut: true}, "wait 4s; answer Heartbeat error=UNKNOWN_MEMBER_ID; wait 4s",
			"JoinGroup", "no JoinGroup"},
		{"rejoins-when-lost after a subscription", consumer.Habits{StaysOut: true}, "wakeup; unsubscribe; subscribe t2; poll 1s; wait 5ms",
			"JoinGroup", "JoinGroup"},
		{"keeps-member-id", consumer.Habits{ForgetsMemberID: true}, "wakeup; enforce-rebalance; poll 5s; wait 5ms",
			"member=m-1 ", "member= "},
		{"keeps-member-id of one that was named", consumer.Habits{ForgetsMemberID: true},
			"wakeup; enforce-rebalance; poll 5s; wait 5ms; answer JoinGroup error=MEMBER_ID_REQUIRED member=m-2; wait 5ms",
			"member=m-2 range", "member=m-2 range"},
		{"session-joins-anew", consumer.Habits{SessionJoinsAnew: true}, "wait 13s",
			"no JoinGroup", "JoinGroup"},
		{"heartbeats-while-processing", consumer.Habits{BeatsInPoll: true}, "wakeup; wait 7s; poll 1s",
			"3.002  coord:0 Heartbeat", "no 3.002  coord:0 Heartbeat"},
		{"heartbeats-while-syncing", consumer.Habits{BeatsWhenStable: true}, "wakeup; enforce-rebalance; poll 20s; wait 5ms; answer JoinGroup generation=2; wait 6s",
			"Heartbeat", "no Heartbeat"},
		{"heartbeats-while-syncing, and from then on", consumer.Habits{BeatsWhenStable: true},
			"wakeup; enforce-rebalance; poll 20s; wait 5ms; answer JoinGroup generation=2; wait 1s; answer SyncGroup gives=t1-0; wait 6s",
			"Heartbeat", "Heartbeat"},
		{"read-timeout", consumer.Habits{ReadTimeout: 1000}, "wakeup; enforce-rebalance; poll 5s; wait 2s",
			"no request-timeout", "request-timeout"},
	} {
		for _, side := range []struct {
			who  string
			h    consumer.Habits
			want string
		}{{"Java", consumer.Habits{}, x.java}, {"the habit", x.h, x.other}} {
			text := playHabits(t, side.h, x.steps)
			want, without := strings.CutPrefix(side.want, "no ")
			if strings.Contains(text, want) == without {
				t.Errorf("%s, %s: want %q in\n%s", x.name, side.who, side.want, text)
			}
		}
	}
}

func TestHabitJoinVersion(t *testing.T) {
	s := caseScript(t, "subscribe t1; poll 1s; wait 1ms; answer FindCoordinator; wait 1ms")
	s.Release = "3.9"
	for _, x := range []struct{ versions, want int16 }{{0, 9}, {1, 0}, {5, 4}} {
		r, err := s.begin()
		if err != nil {
			t.Fatal(err)
		}
		r.cfg.Habits.JoinVersions = x.versions
		for _, step := range s.steps {
			if err := r.do(step.text); err != nil {
				t.Fatal(step.text, err)
			}
		}
		if got := r.open(protocol.KindJoinGroup).body.(*protocol.JoinGroupRequest).Version; got != x.want {
			t.Errorf("with %d versions JoinGroup has version %d, not %d", x.versions, got, x.want)
		}
	}
}
