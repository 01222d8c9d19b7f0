package protocol

import "github.com/rebalsim/rebalsim/sim"

// OffsetCommitRequest stores offsets for a group.
type OffsetCommitRequest struct {
	Version    int16
	Group      string
	Generation int32 // -1: not as a member
	Member     string
	Instance   string `json:",omitempty"`
	// Retention is how long the broker is to keep the offsets, in milliseconds;
	// versions 2 to 4. -1: as the broker is set.
	Retention int64
	Offsets   []PartitionOffset
	sum       uint64
}

// Kind is KindOffsetCommit.
func (*OffsetCommitRequest) Kind() uint8 { return KindOffsetCommit }

// Sum is a hash of the content.
func (b *OffsetCommitRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *OffsetCommitRequest) Freeze() *OffsetCommitRequest { b.sum = b.hash(); return b }

func (b *OffsetCommitRequest) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Version))
	h.Str(b.Group)
	h.Int(int64(b.Generation))
	h.Str(b.Member)
	h.Str(b.Instance)
	h.Int(b.Retention)
	hashOffsets(&h, b.Offsets)
	return h.Sum()
}

// OffsetCommitAnswer has an error for each partition of the request, in its order.
type OffsetCommitAnswer struct {
	Partitions []PartitionOffset // without offsets
	sum        uint64
}

// Kind is that of OffsetCommit's answers.
func (*OffsetCommitAnswer) Kind() uint8 { return KindOffsetCommit | Answers }

// Sum is a hash of the content.
func (b *OffsetCommitAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *OffsetCommitAnswer) Freeze() *OffsetCommitAnswer { b.sum = b.hash(); return b }

func (b *OffsetCommitAnswer) hash() uint64 {
	var h sim.Hasher
	hashOffsets(&h, b.Partitions)
	return h.Sum()
}

// OffsetFetchRequest asks for committed offsets.
type OffsetFetchRequest struct {
	Version       int16
	Group         string
	All           bool // every partition the group has an offset of
	Partitions    []TopicPartition
	RequireStable bool
	sum           uint64
}

// Kind is KindOffsetFetch.
func (*OffsetFetchRequest) Kind() uint8 { return KindOffsetFetch }

// Sum is a hash of the content.
func (b *OffsetFetchRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *OffsetFetchRequest) Freeze() *OffsetFetchRequest { b.sum = b.hash(); return b }

func (b *OffsetFetchRequest) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Version))
	h.Str(b.Group)
	h.Bool(b.All)
	hashPartitions(&h, b.Partitions)
	h.Bool(b.RequireStable)
	return h.Sum()
}

// OffsetFetchAnswer has the offsets, -1 where there is none.
type OffsetFetchAnswer struct {
	Error      Error
	Partitions []PartitionOffset
	sum        uint64
}

// Kind is that of OffsetFetch's answers.
func (*OffsetFetchAnswer) Kind() uint8 { return KindOffsetFetch | Answers }

// Sum is a hash of the content.
func (b *OffsetFetchAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *OffsetFetchAnswer) Freeze() *OffsetFetchAnswer { b.sum = b.hash(); return b }

func (b *OffsetFetchAnswer) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Error))
	hashOffsets(&h, b.Partitions)
	return h.Sum()
}
