package search

import (
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
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
	// Waits is how many events of a path may take time, if there are no clocks: a timer
	// goes off that was not set for at once, or a deadline is found to have been reached.
	Waits int
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
	// AnyTime lets messages and timers come at any time, whatever clocks there are.
	AnyTime bool

	plant func(*sim.World)        // a test's defect
	own   func(*sim.World) string // a test's fact: what does not hold, "" if all does
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
	anyTime  bool
	own      func(*sim.World) string

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
	late, generations, faults, waits int8
	done                             uint32 // free steps that have happened, as bits
}

// move is something that may come next.
type move struct {
	choice sim.Choice
	step   int // of model.steps, plus 1; 0: it is the choice
	// answers are those to what is asked of deadlines, see sim.World.AnyTime. Further
	// deadlines have not been reached.
	answers []sim.Ask
}

// newModel builds the scenario's cluster and what may go wrong in it.
func newModel(u Setup) (*model, *node, error) {
	m := &model{bound: u.Bound, faults: u.Faults, anyTime: u.AnyTime, own: u.own}
	s := u.Scenario
	still, err := quiet(s)
	if err != nil {
		return nil, nil, err
	}
	if u.AnyTime {
		if err := timeless(s); err != nil {
			return nil, nil, err
		}
	}
	if m.faults.Crash && len(s.Brokers) < 2 {
		return nil, nil, fmt.Errorf("the scenario has one broker, so its group ends with it: give it another (brokers: 2)")
	}
	still.EveryTick = s.EveryTick || u.AnyTime
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
	if c.World.Explore(m.bound.Horizon); u.AnyTime {
		c.World.AnyTime(m.bound.Horizon)
	}
	_, m.part = scenarios.Coordinator(c.World)
	return m, &node{world: c.World}, nil
}

// timeless says why a scenario cannot be played without clocks: a member that commits by
// itself compares how long two clocks have left, as it waits for a commit before it joins.
func timeless(s *scenarios.Scenario) error {
	for i := range s.Members {
		if m := &s.Members[i]; m.Config.Bool("enable.auto.commit", true) {
			return fmt.Errorf("%s commits by itself and compares clocks then, so it cannot do without: set enable.auto.commit: false", m.Name)
		}
	}
	return nil
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
