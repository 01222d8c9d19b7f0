package consumer

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// because are the records that what comes later rests on. Nothing is decided by them.
type because struct {
	state    sim.Ref // how the member sees itself
	serves   sim.Ref // what it fetches
	batch    sim.Ref // what poll returned last
	away     sim.Ref // what keeps the program from polling: a batch, an order, the listener
	callback sim.Ref // the listener was called
	metadata sim.Ref // what has made metadata wanted
	lookup   sim.Ref // a lookup that failed, since the coordinator was lost
	wakeup   sim.Ref // who has called wakeup
	fenced   sim.Ref // the commit by which the member learned that it is fenced
	end      sim.Ref // what ends the program: an order, or what a call has thrown
}

// order is a call that the program is to make, and the record that brought it.
type order struct {
	*Call
	ref sim.Ref
	// awaitsBatch: it is to be made when there is a batch in hand; what comes after it waits, too.
	awaitsBatch bool
}

// noteThrown makes known what the program's call has thrown.
func (c *Consumer) noteThrown(t Thrown, ref sim.Ref) sim.Ref {
	return c.out.Note(sim.Note{Code: protocol.NoteThrown, A: int64(t.Class), B: int64(t.Cause)}, uint16(c.thrownRule(t)), ref)
}

// thrownRule is the rule by which a call throws.
func (c *Consumer) thrownRule(t Thrown) protocol.Rule {
	switch {
	case t.Class == Kafka && t.Cause != NoException:
		return protocol.RuleListenerThrew
	case t.Class == Wakeup:
		return protocol.RuleWokenUp
	case t.Class == RebalanceInProgress:
		return protocol.RuleCommitInRebalance
	case t.Class == CommitFailed && !c.sub.auto():
		return protocol.RuleCommitOfNoMember
	case t.Class == CommitFailed:
		return protocol.RuleCommitTooLate
	case t.Class == Timeout:
		return protocol.RuleCallTimedOut
	case t.Class == FencedInstanceID:
		return protocol.RuleClientFenced
	case t.Class == NoOffsetForPartition:
		return protocol.RuleNoOffset
	case t.Class == ConcurrentModification:
		return protocol.RuleOtherThread
	case t.Class == IllegalState || t.Class == IllegalArgument || t.Class == NullPointer:
		return protocol.RuleIllegalCall
	}
	return protocol.RuleErrorThrown
}
