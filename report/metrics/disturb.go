package metrics

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// kept is how many disturbances and how many faults are told one by one. Counts and
// worst values are of all.
const kept = 1000

// groupMoves takes in a change of the group's state.
func (f *Fold) groupMoves(r *sim.Rec, b *protocol.GroupChange) {
	if protocol.Rule(r.Why) == protocol.RuleUnloaded || !f.trusts(r) {
		return
	}
	f.log.generation, f.log.atRest = b.Generation, b.To == protocol.Stable
	f.fenceAll()
	switch b.To {
	case protocol.PreparingRebalance, protocol.CompletingRebalance:
		if f.moving == nil {
			f.endsLength(true)
			f.moving = &Disturbance{At: r.At, Cause: f.cause(r), within: f.open}
		}
		if b.To == protocol.CompletingRebalance {
			f.moving.Generations++
		}
	case protocol.Stable, protocol.Empty, protocol.Dead:
		f.comesToRest(r, b)
	}
}

// comesToRest ends what moved the group. The disturbance goes on until the last
// partition is read again.
func (f *Fold) comesToRest(r *sim.Rec, b *protocol.GroupChange) {
	formation := sim.Time(0)
	if d := f.moving; d != nil {
		if b.From == protocol.PreparingRebalance {
			d.Generations++ // one without members
		}
		d.Settled = r.At - d.At
		formation = d.Settled
		f.moving, f.resting = nil, d
	}
	if b.To == protocol.Stable && !f.open && !f.opt.Window.From.Given {
		f.result.Formation = formation
		f.opens()
	}
	if f.standing == 0 {
		f.allServed()
	}
}

// allServed is told that no partition stands still.
func (f *Fold) allServed() {
	f.endsLength(false)
	if f.log.living && f.moving == nil {
		f.coordinatorRecovers()
	}
}

// endsLength ends the length of a disturbance that has settled: all partitions are read
// again, or they are not and another one begins.
func (f *Fold) endsLength(overtaken bool) {
	d := f.resting
	f.resting = nil
	if d == nil || !d.within {
		return
	}
	d.Length, d.Overtaken = f.until-d.At, overtaken
	f.tellDisturbance(d)
}

func (f *Fold) tellDisturbance(d *Disturbance) {
	res := &f.result
	res.Rebalances++
	res.Generations += int64(d.Generations)
	res.Disturbed += d.Length
	if d.Length > res.LongestDisturbance {
		res.LongestDisturbance, res.LongestDisturbanceAt = d.Length, d.At
	}
	if len(res.Disturbances) < kept {
		res.Disturbances = append(res.Disturbances, *d)
	}
	key := Cause{Trigger: d.Cause.Trigger, Asked: d.Cause.Asked}
	for i := range res.Causes {
		if res.Causes[i].Cause == key {
			res.Causes[i].Times++
			return
		}
	}
	res.Causes = append(res.Causes, CauseCount{Cause: key, Times: 1})
}

// cutShort ends, with the window, the disturbances that are under way.
func (f *Fold) cutShort() {
	if d := f.moving; d != nil && d.within {
		d.Settled, d.Length, d.Open = f.until-d.At, f.until-d.At, true
		f.tellDisturbance(d)
	}
	if d := f.resting; d != nil && d.within {
		d.Length, d.Open = f.until-d.At, true
		f.tellDisturbance(d)
	}
	f.moving, f.resting = nil, nil
}

// Cause is why a rebalance began.
type Cause struct {
	// Trigger is the coordinator's rule: left, session-expired, new-member, …
	Trigger protocol.Rule
	// Member is who left, was removed or asked; "": nobody in particular.
	Member string
	// Asked is why that member had sent its JoinGroup, 0 if it was none.
	Asked protocol.Rule
}

// cause finds out why the group begins to move.
func (f *Fold) cause(r *sim.Rec) Cause {
	c := Cause{Trigger: protocol.Rule(r.Why)}
	m := int32(none)
	switch {
	case r.Cause == f.arrival.ref && f.arrival.member != none:
		m = f.arrival.member
		if f.arrival.kind == protocol.KindJoinGroup {
			c.Asked = f.members[m].asks
		}
	case r.Cause == f.removed.cause:
		m = f.removed.member
	}
	if m != none {
		c.Member = f.members[m].name
	}
	return c
}
