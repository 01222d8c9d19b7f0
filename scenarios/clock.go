package scenarios

import (
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// Clock sets the clocks of the machines on which members or brokers run.
type Clock struct {
	Of      []string
	Brokers bool
	// Jump is by how much it is put forward, or back if it is negative; whole
	// milliseconds.
	Jump sim.Time
	// Fast, if Runs, is how many millionths it is fast from then on.
	Runs bool
	Fast int32
}

func (Clock) action() {}

var clockShape = &shape{name: "clock", keys: []key{
	{"of", membersValue, true, "Members, or brokers."},
	{"jump", textValue{pattern: `^-?` + millisPattern + `$`, example: "-90s"}, false, "By how much they are put forward, or with a minus back."},
	{"runs", paceValue{}, false, "How fast they run from then on; 1 is right."},
}, some: []string{"jump", "runs"}}

func (l *loader) clock(n *Node, s *Step) Action {
	var a Clock
	f := n.fields(clockShape)
	a.Of, a.Brokers = l.nodeList(f.Get("of"))
	jump, runs := f.Get("jump"), f.Get("runs")
	f.Done()
	a.Jump = parsed(jump, "a length of time", parseJump)
	if runs.Given() {
		a.Runs, a.Fast = true, parsed(runs, "a number", parsePace)
	}
	if jump == nil && runs == nil && n.IsMap() {
		n.Fail("write {of: …, jump: 5s} or {of: …, runs: 1.0001}", "this sets no clock")
	}
	return a
}

// parseJump reads "5s" or "-1m30s".
func parseJump(s string) (sim.Time, error) {
	after, back := strings.CutPrefix(s, "-")
	d, err := parseDuration(after)
	switch {
	case err != nil:
		return 0, err
	case d == 0 || d%sim.Millisecond != 0:
		return 0, fmt.Errorf("a clock jumps by whole milliseconds, not %s", clip(s))
	case back:
		d = -d
	}
	return d, nil
}

// parsePace reads how fast a clock runs, "1.01" or "0.9999", and gives by how many
// millionths it is fast.
func parsePace(s string) (int32, error) {
	v, ok := scaled(s, 1_000_000)
	if fast := v - 1_000_000; ok && fast >= sim.MinFast && fast <= sim.MaxFast {
		return int32(fast), nil
	}
	return 0, fmt.Errorf("%q is no pace of a clock\nwrite a number from 0.5 to 2 with up to six decimals; 1.0001 is 0.1 s in 1000 s fast", clip(s))
}

func (a Clock) play(d *director, c *sim.Control) int {
	for _, i := range d.processes(a.Of, a.Brokers) {
		if a.Jump != 0 {
			c.JumpClock(d.process(i), a.Jump)
		}
		if a.Runs {
			c.RunClock(d.process(i), a.Fast)
		}
	}
	return len(a.Of)
}
