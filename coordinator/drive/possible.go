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

// refused are errors of the log that some release passes on as they are; CORRUPT_MESSAGE
// stands for all that no release has a name of its own for.
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
//     in CompletingRebalance, where alone a commit is refused for the state;
//   - errors of the log come to what writes at once: the leader's SyncGroup, commits,
//     static members that restart in Stable; and where the coordinator in Java runs,
//     to new groups and those that end.
func answersIn(rules *protocol.BrokerRules, request, state string) []string {
	a := answering{BrokerRules: rules, none: state == "none", empty: state == "Empty", collects: state == "PreparingRebalance",
		completes: state == "CompletingRebalance", stable: state == "Stable", java: rules.WaitsForLog, errors: stored + " CORRUPT_MESSAGE" + passed(rules)}
	a.formed = a.collects || a.completes || a.stable
	if request == "join" { // the range of its session is looked at before the group, by some before the coordinator
		a.on(rules.SessionRangeFirst || state != "elsewhere" && state != "loading", "INVALID_SESSION_TIMEOUT")
	}
	switch {
	case state == "elsewhere":
		a.on(true, "NOT_COORDINATOR")
	case state == "loading":
		a.on(true, loading(rules, request))
	case state == "Dead":
		a.on(true, dead(rules, request))
	case a.empty && !rules.EmptyState:
		return nil
	case possible[request] != nil:
		possible[request](&a)
	}
	return words(a.list)
}

// passed are the errors of the log that a release does not turn into others.
func passed(rules *protocol.BrokerRules) (list string) {
	switch {
	case !rules.ReplicasMapped:
		list += " NOT_ENOUGH_REPLICAS NOT_ENOUGH_REPLICAS_AFTER_APPEND"
	case rules.AfterAppendPassed:
		list += " NOT_ENOUGH_REPLICAS_AFTER_APPEND"
	}
	if !rules.StorageMapped {
		list += " KAFKA_STORAGE_ERROR"
	}
	return list
}

// loading is what a broker answers while it loads the group.
func loading(rules *protocol.BrokerRules, request string) string {
	switch {
	case !rules.LoadingFirst:
		return "NOT_COORDINATOR"
	case request == "heartbeat":
		return "NONE"
	case request == "sync" && rules.SyncTranslated:
		return "REBALANCE_IN_PROGRESS"
	}
	return "COORDINATOR_LOAD_IN_PROGRESS"
}

// dead is what it answers about a group that is over.
func dead(rules *protocol.BrokerRules, request string) string {
	switch request {
	case "offset_fetch", "describe":
		return "NONE"
	case "offset_delete", "delete_group":
		return "GROUP_ID_NOT_FOUND"
	}
	return deadError(rules)
}

// answering is a request in a state of a group that is there, or can come to be.
type answering struct {
	*protocol.BrokerRules
	none, empty, collects, completes, stable bool   // the state
	formed                                   bool   // it is one with members
	java                                     bool   // the coordinator is the one in Java
	errors                                   string // of the log, as they are told
	list                                     string // what it can be answered
}

// on adds answers that there are if something is so.
func (a *answering) on(is bool, more string) {
	if is {
		a.list += " " + more
	}
}

// possible says what each request can be answered.
var possible = map[string]func(*answering){
	"join": (*answering).join, "sync": (*answering).sync, "heartbeat": (*answering).heartbeat, "leave": (*answering).leave,
	"offset_commit": (*answering).offsetCommit, "offset_fetch": (*answering).offsetFetch, "offset_delete": (*answering).offsetDelete,
	"describe": (*answering).describe, "delete_group": (*answering).deleteGroup,
}

func (a *answering) join() {
	a.on(true, "UNKNOWN_MEMBER_ID")
	// A first member waits, or is alone and does not.
	a.on(a.formed || a.InitialDelay, "waits")
	a.on(a.formed || !a.InitialDelay, "NONE")
	a.on(a.formed || a.EmptyProtocolsRefused, "INCONSISTENT_GROUP_PROTOCOL")
	a.on(a.MemberIDRequired, "MEMBER_ID_REQUIRED")
	a.on(a.StaticMembers && a.formed, "FENCED_INSTANCE_ID")
	a.on(a.MaxSize != protocol.MaxSizeNone && a.formed, "GROUP_MAX_SIZE_REACHED")
	a.on(a.StaticMembers && !a.none, "UNKNOWN_SERVER_ERROR") // an id given out comes back with an instance id
	a.on(!a.EmptyProtocolsRefused && !a.InitialDelay && (a.none || a.empty), "UNKNOWN_SERVER_ERROR")
	a.on(a.StaticStored && a.stable && a.StoreTimeout == protocol.StoreTimeoutRebalances, "REBALANCE_IN_PROGRESS")
	a.on(a.StaticStored && a.stable || a.RecordsNewGroup && a.none, a.errors)
}

