package protocol

import (
	"encoding/binary"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Encode gives the bytes that Kafka's client would send for the metadata.
func (m *Metadata) Encode() []byte {
	if m.Raw.Valid {
		return []byte(m.Raw.Value)
	}
	k := kmsg.NewConsumerMemberMetadata()
	k.Version = m.Version
	k.Topics = m.Topics
	k.UserData = m.UserData.Encode()
	for _, g := range byTopic(m.Owned) {
		k.OwnedPartitions = append(k.OwnedPartitions, kmsg.ConsumerMemberMetadataOwnedPartition(g))
	}
	k.Generation = m.Generation
	if m.Rack.Valid {
		k.Rack = &m.Rack.Value
	}
	return k.AppendTo(nil)
}

// Encode gives the bytes of the user data, nil if there are none.
func (u *UserData) Encode() []byte {
	switch u.Kind {
	case UserDataRaw:
		return []byte(u.Raw)
	case UserDataGeneration:
		return binary.BigEndian.AppendUint32(nil, uint32(u.Generation))
	case UserDataSticky, UserDataStickyV0:
		k := kmsg.NewStickyMemberMetadata()
		k.Generation = u.Generation
		for _, g := range byTopic(u.Partitions) {
			k.CurrentAssignment = append(k.CurrentAssignment, kmsg.StickyMemberMetadataCurrentAssignment(g))
		}
		b := k.AppendTo(nil)
		if u.Kind == UserDataStickyV0 {
			b = b[:len(b)-4] // without the generation
		}
		return b
	}
	return nil
}

// byTopic groups partitions that stand next to each other.
func byTopic(list []TopicPartition) []kmsg.ConsumerMemberMetadataOwnedPartition {
	var groups []kmsg.ConsumerMemberMetadataOwnedPartition
	for i, p := range list {
		if i == 0 || list[i-1].Topic != p.Topic {
			groups = append(groups, kmsg.ConsumerMemberMetadataOwnedPartition{Topic: p.Topic})
		}
		g := &groups[len(groups)-1]
		g.Partitions = append(g.Partitions, p.Partition)
	}
	return groups
}
