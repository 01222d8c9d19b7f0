package protocol

import "github.com/rebalsim/rebalsim/sim"

// LogRecord is a record of __consumer_offsets: a group as it was stored, or one
// committed offset. A later record of the same key replaces an earlier one; a
// tombstone removes it. Moments in it are the broker's clock in milliseconds: they
// are data that outlives the broker which wrote them, as in Kafka.
type LogRecord struct {
	Group string
	// IsOffset tells a committed offset from a group.
	IsOffset  bool
	Tombstone bool `json:",omitempty"`

	// Of a group.
	ProtocolType string `json:",omitempty"`
	Generation   int32
	Protocol     Null
	Leader       string `json:",omitempty"`
	// StateTime is when the group came into its state, -1 if that was not stored.
	StateTime int64          `json:"-"`
	Members   []StoredMember `json:",omitempty"`

	// Of an offset.
	Partition  TopicPartition
	Offset     int64
	CommitTime int64 `json:"-"`
	// ExpireTime is when the offset expires whatever the group does, -1: not stored.
	ExpireTime   int64 `json:"-"`
	MetadataSize int32 `json:",omitempty"`

	sum uint64
}

// StoredMember is a member as a group's record has it: of its protocols only the
// metadata for the selected one.
type StoredMember struct {
	ID, ClientID, Instance           string
	SessionTimeout, RebalanceTimeout int32
	Metadata                         *Metadata
	Assignment                       *Assignment
}

// Kind is KindLogRecord.
func (*LogRecord) Kind() uint8 { return KindLogRecord }

// Sum is a hash of the content, without the moments.
func (b *LogRecord) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *LogRecord) Freeze() *LogRecord { b.sum = b.hash(); return b }

// SameKey reports whether one of the records replaces the other.
func (b *LogRecord) SameKey(c *LogRecord) bool {
	return b.IsOffset == c.IsOffset && b.Group == c.Group && (!b.IsOffset || b.Partition == c.Partition)
}

func (b *LogRecord) hash() uint64 {
	var h sim.Hasher
	h.Str(b.Group)
	h.Bool(b.IsOffset)
	h.Bool(b.Tombstone)
	if b.IsOffset {
		h.Str(b.Partition.Topic)
		h.Int(int64(b.Partition.Partition))
		h.Int(b.Offset)
		h.Int(int64(b.MetadataSize))
		return h.Sum()
	}
	h.Str(b.ProtocolType)
	h.Int(int64(b.Generation))
	hashNull(&h, b.Protocol)
	h.Str(b.Leader)
	h.Int(int64(len(b.Members)))
	for i := range b.Members {
		m := &b.Members[i]
		h.Str(m.ID)
		h.Str(m.ClientID)
		h.Str(m.Instance)
		h.Int(int64(m.SessionTimeout))
		h.Int(int64(m.RebalanceTimeout))
		h.Uint(m.Metadata.Sum())
		h.Uint(m.Assignment.Sum())
	}
	return h.Sum()
}
