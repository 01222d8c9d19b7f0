package protocol

// The client's rules: why it sends a request or changes its state.
const (
	RuleFirstLookup Rule = RuleClients + iota
	RuleFirstJoin
	RuleClientFormed
	RuleCoordinatorConnectionLost
	RuleCoordinatorUnreachable
	RuleCoordinatorChanged
	RuleSessionOver
	RuleMemberIDGiven
	RuleMemberUnknown
	RuleGenerationOver
	RuleClientFenced
	RuleRebalanceHeard
	RuleRebalanceDuringSync
	RuleRebalanceDuringCommit
	RuleJoinFailed
	RuleJoinOvertaken
	RuleRetriableReset
	RuleMetadataChanged
	RuleSubscriptionChanged
	RuleAssignmentMismatch
	RuleRejoinAfterRevoke
	RuleEnforced
	RuleJoined
	RuleElected
	RuleFollowerSyncs
	RuleLeaderSyncs
	RuleAssignorHangs
	RuleLeaderSkips
	RuleSynced
	RuleHeartbeatDue
	RulePollTimeout
	RuleClosed
	RuleUnsubscribed
	RuleRevokeAll
	RuleRevokeUnsubscribed
	RuleRevokeReassigned
	RuleGenerationLost
	RuleTakesAssignment
	RuleOffsetsWanted
	RuleOffsetReset
	RuleFetch
	RuleMetadataWanted
	RuleCommitSync
	RuleCommitAsync
	RuleAutoCommit
	RulePrepareCommit
	RuleSessionJoinsAnew
	RuleAnswerLost
	RuleRequestTimedOut
	RuleBusy
	RuleProgramEnds
	RuleWokenUp
	RuleCommitInRebalance
	RuleCommitTooLate
	RuleCallTimedOut
	RuleNoOffset
	RuleOtherThread
	RuleIllegalCall
	RuleListenerThrew
	RuleErrorThrown
	RuleCommitCallback
	RuleDelivered
	RuleFinished
	RuleHeldChanges
	RulePositionsKnown
	RuleProgramSeeks
	RuleProgramPauses
	RulePausedForCommit
	RuleJoinAwaitsCommit
	RuleCloseCommits
	RuleMetadataOld
	RuleLookupFailed
	RuleCommitOfNoMember
)

