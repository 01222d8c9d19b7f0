package cluster

import (
	"maps"
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// scribe writes a run's events down as they come about, in the form of recorded runs. It
// reads the trace and what the clients are seen to do.
type scribe struct {
	world   *world
	events  [][]byte
	err     error
	clients []*seen // by node; nil: a broker
	ids     []memberID

	// The broker's present doings: a change of its group is told before the answer to the
	// request that changed it, and after the answers to others.
	handling sim.Rec // the arrival of the request
	busy     bool
	own      *record // the answer to that request
	group    any     // as it was told last
	told     bool
	left     int // answers that have left

	// What is told later in its millisecond: answers arrive in the order in which they were
	// told to leave, and processes start and die after what the network brings.
	arrived []*record
	later   []*record
}

// seen is what is known of one client.
type seen struct {
	node     sim.NodeID
	name     string
	instance string
	alive    bool
	requests []requestName
	state    []any // as it was told last, by stateKeys
}

// requestName gives a request the number by which events call it.
type requestName struct {
	kind uint8
	ord  uint32
	left int // the place of its answer among all that have left
}

func newScribe(w *world) *scribe {
	return &scribe{world: w, clients: make([]*seen, brokers)}
}

// watch is told of a client, and gives what sees it.
func (s *scribe) watch(node sim.NodeID, spec *clientSpec) func(*consumer.Seen) {
	c := &seen{node: node, name: spec.ID, instance: spec.Instance}
	s.clients = append(s.clients, c)
	return func(e *consumer.Seen) { s.see(c, e) }
}

func (s *scribe) client(id sim.NodeID) *seen { return s.clients[id] }

// Observe reads a record of the trace.
func (s *scribe) Observe(r *sim.Rec) {
	if r.Op == sim.OpSend {
		if r.Msg.Answer {
			s.answer(r)
		}
		return
	}
	switch r.Op {
	case sim.OpNote, sim.OpLost, sim.OpOpen, sim.OpClose:
		return
	}
	if r.Op == sim.OpTimer && s.busy && r.Ref == s.handling.ID {
		return // a delay of nothing: still what the request set going
	}
	s.flush()
	switch r.Op {
	case sim.OpArrive:
		if r.Msg.Answer {
			s.response(r)
			return
		}
		s.busy, s.handling = true, *r
		c := s.client(r.Msg.From)
		s.put(s.new("broker", "request").add("c", c.name).request(c, &r.Msg))
	case sim.OpTimer, sim.OpCommand:
		s.busy, s.handling = int(r.Node) < brokers, sim.Rec{}
	case sim.OpStart:
		s.started(r.Node)
	case sim.OpCrash:
		c := s.client(r.Node)
		c.alive = false
		s.later = append(s.later, s.new("c", c.name).add("in", "killed"))
	case sim.OpAct:
		s.threads()
		s.act(&s.world.run.Script[r.Note.A])
	}
}

// flush is told that something new begins: what a broker was doing is done.
func (s *scribe) flush() {
	if !s.busy {
		return
	}
	s.busy = false
	s.tellGroup()
	if s.own != nil {
		s.leaves(s.own)
		s.own = nil
	}
}

// threads is told that the network and the script have had their turn at this millisecond.
func (s *scribe) threads() {
	s.flush()
	s.tellArrived()
	for _, e := range s.later {
		s.write(e)
	}
	s.later = s.later[:0]
}

// started tells of a process that starts, and of all that it knows of itself.
func (s *scribe) started(node sim.NodeID) {
	if int(node) < brokers {
		return
	}
	c := s.client(node)
	c.alive = true
	e := s.new("c", c.name).add("in", "start")
	if c.instance != "" {
		e.add("instance", c.instance)
	}
	c.state = []any{"UNJOINED", int32(-1), "", true, false, nil, grouped(nil)}
	state := s.out(c, "state")
	for i, key := range stateKeys {
		state.add(key, c.state[i])
	}
	s.later = append(s.later, e, state, s.new("c", c.name).add("in", "subscribe").add("topics", s.world.run.Subscribe))
}

// response tells of an answer that reaches its client.
func (s *scribe) response(r *sim.Rec) {
	c := s.client(r.Msg.To)
	e := s.new("c", c.name).add("in", "response").request(c, &r.Msg).add("error", protocol.ErrorIn(r.Msg.Body))
	e.left = c.requests[c.number(r.Msg.Kind(), r.Msg.Ord)-1].left
	s.arrived = append(s.arrived, e)
}

func (s *scribe) tellArrived() {
	// total: each answer leaves once
	slices.SortStableFunc(s.arrived, func(a, b *record) int { return a.left - b.left })
	for _, e := range s.arrived {
		s.write(e)
	}
	s.arrived = s.arrived[:0]
}

// act tells what is done to brokers and topics. What is done to clients they tell.
func (s *scribe) act(step *step) {
	switch step.Op {
	case "move":
		s.put(s.new("env", "coordinator-moves").add("to", step.To))
	case "load":
		s.put(s.new("env", "load-start"))
	case "loaded":
		s.put(s.new("env", "load-complete"))
	case "down", "up":
		s.put(s.new("env", step.Op).add("broker", step.Broker))
	case "topics":
		topics := maps.Clone(s.world.sim.Director().(*director).topics)
		maps.Copy(topics, step.Topics)
		s.put(s.new("env", "topics").add("topics", topics))
	}
}

// answer tells of an answer that leaves its broker.
func (s *scribe) answer(r *sim.Rec) {
	c := s.client(r.Msg.To)
	e := s.new("broker", "answer").add("c", c.name).request(c, &r.Msg)
	s.addAnswer(e, r.Msg.Body)
	e.answers = &c.requests[c.number(r.Msg.Kind(), r.Msg.Ord)-1]
	h := &s.handling.Msg
	if s.busy && h.Body != nil && h.From == r.Msg.To && h.Kind() == r.Msg.Kind() && h.Ord == r.Msg.Ord {
		s.own = e
		return
	}
	s.leaves(e)
}

func (s *scribe) leaves(e *record) {
	s.left++
	e.answers.left = s.left
	s.put(e)
}

// see is told what a client does.
func (s *scribe) see(c *seen, e *consumer.Seen) {
	s.threads()
	switch e.What {
	case consumer.SeenSend:
		s.sent(c, e)
	case consumer.SeenConnectFailed:
		s.put(s.out(c, "connect-failed").add("conn", connName(e)))
	case consumer.SeenDisconnect:
		s.put(s.out(c, "client-disconnect").add("conn", connName(e)))
	case consumer.SeenTimeout:
		s.put(s.out(c, "request-timeout").add("conn", connName(e)))
	case consumer.SeenCallback:
		s.put(s.out(c, "callback").add("cb", callbackName(e.Note)).add("parts", partitionNames(e.Parts)))
		s.tellState(c)
	case consumer.SeenCallbackEnd:
		s.put(s.out(c, "callback-end").add("cb", callbackName(e.Note)))
	case consumer.SeenCall:
		s.called(c, e.Call)
	case consumer.SeenReturn:
		s.returned(c, e)
	}
}

func (s *scribe) called(c *seen, call *consumer.Call) {
	e := s.new("c", c.name).add("in", opName(call))
	switch {
	case call.Op == consumer.OpBusy:
		e.add("ms", call.Timeout)
	case call.Op == consumer.OpSubscribe:
		e.add("topics", call.Topics)
	case call.Reason != "":
		e.add("reason", call.Reason)
	}
	s.put(e)
}

// returned tells how a call ended: close always, others if they threw. After a poll the
// client's state is told, before close returns.
func (s *scribe) returned(c *seen, e *consumer.Seen) {
	closed := e.Call != nil && e.Call.Op == consumer.OpClose
	if closed {
		s.tellState(c)
		c.alive = false
	}
	if closed || !e.Thrown.None() {
		x := s.out(c, "return").add("op", opName(e.Call))
		if !e.Thrown.None() {
			x.add("ex", e.Thrown.String())
		}
		s.put(x)
	}
	if e.Call == nil {
		s.tellState(c)
	}
}

func opName(call *consumer.Call) string {
	if call == nil {
		return "poll"
	}
	switch call.Op {
	case consumer.OpSubscribe:
		return "subscribe"
	case consumer.OpUnsubscribe:
		return "unsubscribe"
	case consumer.OpCommitSync:
		return "commitSync"
	case consumer.OpEnforceRebalance:
		return "enforceRebalance"
	case consumer.OpClose:
		return "close"
	case consumer.OpBusy:
		return "busy"
	}
	return "poll"
}

// settle is told that nothing more happens at a millisecond: what has changed of the
// clients' states is told.
func (s *scribe) settle() {
	s.threads()
	for _, c := range s.clients[brokers:] {
		if c.alive {
			s.tellState(c)
		}
	}
}
