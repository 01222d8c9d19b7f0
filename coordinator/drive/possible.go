package drive

import (
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

// answersTo are the answers that a request can have in some state of some release.
var answersTo = map[string][]string{
	"join": words("waits NONE MEMBER_ID_REQUIRED UNKNOWN_MEMBER_ID FENCED_INSTANCE_ID INCONSISTENT_GROUP_PROTOCOL GROUP_MAX_SIZE_REACHED" +
		" INVALID_SESSION_TIMEOUT REBALANCE_IN_PROGRESS NOT_COORDINATOR COORDINATOR_LOAD_IN_PROGRESS COORDINATOR_NOT_AVAILABLE UNKNOWN_SERVER_ERROR" + refused),
	"sync": words("waits NONE REBALANCE_IN_PROGRESS UNKNOWN_MEMBER_ID ILLEGAL_GENERATION FENCED_INSTANCE_ID INCONSISTENT_GROUP_PROTOCOL" +
		" NOT_COORDINATOR COORDINATOR_LOAD_IN_PROGRESS COORDINATOR_NOT_AVAILABLE UNKNOWN_SERVER_ERROR" + refused),
	"heartbeat": words("waits NONE REBALANCE_IN_PROGRESS UNKNOWN_MEMBER_ID ILLEGAL_GENERATION FENCED_INSTANCE_ID NOT_COORDINATOR" +
		" COORDINATOR_NOT_AVAILABLE"),
	"leave": words("waits NONE UNKNOWN_MEMBER_ID FENCED_INSTANCE_ID NOT_COORDINATOR COORDINATOR_LOAD_IN_PROGRESS COORDINATOR_NOT_AVAILABLE" +
		" UNKNOWN_SERVER_ERROR" + refused),
	"offset_commit": words("waits NONE REBALANCE_IN_PROGRESS UNKNOWN_MEMBER_ID ILLEGAL_GENERATION FENCED_INSTANCE_ID GROUP_ID_NOT_FOUND" +
		" OFFSET_METADATA_TOO_LARGE INVALID_COMMIT_OFFSET_SIZE NOT_COORDINATOR COORDINATOR_LOAD_IN_PROGRESS COORDINATOR_NOT_AVAILABLE UNKNOWN_SERVER_ERROR" + refused),
	"offset_fetch": words("waits NONE UNSTABLE_OFFSET_COMMIT NOT_COORDINATOR COORDINATOR_LOAD_IN_PROGRESS"),
	"offset_delete": words("waits NONE GROUP_ID_NOT_FOUND NON_EMPTY_GROUP GROUP_SUBSCRIBED_TO_TOPIC NOT_COORDINATOR COORDINATOR_LOAD_IN_PROGRESS" +
		" COORDINATOR_NOT_AVAILABLE UNKNOWN_SERVER_ERROR" + refused),
	"describe":     words("NONE NOT_COORDINATOR COORDINATOR_LOAD_IN_PROGRESS"),
	"delete_group": words("waits NONE GROUP_ID_NOT_FOUND NON_EMPTY_GROUP NOT_COORDINATOR COORDINATOR_LOAD_IN_PROGRESS"),
}

// refused are errors of the log that some release passes on as they are;
// CORRUPT_MESSAGE stands for all that no release
// has a name of its own for.
const refused = " NOT_ENOUGH_REPLICAS NOT_ENOUGH_REPLICAS_AFTER_APPEND REQUEST_TIMED_OUT KAFKA_STORAGE_ERROR CORRUPT_MESSAGE"

// stored are the errors into which the others are turned.
const stored = " COORDINATOR_NOT_AVAILABLE NOT_COORDINATOR UNKNOWN_SERVER_ERROR"

func words(s string) []string { return strings.Fields(s) }

// answersIn are the answers that a request can have in a state, by the rules: what is
// not among them cannot be. In words:
//   - a broker that has not the group says so and nothing else, and one that is
//     loading it likewise, but for heartbeats and SyncGroups;
//   - a group that does not exist, or is dead, has no members to tell apart;
//   - an Empty group has no members, so nobody in it can be fenced, have another
//     generation or wait, except who makes it collect;
//   - JoinGroup waits only where the group collects or comes to do so; SyncGroup only
//     in CompletingRebalance; offsets are refused for the state only there;
//   - errors of the log come to what writes at once: the leader's SyncGroup, commits,
//     static members that restart in Stable; and where the coordinator in Java runs,
//     to new groups and those that end.
func answersIn(rules *protocol.BrokerRules, request, state string) []string {
	var s string
	on := func(is bool, more string) {
		if is {
			s += " " + more
		}
	}
	java := rules.WaitsForLog
	static := rules.StaticMembers
	errors := stored + " CORRUPT_MESSAGE"
	on(request == "join" && (rules.SessionRangeFirst || state != "elsewhere" && (state != "loading")), "INVALID_SESSION_TIMEOUT")
	if !rules.ReplicasMapped {
		errors += " NOT_ENOUGH_REPLICAS NOT_ENOUGH_REPLICAS_AFTER_APPEND"
	}
	if rules.AfterAppendPassed {
		errors += " NOT_ENOUGH_REPLICAS_AFTER_APPEND"
	}
	if !rules.StorageMapped {
		errors += " KAFKA_STORAGE_ERROR"
	}
	switch state {
	case "elsewhere":
		s += " NOT_COORDINATOR"
		return words(s)
	case "loading":
		switch {
		case !rules.LoadingFirst:
			s += " NOT_COORDINATOR"
		case request == "heartbeat":
			s += " NONE"
		case request == "sync" && rules.SyncTranslated:
			s += " REBALANCE_IN_PROGRESS"
		default:
			s += " COORDINATOR_LOAD_IN_PROGRESS"
		}
		return words(s)
	case "Dead":
		switch request {
		case "offset_fetch", "describe":
			s += " NONE"
		case "offset_delete", "delete_group":
			s += " GROUP_ID_NOT_FOUND"
		default:
			s += " " + deadError(rules)
		}
		return words(s)
	}
	if state == "Empty" && !rules.EmptyState {
		return nil
	}
	none, empty, collects, completes, stable := state == "none", state == "Empty", state == "PreparingRebalance",
		state == "CompletingRebalance", state == "Stable"
	formed := collects || completes || stable
	switch request {
	case "join":
		on(true, "UNKNOWN_MEMBER_ID")
		// A first member waits, or is alone and does not.
		on(formed || rules.InitialDelay, "waits")
		on(formed || !rules.InitialDelay, "NONE")
		on(formed || rules.EmptyProtocolsRefused, "INCONSISTENT_GROUP_PROTOCOL")
		on(rules.MemberIDRequired, "MEMBER_ID_REQUIRED")
		on(static && formed, "FENCED_INSTANCE_ID")
		on(rules.MaxSize != protocol.MaxSizeNone && formed, "GROUP_MAX_SIZE_REACHED")
		on(static && !none, "UNKNOWN_SERVER_ERROR") // an id given out comes back with an instance id
		on(!rules.EmptyProtocolsRefused && !rules.InitialDelay && (none || empty), "UNKNOWN_SERVER_ERROR")
		on(rules.StaticStored && stable && rules.StoreTimeout == protocol.StoreTimeoutRebalances, "REBALANCE_IN_PROGRESS")
		on(rules.StaticStored && stable || rules.RecordsNewGroup && none, errors)
	case "sync":
		on(true, "UNKNOWN_MEMBER_ID")
		on(formed, "ILLEGAL_GENERATION")
		on(collects, "REBALANCE_IN_PROGRESS")
		on(stable, "NONE")
		on(static && formed, "FENCED_INSTANCE_ID")
		on(rules.SyncNamesProtocol && formed, "INCONSISTENT_GROUP_PROTOCOL")
		on(completes, "waits NONE"+errors)
		on(completes && rules.StoreTimeout == protocol.StoreTimeoutRebalances, "REBALANCE_IN_PROGRESS")
	case "heartbeat":
		blind := rules.Heartbeat == protocol.HeartbeatBlind && (collects || completes)
		on(!blind, "UNKNOWN_MEMBER_ID")
		on(formed && !blind && !(completes && rules.Heartbeat == protocol.HeartbeatPhases), "ILLEGAL_GENERATION")
		on(collects || completes && !rules.CompletingAlive, "REBALANCE_IN_PROGRESS")
		on(stable || completes && rules.CompletingAlive, "NONE")
		on(static && formed, "FENCED_INSTANCE_ID")
		on(java && formed, "waits")
	case "leave":
		on(true, "UNKNOWN_MEMBER_ID")
		on(formed || empty && rules.MemberIDRequired, "NONE")
		on(static && formed && rules.BatchLeave, "FENCED_INSTANCE_ID")
		on(rules.BatchLeave && !rules.MemberUnified && !none, "UNKNOWN_SERVER_ERROR")
		on(java && !none, "waits")
		on(java && formed, errors)
	case "offset_commit":
		on(true, "waits NONE OFFSET_METADATA_TOO_LARGE"+errors)
		on(none && rules.CommitWithoutGroup, "GROUP_ID_NOT_FOUND")
		on(none && !rules.CommitWithoutGroup, "ILLEGAL_GENERATION")
		stateFirst := completes && rules.Commit < protocol.CommitMemberFirst
		on(!none && !stateFirst || none && rules.Commit == protocol.CommitUnified, "UNKNOWN_MEMBER_ID")
		on(formed && !stateFirst, "ILLEGAL_GENERATION")
		on(completes, "REBALANCE_IN_PROGRESS")
		on(static && formed, "FENCED_INSTANCE_ID")
		on(!rules.CommitSizeUnknown, "INVALID_COMMIT_OFFSET_SIZE")
		if !rules.CommitSizeUnknown && rules.LostPartitionAnswered { // a size is not told as an error of the server then
			s = strings.Replace(s, " UNKNOWN_SERVER_ERROR", "", 1)
		}
		on(rules.StoreTimeout != protocol.StoreTimeoutUnavailable, "REQUEST_TIMED_OUT")
		if completes { // nothing is stored, so nothing waits or fails
			s = "REBALANCE_IN_PROGRESS"
			on(!stateFirst, "UNKNOWN_MEMBER_ID ILLEGAL_GENERATION")
			on(static, "FENCED_INSTANCE_ID")
		}
	case "offset_fetch":
		on(true, "NONE")
		on(rules.StableFetch && !rules.StableFetchWaits && !none, "UNSTABLE_OFFSET_COMMIT")
		on(rules.StableFetchWaits, "waits")
	case "offset_delete":
		on(none, "GROUP_ID_NOT_FOUND")
		on(!none, "NONE")
		on(formed, "GROUP_SUBSCRIBED_TO_TOPIC NON_EMPTY_GROUP")
		on(java && !none, "waits")
		on(java && empty, errors)
	case "describe":
		on(true, "NONE")
	case "delete_group":
		on(none, "GROUP_ID_NOT_FOUND")
		on(empty, "NONE")
		on(formed, "NON_EMPTY_GROUP")
		on(java, "waits")
		on(java && empty, errors)
	}
	return words(s)
}

func deadError(rules *protocol.BrokerRules) string {
	if rules.DeadIsUnavailable {
		return "COORDINATOR_NOT_AVAILABLE"
	}
	return "UNKNOWN_MEMBER_ID"
}

// requestOf is what the table calls a kind of request.
var requestOf = map[uint8]string{
	protocol.KindJoinGroup: "join", protocol.KindSyncGroup: "sync", protocol.KindHeartbeat: "heartbeat",
	protocol.KindLeaveGroup: "leave", protocol.KindOffsetCommit: "offset_commit", protocol.KindOffsetFetch: "offset_fetch",
}

// Possible are the answers that a kind of request can have, by the rules of a release, in
// a state: Kafka's names of errors, and "waits". The states are a group's, "none",
// "loading" and "elsewhere".
func Possible(rules *protocol.BrokerRules, kind uint8, state string) []string {
	return answersIn(rules, requestOf[kind], state)
}
