package invariants_test

import (
	"slices"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// view is what a naive rule sees of a run: what was told last, whoever told it.
type view struct {
	facts invariants.Facts
	now   sim.Time
	ended string // why the run was cut short

	alive   map[sim.NodeID]bool
	brokers map[sim.NodeID]*coordinator.Config
	clients map[sim.NodeID]*asSeen
	was     map[sim.NodeID]string // the member id that a process had last
	before  int32                 // the generation of the client that has changed last, until then

	// The group.
	move       protocol.GroupChange // the last one
	since      sim.Time
	by         *call // the request that moved it, nil: something else
	why        protocol.Rule
	members    []string // ids
	joined     []string // who has sent JoinGroup since the group began to collect
	stored     *protocol.LogRecord
	partitions map[string]int // that anybody has been told of
	calls      []*call
	call       *call // that is handled, or was just answered
}

// asSeen is a client.
type asSeen struct {
	member     string
	generation int32
	serves     []protocol.TopicPartition
	heard      sim.Time // when its last request arrived
	frozen     bool
}

// call is a request to a coordinator.
type call struct {
	from, to sim.NodeID
	kind     uint8
	ord      uint32
	body     sim.Body
	ref      sim.Ref
	at       sim.Time
	member   string
	parked   bool
	answered bool
	err      protocol.Error
	in       protocol.GroupChange // the group as it found it
	known    bool                 // its member was one
}

func newView(f invariants.Facts) *view {
	v := &view{facts: f, alive: map[sim.NodeID]bool{}, brokers: map[sim.NodeID]*coordinator.Config{},
		clients: map[sim.NodeID]*asSeen{}, was: map[sim.NodeID]string{}, partitions: map[string]int{}}
	for _, b := range f.Brokers {
		v.brokers[b.Node] = b.Config
	}
	for _, c := range f.Clients {
		v.clients[c.Node] = &asSeen{generation: -1}
		if c.Config != nil && c.Config.Formed != nil && c.Config.Formed.InFlight == 0 {
			for _, o := range c.Config.Formed.Owned {
				v.clients[c.Node].serves = append(v.clients[c.Node].serves, o.TopicPartition)
			}
		}
	}
	return v
}

func (v *view) name(n sim.NodeID) string { return v.facts.Name(n) }

func (v *view) observe(r *sim.Rec) {
	v.now = r.At
	switch r.Op {
	case sim.OpStart:
		v.alive[r.Node] = true
		if o, ok := r.Body.(*coordinator.Restart); ok {
			v.brokers[r.Node] = o.Config()
		}
		v.call = nil
	case sim.OpCrash, sim.OpExit:
		v.alive[r.Node] = false
		if c := v.clients[r.Node]; c != nil {
			*c = asSeen{generation: -1}
		} else {
			v.move, v.members = protocol.GroupChange{}, nil
		}
		v.call = nil
	case sim.OpFreeze, sim.OpThaw:
		if c := v.clients[r.Node]; c != nil {
			c.frozen = r.Op == sim.OpFreeze
		}
	case sim.OpTimer, sim.OpCommand:
		v.call = nil
		if o, ok := r.Body.(*coordinator.Form); ok {
			for i := range o.Members {
				v.members = append(v.members, o.Members[i].ID)
			}
		}
	case sim.OpArrive:
		v.arrives(r)
	case sim.OpSend:
		if q := v.find(r); q != nil && r.Msg.Answer {
			q.answered, q.err, v.call = true, protocol.ErrorIn(r.Msg.Body), q
		}
	case sim.OpNote:
		v.note(r)
	}
}

func (v *view) arrives(r *sim.Rec) {
	v.call = nil
	if a, ok := r.Msg.Body.(*protocol.MetadataAnswer); ok {
		for i := range a.Topics {
			v.partitions[a.Topics[i].Name] = len(a.Topics[i].Leaders)
		}
	}
	if r.Msg.Answer || history.GroupOf(r.Msg.Body) != v.facts.Group || v.clients[r.Msg.From] == nil {
		return
	}
	q := &call{from: r.Msg.From, to: r.Node, kind: r.Msg.Kind(), ord: r.Msg.Ord, body: r.Msg.Body, ref: r.ID, at: r.At, in: v.move}
	q.member, _ = idIn(r.Msg.Body)
	q.known = slices.Contains(v.members, q.member)
	v.calls, v.call = append(v.calls, q), q
	v.clients[q.from].heard = r.At
	if q.kind == protocol.KindJoinGroup {
		v.joined = append(v.joined, q.member)
	}
}

func idIn(b sim.Body) (member string, generation int32) {
	switch r := b.(type) {
	case *protocol.JoinGroupRequest:
		return r.Member, -1
	case *protocol.SyncGroupRequest:
		return r.Member, r.Generation
	case *protocol.HeartbeatRequest:
		return r.Member, r.Generation
	case *protocol.OffsetCommitRequest:
		return r.Member, r.Generation
	}
	return "", -1
}

// find is the request of a message, nil if it is none to a coordinator.
func (v *view) find(r *sim.Rec) *call {
	for i := len(v.calls) - 1; i >= 0; i-- {
		if q := v.calls[i]; q.from == r.Msg.Client() && q.kind == r.Msg.Kind() && q.ord == r.Msg.Ord {
			return q
		}
	}
	return nil
}

func (v *view) note(r *sim.Rec) {
	c := v.clients[r.Node]
	switch b := r.Note.Body.(type) {
	case *protocol.GroupChange:
		v.move, v.since, v.by, v.why = *b, r.At, v.call, protocol.Rule(r.Why)
		if v.why == protocol.RuleLoaded || b.To == protocol.Dead {
			v.members = nil
		}
		if b.To == protocol.PreparingRebalance {
			v.joined = nil
			if v.call != nil && v.call.kind == protocol.KindJoinGroup {
				v.joined = []string{v.call.member}
			}
		}
	case *protocol.MemberChange:
		if b.What == "added" {
			v.members = append(v.members, b.Member)
			v.joined = append(v.joined, b.Member)
		} else {
			v.members = slices.DeleteFunc(v.members, func(id string) bool { return id == b.Member })
		}
	case *protocol.LogRecord:
		if !b.IsOffset && !b.Tombstone {
			v.stored = b
		}
	case *protocol.ClientChange:
		v.before, c.member, c.generation = c.generation, b.Member, b.Generation
		if b.Member != "" {
			v.was[r.Node] = b.Member
		}
	case *protocol.PartitionList:
		switch r.Note.Code {
		case protocol.NoteServes:
			c.serves = b.Partitions
		case protocol.NoteRevoked, protocol.NoteLost:
			c.serves = slices.DeleteFunc(slices.Clone(c.serves), func(tp protocol.TopicPartition) bool { return slices.Contains(b.Partitions, tp) })
		}
	}
	if r.Note.Code == protocol.NotePark && v.call != nil && v.call.ref == r.Ref {
		v.call.parked = true
	}
}

// owner is the member that the stored assignment gives a partition, "" for none.
func (v *view) owner(tp protocol.TopicPartition) string {
	if v.stored == nil {
		return ""
	}
	for i := range v.stored.Members {
		if a := v.stored.Members[i].Assignment; a != nil && slices.Contains(a.Partitions, tp) {
			return v.stored.Members[i].ID
		}
	}
	return ""
}

// overlap is a partition that two processes serve at a time.
func (v *view) overlap(counts func(*asSeen) bool) string {
	by := map[protocol.TopicPartition]int{}
	for _, c := range v.facts.Clients {
		for _, tp := range v.clients[c.Node].serves {
			if counts(v.clients[c.Node]) {
				by[tp]++
			}
			if by[tp] > 1 {
				return tp.String() + " is read by two"
			}
		}
	}
	return ""
}

// answer is the request that is answered by this record, nil if none is.
func (v *view) answer(r *sim.Rec) *call {
	if r.Op == sim.OpSend && r.Msg.Answer && v.call != nil && v.call.answered && v.find(r) == v.call {
		return v.call
	}
	return nil
}

// change is the group's move that the record tells.
func change(r *sim.Rec) *protocol.GroupChange {
	c, _ := r.Note.Body.(*protocol.GroupChange)
	return c
}

// memberChange is the change of members that the record tells.
func memberChange(r *sim.Rec) *protocol.MemberChange {
	c, _ := r.Note.Body.(*protocol.MemberChange)
	return c
}

// record is what is written by this record into the log.
func record(r *sim.Rec) *protocol.LogRecord {
	c, _ := r.Note.Body.(*protocol.LogRecord)
	return c
}

// always is a naive rule that remembers nothing.
func always(rule naive) func() naive { return func() naive { return rule } }

// onMove is one of the group's moves.
func onMove(rule func(v *view, c *protocol.GroupChange) string) func() naive {
	return always(func(v *view, r *sim.Rec) string {
		if c := change(r); c != nil {
			return rule(v, c)
		}
		return ""
	})
}

// onAnswer is one of answers to requests.
func onAnswer(rule func(v *view, q *call, body sim.Body) string) func() naive {
	return always(func(v *view, r *sim.Rec) string {
		if q := v.answer(r); q != nil {
			return rule(v, q, r.Msg.Body)
		}
		return ""
	})
}
