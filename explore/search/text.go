package search

import (
	"fmt"
	"math"
	"strings"
)

// Some reports whether anything may go wrong.
func (f *Faults) Some() bool {
	return f.Crash || f.DropAnswer || f.LoseAnswer || len(f.Kill) > 0 || len(f.Steps) > 0
}

// Promise says what the search promises, and within which bound.
func (u *Setup) Promise() []string {
	lines := []string{
		"real runs only: timers are punctual, messages take no time unless late",
		fmt.Sprintf("bound: %s, %s, %s", count(u.Bound.Late, "late message"), count(u.Bound.Generations, "new generation"), count(u.Bound.Faults, "fault")),
	}
	out := "left out: arrivals between the moments of timers, fetches, metadata that ages"
	if u.AnyTime {
		lines[0] = "no clocks: any message and any timer may be next, also where no run has it"
		lines[1] = fmt.Sprintf("bound: %s, %s, %s", count(u.Bound.Waits, "wait"), count(u.Bound.Generations, "new generation"), count(u.Bound.Faults, "fault"))
		out = "left out: what needs more waits, fetches, metadata that ages"
	}
	if u.Bound.Faults > 0 && u.Faults.Some() {
		lines[1] += " at any moment:"
		for _, f := range u.Faults.list() {
			lines = append(lines, "  "+f)
		}
	}
	lines = append(lines, out)
	if len(u.Scenario.Expect) > 0 || len(u.Scenario.Variants) > 0 {
		lines = append(lines, "not looked for: what the scenario expects, as of rebalsim run and fuzz")
	}
	return lines
}

func (f *Faults) list() (list []string) {
	if f.Crash {
		list = append(list, "the coordinator crashes")
	}
	if len(f.Kill) > 0 {
		list = append(list, "a member is killed ("+strings.Join(f.Kill, ", ")+")")
	}
	if f.DropAnswer {
		list = append(list, "an answer is lost")
	}
	if f.LoseAnswer {
		list = append(list, "an answer is lost with its connection")
	}
	return append(list, f.Steps...)
}

// Lines say what the search did.
func (r *Result) Lines(b Bound) []string {
	lines := []string{fmt.Sprintf("%s, %s; the deepest after %s", count(r.States, "state"), count(r.Moves, "move"), count(r.Depth, "move"))}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch {
	case r.Broken != nil && !r.Broken.Apart:
		add("stopped at the first thing found")
	case r.Waiting > 0:
		why := "STOPPED"
		if r.Interrupted {
			why = "interrupted"
		}
		add("%s at %s; %s not gone on with: this is no proof", why, count(r.States, "state"), number(r.Waiting))
	default:
		add("exhausted: there is no other order within the bound")
	}
	if r.TooManyGenerations > 0 {
		add("%s not gone on with: one generation too many", count(r.TooManyGenerations, "state"))
	}
	if r.Apart > 0 {
		add("%s to what must not be, which need clocks that run apart", count(r.Apart, "path"))
	}
	switch {
	case r.Paths < r.Leaves:
		add("invariants: interrupted after %s of %s paths: this is no proof", number(r.Paths), number(r.Leaves))
	case r.Paths > 0:
		add("invariants: %s, through every state (rebalsim invariants)", count(r.Paths, "path"))
	}
	if r.Again > 0 {
		add("%s that came again went on as the first time", count(r.Again, "state"))
	}
	return append(lines, fmt.Sprintf("states are known by 64 bits: the odds that two were taken for one are %.0e", odds(r.States)))
}

// odds are those of a collision among n hashes of 64 bits.
func odds(n int) float64 { return float64(n) * float64(n) / math.Ldexp(1, 65) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(n) + " " + what + "s"
}

// number writes thousands apart.
func number(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
