package scenarios

import (
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/consumer"
)

// A member's habits are over its group's, and as Java does it takes one away.
func TestHabitsAreMerged(t *testing.T) {
	s, err := Load("f.yaml", []byte(strings.NewReplacer(
		"{id: my-group}", "{id: my-group, habits: {leaves-on-close: false, join-version: 0, read-timeout: 2s}}",
		"L: {}, F1: {}", "L: {habits: {leaves-on-close: true, join-version: 9, read-timeout: 0s}}, F1: {habits: {rejoins-after: 1s}}").Replace(good)))
	if err != nil {
		t.Fatal(err)
	}
	group := consumer.Habits{StaysOnClose: true, JoinVersions: 1, ReadTimeout: 2000}
	if h := s.Members[2].Habits; h != group {
		t.Errorf("F2 has %+v", h)
	}
	group.RejoinsAfter = 1000
	if h := s.Members[1].Habits; h != group {
		t.Errorf("F1 has %+v", h)
	}
	if h := s.Members[0].Habits; h != (consumer.Habits{}) {
		t.Errorf("L has %+v", h)
	}
	want := "F1 is not a Java client: leaves-on-close: false, rejoins-after: 1000ms, join-version: 0, read-timeout: 2000ms\n" +
		"F2 is not a Java client: leaves-on-close: false, join-version: 0, read-timeout: 2000ms"
	if got := strings.Join(s.NotJava(), "\n"); got != want {
		t.Errorf("it is said:\n%s", got)
	}
}

func TestNotJavaCounts(t *testing.T) {
	for members, want := range map[string]string{
		"{C1: {}}":                 "C1 is not a Java client: watches-metadata: false",
		"{C1: {}, C2: {}, C3: {}}": "C1, C2 and C3 are not Java clients: watches-metadata: false",
		`{"pod-{00..39}": {}}`:     "pod-00 and 39 others are not Java clients: watches-metadata: false",
	} {
		s, err := Load("f.yaml", []byte(strings.NewReplacer("{id: my-group}", "{id: my-group, habits: {watches-metadata: false}}",
			"{L: {}, F1: {}, F2: {}}", members).Replace(good)))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.NotJava(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: it is said %q", members, got)
		}
	}
}

// A habit can be varied like a setting.
func TestHabitsVary(t *testing.T) {
	s, err := Load("f.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Vary("leaves-on-close", "false")
	if err != nil {
		t.Fatal(err)
	}
	if !v.Members[2].Habits.StaysOnClose || s.Members[2].Habits.StaysOnClose {
		t.Errorf("varied %+v, as it was %+v", v.Members[2].Habits, s.Members[2].Habits)
	}
	if _, err := s.Vary("leave-on-close", "false"); err == nil || !strings.Contains(err.Error(), `did you mean "leaves-on-close"?`) {
		t.Error(err)
	}
}
