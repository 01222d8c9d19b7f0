package metrics

import (
	"slices"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// partition is what a Fold keeps of one partition.
type partition struct {
	tp    protocol.TopicPartition
	topic int32
	known bool // a stored assignment has had it, or wants its topic

	owner   int32    // the slot in log.slots of the member that it is stored for, none
	stamp   uint32   // of the stored assignment that has it
	mark    uint32   // of the set that it is in
	right   int32    // the rightful member, none
	servers []server // who serve it

	since       sim.Time // up to here the times below are counted
	still       bool     // no rightful member serves it
	stillSince  sim.Time
	revokedFrom int32 // the member whose listener was told that it is gone, none
	revokedLife uint32
	fault       int32 // the fault that it is to recover from, a place in Result.Faults, none

	had, hadBefore int32 // the owner of the last stored assignment that had it, and the one before

	readers
	cost PartitionCost
}

// server is a member that serves a partition.
type server struct {
	member int32
	told   bool // that it has lost it: the answer is on its way, or lies unread
}

// servedBy is the member's place in servers, none if it does not serve the partition.
func (p *partition) servedBy(m int32) int {
	for at := range p.servers {
		if p.servers[at].member == m {
			return at
		}
	}
	return none
}

// member is what a Fold keeps of one member.
type member struct {
	node       sim.NodeID
	name       string
	alive      bool
	frozen     bool
	asks       protocol.Rule // why it sent its last JoinGroup
	holds      []int32       // partitions that it serves, or would if it were not frozen
	id         string        // its member id, as it sees it
	generation int32         // its generation, as it sees it
	fenced     bool          // the group is at rest in another generation, or under another id of its
	idleSince  sim.Time      // since when its process runs and serves nothing; -1: it does not
	serving    int           // partitions that it serves
	lives      uint32        // counts the starts of its process
	storedAt   int32         // its slot in log.slots, if storedIn is the stamp there
	storedIn   uint32
	threw      bool // poll or a commit threw to its program
	told       bool // its program was told to close
	cost       MemberCost
}

// settle counts the time since the last change of a partition.
func (f *Fold) settle(p *partition) {
	from := p.since
	p.since = f.until
	if !f.open || f.until <= from {
		return
	}
	d := f.until - from
	c := &p.cost
	if p.still {
		c.Standstill += d
		if len(p.servers) == 0 {
			c.Unread += d
		}
	}
	if !p.known {
		return
	}
	for _, s := range p.servers {
		x := &f.members[s.member]
		x.cost.Served += d
		switch {
		case s.member == p.right && x.fenced:
			c.Fenced += d
			x.cost.Fenced += d
		case s.member == p.right:
		case s.told:
			c.HandOver += d
			x.cost.HandOver += d
		default:
			c.Zombie += d
			x.cost.Zombie += d
		}
	}
	if len(p.servers) > 1 {
		c.Overlap += d
	}
}

// after sees what a change, before which the partition was settled, has done to it.
func (f *Fold) after(i int32) {
	p := &f.parts[i]
	f.wanted = f.wanted || p.known
	still := p.known && f.topics[p.topic].counts() && (p.right == none || p.servedBy(p.right) == none)
	if still == p.still {
		return
	}
	p.still = still
	if still {
		p.stillSince = f.until
		f.standing++
		return
	}
	f.endPiece(p)
	f.standing--
	f.recovers(p)
	if f.standing == 0 {
		f.allServed()
	}
}

// endPiece ends a connected piece of standstill.
func (f *Fold) endPiece(p *partition) {
	if d := f.until - p.stillSince; f.open && d > p.cost.Longest {
		p.cost.Longest, p.cost.LongestAt = d, p.stillSince
	}
}

// serves takes in what a member serves from now on.
func (f *Fold) serves(m int32, list []protocol.TopicPartition) {
	now := make([]int32, len(list))
	for k, tp := range list {
		now[k] = f.place(tp)
	}
	old := f.members[m].holds
	come := f.notIn(now, old)
	f.drop(m, f.notIn(old, now))
	f.members[m].holds = now
	for _, i := range come {
		f.takes(m, i)
	}
}

// notIn is what is in a and not in b.
func (f *Fold) notIn(a, b []int32) (rest []int32) {
	f.marks++
	for _, i := range b {
		f.parts[i].mark = f.marks
	}
	for _, i := range a {
		if f.parts[i].mark != f.marks {
			rest = append(rest, i)
		}
	}
	return rest
}

// takes lets a member begin to serve a partition.
func (f *Fold) takes(m, i int32) {
	p := &f.parts[i]
	x := &f.members[m]
	if p.revokedFrom == m && p.revokedLife == x.lives && f.open && p.known {
		p.cost.Returned++
		x.cost.Returned++
	}
	p.revokedFrom = none
	f.begins(m, p)
	if !x.frozen {
		f.server(m, i, true)
	}
}

// drop lets a member no longer serve partitions that it holds.
func (f *Fold) drop(m int32, list []int32) {
	if len(list) == 0 {
		return
	}
	x := &f.members[m]
	rest := f.notIn(x.holds, list)
	for _, i := range list {
		f.server(m, i, false)
		f.parts[i].leaves(m)
	}
	x.holds = rest
}

// server adds a member to those that serve a partition, or takes it away.
func (f *Fold) server(m, i int32, serves bool) {
	p := &f.parts[i]
	at := p.servedBy(m)
	if (at >= 0) == serves {
		return
	}
	f.settle(p)
	x := &f.members[m]
	if serves {
		p.servers = append(p.servers, server{member: m})
		x.serving++
		x.cost.Most = max(x.cost.Most, int64(x.serving))
		if x.serving == 1 {
			f.busy(x)
		}
	} else {
		p.servers = slices.Delete(p.servers, at, at+1)
		x.serving--
		if x.serving == 0 && x.alive && !x.frozen {
			x.idleSince = f.until
		}
	}
	f.after(i)
}

// busy ends the time in which a process runs and serves nothing.
func (f *Fold) busy(x *member) {
	if f.open && x.idleSince >= 0 {
		x.cost.Idle += f.until - x.idleSince
	}
	x.idleSince = -1
}

// gaveUp takes in that a member's listener is told that partitions are gone: it reads
// them no more, though clients before 2.4 hold them until they have a new assignment.
func (f *Fold) gaveUp(m int32, list []protocol.TopicPartition, revoked bool) {
	x := &f.members[m]
	gone := make([]int32, len(list))
	for k, tp := range list {
		gone[k] = f.place(tp)
		if revoked {
			p := &f.parts[gone[k]]
			p.revokedFrom, p.revokedLife = m, x.lives
		}
	}
	f.drop(m, f.notIn(x.holds, f.notIn(x.holds, gone)))
}

// tell notes that a member is told of what it has lost, or that the answer which told it
// is lost: until it acts on it, what it reads without right is a hand-over and no
// zombie's work.
func (f *Fold) tell(m int32, told bool) {
	for _, i := range f.members[m].holds {
		p := &f.parts[i]
		if at := p.servedBy(m); at != none && p.right != m && p.servers[at].told != told {
			f.settle(p)
			p.servers[at].told = told
		}
	}
}

// tells reports whether an answer tells a member that it may have lost partitions.
func tells(b any) bool {
	var e protocol.Error
	switch a := b.(type) {
	case *protocol.SyncGroupAnswer:
		if a.Error == protocol.None {
			return true
		}
		e = a.Error
	case *protocol.HeartbeatAnswer:
		e = a.Error
	case *protocol.JoinGroupAnswer:
		e = a.Error
	case *protocol.OffsetCommitAnswer:
		for i := range a.Partitions {
			if a.Partitions[i].Error != protocol.None {
				e = a.Partitions[i].Error
			}
		}
	}
	switch e {
	case protocol.UnknownMemberID, protocol.IllegalGeneration, protocol.FencedInstanceID, protocol.RebalanceInProgress:
		return true
	}
	return false
}

func (f *Fold) started(r *sim.Rec) {
	m := f.memberOf(r.Node)
	if m == none {
		if o, ok := r.Body.(*coordinator.SetImage); ok {
			f.setTopics(o.Image.Topics)
		}
		return
	}
	x := &f.members[m]
	x.alive, x.frozen, x.threw, x.told = true, false, false, false
	x.idleSince = f.until
	x.lives++
}

// stopped takes in the end of a process.
func (f *Fold) stopped(r *sim.Rec) {
	m := f.memberOf(r.Node)
	if m == none {
		f.brokerStops(r)
		return
	}
	x := &f.members[m]
	if r.Op == sim.OpCrash {
		f.faulty(m, Killed)
	}
	for _, i := range x.holds {
		f.dies(m, &f.parts[i])
	}
	x.alive = false
	f.drop(m, x.holds)
	f.busy(x)
	x.frozen = false
}

// frozen takes in that a process stands still, or goes on.
func (f *Fold) frozen(id sim.NodeID, is bool) {
	m := f.memberOf(id)
	if m == none || f.members[m].frozen == is || !f.members[m].alive {
		return
	}
	x := &f.members[m]
	if is {
		f.faulty(m, Frozen)
		f.busy(x)
	}
	x.frozen = is
	for _, i := range x.holds {
		f.server(m, i, !is)
	}
	if !is {
		f.thawed(m)
		if x.serving == 0 {
			x.idleSince = f.until
		}
	}
}
