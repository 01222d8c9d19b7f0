package protocol

// The rules of a broker.
const (
	RuleCoordinatorFound Rule = 1 + iota
	RuleNoCoordinator
	RuleMetadata
	RuleListOffsets
	RuleFetched
	RuleNothingFetched
	RuleInvalidGroup
	RuleNotCoordinator
	RuleLoading
	RuleLoadingHeartbeat
	RuleLoadingSync
	RuleNoGroup
	RuleDead
	RuleUnknownMember
	RuleUnknownInstance
	RuleFenced
	RuleIllegalGeneration
	RuleNoProtocols
	RuleNoCommonProtocol
	RuleSessionRange
	RuleMaxSize
	RulePendingStatic
	RuleThrows
	RuleOldLeader
	RuleMemberIDRequired
	RuleFirstMember
	RuleFirstAlone
	RuleNewMember
	RuleDelayed
	RuleDelayOver
	RuleCollecting
	RuleJoinReplaced
	RuleKnownUnchanged
	RuleKnownCompleting
	RuleLeaderRejoins
	RuleFollowerChanged
	RuleChangedCompleting
	RuleAllJoined
	RuleJoinTimeout
	RuleNotRejoined
	RuleGroupEmptied
	RuleGroupDied
	RuleRecordsNewGroup
	RuleSyncWaits
	RuleLeaderSyncWaits
	RuleSyncReplaced
	RuleSyncOfRemoved
	RuleAssigned
	RuleStableSync
	RuleSyncVoid
	RuleParkedSyncVoid
	RuleOtherProtocol
	RuleNamesNoProtocol
	RuleStoreFailed
	RuleWaitsForLog
	RuleAlive
	RuleAliveCompleting
	RuleHeartbeatCollecting
	RuleHeartbeatCompleting
	RuleHeartbeatBlind
	RuleSessionExpired
	RuleNewMemberGivenUp
	RulePendingExpired
	RuleLeftoverTimer
	RuleSyncTimeout
	RuleOversized
	RuleLeft
	RulePendingLeft
	RuleStaticReplaced
	RuleStaticKnown
	RuleStaticStored
	RuleStaticAnswered
	RuleStaticOtherProtocol
	RuleStaticMoves
	RuleStaticFailed
	RuleCommitted
	RuleCommitWaits
	RuleUnknownTopic
	RuleUnknownPartly
	RuleCommitNoGroup
	RuleCommitCompleting
	RuleSimpleCommit
	RuleOffsets
	RuleUnstable
	RuleOffsetsDeleted
	RuleSubscribed
	RuleTopicDeleted
	RuleExpired
	RuleGroupExpired
	RuleDescribed
	RuleListed
	RuleGroupDeleted
	RuleNonEmpty
	RuleLoaded
	RuleUnloaded
	RuleUnloadAnswers
	RuleFormed
	RuleReplicated
)

