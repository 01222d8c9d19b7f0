package metrics

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// readers is what a Fold keeps of the records of one partition.
type readers struct {
	low        int64  // the first position that anybody took; -1: nobody has
	done       ranges // finished by somebody
	zombieDone ranges // finished by a member without the right
	skips      [skipReasons]ranges
	committed  int64 // the committed offset, -1: none
	highest    int64 // the highest there has been
	list       []reader
}

// reader is a member that reads, or is about to read, the partition.
type reader struct {
	member int32
	next   int64 // its position: the record to be delivered next; -1: not known
	// A position that it was told and has not taken yet: the committed offset, or where
	// the reset policy led it.
	told  int64
	reset bool
	// The position that it took last, and why what lies below was left out.
	start  int64
	reason int
	// [from, to) was delivered to it and is not finished. As it was delivered, all below
	// highest had been committed at some time.
	from, to, highest int64
}

// Why records were skipped.
const (
	skipReset = iota
	skipCommit
	skipSeek
	skipDropped
	skipReasons
)

// reader is the member's entry; it is made if there is none.
func (p *readers) reader(m int32) *reader {
	for i := range p.list {
		if p.list[i].member == m {
			return &p.list[i]
		}
	}
	p.list = append(p.list, reader{member: m, next: -1, told: -1})
	return &p.list[len(p.list)-1]
}

// leaves forgets a member that does not serve the partition any more, unless it still
// works on records.
func (p *readers) leaves(m int32) {
	for i := range p.list {
		if r := &p.list[i]; r.member == m {
			if r.next = -1; r.from == r.to && r.told < 0 {
				p.list = append(p.list[:i], p.list[i+1:]...)
			}
			return
		}
	}
}

// learnsPositions takes in positions that a member is told.
func (f *Fold) learnsPositions(m int32, body sim.Body) {
	switch a := body.(type) {
	case *protocol.OffsetFetchAnswer:
		if a.Error != protocol.None {
			return
		}
		for i := range a.Partitions {
			if o := &a.Partitions[i]; o.Error == protocol.None && o.Offset >= 0 {
				f.toldPosition(m, o, false)
			}
		}
	case *protocol.ListOffsetsAnswer:
		for i := range a.Partitions {
			if o := &a.Partitions[i]; o.Error == protocol.None {
				f.toldPosition(m, o, true)
			}
		}
	}
}

func (f *Fold) toldPosition(m int32, o *protocol.PartitionOffset, reset bool) {
	r := f.parts[f.place(o.TopicPartition)].reader(m)
	r.told, r.reset = o.Offset, reset
}

// begins lets a member take the position that it was told.
func (f *Fold) begins(m int32, p *partition) {
	for i := range p.list {
		if r := &p.list[i]; r.member == m && r.told >= 0 {
			reason := skipCommit
			if r.reset {
				reason = skipReset
			}
			p.position(r, r.told, reason)
			r.told = -1
		}
	}
}

// position moves a reader. What lies below its new position and is not finished, nor in
// anybody's hands, is skipped for the reason given, as far as it was not before.
func (p *readers) position(r *reader, at int64, reason int) {
	r.next, r.start, r.reason = at, at, reason
	if p.low < 0 || at < p.low {
		p.low = at
		return
	}
	p.skip(p.low, at, reason)
}

func (p *readers) skip(from, to int64, reason int) {
	p.done.outside(from, to, func(from, to int64) {
		left := ranges{{from, to}}
		for i := range p.skips {
			for _, s := range p.skips[i] {
				left.remove(s.from, s.to)
			}
		}
		for i := range p.list {
			left.remove(p.list[i].from, p.list[i].to)
		}
		for _, s := range left {
			p.skips[reason].add(s.from, s.to)
		}
	})
}

// delivered takes in that poll handed records to a member's program.
func (f *Fold) delivered(m int32, tp protocol.TopicPartition, from, to int64) {
	p := &f.parts[f.place(tp)]
	r := p.reader(m)
	f.givesUp(p, r, true)
	if r.next != from {
		reason := skipSeek
		if r.next < 0 && p.low < 0 {
			reason = skipReset // the first position of all
		}
		p.position(r, from, reason)
	}
	r.from, r.to, r.highest, r.next = from, to, p.highest, to
	if f.open {
		p.cost.Delivered += to - from
		f.members[m].cost.Delivered += to - from
	}
}

// givesUp ends what a member had been delivered and has not finished. One that lives
// has gone on without it.
func (f *Fold) givesUp(p *partition, r *reader, lives bool) {
	from, to := r.from, r.to
	r.from, r.to = 0, 0
	if from == to {
		return
	}
	if f.open {
		p.cost.Unfinished += to - from
		f.members[r.member].cost.Unfinished += to - from
	}
	if lives {
		p.skip(from, to, skipDropped)
		return
	}
	for i := range p.list { // another member has gone past it
		if o := &p.list[i]; o.next > from {
			p.skip(from, min(to, o.next), skipCommit)
		}
	}
}

