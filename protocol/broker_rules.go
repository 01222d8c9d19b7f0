package protocol

// BrokerRules are the behaviours of a release's group coordinator. The zero value is
// Kafka 0.9.0.0; brokerRows say what each later release changed.
type BrokerRules struct {
	// Members and their timers.

	// EmptyState: a group begins Empty and becomes Empty when it loses its last
	// member. Before, it begins Stable and dies with its last member.
	EmptyState bool
	// RebalanceTimeout: JoinGroup's own rebalance timeout bounds the join phase;
	// before, the session timeout does.
	RebalanceTimeout bool
	// InitialDelay: the first rebalance of an Empty group waits for more members.
	InitialDelay bool
	// DelayByState: the initial delay grows whenever the group came from Empty;
	// before, only while its generation is 0.
	DelayByState bool
	// ExpiryEndsDelay: a session that expires in the initial delay may end it.
	ExpiryEndsDelay bool
	// DropsTimer: a member that is dropped at the end of the join phase loses its
	// session timer. Before, that still goes off and moves the group.
	DropsTimer bool
	// AbsentTimersIdle: a session timer whose member is gone does nothing. Before, it
	// moves the group as if the member had only now died.
	AbsentTimersIdle bool
	// NewMemberTimeout: a new member's parked JoinGroup is given up after 5 minutes,
	// and a member removed while its JoinGroup is parked is answered.
	NewMemberTimeout bool
	// SignsOfLife: a sign of life ends every session timer of a member, also the 5
	// minutes of a new one. Before, it ends those that would go off before the new one.
	SignsOfLife bool
	// NewMembersUnwatched: at the end of a join phase new members get no session timer.
	NewMembersUnwatched bool
	// TimerStaysParked: the session timer runs on, without effect, while a member's
	// request is parked and it heartbeats.
	TimerStaysParked bool
	// SyncKeepsTimer: a SyncGroup that is parked leaves the session timer alone;
	// before, it stops it.
	SyncKeepsTimer bool
	// ReplacedTimersStay: the session timer of an id that was replaced, or refused for
	// size, goes off, without effect.
	ReplacedTimersStay bool
	// StableSyncSilent: a SyncGroup in Stable does not renew the session.
	StableSyncSilent bool
	// CommitRenews: an offset commit renews the session.
	CommitRenews bool
	// PendingSync: members that send no SyncGroup are removed after the rebalance timeout.
	PendingSync bool
	// SteadyTimers: timers run by a clock that nobody sets; before, by the machine's time
	// of day, and they go off sooner or later when that jumps.
	SteadyTimers bool
	// RejoinTimeouts: a known member's JoinGroup brings new timeouts.
	RejoinTimeouts bool

	// Requests.

	// Heartbeat is how heartbeats outside Stable are judged.
	Heartbeat HeartbeatRule
	// CompletingAlive: a heartbeat in CompletingRebalance is answered NONE and
	// renews the session; before, REBALANCE_IN_PROGRESS.
	CompletingAlive bool
	// EmptyProtocolsRefused: a first member must offer a protocol and a type.
	EmptyProtocolsRefused bool
	// MemberIDRequired: a JoinGroup from version 4 on without an id gets one and has
	// to ask again with it.
	MemberIDRequired bool
	// MaxSize is how group.max.size is kept.
	MaxSize MaxSizeRule
	// RefusalCompletes: after a refusal for size the join phase may complete.
	RefusalCompletes bool
	// RefusalDropsPending: an id given out that is refused for size is forgotten.
	RefusalDropsPending bool
	// ErrorGeneration is the generation in refused JoinGroups: 0, or -1.
	ErrorGeneration int32
	// DeadIsUnavailable: a dead group answers COORDINATOR_NOT_AVAILABLE; before,
	// UNKNOWN_MEMBER_ID.
	DeadIsUnavailable bool
	// BatchLeave: LeaveGroup version 3 takes several members, by id or instance id.
	BatchLeave bool
	// LeaveOnce: a batch makes one rebalance, even if only an id given out has left;
	// before, each member makes its own.
	LeaveOnce bool
	// SyncNamesProtocol: SyncGroup's protocol type and name must be the group's.
	SyncNamesProtocol bool
	// JoinV0NoTimeout: a JoinGroup of version 0 has a rebalance timeout of -1.
	JoinV0NoTimeout bool
	// MemberUnified: an instance id that nobody has is an unknown member to every
	// request. Before, it matters to JoinGroup only; one that is another member's is
	// fenced by all.
	MemberUnified bool
	// Commit is the order of checks of OffsetCommit.
	Commit CommitRule
	// TxnCommitChecked: a transactional commit's member is judged if it is named.
	TxnCommitChecked bool
	// CommitWithoutGroup: a commit with a generation to no group is refused with
	// GROUP_ID_NOT_FOUND from OffsetCommit version 9 on.
	CommitWithoutGroup bool
	// StableFetch: OffsetFetch may ask for offsets without a pending commit.
	StableFetch bool
	// StableFetchWaits: such a request waits until the commit is through; before, it is
	// told to come again.
	StableFetchWaits bool
	// HashOrder says in whose hash order ties of votes go, and on a bench the members.
	HashOrder HashOrder
	// CompletingName: the state is called CompletingRebalance; before, AwaitingSync.
	CompletingName bool
	// DescribesAssignment: DescribeGroups shows assignments in every state.
	DescribesAssignment bool
	// FilterIgnoresCase: ListGroups compares state names without case.
	FilterIgnoresCase bool
	// Nameless says which errors to a JoinGroup have a null protocol name instead of "".
	Nameless NamelessRule
	// RefusalAnonymous: a JoinGroup that the broker cannot take on is answered
	// without the member's id.
	RefusalAnonymous bool
	// SessionRangeFirst: JoinGroup's session timeout is looked at before whose the
	// group is.
	SessionRangeFirst bool
	// LoadingListsNothing: ListGroups lists no group while a partition is loading;
	// before, those that are loaded.
	LoadingListsNothing bool
	// GroupIDsChecked: every request's group id is looked at first; before, only JoinGroup's.
	GroupIDsChecked bool

	// Static members (KIP-345).

	// StaticMembers: group.instance.id is known.
	StaticMembers bool
	// StaticIDByTime: a static member's id ends in the time of the group's last
	// change of state, so that two in a row may be equal.
	StaticIDByTime bool
	// StaticMovesCompleting: a static member that restarts in CompletingRebalance
	// begins a rebalance; before, it is answered at once.
	StaticMovesCompleting bool
	// StaticStored: the new id of a static member that restarts in Stable is stored
	// before it is answered, and a change of the selected protocol begins a rebalance.
	StaticStored bool
	// StaticAnswersAny: when a new id is stored, whatever JoinGroup the static member
	// has parked by then is answered with that id, even if it is fenced already.
	StaticAnswersAny bool
	// StaticRevertsProtocols: if that fails the member has its old protocols again.
	StaticRevertsProtocols bool
	// StaticIsNoMoreNew: a static member that restarts in its first join phase does
	// not count as new any more.
	StaticIsNoMoreNew bool
	// SkipAssignment: a static leader that restarts is told that it leads (KIP-814).
	SkipAssignment bool
	// OldLeaderWedges: the answer to a leader that speaks JoinGroup below version 5
	// cannot be written if the group has a static member: it stays parked for ever.
	OldLeaderWedges bool

	// The log, and who owns the group.

	// StoreTimeout is what a store that was not committed in time is answered with.
	StoreTimeout StoreTimeoutRule
	// ReplicasMapped: NOT_ENOUGH_REPLICAS becomes COORDINATOR_NOT_AVAILABLE.
	ReplicasMapped bool
	// AfterAppendPassed: NOT_ENOUGH_REPLICAS_AFTER_APPEND is passed on as it is.
	AfterAppendPassed bool
	// CommitSizeUnknown: errors of size are UNKNOWN_SERVER_ERROR to commits too;
	// before, INVALID_COMMIT_OFFSET_SIZE.
	CommitSizeUnknown bool
	// StorageMapped: KAFKA_STORAGE_ERROR becomes NOT_COORDINATOR.
	StorageMapped bool
	// LostPartitionAnswered: a store on a broker that lost the partition is answered
	// NOT_COORDINATOR; before, it fails with an exception.
	LostPartitionAnswered bool
	// WaitsForLog: whatever may write is answered when all that was written before
	// is committed, and fails as a whole (the runtime of the coordinator in Java).
	WaitsForLog bool
	// CommitOutlivesTimeout: offsets that were not committed in time are visible once
	// they are; before, they are forgotten until the next load.
	CommitOutlivesTimeout bool
	// TombstonesAwaited: what a failing log refuses is not deleted. Before, nobody looks
	// what becomes of a tombstone.
	TombstonesAwaited bool
	// RecordsNewGroup: a JoinGroup that makes a group writes a record of it.
	RecordsNewGroup bool
	// RetriesTimers: what a timer does is tried again after 500 ms if the log refuses it.
	RetriesTimers bool
	// LoadingFirst: whether the partition is loading is asked before whether it is
	// owned; before, a loading partition answers NOT_COORDINATOR.
	LoadingFirst bool
	// LoadingWhenScheduled: a partition counts as loading from when its load is queued.
	LoadingWhenScheduled bool
	// SyncTranslated: SyncGroup to a loading partition gets REBALANCE_IN_PROGRESS.
	SyncTranslated bool
	// SizeAfterTimers: an oversized group that is loaded begins its rebalance after
	// its session timers were set.
	SizeAfterTimers bool
	// UnloadsOwnOnly: giving up a partition unloads its groups; before, all groups.
	UnloadsOwnOnly bool
	// EpochsOrdered: loads and unloads of an older leader epoch are ignored.
	EpochsOrdered bool
	// EmptyTypeLoaded: an Empty group that is loaded has its protocol type.
	EmptyTypeLoaded bool
	// DeleteKeepsGroup: deleting the last offset of an Empty group leaves the group
	// to the next check; before, it goes at once.
	DeleteKeepsGroup bool
	// TombstonesAlways: a group of generation 0 that is removed leaves a tombstone too.
	TombstonesAlways bool
	// StateTimeLost: a group's record lacks the time of its last change of state.
	StateTimeLost bool

	// Offsets.

	// Expiry is when committed offsets expire.
	Expiry ExpiryRule
	// WeekOfRetention: offsets.retention.minutes is 10080 unless set; before, 1440.
	WeekOfRetention bool
	// ExpiryByPartition: the expiry check runs by the time a partition was loaded;
	// before, by the time the broker started.
	ExpiryByPartition bool
	// CommitsByPartition: a commit's partitions must be known to the broker; before, their topic.
	CommitsByPartition bool
	// TopicsTakeOffsets: deleting a topic deletes the offsets of its partitions.
	TopicsTakeOffsets bool
	// MaxSession is the group.max.session.timeout.ms that holds unless set.
	MaxSession int32
}

