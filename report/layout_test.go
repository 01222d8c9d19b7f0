package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// What is left out is never shorter than the line that says so, and what is to be told is told,
// whatever the order.
func TestChosen(t *testing.T) {
	for n := range 60 {
		order := make([]int, n)
		for i := range order {
			order[i] = (i*37 + n) % max(n, 1)
		}
		if distinct := slices.Compact(slices.Sorted(slices.Values(order))); len(distinct) < n {
			continue // 37 divides n
		}
		for told := range n + 1 {
			rows := chosen(order, told)
			for _, i := range order[:told] {
				if !rows[i] {
					t.Fatalf("%d of %d: row %d is left out", told, n, i)
				}
			}
			gap := 0
			for i := 0; i <= n; i++ {
				if i < n && !rows[i] {
					gap++
					continue
				}
				if gap > 0 && gap < fewest {
					t.Fatalf("%d of %d: %d rows are left out before row %d", told, n, gap, i)
				}
				gap = 0
			}
		}
	}
}

// Rows come by what they show: what went wrong, the longest wait, and then what is measured.
func TestByWeight(t *testing.T) {
	var rows []row
	for i := range 30 {
		rows = append(rows, row{at: sim.Time(i) * sim.Second, names: []string{fmt.Sprintf("e#%d", i)}})
	}
	rows[3].waits, rows[17].waits, rows[18].waits = 9*sim.Second, 4*sim.Second, 2*sim.Second
	r := &Run{From: 10 * sim.Second, Broken: []Broken{{Event: "e#22"}, {At: 25500 * sim.Millisecond}},
		Checks: []Check{{Event: "e#12"}, {OK: true, Event: "e#13"}}}
	order, _ := byWeight(r, rows, 20)
	if want := []int{12, 22, 25, 17, 10, 11, 29, 13, 28}; !slices.Equal(order[:len(want)], want) {
		t.Errorf("%v, not %v", order[:len(want)], want)
	}
	if len(order) != len(rows) || order[len(order)-1] != 0 {
		t.Errorf("%v", order)
	}
}

// The rows that the story turns at come before those that only come first or last: all of a few,
// of many the first and the last.
func TestTurns(t *testing.T) {
	var rows []row
	for i := range 60 {
		rows = append(rows, row{at: sim.Time(i) * sim.Second})
		if i >= 20 && i < 30 {
			rows[i].turn = "dies"
		}
	}
	rows[10].turn, rows[40].turn, rows[45].turn = turnStep, turnStep, turnStep
	rows[41].turn = "throws KafkaException"
	order, wanted := byWeight(&Run{}, rows, 20)
	if want := []int{10, 45, 20, 29, 41, 40}; !slices.Equal(order[:wanted], want) {
		t.Errorf("%v, not %v", order[:wanted], want)
	}
	if len(order) != len(rows) {
		t.Errorf("%d of %d rows", len(order), len(rows))
	}
}

// A line that stands for rows hides no wait.
func TestLeft(t *testing.T) {
	rows := []row{{at: sim.Second, waits: 40 * sim.Second}, {at: 2 * sim.Second, waits: sim.Millisecond}, {at: 312 * sim.Second}}
	if got, want := left(&Run{}, rows, 205), "  ...   three more until 312.000 s, waits up to 40.000 s: --full tells all 205"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// No row is wider than the screen, and none loses its wait or its error.
func TestRowsFit(t *testing.T) {
	rule := protocol.RuleAllJoined
	for _, reply := range []string{"waits 29.926 s, lost: COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "waits 1234.926 s",
		"INCONSISTENT_GROUP_PROTOCOL, lost", "waits up to 29.926 s: UNKNOWN_TOPIC_OR_PARTITION"} {
		for _, at := range []sim.Time{0, 99 * sim.Second, 312*sim.Second + 276*sim.Millisecond, 1312*sim.Second + 276*sim.Millisecond, 12345678 * sim.Second} {
			for _, group := range []string{"none", "-> PreparingRebalance", "-> CompletingRebal. 104"} {
				r := row{at: at, who: []string{"pod-000001", "pod-2", "pod-3"}, asks: "OffsetCommit", group: group, reply: reply, why: rule}
				lines := r.lines(map[protocol.Rule]int{rule: 12})
				all := ""
				for _, l := range lines {
					if len(l) > Columns {
						t.Errorf("%d columns: %s", len(l), l)
					}
					all += " " + strings.TrimSpace(strings.TrimSuffix(l, "[12]"))
				}
				if !strings.HasSuffix(strings.TrimSpace(all), reply) {
					t.Errorf("%q is not told: %q", reply, lines)
				}
			}
		}
	}
}

// Names that are too long keep their ends, and many are counted.
func TestPeople(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"F1 F2", "F1 F2"}, {"checkout-service-1", "~service-1"}, {"checkout-service-1#12", "~vice-1#12"}, {"pod-01 pod-02 pod-03", "pod-01 +2"},
		{"pod-0001 pod-0002", "2 members"}, {strings.Repeat("pod-0001 ", 299), "299 memb."},
	} {
		if got := people(strings.Fields(c.names), 10); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}
