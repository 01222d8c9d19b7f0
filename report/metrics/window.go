package metrics

import (
	"slices"
)

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
		res.Total.add(&res.Partitions[i])
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
		f.result.Members = append(f.result.Members, MemberCost{x.name, x.idle})
	}
	for k := range f.log.stored {
		if s := &f.log.stored[k]; len(s.parts) == 0 && s.member != none && f.members[s.member].alive {
			f.result.Idle++
		}
	}
}

// add sums costs up; of what is the largest of something it keeps the larger.
func (c *PartitionCost) add(o *PartitionCost) {
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
