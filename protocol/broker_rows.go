package protocol

// brokerRows are the changes to what a group coordinator does. Before the first row
// the rules are those of 0.9.0.0, all zero. Judged by recorded vectors of 0.10.0.1,
// 0.10.2.1, 0.11.0.2, 2.4.0, 2.8.0, 3.0.0, 3.9.0 and 4.0-2024-10; rows of other
// releases rest on what the releases' authors wrote of them.
var brokerRows = []Row{
	{
		Release: "0.9.0.0", ID: "KAFKA-2464",
		What:   "a coordinator forms groups; sessions are at most 30 s",
		Broker: func(r *BrokerRules) { r.MaxSession = 30_000 },
	},
	{
		Release: "0.9.0.1", ID: "KAFKA-2877",
		What:   "a leader's SyncGroup that is not stored in time gets REBALANCE_IN_PROGRESS",
		Broker: func(r *BrokerRules) { r.StoreTimeout = StoreTimeoutRebalances },
	},
	{
		Release: "0.9.0.1", ID: "KAFKA-2913",
		What:   "giving up one partition unloads the groups of that one only",
		Broker: unloadsOwnOnly,
	},
	{
		Release: "0.10.0.0", ID: "KAFKA-2877",
		What:   "a leader's SyncGroup that is not stored in time gets REBALANCE_IN_PROGRESS",
		Broker: func(r *BrokerRules) { r.StoreTimeout = StoreTimeoutRebalances },
	},
	{
		Release: "0.10.0.0", ID: "KAFKA-2913",
		What:   "giving up one partition unloads the groups of that one only",
		Broker: unloadsOwnOnly,
	},
	{
		Release: "0.10.0.0", ID: "KAFKA-3470",
		What:   "an offset commit renews the session",
		Broker: func(r *BrokerRules) { r.CommitRenews = true },
	},
	{
		Release: "0.10.0.0", ID: "KAFKA-3636",
		What:   "sessions are at most 5 minutes",
		Broker: func(r *BrokerRules) { r.MaxSession = 300_000 },
	},
	{
		Release: "0.10.1.0", ID: "KAFKA-2720",
		What: "a group without members is Empty and lives until its offsets expire",
		Broker: func(r *BrokerRules) {
			r.EmptyState = true
			r.Commit = CommitEmpty
		},
	},
	{
		Release: "0.10.1.0", ID: "KIP-62",
		What: "JoinGroup has a rebalance timeout; heartbeats in the join phase keep the session",
		Broker: func(r *BrokerRules) {
			r.RebalanceTimeout = true
			r.Heartbeat = HeartbeatPhases
			r.SyncKeepsTimer = true
		},
	},
	{
		Release: "0.10.1.0", ID: "KAFKA-4051",
		What:   "timers do not hang on the time of day",
		Broker: func(r *BrokerRules) { r.SteadyTimers = true },
	},
	{
		Release: "0.10.1.0", ID: "KAFKA-3590",
		What:   "NOT_ENOUGH_REPLICAS of the log reaches no client any more",
		Broker: func(r *BrokerRules) { r.ReplicasMapped = true },
	},
	{
		Release: "0.10.1.1", ID: "KAFKA-4362",
		What:   "a broker that has lost the partition answers NOT_COORDINATOR where it failed",
		Broker: lostPartitionAnswered,
	},
	{
		Release: "0.10.2.0", ID: "KAFKA-4362",
		What:   "a broker that has lost the partition answers NOT_COORDINATOR where it failed",
		Broker: lostPartitionAnswered,
	},
	{
		Release: "0.10.2.0", ID: "KAFKA-2000",
		What:   "deleting a topic deletes the offsets committed for it",
		Broker: func(r *BrokerRules) { r.TopicsTakeOffsets = true },
	},
	{
		Release: "0.11.0.0", ID: "KIP-134",
		What:   "the first rebalance of a group waits for more members (group.initial.rebalance.delay.ms)",
		Broker: func(r *BrokerRules) { r.InitialDelay = true },
	},
	{
		Release: "1.0.0", ID: "KAFKA-6005",
		What:   "a first member without a protocol or a type is refused",
		Broker: func(r *BrokerRules) { r.EmptyProtocolsRefused = true },
	},
	{
		Release: "1.0.0", ID: "KIP-112",
		What:   "KAFKA_STORAGE_ERROR of the log becomes NOT_COORDINATOR",
		Broker: func(r *BrokerRules) { r.StorageMapped = true },
	},
	{
		Release: "1.1.0", ID: "KIP-229",
		What:   "AwaitingSync is called CompletingRebalance; groups can be deleted",
		Broker: func(r *BrokerRules) { r.CompletingName = true },
	},
	{
		Release: "1.1.0", ID: "KAFKA-6275",
		What:   "an Empty group that is loaded keeps its protocol type",
		Broker: func(r *BrokerRules) { r.EmptyTypeLoaded = true },
	},
	{
		Release: "2.0.0", ID: "PR #4788",
		What: "a partition counts as loading from when its load is queued, and says so",
		Broker: func(r *BrokerRules) {
			r.LoadingFirst = true
			r.LoadingWhenScheduled = true
			r.SyncTranslated = true
		},
	},
	{
		Release: "2.0.0", ID: "KAFKA-6796",
		What:   "a commit of a partition that the topic does not have gets UNKNOWN_TOPIC_OR_PARTITION",
		Broker: func(r *BrokerRules) { r.CommitsByPartition = true },
	},
	{
		Release: "2.0.0", ID: "KAFKA-6773",
		What:   "every request's group id is looked at first",
		Broker: func(r *BrokerRules) { r.GroupIDsChecked = true },
	},
	{
		Release: "2.0.0", ID: "KIP-186",
		What:   "offsets are kept for a week, not a day",
		Broker: func(r *BrokerRules) { r.WeekOfRetention = true },
	},
	{
		Release: "2.0.1", ID: "KAFKA-7196",
		What:   "a member dropped at the end of the join phase loses its session timer",
		Broker: dropsTimer,
	},
	{
		Release: "2.1.0", ID: "KAFKA-7196",
		What:   "a member dropped at the end of the join phase loses its session timer",
		Broker: dropsTimer,
	},
	{
		Release: "2.1.0", ID: "KIP-211",
		What:   "offsets expire only some time after their group became Empty",
		Broker: func(r *BrokerRules) { r.Expiry = ExpiryByGroup },
	},
	{
		Release: "2.1.1", ID: "KAFKA-7610",
		What:   "a new member's JoinGroup is parked for 5 minutes at most; a removed member is answered",
		Broker: newMemberTimeout,
	},
	{
		Release: "2.2.0", ID: "KAFKA-7610",
		What:   "a new member's JoinGroup is parked for 5 minutes at most; a removed member is answered",
		Broker: newMemberTimeout,
	},
	{
		Release: "2.2.0", ID: "KIP-394",
		What: "a client asks for its member id first, then joins",
		Broker: func(r *BrokerRules) {
			r.MemberIDRequired = true
			r.AbsentTimersIdle = true
			r.ErrorGeneration = -1
		},
	},
	{
		Release: "2.2.0", ID: "KIP-389",
		What: "group.max.size: the first to ask an oversized group are refused",
		Broker: func(r *BrokerRules) {
			r.MaxSize = MaxSizeFirst
			r.RefusalCompletes = true
		},
	},
	{
		Release: "2.3.0", ID: "KIP-345",
		What: "static members; sessions are at most 30 minutes",
		Broker: func(r *BrokerRules) {
			r.StaticMembers = true
			r.Heartbeat = HeartbeatChecked
			r.StateTimeLost = true
			r.OldLeaderWedges = true
			r.MaxSession = 1_800_000
		},
	},
	{
		Release: "2.3.0", ID: "KAFKA-8386",
		What:   "a dead group answers COORDINATOR_NOT_AVAILABLE",
		Broker: func(r *BrokerRules) { r.DeadIsUnavailable = true },
	},
	{
		Release: "2.3.0", ID: "KAFKA-8653",
		What:   "a JoinGroup of version 0 has no time to wait: its rebalances end at once",
		Broker: func(r *BrokerRules) { r.JoinV0NoTimeout = true },
	},
	{
		Release: "2.3.0", ID: "KAFKA-8715",
		What:   "a static member's id ends in the time of the group's last change",
		Broker: func(r *BrokerRules) { r.StaticIDByTime = true },
	},
	{
		Release: "2.3.1", ID: "KAFKA-8653",
		What:   "a JoinGroup of version 0 waits as long as its session",
		Broker: func(r *BrokerRules) { r.JoinV0NoTimeout = false },
	},
	{
		Release: "2.3.1", ID: "KAFKA-8715",
		What:   "a static member's id is unique",
		Broker: func(r *BrokerRules) { r.StaticIDByTime = false },
	},
	{
		Release: "2.4.0", ID: "KAFKA-8653",
		What:   "a JoinGroup of version 0 waits as long as its session",
		Broker: func(r *BrokerRules) { r.JoinV0NoTimeout = false },
	},
	{
		Release: "2.4.0", ID: "KAFKA-8715",
		What:   "a static member's id is unique",
		Broker: func(r *BrokerRules) { r.StaticIDByTime = false },
	},
	{
		Release: "2.4.0", ID: "KIP-345",
		What:   "LeaveGroup takes several members, by id or instance id",
		Broker: func(r *BrokerRules) { r.BatchLeave = true },
	},
	{
		Release: "2.4.0", ID: "KAFKA-8487",
		What:   "OffsetCommit checks member and generation before the state",
		Broker: func(r *BrokerRules) { r.Commit = CommitMemberFirst },
	},
	{
		Release: "2.4.0", ID: "KIP-496",
		What:   "the coordinator knows which topics a group subscribes to; offsets of others expire and can be deleted",
		Broker: func(r *BrokerRules) { r.Expiry = ExpirySubscribed },
	},
	{
		Release: "2.4.1", ID: "KAFKA-9752",
		What:   "at the end of its first join phase a member gets no session timer",
		Broker: func(r *BrokerRules) { r.NewMembersUnwatched = true },
	},
	{
		Release: "2.5.0", ID: "KIP-559",
		What: "SyncGroup names the protocol, which is checked; answers name it too",
		Broker: func(r *BrokerRules) {
			r.SyncNamesProtocol = true
			r.Nameless = NamelessFromV7
		},
	},
	{
		Release: "2.5.0", ID: "KAFKA-9752",
		What:   "a sign of life ends every session timer of a member, also a new one's 5 minutes",
		Broker: func(r *BrokerRules) { r.SignsOfLife = true },
	},
	{
		Release: "2.5.0", ID: "KAFKA-9801",
		What:   "a static member that restarts in CompletingRebalance begins a rebalance",
		Broker: func(r *BrokerRules) { r.StaticMovesCompleting = true },
	},
	{
		Release: "2.5.0", ID: "KIP-447",
		What: "TxnOffsetCommit's member is judged; OffsetFetch can ask for stable offsets",
		Broker: func(r *BrokerRules) {
			r.TxnCommitChecked = true
			r.StableFetch = true
		},
	},
	{
		Release: "2.6.0", ID: "KAFKA-9885",
		What:   "group.max.size: the last to ask an oversized group are refused",
		Broker: func(r *BrokerRules) { r.MaxSize = MaxSizeLast },
	},
	{
		Release: "2.6.1", ID: "KAFKA-10134",
		What:   "heartbeats in CompletingRebalance are answered NONE and keep the session",
		Broker: completingAlive,
	},
	{
		Release: "2.6.1", ID: "KAFKA-10284",
		What:   "the new id of a static member that restarts in Stable is stored",
		Broker: staticStored,
	},
	{
		Release: "2.6.1", ID: "KAFKA-10401",
		What:   "a group's record has the time of its last change of state again",
		Broker: func(r *BrokerRules) { r.StateTimeLost = false },
	},
	{
		Release: "2.7.0", ID: "KAFKA-10134",
		What:   "heartbeats in CompletingRebalance are answered NONE and keep the session",
		Broker: completingAlive,
	},
	{
		Release: "2.7.0", ID: "KAFKA-10284",
		What:   "the new id of a static member that restarts in Stable is stored",
		Broker: staticStored,
	},
	{
		Release: "2.7.0", ID: "KAFKA-10401",
		What:   "a group's record has the time of its last change of state again",
		Broker: func(r *BrokerRules) { r.StateTimeLost = false },
	},
	{
		Release: "2.8.1", ID: "KAFKA-12890",
		What:   "members that send no SyncGroup within the rebalance timeout are removed",
		Broker: func(r *BrokerRules) { r.PendingSync = true },
	},
	{
		Release: "2.8.1", ID: "KAFKA-10614",
		What:   "loads and unloads are ordered by leader epoch; a queued load does not show",
		Broker: epochsOrdered,
	},
	{
		Release: "2.8.2", ID: "KAFKA-13636",
		What:   "no offset of a group that is not Stable expires",
		Broker: func(r *BrokerRules) { r.Expiry = ExpirySubscribedStable },
	},
	{
		Release: "3.0.0", ID: "KAFKA-12890",
		What:   "members that send no SyncGroup within the rebalance timeout are removed",
		Broker: func(r *BrokerRules) { r.PendingSync = true },
	},
	{
		Release: "3.0.0", ID: "KAFKA-10614",
		What:   "loads and unloads are ordered by leader epoch; a queued load does not show",
		Broker: epochsOrdered,
	},
	{
		Release: "3.0.0", ID: "PR #9958",
		What: "one judgement of members for all requests: an unknown instance id is an unknown member",
		Broker: func(r *BrokerRules) {
			r.MemberUnified = true
			r.RefusalDropsPending = true
			r.Commit = CommitUnified
		},
	},
	{
		Release: "3.0.1", ID: "KAFKA-13636",
		What:   "no offset of a group that is not Stable expires",
		Broker: func(r *BrokerRules) { r.Expiry = ExpirySubscribedStable },
	},
	{
		Release: "3.1.1", ID: "KAFKA-13636",
		What:   "no offset of a group that is not Stable expires",
		Broker: func(r *BrokerRules) { r.Expiry = ExpirySubscribedStable },
	},
	{
		Release: "3.2.0", ID: "KAFKA-13636",
		What:   "no offset of a group that is not Stable expires",
		Broker: func(r *BrokerRules) { r.Expiry = ExpirySubscribedStable },
	},
	{
		Release: "3.2.0", ID: "KIP-814",
		What:   "a static leader that restarts learns that it leads, and that it need not assign",
		Broker: func(r *BrokerRules) { r.SkipAssignment = true },
	},
	{
		Release: "3.3.0", ID: "KAFKA-14201",
		What:   "a commit without generation to an Empty group is not judged",
		Broker: func(r *BrokerRules) { r.Commit = CommitSimpleFirst },
	},
	{
		Release: "3.3.2", ID: "KAFKA-14009",
		What:   "a known member's JoinGroup brings new timeouts",
		Broker: func(r *BrokerRules) { r.RejoinTimeouts = true },
	},
	{
		Release: "3.3.2", ID: "KAFKA-14422",
		What:   "an old client's answer leaves instance ids out where it could not be written",
		Broker: func(r *BrokerRules) { r.OldLeaderWedges = false },
	},
	{
		Release: "3.4.0", ID: "KAFKA-14009",
		What:   "a known member's JoinGroup brings new timeouts",
		Broker: func(r *BrokerRules) { r.RejoinTimeouts = true },
	},
	{
		Release: "3.4.0", ID: "KAFKA-14422",
		What:   "an old client's answer leaves instance ids out where it could not be written",
		Broker: func(r *BrokerRules) { r.OldLeaderWedges = false },
	},
	{
		Release: "3.8.0", ID: "KIP-848",
		What:   "ListGroups compares state names without case",
		Broker: func(r *BrokerRules) { r.FilterIgnoresCase = true },
	},
	{
		Release: Snapshot, ID: "KAFKA-14048",
		What: "the coordinator written in Java",
		Broker: func(r *BrokerRules) {
			r.DelayByState = true
			r.ExpiryEndsDelay = true
			r.TimerStaysParked = true
			r.ReplacedTimersStay = true
			r.StaticAnswersAny = false
			r.StableSyncSilent = true
			r.RefusalCompletes = false
			r.LeaveOnce = true
			r.CommitWithoutGroup = true
			r.StableFetchWaits = true
			r.HashOrder = HashJava
			r.DescribesAssignment = true
			r.Nameless = NamelessUnknown
			r.DeleteKeepsGroup = true
			r.RefusalAnonymous = true
			r.StaticRevertsProtocols = true
			r.StaticIsNoMoreNew = true
			r.StoreTimeout = StoreTimeoutUnavailable
			r.AfterAppendPassed = true
			r.CommitSizeUnknown = true
			r.WaitsForLog = true
			r.CommitOutlivesTimeout = true
			r.TombstonesAwaited = true
			r.SessionRangeFirst = true
			r.LoadingListsNothing = true
			r.RecordsNewGroup = true
			r.RetriesTimers = true
			r.SyncTranslated = false
			r.SizeAfterTimers = true
			r.TombstonesAlways = true
			r.ExpiryByPartition = true
		},
	},
}

func unloadsOwnOnly(r *BrokerRules)        { r.UnloadsOwnOnly = true }
func lostPartitionAnswered(r *BrokerRules) { r.LostPartitionAnswered = true }
func dropsTimer(r *BrokerRules)            { r.DropsTimer = true }
func newMemberTimeout(r *BrokerRules)      { r.NewMemberTimeout = true }
func completingAlive(r *BrokerRules)       { r.CompletingAlive = true }
func staticStored(r *BrokerRules) {
	r.StaticStored = true
	r.StaticAnswersAny = true
}
func epochsOrdered(r *BrokerRules) {
	r.EpochsOrdered = true
	r.LoadingWhenScheduled = false
}
