package invariants

import (
	"github.com/rebalsim/rebalsim/sim"
)

// Monitor watches a run. Observe every record, then call Done.
type Monitor struct {
	f        Facts
	findings []Finding
}

// New is a Monitor of a run that is yet to begin.
func New(f Facts) *Monitor { return &Monitor{f: f} }

// Observe takes one record.
func (m *Monitor) Observe(r *sim.Rec) {}

// Done ends the run and gives what it broke, in the order in which it showed: one
// Finding for each signature. A run that broke nothing gives nil.
func (m *Monitor) Done(end End) []Finding { return m.findings }
