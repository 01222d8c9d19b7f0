package protocol

import "github.com/rebalsim/rebalsim/sim"

// MetadataRequest asks a broker about topics and the cluster.
type MetadataRequest struct {
	All    bool // all topics
	Topics []string
	sum    uint64
}

// Kind is KindMetadata.
func (*MetadataRequest) Kind() uint8 { return KindMetadata }

// Sum is a hash of the content.
func (b *MetadataRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *MetadataRequest) Freeze() *MetadataRequest { b.sum = b.hash(); return b }

func (b *MetadataRequest) hash() uint64 {
	var h sim.Hasher
	h.Bool(b.All)
	h.Strs(b.Topics)
	return h.Sum()
}

// TopicMetadata is what a broker says of one topic.
type TopicMetadata struct {
	Name  string
	Error Error
	// Leaders has the leader of each partition; sim.Nobody: none now.
	Leaders []sim.NodeID
	// Racks has for each partition the racks of its replicas, or is nil.
	Racks [][]string `json:",omitempty"`
}

// MetadataAnswer is what a broker knows of the cluster.
type MetadataAnswer struct {
	Brokers []sim.NodeID // those that live, in order
	Topics  []TopicMetadata
	sum     uint64
}

// Kind is that of Metadata's answers.
func (*MetadataAnswer) Kind() uint8 { return KindMetadata | Answers }

// Sum is a hash of the content.
func (b *MetadataAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *MetadataAnswer) Freeze() *MetadataAnswer { b.sum = b.hash(); return b }

func (b *MetadataAnswer) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(len(b.Brokers)))
	for _, n := range b.Brokers {
		h.Int(int64(n))
	}
	h.Int(int64(len(b.Topics)))
	for i := range b.Topics {
		t := &b.Topics[i]
		h.Str(t.Name)
		h.Int(int64(t.Error))
		h.Int(int64(len(t.Leaders)))
		for _, n := range t.Leaders {
			h.Int(int64(n))
		}
		h.Int(int64(len(t.Racks)))
		for _, r := range t.Racks {
			h.Strs(r)
		}
	}
	return h.Sum()
}

// FetchRequest asks a leader for records, from an offset on each partition. It is
// answered when there is something, or after MaxWait.
type FetchRequest struct {
	MaxWait    int32 // milliseconds
	Partitions []PartitionOffset
	sum        uint64
}

// Kind is KindFetch.
func (*FetchRequest) Kind() uint8 { return KindFetch }

// Sum is a hash of the content.
func (b *FetchRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *FetchRequest) Freeze() *FetchRequest { b.sum = b.hash(); return b }

func (b *FetchRequest) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.MaxWait))
	hashOffsets(&h, b.Partitions)
	return h.Sum()
}

// FetchAnswer has for each partition with news the offset up to which it brings
// records. What the records are is nobody's concern here.
type FetchAnswer struct {
	Partitions []PartitionOffset // Offset is where the records end
	sum        uint64
}

// Kind is that of Fetch's answers.
func (*FetchAnswer) Kind() uint8 { return KindFetch | Answers }

// Sum is a hash of the content.
func (b *FetchAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *FetchAnswer) Freeze() *FetchAnswer { b.sum = b.hash(); return b }

func (b *FetchAnswer) hash() uint64 {
	var h sim.Hasher
	hashOffsets(&h, b.Partitions)
	return h.Sum()
}

// Where ListOffsets looks.
const (
	Latest   int64 = -1
	Earliest int64 = -2
)

// ListOffsetsRequest asks a leader where partitions begin or end: Offset of each
// partition is Latest or Earliest.
type ListOffsetsRequest struct {
	Partitions []PartitionOffset
	sum        uint64
}

// Kind is KindListOffsets.
func (*ListOffsetsRequest) Kind() uint8 { return KindListOffsets }

// Sum is a hash of the content.
func (b *ListOffsetsRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *ListOffsetsRequest) Freeze() *ListOffsetsRequest { b.sum = b.hash(); return b }

func (b *ListOffsetsRequest) hash() uint64 {
	var h sim.Hasher
	hashOffsets(&h, b.Partitions)
	return h.Sum()
}

// ListOffsetsAnswer has the offsets, in the order of the request.
type ListOffsetsAnswer struct {
	Partitions []PartitionOffset
	sum        uint64
}

// Kind is that of ListOffsets' answers.
func (*ListOffsetsAnswer) Kind() uint8 { return KindListOffsets | Answers }

// Sum is a hash of the content.
func (b *ListOffsetsAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *ListOffsetsAnswer) Freeze() *ListOffsetsAnswer { b.sum = b.hash(); return b }

func (b *ListOffsetsAnswer) hash() uint64 {
	var h sim.Hasher
	hashOffsets(&h, b.Partitions)
	return h.Sum()
}
