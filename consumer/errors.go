package consumer

import "github.com/rebalsim/rebalsim/protocol"

// Class is a class of exceptions of the Java client.
type Class uint8

// The classes that the client's calls end with.
const (
	NoException Class = iota
	Kafka
	IllegalState
	IllegalArgument
	Wakeup
	Timeout
	CommitFailed
	RetriableCommitFailed
	RebalanceInProgress
	Disconnect
	UnjoinedGroup
	NoOffsetForPartition
	ConcurrentModification
	CoordinatorLoadInProgress
	CoordinatorNotAvailable
	NotCoordinator
	UnknownMemberID
	IllegalGeneration
	MemberIDRequired
	FencedInstanceID
	InconsistentGroupProtocol
	GroupMaxSizeReached
	InvalidSessionTimeout
	InvalidGroupID
	GroupAuthorization
	TopicAuthorization
	UnsupportedVersion
	OffsetMetadataTooLarge
	InvalidCommitOffsetSize
	UnknownTopicOrPartition
	UnstableOffsetCommit
	NoBrokers
	InvalidTopic
	UnknownServer
	NullPointer // an assignor's
)

var classes = [...]struct {
	name      string
	retriable bool
}{
	NoException:               {"", false},
	Kafka:                     {"KafkaException", false},
	IllegalState:              {"IllegalStateException", false},
	IllegalArgument:           {"IllegalArgumentException", false},
	Wakeup:                    {"WakeupException", false},
	Timeout:                   {"TimeoutException", true},
	CommitFailed:              {"CommitFailedException", false},
	RetriableCommitFailed:     {"RetriableCommitFailedException", true},
	RebalanceInProgress:       {"RebalanceInProgressException", false},
	Disconnect:                {"DisconnectException", true},
	UnjoinedGroup:             {"UnjoinedGroupException", true},
	NoOffsetForPartition:      {"NoOffsetForPartitionException", false},
	ConcurrentModification:    {"ConcurrentModificationException", false},
	CoordinatorLoadInProgress: {"CoordinatorLoadInProgressException", true},
	CoordinatorNotAvailable:   {"CoordinatorNotAvailableException", true},
	NotCoordinator:            {"NotCoordinatorException", true},
	UnknownMemberID:           {"UnknownMemberIdException", false},
	IllegalGeneration:         {"IllegalGenerationException", false},
	MemberIDRequired:          {"MemberIdRequiredException", false},
	FencedInstanceID:          {"FencedInstanceIdException", false},
	InconsistentGroupProtocol: {"InconsistentGroupProtocolException", false},
	GroupMaxSizeReached:       {"GroupMaxSizeReachedException", false},
	InvalidSessionTimeout:     {"InvalidSessionTimeoutException", false},
	InvalidGroupID:            {"InvalidGroupIdException", false},
	GroupAuthorization:        {"GroupAuthorizationException", false},
	TopicAuthorization:        {"TopicAuthorizationException", false},
	UnsupportedVersion:        {"UnsupportedVersionException", false},
	OffsetMetadataTooLarge:    {"OffsetMetadataTooLarge", false},
	InvalidCommitOffsetSize:   {"InvalidCommitOffsetSizeException", false},
	UnknownTopicOrPartition:   {"UnknownTopicOrPartitionException", true},
	UnstableOffsetCommit:      {"UnstableOffsetCommitException", true},
	NoBrokers:                 {"NoAvailableBrokersException", true},
	InvalidTopic:              {"InvalidTopicException", false},
	UnknownServer:             {"UnknownServerException", false},
	NullPointer:               {"NullPointerException", false},
}

// String is the name of the Java class.
func (c Class) String() string { return classes[c].name }

// ExceptionNames are the names of all classes.
func ExceptionNames() (list []string) {
	for c := NoException + 1; int(c) < len(classes); c++ {
		list = append(list, c.String())
	}
	return list
}

// Retriable reports whether Kafka's own loops try again after it.
func (c Class) Retriable() bool { return classes[c].retriable }

// Thrown is an exception: its class and that of its cause.
type Thrown struct{ Class, Cause Class }

// None reports whether there is no exception.
func (t Thrown) None() bool { return t.Class == NoException }

// String names the classes: "KafkaException<-IllegalStateException".
func (t Thrown) String() string {
	if t.Cause == NoException {
		return t.Class.String()
	}
	return t.Class.String() + "<-" + t.Cause.String()
}

// Is reports whether it has a name: that of its class, or of both its class and its cause's.
func (t Thrown) Is(name string) bool { return name == t.Class.String() || name == t.String() }

func thrown(c Class) Thrown { return Thrown{Class: c} }

// classOf is the class that stands for an error code. Codes that the group protocol
// does not expect are answered with KafkaException by the callers.
func classOf(e protocol.Error) Class {
	switch e {
	case protocol.CoordinatorLoadInProgress:
		return CoordinatorLoadInProgress
	case protocol.CoordinatorNotAvailable:
		return CoordinatorNotAvailable
	case protocol.NotCoordinator:
		return NotCoordinator
	case protocol.UnknownMemberID:
		return UnknownMemberID
	case protocol.IllegalGeneration:
		return IllegalGeneration
	case protocol.MemberIDRequired:
		return MemberIDRequired
	case protocol.FencedInstanceID:
		return FencedInstanceID
	case protocol.InconsistentGroupProtocol:
		return InconsistentGroupProtocol
	case protocol.GroupMaxSizeReached:
		return GroupMaxSizeReached
	case protocol.InvalidSessionTimeout:
		return InvalidSessionTimeout
	case protocol.InvalidGroupID:
		return InvalidGroupID
	case protocol.GroupAuthorizationFailed:
		return GroupAuthorization
	case protocol.TopicAuthorizationFailed:
		return TopicAuthorization
	case protocol.UnsupportedVersion:
		return UnsupportedVersion
	case protocol.RebalanceInProgress:
		return RebalanceInProgress
	case protocol.RequestTimedOut:
		return Timeout
	case protocol.OffsetMetadataTooLarge:
		return OffsetMetadataTooLarge
	case protocol.InvalidCommitOffsetSize:
		return InvalidCommitOffsetSize
	case protocol.UnknownTopicOrPartition:
		return UnknownTopicOrPartition
	case protocol.UnstableOffsetCommit:
		return UnstableOffsetCommit
	case protocol.InvalidTopic:
		return InvalidTopic
	case protocol.UnknownServerError:
		return UnknownServer
	}
	return Kafka
}
