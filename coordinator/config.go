package coordinator

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Config is how a broker is set. Times are in milliseconds unless a field says
// otherwise; names are Kafka's. A Config is shared by all copies of a broker and must
// not be written to once a broker has it.
type Config struct {
	Rules    protocol.BrokerRules
	Versions protocol.Versions

	InitialRebalanceDelay int32 // group.initial.rebalance.delay.ms; without effect before 0.11
	MinSessionTimeout     int32 // group.min.session.timeout.ms
	MaxSessionTimeout     int32 // group.max.session.timeout.ms
	MaxSize               int32 // group.max.size; without effect before 2.2
	OffsetsPartitions     int32 // offsets.topic.num.partitions
	OffsetsRetention      int64 // offsets.retention.minutes, in milliseconds
	RetentionCheck        int64 // offsets.retention.check.interval.ms
	CommitTimeout         int64 // offsets.commit.timeout.ms
	MetadataMaxBytes      int32 // offset.metadata.max.bytes
	// AppendLinger is how long a record is in the log before it counts as committed:
	// group.coordinator.append.linger.ms, and what replication takes.
	AppendLinger int64

	// IDs says how members' ids are made.
	IDs IDStyle
	// LastAddedFirst walks members from the last added to the first instead of in the
	// order of adding. Kafka leaves it to a hash map.
	LastAddedFirst bool
}

// IDStyle says how members' ids are made. Kafka adds a random UUID to the client id.
type IDStyle uint8

const (
	// IDsByClient: "<client id>-<n>", n counting for each client id, or
	// "<instance id>-<n>". A broker that is not the world's first node adds a letter,
	// so that no two brokers make the same id.
	IDsByClient IDStyle = iota
	// IDsPlain: m1, m2, … in the order in which they were made.
	IDsPlain
)

// Defaults are a release's settings as Kafka ships them.
func Defaults(r protocol.Release) Config {
	return DefaultsOf(protocol.BrokerRulesOf(r), r.Versions())
}

// DefaultsOf are the settings that go with rules which may be no release's.
func DefaultsOf(rules protocol.BrokerRules, versions protocol.Versions) Config {
	c := Config{
		Rules:                 rules,
		Versions:              versions,
		InitialRebalanceDelay: 3000,
		MinSessionTimeout:     6000,
		MaxSessionTimeout:     rules.MaxSession,
		MaxSize:               1<<31 - 1,
		OffsetsPartitions:     50,
		OffsetsRetention:      1440 * 60_000,
		RetentionCheck:        600_000,
		CommitTimeout:         5000,
		MetadataMaxBytes:      4096,
	}
	if rules.WeekOfRetention {
		c.OffsetsRetention = 10080 * 60_000
	}
	if rules.WaitsForLog {
		c.AppendLinger = 10
	}
	return c
}

// newMemberTimeout is how long a new member's JoinGroup may be parked (KAFKA-7610).
// Kafka has no setting for it.
const newMemberTimeout = 300_000

// Image is what a broker knows of the cluster. It is frozen.
type Image struct {
	// Brokers are those that live, in order.
	Brokers []sim.NodeID
	Topics  []Topic // sorted by name
	// AnyTopic: the broker takes requests for offsets of topics that it does not know. This is
	// the coordinator alone, before which a broker looks at the topics.
	AnyTopic bool
	// OffsetsLeaders has the leader of each partition of __consumer_offsets,
	// sim.Nobody where there is none. Its length overrules Config.OffsetsPartitions.
	OffsetsLeaders []sim.NodeID
}

// Topic is a topic and what is produced to it.
type Topic struct {
	Name    string
	Leaders []sim.NodeID // of each partition; sim.Nobody: none now
	Racks   [][]string   // of each partition's replicas, or nil
	// Start is the end offset that each partition has at the moment Since; nil: 0.
	Start []int64
	Since sim.Time
	// Rate is how many records a second are produced from then on, to the partitions
	// in turn.
	Rate int64
	// Per is the time in which so many are produced, if it is not a second; at most an
	// hour.
	Per sim.Time
}

// topic finds a topic by name, nil if there is none.
func (i *Image) topic(name string) *Topic {
	lo, hi := 0, len(i.Topics)
	for lo < hi {
		mid := (lo + hi) / 2
		if i.Topics[mid].Name < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(i.Topics) && i.Topics[lo].Name == name {
		return &i.Topics[lo]
	}
	return nil
}

// EndOffset is the offset of the next record of a partition at a moment: arithmetic
// instead of a log.
func (t *Topic) EndOffset(partition int32, at sim.Time) int64 {
	n := int64(len(t.Leaders))
	end := t.start(partition)
	if t.Rate == 0 || at <= t.Since {
		return end
	}
	// In whole seconds and the rest, so that nothing overflows.
	d := at - t.Since
	per := t.per()
	produced := int64(d/per)*t.Rate + int64(d%per)*t.Rate/int64(per)
	return end + (produced+n-1-int64(partition))/n
}

func (t *Topic) start(partition int32) int64 {
	if int(partition) < len(t.Start) {
		return t.Start[partition]
	}
	return 0
}

// reaches is the first moment at which the partition's end offset is beyond offset;
// ok is false if that never comes.
func (t *Topic) reaches(partition int32, offset int64) (at sim.Time, ok bool) {
	k := offset - t.start(partition)
	if k < 0 {
		return t.Since, true
	}
	if t.Rate == 0 {
		return 0, false
	}
	// The record k of this partition is the (k*n + partition + 1)-th that is produced.
	need := k*int64(len(t.Leaders)) + int64(partition) + 1
	whole, rest := need/t.Rate, need%t.Rate
	per := t.per()
	return t.Since + sim.Time(whole)*per + sim.Time((rest*int64(per)+t.Rate-1)/t.Rate), true
}

func (t *Topic) per() sim.Time {
	if t.Per == 0 {
		return sim.Second
	}
	return t.Per
}
