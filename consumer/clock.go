package consumer

import "github.com/rebalsim/rebalsim/sim"

// clock is the Java client's Timer: a deadline, and a picture of the time left that is
// as old as its last update. Code that forgets to update it goes on with the old
// picture, which shows in recorded runs. The deadline itself is a passive timer of the
// engine's.
type clock struct {
	id   sim.TimerID
	left int64 // milliseconds left, as of the last update
}

// A clock is named by its place in the pool; 0 is none.
type clockID = int16

// newClock starts a clock.
func (c *Consumer) newClock(ms int64) clockID {
	var i clockID
	if n := len(c.freeClocks); n > 0 {
		i, c.freeClocks = c.freeClocks[n-1], c.freeClocks[:n-1]
	} else {
		if len(c.clocks) == 0 {
			c.clocks = append(make([]clock, 0, 8), clock{})
		}
		i = clockID(len(c.clocks))
		c.clocks = append(c.clocks, clock{id: c.out.NewTimer(sim.ClassPassive, timerPassive, int32(i))})
	}
	c.resetClock(i, ms)
	return i
}

func (c *Consumer) freeClock(i clockID) {
	if i != 0 {
		c.out.Disarm(c.clocks[i].id)
		c.freeClocks = append(c.freeClocks, i)
	}
}

// resetClock gives the clock a new length, counted from now.
func (c *Consumer) resetClock(i clockID, ms int64) {
	ms = min(max(ms, 0), MaxTime)
	if i == c.autoClock && i != 0 { // the only one that lives long
		c.armHeart(c.clocks[i].id, ms)
	} else {
		c.out.Arm(c.clocks[i].id, ms)
	}
	c.clocks[i].left = ms
}

// update makes the picture fresh.
func (c *Consumer) update(i clockID) { c.clocks[i].left = c.out.Left(c.clocks[i].id) }

func (c *Consumer) left(i clockID) int64   { return c.clocks[i].left }
func (c *Consumer) expired(i clockID) bool { return c.clocks[i].left <= 0 }

// extendClock gives the clock more time, and leaves its picture as old as it is.
func (c *Consumer) extendClock(i clockID, ms int64) {
	k := &c.clocks[i]
	stale := k.left - c.out.Left(k.id)
	k.left += ms
	c.out.Arm(k.id, max(k.left-stale, 0))
}
