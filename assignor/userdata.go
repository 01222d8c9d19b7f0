package assignor

import (
	"encoding/binary"

	"github.com/rebalsim/rebalsim/protocol"
)

// NewMember returns a member as the leader's assignor sees it: its id and
// instance id from the JoinGroup answer, the rest from its subscription.
func NewMember(assignor, id, instanceID string, sub *protocol.Metadata) Member {
	m := Member{ID: id, InstanceID: instanceID, Topics: sub.Topics}
	if sub.Version >= 2 && sub.Generation >= 0 {
		m.SubscriptionGeneration = InGeneration(sub.Generation)
	}
	if sub.Version >= 3 && sub.Rack.Valid {
		m.Rack = sub.Rack.Value
	}
	data := sub.UserData
	switch assignor {
	case Sticky:
		switch data.Kind {
		case protocol.UserDataSticky:
			m.Owned, m.UserDataGeneration = data.Partitions, InGeneration(data.Generation)
		case protocol.UserDataStickyV0:
			m.Owned = data.Partitions
		case protocol.UserDataGeneration:
			raw := binary.BigEndian.AppendUint32(nil, uint32(data.Generation))
			m.Owned, m.UserDataGeneration = DecodeUserData(raw)
		case protocol.UserDataRaw:
			m.Owned, m.UserDataGeneration = DecodeUserData([]byte(data.Raw))
		}
	case CooperativeSticky:
		if sub.Version >= 1 {
			m.Owned = sub.Owned
		}
		switch data.Kind {
		case protocol.UserDataGeneration:
			m.UserDataGeneration = InGeneration(data.Generation)
		case protocol.UserDataSticky, protocol.UserDataStickyV0:
			// Its first four bytes are the number of topics.
			topics := int32(0)
			for i, p := range data.Partitions {
				if i == 0 || p.Topic != data.Partitions[i-1].Topic {
					topics++
				}
			}
			m.UserDataGeneration = InGeneration(topics)
		case protocol.UserDataRaw:
			m.UserDataGeneration = InGeneration(-1)
			if len(data.Raw) >= 4 {
				m.UserDataGeneration = InGeneration(int32(binary.BigEndian.Uint32([]byte(data.Raw))))
			} else if data.Raw == "" {
				m.UserDataGeneration = Generation{}
			}
		}
	}
	return m
}

// GroupByTopic returns the partitions in the order in which a Java client
// writes them into its user data, and until 2.8 into every list of partitions:
// topic after topic, in the order of a map filled by computeIfAbsent.
func GroupByTopic(list []protocol.TopicPartition) []protocol.TopicPartition {
	table := newJavaTable(0)
	groups := make(map[string]int32)
	var first []int32 // of each group
	next := make([]int32, len(list))
	var last []int32
	for i, p := range list {
		g, ok := groups[p.Topic]
		table.computeIfAbsent(javaString(p.Topic), !ok)
		next[i] = -1
		if !ok {
			groups[p.Topic] = int32(len(first))
			first, last = append(first, int32(i)), append(last, int32(i))
			continue
		}
		next[last[g]], last[g] = int32(i), int32(i)
	}
	out := make([]protocol.TopicPartition, 0, len(list))
	for _, g := range table.order() {
		for i := first[g]; i >= 0; i = next[i] {
			out = append(out, list[i])
		}
	}
	return out
}

// DecodeUserData reads the sticky assignor's user data: topics with their
// partitions and, since 2.3 (KIP-341, KAFKA-7026), a generation. What is in neither
// form means that nothing is owned, in generation -1.
func DecodeUserData(raw []byte) (owned []protocol.TopicPartition, g Generation) {
	if len(raw) == 0 {
		return nil, Generation{}
	}
	r := userDataReader{raw: raw}
	owned = r.partitions()
	if r.failed {
		return nil, InGeneration(-1)
	}
	if generation := r.int32(); !r.failed {
		return owned, InGeneration(generation)
	}
	return owned, Generation{} // the older form ends here
}

// userDataReader reads big-endian numbers until one is missing.
type userDataReader struct {
	raw    []byte
	failed bool
}

func (r *userDataReader) take(n int) []byte {
	if r.failed || n < 0 || n > len(r.raw) {
		r.failed = true
		return nil
	}
	b := r.raw[:n]
	r.raw = r.raw[n:]
	return b
}

func (r *userDataReader) int32() int32 {
	b := r.take(4)
	if r.failed {
		return 0
	}
	return int32(binary.BigEndian.Uint32(b))
}

// count reads a number of elements, of which each has at least one byte.
func (r *userDataReader) count() int {
	n := int(r.int32())
	if n < 0 || n > len(r.raw) {
		r.failed = true
	}
	return n
}

func (r *userDataReader) name() string {
	b := r.take(2)
	if r.failed {
		return ""
	}
	return string(r.take(int(int16(binary.BigEndian.Uint16(b)))))
}

func (r *userDataReader) partitions() []protocol.TopicPartition {
	var list []protocol.TopicPartition
	for topics := r.count(); topics > 0 && !r.failed; topics-- {
		name := r.name()
		for n := r.count(); n > 0 && !r.failed; n-- {
			list = append(list, protocol.TopicPartition{Topic: name, Partition: r.int32()})
		}
	}
	return list
}
