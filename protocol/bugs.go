package protocol

import (
	"fmt"
	"slices"
	"strings"
)

// Bug is a known fault of Kafka that a release had, as a switch: it puts the fault into
// the rules of any release that can have it. A bug of the broker changes the broker's
// rules, one of the client the client's or its assignors'.
type Bug struct {
	ID   string // the KAFKA issue, with a letter behind it where one issue mended two faults
	In   string // the last release that has it, all by itself
	What string // what goes wrong, in a sentence

	Broker   func(*BrokerRules)
	Client   func(*ClientRules)
	Assignor func(*AssignorRules)
}

// Side is broker, client or assignor.
func (b *Bug) Side() string {
	switch {
	case b.Broker != nil:
		return "broker"
	case b.Client != nil:
		return "client"
	}
	return "assignor"
}

// bugs is ordered by side, then by issue.
var bugs = []Bug{
	{ID: "KAFKA-2877", In: "0.9.0.0",
		What:   "a leader's SyncGroup that is not stored in time gets an error that no client expects",
		Broker: func(r *BrokerRules) { r.StoreTimeout = StoreTimeoutPassed }},
	{ID: "KAFKA-2913", In: "0.9.0.0",
		What:   "a broker that gives up one partition of the offsets topic forgets the groups of all",
		Broker: func(r *BrokerRules) { r.UnloadsOwnOnly = false }},
	{ID: "KAFKA-3470", In: "0.9.0.1",
		What:   "an offset commit is no sign of life",
		Broker: func(r *BrokerRules) { r.CommitRenews = false }},
	{ID: "KAFKA-3590", In: "0.10.0.1",
		What:   "NOT_ENOUGH_REPLICAS of the log reaches the members, which do not expect it",
		Broker: func(r *BrokerRules) { r.ReplicasMapped = false }},
	{ID: "KAFKA-3888", In: "0.10.0.1",
		What:   "while a group collects its members, heartbeats keep nobody alive",
		Broker: func(r *BrokerRules) { r.Heartbeat, r.RebalanceTimeout = HeartbeatBlind, false }},
	{ID: "KAFKA-4362", In: "0.10.1.0",
		What:   "a broker that has lost the partition fails where it should answer NOT_COORDINATOR",
		Broker: func(r *BrokerRules) { r.LostPartitionAnswered = false }},
	{ID: "KAFKA-4682", In: "2.0.1",
		What:   "offsets of a living group expire a time after the commit",
		Broker: func(r *BrokerRules) { r.Expiry = ExpiryByCommit }},
	{ID: "KAFKA-6275", In: "1.0.2",
		What:   "an Empty group that is loaded has lost its protocol type",
		Broker: func(r *BrokerRules) { r.EmptyTypeLoaded = false }},
	{ID: "KAFKA-7196", In: "2.0.0",
		What:   "the session timer of a member that was dropped goes off and starts a needless rebalance",
		Broker: func(r *BrokerRules) { r.DropsTimer, r.AbsentTimersIdle = false, false }},
	{ID: "KAFKA-7610", In: "2.1.0",
		What: "a client that gives up its first JoinGroup and asks again is added each time; the ghosts hold the rebalance",
		Broker: func(r *BrokerRules) {
			*r = BrokerRulesOf(MustRelease("2.1.0"))
		}},
	{ID: "KAFKA-8386", In: "2.2.2",
		What:   "a dead group answers UNKNOWN_MEMBER_ID, so that members throw their ids away",
		Broker: func(r *BrokerRules) { r.DeadIsUnavailable = false }},
	{ID: "KAFKA-8487", In: "2.3.1",
		What:   "OffsetCommit looks at the state before it looks at member and generation",
		Broker: func(r *BrokerRules) { r.Commit = CommitEmpty }},
	{ID: "KAFKA-8653", In: "2.3.0",
		What:   "a JoinGroup of version 0 has no time to wait: each rebalance ends at once and drops the others",
		Broker: func(r *BrokerRules) { r.JoinV0NoTimeout = true }},
	{ID: "KAFKA-8715", In: "2.3.0",
		What:   "two restarts of a static member may give it the same id, so that the old one is not fenced",
		Broker: func(r *BrokerRules) { r.StaticIDByTime = true }},
	{ID: "KAFKA-9752", In: "2.4.1",
		What:   "a new member's session is not watched until it heartbeats: if it dies first, nothing expires it",
		Broker: func(r *BrokerRules) { r.NewMembersUnwatched, r.SignsOfLife = true, false }},
	{ID: "KAFKA-9801", In: "2.4.1",
		What: "a static member that restarts while the leader assigns is answered at once, and gets nothing",
		Broker: func(r *BrokerRules) {
			r.StaticMovesCompleting, r.StaticStored, r.SkipAssignment = false, false, false
			r.StaticRevertsProtocols, r.StaticAnswersAny = false, false
		}},
	{ID: "KAFKA-9885", In: "2.5.1",
		What:   "in a group over its size the first that ask are refused, again after each failover",
		Broker: func(r *BrokerRules) { r.MaxSize = MaxSizeFirst }},
	{ID: "KAFKA-10134", In: "2.6.0",
		What:   "while the leader assigns, heartbeats get REBALANCE_IN_PROGRESS and keep nobody alive",
		Broker: func(r *BrokerRules) { r.CompletingAlive = false }},
	{ID: "KAFKA-10284", In: "2.6.0",
		What: "the new id of a static member that restarts in Stable is not stored: after a failover it is fenced",
		Broker: func(r *BrokerRules) {
			r.StaticStored, r.SkipAssignment, r.StaticRevertsProtocols, r.StaticAnswersAny = false, false, false, false
		}},
	{ID: "KAFKA-10401", In: "2.6.0",
		What:   "an Empty group that is loaded has forgotten since when: its offsets expire too early",
		Broker: func(r *BrokerRules) { r.StateTimeLost = true }},
	{ID: "KAFKA-10614", In: "2.8.0",
		What:   "an unload that is late drops the groups that were just loaded",
		Broker: func(r *BrokerRules) { r.EpochsOrdered = false }},
	{ID: "KAFKA-12890", In: "2.8.0",
		What:   "a member that never sends its SyncGroup, but heartbeats, holds the group for ever",
		Broker: func(r *BrokerRules) { r.PendingSync = false }},
	{ID: "KAFKA-13435", In: "3.1.2",
		What:   "a static leader that restarts is not told that it leads: nobody watches for new partitions",
		Broker: func(r *BrokerRules) { r.SkipAssignment = false }},
	{ID: "KAFKA-13636", In: "3.1.0",
		What:   "offsets of a group that is rebalancing can expire",
		Broker: func(r *BrokerRules) { r.Expiry = ExpirySubscribed }},
	{ID: "KAFKA-14009", In: "3.3.1",
		What:   "a member that joins again with other timeouts keeps the old ones",
		Broker: func(r *BrokerRules) { r.RejoinTimeouts = false }},
	{ID: "KAFKA-14201", In: "3.2.3",
		What:   "a commit without generation that names an instance is refused",
		Broker: func(r *BrokerRules) { r.Commit = CommitUnified },
	},
	{ID: "KAFKA-14422", In: "3.3.1",
		What:   "an old client that leads a group with a static member is never answered",
		Broker: func(r *BrokerRules) { r.OldLeaderWedges = true }},

	{ID: "KAFKA-3703", In: "0.10.1.1",
		What:   "close does not wait for LeaveGroup, which may be lost",
		Client: func(r *ClientRules) { r.CloseAwaitsLeave = false }},
	{ID: "KAFKA-3949", In: "0.10.0.1",
		What:   "every member asks for a rebalance when it sees other partitions, not only the leader",
		Client: func(r *ClientRules) { r.OnlyLeaderWatches = false }},
	{ID: "KAFKA-4547", In: "0.10.1.1",
		What:   "a paused partition goes back to its committed offset when another has no position",
		Client: func(r *ClientRules) { r.PausedFetchesOffsets = true }},
	{ID: "KAFKA-4777", In: "0.10.2.2",
		What:   "the heartbeat thread does not pause when no broker can be asked",
		Client: func(r *ClientRules) { r.HeartbeatLookup = LookupWaitsWhilePending }},
	{ID: "KAFKA-5154", In: "0.10.2.2",
		What:   "a member whose SyncGroup got no answer believes it is fine, and reads what it has lost",
		Client: func(r *ClientRules) { r.JoinClearsRejoin = true }},
	{ID: "KAFKA-5611", In: "0.11.0.0",
		What:   "a wakeup while a member takes its assignment over loses the assignment and its callback",
		Client: func(r *ClientRules) { r.DropsJoinFirst = true }},
	{ID: "KAFKA-6362", In: "1.0.2",
		What:   "auto-commit of a manual assignment never looks for the coordinator",
		Client: func(r *ClientRules) { r.AutoCommitLooksUp = false }},
	{ID: "KAFKA-6829", In: "1.1.1",
		What:   "an unknown topic makes a commit fail for good",
		Client: func(r *ClientRules) { r.CommitRetriesUnknownTopic = false }},
	{ID: "KAFKA-7194", In: "1.1.1",
		What:   "after a wakeup an assignment cannot be taken over again: poll throws",
		Client: func(r *ClientRules) { r.ReadsAssignmentOnce = true }},
	{ID: "KAFKA-7961", In: "2.2.2",
		What:   "an assignment with a topic that is not subscribed to any more throws instead of rejoining",
		Client: func(r *ClientRules) { r.MismatchRejoins = false }},
	{ID: "KAFKA-8104", In: "2.3.1",
		What:   "a member whose generation was reset before it took its assignment over never joins again",
		Client: func(r *ClientRules) { r.ChecksGenerationAfterSync = false }},
	{ID: "KAFKA-8421", In: "2.4.1",
		What:   "no records are returned while a rebalance is under way, though partitions are kept",
		Client: func(r *ClientRules) { r.RebalanceBeforeRecords = true }},
	{ID: "KAFKA-8487-client", In: "2.3.1",
		What:   "a commit that meets a rebalance makes the member forget who it is",
		Client: func(r *ClientRules) { r.CommitKeepsGeneration = false }},
	{ID: "KAFKA-9815", In: "2.4.1",
		What:   "a rejoin for changed partitions is forgotten when they change back: the member keeps nothing",
		Client: func(r *ClientRules) { r.RemembersSnapshotChange = false }},
	{ID: "KAFKA-9823", In: "2.5.1",
		What:   "a late error about an old generation resets the new one",
		Client: func(r *ClientRules) { r.IgnoresStaleErrors = false }},
	{ID: "KAFKA-10134-client", In: "2.6.0",
		What:   "no heartbeat is sent between JoinGroup's answer and SyncGroup's",
		Client: func(r *ClientRules) { r.HeartbeatsWhileCompleting = false }},
	{ID: "KAFKA-10870", In: "2.7.2",
		What:   "REBALANCE_IN_PROGRESS as the answer to JoinGroup is thrown to the user",
		Client: func(r *ClientRules) { r.ToleratesRebalanceInJoin = false }},
	{ID: "KAFKA-12983", In: "2.8.0",
		What:   "a member that is reset while it joins claims partitions that it has lost, without onPartitionsLost",
		Client: func(r *ClientRules) { r.ResetNeedsPrepare = false }},
	{ID: "KAFKA-13126", In: "3.0.2",
		What:   "max.poll.interval.ms of 2147483647 makes JoinGroup time out after request.timeout.ms",
		Client: func(r *ClientRules) { r.JoinTimeout = JoinTimeoutAtLeastRequest }},
	{ID: "KAFKA-13214", In: "2.8.0",
		What:   "a member whose JoinGroup met a lost coordinator joins as another; its old self holds the rebalance",
		Client: func(r *ClientRules) { r.RetriableFailureResets = true }},
	{ID: "KAFKA-13310", In: "3.1.2",
		What:   "poll waits for the commit before a join, up to the rebalance timeout",
		Client: func(r *ClientRules) { r.PrepareCommit = PrepareCommitSync }},
	{ID: "KAFKA-13419", In: "3.1.2",
		What:   "ILLEGAL_GENERATION makes a member join as another; its old self holds the rebalance",
		Client: func(r *ClientRules) { r.KeepsMemberID = false }},
	{ID: "KAFKA-13563", In: "3.1.0",
		What: "a manual assignment keeps its lookup of the coordinator for ever: after another one it commits no more",
		Client: func(r *ClientRules) {
			r.KeepsFindFuture, r.AsyncCommitLooksUp, r.ManualPollLooksUp = true, false, false
		}},
	{ID: "KAFKA-14016", In: "3.3.1",
		What:   "REBALANCE_IN_PROGRESS as the answer to SyncGroup makes a member lose all its partitions",
		Client: func(r *ClientRules) { r.RebalanceDuringSyncResets = true }},
	{ID: "KAFKA-14024", In: "3.2.0",
		What:   "each poll commits anew before a join and waits for none: a slow commit keeps the member out",
		Client: func(r *ClientRules) { r.PrepareCommit = PrepareCommitForgotten }},
	{ID: "KAFKA-14196", In: "3.2.2",
		What:   "an eager member reads on between its last commit and its revoke: those records are read twice",
		Client: func(r *ClientRules) { r.PausesWhilePreparing = false }},
	{ID: "KAFKA-14208", In: "3.2.2",
		What:   "the lookup of an asynchronous commit throws a wakeup that was meant for poll",
		Client: func(r *ClientRules) { r.AsyncLookupKeepsWakeup = false }},
	{ID: "KAFKA-17279", In: "3.8.1",
		What:   "a coordinator that is not available makes a fetch of offsets fail for good",
		Client: func(r *ClientRules) { r.OffsetFetchRetries = false }},

	{ID: "KAFKA-12984", In: "2.8.0",
		What:     "cooperative-sticky believes every claim: what two members claim stays with both",
		Assignor: func(r *AssignorRules) { *r = AssignorRulesOf(MustRelease("2.8.0")) }},
	{ID: "KAFKA-13406", In: "3.0.0",
		What:   "a leader refuses the assignment of its own cooperative-sticky for a stale claim, each time",
		Client: func(r *ClientRules) { r.ValidatesOwnCooperative = true }},
	{ID: "KAFKA-14639", In: "3.4.0",
		What:     "a claim of an older generation is ignored: a partition goes to another while its owner still has it",
		Assignor: func(r *AssignorRules) { *r = AssignorRulesOf(MustRelease("3.4.0")) }},
	{ID: "KAFKA-15170", In: "3.7.0",
		What:     "the sticky pair forgets what it moves for a rack: partitions go to nobody",
		Assignor: func(r *AssignorRules) { *r = AssignorRulesOf(MustRelease("3.7.0")) }},
	{ID: "endless-sticky", In: "3.0.2",
		What:     "the sticky pair's general algorithm may never end",
		Assignor: func(r *AssignorRules) { *r = AssignorRulesOf(MustRelease("3.0.0")) }},
}

