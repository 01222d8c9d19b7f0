package scenarios

import (
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Wakeup calls wakeup() from another thread.
type Wakeup struct{ Members []string }

// RefreshMetadata lets members' clients ask for metadata at once, whatever
// metadata.max.age.ms says.
type RefreshMetadata struct{ Members []string }

// Pause stops or resumes the fetching of what members have been assigned: of Partitions,
// or of all.
type Pause struct {
	Members    []string
	Partitions []protocol.TopicPartition
	Resume     bool
}

// Seek sets the positions of what members have been assigned: of Partitions, or of all.
type Seek struct {
	Members    []string
	Partitions []protocol.TopicPartition
	To         int64
}

func (Wakeup) action()          {}
func (RefreshMetadata) action() {}
func (Pause) action()           {}
func (Seek) action()            {}

var partitionList = listOf{textValue{pattern: `^.+-[0-9]+$`, example: "orders-3"}}

var pauseShape = &shape{name: "pause", keys: []key{
	{"of", membersValue, true, "Who."},
	{"partitions", partitionList, false, "Which; all that they have been assigned."},
}}

var seekShape = &shape{name: "seek", keys: append([]key{
	{"to", numberValue{0, maxOffset}, true, "The offset."},
}, pauseShape.keys...)}

// maxOffset is far beyond what any run writes.
const maxOffset = 1 << 50

func (l *loader) wakeup(n *Node, s *Step) Action { return Wakeup{l.memberList(n)} }

func (l *loader) refreshMetadata(n *Node, s *Step) Action { return RefreshMetadata{l.memberList(n)} }

func (l *loader) pause(n *Node, s *Step) Action { return l.pausing(n, false) }

func (l *loader) resume(n *Node, s *Step) Action { return l.pausing(n, true) }

func (l *loader) pausing(n *Node, resume bool) Action {
	a := Pause{Resume: resume}
	if !n.IsMap() {
		a.Members = l.memberList(n)
		return a
	}
	f := n.fields(pauseShape)
	a.Members, a.Partitions = l.memberList(f.Get("of")), l.partitionList(f.Get("partitions"))
	f.Done()
	return a
}

func (l *loader) seek(n *Node, s *Step) Action {
	f := n.fields(seekShape)
	a := Seek{l.memberList(f.Get("of")), l.partitionList(f.Get("partitions")), f.Get("to").Int(0, maxOffset)}
	f.Done()
	return a
}

func (l *loader) partitionList(n *Node) (list []protocol.TopicPartition) {
	for _, item := range n.List() {
		if p, ok := l.partition(item); ok {
			list = append(list, p)
		}
	}
	return list
}

// tell gives members an order, and counts those that are there to get it.
func (d *director) tell(members []string, order sim.Body, c *sim.Control) int {
	return d.each(members, func(m int) bool {
		c.Command(d.members[m], order)
		return c.World().Alive(d.members[m])
	})
}

func (a Wakeup) play(d *director, c *sim.Control) int {
	return d.tell(a.Members, &consumer.Call{Op: consumer.OpWakeup}, c)
}

func (a RefreshMetadata) play(d *director, c *sim.Control) int {
	return d.tell(a.Members, &consumer.Call{Op: consumer.OpRefreshMetadata}, c)
}

func (a Pause) play(d *director, c *sim.Control) int {
	order := &consumer.Call{Op: consumer.OpPause, Partitions: a.Partitions}
	if a.Resume {
		order.Op = consumer.OpResume
	}
	return d.tell(a.Members, order, c)
}

func (a Seek) play(d *director, c *sim.Control) int {
	order := &consumer.Call{Op: consumer.OpSeek, Partitions: a.Partitions, Offset: a.To}
	if len(a.Partitions) == 0 {
		order.Op = consumer.OpAdvance
	}
	return d.tell(a.Members, order, c)
}
