package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// Bound is how far a search goes.
type Bound struct {
	// Late is how many messages may be late in one path.
	Late int
	// Generations is how many new generations a path may have.
	Generations int
	// Faults is how many faults a path may have.
	Faults int
	// Horizon is how far ahead a timer may be to count: what is set for later than that
	// never happens.
	Horizon sim.Time
	// States is how many states there are at most, Memory how many bytes they may take, by
	// rule of thumb; 0: any.
	States int
	Memory int64
}

// Setup is what is searched: a scenario, how far, and what may go wrong.
type Setup struct {
	Scenario *scenarios.Scenario
	Kafka    scenarios.Kafka
	Bound    Bound
	Faults   Faults

	plant func(*sim.World) // a test's defect
}

// Faults are what may go wrong at any moment.
type Faults struct {
	// Crash lets brokers' processes end while they coordinate the group, Kill members'
	// processes.
	Crash bool
	Kill  []string // names of members
	// DropAnswer loses an answer, and it alone; LoseAnswer loses it with its connection.
	DropAnswer bool
	LoseAnswer bool
	// Steps are further ones, as a timeline writes them.
	Steps []string
}

// model is a scenario that is searched.
type model struct {
	scenario *scenarios.Scenario
	group    string
	clients  []sim.NodeID
	isClient []bool // by node
	steps    []step // free ones
	bound    Bound
	faults   Faults
	part     int32

	reduce      bool
	triggers    bool // steps of the timeline wait for events
	brokersFail bool // a fault may be something else than a member's or a message's
}

// step is a free step of the timeline.
type step struct {
	index int
	text  string
	crash sim.NodeID // the broker that it crashes if that coordinates; sim.Nobody: it is no crash
	kill  sim.NodeID // the member that it kills; sim.Nobody: it does not
}

// node is a state of the search: a world, and what the bounds and the checks count.
type node struct {
	world *sim.World
	used  used
}

// used is what a path has used up. It is a part of the state.
type used struct {
	late, generations, faults int8
	done                      uint32 // free steps that have happened, as bits
}

// move is something that may come next.
type move struct {
	choice sim.Choice
	step   int // of model.steps, plus 1; 0: it is the choice
}

// newModel builds the scenario's cluster and what may go wrong in it.
func newModel(u Setup) (*model, *node, error) {
	m := &model{bound: u.Bound, faults: u.Faults}
	s := u.Scenario
	still, err := quiet(s)
	if err != nil {
		return nil, nil, err
	}
	if m.faults.Crash && len(s.Brokers) < 2 {
		return nil, nil, fmt.Errorf("the scenario has one broker, so its group ends with it: give it another (brokers: 2)")
	}
	texts := m.freeSteps(s)
	if len(texts) > 32 {
		return nil, nil, fmt.Errorf("%d things that may go wrong are too many: 32 are the most", len(texts))
	}
	free, err := still.Free(texts...)
	if err != nil {
		return nil, nil, err
	}
	c, err := scenarios.Build(free, u.Kafka, &sim.Decisions{})
	if err != nil {
		return nil, nil, err
	}
	m.scenario, m.group, m.clients = free, s.Group.ID, c.Clients
	m.isClient = make([]bool, c.World.Nodes())
	for _, id := range c.Clients {
		m.isClient[id] = true
	}
	for _, client := range c.Clients {
		for id := range sim.NodeID(c.World.Nodes()) {
			if !m.isClient[id] {
				c.World.Foresee(client, id, consumer.ChannelBroker)
				c.World.Foresee(client, id, consumer.ChannelCoordinator)
			}
		}
	}
	m.nameSteps(c.World, len(s.Timeline))
	m.triggers = slices.ContainsFunc(s.Timeline, func(t scenarios.Step) bool { return t.When != nil })
	if u.plant != nil {
		u.plant(c.World)
	}
	c.Endless()
	c.World.Explore(m.bound.Horizon)
	_, m.part = scenarios.Coordinator(c.World)
	return m, &node{world: c.World}, nil
}

// quiet is the scenario without what keeps states apart and has no part in who is in the
// group: messages take no time, no records are fetched, polls are long, metadata does not
// age and expired offsets are not looked for.
func quiet(s *scenarios.Scenario) (*scenarios.Scenario, error) {
	for _, set := range [][2]string{
		{"metadata.max.age.ms", "500h"},
		{"offsets.retention.check.interval.ms", "500h"},
		{"offsets.topic.num.partitions", "1"}, // the one that the group is in
		{"poll", "3s"},                        // as long as between heartbeats
	} {
		var err error
		if s, err = s.Vary(set[0], set[1]); err != nil {
			return nil, err
		}
	}
	still := *s
	still.Latency, still.NoFetches = scenarios.Span{}, true
	return &still, nil
}