// Bugs lists all that can be switched on.
func Bugs() []Bug { return slices.Clone(bugs) }

// FindBug finds one by its id, in any case.
func FindBug(id string) (*Bug, error) {
	for i := range bugs {
		if strings.EqualFold(bugs[i].ID, id) {
			return &bugs[i], nil
		}
	}
	return nil, fmt.Errorf("no bug %q is known", id)
}

// BugIDs lists the ids of all bugs.
func BugIDs() []string {
	ids := make([]string, len(bugs))
	for i := range bugs {
		ids[i] = bugs[i].ID
	}
	return ids
}

// Force is what a run forces upon the rules of its releases: bugs, then single
// behaviours.
type Force struct {
	Bugs     []*Bug
	Broker   []Forced
	Client   []Forced
	Assignor []Forced
}

// Forced is a behaviour and the value that it is to have.
type Forced struct{ Name, Value string }

// BrokerRules are those of a release with what is forced. The error says what a broker
// of that release cannot have.
func (f *Force) BrokerRules(release Release) (BrokerRules, error) {
	rules := BrokerRulesOf(release)
	err := bend(&rules, "a broker of "+release.String(), f.Bugs, func(b *Bug) func(*BrokerRules) { return b.Broker }, f.Broker)
	return rules, err
}

// ClientRules are those of a release with what is forced.
func (f *Force) ClientRules(release Release) (ClientRules, error) {
	rules := ClientRulesOf(release)
	err := bend(&rules, "a client of "+release.String(), f.Bugs, func(b *Bug) func(*ClientRules) { return b.Client }, f.Client)
	return rules, err
}