func (a *answering) sync() {
	a.on(true, "UNKNOWN_MEMBER_ID")
	a.on(a.formed, "ILLEGAL_GENERATION")
	a.on(a.collects, "REBALANCE_IN_PROGRESS")
	a.on(a.stable, "NONE")
	a.on(a.StaticMembers && a.formed, "FENCED_INSTANCE_ID")
	a.on(a.SyncNamesProtocol && a.formed, "INCONSISTENT_GROUP_PROTOCOL")
	a.on(a.completes, "waits NONE"+a.errors)
	a.on(a.completes && a.StoreTimeout == protocol.StoreTimeoutRebalances, "REBALANCE_IN_PROGRESS")
}

func (a *answering) heartbeat() {
	blind := a.Heartbeat == protocol.HeartbeatBlind && (a.collects || a.completes)
	a.on(!blind, "UNKNOWN_MEMBER_ID")
	a.on(a.formed && !blind && !(a.completes && a.Heartbeat == protocol.HeartbeatPhases), "ILLEGAL_GENERATION")
	a.on(a.collects || a.completes && !a.CompletingAlive, "REBALANCE_IN_PROGRESS")
	a.on(a.stable || a.completes && a.CompletingAlive, "NONE")
	a.on(a.StaticMembers && a.formed, "FENCED_INSTANCE_ID")
	a.on(a.java && a.formed, "waits")
}

func (a *answering) leave() {
	a.on(true, "UNKNOWN_MEMBER_ID")
	a.on(a.formed || a.empty && a.MemberIDRequired, "NONE")
	a.on(a.StaticMembers && a.formed && a.BatchLeave, "FENCED_INSTANCE_ID")
	a.on(a.BatchLeave && !a.MemberUnified && !a.none, "UNKNOWN_SERVER_ERROR")
	a.on(a.java && !a.none, "waits")
	a.on(a.java && a.formed, a.errors)
}

func (a *answering) offsetCommit() {
	stateFirst := a.completes && a.Commit < protocol.CommitMemberFirst
	if a.completes { // nothing is stored, so nothing waits or fails
		a.on(true, "REBALANCE_IN_PROGRESS")
		a.on(!stateFirst, "UNKNOWN_MEMBER_ID ILLEGAL_GENERATION")
		a.on(a.StaticMembers, "FENCED_INSTANCE_ID")
		return
	}
	errors := a.errors
	if !a.CommitSizeUnknown && a.LostPartitionAnswered { // a size is not told as an error of the server then
		errors = strings.Replace(errors, " UNKNOWN_SERVER_ERROR", "", 1)
	}
	a.on(true, "waits NONE OFFSET_METADATA_TOO_LARGE"+errors)
	a.on(a.none && a.CommitWithoutGroup, "GROUP_ID_NOT_FOUND")
	a.on(a.none && !a.CommitWithoutGroup, "ILLEGAL_GENERATION")
	a.on(!a.none || a.Commit == protocol.CommitUnified, "UNKNOWN_MEMBER_ID")
	a.on(a.formed, "ILLEGAL_GENERATION")
	a.on(a.StaticMembers && a.formed, "FENCED_INSTANCE_ID")
	a.on(!a.CommitSizeUnknown, "INVALID_COMMIT_OFFSET_SIZE")
	a.on(a.StoreTimeout != protocol.StoreTimeoutUnavailable, "REQUEST_TIMED_OUT")
}

func (a *answering) offsetFetch() {
	a.on(true, "NONE")
	a.on(a.StableFetch && !a.StableFetchWaits && !a.none, "UNSTABLE_OFFSET_COMMIT")
	a.on(a.StableFetchWaits, "waits")
}

func (a *answering) offsetDelete() {
	a.on(a.none, "GROUP_ID_NOT_FOUND")
	a.on(!a.none, "NONE")
	a.on(a.formed, "GROUP_SUBSCRIBED_TO_TOPIC NON_EMPTY_GROUP")
	a.on(a.java && !a.none, "waits")
	a.on(a.java && a.empty, a.errors)
}

func (a *answering) describe() { a.on(true, "NONE") }

func (a *answering) deleteGroup() {
	a.on(a.none, "GROUP_ID_NOT_FOUND")
	a.on(a.empty, "NONE")
	a.on(a.formed, "NON_EMPTY_GROUP")
	a.on(a.java, "waits")
	a.on(a.java && a.empty, a.errors)
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