// HeartbeatRule is how heartbeats outside Stable are judged.
type HeartbeatRule uint8

const (
	// HeartbeatBlind: REBALANCE_IN_PROGRESS for anyone, known or not; it renews nothing.
	HeartbeatBlind HeartbeatRule = iota
	// HeartbeatPhases: in PreparingRebalance member and generation are checked and the
	// session renewed; in CompletingRebalance only the member is checked (KIP-62).
	HeartbeatPhases
	// HeartbeatChecked: both are checked in every state (KIP-345).
	HeartbeatChecked
)

// MaxSizeRule is how group.max.size is kept.
type MaxSizeRule uint8

const (
	// MaxSizeNone: there is no such setting.
	MaxSizeNone MaxSizeRule = iota
	// MaxSizeFirst: in an oversized group the first that ask are refused; ids given
	// out before all get in (KIP-389).
	MaxSizeFirst
	// MaxSizeLast: the last that ask are refused (KAFKA-9885).
	MaxSizeLast
)

// CommitRule is the order of checks of OffsetCommit.
type CommitRule uint8

const (
	// CommitMembers: only members commit to a group that exists.
	CommitMembers CommitRule = iota
	// CommitEmpty: anyone may commit to an Empty group (KAFKA-2720).
	CommitEmpty
	// CommitMemberFirst: member and generation are checked before the state (KAFKA-8487).
	CommitMemberFirst
	// CommitUnified: a commit that names a member is judged as one, even to an Empty
	// group (PR #9958).
	CommitUnified
	// CommitSimpleFirst: a commit without generation to an Empty group is not judged
	// (KAFKA-14201).
	CommitSimpleFirst
)