// dies ends what a member had in hand as its process dies.
func (f *Fold) dies(m int32, p *partition) {
	for i := range p.list {
		if r := &p.list[i]; r.member == m {
			r.told, r.next = -1, -1
			f.givesUp(p, r, false)
			return
		}
	}
}

// finished takes in that a member's program is done with records.
func (f *Fold) finished(m int32, tp protocol.TopicPartition, from, to int64) {
	p := &f.parts[f.place(tp)]
	r := p.reader(m)
	highest := r.highest
	r.from, r.to = 0, 0
	zombie := p.known && m != p.right
	if f.open {
		f.behind(p)
		c, mine := &p.cost, &f.members[m].cost
		c.Finished += to - from
		mine.Finished += to - from
		if zombie {
			c.ZombieFinished += to - from
		}
		p.done.within(from, to, func(from, to int64) {
			c.Twice += to - from
			mine.Twice += to - from
			if zombie {
				c.TwiceZombie += to - from
				return
			}
			c.TwiceZombie += p.zombieDone.count(from, to)
			p.zombieDone.outside(from, to, func(from, to int64) {
				backward := max(0, min(to, highest)-from)
				c.TwiceBackward += backward
				c.TwiceLate += to - from - backward
			})
		})
	}
	p.done.add(from, to)
	if zombie {
		p.zombieDone.add(from, to)
	}
	for i := range p.skips {
		p.skips[i].remove(from, to)
	}
	if p.low < 0 || from < p.low {
		p.low = from
	}
	if r.next < 0 && r.told < 0 {
		p.leaves(m)
	}
}

// storeOffset takes in that an offset is committed.
func (f *Fold) storeOffset(b *protocol.LogRecord) {
	p := &f.parts[f.place(b.Partition)]
	f.lag(p)
	if b.Tombstone {
		p.committed = -1
		return
	}
	p.committed = b.Offset
	p.highest = max(p.highest, b.Offset)
}

// end is a partition's end offset, if it is known.
func (f *Fold) end(p *partition, at sim.Time) (int64, bool) {
	t := f.topics[p.topic].produced
	if t == nil || int(p.tp.Partition) >= len(t.Leaders) {
		return 0, false
	}
	return t.EndOffset(p.tp.Partition, at), true
}

// lagOf is a partition's lag at a moment, if it is known and anything is committed or read.
func (f *Fold) lagOf(p *partition, at sim.Time) (n int64, ok bool) {
	end, ok := f.end(p, at)
	from := p.committed
	if from < 0 {
		from = p.low
	}
	return max(0, end-from), ok && from >= 0
}

// lag looks at a partition's lag before the committed offset changes: it grows until then.
func (f *Fold) lag(p *partition) {
	n, ok := f.lagOf(p, f.until)
	if !ok || !f.open {
		return
	}
	c := &p.cost
	c.LagKnown = true
	c.Lag = n
	c.LagMax = max(c.LagMax, c.Lag)
}

// behind looks at how many records have been written and not finished.
func (f *Fold) behind(p *partition) {
	end, ok := f.end(p, f.until)
	if !ok || p.low < 0 {
		return
	}
	c := &p.cost
	c.Behind = max(0, end-p.low-p.done.count(p.low, end))
	c.BehindMax = max(c.BehindMax, c.Behind)
}

// countSkipped finds what lies below a partition's position and was never finished.
func (f *Fold) countSkipped(p *partition) {
	to := int64(-1)
	for i := range p.list {
		if r := &p.list[i]; r.member == p.right && r.next >= 0 {
			to = r.next
			p.skip(p.low, r.start, r.reason) // low may have fallen since
		}
	}
	if p.low < 0 {
		return
	}
	if to < 0 { // whoever is next begins at the committed offset
		to = p.committed
		p.skip(p.low, to, skipCommit)
	}
	c := &p.cost
	into := [skipReasons]*int64{skipReset: &c.SkippedReset, skipCommit: &c.SkippedCommit, skipSeek: &c.SkippedSeek, skipDropped: &c.SkippedDropped}
	p.done.outside(p.low, to, func(from, to int64) {
		gaps := ranges{{from, to}}
		for i := range p.list { // in somebody's hands
			gaps.remove(p.list[i].from, p.list[i].to)
		}
		for _, g := range gaps {
			known := int64(0)
			for i := range p.skips {
				n := p.skips[i].count(g.from, g.to)
				*into[i] += n
				known += n
			}
			c.Skipped += g.to - g.from
			c.SkippedOther += g.to - g.from - known
		}
	})
}
