package consumer

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Absence is how a consumer stands to its group while its program does not poll.
type Absence struct {
	// Back is when the program polls again, at the earliest; now if it is in a call, or about
	// to make one. By is the event since which it waits for that.
	Back sim.Time
	By   sim.Ref
	// Joined is that it takes itself for a member of a generation.
	Joined bool
	// Beats is that heartbeats go on meanwhile. Then Limit is when their thread has the member
	// leave, since its program has not polled for max.poll.interval.ms.
	Beats bool
	Limit sim.Time
	// Ordered is that it was told to make a call, and has not come to it.
	Ordered bool
}

// Absence says how long the program is away from poll, as far as that is certain by now.
func (c *Consumer) Absence(w *sim.World, self sim.NodeID) Absence {
	a := Absence{Back: w.Now(), Joined: c.joinedGroup(), Ordered: len(c.orders) > 0}
	if c.waits == waitsSleep {
		a.Back, a.By, _ = w.Due(self, c.userTimer)
	}
	a.Back += sim.Time(c.untilPoll()) * sim.Millisecond
	var watched bool
	a.Limit, _, watched = w.Due(self, c.heart.poll)
	a.Beats = watched && c.heart.enabled && c.heart.failed.None() && c.monitors == 0 && !c.heartbeatHeld()
	return a
}

// untilPoll is what the program does before it polls again, in milliseconds, beside what it
// is in the middle of: its pause after a batch, and what it was told to be busy with.
func (c *Consumer) untilPoll() (ms int64) {
	if len(c.batch) > 0 {
		ms += c.cfg.Program.Idle
	}
	for i := range c.orders {
		if c.orders[i].Op == OpBusy {
			ms += c.orders[i].Timeout
		}
	}
	return ms
}

// LeastAbsence is how long the program is away from poll after each one at the least, in
// milliseconds: by its pause, and by its work if there is always something to work on.
func (c *Consumer) LeastAbsence(records bool) int64 {
	if records {
		return c.cfg.Program.Idle + c.cfg.Program.BatchMin
	}
	return c.cfg.Program.Idle
}

// Serves is what the consumer fetches. It is not to be written to.
func (c *Consumer) Serves() []protocol.TopicPartition { return c.serves }

// Patience is how long it may be away, in milliseconds: max.poll.interval.ms, or its session
// where heartbeats are sent in poll only (until KIP-62).
func (c *Consumer) Patience() int64 {
	if c.cfg.Rules.HeartbeatThread && !c.cfg.Habits.BeatsInPoll {
		return c.cfg.Settings.MaxPollInterval
	}
	return c.cfg.Settings.SessionTimeout
}
