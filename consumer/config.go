package consumer

import (
	"fmt"
	"regexp"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Config is what a consumer is made from. It is not changed after New, and consumers
// may share the slices in it.
type Config struct {
	Rules    protocol.ClientRules
	Assignor protocol.AssignorRules
	// Versions are the versions of requests in which client and brokers speak: see
	// protocol.Versions.Common.
	Versions protocol.Versions
	Settings Settings

	// Group is the group id. Empty: no group, only assign() works.
	Group string
	// Brokers are the nodes of the bootstrap brokers.
	Brokers []sim.NodeID

	Subscription Subscription
	Program      Program
	Listener     Listener

	// Own are assignors of the program's own.
	Own []OwnAssignor

	// Habits are what a client that is not Java's does otherwise.
	Habits Habits

	// Formed lets the consumer begin its life inside a group.
	Formed *Formed

	// NoFetches lets the consumer fetch no records, and wait as if a fetch were under way
	// that brings nothing: for searches, in which records play no part.
	NoFetches bool

	// EveryTick plays each idle turn of the heartbeat thread instead of computing the
	// next one in which something can happen. It gives the same trace, slower.
	EveryTick bool
}

// Subscription is what the program subscribes to before its first poll. At most one
// of the three is set.
type Subscription struct {
	Topics  []string
	Pattern string                    // a regular expression that a topic's whole name matches
	Manual  []protocol.TopicPartition // assign()
}

// Settings are the consumer's settings by Kafka's names; times are in milliseconds.
// SettingsOf gives a release's defaults.
type Settings struct {
	SessionTimeout     int64 // session.timeout.ms
	HeartbeatInterval  int64 // heartbeat.interval.ms
	MaxPollInterval    int64 // max.poll.interval.ms
	MaxPollRecords     int64 // max.poll.records
	RequestTimeout     int64 // request.timeout.ms
	APITimeout         int64 // default.api.timeout.ms
	RetryBackoff       int64 // retry.backoff.ms
	RetryBackoffMax    int64 // retry.backoff.max.ms; used where the release has it
	ReconnectBackoff   int64 // reconnect.backoff.ms
	ReconnectMax       int64 // reconnect.backoff.max.ms; used where the release has it
	MetadataMaxAge     int64 // metadata.max.age.ms
	FetchMaxWait       int64 // fetch.max.wait.ms
	AutoCommit         bool  // enable.auto.commit
	AutoCommitInterval int64 // auto.commit.interval.ms
	OffsetReset        Reset // auto.offset.reset
	// Strategy is partition.assignment.strategy: names of assignors.
	Strategy     []string
	ClientID     string // client.id
	InstanceID   string // group.instance.id; "": a dynamic member
	Rack         string // client.rack
	LeaveOnClose bool   // internal.leave.group.on.close
}

// Reset is a policy for partitions without a committed offset.
type Reset uint8

// The policies.
const (
	ResetLatest Reset = iota
	ResetEarliest
	ResetNone
)

// SettingsOf gives the defaults of a release.
func SettingsOf(rules *protocol.ClientRules) Settings {
	d := rules.Defaults
	return Settings{
		SessionTimeout: d.SessionTimeout, HeartbeatInterval: 3000, MaxPollInterval: 300_000,
		MaxPollRecords: d.MaxPollRecords, RequestTimeout: d.RequestTimeout, APITimeout: 60_000,
		RetryBackoff: 100, RetryBackoffMax: 1000, ReconnectBackoff: 50, ReconnectMax: 1000,
		MetadataMaxAge: 300_000, FetchMaxWait: 500, AutoCommit: true, AutoCommitInterval: 5000,
		OffsetReset: ResetLatest, Strategy: d.Strategy, LeaveOnClose: true,
	}
}

// Program is what the user does with the consumer: subscribe, then poll and process
// until told to stop.
type Program struct {
	// Driven is a program that does nothing by itself: it makes the calls that are
	// ordered (see Call), one after the other.
	Driven bool
	// Poll is the timeout given to poll, in milliseconds.
	Poll int64
	// PollLong is a program that calls poll(long) instead of poll(Duration), until 3.9.
	PollLong bool
	// Batch is the time that processing takes for what one poll returned: from
	// BatchMin to BatchMax milliseconds, drawn at PointBatch. Records of a poll are
	// finished together at its end.
	BatchMin, BatchMax int64
	// Idle is what passes between a turn of the program and its next poll.
	Idle int64
	// CountsPolls sets, after each poll, every position to the number of polls so far:
	// what recorded runs have in place of records.
	CountsPolls bool
	Commit      CommitStyle
	// AfterThrow says what an exception of poll or commit does to the program.
	AfterThrow AfterThrow
	// CloseTimeout is given to close; 0: Kafka's 30 s.
	CloseTimeout int64
}

// PointBatch draws the time a batch takes, in milliseconds above BatchMin.
var PointBatch = sim.NewPoint("batch")

// CommitStyle says when a program commits. Auto-commit is a setting of its own.
type CommitStyle uint8

// The styles.
const (
	CommitNone   CommitStyle = iota
	CommitSync               // commitSync after each batch
	CommitAsync              // commitAsync after each batch
	CommitBefore             // commitSync before processing: at most once
)

// AfterThrow is a program's answer to an exception.
type AfterThrow uint8

// The answers.
const (
	ThrowCloses AfterThrow = iota // the consumer is closed and the program ends
	ThrowGoesOn                   // the next poll follows after a second
	ThrowIdles                    // the program goes on as after a poll that brought nothing
)

// Listener is the rebalance listener: for each callback what its n-th call does, in
// order. Calls beyond the list do nothing, or what the last one did if Repeat is set.
type Listener struct {
	Revoked, Assigned, Lost []CallbackStep
	Repeat                  bool
	// HandlesLost is false for a listener that leaves onPartitionsLost to its default,
	// which calls onPartitionsRevoked.
	HandlesLost bool
	// PausesAll pauses every assigned partition first, so that nothing is fetched.
	PausesAll bool
}

// CallbackStep is what one call of a listener does, in this order. It catches what its
// commit throws.
type CallbackStep struct {
	Pauses     bool  // it pauses all that is assigned
	CommitSync int64 // commitSync with this timeout in ms, if Commits; -1: default.api.timeout.ms
	Commits    bool
	Seek       int64 // offset to which the call's partitions are set
	Seeks      bool
	Sleep      int64 // ms
	Throw      Thrown
}

// Formed is a beginning of life in the middle of a group's.
type Formed struct {
	Coordinator sim.NodeID
	Member      string
	Generation  int32
	Protocol    string
	Leader      bool
	// Owned are the partitions with the positions from which the member goes on.
	Owned []protocol.PartitionOffset
	// Had is what the member was given in the generation HadIn, its last complete one;
	// HadIn 0: in none.
	Had   []protocol.TopicPartition
	HadIn int32
	// GroupTopics are all topics of the group, known to a leader.
	GroupTopics []string
	// InFlight is 0, or the kind of the request whose answer the member still waits for
	// on the coordinator's connection, KindJoinGroup or KindSyncGroup. Generation is
	// then the one before the generation being formed for JoinGroup, and the new one
	// for SyncGroup; the revoke callback has been run. The request itself was never
	// sent in this run and does not count.
	InFlight uint8
	// HeartbeatIn is when the next heartbeat is due, in ms; 0: after a full interval.
	HeartbeatIn int64
}

// MaxTime bounds every time in a Config, in milliseconds: some 30 years.
const MaxTime = int64(1e12)

// Check reports what is wrong with the Config, as the constructor of Kafka's consumer
// does and beyond.
func (cfg *Config) Check() error {
	s := &cfg.Settings
	for _, x := range []struct {
		name string
		v    int64
	}{
		{"session.timeout.ms", s.SessionTimeout}, {"heartbeat.interval.ms", s.HeartbeatInterval},
		{"max.poll.interval.ms", s.MaxPollInterval}, {"max.poll.records", s.MaxPollRecords},
		{"request.timeout.ms", s.RequestTimeout}, {"default.api.timeout.ms", s.APITimeout},
		{"retry.backoff.ms", s.RetryBackoff}, {"auto.commit.interval.ms", s.AutoCommitInterval},
	} {
		if x.v <= 0 || x.v > MaxTime {
			return fmt.Errorf("%s is %d: it must be from 1 to %d", x.name, x.v, MaxTime)
		}
	}
	p := &cfg.Program
	switch {
	case s.HeartbeatInterval >= s.SessionTimeout:
		return fmt.Errorf("heartbeat.interval.ms (%d) must be lower than session.timeout.ms (%d)", s.HeartbeatInterval, s.SessionTimeout)
	case cfg.Rules.ChecksRequestTimeout && s.RequestTimeout <= s.SessionTimeout:
		return fmt.Errorf("request.timeout.ms (%d) must be greater than session.timeout.ms (%d) in this release", s.RequestTimeout, s.SessionTimeout)
	case len(cfg.Brokers) == 0:
		return fmt.Errorf("there is no bootstrap broker")
	case p.Poll < 0 || p.Poll > MaxTime || p.BatchMin < 0 || p.BatchMax < p.BatchMin || p.BatchMax > MaxTime || p.Idle < 0:
		return fmt.Errorf("the program's times must be from 0 to %d ms, and the longest batch no shorter than the shortest", MaxTime)
	case !p.Driven && p.Poll == 0 && p.Idle == 0 && p.BatchMin == 0:
		return fmt.Errorf("a program that polls with timeout 0 and never pauses would never let time pass")
	}
	if cfg.Subscription.Pattern != "" {
		if _, err := regexp.Compile(cfg.Subscription.Pattern); err != nil {
			return fmt.Errorf("pattern: %w", err)
		}
	}
	if f := cfg.Formed; f != nil {
		if f.InFlight != 0 && f.InFlight != protocol.KindJoinGroup && f.InFlight != protocol.KindSyncGroup {
			return fmt.Errorf("formed: an answer to JoinGroup or to SyncGroup can be under way, no other")
		}
		if len(cfg.Subscription.Topics) == 0 {
			return fmt.Errorf("formed: the member must subscribe to topics")
		}
	}
	for i := range cfg.Own {
		if ms := cfg.Own[i].Takes; ms < 0 || ms > MaxTime {
			return fmt.Errorf("an assignment takes from 0 to %d ms, not %d", MaxTime, ms)
		}
	}
	if err := cfg.Habits.check(s); err != nil {
		return err
	}
	_, err := cfg.rebalanceProtocol()
	return err
}

// rebalanceProtocol is the protocol that a client uses all its life: the highest that
// every listed assignor supports (KIP-429).
func (cfg *Config) rebalanceProtocol() (cooperative bool, err error) {
	strategy := cfg.Settings.Strategy
	if len(strategy) == 0 {
		return false, fmt.Errorf("partition.assignment.strategy is empty")
	}
	cooperative = true
	for i, name := range strategy {
		switch name {
		case "cooperative-sticky":
		case "range", "roundrobin", "sticky":
			cooperative = false
		default:
			if own := cfg.own(name); own != nil {
				cooperative = cooperative && own.Cooperative
				break
			}
			return false, fmt.Errorf("there is no assignor %q: write range, roundrobin, sticky or cooperative-sticky", name)
		}
		for _, other := range strategy[:i] {
			if other == name {
				return false, fmt.Errorf("the assignor %q is listed twice", name)
			}
		}
	}
	return cooperative, nil
}
