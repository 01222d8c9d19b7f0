package metrics

import "slices"

// FaultKind is what went wrong.
type FaultKind uint8

// The faults.
const (
	Killed          FaultKind = iota // a member's process died without a word
	Frozen                           // a member's process stood still
	CoordinatorLost                  // the coordinator's broker died
)

var faultNames = [...]string{"killed", "frozen", "coordinator lost"}

// String is the fault in a word or two.
func (k FaultKind) String() string { return faultNames[k] }

// MarshalText writes it.
func (k FaultKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// fault is one that is not over: it was not noticed, or partitions still stand because
// of it.
type fault struct {
	Fault
	id     int32 // partitions refer to it
	member int32
	left   int // partitions that the member served by right and nobody does since
}

// faulty takes in a fault, of a member or with none of the coordinator.
func (f *Fold) faulty(m int32, kind FaultKind) {
	x := fault{Fault: Fault{Kind: kind, At: f.until, Detection: -1, Recovery: -1}, id: f.nextFault, member: m}
	f.nextFault++
	if m != none {
		x.Member = f.members[m].name
		for _, i := range f.members[m].holds {
			if p := &f.parts[i]; p.right == m && !f.members[m].frozen {
				p.fault = x.id
				x.left++
			}
		}
		x.Partitions = x.left
	}
	f.faults = append(f.faults, x)
}

// recovers is told that a partition is served by right again.
func (f *Fold) recovers(p *partition) {
	if p.fault != none {
		f.settles(p.fault)
		p.fault = none
	}
}

// settles takes one partition off those that a fault keeps still.
func (f *Fold) settles(id int32) {
	at := slices.IndexFunc(f.faults, func(x fault) bool { return x.id == id })
	if at < 0 {
		return
	}
	x := &f.faults[at]
	if x.left--; x.left == 0 {
		x.Recovery = f.until - x.At
		f.faultOver(at)
	}
}

// detected is told that the coordinator removed, or replaced, a member's id.
func (f *Fold) detected(m int32) {
	for at := range f.faults {
		if x := &f.faults[at]; x.member == m && m != none && x.Detection < 0 {
			x.Detection = f.until - x.At
			if x.left == 0 {
				f.faultOver(at)
			}
			return
		}
	}
}

// coordinatorBack is told that the group has a coordinator again.
func (f *Fold) coordinatorBack() {
	for at := range f.faults {
		if x := &f.faults[at]; x.Kind == CoordinatorLost && x.Detection < 0 {
			x.Detection = f.until - x.At
		}
	}
	if f.standing == 0 && f.moving == nil {
		f.coordinatorRecovers()
	}
}

// coordinatorRecovers is told that all partitions are served, with a coordinator there.
func (f *Fold) coordinatorRecovers() {
	for at := 0; at < len(f.faults); {
		if x := &f.faults[at]; x.Kind == CoordinatorLost && x.Detection >= 0 {
			x.Recovery = f.until - x.At
			f.faultOver(at)
			continue
		}
		at++
	}
}

// thawed ends a fault that kept nothing still.
func (f *Fold) thawed(m int32) {
	at := slices.IndexFunc(f.faults, func(x fault) bool { return x.member == m && x.Kind == Frozen && x.left == 0 })
	if at >= 0 {
		f.faultOver(at)
	}
}

func (f *Fold) faultOver(at int) {
	x := f.faults[at]
	f.faults = slices.Delete(f.faults, at, at+1)
	f.tellFault(&x.Fault)
}

func (f *Fold) tellFault(x *Fault) {
	if !f.open {
		return
	}
	res := &f.result
	res.FaultCount++
	res.Detection = max(res.Detection, x.Detection)
	res.Recovery = max(res.Recovery, x.Recovery)
	if len(res.Faults) < kept {
		res.Faults = append(res.Faults, *x)
	}
}
