package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// The network client: connections with their back-off, requests that wait to be
// written, requests in flight, what has arrived and is not read, and answers that were
// read and are not handled. Reading happens when a thread polls the network, handling
// when a thread runs the completions; between the two, and before them, things lie
// around. That is why a JoinGroup answer can wait for a user who is busy.

// Channels of a consumer's connections. The coordinator has one of its own, so that
// a parked JoinGroup does not hold back fetches from the same broker.
const (
	ChannelBroker      uint8 = 0
	ChannelCoordinator uint8 = 1
)

type connState uint8

const (
	connNever connState = iota
	connUp
	connDown
)

// conn is a connection to a broker over one channel, open or not.
type conn struct {
	node    sim.NodeID
	channel uint8
	state   connState
	link    sim.LinkID
	linked  bool        // link is valid
	backoff sim.TimerID // not to be tried again before it is due
	fails   int32       // attempts in a row that failed
	tried   uint64      // order of the last attempt among all connections
	sent    int16       // requests in flight
	session bool        // a fetch session is open
}

// use says what becomes of an answer.
type use uint8

const (
	useNone use = iota
	useFind
	useJoin
	useSync
	useHeartbeat
	useLeave
	useCommit
	useOffsets
	useFetch
	useList
	useMetadata
)

// request is a request that is waiting to be written or in flight.
type request struct {
	conn    int16
	use     use
	kind    uint8
	done    commitDone // useCommit: whom to tell
	fut     int32      // the future that the answer completes; 0: none
	ord     uint32
	ref     sim.Ref // the record that made it be sent
	sent    sim.Ref // that of its sending
	why     protocol.Rule
	timeout int64
	timer   sim.TimerID // due when it has waited too long
	gen     generation  // as of its making
	body    sim.Body
}

// arrival is something that the network brought and nobody has read.
type arrival struct {
	link   sim.LinkID
	closed bool
	kind   uint8
	ord    uint32
	body   sim.Body
	ref    sim.Ref
}

// completion is an answer that was read, or its absence, and that nobody has handled.
type completion struct {
	req  request
	body sim.Body
	err  Thrown // Disconnect or Timeout
	why  protocol.Rule
	ref  sim.Ref
}

// conn finds or makes the entry of a connection.
func (c *Consumer) connTo(node sim.NodeID, channel uint8) int16 {
	for i := range c.conns {
		if c.conns[i].node == node && c.conns[i].channel == channel {
			return int16(i)
		}
	}
	c.conns = append(c.conns, conn{node: node, channel: channel,
		backoff: c.out.NewTimer(sim.ClassPassive, timerPassive, -1)})
	return int16(len(c.conns) - 1)
}

// connectDelay is how long a connection must not be used yet: 0 if it may be opened
// now, much if it is open.
func (c *Consumer) connectDelay(i int16) int64 {
	switch k := &c.conns[i]; k.state {
	case connNever:
		return 0
	case connDown:
		return c.out.Left(k.backoff)
	}
	return MaxTime
}

func (c *Consumer) canConnect(i int16) bool {
	k := &c.conns[i]
	return k.state == connNever || k.state == connDown && !c.backingOff(i)
}

func (c *Consumer) backingOff(i int16) bool { return c.out.Left(c.conns[i].backoff) > 0 }

// unavailable: the last attempt failed, or the connection was lost, and it is too early
// to try again.
func (c *Consumer) unavailable(i int16) bool {
	return c.conns[i].state == connDown && (!c.cfg.Rules.UnavailableInBackoffOnly || c.backingOff(i))
}

func (c *Consumer) ready(i int16) bool { return c.conns[i].state == connUp && c.conns[i].sent < 100 }

