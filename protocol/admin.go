package protocol

import "github.com/rebalsim/rebalsim/sim"

// OffsetDeleteRequest removes committed offsets of a group (KIP-496).
type OffsetDeleteRequest struct {
	Group      string
	Partitions []TopicPartition
	sum        uint64
}

// Kind is KindOffsetDelete.
func (*OffsetDeleteRequest) Kind() uint8 { return KindOffsetDelete }

// Sum is a hash of the content.
func (b *OffsetDeleteRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *OffsetDeleteRequest) Freeze() *OffsetDeleteRequest { b.sum = b.hash(); return b }

func (b *OffsetDeleteRequest) hash() uint64 {
	var h sim.Hasher
	h.Str(b.Group)
	hashPartitions(&h, b.Partitions)
	return h.Sum()
}

// OffsetDeleteAnswer has an error for the request, or one for each partition.
type OffsetDeleteAnswer struct {
	Error      Error
	Partitions []PartitionOffset `json:",omitempty"` // without offsets
	sum        uint64
}

// Kind is that of OffsetDelete's answers.
func (*OffsetDeleteAnswer) Kind() uint8 { return KindOffsetDelete | Answers }

// Sum is a hash of the content.
func (b *OffsetDeleteAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *OffsetDeleteAnswer) Freeze() *OffsetDeleteAnswer { b.sum = b.hash(); return b }

func (b *OffsetDeleteAnswer) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Error))
	hashOffsets(&h, b.Partitions)
	return h.Sum()
}

// DescribeGroupsRequest asks what a group looks like.
type DescribeGroupsRequest struct {
	Groups []string
	sum    uint64
}

// Kind is KindDescribeGroups.
func (*DescribeGroupsRequest) Kind() uint8 { return KindDescribeGroups }

// Sum is a hash of the content.
func (b *DescribeGroupsRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *DescribeGroupsRequest) Freeze() *DescribeGroupsRequest { b.sum = b.hash(); return b }

func (b *DescribeGroupsRequest) hash() uint64 {
	var h sim.Hasher
	h.Strs(b.Groups)
	return h.Sum()
}

// DescribedMember is a member as DescribeGroups shows it. Metadata and assignment
// are nil where the group's state hides them.
type DescribedMember struct {
	ID, ClientID string
	Instance     string `json:",omitempty"`
	Metadata     *Metadata
	Assignment   *Assignment
}

// DescribedGroup is one group of a DescribeGroupsAnswer. State is the release's own
// name, "" with an error.
type DescribedGroup struct {
	Error        Error
	Group        string
	State        string
	ProtocolType string
	Protocol     string
	Members      []DescribedMember
}

// DescribeGroupsAnswer describes the groups in the order of the request.
type DescribeGroupsAnswer struct {
	Groups []DescribedGroup
	sum    uint64
}

// Kind is that of DescribeGroups' answers.
func (*DescribeGroupsAnswer) Kind() uint8 { return KindDescribeGroups | Answers }

// Sum is a hash of the content.
func (b *DescribeGroupsAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *DescribeGroupsAnswer) Freeze() *DescribeGroupsAnswer { b.sum = b.hash(); return b }

func (b *DescribeGroupsAnswer) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(len(b.Groups)))
	for i := range b.Groups {
		g := &b.Groups[i]
		h.Int(int64(g.Error))
		h.Str(g.Group)
		h.Str(g.State)
		h.Str(g.ProtocolType)
		h.Str(g.Protocol)
		h.Int(int64(len(g.Members)))
		for j := range g.Members {
			m := &g.Members[j]
			h.Str(m.ID)
			h.Str(m.ClientID)
			h.Str(m.Instance)
			h.Uint(m.Metadata.Sum())
			h.Uint(m.Assignment.Sum())
		}
	}
	return h.Sum()
}

// ListGroupsRequest asks a broker which groups it coordinates. States filters by
// state name (KIP-518); empty: all.
type ListGroupsRequest struct {
	States []string `json:",omitempty"`
	sum    uint64
}

// Kind is KindListGroups.
func (*ListGroupsRequest) Kind() uint8 { return KindListGroups }

// Sum is a hash of the content.
func (b *ListGroupsRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *ListGroupsRequest) Freeze() *ListGroupsRequest { b.sum = b.hash(); return b }

