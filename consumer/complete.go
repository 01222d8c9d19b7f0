package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// complete takes over the assignment that SyncGroup brought. f.a keeps whether it is
// to be taken at all.
func completeJoin(c *Consumer, f *frame) {
	const (
		begin = iota
		adopt
		end
	)
	r := &c.cfg.Rules
	switch f.pc {
	case begin:
		switch {
		case !r.OnlyLeaderWatches:
			c.takeAssignmentSnapshot()
		case !c.leads:
			c.sub.snapshotSet, c.sub.assignmentSnapshot = false, nil
		}
		fut := c.future(c.join)
		answer, _ := fut.body.(*protocol.SyncGroupAnswer)
		if answer == nil || answer.Assignment == nil {
			c.throw(thrown(IllegalState))
			return
		}
		if fut.read && r.ReadsAssignmentOnce {
			c.throw(thrown(Kafka)) // it is read from a buffer that is at its end
			return
		}
		fut.read = true
		c.listenerErrs = c.listenerErrs[:0]
		given := answer.Assignment.Partitions
		if !c.sub.matches(given) {
			if !r.MismatchRejoins {
				c.throw(thrown(IllegalArgument))
				return
			}
			c.requestRejoin("received assignment does not match the current subscription", protocol.RuleAssignmentMismatch, c.cause)
			c.ret(true)
			return
		}
		f.pc = adopt
		if c.cooperative.on {
			revoked := minus(c.sub.assigned(), given)
			if len(revoked) > 0 {
				c.requestRejoinLater = true
				c.callback(cbRevoked, revoked, afterKeep, protocol.RuleRevokeReassigned, c.cause)
			}
		}
	case adopt:
		if c.requestRejoinLater {
			c.requestRejoinLater = false
			c.requestRejoin("need to revoke partitions and re-join", protocol.RuleRejoinAfterRevoke, c.cause)
		}
		answer, _ := c.future(c.join).body.(*protocol.SyncGroupAnswer)
		given := answer.Assignment.Partitions
		added := given
		if r.Cooperative {
			added = minus(given, c.sub.assigned())
		}
		if c.sub.adoptTopics(given) {
			c.requestTopics()
		}
		c.onAssignment(given)
		if c.cfg.Settings.AutoCommit {
			c.resetClock(c.autoClock, c.cfg.Settings.AutoCommitInterval)
		}
		if !r.Cooperative {
			c.sub.forget()
		}
		c.setAssignment(given)
		f.pc = end
		c.callback(cbAssigned, c.sorted(added), afterKeep, protocol.RuleTakesAssignment, c.cause)
	case end:
		if len(c.listenerErrs) > 0 && r.ListenerErrorsThrown {
			first := c.listenerErrs[0]
			if first.Class != Kafka || !r.KafkaErrorsAsTheyAre {
				first = Thrown{Class: Kafka, Cause: first.Class}
			}
			c.throwFor(first, c.because.callback)
			return
		}
		c.ret(true)
	}
}

// sorted gives partitions in the order in which callbacks get them.
func (c *Consumer) sorted(list []protocol.TopicPartition) []protocol.TopicPartition {
	list = slices.Clone(list)
	slices.SortFunc(list, protocol.TopicPartition.Compare)
	return list
}

// minus gives what is in a and not in b, in the order of a. It looks each up in b, sorted: with
// a hundred thousand partitions more would take minutes.
func minus(a, b []protocol.TopicPartition) []protocol.TopicPartition {
	if !slices.IsSortedFunc(b, protocol.TopicPartition.Compare) {
		b = slices.SortedFunc(slices.Values(b), protocol.TopicPartition.Compare)
	}
	var rest []protocol.TopicPartition
	for _, p := range a {
		if _, in := slices.BinarySearchFunc(b, p, protocol.TopicPartition.Compare); !in {
			rest = append(rest, p)
		}
	}
	return rest
}

// sticky remembers what an assignor object keeps from its last assignment.
type stickyMemory struct {
	known      bool
	on         bool // the consumer's rebalance protocol is the cooperative one
	generation int32
	parts      []protocol.TopicPartition
}

// onAssignment tells the chosen assignor of the assignment.
func (c *Consumer) onAssignment(given []protocol.TopicPartition) {
	c.remember(c.taken.protocol, given, c.taken.id)
}

// setAssignment changes what the member holds; what it keeps keeps its position.
func (c *Consumer) setAssignment(list []protocol.TopicPartition) {
	c.sub.assign(list)
	for i := range c.sub.parts {
		if p := &c.sub.parts[i]; p.leader == sim.Nobody {
			p.leader = c.meta.leader(p.tp)
		}
	}
	c.noteServes(protocol.RuleHeldChanges)
}

// noteServes makes known which partitions the member fetches, if that has changed, and by
// which rule.
func (c *Consumer) noteServes(why protocol.Rule) {
	n := 0
	same := true
	for i := range c.sub.parts {
		if p := &c.sub.parts[i]; p.fetchable() {
			if n >= len(c.serves) || c.serves[n] != p.tp {
				same = false
			}
			n++
		}
	}
	if same && n == len(c.serves) {
		return
	}
	list := make([]protocol.TopicPartition, 0, n)
	for i := range c.sub.parts {
		if p := &c.sub.parts[i]; p.fetchable() {
			list = append(list, p.tp)
		}
	}
	c.serves = list
	c.awaitNoBatch()
	c.because.serves = c.out.Note(sim.Note{Code: protocol.NoteServes, Body: &protocol.PartitionList{Partitions: list}}, uint16(why), c.cause)
}
