package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// The kinds of a broker's orders. One for a partition that there is not does nothing.
const (
	kindImage = protocol.KindBrokerOrders + iota
	kindLoad
	kindLoadDone
	kindUnload
	kindHold
	kindFail
	kindForm
	kindRestart
)

// SetImage gives the broker a new view of the cluster. It loads and unloads nothing.
// As the body of a start it is the view to begin with.
type SetImage struct{ Image *Image }

// Kind is the order's kind.
func (*SetImage) Kind() uint8 { return kindImage }

// Sum is a hash of the content.
func (o *SetImage) Sum() uint64 {
	var h sim.Hasher
	o.Image.hash(&h)
	return h.Sum()
}

// Restart is the body of a start of a broker that has another Config than before: as
// after an upgrade. What is in its logs, and which ids it has given out, stays.
type Restart struct {
	Image *Image
	// Release says what runs now.
	Release string
	config  *Config
}

// NewRestart is a Restart with the Config, which must have as many partitions of
// __consumer_offsets as the one before.
func NewRestart(image *Image, release string, cfg *Config) *Restart {
	return &Restart{Image: image, Release: release, config: cfg}
}

// Config is what the broker has from then on. It is not to be written to.
func (o *Restart) Config() *Config { return o.config }

// Kind is the order's kind.
func (*Restart) Kind() uint8 { return kindRestart }

// Sum is a hash of the content.
func (o *Restart) Sum() uint64 {
	var h sim.Hasher
	h.Str(o.Release)
	o.Image.hash(&h)
	return h.Sum()
}

// Load makes the broker the leader of a partition of __consumer_offsets: it replays
// the records, then coordinates their groups.
type Load struct {
	Partition int32
	Epoch     int32
	// Records is the partition's log, all of it committed; KeepLog: what this broker
	// itself has of it.
	Records []*protocol.LogRecord
	KeepLog bool
	// Queued is how long the load waits for its turn, Takes how long it takes, both in
	// milliseconds. With Takes below 0 it lasts until LoadDone.
	Queued, Takes int64
}

// Kind is the order's kind.
func (*Load) Kind() uint8 { return kindLoad }

// Sum is a hash of the content.
func (o *Load) Sum() uint64 {
	var h sim.Hasher
	h.Int(int64(o.Partition))
	h.Int(int64(o.Epoch))
	h.Int(int64(len(o.Records)))
	for _, r := range o.Records {
		h.Uint(r.Sum())
	}
	h.Bool(o.KeepLog)
	h.Int(o.Queued)
	h.Int(o.Takes)
	return h.Sum()
}

// LoadDone ends a load that has no end of its own.
type LoadDone struct{ Partition int32 }

// Kind is the order's kind.
func (*LoadDone) Kind() uint8 { return kindLoadDone }

// Sum is a hash of the content.
func (o *LoadDone) Sum() uint64 { return uint64(o.Partition) + 1 }

// Unload takes a partition of __consumer_offsets from the broker. What was not
// committed is cut from its log.
type Unload struct{ Partition, Epoch int32 }

// Kind is the order's kind.
func (*Unload) Kind() uint8 { return kindUnload }

// Sum is a hash of the content.
func (o *Unload) Sum() uint64 { return uint64(uint32(o.Partition))<<32 | uint64(uint32(o.Epoch)) }

// Hold stops, or with Release lets go, the high watermark of a partition of
// __consumer_offsets: nothing that is appended counts as committed.
type Hold struct {
	Partition int32
	Release   bool
}

// Kind is the order's kind.
func (*Hold) Kind() uint8 { return kindHold }

// Sum is a hash of the content.
func (o *Hold) Sum() uint64 {
	var h sim.Hasher
	h.Int(int64(o.Partition))
	h.Bool(o.Release)
	return h.Sum()
}

// FailAppends makes all appends to a partition of __consumer_offsets fail with the
// error, until an order with None.
type FailAppends struct {
	Partition int32
	Error     protocol.Error
}

// Kind is the order's kind.
func (*FailAppends) Kind() uint8 { return kindFail }

// Sum is a hash of the content.
func (o *FailAppends) Sum() uint64 { return uint64(uint32(o.Partition))<<16 | uint64(uint16(o.Error)) }

// Form puts a group into a state that it could have come to by itself: as if it had
// been formed before the run began. The group must not exist. Session timers start now.
type Form struct {
	Group        string
	State        protocol.GroupState // Empty, CompletingRebalance, Stable, or Dead
	Generation   int32
	ProtocolType string // "": "consumer"
	Protocol     string // the selected one; "" if there are no members
	Leader       string // member id
	Members      []FormedMember
	// Offsets are committed offsets of the group.
	Offsets []protocol.PartitionOffset
}

// FormedMember is a member of a formed group.
type FormedMember struct {
	ID, ClientID, Instance           string
	SessionTimeout, RebalanceTimeout int32
	Protocols                        []protocol.GroupProtocol
	Assignment                       *protocol.Assignment
}

// Kind is the order's kind.
func (*Form) Kind() uint8 { return kindForm }

// Sum is a hash of the content.
func (o *Form) Sum() uint64 {
	var h sim.Hasher
	h.Str(o.Group)
	h.Int(int64(o.State))
	h.Int(int64(o.Generation))
	h.Str(o.ProtocolType)
	h.Str(o.Protocol)
	h.Str(o.Leader)
	h.Int(int64(len(o.Members)))
	for i := range o.Members {
		m := &o.Members[i]
		h.Str(m.ID)
		h.Str(m.ClientID)
		h.Str(m.Instance)
		h.Int(int64(m.SessionTimeout))
		h.Int(int64(m.RebalanceTimeout))
		hashProtocols(&h, m.Protocols)
		h.Uint(m.Assignment.Sum())
	}
	h.Int(int64(len(o.Offsets)))
	for i := range o.Offsets {
		h.Str(o.Offsets[i].Topic)
		h.Int(int64(o.Offsets[i].Partition))
		h.Int(o.Offsets[i].Offset)
	}
	return h.Sum()
}

func hashProtocols(h *sim.Hasher, list []protocol.GroupProtocol) {
	h.Int(int64(len(list)))
	for i := range list {
		h.Str(list[i].Name)
		h.Uint(list[i].Metadata.Sum())
	}
}

func (i *Image) hash(h *sim.Hasher) {
	if i == nil {
		h.Int(-1)
		return
	}
	hashNodes(h, i.Brokers)
	hashNodes(h, i.OffsetsLeaders)
	h.Int(int64(len(i.Topics)))
	for j := range i.Topics {
		t := &i.Topics[j]
		h.Str(t.Name)
		hashNodes(h, t.Leaders)
		h.Int(int64(len(t.Start)))
		for _, s := range t.Start {
			h.Int(s)
		}
		h.Int(t.Rate)
		if t.Per != 0 {
			h.Int(int64(t.Per))
		}
		if t.Rate != 0 { // else it says nothing about what is to come
			h.Int(int64(t.Since))
		}
		h.Int(int64(len(t.Racks)))
		for _, r := range t.Racks {
			h.Strs(r)
		}
	}
}

func hashNodes(h *sim.Hasher, list []sim.NodeID) {
	h.Int(int64(len(list)))
	for _, n := range list {
		h.Int(int64(n))
	}
}

func (o *Load) partition() int32        { return o.Partition }
func (o *LoadDone) partition() int32    { return o.Partition }
func (o *Unload) partition() int32      { return o.Partition }
func (o *Hold) partition() int32        { return o.Partition }
func (o *FailAppends) partition() int32 { return o.Partition }
