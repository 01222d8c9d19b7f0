package explore

import (
	"slices"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// The states in which a request can find the group: what stands between it and the
// group, that there is none, and the group's own.
var stateNames = [...]string{"elsewhere", "loading", "none", "Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead"}

const (
	states    = len(stateNames)
	elsewhere = 0
	loading   = 1
	noGroup   = 2
	kinds     = int(protocol.KindOffsetFetch) + 1
)

func stateOf(s protocol.GroupState) uint8 { return noGroup + uint8(s) }

// Coverage counts what runs have reached: which requests found the group in which state
// and how they were answered, and in which state the group was when something went wrong.
type Coverage struct {
	// Answers counts by state, kind of request and place in outcomes.
	Answers [states][kinds][len(outcomes)]uint64
	// Faults counts by fault and state.
	Faults [faultsEnd][states]uint64
}

// Add adds what other runs have reached.
func (c *Coverage) Add(d *Coverage) {
	for s := range c.Answers {
		for k := range c.Answers[s] {
			for o := range c.Answers[s][k] {
				c.Answers[s][k][o] += d.Answers[s][k][o]
			}
		}
	}
	for f := range c.Faults {
		for s := range c.Faults[f] {
			c.Faults[f][s] += d.Faults[f][s]
		}
	}
}

// outcomes are what can become of a request: that it waits, and then how it is answered,
// if it is.
var outcomes = [...]protocol.Error{
	waits, protocol.None, protocol.RebalanceInProgress, protocol.UnknownMemberID, protocol.IllegalGeneration,
	protocol.MemberIDRequired, protocol.FencedInstanceID, protocol.InconsistentGroupProtocol,
	protocol.NotCoordinator, protocol.CoordinatorNotAvailable, protocol.CoordinatorLoadInProgress,
	protocol.GroupMaxSizeReached, protocol.InvalidSessionTimeout, protocol.UnstableOffsetCommit,
	protocol.RequestTimedOut, protocol.NotEnoughReplicas, protocol.UnknownServerError, disconnected, anotherError,
}

const (
	waits        protocol.Error = 1000 + iota
	disconnected                // its connection broke first
	anotherError
)

func outcomeName(e protocol.Error) string {
	switch e {
	case waits:
		return "waits"
	case disconnected:
		return "disconnected"
	case anotherError:
		return "another error"
	}
	return e.String()
}

func outcomePlace(e protocol.Error) int {
	if i := slices.Index(outcomes[:], e); i >= 0 {
		return i
	}
	return len(outcomes) - 1
}

// fault is something that goes wrong, or is done to a cluster.
type fault uint8

const (
	failover fault = iota
	coordinatorCrash
	coordinatorShutdown
	coordinatorMove
	otherBrokerCrash
	memberKill
	memberEnd
	memberStart
	memberFreeze
	memberSlow
	memberSubscribe
	memberEnforces
	connectionLost
	requestLost
	answerLost
	networkCut
	messagesDelayed
	partitionsAdded
	topicsChanged
	logFails
	faultsEnd
)

// faultNames are their names, as --require and the matrix have them.
var faultNames = [faultsEnd]string{
	failover: "failover", coordinatorCrash: "coordinator crash", coordinatorShutdown: "coordinator shutdown",
	coordinatorMove: "coordinator move", otherBrokerCrash: "other broker crash",
	memberKill: "member kill", memberEnd: "member end", memberStart: "member start", memberFreeze: "member freeze",
	memberSlow: "slow program", memberSubscribe: "new subscription", memberEnforces: "enforced rebalance",
	connectionLost: "connection lost", requestLost: "request lost", answerLost: "answer lost",
	networkCut: "network cut", messagesDelayed: "messages delayed", partitionsAdded: "partitions added",
	topicsChanged: "topic created or deleted", logFails: "log fails",
}

// actionFault is the fault that a step of the timeline is, if it shows in no other record.
func actionFault(a scenarios.Action) (fault, bool) {
	switch a.(type) {
	case scenarios.Move:
		return coordinatorMove, true
	case scenarios.Slow:
		return memberSlow, true
	case scenarios.Subscribe:
		return memberSubscribe, true
	case scenarios.EnforceRebalance:
		return memberEnforces, true
	case scenarios.Cut:
		return networkCut, true
	case scenarios.Delay, scenarios.Hold, scenarios.Latency:
		return messagesDelayed, true
	case scenarios.AddPartitions:
		return partitionsAdded, true
	case scenarios.CreateTopic, scenarios.DeleteTopic:
		return topicsChanged, true
	case scenarios.StallLog, scenarios.FailLog:
		return logFails, true
	}
	return 0, false
}

// coverer is the observer that fills a Coverage.
type coverer struct {
	*Coverage
	at    []uint8          // the group's state, by broker
	found []asked          // by connection: the request that is not answered yet
	acts  map[string]fault // by the text of the step
	coord sim.NodeID       // who has, or is to have, the group
	last  uint8            // the state in which it was last
}

type asked struct {
	kind    uint8
	state   uint8
	arrival sim.Ref
}

func newCoverer(s *scenarios.Scenario, into *Coverage) *coverer {
	v := &coverer{Coverage: into, at: make([]uint8, len(s.Brokers)), last: noGroup}
	v.coord = sim.NodeID(max(0, slices.IndexFunc(s.Brokers, func(b scenarios.Broker) bool { return b.Name == s.Group.Coordinator })))
	v.at[v.coord] = noGroup
	for i := range s.Timeline {
		if f, ok := actionFault(s.Timeline[i].Do); ok {
			if v.acts == nil {
				v.acts = make(map[string]fault)
			}
			v.acts[s.Timeline[i].Text] = f
		}
	}
	return v
}

// Observe takes one record.
func (v *coverer) Observe(r *sim.Rec) {
	switch r.Op {
	case sim.OpArrive, sim.OpSend, sim.OpLost:
		v.message(r)
	case sim.OpNote:
		v.note(r)
	case sim.OpAct:
		if t, ok := r.Note.Body.(*protocol.Text); ok && r.Note.Code == protocol.NoteAct {
			if f, ok := v.acts[t.Text]; ok {
				v.count(f)
			}
		}
	case sim.OpCommand:
		if _, ok := r.Body.(*coordinator.Load); ok {
			v.coord, v.at[r.Node] = r.Node, loading
			v.count(failover)
		}
	case sim.OpCrash, sim.OpExit:
		v.stopped(r)
	case sim.OpStart:
		if !v.isBroker(r.Node) {
			v.count(memberStart)
		}
	case sim.OpFreeze:
		v.count(memberFreeze)
	case sim.OpClosed:
		v.count(connectionLost)
		v.unanswered(r.Msg.Link)
	case sim.OpClose:
		v.unanswered(r.Msg.Link)
	}
}

func (v *coverer) isBroker(id sim.NodeID) bool { return int(id) < len(v.at) }

func (v *coverer) count(f fault) { v.Faults[f][v.last]++ }

func (v *coverer) message(r *sim.Rec) {
	m := &r.Msg
	kind := m.Kind() &^ protocol.Answers
	if int(kind) >= kinds {
		return
	}
	if r.Op == sim.OpLost {
		if m.Answer {
			v.count(answerLost)
		} else {
			v.count(requestLost)
		}
	}
	for int(m.Link) >= len(v.found) {
		v.found = append(v.found, asked{})
	}
	a := &v.found[m.Link]
	switch {
	case r.Op == sim.OpArrive && !m.Answer:
		*a = asked{kind, v.at[r.Node], r.ID}
	case r.Op == sim.OpSend && m.Answer && a.kind == kind:
		if r.Cause != a.arrival {
			v.answered(a, waits)
		}
		v.answered(a, protocol.ErrorIn(m.Body))
		a.kind = 0
	}
}

func (v *coverer) answered(a *asked, e protocol.Error) { v.Answers[a.state][a.kind][outcomePlace(e)]++ }

// unanswered counts the request that was waiting as its connection broke.
func (v *coverer) unanswered(link sim.LinkID) {
	if int(link) < len(v.found) && v.found[link].kind != 0 {
		a := &v.found[link]
		v.answered(a, waits)
		v.answered(a, disconnected)
		a.kind = 0
	}
}

func (v *coverer) note(r *sim.Rec) {
	switch r.Note.Code {
	case protocol.NoteGroup:
		c, ok := r.Note.Body.(*protocol.GroupChange)
		if !ok {
			return
		}
		if r.Node == v.coord && protocol.Rule(r.Why) != protocol.RuleUnloaded {
			v.last = stateOf(c.To)
		}
		v.at[r.Node] = stateOf(c.To)
	case protocol.NoteLoaded:
		if v.at[r.Node] == loading {
			v.at[r.Node] = noGroup
		}
	case protocol.NoteUnloaded:
		v.at[r.Node] = elsewhere
	}
}

func (v *coverer) stopped(r *sim.Rec) {
	crash := r.Op == sim.OpCrash
	switch {
	case !v.isBroker(r.Node) && crash:
		v.count(memberKill)
	case !v.isBroker(r.Node):
		v.count(memberEnd)
	case r.Node != v.coord:
		v.count(otherBrokerCrash)
	case crash:
		v.count(coordinatorCrash)
	default:
		v.count(coordinatorShutdown)
	}
	if v.isBroker(r.Node) {
		v.at[r.Node] = elsewhere
	}
}
