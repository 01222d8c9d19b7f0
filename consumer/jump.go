package consumer

import "github.com/rebalsim/rebalsim/sim"

// The Java client measures time by the time of day. Put forward, it lets everything be due
// that much sooner; put back, that much later. What waits for the operating system is not
// concerned: the select, the heartbeat thread's pause, the program's work.

// clockJumps is told that the clock was put forward, or back.
func (c *Consumer) clockJumps(ms int64) {
	h := &c.heart
	c.out.Shift(-ms, c.userTimer, c.wakeTimer, h.first, h.raw, h.past, h.tick)
	if ms < 0 && c.cfg.Rules.TimersWaitForClock && c.out.Left(h.lag) == 0 {
		c.out.Arm(h.lag, -ms)
	}
}

// armHeart sets a timer of the membership's. Such a timer has seen a later time than the
// clock shows after it was put back, and takes no notice of it until it shows that time
// again.
func (c *Consumer) armHeart(id sim.TimerID, ms int64) {
	c.out.Arm(id, ms+c.out.Left(c.heart.lag))
}