// freeSteps are the faults that a director has to do, as steps of a timeline.
func (m *model) freeSteps(s *scenarios.Scenario) (texts []string) {
	if m.faults.Crash {
		for i := range s.Brokers {
			texts = append(texts, "crash: "+s.Brokers[i].Name)
		}
	}
	for _, name := range m.faults.Kill {
		texts = append(texts, "kill: "+name)
	}
	return append(texts, m.faults.Steps...)
}

func (m *model) nameSteps(w *sim.World, first int) {
	for i := first; i < len(m.scenario.Timeline); i++ {
		t := &m.scenario.Timeline[i]
		x := step{index: i, text: t.Text, crash: sim.Nobody, kill: sim.Nobody}
		switch a := t.Do.(type) {
		case scenarios.Crash:
			if m.faults.Crash && i-first < len(m.scenario.Brokers) {
				x.crash = nodeNamed(w, a.Broker)
			}
		case scenarios.Kill:
			if len(a.Members) == 1 {
				x.kill = nodeNamed(w, a.Members[0])
			}
		}
		m.brokersFail = m.brokersFail || x.kill == sim.Nobody
		m.steps = append(m.steps, x)
	}
}

func nodeNamed(w *sim.World, name string) sim.NodeID {
	for id := range sim.NodeID(w.Nodes()) {
		if w.Name(id) == name {
			return id
		}
	}
	return sim.Nobody
}

// moves lists what may come next. Those that the bound forbids are counted.
func (m *model) moves(n *node, list []move, choices []sim.Choice) ([]move, []sim.Choice) {
	choices = n.world.Choices(choices[:0])
	only := m.first(n, choices)
	for _, c := range choices {
		if only == sim.Nobody || m.whose(n, c) == only {
			list = append(list, move{choice: c})
		}
	}
	if int(n.used.late) < m.bound.Late {
		list = m.fates(n, list, sim.ChoiceLate)
	}
	if int(n.used.faults) == m.bound.Faults {
		return list, choices
	}
	if m.faults.DropAnswer {
		list = m.fates(n, list, sim.ChoiceLose)
	}
	if m.faults.LoseAnswer {
		list = m.fates(n, list, sim.ChoiceBreak)
	}
	for i := range m.steps {
		if m.may(n, i) && (only == sim.Nobody || m.steps[i].kill == only) {
			list = append(list, move{step: i + 1})
		}
	}
	return list, choices
}

// fates appends what else may become of the messages whose arrival is listed.
func (m *model) fates(n *node, list []move, fate sim.ChoiceKind) []move {
	for _, v := range list {
		if c := v.choice; v.step == 0 && c.Kind == sim.ChoiceArrive {
			if msg := n.world.Message(c); fate == sim.ChoiceLate || msg.Answer && msg.Body != nil {
				list = append(list, move{choice: c.As(fate)})
			}
		}
	}
	return list
}

// may reports whether a free step can happen in a state.
func (m *model) may(n *node, i int) bool {
	s := &m.steps[i]
	switch {
	case n.used.done&(1<<i) != 0:
		return false
	case s.crash != sim.Nobody:
		leader, _ := scenarios.Coordinator(n.world)
		return leader == s.crash && n.world.Alive(s.crash)
	case s.kill != sim.Nobody:
		return n.world.Alive(s.kill)
	}
	return true
}

// reads are the requests that a broker answers from what it knows of the cluster. They
// leave it as it was, so it does not matter what else it handles before and after them.
const reads uint64 = 1<<protocol.KindMetadata | 1<<protocol.KindFindCoordinator

// whose is the node to which a choice happens: the arrival of a request that only reads
// is a part of what its client does.
func (m *model) whose(n *node, c sim.Choice) sim.NodeID {
	if c.Kind == sim.ChoiceArrive {
		if msg := n.world.Message(c); !msg.Answer && msg.Body != nil && reads&(1<<msg.Kind()) != 0 {
			return msg.From
		}
	}
	return n.world.Whose(c)
}

