package invariants

import "github.com/rebalsim/rebalsim/protocol"

// expectedErrors are the errors that Kafka's own client knows as answers to a request.
// Whatever else comes it throws at the program as an unexpected error.
var expectedErrors = [...][]protocol.Error{
	protocol.KindJoinGroup: {protocol.UnknownMemberID, protocol.CoordinatorNotAvailable, protocol.NotCoordinator, protocol.MemberIDRequired,
		protocol.RebalanceInProgress, protocol.CoordinatorLoadInProgress, protocol.FencedInstanceID, protocol.InconsistentGroupProtocol,
		protocol.InvalidSessionTimeout, protocol.InvalidGroupID, protocol.GroupAuthorizationFailed, protocol.GroupMaxSizeReached, protocol.UnsupportedVersion},
	protocol.KindSyncGroup: {protocol.RebalanceInProgress, protocol.UnknownMemberID, protocol.IllegalGeneration, protocol.CoordinatorNotAvailable,
		protocol.NotCoordinator, protocol.FencedInstanceID, protocol.GroupAuthorizationFailed},
	protocol.KindHeartbeat: {protocol.CoordinatorNotAvailable, protocol.NotCoordinator, protocol.RebalanceInProgress, protocol.IllegalGeneration,
		protocol.UnknownMemberID, protocol.FencedInstanceID, protocol.GroupAuthorizationFailed},
	protocol.KindOffsetCommit: {protocol.GroupAuthorizationFailed, protocol.TopicAuthorizationFailed, protocol.OffsetMetadataTooLarge, protocol.InvalidCommitOffsetSize,
		protocol.CoordinatorLoadInProgress, protocol.UnknownTopicOrPartition, protocol.CoordinatorNotAvailable, protocol.NotCoordinator,
		protocol.RequestTimedOut, protocol.FencedInstanceID, protocol.RebalanceInProgress, protocol.UnknownMemberID, protocol.IllegalGeneration},
	protocol.KindOffsetFetch: {protocol.CoordinatorLoadInProgress, protocol.NotCoordinator, protocol.CoordinatorNotAvailable, protocol.GroupAuthorizationFailed,
		protocol.TopicAuthorizationFailed, protocol.UnknownTopicOrPartition, protocol.UnstableOffsetCommit},
}

// expected reports whether a client knows what to make of an error.
func expected(kind uint8, e protocol.Error) bool {
	if e == protocol.None || int(kind) >= len(expectedErrors) || expectedErrors[kind] == nil {
		return true
	}
	for _, x := range expectedErrors[kind] {
		if x == e {
			return true
		}
	}
	return false
}
