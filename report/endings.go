package report

import (
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// ending is how a process ended.
type ending struct {
	node      sim.NodeID
	at        sim.Time
	how       string
	exception string // that ended its program, "": none did
}

// endings are how processes ended, in the order in which they did.
func endings(h *history.History) (list []ending) {
	thrown, told := map[sim.NodeID]string{}, map[sim.NodeID]bool{}
	for i := range h.Events {
		r := &h.Events[i].Rec
		switch r.Op {
		case sim.OpStart:
			thrown[r.Node], told[r.Node] = "", false
		case sim.OpCommand:
			told[r.Node] = told[r.Node] || stops(r)
		case sim.OpNote:
			if r.Note.Code == protocol.NoteThrown && !told[r.Node] {
				thrown[r.Node] = exception(&r.Note)
			}
		case sim.OpCrash:
			list = append(list, ending{node: r.Node, at: r.At, how: "died at " + span(r.At)})
		case sim.OpExit:
			e := ending{node: r.Node, at: r.At, how: "closed at " + span(r.At)}
			if !told[r.Node] && thrown[r.Node] != "" {
				e.how, e.exception = thrown[r.Node], thrown[r.Node]
			}
			list = append(list, e)
		}
	}
	return list
}

// exceptions says how many programs an exception ended in what is measured, and which: "5 programs
// ended by an exception (RebalanceInProgressException)."
func exceptions(r *Run) string {
	var names []string
	count, all := map[string]int{}, 0
	for _, e := range endings(r.History) {
		if e.exception == "" || e.at < r.From {
			continue
		}
		if count[e.exception] == 0 {
			names = append(names, e.exception)
		}
		count[e.exception]++
		all++
	}
	switch {
	case all == 0:
		return ""
	case all == 1:
		return fmt.Sprintf("One program ended by an exception (%s).", names[0])
	case len(names) > 1:
		for i, name := range names {
			names[i] = fmt.Sprintf("%d by %s", count[name], name)
		}
	}
	return fmt.Sprintf("%d programs ended by an exception (%s).", all, strings.Join(names, ", "))
}

// inWords breaks an exception's name into as few parts as are not wider than a width, before
// words.
func inWords(name string, width int) (parts []string) {
	for len(name) > width {
		at := width
		for at > 1 && (name[at] < 'A' || name[at] > 'Z' || name[at-1] == '-') && name[at] != '<' {
			at--
		}
		if at == 1 {
			at = max(width, 1)
		}
		parts = append(parts, name[:at])
		name = name[at:]
	}
	return append(parts, name)
}
