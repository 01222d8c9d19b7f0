package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// awaitsPoll reports whether a program is away from poll in a way that is bound to change the
// group, and when it is back at the earliest. member is its id, "" if it is not in the group. One
// that is back in time is not waited for: groups of programs that work long on each batch come to
// rest, too.
func (d *director) awaitsPoll(i int, member string, w *sim.World) (back sim.Time, awaited bool) {
	id := d.members[i]
	c, ok := w.Actor(id).(*consumer.Consumer)
	if !ok || !w.Alive(id) || w.Frozen(id) {
		return 0, false
	}
	a := c.Absence(w, id)
	switch away := a.Back > w.Now(); {
	case away && a.Ordered:
		return a.Back, true
	case member == "": // it will join when it polls, if it has not polled since it was removed
		return a.Back, away && !d.lives[i].quiet && a.By < d.group.removed[id].by
	case away && !a.Joined:
		return a.Back, true
	case away && a.Back > d.missedAt(&a, member, w):
		return a.Back, true
	}
	return w.Now(), a.Joined && c.LeastAbsence(d.areWritten(c.Serves())) > c.Patience()
}

// missedAt is when a member is removed if its program does not poll before: its heartbeat thread
// sees to that, or none sends heartbeats and its session ends.
func (d *director) missedAt(a *consumer.Absence, member string, w *sim.World) sim.Time {
	if a.Beats {
		return a.Limit
	}
	b, ok := w.Actor(d.ctl.leader).(*coordinator.Broker)
	if !ok {
		return a.Back
	}
	at, _, ok := w.Due(d.ctl.leader, b.SessionOf(d.group.id, member))
	if !ok {
		return a.Back
	}
	return at
}

// areWritten reports whether there will always be records in some of the partitions.
func (d *director) areWritten(list []protocol.TopicPartition) bool {
	return slices.ContainsFunc(list, func(p protocol.TopicPartition) bool {
		return slices.ContainsFunc(d.scenario.Topics, func(t Topic) bool { return t.Name == p.Topic && t.Rate.Records > 0 })
	})
}
