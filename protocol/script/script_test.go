package script

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"session.timeout.ms", "heartbeat.interval.ms", "members", "member", "F1", "F2", "JoinGroup", "for", "gap"}
	for name, want := range map[string]string{
		"session_timeout_ms": "session.timeout.ms", "sessionTimeoutMs": "session.timeout.ms", "session.timeout": "session.timeout.ms",
		"heartbeat.intervall.ms": "heartbeat.interval.ms", "membres": "members", "MEMBERS": "members", "F3": "F1", "JoinGruop": "JoinGroup",
		"foo": "", "fro": "for", "fr": "for", "gapp": "gap", "For": "for",
		"partitions": "", "": "", strings.Repeat("x", 1000): "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// FuzzNearest: nothing is too odd to be compared.
func FuzzNearest(f *testing.F) {
	f.Add("session_timeout_ms")
	f.Fuzz(func(t *testing.T, s string) {
		if near := Nearest(s, []string{"pod-07", s}); len(s) <= 100 && near != s && near != "pod-07" && near != "" {
			t.Errorf("%q: %q", s, near)
		}
	})
}