func (b *ListGroupsRequest) hash() uint64 {
	var h sim.Hasher
	h.Strs(b.States)
	return h.Sum()
}

// ListedGroup is one group of a ListGroupsAnswer.
type ListedGroup struct{ Group, ProtocolType, State string }

// ListGroupsAnswer lists groups. With an error it may still list those that are
// loaded already.
type ListGroupsAnswer struct {
	Error  Error
	Groups []ListedGroup
	sum    uint64
}

// Kind is that of ListGroups' answers.
func (*ListGroupsAnswer) Kind() uint8 { return KindListGroups | Answers }

// Sum is a hash of the content.
func (b *ListGroupsAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *ListGroupsAnswer) Freeze() *ListGroupsAnswer { b.sum = b.hash(); return b }

func (b *ListGroupsAnswer) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Error))
	h.Int(int64(len(b.Groups)))
	for i := range b.Groups {
		h.Str(b.Groups[i].Group)
		h.Str(b.Groups[i].ProtocolType)
		h.Str(b.Groups[i].State)
	}
	return h.Sum()
}

// DeleteGroupsRequest removes groups without members (KIP-229).
type DeleteGroupsRequest struct {
	Groups []string
	sum    uint64
}

// Kind is KindDeleteGroups.
func (*DeleteGroupsRequest) Kind() uint8 { return KindDeleteGroups }

// Sum is a hash of the content.
func (b *DeleteGroupsRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *DeleteGroupsRequest) Freeze() *DeleteGroupsRequest { b.sum = b.hash(); return b }

func (b *DeleteGroupsRequest) hash() uint64 {
	var h sim.Hasher
	h.Strs(b.Groups)
	return h.Sum()
}

// DeletedGroup is the outcome for one group.
type DeletedGroup struct {
	Group string
	Error Error
}

// DeleteGroupsAnswer has the outcomes in the order of the request.
type DeleteGroupsAnswer struct {
	Groups []DeletedGroup
	sum    uint64
}

// Kind is that of DeleteGroups' answers.
func (*DeleteGroupsAnswer) Kind() uint8 { return KindDeleteGroups | Answers }

// Sum is a hash of the content.
func (b *DeleteGroupsAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *DeleteGroupsAnswer) Freeze() *DeleteGroupsAnswer { b.sum = b.hash(); return b }

func (b *DeleteGroupsAnswer) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(len(b.Groups)))
	for i := range b.Groups {
		h.Str(b.Groups[i].Group)
		h.Int(int64(b.Groups[i].Error))
	}
	return h.Sum()
}

// TxnOffsetCommitRequest stores offsets as part of a producer's transaction (KIP-98).
// The transaction itself is not simulated: the offsets are stored as if it had
// committed at once.
type TxnOffsetCommitRequest struct {
	Version    int16
	Group      string
	Generation int32 // -1 before version 3
	Member     string
	Instance   string `json:",omitempty"`
	Offsets    []PartitionOffset
	sum        uint64
}

// Kind is KindTxnOffsetCommit.
func (*TxnOffsetCommitRequest) Kind() uint8 { return KindTxnOffsetCommit }

// Sum is a hash of the content.
func (b *TxnOffsetCommitRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *TxnOffsetCommitRequest) Freeze() *TxnOffsetCommitRequest { b.sum = b.hash(); return b }

func (b *TxnOffsetCommitRequest) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Version))
	h.Str(b.Group)
	h.Int(int64(b.Generation))
	h.Str(b.Member)
	h.Str(b.Instance)
	hashOffsets(&h, b.Offsets)
	return h.Sum()
}

// TxnOffsetCommitAnswer has an error for each partition of the request, in its order.
type TxnOffsetCommitAnswer struct {
	Partitions []PartitionOffset // without offsets
	sum        uint64
}

// Kind is that of TxnOffsetCommit's answers.
func (*TxnOffsetCommitAnswer) Kind() uint8 { return KindTxnOffsetCommit | Answers }

// Sum is a hash of the content.
func (b *TxnOffsetCommitAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *TxnOffsetCommitAnswer) Freeze() *TxnOffsetCommitAnswer { b.sum = b.hash(); return b }

func (b *TxnOffsetCommitAnswer) hash() uint64 {
	var h sim.Hasher
	hashOffsets(&h, b.Partitions)
	return h.Sum()
}
