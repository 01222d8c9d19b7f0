package protocol

import "github.com/rebalsim/rebalsim/sim"

// The codes of notes. Below 64 they are the broker's, from 64 the client's, from 128
// the director's. Traces have them, so a number is never given to something else.
const (
	// NoteGroup: a group changed its state. Body *GroupChange.
	NoteGroup uint8 = 1
	// NoteMember: a member came, left or was replaced. Body *MemberChange.
	NoteMember uint8 = 2
	// NotePark: the request being handled (Ref) is not answered yet; Why says what it
	// waits for. A comment.
	NotePark uint8 = 3
	// NoteAppend: a record went into a log. A is the partition of __consumer_offsets,
	// B the record's offset, Body *LogRecord; C is 1 if it is not committed at once.
	NoteAppend uint8 = 4
	// NoteLoaded, NoteUnloaded: the broker coordinates the groups of partition A now,
	// or no more. B is the number of groups.
	NoteLoaded   uint8 = 5
	NoteUnloaded uint8 = 6
	// NoteForgot: a parked request (Ref) will never be answered.
	NoteForgot uint8 = 7
	// NoteLate: the coordinator answers a request (Ref) that was answered already, since
	// its code threw in between: nobody gets it. Body is the answer. A comment.
	NoteLate uint8 = 8
	// NoteCommitted: the records of partition A before offset B that were not committed
	// at once are committed now.
	NoteCommitted uint8 = 9
	// NoteUnwritten: the broker has forgotten what Body, a tombstone, deletes, and the log
	// of partition A does not have that. Body *LogRecord.
	NoteUnwritten uint8 = 10

	// NoteClient: a client changed its state, member id or generation. Body *ClientChange.
	NoteClient uint8 = 64
	// NoteRevoked, NoteAssigned, NoteLost: the rebalance listener was called. Body
	// *PartitionList.
	NoteRevoked  uint8 = 65
	NoteAssigned uint8 = 66
	NoteLost     uint8 = 67
	// NoteCallbackEnd: it returned.
	NoteCallbackEnd uint8 = 68
	// NoteServes: from now on the member fetches these partitions and no others: it
	// holds them and knows its position. Body *PartitionList.
	NoteServes uint8 = 69
	// NoteThrown: the call that the program made ended with an exception. A is its
	// class, B that of its cause; package consumer names them.
	NoteThrown uint8 = 70
	// NoteDelivered: poll handed the records [A, B) of a partition to the program. Body
	// *PartitionList of one.
	NoteDelivered uint8 = 71
	// NoteFinished: the program has processed the records [A, B) of a partition.
	NoteFinished uint8 = 72
	// NoteCommitCallback: the callback of commitAsync number A ran; B is the class of
	// its exception, 0 for none.
	NoteCommitCallback uint8 = 73
	// NoteClosed: the program has closed its consumer and ended.
	NoteClosed uint8 = 74
	// NoteBusy: the program was told to be busy, and is from now on: it works on the batch that
	// it has in hand, if it has one, and does not poll for A ms. A comment.
	NoteBusy uint8 = 75

	// NoteAct: the director does what the scenario says. Body *Text.
	NoteAct uint8 = 128
	// NoteMark: a moment that the scenario has named. Body *Text.
	NoteMark uint8 = 129
)

// Text is a note in words, and in which line the scenario says so.
type Text struct {
	Text string
	Line int
	Cuts bool // it is of a step after which what is sent some way does not arrive
}

// Kind is KindText.
func (*Text) Kind() uint8 { return KindText }

// Sum is a hash of the content.
func (b *Text) Sum() uint64 { return sim.HashString(b.Text) }

// GroupState is the state of a group at its coordinator.
type GroupState uint8

// The states.
const (
	NoGroup GroupState = iota
	Empty
	PreparingRebalance
	CompletingRebalance
	Stable
	Dead
)

var groupStates = [...]string{"none", "Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead"}

// String is Kafka's name of the state, from 1.1 on.
func (s GroupState) String() string { return groupStates[s] }

// MarshalText writes the name.
func (s GroupState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// GroupChange says in what state a group is now.
type GroupChange struct {
	Group      string
	From, To   GroupState
	Generation int32
	Leader     string `json:",omitempty"` // member id
	Protocol   string `json:",omitempty"`
	Members    int32
}

// Kind is KindGroupChange.
func (*GroupChange) Kind() uint8 { return KindGroupChange }

// Sum is a hash of the content.
func (b *GroupChange) Sum() uint64 {
	var h sim.Hasher
	h.Str(b.Group)
	h.Int(int64(b.From))
	h.Int(int64(b.To))
	h.Int(int64(b.Generation))
	h.Str(b.Leader)
	h.Str(b.Protocol)
	h.Int(int64(b.Members))
	return h.Sum()
}

// MemberChange says that a group's members have changed.
type MemberChange struct {
	Group    string
	Member   string
	Client   string `json:",omitempty"` // client id
	Instance string `json:",omitempty"`
	What     string // "added", "removed", "replaced"
}

// Kind is KindMemberChange.
func (*MemberChange) Kind() uint8 { return KindMemberChange }

// Sum is a hash of the content.
func (b *MemberChange) Sum() uint64 {
	var h sim.Hasher
	h.Str(b.Group)
	h.Str(b.Member)
	h.Str(b.Instance)
	h.Str(b.What)
	return h.Sum()
}

// PartitionList is a list of partitions that a note speaks of.
type PartitionList struct{ Partitions []TopicPartition }

// Kind is KindPartitionList.
func (*PartitionList) Kind() uint8 { return KindPartitionList }

// Sum is a hash of the content.
func (b *PartitionList) Sum() uint64 {
	var h sim.Hasher
	hashPartitions(&h, b.Partitions)
	return h.Sum()
}

// ClientChange says how a client sees itself now.
type ClientChange struct {
	State      string // the Java client's name: UNJOINED, PREPARING_REBALANCE, …
	Generation int32
	Member     string
	Leader     bool
}

// Kind is KindClientChange.
func (*ClientChange) Kind() uint8 { return KindClientChange }

// Sum is a hash of the content.
func (b *ClientChange) Sum() uint64 {
	var h sim.Hasher
	h.Str(b.State)
	h.Int(int64(b.Generation))
	h.Str(b.Member)
	h.Bool(b.Leader)
	return h.Sum()
}
