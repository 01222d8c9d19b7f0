package consumer

import (
	"fmt"

	"github.com/rebalsim/rebalsim/protocol"
)

// Habits make a client that is not Java's: the Java model, and what the client is known
// to do otherwise. None of them stands for a client as a whole; an outcome should say
// which were in force (see Names). The zero value is Java.
type Habits struct {
	// StaysOnClose is a client that ends without LeaveGroup: the group waits for it until
	// its session is over. Its listener is not called either.
	StaysOnClose bool
	// IgnoresMetadata is a client that does not join again when the number of partitions
	// of its group's topics changes, be it the leader.
	IgnoresMetadata bool
	// RejoinsAfter is a pause in milliseconds before a JoinGroup of a client that is in
	// a generation. It is the user thread's, heartbeats go on.
	RejoinsAfter int64
	// StaysOut is a client that never joins again once it has lost its generation: after
	// max.poll.interval.ms, or told that its member id or its generation is over. It goes
	// on reading what it had.
	StaysOut bool
	// ForgetsMemberID is a client that joins each generation as a new member. Its old id
	// stays in the group until its session is over.
	ForgetsMemberID bool
	// SessionJoinsAnew is a client that has had no answer to a heartbeat for
	// session.timeout.ms and then joins as a new member. Java's only looks for the
	// coordinator.
	SessionJoinsAnew bool
	// BeatsInPoll is a client that sends no heartbeat while its program processes.
	BeatsInPoll bool
	// BeatsWhenStable is a client that sends no heartbeat between the answer to JoinGroup
	// and the one to SyncGroup, as Java's before 2.6.1.
	BeatsWhenStable bool
	// JoinVersions, if not 0, is how many versions of JoinGroup the client speaks, from
	// version 0 on: 1 is a client that knows no rebalance timeout, with up to 4 it is
	// asked for no member id first, with up to 5 it is no static member.
	JoinVersions int16
	// ReadTimeout, if not 0, is how long in milliseconds it waits for an answer to
	// JoinGroup. Then it closes the connection and asks again.
	ReadTimeout int64
}

// Names lists the habits by the names that scenarios use.
func (h *Habits) Names() []string {
	var names []string
	say := func(on bool, format string, args ...any) {
		if on {
			names = append(names, fmt.Sprintf(format, args...))
		}
	}
	say(h.StaysOnClose, "leaves-on-close: false")
	say(h.IgnoresMetadata, "watches-metadata: false")
	say(h.RejoinsAfter > 0, "rejoins-after: %dms", h.RejoinsAfter)
	say(h.StaysOut, "rejoins-when-lost: false")
	say(h.ForgetsMemberID, "keeps-member-id: false")
	say(h.SessionJoinsAnew, "session-joins-anew: true")
	say(h.BeatsInPoll, "heartbeats-while-processing: false")
	say(h.BeatsWhenStable, "heartbeats-while-syncing: false")
	say(h.JoinVersions > 0, "join-version: %d", h.JoinVersions-1)
	say(h.ReadTimeout > 0, "read-timeout: %dms", h.ReadTimeout)
	return names
}

// MaxJoinVersion is the highest version of JoinGroup that a habit can set.
const MaxJoinVersion = 9

func (h *Habits) check(s *Settings) error {
	switch {
	case h.RejoinsAfter < 0 || h.RejoinsAfter > MaxTime || h.ReadTimeout < 0 || h.ReadTimeout > MaxTime:
		return fmt.Errorf("the times of habits must be from 0 to %d ms", MaxTime)
	case h.JoinVersions < 0 || h.JoinVersions > MaxJoinVersion+1:
		return fmt.Errorf("join-version must be from 0 to %d", MaxJoinVersion)
	case h.JoinVersions > 0 && h.JoinVersions <= 5 && s.InstanceID != "":
		return fmt.Errorf("group.instance.id is known from join-version 5 on, not in %d", h.JoinVersions-1)
	}
	return nil
}

// joinVersion is the version in which the client sends JoinGroup.
func (c *Consumer) joinVersion() int16 {
	v := c.cfg.Versions[protocol.KindJoinGroup]
	if n := c.cfg.Habits.JoinVersions; n > 0 {
		v = min(v, n-1)
	}
	return v
}

// forgetMember drops the member id of a client that joins each generation as a new
// member. An id that the broker has just given it for this join stays.
func (c *Consumer) forgetMember() {
	if c.cfg.Habits.ForgetsMemberID && c.gen.id >= 0 {
		c.setGeneration(noGeneration, c.rejoinWhy, c.rejoinRef)
	}
}

// joinTimeLeft is how long a read timeout still leaves to the JoinGroup under way: such a
// client notices at once, where Java's may first wait for something else.
func (c *Consumer) joinTimeLeft() int64 {
	for i := range c.inflight {
		if q := &c.inflight[i]; q.use == useJoin {
			return c.out.Left(q.timer)
		}
	}
	return MaxTime
}
