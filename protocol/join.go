package protocol

import "github.com/rebalsim/rebalsim/sim"

// FindCoordinatorRequest asks any broker who coordinates a group.
type FindCoordinatorRequest struct {
	Group string
	sum   uint64
}

// Kind is KindFindCoordinator.
func (*FindCoordinatorRequest) Kind() uint8 { return KindFindCoordinator }

// Sum is a hash of the content.
func (b *FindCoordinatorRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *FindCoordinatorRequest) Freeze() *FindCoordinatorRequest { b.sum = b.hash(); return b }

func (b *FindCoordinatorRequest) hash() uint64 {
	var h sim.Hasher
	h.Str(b.Group)
	return h.Sum()
}

// FindCoordinatorAnswer names the broker: the node of the world that it is.
type FindCoordinatorAnswer struct {
	Error Error
	Node  sim.NodeID
	sum   uint64
}

// Kind is that of FindCoordinator's answers.
func (*FindCoordinatorAnswer) Kind() uint8 { return KindFindCoordinator | Answers }

// Sum is a hash of the content.
func (b *FindCoordinatorAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *FindCoordinatorAnswer) Freeze() *FindCoordinatorAnswer { b.sum = b.hash(); return b }

func (b *FindCoordinatorAnswer) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Error))
	h.Int(int64(b.Node))
	return h.Sum()
}

// GroupProtocol is an assignor that a member offers, with the member's metadata for it.
type GroupProtocol struct {
	Name     string
	Metadata *Metadata
}

// JoinGroupRequest asks to become, or stay, a member of the next generation.
type JoinGroupRequest struct {
	Version  int16
	Group    string
	ClientID string `json:",omitempty"`
	Member   string // "": not known yet
	Instance string `json:",omitempty"` // group.instance.id; "": a dynamic member
	// SessionTimeout and RebalanceTimeout are in milliseconds; version 0 has no
	// RebalanceTimeout.
	SessionTimeout   int32
	RebalanceTimeout int32
	ProtocolType     string
	Protocols        []GroupProtocol // in order of preference
	Reason           string          `json:",omitempty"`
	sum              uint64
}

// Kind is KindJoinGroup.
func (*JoinGroupRequest) Kind() uint8 { return KindJoinGroup }

// Sum is a hash of the content.
func (b *JoinGroupRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *JoinGroupRequest) Freeze() *JoinGroupRequest { b.sum = b.hash(); return b }

// hash leaves out the reason, which only explains.
func (b *JoinGroupRequest) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Version))
	h.Str(b.Group)
	h.Str(b.ClientID)
	h.Str(b.Member)
	h.Str(b.Instance)
	h.Int(int64(b.SessionTimeout))
	h.Int(int64(b.RebalanceTimeout))
	h.Str(b.ProtocolType)
	h.Int(int64(len(b.Protocols)))
	for i := range b.Protocols {
		h.Str(b.Protocols[i].Name)
		h.Uint(b.Protocols[i].Metadata.Sum())
	}
	return h.Sum()
}

// JoinedMember is a member as the leader is told of it.
type JoinedMember struct {
	ID       string
	Instance string `json:",omitempty"`
	Metadata *Metadata
}

// JoinGroupAnswer tells a member its generation, and the leader who the members are.
type JoinGroupAnswer struct {
	Error          Error
	Generation     int32
	ProtocolType   Null
	Protocol       Null
	Leader         string
	Member         string
	SkipAssignment bool
	HasSkip        bool `json:"-"` // the version has the field SkipAssignment
	Members        []JoinedMember
	sum            uint64
}

// Kind is that of JoinGroup's answers.
func (*JoinGroupAnswer) Kind() uint8 { return KindJoinGroup | Answers }

// Sum is a hash of the content.
func (b *JoinGroupAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *JoinGroupAnswer) Freeze() *JoinGroupAnswer { b.sum = b.hash(); return b }

func (b *JoinGroupAnswer) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Error))
	h.Int(int64(b.Generation))
	hashNull(&h, b.ProtocolType)
	hashNull(&h, b.Protocol)
	h.Str(b.Leader)
	h.Str(b.Member)
	h.Bool(b.SkipAssignment)
	h.Int(int64(len(b.Members)))
	for i := range b.Members {
		h.Str(b.Members[i].ID)
		h.Str(b.Members[i].Instance)
		h.Uint(b.Members[i].Metadata.Sum())
	}
	return h.Sum()
}

// orHash is sum if the body was frozen, and its hash computed anew if it was not:
// bodies may be shared by worlds in different goroutines, so it is not kept.
func orHash(sum uint64, hash func() uint64) uint64 {
	if sum != 0 {
		return sum
	}
	return hash()
}
