package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// outcome is the table of how each member ended and what it paid, as far as so many go.
func outcome(r *Run, most int) []string {
	head := []string{"member", "role", "gen.", "partitions", "read nothing", "of that"}
	widths, left := make([]int, len(head)), Columns // for the last column
	for i := range head {
		widths[i] = len(head[i])
	}
	most = min(most, len(r.History.Clients))
	lost := reasonsOf(r, most)
	var rows [][]string
	for i, c := range r.History.Clients[:most] {
		generation := fmt.Sprint(c.Generation)
		if c.Generation < 0 {
			generation = "-"
		}
		serves := history.Partitions(c.Serves)
		if len(serves) > 20 {
			serves = fmt.Sprintf("%d partitions", len(c.Serves))
		}
		rows = append(rows, []string{r.History.World.Name(c.Node), role(r, c), generation, serves, span(lost[i].all)})
		room := Columns - 1
		for i, cell := range rows[len(rows)-1] {
			widths[i] = max(widths[i], len(cell))
			room -= widths[i] + 2
		}
		left = min(left, room)
	}
	ends := map[sim.NodeID]string{}
	for _, e := range endings(r.History) {
		ends[e.node] = e.how // the last counts
	}
	for i, c := range r.History.Clients[:most] {
		end := ends[c.Node]
		if r.History.World.Alive(c.Node) {
			end = ""
		}
		rows[i] = append(rows[i], lost[i].told(end, left))
	}
	rest := len(r.History.Clients) - len(rows)
	var b bytes.Buffer
	if err := Table(&b, head, rows); err != nil {
		return []string{err.Error()}
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if rest > 0 {
		lines = append(lines, fmt.Sprintf(" ... and %d more: --full tells all", rest))
	}
	legend := "read nothing"
	if r.From > 0 {
		legend = "from " + span(r.From) + " on"
	}
	return append(lines, " ("+legend+": down, frozen, or no partition whose offset it knew)")
}

// role is what a client is to its group, by the word of the coordinator: what a client takes
// itself for may be long over.
func role(r *Run, c *history.Client) string {
	switch group := r.History.Group(r.Group); {
	case !r.History.World.Alive(c.Node):
		return "gone"
	case c.State == "" || c.Generation != group.Generation || !r.History.IsMember(c.Member):
		return "-"
	case c.Member == group.Leader:
		return "leader"
	}
	return "follower"
}