// first is a client whose events may be tried alone, and all others after them, without a
// loss; sim.Nobody if there is none. It is a client that has something due that may not
// wait, and to which nothing else can come before the clock moves: it is owed no answer,
// and nobody but brokers acts. In whichever order things happen, its own events happen in
// one of the orders that are tried here, none of them touches another node, and none of
// what the others do touches it; what lateness and faults cost is the same in any order.
func (m *model) first(n *node, choices []sim.Choice) sim.NodeID {
	if !m.reduce || m.triggers || m.brokersFail && int(n.used.faults) < m.bound.Faults {
		return sim.Nobody
	}
	first := sim.Nobody
	for _, c := range choices {
		switch id := m.whose(n, c); {
		case c.Kind == sim.ChoiceWake:
			return sim.Nobody
		case id != sim.Nobody && m.isClient[id] && (first == sim.Nobody || id < first) && !n.world.Owed(id, reads):
			first = id
		}
	}
	return first
}

// take makes a move on a fork.
func (m *model) take(n *node, v move, watch sim.Observer) *node {
	c := &node{world: n.world.Fork(), used: n.used}
	if watch != nil {
		c.world.Watch(watch)
	}
	m.make(c, v)
	return c
}

// make makes a move.
func (m *model) make(c *node, v move) {
	switch {
	case v.step > 0:
		c.used.faults++
		c.used.done |= 1 << (v.step - 1)
		scenarios.Do(c.world, m.steps[v.step-1].index)
		m.atOnce(c.world)
		return
	case v.choice.Kind == sim.ChoiceLose || v.choice.Kind == sim.ChoiceBreak:
		c.used.faults++
	case v.choice.Kind == sim.ChoiceLate:
		c.used.late++
	}
	c.world.Take(v.choice)
}

// atOnce lets what the director has set for this moment happen: a crash is noticed and a
// new leader elected together with it, unless the step says that this takes time.
func (m *model) atOnce(w *sim.World) {
	for {
		i := slices.IndexFunc(w.Choices(nil), func(c sim.Choice) bool { return c.Kind == sim.ChoiceWake })
		if i < 0 {
			return
		}
		w.Take(w.Choices(nil)[i])
	}
}

// hash is the identity of a state.
func (m *model) hash(n *node) uint64 {
	var h sim.Hasher
	h.Uint(n.world.StateHash())
	h.Uint(uint64(n.used.late)<<16 | uint64(n.used.generations)<<8 | uint64(n.used.faults))
	h.Uint(uint64(n.used.done))
	return h.Sum()
}

// name says what a move is, by stable names.
func (m *model) name(n *node, v move) string {
	w := n.world
	if v.step > 0 {
		return m.steps[v.step-1].text
	}
	c := v.choice
	switch c.Kind {
	case sim.ChoiceMove:
		return "the clock moves to " + c.To().String() + " s"
	case sim.ChoiceWake:
		return "the timeline goes on"
	case sim.ChoiceTimer:
		id, f := w.Timer(c)
		if b, ok := w.Actor(id).(*coordinator.Broker); ok {
			_, _, member := b.TimerOf(f.ID)
			return strings.TrimSpace(fmt.Sprintf("%s: %s %s", w.Name(id), brokerTimers[f.Kind], member))
		}
		return w.Name(id) + ": " + clientTimers[f.Kind]
	}
	msg := w.Message(c)
	text := messageName(w, &msg)
	switch c.Kind {
	case sim.ChoiceLose:
		return text + " is lost"
	case sim.ChoiceLate:
		return text + " is late"
	case sim.ChoiceBreak:
		return text + " is lost with its connection"
	}
	return text + " arrives"
}

func messageName(w *sim.World, msg *sim.Message) string {
	if msg.Body == nil {
		text := w.Name(msg.To) + ": news that its connection to " + w.Name(msg.From) + " is closed"
		if _, channel := w.Channel(msg.Link); channel == consumer.ChannelCoordinator {
			text += ", the coordinator's,"
		}
		return text
	}
	text := fmt.Sprintf("%s.%s#%d", w.Name(msg.Client()), protocol.KindName(msg.Kind()), msg.Ord)
	if msg.Answer {
		text += ".answer"
	}
	return text
}

var brokerTimers = map[uint8]string{
	coordinator.TimerSession: "the session ends of", coordinator.TimerJoin: "the join phase ends",
	coordinator.TimerSync: "the time to sync ends", coordinator.TimerWrite: "an append times out",
	coordinator.TimerCommit: "appends are committed", coordinator.TimerLoad: "the load goes on",
	coordinator.TimerCleanup: "expired offsets are looked for", coordinator.TimerFetch: "a fetch ends",
	coordinator.TimerLeftover: "the session ends of", coordinator.TimerIdle: "the session ends of",
}

var clientTimers = map[uint8]string{1: "the user thread goes on", 2: "the heartbeat thread goes on"}
