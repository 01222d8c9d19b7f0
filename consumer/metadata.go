package consumer

import (
	"cmp"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// metadata is what the client knows of the cluster, and when it asks again.
type metadata struct {
	brokers []sim.NodeID
	topics  []protocol.TopicMetadata // of the last answer, by name

	version    int32 // counts answers
	requests   int32 // counts wishes for new topics
	asked      int32 // requests as of the last asking
	full       bool  // wanted soon
	partial    bool
	inFlight   bool
	failures   int32
	same       int32       // answers in a row that told nothing new
	allowed    sim.TimerID // not to be asked before it is due
	unchanged  sim.TimerID // nor before this one, since answers tell nothing new (KIP-580)
	expires    sim.TimerID
	allTopics  bool
	askedTopic []string
}

func (m *metadata) topic(name string) *protocol.TopicMetadata {
	for i := range m.topics {
		if m.topics[i].Name == name && m.topics[i].Error == protocol.None {
			return &m.topics[i]
		}
	}
	return nil
}

func (m *metadata) partitions(name string) int32 {
	if t := m.topic(name); t != nil {
		return int32(len(t.Leaders))
	}
	return 0
}

func (m *metadata) leader(p protocol.TopicPartition) sim.NodeID {
	if t := m.topic(p.Topic); t != nil && int(p.Partition) < len(t.Leaders) {
		return t.Leaders[p.Partition]
	}
	return sim.Nobody
}

// requestMetadata asks for an answer soon.
func (c *Consumer) requestMetadata() {
	c.meta.full = true
	c.because.metadata = c.cause
}

// requestTopics asks for topics that are new to the client, without back-off.
func (c *Consumer) requestTopics() {
	c.meta.partial = true
	c.because.metadata = c.cause
	c.meta.requests++
	c.tellsNews()
	c.out.Disarm(c.meta.allowed)
}

// tellsNews ends the back-off for answers that tell nothing new.
func (c *Consumer) tellsNews() {
	c.meta.same = 0
	c.out.Disarm(c.meta.unchanged)
}

// metadataDue is how long until the client asks; 0: now.
func (c *Consumer) metadataDue() int64 {
	m := &c.meta
	allowed := c.metadataAllowed()
	if m.full || m.partial {
		return allowed
	}
	return max(allowed, c.out.Left(m.expires))
}

// metadataAllowed is how long the client must not ask.
func (c *Consumer) metadataAllowed() int64 {
	return max(c.out.Left(c.meta.allowed), c.out.Left(c.meta.unchanged))
}

// maybeUpdateMetadata asks if it is time. It returns how long the next select may wait for it.
func (c *Consumer) maybeUpdateMetadata() int64 {
	c.noteRefused()
	if c.lostLate {
		return c.cfg.Settings.RequestTimeout
	}
	if wait := c.metadataWait(); wait > 0 {
		return wait
	}
	i := c.leastLoaded()
	switch {
	case i < 0:
		return c.cfg.Settings.ReconnectBackoff
	case !c.ready(i) && !c.canConnect(i):
		return c.cfg.Settings.ReconnectBackoff
	case !c.ready(i):
		c.connect(i)
		if !c.ready(i) {
			return c.cfg.Settings.ReconnectBackoff
		}
	}
	c.askMetadata(i)
	return c.cfg.Settings.RequestTimeout
}

// metadataWait is what maybeUpdateMetadata returns, if it is not time: 0 if it is.
func (c *Consumer) metadataWait() int64 {
	if c.meta.inFlight {
		return c.cfg.Settings.RequestTimeout
	}
	return c.metadataDue()
}

// metadataWithin is metadataWait, or the limit if that is sooner.
func (c *Consumer) metadataWithin(limit int64) int64 {
	m := &c.meta
	if !m.inFlight && !m.full && !m.partial && c.out.Left(m.expires) >= limit {
		return limit // whatever else it waits for
	}
	return min(limit, c.metadataWait())
}

// duringWait asks for metadata that became due while a select was waiting.
func (c *Consumer) duringWait() {
	if c.meta.inFlight || c.metadataDue() > 0 {
		return
	}
	c.selecting = true
	c.maybeUpdateMetadata()
	c.selecting = false
}

func (c *Consumer) askMetadata(i int16) {
	m := &c.meta
	m.asked = m.requests
	wanted := m.full || m.partial
	topics := c.metadataTopics()
	all := c.sub.pattern != nil
	if all {
		topics = nil
	}
	if c.cluster != nil {
		c.metadataArrived(c.cluster.answer(all, topics))
		c.awake = true
		return
	}
	m.inFlight = true
	why, ref := protocol.RuleMetadataWanted, cmp.Or(c.because.metadata, c.cause)
	if !wanted {
		why, ref = protocol.RuleMetadataOld, c.out.SetBy(m.expires)
	}
	r := request{conn: i, use: useMetadata, why: why, ref: ref, timeout: c.cfg.Settings.RequestTimeout,
		body: (&protocol.MetadataRequest{All: all, Topics: topics}).Freeze(), kind: protocol.KindMetadata}
	r.timer = c.requestTimer()
	c.because.metadata = 0
	c.write(&r)
}

// metadataArrived takes in an answer.
func (c *Consumer) metadataArrived(answer *protocol.MetadataAnswer) {
	m := &c.meta
	m.inFlight = false
	partial := !m.full && m.partial
	m.partial = m.asked < m.requests
	m.failures = 0
	m.version++
	if !partial {
		m.full = false
		c.out.Arm(m.expires, c.cfg.Settings.MetadataMaxAge)
	}
	m.same++
	if !sameTopics(m.topics, answer.Topics) {
		m.same = 0
	}
	m.topics = answer.Topics
	if len(answer.Brokers) > 0 && !slices.Equal(m.brokers, answer.Brokers) {
		m.brokers = answer.Brokers
	}
	c.allowMetadata()
	if !c.cfg.Rules.SnapshotsWhenPolled {
		c.snapshotMetadata()
	}
	for i := range c.sub.parts {
		if node := m.leader(c.sub.parts[i].tp); node != sim.Nobody {
			c.sub.parts[i].leader = node
		}
	}
	c.see(Seen{What: SeenMetadata, Body: answer})
}

func sameTopics(a, b []protocol.TopicMetadata) bool {
	return slices.EqualFunc(a, b, func(x, y protocol.TopicMetadata) bool {
		return x.Name == y.Name && x.Error == y.Error && slices.Equal(x.Leaders, y.Leaders)
	})
}

// allowMetadata starts the back-off between two questions.
func (c *Consumer) allowMetadata() {
	m := &c.meta
	ms := c.cfg.Settings.RetryBackoff
	if c.cfg.Rules.ExponentialRetry {
		ms = c.retryBackoff(max(m.failures-1, 0))
		if m.same > 0 {
			c.out.Arm(m.unchanged, c.retryBackoff(m.same-1))
		} else {
			c.out.Disarm(m.unchanged)
		}
	}
	c.out.Arm(m.allowed, ms)
}

// metadataFailed is told that an answer will not come.
func (c *Consumer) metadataFailed() {
	c.meta.inFlight = false
	c.meta.failures++
	c.meta.same = 0
	c.allowMetadata()
}

// serverLost is told that a connection failed or was closed from outside: what the
// client knows may be old.
func (c *Consumer) serverLost(ref sim.Ref) {
	if !c.meta.inFlight && c.metadataDue() == 0 {
		c.metadataFailed()
	}
	c.tellsNews()
	c.requestMetadata()
	c.because.metadata = ref
}

// awaitMetadata asks for metadata and polls until there is an answer or the clock has
// run out. f.n holds the version to be passed.
func awaitMetadata(c *Consumer, f *frame) {
	switch f.pc {
	case 0:
		c.tellsNews()
		c.requestMetadata()
		f.n = c.meta.version
		f.pc = 1
		c.pollOnce(f.clock, f.flags)
	default:
		if c.meta.version == f.n && !c.expired(f.clock) {
			c.pollOnce(f.clock, f.flags)
			return
		}
		c.ret(c.meta.version > f.n)
	}
}

// freshMetadata is awaitMetadata if an answer is wanted anyway.
func (c *Consumer) freshMetadataNeeded() bool {
	return c.meta.full || c.meta.partial || c.out.Left(c.meta.expires) <= 0
}
