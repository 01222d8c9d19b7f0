package protocol

import "github.com/rebalsim/rebalsim/sim"

// MemberAssignment is what the leader gives one member.
type MemberAssignment struct {
	Member     string
	Assignment *Assignment
}

// SyncGroupRequest asks for the member's assignment; the leader's brings everyone's.
type SyncGroupRequest struct {
	Version      int16
	Group        string
	Generation   int32
	Member       string
	Instance     string `json:",omitempty"`
	ProtocolType Null
	Protocol     Null
	Assignments  []MemberAssignment `json:",omitempty"`
	sum          uint64
}

// Kind is KindSyncGroup.
func (*SyncGroupRequest) Kind() uint8 { return KindSyncGroup }

// Sum is a hash of the content.
func (b *SyncGroupRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *SyncGroupRequest) Freeze() *SyncGroupRequest { b.sum = b.hash(); return b }

func (b *SyncGroupRequest) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Version))
	h.Str(b.Group)
	h.Int(int64(b.Generation))
	h.Str(b.Member)
	h.Str(b.Instance)
	hashNull(&h, b.ProtocolType)
	hashNull(&h, b.Protocol)
	h.Int(int64(len(b.Assignments)))
	for i := range b.Assignments {
		h.Str(b.Assignments[i].Member)
		h.Uint(b.Assignments[i].Assignment.Sum())
	}
	return h.Sum()
}

// SyncGroupAnswer brings a member its assignment.
type SyncGroupAnswer struct {
	Error        Error
	ProtocolType Null
	Protocol     Null
	Assignment   *Assignment // nil: empty bytes
	sum          uint64
}

// Kind is that of SyncGroup's answers.
func (*SyncGroupAnswer) Kind() uint8 { return KindSyncGroup | Answers }

// Sum is a hash of the content.
func (b *SyncGroupAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *SyncGroupAnswer) Freeze() *SyncGroupAnswer { b.sum = b.hash(); return b }

func (b *SyncGroupAnswer) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Error))
	hashNull(&h, b.ProtocolType)
	hashNull(&h, b.Protocol)
	h.Uint(b.Assignment.Sum())
	return h.Sum()
}

// HeartbeatRequest says that a member is alive, and asks whether all is as it was.
type HeartbeatRequest struct {
	Group      string
	Generation int32
	Member     string
	Instance   string `json:",omitempty"`
	sum        uint64
}

// Kind is KindHeartbeat.
func (*HeartbeatRequest) Kind() uint8 { return KindHeartbeat }

// Sum is a hash of the content.
func (b *HeartbeatRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *HeartbeatRequest) Freeze() *HeartbeatRequest { b.sum = b.hash(); return b }

func (b *HeartbeatRequest) hash() uint64 {
	var h sim.Hasher
	h.Str(b.Group)
	h.Int(int64(b.Generation))
	h.Str(b.Member)
	h.Str(b.Instance)
	return h.Sum()
}

// HeartbeatAnswer is an error code and nothing else, so there is one for each: see
// AnswerHeartbeat.
type HeartbeatAnswer struct{ Error Error }

// Kind is that of Heartbeat's answers.
func (*HeartbeatAnswer) Kind() uint8 { return KindHeartbeat | Answers }

// Sum is a hash of the content.
func (b *HeartbeatAnswer) Sum() uint64 { return uint64(uint16(b.Error)) + 1 }

// heartbeatAnswers holds one answer for each code from -1 up, so that answering a
// heartbeat allocates nothing.
var heartbeatAnswers = func() (all [130]HeartbeatAnswer) {
	for i := range all {
		all[i].Error = Error(i - 1)
	}
	return
}()

// AnswerHeartbeat is the answer with the error.
func AnswerHeartbeat(e Error) *HeartbeatAnswer { return &heartbeatAnswers[e+1] }

// LeavingMember is a member that is to be taken out, by id or by instance id.
type LeavingMember struct {
	Member   string
	Instance string `json:",omitempty"`
	Reason   string `json:",omitempty"`
	Error    Error  `json:",omitempty"` // in answers
}

// LeaveGroupRequest takes members out of a group; before version 3 just one.
type LeaveGroupRequest struct {
	Version int16
	Group   string
	Members []LeavingMember
	sum     uint64
}

// Kind is KindLeaveGroup.
func (*LeaveGroupRequest) Kind() uint8 { return KindLeaveGroup }

// Sum is a hash of the content.
func (b *LeaveGroupRequest) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *LeaveGroupRequest) Freeze() *LeaveGroupRequest { b.sum = b.hash(); return b }

func (b *LeaveGroupRequest) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Version))
	h.Str(b.Group)
	hashLeaving(&h, b.Members)
	return h.Sum()
}

// LeaveGroupAnswer has an error for the request and, from version 3 on, one for each member.
type LeaveGroupAnswer struct {
	Error   Error
	Members []LeavingMember `json:",omitempty"`
	sum     uint64
}

// Kind is that of LeaveGroup's answers.
func (*LeaveGroupAnswer) Kind() uint8 { return KindLeaveGroup | Answers }

// Sum is a hash of the content.
func (b *LeaveGroupAnswer) Sum() uint64 { return orHash(b.sum, b.hash) }

// Freeze fixes the content and returns b.
func (b *LeaveGroupAnswer) Freeze() *LeaveGroupAnswer { b.sum = b.hash(); return b }

func (b *LeaveGroupAnswer) hash() uint64 {
	var h sim.Hasher
	h.Int(int64(b.Error))
	hashLeaving(&h, b.Members)
	return h.Sum()
}

func hashLeaving(h *sim.Hasher, list []LeavingMember) {
	h.Int(int64(len(list)))
	for i := range list {
		h.Str(list[i].Member)
		h.Str(list[i].Instance)
		h.Int(int64(list[i].Error))
	}
}
