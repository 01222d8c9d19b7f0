package coordinator

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// OffsetFetch is answered whatever state the group is in, by anyone's request. Before
// version 2 an error stands at each partition; version 7 can ask for offsets that no
// commit is about to change (KIP-447).
func (b *Broker) offsetFetch(r *protocol.OffsetFetchRequest) {
	a := &protocol.OffsetFetchAnswer{}
	if err, why := b.admit(r.Group, protocol.KindOffsetFetch); err != protocol.None {
		a.Error = err
		if r.Version < 2 {
			for _, p := range r.Partitions {
				a.Partitions = append(a.Partitions, protocol.PartitionOffset{TopicPartition: p, Offset: -1, Error: err})
			}
		}
		b.reply(a.Freeze(), why, 0)
		return
	}
	n := protocol.CoordinatorPartition(r.Group, int32(len(b.parts)))
	stable := r.RequireStable && b.cfg.Rules.StableFetch
	var offsets []offsetEntry
	if i := b.byGroup.find(r.Group); i != none && b.groups[i].state != protocol.Dead {
		offsets = b.groups[i].offsets
	}
	asked := r.Partitions
	if r.All {
		asked = nil
		for i := range offsets {
			asked = append(asked, offsets[i].partition)
		}
	}
	a.Partitions = make([]protocol.PartitionOffset, 0, len(asked))
	why := protocol.RuleOffsets
	for _, p := range asked {
		o := protocol.PartitionOffset{TopicPartition: p, Offset: -1}
		if i, ok := findOffset(offsets, p); ok {
			e := &offsets[i]
			last := e.committed
			if len(e.pending) > 0 && stable {
				if last = e.pending[len(e.pending)-1].record; !b.cfg.Rules.StableFetchWaits {
					last, o.Error, why = nil, protocol.UnstableOffsetCommit, protocol.RuleUnstable
				}
			}
			if last != nil {
				o.Offset, o.MetadataSize = last.Offset, last.MetadataSize
			}
		}
		a.Partitions = append(a.Partitions, o)
	}
	if stable && b.cfg.Rules.StableFetchWaits {
		b.answer(n, a.Freeze(), why, 0)
		return
	}
	b.reply(a.Freeze(), why, 0)
}

// OffsetDelete (KIP-496).
func (b *Broker) offsetDelete(r *protocol.OffsetDeleteRequest) {
	a := &protocol.OffsetDeleteAnswer{}
	if err, why := b.admit(r.Group, protocol.KindOffsetDelete); err != protocol.None {
		a.Error = err
		b.reply(a.Freeze(), why, 0)
		return
	}
	g := b.group(r.Group)
	switch {
	case g == nil || g.state == protocol.Dead:
		a.Error = protocol.GroupIDNotFound
		b.reply(a.Freeze(), protocol.RuleNoGroup, 0)
		return
	case g.state != protocol.Empty && g.typ != "consumer":
		a.Error = protocol.NonEmptyGroup
		b.reply(a.Freeze(), protocol.RuleNonEmpty, g.movedBy)
		return
	}
	why := protocol.RuleOffsetsDeleted
	for _, p := range r.Partitions {
		o := protocol.PartitionOffset{TopicPartition: p}
		if !b.knows(p) {
			o.Error = protocol.UnknownTopicOrPartition
		} else if g.state != protocol.Empty && g.subscribes(p.Topic) {
			o.Error, why = protocol.GroupSubscribedToTopic, protocol.RuleSubscribed
		} else {
			b.deleteOffset(g, p, protocol.RuleOffsetsDeleted)
		}
		a.Partitions = append(a.Partitions, o)
	}
	n := g.partition
	if g.state == protocol.Empty && len(g.offsets) == 0 && !b.cfg.Rules.DeleteKeepsGroup {
		b.removeGroup(g, protocol.RuleGroupExpired)
	}
	b.answer(n, a.Freeze(), why, 0)
}

// deleteOffset removes a committed offset, if there is one.
func (b *Broker) deleteOffset(g *group, p protocol.TopicPartition, why protocol.Rule) {
	i, ok := findOffset(g.offsets, p)
	if !ok {
		return
	}
	if b.append(g.partition, &protocol.LogRecord{Group: g.id, IsOffset: true, Partition: p, Tombstone: true}, why) == protocol.None {
		g.offsets = slices.Delete(g.offsets, i, i+1)
	}
}

// topicDeleted removes the offsets of a topic's partitions from all groups (KAFKA-2000).
func (b *Broker) topicDeleted(topic string) {
	for _, g := range b.groups {
		if g == nil || b.parts[g.partition].state != partOwned {
			continue
		}
		for i := len(g.offsets) - 1; i >= 0; i-- {
			if g.offsets[i].partition.Topic == topic {
				b.deleteOffset(g, g.offsets[i].partition, protocol.RuleTopicDeleted)
			}
		}
	}
}
