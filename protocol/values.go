package protocol

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/rebalsim/rebalsim/sim"
)

// TopicPartition names one partition.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String is "orders-3", as Kafka writes it.
func (p TopicPartition) String() string {
	return p.Topic + "-" + strconv.Itoa(int(p.Partition))
}

// Compare orders partitions by topic, then by number.
func (p TopicPartition) Compare(q TopicPartition) int {
	if p.Topic == q.Topic { // mostly
		return cmp.Compare(p.Partition, q.Partition)
	}
	return cmp.Compare(p.Topic, q.Topic)
}

// MarshalText writes the partition's name.
func (p TopicPartition) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Null is a string that may be absent, which the protocol tells apart from "".
type Null struct {
	Valid bool
	Value string
}

// Some is a string that is present.
func Some(s string) Null { return Null{Valid: true, Value: s} }

// MarshalJSON writes the string, or null.
func (n Null) MarshalJSON() ([]byte, error) {
	if !n.Valid {
		return []byte("null"), nil
	}
	return strconv.AppendQuote(nil, n.Value), nil
}

// PartitionOffset is an offset of a partition.
type PartitionOffset struct {
	TopicPartition
	Offset int64
	// MetadataSize is the length of the text that was committed with the offset.
	MetadataSize int32 `json:",omitempty"`
	Error        Error `json:",omitempty"`
}

func hashNull(h *sim.Hasher, n Null) {
	h.Bool(n.Valid)
	h.Str(n.Value)
}

func hashPartitions(h *sim.Hasher, list []TopicPartition) {
	h.Int(int64(len(list)))
	for i := range list {
		h.Str(list[i].Topic)
		h.Int(int64(list[i].Partition))
	}
}

func hashOffsets(h *sim.Hasher, list []PartitionOffset) {
	h.Int(int64(len(list)))
	for i := range list {
		o := &list[i]
		h.Str(o.Topic)
		h.Int(int64(o.Partition))
		h.Int(o.Offset)
		h.Int(int64(o.MetadataSize))
		h.Int(int64(o.Error))
	}
}

// Metadata is what a member says of itself for one assignor: a consumer's
// subscription, or for other protocol types just bytes. Two are equal exactly if
// their encodings are (see Encode), which is what a coordinator compares. Metadata is
// frozen.
type Metadata struct {
	// Version of the subscription that is written, 0 to 3.
	Version int16
	// Topics, in the order in which they are written.
	Topics []string
	// UserData is the assignor's own part.
	UserData UserData
	// Owned is written from version 1 on, grouped by topic in the order of first
	// mention; it stands here in the order in which it is written.
	Owned []TopicPartition `json:",omitempty"`
	// Generation is written from version 2 on; -1: not known.
	Generation int32
	// Rack is written from version 3 on.
	Rack Null
	// Raw, if valid, is the whole content: no subscription.
	Raw Null `json:"-"`

	sum uint64
}

// UserDataKind says what an assignor wrote.
type UserDataKind uint8

// The kinds of user data.
const (
	UserDataNone       UserDataKind = iota // absent
	UserDataRaw                            // Raw, as it stands
	UserDataSticky                         // Partitions and Generation (KAFKA-7026)
	UserDataStickyV0                       // Partitions only, as before 2.3
	UserDataGeneration                     // Generation only: cooperative-sticky (KAFKA-12984)
)

// UserData is an assignor's own part of a subscription.
type UserData struct {
	Kind       UserDataKind
	Partitions []TopicPartition `json:",omitempty"`
	Generation int32
	Raw        string `json:",omitempty"`
}

// Freeze fixes the content. It returns m.
func (m *Metadata) Freeze() *Metadata {
	m.sum = m.hash()
	return m
}

// Sum is a hash of the content.
func (m *Metadata) Sum() uint64 {
	if m == nil {
		return 0
	}
	if m.sum != 0 {
		return m.sum
	}
	return m.hash()
}

func (m *Metadata) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(m.Version))
	h.Strs(m.Topics)
	h.Uint(uint64(m.UserData.Kind))
	hashPartitions(&h, m.UserData.Partitions)
	h.Int(int64(m.UserData.Generation))
	h.Str(m.UserData.Raw)
	hashPartitions(&h, m.Owned)
	h.Int(int64(m.Generation))
	hashNull(&h, m.Rack)
	hashNull(&h, m.Raw)
	return h.Sum()
}

// Equal reports whether the encodings are equal.
func (m *Metadata) Equal(n *Metadata) bool {
	if m == nil || n == nil {
		return m == nil && n == nil
	}
	return m.Sum() == n.Sum() &&
		m.Raw == n.Raw && m.Version == n.Version &&
		slices.Equal(m.Topics, n.Topics) && m.UserData.equal(&n.UserData) &&
		(m.Version < 1 || slices.Equal(m.Owned, n.Owned)) &&
		(m.Version < 2 || m.Generation == n.Generation) &&
		(m.Version < 3 || m.Rack == n.Rack)
}

func (u *UserData) equal(v *UserData) bool {
	return u.Kind == v.Kind && u.Generation == v.Generation && u.Raw == v.Raw &&
		slices.Equal(u.Partitions, v.Partitions)
}

// RawMetadata is metadata of which nothing is known but its bytes.
func RawMetadata(bytes string) *Metadata {
	return (&Metadata{Raw: Some(bytes)}).Freeze()
}

// Assignment is what a member is given. Nil is the empty byte string that a member
// gets whom the leader did not name. An Assignment is frozen.
type Assignment struct {
	Version    int16
	Partitions []TopicPartition
	UserData   string `json:",omitempty"`
	// Raw, if valid, is the whole content.
	Raw Null `json:"-"`

	sum uint64
}

// Freeze fixes the content. It returns a.
func (a *Assignment) Freeze() *Assignment {
	a.sum = a.hash()
	return a
}

// Sum is a hash of the content, 0 for nil.
func (a *Assignment) Sum() uint64 {
	if a == nil {
		return 0
	}
	if a.sum != 0 {
		return a.sum
	}
	return a.hash()
}

func (a *Assignment) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(a.Version))
	hashPartitions(&h, a.Partitions)
	h.Str(a.UserData)
	hashNull(&h, a.Raw)
	return h.Sum()
}