var clientRuleTexts = []RuleText{
	{RuleFirstLookup, "first-lookup", "A consumer first asks any broker which one coordinates its group.", "KAFKA-2464"},
	{RuleFirstJoin, "first-join", "A consumer that has subscribed joins its group at the first poll.", "KAFKA-2464"},
	{RuleClientFormed, "begins-in-group", "The scenario begins with this member in its group.", ""},
	{RuleCoordinatorConnectionLost, "coordinator-connection-lost", "The connection to the coordinator is gone, and with it what was asked there: the client pauses, asks again who coordinates, and goes on with the member id that it has.", "KAFKA-3659"},
	{RuleCoordinatorUnreachable, "coordinator-unreachable", "The broker that is named as coordinator cannot be reached yet: the client pauses and asks again.", "KIP-266"},
	{RuleCoordinatorChanged, "coordinator-changed", "The broker asked does not coordinate the group now: the client asks who does, and tries there.", "KAFKA-6366"},
	{RuleSessionOver, "session-over-at-client", "The client has had no answer to a heartbeat for session.timeout.ms. It only looks for the coordinator anew: state and generation stay.", "KIP-62"},
	{RuleMemberIDGiven, "member-id-given", "The coordinator names a new member first, and has it ask again with its id.", "KIP-394"},
	{RuleMemberUnknown, "member-unknown", "The coordinator does not know the member id: the member drops it and joins as a new one. What it held is lost.", "KAFKA-12983"},
	{RuleGenerationOver, "generation-over", "The member's generation is not the group's any more: it joins again. Since 3.2 it keeps its member id.", "KAFKA-13419"},
	{RuleClientFenced, "client-fenced", "Another member came with the same group.instance.id: this one is out for good.", "KIP-345"},
	{RuleRebalanceHeard, "rebalance-heard", "The answer to a heartbeat says that the group is rebalancing: the member joins at its next poll, and not before.", "KIP-62"},
	{RuleRebalanceDuringSync, "rebalance-during-sync", "The group began another rebalance before the member had its assignment: it joins again at once.", "KAFKA-13891"},
	{RuleRebalanceDuringCommit, "rebalance-during-commit", "The commit came while the group was between generations: it is refused, and the member joins again.", "KAFKA-8487"},
	{RuleJoinFailed, "join-failed", "JoinGroup or SyncGroup failed: the member tries again after retry.backoff.ms.", "KAFKA-13214"},
	{RuleJoinOvertaken, "join-overtaken", "The heartbeat thread left the group before the assignment was taken over: it is void, and the member joins again.", "KAFKA-8104"},
	{RuleRetriableReset, "retriable-failure-resets", "In this release a member that has to try again forgets its member id, which stays in the group until its session ends.", "KAFKA-13214"},
	{RuleMetadataChanged, "metadata-changed", "The leader sees other partitions than those it assigned: it asks for a rebalance.", "KAFKA-3949"},
	{RuleSubscriptionChanged, "subscription-changed", "The member subscribes to other topics than it told the group: it joins again.", "KIP-70"},
	{RuleAssignmentMismatch, "assignment-mismatch", "The assignment has a topic that the member does not subscribe to any more: it ignores it and joins again.", "KAFKA-7961"},
	{RuleRejoinAfterRevoke, "rejoin-after-revoke", "A cooperative member that gave up partitions joins again at once, so that they can be given to others.", "KIP-429"},
	{RuleEnforced, "rebalance-enforced", "The program asked for a rebalance.", "KIP-568"},
	{RuleJoined, "joined", "JoinGroup succeeded: the member has a new generation, and no assignment yet.", "KAFKA-10134"},
	{RuleElected, "elected", "The coordinator made this member the leader: it computes everyone's assignment.", "KAFKA-2464"},
	{RuleFollowerSyncs, "follower-syncs", "A follower asks for its part at once, and waits for the leader's.", "KAFKA-2464"},
	{RuleLeaderSyncs, "leader-syncs", "The leader sends everyone's part with its SyncGroup.", "KAFKA-2464"},
	{RuleAssignorHangs, "assignor-hangs", "The leader's assignor moves partitions in a circle for ever: the leader hangs, and its heartbeats with it.", "sticky of 3.0.0 on contradictory claims"},
	{RuleLeaderSkips, "leader-skips-assignment", "A static leader that has come back is told not to assign: the old assignment holds.", "KIP-814"},
	{RuleSynced, "synced", "The member has its assignment.", "KAFKA-5154"},
	{RuleHeartbeatDue, "heartbeat-due", "heartbeat.interval.ms after the last heartbeat the next one is due.", "KIP-62"},
	{RulePollTimeout, "poll-timeout", "The program has not polled for max.poll.interval.ms: the heartbeat thread leaves the group for it.", "KIP-62"},
	{RuleClosed, "closed", "The consumer is closed: it commits, gives up what it holds and leaves.", "KAFKA-2697"},
	{RuleUnsubscribed, "unsubscribed", "The program unsubscribed: the member gives up what it holds and leaves.", "KAFKA-2697"},
	{RuleRevokeAll, "revoke-all", "An eager member gives up everything before it joins.", "KAFKA-2464"},
	{RuleRevokeUnsubscribed, "revoke-unsubscribed", "A cooperative member gives up, before it joins, what it does not subscribe to any more.", "KIP-429"},
	{RuleRevokeReassigned, "revoke-reassigned", "A cooperative member gives up only what the new assignment takes away.", "KIP-429"},
	{RuleGenerationLost, "generation-lost", "The member's generation is void: others may own its partitions already.", "KIP-429"},
	{RuleTakesAssignment, "assignment-taken", "The member takes over its assignment.", "KAFKA-2464"},
	{RuleOffsetsWanted, "offsets-wanted", "New partitions are read from their committed offsets.", "KAFKA-2464"},
	{RuleOffsetReset, "offset-reset", "A partition without a committed offset is read from where auto.offset.reset says.", "KAFKA-2464"},
	{RuleFetch, "fetch", "Every broker that leads a partition of the member's is asked for more.", "KAFKA-2464"},
	{RuleMetadataWanted, "metadata-wanted", "The client asks for the cluster's topics and brokers.", "KAFKA-2464"},
	{RuleCommitSync, "commit-sync", "The program commits and waits.", "KAFKA-2464"},
	{RuleCommitAsync, "commit-async", "The program commits and does not wait.", "KAFKA-2464"},
	{RuleAutoCommit, "auto-commit", "auto.commit.interval.ms has passed: poll commits what earlier polls returned.", "KAFKA-2464"},
	{RulePrepareCommit, "commit-before-join", "With auto-commit a member commits before it gives up its partitions.", "KAFKA-2570"},
	{RuleSessionJoinsAnew, "session-joins-anew", "This client, which is not Java's, has had no answer to a heartbeat for session.timeout.ms: it drops its member id and joins as a new member.", ""},
	{RuleAnswerLost, "answer-lost", "The connection broke before the answer to JoinGroup or SyncGroup came: once the coordinator is found again, the member joins again with the member id that it has.", "KAFKA-3659"},
	{RuleRequestTimedOut, "request-timed-out", "No answer has come in time: the client closes the connection, and with it goes all that was asked there.", "KAFKA-2464"},
	{RuleBusy, "busy", "The scenario keeps the program busy: it does not poll meanwhile.", ""},
	{RuleProgramEnds, "program-ends", "The program has closed its consumer, and ends.", "KAFKA-2697"},
	{RuleWokenUp, "woken-up", "wakeup() ends the call that the program is in, or its next one.", "KAFKA-2464"},
	{RuleCommitInRebalance, "commit-in-rebalance", "While the member rejoins its group nothing can be committed. It is still a member, and may commit once poll has finished the rebalance, what it still owns.", "KIP-447"},
	{RuleCommitTooLate, "commit-too-late", "The member's generation is not the group's any more, or a rebalance is under way: others may own the partitions, so the commit is refused for good.", "KAFKA-2464"},
	{RuleCallTimedOut, "call-timed-out", "The call has run out of time.", "KIP-266"},
	{RuleNoOffset, "no-offset", "A partition has no committed offset, and auto.offset.reset is none.", "KAFKA-2464"},
	{RuleOtherThread, "other-thread", "A consumer may be used by one thread at a time: another one was inside a call.", "KAFKA-2464"},
	{RuleIllegalCall, "illegal-call", "The call, or what the assignor or the listener did, is not allowed as the consumer stands.", "KAFKA-2464"},
	{RuleListenerThrew, "listener-threw", "The rebalance listener, or an assignor, has thrown: the call that it ran in throws it on.", "KAFKA-2464"},
	{RuleErrorThrown, "error-thrown", "The answer is an error that trying again does not mend: the call throws it.", "KAFKA-2464"},
	{RuleCommitCallback, "commit-callback", "The callback of commitAsync runs inside a later call of the program.", "KAFKA-2464"},
	{RuleDelivered, "delivered", "The member fetches the partition, and poll returns what has come.", "KAFKA-2464"},
	{RuleFinished, "finished", "The program has processed what poll returned.", ""},
	{RuleHeldChanges, "held-changes", "What a member holds has changed: it fetches what it keeps, and no more of what is gone. New partitions need a position first.", "KAFKA-2464"},
	{RulePositionsKnown, "positions-known", "The offsets are known from which partitions are read: the member fetches them from now on.", "KAFKA-2464"},
	{RuleProgramSeeks, "program-seeks", "The program has sought an offset.", "KAFKA-2464"},
	{RuleProgramPauses, "program-pauses", "The program has paused or resumed partitions.", "KAFKA-2464"},
	{RulePausedForCommit, "paused-for-commit", "An eager member stops fetching while its commit before a join is under way.", "KAFKA-14196"},
	{RuleJoinAwaitsCommit, "join-awaits-commit", "With auto-commit a member commits before it gives up its partitions, and until 3.1 waits for the answer.", "KAFKA-2570"},
	{RuleCloseCommits, "close-commits", "With auto-commit a consumer that is closed commits first, and waits for the answer.", "KAFKA-2697"},
	{RuleMetadataOld, "metadata-old", "metadata.max.age.ms after the last answer the client asks again for the cluster's topics and brokers.", "KAFKA-2464"},
	{RuleLookupFailed, "lookup-failed", "The last lookup did not name a coordinator, or its answer was lost: the client pauses and asks again.", "KAFKA-2464"},
	{RuleCommitOfNoMember, "commit-of-no-member", "Who assigns partitions itself is no member. The group takes no such commit as it stands: it has members, or none of that group.instance.id.", "KAFKA-2464"},
}
