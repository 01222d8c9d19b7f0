package consumer

import (
	"strings"
	"testing"
)

func TestHabitNames(t *testing.T) {
	h := Habits{StaysOnClose: true, IgnoresMetadata: true, RejoinsAfter: 100, StaysOut: true, ForgetsMemberID: true, SessionJoinsAnew: true,
		BeatsInPoll: true, BeatsWhenStable: true, JoinVersions: 1, ReadTimeout: 1000}
	const want = "leaves-on-close: false; watches-metadata: false; rejoins-after: 100ms; rejoins-when-lost: false; " +
		"keeps-member-id: false; session-joins-anew: true; heartbeats-while-processing: false; heartbeats-while-syncing: false; " +
		"join-version: 0; read-timeout: 1000ms"
	if got := strings.Join(h.Names(), "; "); got != want {
		t.Error(got)
	}
	if got := new(Habits).Names(); len(got) > 0 {
		t.Error("Java has habits:", got)
	}
}

func TestHabitsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"times of habits":          func(c *Config) { c.Habits.ReadTimeout = -1 },
		"join-version must be":     func(c *Config) { c.Habits.JoinVersions = 11 },
		"known from join-version5": func(c *Config) { c.Habits.JoinVersions, c.Settings.InstanceID = 5, "i1" },
	} {
		cfg := testConfig(t, "3.9", 0)
		change(cfg)
		if err := cfg.Check(); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), " 5", "5"), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}