var brokerRuleTexts = []RuleText{
	{RuleCoordinatorFound, "coordinator-found", "A group's coordinator is the leader of its partition of __consumer_offsets. Any broker knows it.", "KAFKA-2464"},
	{RuleNoCoordinator, "no-coordinator", "The group's partition of __consumer_offsets has no leader that lives.", "KAFKA-2464"},
	{RuleMetadata, "metadata", "A broker tells what it knows of the cluster, which may be stale.", "Metadata API"},
	{RuleListOffsets, "list-offsets", "The leader of a partition knows where it begins and ends.", "ListOffsets API"},
	{RuleFetched, "fetched", "There are records to bring, or something to say of a partition.", "Fetch API"},
	{RuleNothingFetched, "nothing-fetched", "Nothing was produced within fetch.max.wait.ms.", "Fetch API"},
	{RuleInvalidGroup, "invalid-group", "A group needs a name.", "KAFKA-6773"},
	{RuleNotCoordinator, "not-coordinator", "This broker does not coordinate the group: it does not lead the group's partition of __consumer_offsets.", "KAFKA-2464"},
	{RuleLoading, "loading", "This broker will coordinate the group, and is still reading the group's log.", "PR #4788"},
	{RuleLoadingHeartbeat, "loading-heartbeat", "While the group's log is read a heartbeat is answered as if all were well, so that nobody gives his place up.", "PR #4788"},
	{RuleLoadingSync, "loading-sync", "While the group's log is read a SyncGroup is told to join again.", "PR #4788"},
	{RuleNoGroup, "no-group", "There is no such group here.", "KAFKA-2464"},
	{RuleDead, "dead-group", "The group is dead here and about to be forgotten: the request raced with the unloading of its partition.", "KAFKA-8386"},
	{RuleUnknownMember, "unknown-member", "The group has no member of this id: it was removed, or another coordinator gave the id.", "KAFKA-2464"},
	{RuleUnknownInstance, "unknown-instance", "The group has no member of this instance id.", "KIP-345"},
	{RuleFenced, "fenced", "The instance id belongs to another member id: a newer process with the same group.instance.id has taken the place.", "KIP-345"},
	{RuleIllegalGeneration, "illegal-generation", "The request is of another generation than the group's.", "KAFKA-2464"},
	{RuleNoProtocols, "no-protocols", "The group has no members, and the first one must say a protocol type and a protocol.", "KAFKA-6005"},
	{RuleNoCommonProtocol, "no-common-protocol", "No protocol that is offered is one that all members have, or the protocol type is another.", "KAFKA-2464"},
	{RuleSessionRange, "session-range", "The session timeout must lie between group.min.session.timeout.ms and group.max.session.timeout.ms.", "KAFKA-2464"},
	{RuleMaxSize, "max-size", "The group has group.max.size members already.", "KIP-389"},
	{RulePendingStatic, "pending-static", "An id that was given to a dynamic member comes with an instance id: Kafka's code throws.", "KIP-345, vector A021"},
	{RuleThrows, "throws", "Kafka's own code throws an exception here. What it had done until then stays done.", "KAFKA-9801, KAFKA-6005"},
	{RuleOldLeader, "old-leader", "The answer to an old client cannot be written if the group has static members: it stays parked for ever.", "KAFKA-14422"},
	{RuleMemberIDRequired, "member-id-required", "A new member first gets an id, to come back with. So a client whose answer is lost does not join twice. The group does not move.", "KIP-394"},
	{RuleFirstMember, "first-member", "The first member of an empty group begins its first rebalance, which waits for more members to come.", "KIP-134"},
	{RuleFirstAlone, "first-alone", "The first member of a group begins a rebalance, and nobody else has to be waited for.", "KAFKA-2464"},
	{RuleNewMember, "new-member", "A member comes that the group does not have: the group must collect all.", "KAFKA-2464"},
	{RuleDelayed, "delayed", "The first rebalance of a group waits group.initial.rebalance.delay.ms for more members, and longer while more come.", "KIP-134"},
	{RuleDelayOver, "delay-over", "The initial delay is over: who has asked until now forms the generation.", "KIP-134"},
	{RuleCollecting, "collecting", "While the group collects, whoever asks to join waits until all have.", "KAFKA-2464"},
	{RuleJoinReplaced, "join-replaced", "The member asks again while its JoinGroup is parked: only the newer one will be answered.", "vector A013"},
	{RuleKnownUnchanged, "known-unchanged", "A known member that does not lead asks with the protocols it had, and the group is Stable: nothing changes, so it is told what it already is.", "vector A024"},
	{RuleKnownCompleting, "known-completing", "A member that asks as before while the leader assigns is told again of the generation just formed.", "vector A030"},
	{RuleLeaderRejoins, "leader-rejoins", `The leader asking again means "assign anew": the group must collect all.`, "vector A035"},
	{RuleFollowerChanged, "follower-changed", "A follower comes with other protocols or metadata than it had: its share may change, so the group must collect all.", "vector A026"},
	{RuleChangedCompleting, "changed-completing", "A member comes with other protocols or metadata while the leader assigns: the assignment is void, the group must collect all.", "vector A032"},
	{RuleAllJoined, "all-joined", "Every known member has asked. Only the leader is told who the members are.", "KAFKA-2464"},
	{RuleJoinTimeout, "join-timeout", "The rebalance timeout is over: who has asked forms the generation, the others are dropped.", "KIP-62"},
	{RuleNotRejoined, "not-rejoined", "The member did not ask within the rebalance timeout. A static one would have been kept.", "KIP-62, KIP-345"},
	{RuleGroupEmptied, "emptied", "The last member is gone. The group stays, Empty, with its offsets.", "KAFKA-2720"},
	{RuleGroupDied, "died", "The last member is gone, and before 0.10.1 a group dies with it.", "KAFKA-2720"},
	{RuleRecordsNewGroup, "records-new-group", "The coordinator in Java records a group when it is made.", "vector A001"},
	{RuleSyncWaits, "sync-waits", "Only the leader knows who gets what; the others' parts come with its SyncGroup.", "KAFKA-2464"},
	{RuleLeaderSyncWaits, "leader-sync-waits", "The leader's assignment goes into the log first. When it is committed, everyone gets his part.", "KAFKA-2017"},
	{RuleSyncReplaced, "sync-replaced", "The member asks again while its SyncGroup is parked: only the newer one will be answered.", "vector A125"},
	{RuleSyncOfRemoved, "sync-of-removed", "The SyncGroup of a member that is removed is never answered.", "vector A066"},
	{RuleAssigned, "assigned", "The leader's assignment is stored: those who asked get their part.", "KAFKA-2017"},
	{RuleStableSync, "stable-sync", "The group is Stable: the member gets the part that is stored for it.", "KAFKA-2464"},
	{RuleSyncVoid, "sync-void", "The group collects again, so this generation's assignment is void.", "KAFKA-2464"},
	{RuleParkedSyncVoid, "parked-sync-void", "The group collects again: who waits for his part is told to join again.", "KAFKA-2464"},
	{RuleOtherProtocol, "other-protocol", "The SyncGroup names another protocol, or protocol type, than the group's.", "KIP-559"},
	{RuleNamesNoProtocol, "names-no-protocol", "From version 5 on a SyncGroup must name the protocol type and the protocol.", "KIP-559"},
	{RuleStoreFailed, "store-failed", "The log did not take what had to be stored.", "KAFKA-2017"},
	{RuleWaitsForLog, "waits-for-log", "The coordinator in Java answers when all that was written before is committed.", "vector A113"},
	{RuleAlive, "alive", "The member is alive, and nothing has changed.", "KAFKA-2464"},
	{RuleAliveCompleting, "alive-completing", "While the leader assigns, a heartbeat keeps the session and is answered as if all were well.", "KAFKA-10134"},
	{RuleHeartbeatCollecting, "heartbeat-collecting", "The group collects. A member learns of it by its next heartbeat: they are heartbeat.interval.ms apart, 3 s unless set.", "KIP-62"},
	{RuleHeartbeatCompleting, "heartbeat-completing", "While the leader assigns, a heartbeat is told that the group rebalances. It keeps no session.", "KAFKA-10134"},
	{RuleHeartbeatBlind, "heartbeat-blind", "A member learns of it by its next heartbeat: they are heartbeat.interval.ms apart, 3 s unless set. Until 0.10.1 it is no sign of life.", "KIP-62"},
	{RuleSessionExpired, "session-expired", "The member was not heard of for its session timeout.", "KAFKA-2464"},
	{RuleNewMemberGivenUp, "new-member-given-up", "A new member's JoinGroup has waited for 5 minutes: the member is given up.", "KAFKA-7610"},
	{RulePendingExpired, "pending-expired", "The client did not come back with the id that it was given.", "KIP-394"},
	{RuleLeftoverTimer, "leftover-timer", "A member that was dropped long ago has left its session timer behind: the group rebalances without need.", "KAFKA-7196"},
	{RuleSyncTimeout, "sync-timeout", "Members that sent no SyncGroup within the rebalance timeout are removed, though they heartbeat.", "KAFKA-12890"},
	{RuleOversized, "oversized", "The group that was loaded has more than group.max.size members: it must collect, and some will be refused.", "KIP-389"},
	{RuleLeft, "left", "The member left.", "KAFKA-2464"},
	{RulePendingLeft, "pending-left", "An id that was given out is given back: nobody has to wait for it any more.", "KIP-394"},
	{RuleStaticReplaced, "static-replaced", "A process with a known group.instance.id has started again: it gets a new member id in the same place.", "KIP-345"},
	{RuleStaticKnown, "static-known", "A static member that starts again is told the generation as it is: nobody has to rebalance.", "KIP-345"},
	{RuleStaticStored, "static-stored", "A static member that starts again in a Stable group waits until its new id is stored.", "KAFKA-10284"},
	{RuleStaticAnswered, "static-answered", "The new id is stored. The static member is told the generation as it is: nobody has to rebalance.", "KAFKA-10284"},
	{RuleStaticOtherProtocol, "static-other-protocol", "A static member that starts again offers other protocols, and another one would be selected: the group must collect all.", "KAFKA-10284"},
	{RuleStaticMoves, "static-moves", "A static member starts again while the leader assigns: the leader knows the old id, so the group must collect all.", "KAFKA-9801"},
	{RuleStaticFailed, "static-failed", "The new id of a static member could not be stored: the old one is its id again.", "KAFKA-10284"},
	{RuleCommitted, "committed", "The offsets are committed in the log.", "KAFKA-2464"},
	{RuleCommitWaits, "commit-waits", "An offset commit is answered when the log has it.", "KAFKA-2464"},
	{RuleUnknownTopic, "unknown-topic", "The broker knows of none of the partitions whose offsets are committed. The coordinator does not see the request.", "KAFKA-6796"},
	{RuleUnknownPartly, "unknown-partly", "The broker does not know all of the partitions whose offsets are committed. The coordinator commits the others.", "KAFKA-6796"},
	{RuleCommitNoGroup, "commit-no-group", "A commit with a generation needs a group.", "KAFKA-2464"},
	{RuleCommitCompleting, "commit-completing", "While the leader assigns, offsets are not taken: the generation in which they were read has ended.", "KAFKA-2464"},
	{RuleSimpleCommit, "simple-commit", "A commit that names no member is taken only if the group has none.", "KAFKA-2720"},
	{RuleOffsets, "offsets", "Committed offsets are told to anyone, in every state.", "OffsetFetch API"},
	{RuleUnstable, "unstable-offset", "A commit of this partition is under way, and only stable offsets were asked for.", "KIP-447"},
	{RuleOffsetsDeleted, "offsets-deleted", "The offsets were deleted by request.", "KIP-496"},
	{RuleSubscribed, "subscribed", "The group reads the topic: its offsets are not deleted.", "KIP-496"},
	{RuleTopicDeleted, "topic-deleted", "The topic was deleted, and its offsets with it.", "KAFKA-2000"},
	{RuleExpired, "expired", "The offset was kept for offsets.retention.minutes.", "KIP-211"},
	{RuleGroupExpired, "group-expired", "The group has no members and no offsets.", "KAFKA-2720"},
	{RuleDescribed, "described", "DescribeGroups shows the group as it is.", "DescribeGroups API"},
	{RuleListed, "listed", "ListGroups shows the groups that this broker coordinates.", "ListGroups API"},
	{RuleGroupDeleted, "group-deleted", "The group was deleted by request.", "KIP-229"},
	{RuleNonEmpty, "non-empty", "The group has members.", "KIP-229"},
	{RuleLoaded, "loaded", "The broker coordinates the groups of the partition as the log has them: nothing else survives.", "KAFKA-2464"},
	{RuleUnloaded, "unloaded", "The broker does not lead the partition any more, and forgets its groups.", "KAFKA-2464"},
	{RuleUnloadAnswers, "unload-answers", "The broker gives the group up: whoever waits is sent to look for the new coordinator.", "KAFKA-16148"},
	{RuleFormed, "formed", "The run begins with the group in this state.", "start: formed"},
	{RuleReplicated, "replicated", "The log works again: what was appended meanwhile is committed.", ""},
}
