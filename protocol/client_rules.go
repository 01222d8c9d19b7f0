package protocol

// ClientRules are the behaviours of a release's Java consumer (classic group
// protocol). The zero value is none; the first row below describes 0.9.0.0.
type ClientRules struct {
	Defaults ClientDefaults

	// The structure of poll.
	Poll                      PollStructure
	HeartbeatThread           bool // KIP-62
	BoundedCalls              bool // KIP-266
	IdleWaitIsBackoff         bool // with nothing in flight a network poll ends after retry.backoff.ms
	MaxPollIsHeartbeat        bool // a network poll ends after min(heartbeat.interval.ms, 5000)
	ShortWaitWithoutPositions bool // a poll without all positions waits for retry.backoff.ms only
	RebalanceBeforeRecords    bool // poll returns nothing while a rebalance is wanted (until KAFKA-8421)
	RefreshesClockAfterJoin   bool // KAFKA-10134
	RefreshesBeforeJoin       bool // KAFKA-7126
	TimersWaitForClock        bool // a clock that is put back stops the timers of membership until it has caught up
	ChecksRequestTimeout      bool // the constructor wants request.timeout.ms > session.timeout.ms

	// Membership.
	HeartbeatsWhileCompleting  bool // KAFKA-10134: states PREPARING and COMPLETING
	JoinClearsRejoin           bool // KAFKA-5154
	KeepsUnsubscribed          bool // KIP-70: partitions of topics that are not subscribed to any more are kept until the rebalance
	OnlyLeaderWatches          bool // KAFKA-3949: before, every member rejoined when it saw other partitions
	SnapshotsWhenPolled        bool // KAFKA-7831: metadata is looked at when the user polls, not when it comes
	MismatchRejoins            bool // KAFKA-7961
	RemembersSnapshotChange    bool // KAFKA-9815
	SnapshotKeepsReason        bool
	IgnoresStaleErrors         bool // KAFKA-9823
	ResetKeepsRebalancing      bool // KAFKA-9801
	ResetNeedsPrepare          bool // KAFKA-12983
	RetriableFailureResets     bool // KAFKA-13214
	FailedJoinRejoins          bool // a failed join wishes for another (KAFKA-13214's fix)
	MemberIDReasonStays        bool // 3.7
	KeepsMemberID              bool // KAFKA-13419
	ChecksGenerationAfterSync  bool // KAFKA-8104
	LoopsAfterOvertaken        bool
	LeavesExpiredLoop          bool // KAFKA-12639
	RebalanceDuringSyncResets  bool // KAFKA-13891, KAFKA-14016
	SyncErrorRejoins           bool
	ToleratesRebalanceInJoin   bool // KAFKA-10870
	ChecksProtocol             bool // KIP-559
	StaticMembers              bool // KIP-345
	LeavesWithMemberID         bool // KIP-394
	TellsReasons               bool // KIP-800
	FencedResets               bool // a fenced heartbeat resets the generation
	JoinTimeout                JoinTimeoutRule
	AwaitsPendingBeforeJoin    bool // no JoinGroup while a request to the coordinator is pending
	ResetKeepsGenerationNumber bool // before 0.10.1 only the member id was dropped
	PrepareOnce                bool // a wakeup in the listener does not run it again
	DropsJoinFirst             bool // KAFKA-5611: a join is forgotten before its assignment is taken over
	ReadsAssignmentOnce        bool // KAFKA-7194: an assignment cannot be taken over a second time

	// Rebalance callbacks and assignments.
	Cooperative               bool // KIP-429
	PrepareCommit             PrepareCommitRule
	BoundedPrepareCommit      bool // KIP-102: by the rebalance timeout
	PausesWhilePreparing      bool // KAFKA-14196
	ListenerErrorsThrown      bool // KIP-429
	KafkaErrorsAsTheyAre      bool
	SubscriptionVersion       int16
	ValidatesOwnCooperative   bool // KAFKA-13406
	MaySkipAssignment         bool // KIP-814
	LeaderAddsTopics          bool // KAFKA-4633: a leader asks for metadata of topics that its assignor assigned on its own
	SnapshotListsUnknown      bool // a leader's snapshot has topics that the client knows nothing of
	WatchesRacks              bool // KAFKA-14867
	LeaveDuringRebalanceLoses bool

	// Heartbeats.
	PollNotifiesHeartbeat bool // KAFKA-5512
	FoundResetsPollTimer  bool
	FailureEndsWait       bool // KAFKA-14729
	HeartbeatLookup       HeartbeatLookupRule

	// Discovery and network.
	ExponentialRetry           bool // KIP-580
	ExponentialReconnect       bool // KIP-144
	UnavailableInBackoffOnly   bool // KIP-266
	DisconnectsLostCoordinator bool // KAFKA-6366
	KeepsFindFuture            bool // KAFKA-10793
	TriesOldestNode            bool // KIP-601

	// Offsets.
	CommitKnowsRebalance        bool // RebalanceInProgressException (KIP-447)
	CommitKeepsGeneration       bool // KAFKA-8487
	CommitRetriesUnknownTopic   bool // KAFKA-6829
	AsyncCommitLooksUp          bool // KAFKA-13563
	AsyncLookupKeepsWakeup      bool // KAFKA-14208
	ManualPollLooksUp           bool // KAFKA-13563, for two releases: poll waits for a coordinator that only commits need
	AutoCommitLooksUp           bool // KAFKA-6362
	PausedFetchesOffsets        bool // KAFKA-4547: a paused partition goes back to its committed offset when another has none
	AsyncCallbacksFirst         bool // KAFKA-5730
	EmptyCommitWaits            bool // KAFKA-10337
	ManualCommitWithoutInstance bool // KAFKA-14201
	RequiresStableOffsets       bool // KIP-447
	OffsetFetchRetries          bool // KAFKA-17279
	CollectsTopicAuthorization  bool
	CloseAwaitsLeave            bool // KAFKA-3703
	CloseAwaitsSessions         bool // fetch sessions are closed, too
}

