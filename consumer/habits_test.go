package consumer

import (
	"strings"
	"testing"
)

// playHabits plays a case of 3.9 with habits and gives what follows "show".
func playHabits(t *testing.T, h Habits, steps string) string {
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
	for _, step := range s.Steps {
		if err := r.do(step); err != nil {
			t.Fatal(step, err)
		}
	}
	return r.text.String()
}

func TestHabitRejoinsAfter(t *testing.T) {
	const steps = "wakeup; enforce-rebalance; poll 5s; wait 200ms"
	at := func(h Habits) string {
		for _, line := range strings.Split(playHabits(t, h, steps), "\n") {
			if strings.Contains(line, "JoinGroup") {
				return strings.Fields(line)[0]
			}
		}
		return "never"
	}
	java, other := at(Habits{}), at(Habits{RejoinsAfter: 100})
	if java != "0.005" || other != "0.105" {
		t.Errorf("JoinGroup at %s, with a pause of 100 ms at %s", java, other)
	}
}

func TestHabitIgnoresMetadata(t *testing.T) {
	const steps = "topics t1=2; refresh-metadata; wait 400ms"
	if text := playHabits(t, Habits{}, steps); !strings.Contains(text, "JoinGroup") {
		t.Errorf("the leader did not join again:\n%s", text)
	}
	if text := playHabits(t, Habits{IgnoresMetadata: true}, steps); strings.Contains(text, "JoinGroup") {
		t.Errorf("a leader that ignores metadata joined again:\n%s", text)
	}
}

func TestHabitNames(t *testing.T) {
	c := Config{Habits: Habits{RejoinsAfter: 100, IgnoresMetadata: true}}
	if got := strings.Join(c.HabitNames(), "; "); got != "leaves-on-close: false; watches-metadata: never; rejoins-after: 100ms" {
		t.Error(got)
	}
}
