package drive

import (
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
)

// do sends a step's request, or gives its order.
func (b *bench) do(s *step) error {
	v := &b.cfg.Versions
	switch s.Op {
	case "join":
		r := &protocol.JoinGroupRequest{Version: s.V, Group: group, ClientID: s.Client, Member: s.Member, Instance: s.Inst,
			SessionTimeout: s.Session, RebalanceTimeout: s.Rebalance, ProtocolType: "consumer"}
		if s.PType != nil {
			r.ProtocolType = *s.PType
		}
		for _, p := range s.Protocols {
			r.Protocols = append(r.Protocols, protocol.GroupProtocol{Name: p[0], Metadata: b.metadata(p[1])})
		}
		b.ask(s, r.Freeze())
	case "sync":
		// The recorders called the coordinator itself, which lets the names be left out.
		r := &protocol.SyncGroupRequest{Version: min(s.V, 4), Group: group, Generation: s.Gen, Member: s.Member, Instance: s.Inst,
			ProtocolType: nullOf(s.PType), Protocol: nullOf(s.PName)}
		for _, a := range s.Assign {
			r.Assignments = append(r.Assignments, protocol.MemberAssignment{Member: a[0], Assignment: assignment(a[1])})
		}
		b.ask(s, r.Freeze())
	case "heartbeat":
		b.ask(s, (&protocol.HeartbeatRequest{Group: group, Generation: s.Gen, Member: s.Member, Instance: s.Inst}).Freeze())
	case "leave":
		r := &protocol.LeaveGroupRequest{Version: v[protocol.KindLeaveGroup], Group: group}
		for _, m := range s.Members {
			r.Members = append(r.Members, protocol.LeavingMember{Member: orEmpty(m[0]), Instance: orEmpty(m[1])})
		}
		b.ask(s, r.Freeze())
	case "offset_commit":
		list, err := offsets(s.Offsets, 3)
		if err != nil {
			return err
		}
		b.ask(s, (&protocol.OffsetCommitRequest{Version: v[protocol.KindOffsetCommit], Group: group, Generation: s.Gen,
			Member: s.Member, Instance: s.Inst, Retention: -1, Offsets: list}).Freeze())
	case "offset_fetch", "offset_delete":
		list, err := offsets(s.Offsets, 2)
		if err != nil {
			return err
		}
		var parts []protocol.TopicPartition
		for i := range list {
			parts = append(parts, list[i].TopicPartition)
		}
		if s.Op == "offset_fetch" {
			b.ask(s, (&protocol.OffsetFetchRequest{Version: v[protocol.KindOffsetFetch], Group: group, Partitions: parts}).Freeze())
		} else {
			b.ask(s, (&protocol.OffsetDeleteRequest{Group: group, Partitions: parts}).Freeze())
		}
	case "delete_group":
		b.ask(s, (&protocol.DeleteGroupsRequest{Groups: []string{group}}).Freeze())
	case "describe":
		b.ask(s, (&protocol.DescribeGroupsRequest{Groups: []string{group}}).Freeze())
	case "advance":
	case "failover":
		b.order(&coordinator.Unload{Epoch: b.epoch(1)})
		b.order(&coordinator.Load{Epoch: b.epoch(1), KeepLog: true})
	case "unload":
		b.order(&coordinator.Unload{Epoch: b.epoch(1)})
		b.loaded = false
	case "load":
		o := &coordinator.Load{Epoch: b.epoch(1), KeepLog: true}
		if s.Async {
			o.Takes = -1
		}
		b.order(o)
		b.loaded = !s.Async
	case "load_complete":
		b.order(&coordinator.LoadDone{})
		b.loaded = true
	case "hw_hold", "hw_release":
		b.order(&coordinator.Hold{Release: s.Op == "hw_release"})
	case "append_error":
		err := protocol.None
		if s.Error != nil {
			var ok bool
			if err, ok = protocol.ErrorOf(*s.Error); !ok {
				return fmt.Errorf("%q is not an error of Kafka", *s.Error)
			}
		}
		b.order(&coordinator.FailAppends{Error: err})
	default:
		return fmt.Errorf("unknown op")
	}
	b.answered()
	return nil
}

func (b *bench) epoch(d int32) int32 {
	b.epochs += d
	return b.epochs
}

// metadata is what a text of the vectors stands for: "topics/userdata", a
// subscription where the recorder wrote one, else bytes. Equal texts share it.
func (b *bench) metadata(s string) *protocol.Metadata {
	if m, ok := b.known[s]; ok {
		return m
	}
	m := protocol.RawMetadata(s)
	if b.cfg.Rules.BatchLeave {
		topics, userData, has := strings.Cut(s, "/")
		m = &protocol.Metadata{Generation: -1}
		if topics != "" {
			m.Topics = strings.Split(topics, ",")
		}
		if has {
			m.UserData = protocol.UserData{Kind: protocol.UserDataRaw, Raw: userData}
		}
		m.Freeze()
	}
	b.known[s] = m
	return m
}

func assignment(s string) *protocol.Assignment {
	if s == "" {
		return nil
	}
	return (&protocol.Assignment{Raw: protocol.Some(s)}).Freeze()
}

func nullOf(s *string) protocol.Null {
	if s == nil {
		return protocol.Null{}
	}
	return protocol.Some(*s)
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// offsets reads [topic, partition, offset] or [topic, partition].
func offsets(list [][]any, n int) ([]protocol.PartitionOffset, error) {
	var all []protocol.PartitionOffset
	for _, x := range list {
		if len(x) < n {
			return nil, fmt.Errorf("offsets: %d values are wanted, not %d", n, len(x))
		}
		topic, ok := x[0].(string)
		partition, ok2 := x[1].(float64)
		o := protocol.PartitionOffset{TopicPartition: protocol.TopicPartition{Topic: topic, Partition: int32(partition)}}
		if n > 2 {
			offset, ok3 := x[2].(float64)
			ok2 = ok2 && ok3
			o.Offset = int64(offset)
		}
		if !ok || !ok2 {
			return nil, fmt.Errorf("offsets: a topic, a partition and an offset are wanted")
		}
		all = append(all, o)
	}
	return all, nil
}