// ClientDefaults are default settings that differ by release, in milliseconds.
type ClientDefaults struct {
	SessionTimeout int64
	RequestTimeout int64
	MaxPollRecords int64
	Strategy       []string
}

// PollStructure is how poll is built.
type PollStructure uint8

const (
	// PollDelayedTasks: everything blocks without end; heartbeats and auto-commit are
	// tasks that run inside poll.
	PollDelayedTasks PollStructure = iota
	// PollHeartbeatLast: the poll timer is reset after lookup and join (KIP-62).
	PollHeartbeatLast
	// PollBounded: the whole of poll is bounded by its timeout, and nothing is fetched before the
	// group has answered (KIP-266).
	PollBounded
	// PollZeroTimer: lookup, join and offset fetch get no time at all (KAFKA-10134).
	PollZeroTimer
	// PollJoinZero: only the join gets no time (KAFKA-10134).
	PollJoinZero
)

// JoinTimeoutRule is how long an answer to JoinGroup is waited for.
type JoinTimeoutRule uint8

const (
	JoinTimeoutRequest        JoinTimeoutRule = iota // request.timeout.ms
	JoinTimeoutRebalance                             // rebalance timeout + 5 s (KAFKA-7050)
	JoinTimeoutAtLeastRequest                        // the longer of the two; may overflow (KAFKA-13126)
	JoinTimeoutGuarded                               // KAFKA-13126
)

// PrepareCommitRule is how the auto-commit before a join is made.
type PrepareCommitRule uint8

const (
	PrepareCommitSync      PrepareCommitRule = iota // the join waits for it (KAFKA-13310)
	PrepareCommitForgotten                          // sent anew by each poll, none awaited (KAFKA-14024)
	PrepareCommitAwaited                            // sent once, awaited over polls
)

// HeartbeatLookupRule is how the heartbeat thread looks for a coordinator.
type HeartbeatLookupRule uint8

const (
	LookupWaitsWhilePending HeartbeatLookupRule = iota // KAFKA-4777: a lookup without a broker is repeated at once
	LookupWaitsIfFailed                                // waits while a lookup is under way or when it failed at once
	LookupSpins                                        // KAFKA-13917: a tight loop while no broker can be reached
	LookupWaits                                        // a pause after each step
)

