package metrics_test

import (
	"slices"
	"testing"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// plain reads a trace without a Fold's bookkeeping: between any two records it looks at
// every partition and every member anew. It knows no coordinator but one that stays.
type plain struct {
	w       *sim.World
	serves  map[sim.NodeID][]protocol.TopicPartition
	frozen  map[sim.NodeID]bool
	members map[string]sim.NodeID // in the group, by id
	static  map[string]string     // ids by group.instance.id
	all     map[string]sim.NodeID // by id, ever
	stored  []protocol.StoredMember
	topics  []coordinator.Topic // that there are
	known   []protocol.TopicPartition
	arrival sim.Rec
	open    bool
	lost    bool // the coordinator did not stay
	at      sim.Time

	standstill, unread, zombie, overlap sim.Time
}

func newPlain(w *sim.World) *plain {
	return &plain{w: w, serves: map[sim.NodeID][]protocol.TopicPartition{}, frozen: map[sim.NodeID]bool{},
		members: map[string]sim.NodeID{}, static: map[string]string{}, all: map[string]sim.NodeID{}}
}

func (p *plain) Observe(r *sim.Rec) {
	if r.At > p.at {
		p.passes(r.At)
	}
	switch r.Op {
	case sim.OpArrive:
		if !r.Msg.Answer {
			p.arrival = *r
		}
	case sim.OpCrash, sim.OpExit:
		delete(p.serves, r.Node)
		delete(p.frozen, r.Node)
	case sim.OpFreeze, sim.OpThaw:
		p.frozen[r.Node] = r.Op == sim.OpFreeze
	case sim.OpCommand:
		if o, ok := r.Body.(*coordinator.SetImage); ok {
			p.topics = o.Image.Topics
			p.want()
		}
	case sim.OpNote:
		p.note(r)
	}
}

func (p *plain) note(r *sim.Rec) {
	switch b := r.Note.Body.(type) {
	case *protocol.GroupChange:
		p.open = p.open || b.To == protocol.Stable
	case *protocol.MemberChange:
		if b.What != "added" {
			delete(p.members, b.Member)
			return
		}
		who := p.arrival.Msg.From
		if p.arrival.ID != r.Cause {
			for id := range sim.NodeID(p.w.Nodes()) {
				if p.w.Name(id) == b.Client {
					who = id
				}
			}
		}
		p.members[b.Member], p.all[b.Member] = who, who
		if b.Instance != "" {
			p.static[b.Instance] = b.Member
		}
	case *protocol.LogRecord:
		p.lost = p.lost || r.Note.C != 0
		if b.IsOffset {
			return
		}
		p.stored = b.Members
		p.want()
	case *protocol.PartitionList:
		switch r.Note.Code {
		case protocol.NoteServes:
			p.serves[r.Node] = b.Partitions
		case protocol.NoteRevoked, protocol.NoteLost:
			p.serves[r.Node] = slices.DeleteFunc(slices.Clone(p.serves[r.Node]), func(tp protocol.TopicPartition) bool { return slices.Contains(b.Partitions, tp) })
		}
	case nil:
		p.lost = p.lost || r.Note.Code == protocol.NoteUnloaded
	}
}

// want lets all partitions of the topics count from the first assignment on: in these
// runs all members subscribe to them.
func (p *plain) want() {
	for _, t := range p.topics {
		for n := range t.Leaders {
			tp := protocol.TopicPartition{Topic: t.Name, Partition: int32(n)}
			if len(p.stored) > 0 && !slices.Contains(p.known, tp) {
				p.known = append(p.known, tp)
			}
		}
	}
}

// right is who may read a partition, sim.Nobody if nobody may.
func (p *plain) right(tp protocol.TopicPartition) sim.NodeID {
	for _, m := range p.stored {
		if !slices.Contains(m.Assignment.Partitions, tp) {
			continue
		}
		if who, ok := p.members[m.ID]; ok {
			return who
		}
		if who, ok := p.members[p.static[m.Instance]]; ok && m.Instance != "" {
			return who
		}
	}
	return sim.Nobody
}

func (p *plain) passes(to sim.Time) {
	d := to - p.at
	p.at = to
	if !p.open {
		return
	}
	for _, tp := range p.known {
		right := p.right(tp)
		readers, rightful := 0, 0
		for id := range sim.NodeID(p.w.Nodes()) {
			if !p.frozen[id] && slices.Contains(p.serves[id], tp) {
				readers++
				if id == right {
					rightful++
				}
			}
		}
		p.zombie += d * sim.Time(readers-rightful)
		if rightful == 0 {
			p.standstill += d
		}
		if readers == 0 {
			p.unread += d
		}
		if readers > 1 {
			p.overlap += d
		}
	}
}

// The Fold finds in the library's runs what a plain reading of their traces finds.
func TestLibraryReadPlainly(t *testing.T) {
	read := 0
	for _, b := range scenarios.List() {
		s, err := b.Load()
		if err != nil || len(s.Topics) > 1 || b.Shelf == scenarios.Questions { // a topic that nobody wants any more is beyond it, and what is large
			continue
		}
		for seed := range uint64(2) {
			c, err := scenarios.Build(s, s.Kafka, &sim.Decisions{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			f := metrics.New(c.Measured(metrics.Window{}))
			p := newPlain(c.World)
			p.topics = c.Topics()
			c.World.Watch(f)
			c.World.Watch(p)
			c.Run()
			r := f.Done(c.World.Now())
			p.passes(c.World.Now())
			if p.lost || slices.ContainsFunc(r.Faults, func(x metrics.Fault) bool { return x.Kind == metrics.CoordinatorLost }) {
				continue
			}
			read++
			got := [4]sim.Time{r.Total.Standstill, r.Total.Unread, r.Total.Zombie + r.Total.HandOver, r.Total.Overlap}
			if want := [4]sim.Time{p.standstill, p.unread, p.zombie, p.overlap}; got != want {
				t.Errorf("%s, seed %d: standstill, unread, zombie, overlap: %v, want %v", b.Name, seed, got, want)
			}
		}
	}
	if read < 20 {
		t.Errorf("only %d runs were read", read)
	}
}
