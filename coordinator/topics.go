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

// knows reports whether the broker takes a partition's offsets: it looks before the coordinator
// sees the request. Before KAFKA-6796 it looked for the topic only.
func (b *Broker) knows(p protocol.TopicPartition) bool {
	if b.image == nil || b.image.AnyTopic {
		return true
	}
	t := b.image.topic(p.Topic)
	return t != nil && (!b.cfg.Rules.CommitsByPartition || p.Partition >= 0 && int(p.Partition) < len(t.Leaders))
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

// fetch is a Fetch that waits for records. What it waits for is computed: it costs events
// when its time is over, and when it is answered.
type fetch struct {
	req    sim.Request // none: this place is free
	body   *protocol.FetchRequest
	timer  sim.TimerID // there is a record, or the time is over
	wait   sim.TimerID // when MaxWait ends; passive
	parked bool        // it is answered and sent again all the time, see sim.Out.Park
}

// never is a longer wait than any.
const never = int64(1) << 50

func (b *Broker) fetch(r *protocol.FetchRequest) {
	if a := b.fetched(r); a != nil {
		b.reply(a, protocol.RuleFetched, 0)
		return
	}
	f := b.fetchOn(b.req.Link)
	f.req, f.body, f.parked = b.req, r, false
	b.out.Arm(f.wait, int64(r.MaxWait))
	b.waitForRecords(f)
}

// fetchOn is the place for a Fetch that waits on a connection: there is one at most.
func (b *Broker) fetchOn(link sim.LinkID) *fetch {
	b.fetchPlaces = slices.Grow(b.fetchPlaces, max(0, int(link)+1-len(b.fetchPlaces)))
	for int(link) >= len(b.fetchPlaces) {
		b.fetchPlaces = append(b.fetchPlaces, none)
	}
	at := &b.fetchPlaces[link]
	if *at == none {
		*at = int32(len(b.fetches))
		f := fetch{timer: b.out.NewTimer(sim.ClassRoutine, TimerFetch, int32(link)), wait: b.out.NewTimer(sim.ClassPassive, TimerFetch, 0)}
		b.owns(f.timer, owner{group: *at, member: none, kind: TimerFetch})
		b.fetches = append(b.fetches, f)
	}
	return &b.fetches[*at]
}

// over forgets a Fetch that waits no more.
func (b *Broker) over(f *fetch) {
	b.out.Disarm(f.timer)
	b.out.Disarm(f.wait)
	f.req, f.body = sim.Request{}, nil
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
			a = &protocol.FetchAnswer{Partitions: make([]protocol.PartitionOffset, 0, len(r.Partitions)-i)}
		}
		a.Partitions = append(a.Partitions, o)
	}
	return a
}

// recordsIn is the number of milliseconds until one of the partitions has a record for
// the request, or none of them is led here any more.
func (b *Broker) recordsIn(r *protocol.FetchRequest) int64 {
	ms := never
	for i := range r.Partitions {
		t, err := b.led(r.Partitions[i].TopicPartition)
		if err != protocol.None {
			return 0
		}
		if at, ok := t.reaches(r.Partitions[i].Partition, r.Partitions[i].Offset); ok {
			ms = min(ms, (at+sim.Millisecond-1).Millis()-b.out.At().Millis())
		}
	}
	return max(ms, 0)
}

// waitForRecords lets a Fetch wait until there is a record, or its time is over.
func (b *Broker) waitForRecords(f *fetch) {
	ms := b.recordsIn(f.body)
	if !f.parked {
		ms = min(ms, b.out.Left(f.wait))
	}
	if ms == never {
		b.out.Disarm(f.timer)
		return
	}
	b.out.Arm(f.timer, ms)
}

// fetchEnds is told that there is a record for a Fetch, or that its time is over.
func (b *Broker) fetchEnds(place int32) {
	f := &b.fetches[place]
	left := b.out.Left(f.wait)
	if between := left - int64(f.body.MaxWait); f.parked && between > 0 {
		b.out.Arm(f.timer, between) // the client is just asking again
		return
	}
	a := b.fetched(f.body)
	switch {
	case a != nil:
		b.out.Reply(f.req, a, uint16(protocol.RuleFetched), f.req.Ref)
		b.over(f)
	case left > 0:
		b.waitForRecords(f)
	case b.out.Runs() && b.out.Goes(f.req):
		round := int64(f.body.MaxWait) + b.out.RoundTrip(f.req)
		b.out.Arm(f.wait, round)
		b.out.Repeat(f.wait, round, round, round)
		f.parked = true
		b.waitForRecords(f)
		b.out.Park(f.req)
	default:
		b.nothingFetched(f)
	}
}

func (b *Broker) nothingFetched(f *fetch) {
	b.out.Reply(f.req, nothing, uint16(protocol.RuleNothingFetched), f.req.Ref)
	b.over(f)
}

// nothing is the answer to a Fetch that has waited in vain.
var nothing = (&protocol.FetchAnswer{}).Freeze()

// unparked is told that a Fetch cannot stay parked: its present round is played.
func (b *Broker) unparked(link sim.LinkID) {
	if int(link) >= len(b.fetchPlaces) || b.fetchPlaces[link] == none {
		return // of an earlier life
	}
	f := b.fetchOn(link)
	switch {
	case f.req.None() || !f.parked:
	case !b.out.Live(f.req):
		b.over(f)
	case b.out.Goes(f.req):
		b.out.Park(f.req)
	case b.out.Left(f.wait) > int64(f.body.MaxWait): // between two rounds
		b.nothingFetched(f)
	default:
		f.parked = false
		b.out.Hold(f.wait)
		b.waitForRecords(f)
	}
}

// wakeFetches looks at the Fetches that wait again, since leaders or rates have changed.
func (b *Broker) wakeFetches() {
	for i := range b.fetches {
		if f := &b.fetches[i]; !f.req.None() {
			b.waitForRecords(f)
		}
	}
}
