package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// Causes is an observer that keeps every record's name and reasons, so that it can tell
// how something came about. It is for runs that a person looks at.
type Causes struct {
	names *history.Names
	recs  []reason // by reference
	lines []string
	first map[string]sim.Ref // the first record of each name
	order []string           // the names
	w     *sim.World
}

// reason is why a record came about.
type reason struct {
	cause, ref sim.Ref
	why        protocol.Rule
	op         sim.Op
}

// NewCauses keeps what is yet to happen in w.
func NewCauses(w *sim.World) *Causes {
	return &Causes{names: history.NewNames(w), recs: make([]reason, 1), lines: make([]string, 1),
		first: map[string]sim.Ref{}, w: w}
}

// Observe takes one record.
func (c *Causes) Observe(r *sim.Rec) {
	name := c.names.Of(r)
	c.recs = append(c.recs, reason{r.Cause, r.Ref, protocol.Rule(r.Why), r.Op})
	c.lines = append(c.lines, Line(c.w, r, name))
	if c.first[name] == 0 {
		c.first[name] = r.ID
		c.order = append(c.order, name)
	}
}

// Names lists the names of all that happened, in the order in which it did.
func (c *Causes) Names() []string { return c.order }

// Why writes the chain of causes that ends in the event of the name: each event, the
// rule that made it so, and then what it rests on. It reports false if there was no
// such event.
func (c *Causes) Why(w io.Writer, name string) bool {
	at, ok := c.first[name]
	if !ok {
		return false
	}
	out := bufio.NewWriter(w)
	defer out.Flush()
	for step := 0; at != 0; step++ {
		r := c.recs[at]
		lead := "    "
		if step > 0 {
			lead = " <- "
		}
		fmt.Fprintf(out, "%s%s\n", lead, clip(c.lines[at], Columns-len(lead)))
		if text := r.why.Text(); text.Text != "" {
			for _, l := range Wrap(text.Text+" ("+text.Source+")", Columns, "          ") {
				fmt.Fprintln(out, l)
			}
		}
		at = c.before(at)
	}
	return true
}

// before is what a record rests on: its reference if it has one, else what was being
// handled when it came about. Both are earlier, so a chain ends.
func (c *Causes) before(at sim.Ref) sim.Ref {
	r := c.recs[at]
	if r.ref != 0 && r.ref < at {
		return r.ref
	}
	if r.cause < at {
		return r.cause
	}
	return 0
}

// clip cuts a line that is too long for the screen.
func clip(s string, width int) string {
	if len(s) <= width {
		return s
	}
	return s[:width-2] + ".."
}