// connect tries to open a connection.
func (c *Consumer) connect(i int16) {
	k := &c.conns[i]
	c.attempts++
	k.tried = c.attempts
	link, ok := c.out.Open(k.node, k.channel)
	k.link, k.linked = link, true
	if ok {
		k.state, k.fails = connUp, 0
		return
	}
	c.lost(i)
	c.seeConn(SeenConnectFailed, i)
	if c.selecting {
		c.lostLate = true
		return
	}
	c.refused++
	c.awake = true
}

// noteRefused takes note of connection attempts that failed, as the next select begins.
func (c *Consumer) noteRefused() {
	for ; c.refused > 0; c.refused-- {
		c.serverLost(c.cause)
	}
}

// lost puts a connection into back-off after it failed or closed, from either side.
func (c *Consumer) lost(i int16) {
	k := &c.conns[i]
	k.state = connDown
	k.session = false
	c.out.Arm(k.backoff, c.reconnectBackoff(k.fails))
	k.fails++
}

// reconnectBackoff is the pause after a connection has failed so often before.
func (c *Consumer) reconnectBackoff(fails int32) int64 {
	ms := c.cfg.Settings.ReconnectBackoff
	if !c.cfg.Rules.ExponentialReconnect {
		return ms
	}
	for n := int32(0); n < fails && ms < c.cfg.Settings.ReconnectMax; n++ {
		ms *= 2
	}
	return min(ms, max(c.cfg.Settings.ReconnectMax, c.cfg.Settings.ReconnectBackoff))
}

// leastLoaded picks a broker to ask: the lowest number that is connected and idle, else
// the connected one with the fewest requests in flight, else one that may be connected
// to and was tried the longest ago (KIP-601). Kafka begins at a random broker; this
// model at the first. Connecting takes no time, so none is being connected to.
func (c *Consumer) leastLoaded() int16 {
	best, connectable := int16(-1), int16(-1)
	for _, node := range c.meta.brokers {
		i := c.connTo(node, ChannelBroker)
		k := &c.conns[i]
		switch {
		case c.ready(i) && k.sent == 0:
			return i
		case c.ready(i):
			if best < 0 || k.sent < c.conns[best].sent {
				best = i
			}
		case c.canConnect(i):
			if connectable < 0 || !c.cfg.Rules.TriesOldestNode || k.tried < c.conns[connectable].tried {
				connectable = i
			}
		}
	}
	if best >= 0 {
		return best
	}
	return connectable
}

// queue hands a request to the network client. It is written when a thread polls.
func (c *Consumer) queue(r request) {
	c.fill(&r)
	c.out.Arm(r.timer, r.timeout+1)
	c.unsent = append(c.unsent, r)
	c.awake = true
}

// fill gives a request what every request has.
func (c *Consumer) fill(r *request) {
	if r.timeout == 0 {
		r.timeout = c.cfg.Settings.RequestTimeout
	}
	r.kind = r.body.Kind()
	r.timer = c.requestTimer()
}

func (c *Consumer) requestTimer() sim.TimerID {
	if n := len(c.freeTimers); n > 0 {
		t := c.freeTimers[n-1]
		c.freeTimers = c.freeTimers[:n-1]
		return t
	}
	return c.out.NewTimer(sim.ClassPassive, timerPassive, -2)
}

func (c *Consumer) freeRequest(r *request) {
	if r.timer != 0 {
		c.out.Disarm(r.timer)
		c.freeTimers = append(c.freeTimers, r.timer)
		r.timer = 0
	}
}

// trySend writes what can be written. It returns how long the next select may wait for
// the sake of connections that still have something to write.
func (c *Consumer) trySend() int64 {
	delay := c.maxPoll()
	for i := range c.conns {
		id := int16(i)
		if !c.hasUnsent(id) {
			continue
		}
		delay = min(delay, c.connectDelay(id))
		if !c.ready(id) && c.canConnect(id) {
			c.connect(id)
		}
		if !c.ready(id) {
			continue
		}
		kept := c.unsent[:0]
		for j := range c.unsent {
			if r := c.unsent[j]; r.conn == id && c.ready(id) {
				c.write(&r)
			} else {
				kept = append(kept, r)
			}
		}
		clear(c.unsent[len(kept):])
		c.unsent = kept
	}
	return delay
}

