package coordinator

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// findCoordinator answers from the broker's image, which may be stale.
func (b *Broker) findCoordinator(r *protocol.FindCoordinatorRequest) {
	a := &protocol.FindCoordinatorAnswer{Error: protocol.CoordinatorNotAvailable, Node: sim.Nobody}
	why := protocol.RuleNoCoordinator
	if b.image != nil && len(b.image.OffsetsLeaders) > 0 {
		p := protocol.CoordinatorPartition(r.Group, int32(len(b.image.OffsetsLeaders)))
		if leader := b.image.OffsetsLeaders[p]; leader != sim.Nobody && slices.Contains(b.image.Brokers, leader) {
			a.Error, a.Node, why = protocol.None, leader, protocol.RuleCoordinatorFound
		}
	}
	b.reply(a.Freeze(), why, 0)
}

func (b *Broker) metadata(r *protocol.MetadataRequest) {
	a := &protocol.MetadataAnswer{}
	if b.image != nil {
		a.Brokers = b.image.Brokers
		if r.All {
			for i := range b.image.Topics {
				a.Topics = append(a.Topics, topicMetadata(&b.image.Topics[i]))
			}
		}
	}
	for _, name := range r.Topics {
		if t := b.topic(name); t != nil {
			a.Topics = append(a.Topics, topicMetadata(t))
		} else {
			a.Topics = append(a.Topics, protocol.TopicMetadata{Name: name, Error: protocol.UnknownTopicOrPartition})
		}
	}
	b.reply(a.Freeze(), protocol.RuleMetadata, 0)
}

func topicMetadata(t *Topic) protocol.TopicMetadata {
	return protocol.TopicMetadata{Name: t.Name, Leaders: t.Leaders, Racks: t.Racks}
}

func (b *Broker) topic(name string) *Topic {
	if b.image == nil {
		return nil
	}
	return b.image.topic(name)
}

// led finds a partition that this broker leads, or says what it answers if it does not.
func (b *Broker) led(p protocol.TopicPartition) (*Topic, protocol.Error) {
	t := b.topic(p.Topic)
	switch {
	case t == nil || p.Partition < 0 || int(p.Partition) >= len(t.Leaders):
		return nil, protocol.UnknownTopicOrPartition
	case t.Leaders[p.Partition] != b.self:
		return nil, protocol.NotLeaderOrFollower
	}
	return t, protocol.None
}

func (b *Broker) listOffsets(r *protocol.ListOffsetsRequest) {
	a := &protocol.ListOffsetsAnswer{Partitions: make([]protocol.PartitionOffset, len(r.Partitions))}
	for i := range r.Partitions {
		o := &a.Partitions[i]
		o.TopicPartition = r.Partitions[i].TopicPartition
		t, err := b.led(o.TopicPartition)
		switch {
		case err != protocol.None:
			o.Error, o.Offset = err, -1
		case r.Partitions[i].Offset == protocol.Latest:
			o.Offset = t.EndOffset(o.Partition, b.out.At())
		}
	}
	b.reply(a.Freeze(), protocol.RuleListOffsets, 0)
}

// fetch is a Fetch that waits for records.
type fetch struct {
	req   sim.Request // none: this place is free
	body  *protocol.FetchRequest
	timer sim.TimerID
	wait  sim.TimerID // when its MaxWait ends; passive
}

func (b *Broker) fetch(r *protocol.FetchRequest) {
	if a := b.fetched(r); a != nil {
		b.reply(a, protocol.RuleFetched, 0)
		return
	}
	slot := len(b.fetches)
	for i := range b.fetches {
		if b.fetches[i].req.None() {
			slot = i
			break
		}
	}
	if slot == len(b.fetches) {
		b.fetches = append(b.fetches, fetch{})
	}
	f := &b.fetches[slot]
	if f.timer == 0 {
		f.timer = b.newTimer(TimerFetch, int32(slot), none, 0, "")
		f.wait = b.out.NewTimer(sim.ClassPassive, TimerFetch, 0)
	}
	f.req, f.body = b.req, r
	b.out.Arm(f.wait, int64(r.MaxWait))
	b.out.Arm(f.timer, b.fetchDelay(r, int64(r.MaxWait)))
}

// fetched is the answer to a Fetch, nil if there is nothing to tell yet.
func (b *Broker) fetched(r *protocol.FetchRequest) *protocol.FetchAnswer {
	var a *protocol.FetchAnswer
	for i := range r.Partitions {
		o := protocol.PartitionOffset{TopicPartition: r.Partitions[i].TopicPartition, Offset: -1}
		t, err := b.led(o.TopicPartition)
		if err == protocol.None {
			from, end := r.Partitions[i].Offset, t.EndOffset(o.Partition, b.out.At())
			switch {
			case from < 0 || from > end:
				err = protocol.OffsetOutOfRange
			case from == end:
				continue
			default:
				o.Offset = end
			}
		}
		o.Error = err
		if a == nil {
			a = &protocol.FetchAnswer{}
		}
		a.Partitions = append(a.Partitions, o)
	}
	if a == nil {
		return nil
	}
	return a.Freeze()
}

// fetchDelay is the number of milliseconds, at most limit, until one of the
// partitions has a record for the request.
func (b *Broker) fetchDelay(r *protocol.FetchRequest, limit int64) int64 {
	for i := range r.Partitions {
		t, err := b.led(r.Partitions[i].TopicPartition)
		if err != protocol.None {
			return 0
		}
		if at, ok := t.reaches(r.Partitions[i].Partition, r.Partitions[i].Offset); ok {
			limit = min(limit, (at+sim.Millisecond-1).Millis()-b.out.At().Millis())
		}
	}
	return max(limit, 0)
}

func (b *Broker) fetchEnds(slot int32) {
	f := &b.fetches[slot]
	if f.req.None() {
		return
	}
	a, why := b.fetched(f.body), protocol.RuleFetched
	if a == nil {
		if left := b.out.Left(f.wait); left > 0 {
			b.out.Arm(f.timer, b.fetchDelay(f.body, left))
			return
		}
		a, why = (&protocol.FetchAnswer{}).Freeze(), protocol.RuleNothingFetched
	}
	b.out.Reply(f.req, a, uint16(why), f.req.Ref)
	f.req, f.body = sim.Request{}, nil
	b.out.Disarm(f.wait)
}

// wakeFetches looks at the parked Fetches again, since leaders or rates have changed.
func (b *Broker) wakeFetches() {
	for i := range b.fetches {
		if f := &b.fetches[i]; !f.req.None() {
			b.out.Arm(f.timer, b.fetchDelay(f.body, b.out.Left(f.wait)))
		}
	}
}
