package scenarios

import (
	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/report/metrics"
)

// Topics are those that there are before anything happens.
func (c *Cluster) Topics() []coordinator.Topic { return c.director().ctl.image.Topics }

// Measured says what is measured of a run in a window.
func (c *Cluster) Measured(w metrics.Window) metrics.Options {
	return metrics.Options{Group: c.director().scenario.Group.ID, Clients: c.Clients, Name: c.World.Name, Topics: c.Topics(), Window: w}
}

// Gauge measures what the expectations ask for of a run that is about to begin. It is
// nil if they ask for no figure.
func (c *Cluster) Gauge(list []Expectation) *check.Gauge {
	expected := make([]Expected, len(list))
	for i := range list {
		expected[i] = list[i].What
	}
	g := check.NewGauge(c.Measured(metrics.Window{}), expected)
	if g != nil {
		c.World.WatchEvents(g)
	}
	return g
}
