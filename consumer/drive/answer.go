package drive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// respond lets an answer reach the client: the one to request number Req, or, if that is of
// another kind, to the first open request of its kind.
func (b *vectorRun) respond(in *vectorInput) error {
	kind := kindOfVector(in.Kind)
	if kind == 0 {
		return fmt.Errorf("there is no kind of request %q", in.Kind)
	}
	var r *vectorRequest
	if n := in.Req - 1; n >= 0 && n < len(b.reqs) && b.reqs[n].kind == kind && !b.reqs[n].done {
		r = &b.reqs[n]
	} else {
		for i := range b.reqs {
			if x := &b.reqs[i]; x.kind == kind && !x.done {
				r = x
				break
			}
		}
	}
	if r == nil {
		return nil // the client has not asked
	}
	r.done = true
	body, err := b.answer(in, r)
	if err != nil {
		return err
	}
	if _, _, up := b.solo.Link(r.link); up {
		b.solo.Answer(r.link, r.kind, r.ord, body)
	}
	return nil
}

func vectorKind(kind uint8) string {
	var out []byte
	for i, ch := range []byte(protocol.KindName(kind)) {
		if i > 0 && ch >= 'A' && ch <= 'Z' {
			out = append(out, '_')
		}
		out = append(out, ch)
	}
	return strings.ToUpper(string(out))
}

func kindOfVector(name string) uint8 {
	for _, n := range protocol.KindNames() {
		if k := protocol.KindOf(n); vectorKind(k) == name {
			return k
		}
	}
	return 0
}

func (b *vectorRun) answer(in *vectorInput, r *vectorRequest) (sim.Body, error) {
	e := protocol.None
	if in.Error != "" {
		var ok bool
		if e, ok = protocol.ErrorOf(in.Error); !ok {
			return nil, fmt.Errorf("there is no error %q", in.Error)
		}
	}
	switch q := r.body.(type) {
	case *protocol.FindCoordinatorRequest:
		if e == protocol.None && !slices.Contains(b.cfg.Brokers, sim.NodeID(in.Node)) {
			return nil, fmt.Errorf("node %d is not among the brokers", in.Node)
		}
		return (&protocol.FindCoordinatorAnswer{Error: e, Node: sim.NodeID(in.Node)}).Freeze(), nil
	case *protocol.JoinGroupRequest:
		a := &protocol.JoinGroupAnswer{Error: e, Generation: in.Gen, ProtocolType: null(in.PType), Protocol: null(in.PName), Leader: in.Leader,
			Member: in.Member, SkipAssignment: in.Skip, HasSkip: true}
		for _, m := range in.Members {
			a.Members = append(a.Members, protocol.JoinedMember{ID: m.Member, Instance: m.Instance, Metadata: m.Sub.metadata()})
		}
		return a.Freeze(), nil
	case *protocol.SyncGroupRequest:
		a := &protocol.SyncGroupAnswer{Error: e, ProtocolType: null(in.PType), Protocol: null(in.PName)}
		if in.Assigned != nil {
			a.Assignment = assigned(in.Assigned, q)
		}
		return a.Freeze(), nil
	case *protocol.HeartbeatRequest:
		return protocol.AnswerHeartbeat(e), nil
	case *protocol.LeaveGroupRequest:
		return (&protocol.LeaveGroupAnswer{Error: e}).Freeze(), nil
	case *protocol.OffsetCommitRequest:
		a := &protocol.OffsetCommitAnswer{}
		for _, o := range q.Offsets {
			x := protocol.PartitionOffset{TopicPartition: o.TopicPartition, Error: e}
			if name, ok := in.PartErrs[o.TopicPartition.String()]; ok {
				x.Error, _ = protocol.ErrorOf(name)
			}
			a.Partitions = append(a.Partitions, x)
		}
		return a.Freeze(), nil
	case *protocol.OffsetFetchRequest:
		a := &protocol.OffsetFetchAnswer{Error: e}
		for _, p := range q.Partitions {
			x := protocol.PartitionOffset{TopicPartition: p, Offset: -1}
			if o, ok := in.Offsets[p.String()]; ok {
				x.Offset = o
			}
			if name, ok := in.PartErrs[p.String()]; ok {
				x.Error, _ = protocol.ErrorOf(name)
			}
			a.Partitions = append(a.Partitions, x)
		}
		return a.Freeze(), nil
	case *protocol.FetchRequest:
		a := &protocol.FetchAnswer{}
		if in.Offset > 0 { // a vector's brings nothing
			for _, p := range q.Partitions {
				a.Partitions = append(a.Partitions, protocol.PartitionOffset{TopicPartition: p.TopicPartition, Offset: in.Offset})
			}
		}
		return a.Freeze(), nil
	case *protocol.ListOffsetsRequest:
		a := &protocol.ListOffsetsAnswer{}
		for _, o := range q.Partitions {
			a.Partitions = append(a.Partitions, protocol.PartitionOffset{TopicPartition: o.TopicPartition})
		}
		return a.Freeze(), nil
	}
	return nil, fmt.Errorf("an answer to %s cannot be given", in.Kind)
}

// assigned is the assignment of an answer. Vectors have partitions sorted; where it is
// what a leader gave itself, it is what the leader sent, in its order.
func assigned(in *vectorAssigned, q *protocol.SyncGroupRequest) *protocol.Assignment {
	a := &protocol.Assignment{Version: in.Ver, Partitions: flat(in.Parts)}
	for _, own := range q.Assignments {
		if own.Member != q.Member {
			continue
		}
		list := slices.Clone(own.Assignment.Partitions)
		slices.SortFunc(list, protocol.TopicPartition.Compare)
		if slices.Equal(list, a.Partitions) {
			return own.Assignment
		}
	}
	return a.Freeze()
}

func null(s *string) protocol.Null {
	if s == nil {
		return protocol.Null{}
	}
	return protocol.Some(*s)
}

func flat(parts map[string][]int32) []protocol.TopicPartition {
	var list []protocol.TopicPartition
	for _, topic := range sortedKeys(parts) {
		for _, p := range parts[topic] {
			list = append(list, protocol.TopicPartition{Topic: topic, Partition: p})
		}
	}
	return list
}

func (s *vectorSub) metadata() *protocol.Metadata {
	m := &protocol.Metadata{Version: s.Ver, Topics: s.Topics, Owned: flat(s.Owned), Generation: -1}
	if s.Gen != nil {
		m.Generation = *s.Gen
	}
	if u := s.User; u != nil && u.Gen != nil {
		m.UserData = protocol.UserData{Kind: protocol.UserDataGeneration, Generation: *u.Gen}
		if u.Prev != nil {
			m.UserData.Kind, m.UserData.Partitions = protocol.UserDataSticky, flat(u.Prev)
		}
	}
	return m.Freeze()
}
