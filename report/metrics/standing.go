package metrics

import "github.com/rebalsim/rebalsim/sim"

// Still is how many partitions stand still now; -1: nobody has wanted any yet.
func (f *Fold) Still() int {
	if f.standing == 0 && !f.wanted {
		return -1
	}
	return f.standing
}

// Lag is the lag of all partitions together at a moment to which nothing else happens: of
// those of which something is committed or read; -1 if there are none.
func (f *Fold) Lag(at sim.Time) int64 {
	sum := int64(-1)
	for i := range f.parts {
		if n, ok := f.lagOf(&f.parts[i], at); ok {
			sum = max(sum, 0) + n
		}
	}
	return sum
}