// clientRows are the changes to the client, from the release notes and from its code's
// history. Rows that name no issue are changes that came with none.
var clientRows = []Row{
	{Release: "0.9.0.0", ID: "KAFKA-2464", What: "the consumer with client-side assignment: heartbeats and auto-commit run inside poll",
		Client: func(r *ClientRules) {
			r.Defaults = ClientDefaults{SessionTimeout: 30_000, RequestTimeout: 40_000, MaxPollRecords: 1<<31 - 1, Strategy: []string{"range"}}
			r.ChecksRequestTimeout = true
			r.ResetKeepsGenerationNumber = true
			r.AwaitsPendingBeforeJoin = true
			r.SyncErrorRejoins = true
			r.DropsJoinFirst = true
		}},
	{Release: "0.10.1.0", ID: "KIP-62", What: "a heartbeat thread, max.poll.interval.ms, and a rebalance timeout in JoinGroup",
		Client: func(r *ClientRules) {
			r.Defaults.SessionTimeout, r.Defaults.RequestTimeout, r.Defaults.MaxPollRecords = 10_000, 305_000, 500
			r.HeartbeatThread = true
			r.Poll = PollHeartbeatLast
			r.FoundResetsPollTimer = true
			r.RebalanceBeforeRecords = true
			r.ResetKeepsGenerationNumber = false
			r.AwaitsPendingBeforeJoin = false
		}},
	{Release: "0.10.1.0", ID: "KAFKA-3949", What: "only the leader asks for a rebalance when it sees other partitions",
		Client: func(r *ClientRules) { r.OnlyLeaderWatches = true }},
	{Release: "0.10.1.0", ID: "KIP-70", What: "partitions are kept until the new assignment is there; JoinGroup's success ends the wish to rejoin (KAFKA-5154)",
		Client: func(r *ClientRules) { r.JoinClearsRejoin, r.KeepsUnsubscribed = true, true }},
	{Release: "0.10.1.0", ID: "KAFKA-4547", What: "a paused partition goes back to its committed offset when another has no position",
		Client: func(r *ClientRules) { r.PausedFetchesOffsets = true }},
	{Release: "0.10.2.0", ID: "KAFKA-4547", What: "a paused partition keeps its position",
		Client: func(r *ClientRules) { r.PausedFetchesOffsets = false }},
	{Release: "0.10.2.0", ID: "KAFKA-4633", What: "a leader watches topics that its assignor assigned and nobody subscribes to",
		Client: func(r *ClientRules) { r.LeaderAddsTopics = true }},
	{Release: "0.10.2.0", ID: "KAFKA-3703", What: "close waits for the answer to LeaveGroup, and the commit before a join is bounded (KIP-102)",
		Client: func(r *ClientRules) { r.CloseAwaitsLeave, r.BoundedPrepareCommit = true, true }},
	{Release: "0.11.0.0", ID: "KAFKA-5154", What: "only SyncGroup's success ends the wish to rejoin, not JoinGroup's",
		Client: func(r *ClientRules) { r.JoinClearsRejoin = false }},
	{Release: "0.11.0.0", ID: "KAFKA-4777", What: "the heartbeat thread pauses when it finds no broker to ask",
		Client: func(r *ClientRules) { r.HeartbeatLookup = LookupWaitsIfFailed }},
	{Release: "0.11.0.0", ID: "KIP-144", What: "the reconnect back-off doubles up to reconnect.backoff.max.ms",
		Client: func(r *ClientRules) { r.ExponentialReconnect = true }},
	{Release: "0.11.0.1", ID: "KAFKA-5512", What: "poll wakes the heartbeat thread when a heartbeat is due",
		Client: func(r *ClientRules) { r.PollNotifiesHeartbeat = true }},
	{Release: "1.0.0", ID: "KAFKA-5512", What: "poll wakes the heartbeat thread when a heartbeat is due",
		Client: func(r *ClientRules) { r.PollNotifiesHeartbeat = true }},
	{Release: "0.11.0.1", ID: "KAFKA-5611", What: "a join is remembered until its assignment has been taken over, which fails the second time (KAFKA-7194)", Client: keepsJoin},
	{Release: "1.0.0", ID: "KAFKA-5611", What: "a join is remembered until its assignment has been taken over, which fails the second time (KAFKA-7194)", Client: keepsJoin},
	{Release: "1.0.0", ID: "KAFKA-5730", What: "commitSync returns after the callbacks of earlier asynchronous commits",
		Client: func(r *ClientRules) { r.AsyncCallbacksFirst = true }},
	{Release: "1.1.0", ID: "KAFKA-6366", What: "the connection to a coordinator that is given up is closed; idle network polls end after retry.backoff.ms",
		Client: func(r *ClientRules) {
			r.DisconnectsLostCoordinator, r.IdleWaitIsBackoff, r.MaxPollIsHeartbeat, r.ShortWaitWithoutPositions = true, true, true, true
		}},
	{Release: "1.1.0", ID: "KAFKA-6362", What: "auto-commit looks for the coordinator by itself",
		Client: func(r *ClientRules) { r.AutoCommitLooksUp = true }},
	{Release: "2.0.0", ID: "KAFKA-7194", What: "an assignment can be taken over again after a wakeup",
		Client: func(r *ClientRules) { r.ReadsAssignmentOnce = false }},
	{Release: "2.0.0", ID: "KIP-266", What: "poll is bounded by its timeout; JoinGroup has a timeout of its own, and other requests 30 s",
		Client: func(r *ClientRules) {
			r.Poll = PollBounded
			r.BoundedCalls = true
			r.JoinTimeout = JoinTimeoutRebalance
			r.Defaults.RequestTimeout = 30_000
			r.ChecksRequestTimeout = false
			r.UnavailableInBackoffOnly = true
		}},
	{Release: "2.0.0", ID: "KAFKA-6829", What: "UNKNOWN_TOPIC_OR_PARTITION on a commit is tried again",
		Client: func(r *ClientRules) { r.CommitRetriesUnknownTopic = true }},
	{Release: "2.0.1", ID: "KAFKA-7126", What: "a pattern subscriber refreshes its metadata before it joins",
		Client: func(r *ClientRules) { r.RefreshesBeforeJoin = true }},
	{Release: "2.1.0", ID: "KAFKA-7126", What: "a pattern subscriber refreshes its metadata before it joins",
		Client: func(r *ClientRules) { r.RefreshesBeforeJoin = true }},
	{Release: "2.1.0", ID: "Timer", What: "timers never see the time of day go back: they wait until it has come again",
		Client: func(r *ClientRules) { r.TimersWaitForClock = true }},
	{Release: "2.1.0", ID: "timer", What: "finding the coordinator resets the session timer only",
		Client: func(r *ClientRules) { r.FoundResetsPollTimer = false }},
	{Release: "2.2.0", ID: "KIP-394", What: "a member that the broker knows only by a pending id leaves with it",
		Client: func(r *ClientRules) { r.LeavesWithMemberID = true }},
	{Release: "2.3.0", ID: "KIP-345", What: "static membership",
		Client: func(r *ClientRules) { r.StaticMembers = true }},
	{Release: "2.3.0", ID: "KAFKA-7831", What: "new metadata is looked at when the user polls",
		Client: func(r *ClientRules) { r.SnapshotsWhenPolled = true }},
	{Release: "2.3.0", ID: "KAFKA-7961", What: "an assignment with a topic that is not subscribed to any more makes the member rejoin, and does not throw",
		Client: func(r *ClientRules) { r.MismatchRejoins = true }},
	{Release: "2.3.1", ID: "topic authorization", What: "unauthorized topics of an OffsetFetch are collected",
		Client: func(r *ClientRules) { r.CollectsTopicAuthorization = true }},
	{Release: "2.4.0", ID: "topic authorization", What: "unauthorized topics of an OffsetFetch are collected",
		Client: func(r *ClientRules) { r.CollectsTopicAuthorization = true }},
	{Release: "2.4.0", ID: "KIP-429", What: "cooperative rebalancing, onPartitionsLost, owned partitions in the subscription; a listener's exceptions reach the caller of poll",
		Client: func(r *ClientRules) {
			r.Cooperative, r.ListenerErrorsThrown, r.PrepareOnce, r.ValidatesOwnCooperative = true, true, true, true
			r.SubscriptionVersion = 1
		}},
	{Release: "2.4.0", ID: "KAFKA-8487", What: "REBALANCE_IN_PROGRESS on a commit keeps the generation",
		Client: func(r *ClientRules) { r.CommitKeepsGeneration = true }},
	{Release: "2.4.0", ID: "KAFKA-8104", What: "a generation that was reset before the assignment is taken over is noticed",
		Client: func(r *ClientRules) { r.ChecksGenerationAfterSync = true }},
	{Release: "2.5.0", ID: "KAFKA-8421", What: "poll returns records while a rebalance is under way, and gives the group's work no time at all",
		Client: func(r *ClientRules) { r.RebalanceBeforeRecords, r.Poll = false, PollZeroTimer }},
	{Release: "2.5.0", ID: "KIP-559", What: "protocol type and name in the answers are checked",
		Client: func(r *ClientRules) { r.ChecksProtocol = true }},
	{Release: "2.5.0", ID: "KAFKA-9815", What: "a rejoin for changed metadata or subscription is remembered",
		Client: func(r *ClientRules) { r.RemembersSnapshotChange = true }},
	{Release: "2.5.0", ID: "KAFKA-9801", What: "a reset during a rebalance leaves the JoinGroup under way valid",
		Client: func(r *ClientRules) { r.ResetKeepsRebalancing = true }},
	{Release: "2.5.0", ID: "KIP-447", What: "a commit during a rebalance fails with RebalanceInProgress; stable offsets are asked for",
		Client: func(r *ClientRules) { r.CommitKnowsRebalance, r.RequiresStableOffsets = true, true }},
	{Release: "2.5.1", ID: "KAFKA-10134", What: "only the join part of poll gets no time",
		Client: func(r *ClientRules) { r.Poll = PollJoinZero }},
	{Release: "2.6.0", ID: "KAFKA-10134", What: "only the join part of poll gets no time",
		Client: func(r *ClientRules) { r.Poll = PollJoinZero }},
	{Release: "2.6.0", ID: "KAFKA-9823", What: "late errors about an old generation are ignored",
		Client: func(r *ClientRules) { r.IgnoresStaleErrors, r.FencedResets = true, true }},
	{Release: "2.6.0", ID: "join timeout", What: "JoinGroup waits for at least request.timeout.ms; a listener's KafkaException is thrown as it is; leaving during a rebalance loses partitions",
		Client: func(r *ClientRules) {
			r.JoinTimeout, r.KafkaErrorsAsTheyAre, r.LeaveDuringRebalanceLoses = JoinTimeoutAtLeastRequest, true, true
		}},
	{Release: "2.6.1", ID: "KAFKA-10134", What: "heartbeats from the JoinGroup answer on; a retriable join failure resets the member (KAFKA-13214)",
		Client: heartbeatsWhileCompleting},
	{Release: "2.7.0", ID: "KAFKA-10134", What: "heartbeats from the JoinGroup answer on; a retriable join failure resets the member (KAFKA-13214)",
		Client: heartbeatsWhileCompleting},
	{Release: "2.7.0", ID: "KIP-601", What: "of the brokers that can be connected to, the one tried the longest ago is asked",
		Client: func(r *ClientRules) { r.TriesOldestNode = true }},
	{Release: "2.6.2", ID: "KAFKA-10793", What: "a lookup is forgotten by the threads, not by its answer", Client: keepsFindFuture},
	{Release: "2.7.1", ID: "KAFKA-10793", What: "a lookup is forgotten by the threads, not by its answer", Client: keepsFindFuture},
	{Release: "2.8.0", ID: "KAFKA-10793", What: "a lookup is forgotten by the threads, not by its answer", Client: keepsFindFuture},
	{Release: "2.8.0", ID: "KAFKA-10870", What: "REBALANCE_IN_PROGRESS as the answer to JoinGroup is tried again",
		Client: func(r *ClientRules) { r.ToleratesRebalanceInJoin = true }},
	{Release: "2.7.2", ID: "KAFKA-12983", What: "a reset makes the next join prepare; a retriable join failure keeps the member id (KAFKA-13214)", Client: resetNeedsPrepare},
	{Release: "2.8.1", ID: "KAFKA-12983", What: "a reset makes the next join prepare; a retriable join failure keeps the member id (KAFKA-13214)", Client: resetNeedsPrepare},
	{Release: "3.0.0", ID: "KAFKA-12983", What: "a reset makes the next join prepare; a retriable join failure keeps the member id (KAFKA-13214)", Client: resetNeedsPrepare},
	{Release: "2.8.2", ID: "KAFKA-13406", What: "a leader does not validate what cooperative-sticky assigns", Client: trustsOwnCooperative},
	{Release: "3.0.0", ID: "KIP-735", What: "session.timeout.ms is 45 s; range and cooperative-sticky are the default assignors (KAFKA-13023)",
		Client: func(r *ClientRules) {
			r.Defaults.SessionTimeout = 45_000
			r.Defaults.Strategy = []string{"range", "cooperative-sticky"}
			r.SyncErrorRejoins = false
		}},
	{Release: "3.0.1", ID: "KAFKA-13406", What: "a leader does not validate what cooperative-sticky assigns", Client: trustsOwnCooperative},
	{Release: "3.1.0", ID: "KAFKA-13406", What: "a leader does not validate what cooperative-sticky assigns", Client: trustsOwnCooperative},
	{Release: "3.1.0", ID: "KAFKA-13126", What: "the timeout of JoinGroup does not overflow",
		Client: func(r *ClientRules) { r.JoinTimeout, r.SnapshotKeepsReason = JoinTimeoutGuarded, true }},
	{Release: "3.1.1", ID: "KAFKA-13563", What: "with a manual assignment poll waits for the coordinator",
		Client: func(r *ClientRules) { r.ManualPollLooksUp = true }},
	{Release: "3.1.2", ID: "KAFKA-13563", What: "an asynchronous commit looks for the coordinator, poll does not",
		Client: func(r *ClientRules) { r.ManualPollLooksUp, r.AsyncCommitLooksUp = false, true }},
	{Release: "3.2.0", ID: "KAFKA-13563", What: "with a manual assignment poll waits for the coordinator",
		Client: func(r *ClientRules) { r.ManualPollLooksUp = true }},
	{Release: "3.2.0", ID: "KAFKA-13419", What: "ILLEGAL_GENERATION keeps the member id",
		Client: func(r *ClientRules) { r.KeepsMemberID = true }},
	{Release: "3.2.0", ID: "KIP-800", What: "requests to join and to leave tell their reason",
		Client: func(r *ClientRules) { r.TellsReasons = true }},
	{Release: "3.2.0", ID: "KIP-814", What: "a static leader can be told to skip the assignment",
		Client: func(r *ClientRules) { r.MaySkipAssignment = true }},
	{Release: "3.2.0", ID: "KAFKA-13310", What: "the commit before a join is not waited for",
		Client: func(r *ClientRules) { r.PrepareCommit = PrepareCommitForgotten }},
	{Release: "3.2.1", ID: "KAFKA-14024", What: "the commit before a join is awaited over polls, up to the rebalance timeout", Client: awaitsPrepareCommit},
	{Release: "3.3.0", ID: "KAFKA-14024", What: "the commit before a join is awaited over polls, up to the rebalance timeout", Client: awaitsPrepareCommit},
	{Release: "3.2.3", ID: "KAFKA-14196", What: "an eager member stops fetching while its commit before a join is under way",
		Client: func(r *ClientRules) { r.PausesWhilePreparing = true }},
	{Release: "3.3.0", ID: "KAFKA-14196", What: "an eager member stops fetching while its commit before a join is under way",
		Client: func(r *ClientRules) { r.PausesWhilePreparing = true }},
	{Release: "3.2.3", ID: "KAFKA-14208", What: "the lookup of an asynchronous commit consumes no wakeup",
		Client: func(r *ClientRules) { r.AsyncLookupKeepsWakeup = true }},
	{Release: "3.3.0", ID: "KAFKA-14208", What: "the lookup of an asynchronous commit consumes no wakeup",
		Client: func(r *ClientRules) { r.AsyncLookupKeepsWakeup = true }},
	{Release: "3.3.0", ID: "KAFKA-13891", What: "SyncGroup's REBALANCE_IN_PROGRESS resets the generation (KAFKA-14016)",
		Client: func(r *ClientRules) { r.RebalanceDuringSyncResets = true }},
	{Release: "3.3.2", ID: "KAFKA-14016", What: "SyncGroup's REBALANCE_IN_PROGRESS keeps the generation",
		Client: func(r *ClientRules) { r.RebalanceDuringSyncResets = false }},
	{Release: "3.4.0", ID: "KAFKA-14016", What: "SyncGroup's REBALANCE_IN_PROGRESS keeps the generation",
		Client: func(r *ClientRules) { r.RebalanceDuringSyncResets = false }},
	{Release: "3.3.0", ID: "KAFKA-14201", What: "commits of a manual assignment carry no group.instance.id",
		Client: func(r *ClientRules) { r.ManualCommitWithoutInstance = true }},
	{Release: "3.4.0", ID: "KIP-792", What: "the subscription carries the generation, and the rack (KIP-881)",
		Client: func(r *ClientRules) { r.SubscriptionVersion = 3 }},
	{Release: "3.5.0", ID: "KAFKA-12639", What: "a join loop without time left ends; a dead heartbeat thread ends the wait of poll (KAFKA-14729); a leader watches racks (KAFKA-14867)",
		Client: func(r *ClientRules) { r.LeavesExpiredLoop, r.FailureEndsWait, r.WatchesRacks = true, true, true }},
	{Release: "3.5.0", ID: "KAFKA-14867", What: "a topic that the client knows nothing of is part of a leader's snapshot (vector B0430)",
		Client: func(r *ClientRules) { r.SnapshotListsUnknown = true }},
	{Release: "3.5.0", ID: "fetch sessions", What: "close ends the fetch sessions and waits for the brokers' answers",
		Client: func(r *ClientRules) { r.CloseAwaitsSessions = true }},
	{Release: "3.6.0", ID: "KAFKA-10337", What: "commitSync of nothing waits for asynchronous commits",
		Client: func(r *ClientRules) { r.EmptyCommitWaits = true }},
	{Release: "3.7.0", ID: "KIP-580", What: "back-off doubles up to retry.backoff.max.ms, save in the join loop",
		Client: func(r *ClientRules) { r.ExponentialRetry, r.MemberIDReasonStays = true, true }},
	{Release: "3.9.0", ID: "KAFKA-17279", What: "every retriable error of OffsetFetch is tried again",
		Client: func(r *ClientRules) { r.OffsetFetchRetries = true }},
}

func heartbeatsWhileCompleting(r *ClientRules) {
	r.HeartbeatsWhileCompleting, r.RefreshesClockAfterJoin, r.RetriableFailureResets, r.LoopsAfterOvertaken = true, true, true, true
	r.ResetKeepsRebalancing = false
}

func keepsFindFuture(r *ClientRules) { r.KeepsFindFuture, r.HeartbeatLookup = true, LookupSpins }

func resetNeedsPrepare(r *ClientRules) {
	r.ResetNeedsPrepare, r.RetriableFailureResets, r.FailedJoinRejoins = true, false, true
}

func trustsOwnCooperative(r *ClientRules) { r.ValidatesOwnCooperative = false }

func awaitsPrepareCommit(r *ClientRules) {
	r.PrepareCommit, r.HeartbeatLookup = PrepareCommitAwaited, LookupWaits
	r.AsyncCommitLooksUp, r.ManualPollLooksUp = true, false // KAFKA-13563
}

func keepsJoin(r *ClientRules) { r.DropsJoinFirst, r.ReadsAssignmentOnce = false, true }
