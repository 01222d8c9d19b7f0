package consumer

import (
	"errors"
	"slices"

	"github.com/rebalsim/rebalsim/assignor"
	"github.com/rebalsim/rebalsim/protocol"
)

// A leader assigns inside the handler of its JoinGroup answer, under the coordinator's
// monitor: no heartbeat leaves meanwhile. Topics of the group that it does not know are
// asked for first, however long that takes.

// lead begins the leader's work on the user thread.
func (c *Consumer) lead(d *completion, answer *protocol.JoinGroupAnswer) {
	c.leading = answer
	c.leadRef = d.ref
	c.call(frame{proc: pLead, fut: d.req.fut, flags: monitor})
}

// procLead: f.fut is the join future.
func procLead(c *Consumer, f *frame) {
	const (
		begin = iota
		fresh
		elected
		assign
		extended
		send
		failed
	)
	switch f.pc {
	case begin:
		f.catch = failed // a wakeup fails the join, and does not leave it without an answer
		c.sub.groupTopics = groupTopics(c.leading)
		f.pc = fresh
		f.own = c.newClock(MaxTime)
		f.clock = f.own
		if !subset(c.sub.groupTopics, c.sub.topics) {
			c.requestTopics()
			c.requestMetadata()
		}
	case fresh:
		f.pc = elected
		if c.freshMetadataNeeded() {
			c.call(frame{proc: pAwaitMetadata, clock: f.clock})
		}
	case elected:
		c.snapshotMetadata()
		c.leads = true
		c.noteClient(protocol.RuleElected, c.leadRef)
		if c.cfg.Rules.MaySkipAssignment && c.leading.SkipAssignment {
			c.takeAssignmentSnapshot()
			c.sendSync(f.fut, nil, protocol.RuleLeaderSkips, c.leadRef)
			c.endLead()
			return
		}
		f.pc = assign
		if own := c.cfg.own(c.leading.Protocol.Value); own != nil {
			c.sleep(own.Takes)
		}
	case assign:
		if !c.assignAll(f.fut) {
			return
		}
		f.pc = send
		if more := assignedTopics(c.assignment); c.cfg.Rules.LeaderAddsTopics && !subset(more, c.sub.groupTopics) {
			c.sub.groupTopics = slices.Compact(slices.Sorted(slices.Values(slices.Concat(c.sub.groupTopics, more))))
			c.requestTopics()
			c.requestMetadata()
			f.pc = extended
		}
	case extended:
		f.pc = send
		c.call(frame{proc: pAwaitMetadata, clock: f.clock})
	case send:
		c.snapshotMetadata()
		c.takeAssignmentSnapshot()
		c.sendSync(f.fut, c.assignment, protocol.RuleLeaderSyncs, c.leadRef)
		c.endLead()
	case failed:
		c.fail(f.fut, c.exception, c.leadRef)
		c.endLead()
	}
}

func (c *Consumer) endLead() {
	c.leading, c.assignment = nil, nil
	c.ret(true)
}

func assignedTopics(all []protocol.MemberAssignment) []string {
	var topics []string
	for i := range all {
		for _, p := range all[i].Assignment.Partitions {
			topics = append(topics, p.Topic)
		}
	}
	slices.Sort(topics)
	return slices.Compact(topics)
}

func groupTopics(answer *protocol.JoinGroupAnswer) []string {
	var topics []string
	for i := range answer.Members {
		if m := answer.Members[i].Metadata; m != nil {
			topics = append(topics, m.Topics...)
		}
	}
	slices.Sort(topics)
	return slices.Compact(topics)
}

func subset(a, b []string) bool {
	for _, s := range a {
		if !slices.Contains(b, s) {
			return false
		}
	}
	return true
}

// assignAll computes the assignment that the leader is to send. It reports false if there
// is none: then the join has failed, or the leader hangs.
func (c *Consumer) assignAll(fut int32) bool {
	answer := c.leading
	name := answer.Protocol.Value
	in := assignor.Input{State: c.assignState, Members: make([]assignor.Member, 0, len(answer.Members))}
	for _, t := range c.sub.groupTopics {
		if n := c.meta.partitions(t); n > 0 {
			topic := assignor.Topic{Name: t, Partitions: n}
			if m := c.meta.topic(t); m != nil {
				topic.Racks = m.Racks
			}
			in.Topics = append(in.Topics, topic)
		}
	}
	for i := range answer.Members {
		in.Members = append(in.Members, member(name, &answer.Members[i]))
	}
	result, err := c.runAssignor(name, in)
	if errors.Is(err, assignor.ErrNeverEnds) || errors.Is(err, assignor.ErrTooLong) {
		c.hang()
		return false
	}
	if err == nil {
		c.assignState = result.State
	}
	if err != nil || c.validates(name) && !validCooperative(answer.Members, &result) {
		c.fail(fut, thrown(assignorThrew(err)), c.leadRef)
		c.endLead()
		return false
	}
	c.assignment = make([]protocol.MemberAssignment, len(in.Members))
	for i := range in.Members {
		a := &protocol.Assignment{Version: c.cfg.Rules.SubscriptionVersion, Partitions: result.Assigned[i]}
		c.assignment[i] = protocol.MemberAssignment{Member: in.Members[i].ID, Assignment: a.Freeze()}
	}
	return true
}

// assignorThrew is the class of what an assignor threw, or the check of its assignment.
func assignorThrew(err error) Class {
	var t *assignor.ThrownError
	if errors.As(err, &t) && t.Class == NullPointer.String() {
		return NullPointer
	}
	return IllegalState
}

// hang is what becomes of a leader whose assignor goes round for ever: it does so with
// the coordinator's lock in its hands, so the heartbeat thread stands still as well.
// Nothing but the end of the process helps.
func (c *Consumer) hang() {
	c.hangs = true
	c.waits = waitsCall
	c.noteClient(protocol.RuleAssignorHangs, c.leadRef)
}

// member is a member as the leader's assignor sees it.
func member(name string, m *protocol.JoinedMember) assignor.Member {
	if m.Metadata == nil {
		return assignor.Member{ID: m.ID, InstanceID: m.Instance}
	}
	return assignor.NewMember(name, m.ID, m.Instance, m.Metadata)
}

// validates: a leader checked what a cooperative assignor gave, its own one too until
// KAFKA-13406.
func (c *Consumer) validates(name string) bool {
	return c.cooperative.on && (name != assignor.CooperativeSticky || c.cfg.Rules.ValidatesOwnCooperative)
}

// validCooperative: nothing may be given to a member in the round in which another has
// to give it up.
func validCooperative(members []protocol.JoinedMember, result *assignor.Result) bool {
	var revoked, added []protocol.TopicPartition
	for i := range members {
		var owned []protocol.TopicPartition
		if m := members[i].Metadata; m != nil {
			owned = m.Owned
		}
		revoked = append(revoked, minus(owned, result.Assigned[i])...)
		added = append(added, minus(result.Assigned[i], owned)...)
	}
	return len(minus(added, revoked)) == len(added)
}
