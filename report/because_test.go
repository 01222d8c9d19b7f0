package report

import (
	"slices"
	"testing"

	"github.com/rebalsim/rebalsim/sim"
)

// What a program is busy with counts once, and the rest has the reason that is given.
func TestAlone(t *testing.T) {
	var rs reasons
	o := &own{busy: []busy{{0, 2, "over"}, {5, 20, "closing"}, {6, 9, "onPartitionsRevoked"}, {18, 25, "busy"}, {40, 50, "later"}}}
	rs.alone(3, 30, notAsked, o)
	if want := []standing{{"closing", 15}, {"busy", 5}, {notAsked, 7}}; !slices.Equal(rs.own.list, want) {
		t.Errorf("%v, not %v", rs.own.list, want)
	}
}

// A cell has the largest parts that fit, with their lengths; names give way first, and what is
// told is never without a verb. An exception's name is told in full.
func TestTold(t *testing.T) {
	var rs reasons
	rs.own.add("down", 5*sim.Second)
	rs.own.add("offset lookup", 20*sim.Millisecond)
	rs.wait([]string{"pod-01", "pod-02", "pod-03"}, 7*sim.Second)
	rs.wait([]string{"pod-02"}, 2*sim.Second)
	for _, c := range []struct {
		end   string
		width int
		want  string
	}{
		{"", 60, "waited for pod-02 pod-01 pod-03 9.000 s, down 5.000 s"},
		{"", 40, "waited for pod-02 pod-01 pod-03 9.000 s"},
		{"", 29, "waited for pod-02 +2 9.000 s"},
		{"", 27, "waited for 3 memb. 9.000 s"},
		{"", 24, "waited 9.000 s"},
		{"RebalanceInProgressException", 28, "RebalanceInProgressException"},
		{"RebalanceInProgressException", 27, "RebalanceInProgress\nException"},
		{"RebalanceInProgressException", 12, "RebalanceIn\nProgress\nException"},
		{"KafkaException<-NullPointerException", 20, "KafkaException<-Null\nPointerException"},
		{"died at 5.000 s", 60, "died at 5.000 s, waited for pod-02 pod-01 pod-03 9.000 s"},
		{"died at 5.000 s", 20, "died at 5.000 s"},
	} {
		copied := rs
		if got := copied.told(c.end, c.width); got != c.want {
			t.Errorf("%q in %d: %q, not %q", c.end, c.width, got, c.want)
		}
	}
}
