package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// somethingToRead reports whether a select would return at once.
func (c *Consumer) somethingToRead() bool {
	return c.awake || len(c.inbox) > 0
}

// arrived is told by the network.
func (c *Consumer) arrived(a arrival) {
	c.inbox = append(c.inbox, a)
	c.wakeSelect()
}

// wakeSelect ends the user thread's wait in the network, if it is there.
func (c *Consumer) wakeSelect() {
	if c.waits == waitsNetwork {
		c.out.Arm(c.wakeTimer, 0)
	}
}

// read takes in what has arrived, then looks for connections that failed and requests
// that have waited too long.
func (c *Consumer) read() {
	c.awake = false
	for len(c.inbox) > 0 {
		a := c.inbox[0]
		c.inbox = slices.Delete(c.inbox, 0, 1)
		if i := c.connOf(a.link); i >= 0 {
			if a.closed {
				c.closedByPeer(i, a.ref)
			} else {
				c.readAnswer(i, &a)
			}
		}
	}
	if c.lostLate {
		c.lostLate = false
		c.serverLost(c.cause)
	}
	for i := range c.conns {
		if late, ok := c.timedOut(int16(i)); ok {
			c.seeConn(SeenTimeout, int16(i))
			c.out.Close(c.conns[i].link, uint16(protocol.RuleRequestTimedOut), late)
			gone := c.abandon(int16(i))
			c.lost(int16(i))
			for _, r := range gone {
				c.disconnected(r, protocol.RuleRequestTimedOut, late)
			}
			c.serverLost(late)
		}
	}
}

func (c *Consumer) connOf(link sim.LinkID) int16 {
	for i := range c.conns {
		if k := &c.conns[i]; k.linked && k.link == link && k.state == connUp {
			return int16(i)
		}
	}
	return -1
}

func (c *Consumer) closedByPeer(i int16, ref sim.Ref) {
	gone := c.abandon(i)
	c.lost(i)
	for _, r := range gone {
		c.disconnected(r, protocol.RuleCoordinatorConnectionLost, ref)
	}
	c.lostRef = ref
	c.serverLost(ref)
}

func (c *Consumer) readAnswer(i int16, a *arrival) {
	for j := range c.inflight {
		r := &c.inflight[j]
		if r.conn != i || r.ord != a.ord || r.kind != a.kind {
			continue
		}
		done := completion{req: *r, body: a.body, ref: a.ref}
		c.inflight = slices.Delete(c.inflight, j, j+1)
		c.conns[i].sent--
		if done.req.use == useMetadata {
			c.freeRequest(&done.req)
			if body, ok := a.body.(*protocol.MetadataAnswer); ok {
				c.metadataArrived(body)
			}
			return
		}
		c.completions = append(c.completions, done)
		return
	}
}

// timedOut reports whether a request on a connection has waited for too long, and gives the
// record of its sending.
func (c *Consumer) timedOut(i int16) (sent sim.Ref, ok bool) {
	if c.conns[i].sent == 0 {
		return 0, false
	}
	for j := range c.inflight {
		if r := &c.inflight[j]; r.conn == i && c.out.Due(r.timer) && !c.goesOn(r) {
			return r.sent, true
		}
	}
	return 0, false
}

// goesOn reports whether a request that seems to wait for too long is a fetch that was
// answered with nothing and sent again many times, which is not played. It then counts
// from when the connection was disturbed, if it was.
func (c *Consumer) goesOn(r *request) bool {
	if r.use != useFetch || c.cfg.Settings.FetchMaxWait >= r.timeout {
		return false
	}
	ms := max(c.out.Disturbed(c.conns[r.conn].link), 0)
	if ms > r.timeout {
		return false
	}
	c.out.Arm(r.timer, r.timeout+1-ms)
	return true
}

// pendingTo reports whether any request to a connection is not written or not answered.
func (c *Consumer) pendingTo(i int16) bool { return c.conns[i].sent > 0 || c.hasUnsent(i) }

// maxPoll bounds the wait in one network poll.
func (c *Consumer) maxPoll() int64 {
	switch {
	case c.cfg.Rules.MaxPollIsHeartbeat:
		return min(c.cfg.Settings.HeartbeatInterval, 5000)
	case c.cfg.Rules.HeartbeatThread:
		return 5000
	}
	return MaxTime
}
