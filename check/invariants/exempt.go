package invariants

import (
	"slices"
	"strings"
)

// known is the issue that explains a finding under the rules where it was made, "" if
// none does. Without a client it is any client's rules that count.
func (m *Monitor) known(f *Finding, b *broker, c *client) string {
	if b == nil {
		if b = m.coordinator(); b == nil && len(m.brokers) > 0 {
			b = &m.brokers[0]
		}
	}
	if names := m.habits(f, c); names != "" {
		return "not Java's: " + names
	}
	for i := range exemptions {
		e := &exemptions[i]
		if e.Invariant == f.Invariant && strings.HasPrefix(f.Place, e.Place) && m.holds(e, b, c) {
			return e.Issue
		}
	}
	return ""
}

// habits are those of a client that is not Java's, if a finding is about what Java's does:
// of the client that it is about, or for the group as a whole of anyone.
func (m *Monitor) habits(f *Finding, c *client) string {
	switch f.Invariant {
	case "keeps-its-id", "lost-for-a-reason", "heartbeats-go-on", "zombie-ends", "claims-what-it-owns", "late-errors-are-late", "one-asked",
		"join-is-waited-for", "joins-in-time", "close-leaves":
		if c == nil || c.cfg == nil {
			return ""
		}
		return strings.Join(c.cfg.Habits.Names(), ", ")
	case "settles", "phase-ends", "two-current", "cooperative-waits", "all-assigned":
		alone := f.Invariant == "settles" && c != nil // the group is at rest
		for i := range m.clients {
			x := &m.clients[i]
			if x.cfg == nil || alone && x.node != c.node {
				continue
			}
			if names := x.cfg.Habits.Names(); len(names) > 0 {
				return strings.Join(names, ", ")
			}
		}
	}
	return ""
}

// holds reports whether the behaviour that brings the flaw is in force.
func (m *Monitor) holds(e *Exemption, b *broker, c *client) bool {
	if e.broker != nil {
		return b != nil && e.broker(b.rules)
	}
	if e.assignor != nil && !strings.Contains(m.chosen, "sticky") || // all that are listed are the sticky pair's
		e.cooperative && m.chosen != "cooperative-sticky" || e.some != nil && !slices.ContainsFunc(m.clients, func(x client) bool { return e.some(&x) && (c == nil || x.node == c.node) }) {
		return false
	}
	if e.client == nil && e.assignor == nil {
		return true
	}
	for i := range m.clients {
		x := &m.clients[i]
		if c != nil {
			x = c
		}
		if x.cfg != nil && (e.client == nil || e.client(&x.cfg.Rules)) && (e.assignor == nil || e.assignor(&x.cfg.Assignor)) {
			return true
		}
	}
	return false
}
