package protocol

import (
	"cmp"

	"github.com/rebalsim/rebalsim/sim"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Error is a Kafka error code as it goes over the wire.
type Error int16

// The errors that the group protocol uses.
const (
	None                      Error = 0
	UnknownServerError        Error = -1
	OffsetOutOfRange          Error = 1
	UnknownTopicOrPartition   Error = 3
	NotLeaderOrFollower       Error = 6
	RequestTimedOut           Error = 7
	MessageTooLarge           Error = 10
	OffsetMetadataTooLarge    Error = 12
	CoordinatorLoadInProgress Error = 14
	CoordinatorNotAvailable   Error = 15
	NotCoordinator            Error = 16
	InvalidTopic              Error = 17
	RecordListTooLarge        Error = 18
	NotEnoughReplicas         Error = 19
	NotEnoughReplicasAfter    Error = 20
	IllegalGeneration         Error = 22
	InconsistentGroupProtocol Error = 23
	InvalidGroupID            Error = 24
	UnknownMemberID           Error = 25
	InvalidSessionTimeout     Error = 26
	RebalanceInProgress       Error = 27
	InvalidCommitOffsetSize   Error = 28
	TopicAuthorizationFailed  Error = 29
	GroupAuthorizationFailed  Error = 30
	UnsupportedVersion        Error = 35
	KafkaStorageError         Error = 56
	NonEmptyGroup             Error = 68
	GroupIDNotFound           Error = 69
	MemberIDRequired          Error = 79
	GroupMaxSizeReached       Error = 81
	FencedInstanceID          Error = 82
	GroupSubscribedToTopic    Error = 86
	UnstableOffsetCommit      Error = 88
	InvalidFetchSize          Error = 4
)

// String is Kafka's name of the error, "NONE" for none.
func (e Error) String() string {
	if e == None {
		return "NONE"
	}
	if e == NotLeaderOrFollower { // kerr has the name that it had before 2.6
		return "NOT_LEADER_OR_FOLLOWER"
	}
	if k := kerr.TypedErrorForCode(int16(e)); k != nil {
		return k.Message
	}
	return "UNKNOWN_SERVER_ERROR"
}

// ErrorOf is the error that has Kafka's name; ok is false if there is none.
func ErrorOf(name string) (e Error, ok bool) {
	for code := int16(-1); code < 200; code++ {
		if Error(code).String() == name {
			return Error(code), true
		}
	}
	return None, false
}

// ErrorIn is what an answer says went wrong: its own error, or else the first of its
// parts'. None for what is no answer.
func ErrorIn(answer sim.Body) Error {
	switch a := answer.(type) {
	case *FindCoordinatorAnswer:
		return a.Error
	case *JoinGroupAnswer:
		return a.Error
	case *SyncGroupAnswer:
		return a.Error
	case *HeartbeatAnswer:
		return a.Error
	case *LeaveGroupAnswer:
		e := a.Error
		for i := 0; e == None && i < len(a.Members); i++ {
			e = a.Members[i].Error
		}
		return e
	case *OffsetCommitAnswer:
		return FirstError(a.Partitions)
	case *OffsetFetchAnswer:
		return cmp.Or(a.Error, FirstError(a.Partitions))
	case *OffsetDeleteAnswer:
		return cmp.Or(a.Error, FirstError(a.Partitions))
	case *DeleteGroupsAnswer:
		for i := range a.Groups {
			if e := a.Groups[i].Error; e != None {
				return e
			}
		}
	case *DescribeGroupsAnswer:
		for i := range a.Groups {
			if e := a.Groups[i].Error; e != None {
				return e
			}
		}
	}
	return None
}

// FirstError is the first error of some partitions, None if they have none.
func FirstError(list []PartitionOffset) Error {
	for i := range list {
		if e := list[i].Error; e != None {
			return e
		}
	}
	return None
}

// MarshalText writes the error's name, so that JSON has "NONE" and not 0.
func (e Error) MarshalText() ([]byte, error) { return []byte(e.String()), nil }