// StoreTimeoutRule is what a store that was not committed in time is answered with.
type StoreTimeoutRule uint8

const (
	// StoreTimeoutPassed: REQUEST_TIMED_OUT, which clients do not expect.
	StoreTimeoutPassed StoreTimeoutRule = iota
	// StoreTimeoutRebalances: REBALANCE_IN_PROGRESS (KAFKA-2877).
	StoreTimeoutRebalances
	// StoreTimeoutUnavailable: COORDINATOR_NOT_AVAILABLE, to commits too.
	StoreTimeoutUnavailable
)

// ExpiryRule is when committed offsets expire.
type ExpiryRule uint8

const (
	// ExpiryByCommit: a time after the commit, whatever the group does.
	ExpiryByCommit ExpiryRule = iota
	// ExpiryByGroup: a time after the group became Empty (KIP-211).
	ExpiryByGroup
	// ExpirySubscribed: also those of topics that a living group does not subscribe to.
	ExpirySubscribed
	// ExpirySubscribedStable: that only if the group is Stable (KAFKA-13636).
	ExpirySubscribedStable
)

// HashOrder is the order in which a coordinator walks its hash maps.
type HashOrder uint8

const (
	// HashScala: members from the last added to the first; names in a map of 16 buckets.
	HashScala HashOrder = iota
	// HashJava: members in the order of adding; names in Java's HashMap.
	HashJava
)

// NamelessRule says which errors to a JoinGroup have a null protocol name.
type NamelessRule uint8

const (
	// NamelessNever: none.
	NamelessNever NamelessRule = iota
	// NamelessFromV7: all from version 7 on, which allows it (KIP-559).
	NamelessFromV7
	// NamelessUnknown: those to members that the group does not know, or fences.
	NamelessUnknown
)
