package consumer

import (
	"regexp"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// subKind says how partitions are chosen.
type subKind uint8

const (
	subNone subKind = iota
	subTopics
	subPattern
	subManual
)

// subscription is what the user wants, what the group gave, and how far each partition
// has been read.
type subscription struct {
	kind    subKind
	topics  []string // sorted
	pattern *regexp.Regexp
	// joined are the topics of the last JoinGroup; nil: never joined.
	joined []string
	// groupTopics are all topics of the group; a leader knows them.
	groupTopics []string
	parts       []partition // assigned, sorted

	snapshotVersion    int32
	metadataSnapshot   []topicCount
	assignmentSnapshot []topicCount // of a leader, as it assigned
	snapshotSet        bool
	snapshotDue        bool // of a formed leader: what it assigned by is its first metadata
}

// topicCount is what a leader watches of a topic.
type topicCount struct {
	topic string
	count int32
	racks uint64 // a hash of the racks of its replicas, if they matter
}

func sameCounts(a, b []topicCount) bool { return slices.Equal(a, b) }

type posState uint8

const (
	posNone    posState = iota // INITIALIZING: the committed offset is not known yet
	posReset                   // AWAIT_RESET: there is none, so the policy decides
	posFetched                 // FETCHING: there is a position
)

// partition is an assigned partition.
type partition struct {
	tp       protocol.TopicPartition
	state    posState
	position int64      // the next record to hand to the user
	buffered int64      // records up to here have been fetched
	leader   sim.NodeID // as last heard of
	paused   bool
	revoking bool // not fetched while the prepare commit is under way (KAFKA-14196)
	list     *protocol.PartitionList
}

func (p *partition) fetchable() bool { return p.state == posFetched && !p.paused && !p.revoking }

func (s *subscription) auto() bool { return s.kind == subTopics || s.kind == subPattern }

func (s *subscription) find(tp protocol.TopicPartition) *partition {
	i, ok := slices.BinarySearchFunc(s.parts, tp, func(p partition, tp protocol.TopicPartition) int { return p.tp.Compare(tp) })
	if !ok {
		return nil
	}
	return &s.parts[i]
}

// assigned lists the assigned partitions in order. The list is not written to again.
func (s *subscription) assigned() []protocol.TopicPartition {
	if len(s.parts) == 0 {
		return nil
	}
	list := make([]protocol.TopicPartition, len(s.parts))
	for i := range s.parts {
		list[i] = s.parts[i].tp
	}
	return list
}

// assign makes list the assignment. Partitions that stay keep their state.
func (s *subscription) assign(list []protocol.TopicPartition) {
	list = slices.Clone(list)
	slices.SortFunc(list, protocol.TopicPartition.Compare)
	list = slices.Compact(list)
	parts := make([]partition, len(list))
	for i, tp := range list {
		if old := s.find(tp); old != nil {
			parts[i] = *old
			continue
		}
		parts[i] = partition{tp: tp, leader: sim.Nobody, list: &protocol.PartitionList{Partitions: []protocol.TopicPartition{tp}}}
	}
	s.parts = parts
}

// forget makes every partition start anew.
func (s *subscription) forget() { s.parts = nil }

func (s *subscription) seek(tp protocol.TopicPartition, offset int64) {
	if p := s.find(tp); p != nil {
		p.state, p.position, p.buffered = posFetched, offset, offset
	}
}

func (s *subscription) pauseAll() {
	for i := range s.parts {
		s.parts[i].paused = true
	}
}

// dropUnsubscribed forgets records that have been fetched of other topics than those, and with
// all set the partitions, too.
func (s *subscription) dropUnsubscribed(topics []string, all bool) (dropped bool) {
	kept := make([]partition, 0, len(s.parts))
	for _, p := range s.parts {
		if !slices.Contains(topics, p.tp.Topic) {
			p.buffered = p.position
			if all {
				continue
			}
		}
		kept = append(kept, p)
	}
	dropped = len(kept) < len(s.parts)
	s.parts = kept
	return dropped
}

// has reports whether all partitions of the list are assigned.
func (s *subscription) has(list []protocol.TopicPartition) bool {
	for _, tp := range list {
		if s.find(tp) == nil {
			return false
		}
	}
	return true
}

// pause stops or resumes the fetching of partitions, all if none is named.
func (s *subscription) pause(list []protocol.TopicPartition, on bool) {
	for i := range s.parts {
		if p := &s.parts[i]; len(list) == 0 || slices.Contains(list, p.tp) {
			p.paused = on
		}
	}
}

// forgetPaused takes their positions from paused partitions (KAFKA-4547).
func (s *subscription) forgetPaused() {
	for i := range s.parts {
		if p := &s.parts[i]; p.paused && p.state == posFetched {
			p.state = posNone
		}
	}
}

func (s *subscription) pendingRevocation() {
	for i := range s.parts {
		s.parts[i].revoking = true
	}
}

func (s *subscription) allPositions() bool {
	for i := range s.parts {
		if s.parts[i].state != posFetched {
			return false
		}
	}
	return true
}

// matches reports whether every partition's topic is subscribed to.
func (s *subscription) matches(list []protocol.TopicPartition) bool {
	for _, p := range list {
		if s.kind == subPattern {
			if !s.pattern.MatchString(p.Topic) {
				return false
			}
		} else if !slices.Contains(s.topics, p.Topic) {
			return false
		}
	}
	return true
}

// adoptTopics takes topics that match the pattern and came with the assignment into
// the subscription: the leader knew them first. It reports whether there were any.
func (s *subscription) adoptTopics(list []protocol.TopicPartition) (adopted bool) {
	if s.kind != subPattern {
		return false
	}
	for _, p := range list {
		if slices.Contains(s.joined, p.Topic) {
			continue
		}
		adopted = adopted || !slices.Contains(s.topics, p.Topic)
		s.topics = insert(s.topics, p.Topic)
		s.joined = insert(s.joined, p.Topic)
	}
	return adopted
}

func insert(list []string, s string) []string {
	i, ok := slices.BinarySearch(list, s)
	if ok {
		return list
	}
	return slices.Insert(slices.Clone(list), i, s)
}

// positions lists the partitions with a valid position, as a commit of everything has them.
func (s *subscription) positions() []protocol.PartitionOffset {
	list := make([]protocol.PartitionOffset, 0, len(s.parts))
	for i := range s.parts {
		if p := &s.parts[i]; p.state == posFetched {
			list = append(list, protocol.PartitionOffset{TopicPartition: p.tp, Offset: p.position})
		}
	}
	return list
}

// metadataTopics are the topics that the client asks brokers about.
func (c *Consumer) metadataTopics() []string {
	s := &c.sub
	switch {
	case s.kind == subManual:
		var topics []string
		for i := range s.parts {
			topics = append(topics, s.parts[i].tp.Topic)
		}
		return slices.Compact(topics)
	case len(s.groupTopics) == 0:
		return s.topics
	}
	topics := slices.Concat(s.groupTopics, s.topics)
	slices.Sort(topics)
	return slices.Compact(topics)
}

// snapshotMetadata takes in metadata that has come since the last time: a pattern finds its
// topics, and the counts of partitions are noted for the leader's watch.
func (c *Consumer) snapshotMetadata() {
	s := &c.sub
	if s.snapshotVersion == c.meta.version {
		return
	}
	s.snapshotVersion = c.meta.version
	if s.kind == subPattern {
		c.matchTopics()
	}
	s.metadataSnapshot = c.counts()
	if s.snapshotDue && len(s.metadataSnapshot) > 0 {
		s.snapshotDue = false
		c.takeAssignmentSnapshot()
	}
}

// matchTopics subscribes to the topics that match the pattern, of those that are known.
func (c *Consumer) matchTopics() {
	s := &c.sub
	var topics []string
	for i := range c.meta.topics {
		if t := &c.meta.topics[i]; t.Error == protocol.None && s.pattern.MatchString(t.Name) {
			topics = append(topics, t.Name)
		}
	}
	slices.Sort(topics)
	if !slices.Equal(topics, s.topics) {
		s.topics = topics
		c.requestTopics()
	}
}

func (c *Consumer) counts() []topicCount {
	var list []topicCount
	for _, name := range c.metadataTopics() {
		if t := c.meta.topic(name); t != nil && len(t.Leaders) > 0 {
			list = append(list, topicCount{topic: name, count: int32(len(t.Leaders)), racks: c.rackSum(t)})
		} else if c.cfg.Rules.SnapshotListsUnknown {
			list = append(list, topicCount{topic: name})
		}
	}
	return list
}

// rackSum stands for the racks of a topic's replicas, which a leader with a rack of its
// own watches (KAFKA-14867): 0 where they do not matter.
func (c *Consumer) rackSum(t *protocol.TopicMetadata) uint64 {
	if !c.cfg.Rules.WatchesRacks || c.cfg.Settings.Rack == "" {
		return 0
	}
	var h sim.Hasher
	for _, racks := range t.Racks {
		set := slices.Clone(racks)
		slices.Sort(set)
		h.Strs(slices.Compact(set))
	}
	return h.Sum()
}

func (c *Consumer) takeAssignmentSnapshot() {
	c.sub.assignmentSnapshot, c.sub.snapshotSet = c.sub.metadataSnapshot, true
}
