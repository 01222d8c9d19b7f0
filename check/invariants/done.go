package invariants

import (
	"github.com/rebalsim/rebalsim/protocol"
)

// Done ends the run and gives what it broke, in the order in which it showed: one
// Finding for each signature. A run that broke nothing gives nil.
func (m *Monitor) Done(end End) []Finding {
	if m.in.formed {
		m.stepEnds()
	}
	if end.At > m.now {
		m.overlapsLast()
	}
	m.now = max(m.now, end.At)
	if b := m.coordinator(); b != nil {
		m.overdue(b)
	}
	for i := range m.clients {
		for k := range m.clients[i].serves {
			m.zombieEnds(&m.clients[i], k)
		}
	}
	m.settles(end)
	return m.findings
}

// overdue looks for what should have happened by now.
func (m *Monitor) overdue(b *broker) {
	g := &b.group
	took := m.ms() - g.since.Millis()
	if b.clockOff {
		return
	}
	switch g.state {
	case protocol.PreparingRebalance:
		if took > g.bound && !g.onlyAbsent() {
			m.find(b, nil, "phase-ends", g.state.String(), "the group has been collecting for %s, and its longest rebalance timeout is %s", span(took), span(g.bound))
		}
	case protocol.CompletingRebalance:
		if took > g.bound && !g.wedged {
			m.find(b, nil, "phase-ends", g.state.String(), "the group has been waiting for its leader for %s; its longest rebalance timeout and a write allow %s", span(took), span(g.bound))
		}
	}
	for i := range g.members {
		m.stillLives(b, &g.members[i])
	}
}
