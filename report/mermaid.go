package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// mermaidMost is how many arrows a picture has at most: Mermaid draws 500 by default.
const mermaidMost = 400

// Mermaid writes the run as a Mermaid sequence diagram: what the coordinator handled
// and answered, and how the group moved. Heartbeats, fetches and lookups that changed
// nothing are left out.
func Mermaid(w io.Writer, r *Run) error {
	m := &mermaid{r: r}
	m.line("sequenceDiagram")
	for _, c := range r.History.Clients {
		m.line("    participant %s", r.History.World.Name(c.Node))
	}
	seen := map[sim.NodeID]bool{}
	for _, q := range r.History.Requests {
		if !seen[q.Broker] {
			seen[q.Broker] = true
			m.line("    participant %s", r.History.World.Name(q.Broker))
		}
	}
	for _, s := range m.steps() {
		if m.arrows == mermaidMost {
			m.line("    Note over %s: … the picture ends here, the run at %s s", r.History.World.Name(r.History.Clients[0].Node), r.History.End)
			break
		}
		m.line("%s", s)
		m.arrows++
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

type mermaid struct {
	r      *Run
	b      strings.Builder
	arrows int
}

func (m *mermaid) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

// steps are the arrows and notes in the order of their records.
func (m *mermaid) steps() []string {
	type step struct {
		ref  sim.Ref
		text string
	}
	var all []step
	name := m.r.History.World.Name
	for _, q := range m.r.History.Requests {
		if q.Quiet() {
			continue
		}
		all = append(all, step{q.Arrival, fmt.Sprintf("    %s->>%s: %s", name(q.Client), name(q.Broker), q.Name)})
		if q.Answer != nil {
			all = append(all, step{q.AnswerRef, fmt.Sprintf("    %s-->>%s: %s", name(q.Broker), name(q.Client), answerText(q))})
		}
	}
	for _, mv := range m.r.History.Moves {
		all = append(all, step{mv.Ref, fmt.Sprintf("    Note over %s: %s s %s", name(mv.Node), mv.At, stateText(mv.To, mv.Generation))})
	}
	for i := range m.r.History.Events {
		if e := &m.r.History.Events[i]; e.Rec.Op == sim.OpCrash {
			all = append(all, step{e.Rec.ID, fmt.Sprintf("    Note over %s: %s s dies", name(e.Rec.Node), e.Rec.At)})
		}
	}
	slices.SortStableFunc(all, func(a, b step) int { return cmp.Compare(a.ref, b.ref) })
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = all[i].text
	}
	return texts
}

func answerText(q *history.Request) string {
	if e := q.Error(); e != protocol.None {
		return e.String()
	}
	switch a := q.Answer.(type) {
	case *protocol.JoinGroupAnswer:
		if len(a.Members) > 0 {
			return fmt.Sprintf("generation %d, leads %s", a.Generation, number(len(a.Members)))
		}
		return fmt.Sprintf("generation %d", a.Generation)
	case *protocol.SyncGroupAnswer:
		if a.Assignment == nil || len(a.Assignment.Partitions) == 0 {
			return "nothing"
		}
		return history.Partitions(a.Assignment.Partitions)
	}
	return "NONE"
}
