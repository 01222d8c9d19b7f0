package golden_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/golden"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// recorded plays two members for so many seconds.
func recorded(t *testing.T, seconds int, seed uint64) *golden.Recorder {
	t.Helper()
	s, err := scenarios.Load("x.yaml", fmt.Appendf(nil, `about: two members
topics: {orders: {partitions: 2}}
group: {id: g}
members: {A: {}, B: {}}
end: {at: %ds}
`, seconds))
	if err != nil {
		t.Fatal(err)
	}
	c, err := scenarios.Build(s, s.Kafka, &sim.Decisions{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	r := golden.NewRecorder(c.World)
	c.World.Watch(r)
	c.Run()
	return r
}

// Of a long run the beginning is kept, and the hash of all.
func TestLongTrace(t *testing.T) {
	long := recorded(t, 1000, 0)
	text := long.Text("a long run")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 3+golden.MaxLines+1 || !strings.HasPrefix(lines[len(lines)-1], "# and ") {
		t.Fatalf("%d lines, the last: %s", len(lines), lines[len(lines)-1])
	}
	differs := func(text string, r *golden.Recorder) string {
		d, err := golden.Compare(text, r)
		if err != nil {
			t.Fatal(err)
		}
		if d == nil {
			return ""
		}
		return d.String()
	}
	if d := differs(text, long); d != "" {
		t.Errorf("it differs from itself: %s", d)
	}
	if d := differs(text, recorded(t, 1004, 0)); !strings.Contains(d, "more, of which it has the hash") {
		t.Errorf("a longer run: %s", d)
	}
	other := strings.Replace(text, lines[2], "# t1:0000000000000000", 1)
	if d := differs(other, long); !strings.Contains(d, "t1:0000000000000000") {
		t.Errorf("another hash: %s", d)
	}
	other = strings.Replace(text, lines[1500], "something else", 1)
	if d := differs(other, long); !strings.Contains(d, "first difference at line 1501") {
		t.Errorf("another line: %s", d)
	}
	if d := differs(text, recorded(t, 10, 0)); !strings.Contains(d, "(the run ends here)") {
		t.Errorf("a short run: %s", d)
	}
}

// Every difference names what brought the event about: of what comes by itself, on what it
// rests.
func TestCauses(t *testing.T) {
	r := recorded(t, 20, 0)
	text := r.Text("two members")
	lines := strings.Split(text, "\n")
	without := 0
	for i, line := range lines[3 : len(lines)-1] {
		was := lines[i+3]
		lines[i+3] = line + " changed"
		d, err := golden.Compare(strings.Join(lines, "\n"), r)
		lines[i+3] = was
		if err != nil || d == nil {
			t.Fatalf("line %d: %v, %v", i+4, d, err)
		}
		fields := strings.Fields(line) // moment, node, what it does, name
		switch {
		case d.Cause == "":
			without++
			if fields[2] != "starts" {
				t.Errorf("no cause: %s", line)
			}
		case fields[2] == "gets" && !strings.HasSuffix(d.Cause, "'s sending of "+fields[3]):
			t.Errorf("%s\n  caused by %s", line, d.Cause)
		}
	}
	if without == 0 || without > 3 {
		t.Errorf("%d lines have no cause: those of the beginning have none", without)
	}
}