// AssignorRules are those of a release with what is forced.
func (f *Force) AssignorRules(release Release) (AssignorRules, error) {
	rules := AssignorRulesOf(release)
	err := bend(&rules, "an assignor of "+release.String(), f.Bugs, func(b *Bug) func(*AssignorRules) { return b.Assignor }, f.Assignor)
	return rules, err
}

// bend puts bugs and behaviours into rules, which whose are.
func bend[R any, P interface {
	*R
	Force(name, value string) error
	Check() error
}](rules P, whose string, bugs []*Bug, of func(*Bug) func(*R), list []Forced) error {
	bent := len(list) > 0
	for _, b := range bugs {
		change := of(b)
		if change == nil {
			continue
		}
		bent = true
		change(rules)
		if err := rules.Check(); err != nil {
			return fmt.Errorf("%s cannot have %s: %w", whose, b.ID, err)
		}
	}
	for _, b := range list {
		if err := rules.Force(b.Name, b.Value); err != nil {
			return err
		}
	}
	if !bent { // the rules of a release go together, whatever Check knows
		return nil
	}
	return rules.Check()
}

// Some reports whether anything is forced.
func (f *Force) Some() bool {
	return len(f.Bugs)+len(f.Broker)+len(f.Client)+len(f.Assignor) > 0
}

// String tells what is forced: "KAFKA-12890, broker PendingSync=false".
func (f *Force) String() string {
	var parts []string
	for _, b := range f.Bugs {
		parts = append(parts, b.ID)
	}
	for _, side := range []struct {
		name string
		list []Forced
	}{{"broker", f.Broker}, {"client", f.Client}, {"assignor", f.Assignor}} {
		for _, b := range side.list {
			parts = append(parts, side.name+" "+b.Name+"="+b.Value)
		}
	}
	return strings.Join(parts, ", ")
}
