package metrics

import (
	"math"
	"slices"

	"github.com/rebalsim/rebalsim/sim"
)

// Moment is a mark of the scenario, or without one a time since the beginning of the
// run. The zero Moment is none.
type Moment struct {
	Given bool
	Mark  string
	At    sim.Time
}

// String is the moment as scenarios write it.
func (m Moment) String() string {
	if m.Mark != "" {
		return m.Mark
	}
	return m.At.String() + " s"
}

// Window is the part of a run that is measured: from one moment on and up to another.
// Without From it begins as the group is Stable for the first time, without To it ends
// with the run.
type Window struct{ From, To Moment }

const never = sim.Time(math.MaxInt64)

// nextEdge is the time at which the window opens, or closes.
func (f *Fold) nextEdge() sim.Time {
	m := f.opt.Window.From
	if f.open {
		m = f.opt.Window.To
	}
	if !m.Given || m.Mark != "" || f.closed {
		return never
	}
	return m.At
}

// crosses opens the window, or closes it, or both: that time has come.
func (f *Fold) crosses(at sim.Time) {
	for at >= f.edge {
		f.until = f.edge
		if f.open {
			f.ends()
		} else {
			f.opens()
		}
		f.edge = f.nextEdge()
	}
}

// marked opens or closes the window at a mark.
func (f *Fold) marked(name string) {
	w := &f.opt.Window
	switch {
	case !f.open && w.From.Given && name == w.From.Mark:
		f.opens()
	case f.open && w.To.Given && name == w.To.Mark:
		f.ends()
	}
}

// opens begins the window.
func (f *Fold) opens() {
	f.open = true
	for i := range f.parts {
		p := &f.parts[i]
		p.since = f.until
		if p.still {
			p.stillSince = f.until
		}
	}
	for i := range f.members {
		x := &f.members[i]
		if x.idleSince >= 0 {
			x.idleSince = f.until
		}
		x.cost.Most = int64(x.serving)
	}
	f.result.From = f.until
	f.edge = f.nextEdge()
}

// ends closes the window and sums up.
func (f *Fold) ends() {
	f.closed = true
	res := &f.result
	res.To = f.until
	res.Measured = f.open
	for i := range f.parts {
		p := &f.parts[i]
		f.settle(p)
		if p.still {
			f.endPiece(p)
		}
		f.lag(p)
		if f.open {
			f.behind(p)
			f.countSkipped(p)
		}
		p.cost.Partition = p.tp
		if p.known || p.low >= 0 {
			res.Partitions = append(res.Partitions, p.cost)
		}
	}
	slices.SortFunc(res.Partitions, func(a, b PartitionCost) int { return a.Partition.Compare(b.Partition) }) // total: partitions are unique
	for i := range res.Partitions {
		res.Total.Add(&res.Partitions[i])
	}
	for i := range res.Partitions {
		if c := &res.Partitions[i]; c.Longest > 0 && c.Longest == res.Total.Longest {
			res.Worst, res.Total.LongestAt = c.Partition.String(), c.LongestAt
			break
		}
	}
	f.countMembers()
	f.cutShort()
	for i := range f.faults {
		f.tellFault(&f.faults[i].Fault)
	}
	f.faults = nil
}

// countMembers sums up what members did.
func (f *Fold) countMembers() {
	for i := range f.members {
		x := &f.members[i]
		f.busy(x)
		x.cost.Name = x.name
		f.result.Members = append(f.result.Members, x.cost)
	}
	for _, k := range f.log.now {
		if s := &f.log.slots[k]; len(s.parts) == 0 && s.member != none && f.members[s.member].alive {
			f.result.Idle++
		}
	}
}

// Add sums costs up; of what is the largest of something it keeps the larger.
func (c *PartitionCost) Add(o *PartitionCost) {
	c.Standstill += o.Standstill
	c.Unread += o.Unread
	c.Longest = max(c.Longest, o.Longest)
	c.Zombie += o.Zombie
	c.HandOver += o.HandOver
	c.Fenced += o.Fenced
	c.Overlap += o.Overlap
	c.Moves += o.Moves
	c.Forced += o.Forced
	c.Returned += o.Returned
	c.RoundTrips += o.RoundTrips
	c.Delivered += o.Delivered
	c.Finished += o.Finished
	c.ZombieFinished += o.ZombieFinished
	c.Twice += o.Twice
	c.TwiceLate += o.TwiceLate
	c.TwiceZombie += o.TwiceZombie
	c.TwiceBackward += o.TwiceBackward
	c.Unfinished += o.Unfinished
	c.Skipped += o.Skipped
	c.SkippedReset += o.SkippedReset
	c.SkippedCommit += o.SkippedCommit
	c.SkippedSeek += o.SkippedSeek
	c.SkippedDropped += o.SkippedDropped
	c.SkippedOther += o.SkippedOther
	c.LagKnown = c.LagKnown || o.LagKnown
	c.LagMax = max(c.LagMax, o.LagMax)
	c.Lag += o.Lag
	c.BehindMax = max(c.BehindMax, o.BehindMax)
	c.Behind += o.Behind
}