func (c *Consumer) hasUnsent(i int16) bool {
	for j := range c.unsent {
		if c.unsent[j].conn == i {
			return true
		}
	}
	return false
}

// write puts a request on the wire.
func (c *Consumer) write(r *request) {
	k := &c.conns[r.conn]
	c.out.Arm(r.timer, r.timeout+1)
	k.sent++
	if r.use == useFetch {
		k.session = true
	}
	r.ord, r.sent = c.out.Send(k.link, r.body, uint16(r.why), r.ref)
	c.lastOrd[r.kind] = r.ord
	c.inflight = append(c.inflight, *r)
	if c.watch != nil {
		c.see(Seen{What: SeenSend, Thread: c.thread, Node: k.node, Channel: k.channel, Link: k.link, Body: r.body, Ord: r.ord, Timeout: r.timeout})
	}
}

// abandon takes all of a connection's requests in flight out and returns them in order.
func (c *Consumer) abandon(i int16) []request {
	var gone []request
	kept := c.inflight[:0]
	for _, r := range c.inflight {
		if r.conn == i {
			gone = append(gone, r)
		} else {
			kept = append(kept, r)
		}
	}
	clear(c.inflight[len(kept):])
	c.inflight = kept
	c.conns[i].sent = 0
	c.inbox = slices.DeleteFunc(c.inbox, func(a arrival) bool {
		return c.conns[i].linked && a.link == c.conns[i].link
	})
	return gone
}

// disconnected makes a request fail because its connection is gone, by a rule.
func (c *Consumer) disconnected(r request, why protocol.Rule, ref sim.Ref) {
	if r.use == useMetadata {
		c.freeRequest(&r)
		c.metadataFailed()
		return
	}
	c.completions = append(c.completions, completion{req: r, err: thrown(Disconnect), why: why, ref: ref})
}

// closeAsync closes a connection at the start of the next network poll.
func (c *Consumer) closeAsync(i int16) {
	c.closing = append(c.closing, i)
	c.awake = true
}

// closePending does what closeAsync has asked for (KAFKA-6366): requests not written
// fail first, then those in flight, which the next select notices.
func (c *Consumer) closePending() {
	for _, i := range c.closing {
		c.failUnsent(i)
		if c.conns[i].state != connUp {
			continue
		}
		c.out.Close(c.conns[i].link, uint16(c.coordWhy), c.coordRef)
		c.seeConn(SeenDisconnect, i)
		c.aborted = append(c.aborted, c.abandon(i)...)
		c.lost(i)
	}
	c.closing = c.closing[:0]
}

// failUnsent fails all requests that wait for a connection.
func (c *Consumer) failUnsent(i int16) {
	if !c.hasUnsent(i) {
		return
	}
	kept := c.unsent[:0]
	for _, r := range c.unsent {
		if r.conn != i {
			kept = append(kept, r)
			continue
		}
		c.completions = append(c.completions, completion{req: r, err: thrown(Disconnect), why: protocol.RuleCoordinatorConnectionLost, ref: c.cause})
	}
	clear(c.unsent[len(kept):])
	c.unsent = kept
}

// failUnreachable fails requests whose connection could not be made.
func (c *Consumer) failUnreachable() {
	for i := range c.conns {
		if c.conns[i].state == connDown {
			c.failUnsent(int16(i))
		}
	}
}

// failExpired fails requests that have waited too long to be written.
func (c *Consumer) failExpired() {
	for j := 0; j < len(c.unsent); {
		if !c.out.Due(c.unsent[j].timer) {
			j++
			continue
		}
		r := c.unsent[j]
		c.unsent = slices.Delete(c.unsent, j, j+1)
		c.completions = append(c.completions, completion{req: r, err: thrown(Timeout), ref: c.cause})
	}
}
