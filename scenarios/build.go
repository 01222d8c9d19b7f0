package scenarios

import (
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Cluster is a scenario that is ready to be played.
type Cluster struct {
	World *sim.World
	// Clients are the nodes of the members, in the scenario's order.
	Clients []sim.NodeID
}

// Prepared is a scenario with its releases, from which any number of clusters can be
// made: what they have in common, and no run writes to.
type Prepared struct {
	*plan
	image   *coordinator.Image
	coord   sim.NodeID           // the coordinator at the beginning
	servers []coordinator.Config // of the brokers
	clients []*consumer.Config   // of the members
}

// builder prepares a scenario.
type builder struct {
	*Scenario
	*Prepared
	kafka Kafka
	err   error // what cannot be had

	brokerKinds []brokerFacts
	clientKinds []clientFacts
}

// Prepare finds out all that is the same in every run of a scenario with the releases
// given. The error is what cannot be had.
func Prepare(s *Scenario, kafka Kafka) (*Prepared, error) {
	b := &builder{Scenario: s, kafka: kafka, Prepared: &Prepared{plan: newPlan(s)}}
	b.addBrokers()
	if err := b.addMembers(); err != nil {
		return nil, err
	}
	if err := b.addChanges(); err != nil {
		return nil, err
	}
	if b.err != nil {
		return nil, b.err
	}
	for i := range s.Timeline {
		b.plan.triggers = append(b.plan.triggers, b.plan.trigger(s.Timeline[i].When))
		if b.plan.triggers[i].when != nil {
			b.plan.watches = append(b.plan.watches, i)
		}
	}
	return b.Prepared, nil
}

// Build is Prepare and one Cluster.
func Build(s *Scenario, kafka Kafka, chance *sim.Decisions) (*Cluster, error) {
	p, err := Prepare(s, kafka)
	if err != nil {
		return nil, err
	}
	return p.Cluster(chance), nil
}

// Cluster makes the cluster that the scenario describes, at the moment before anything
// happens.
func (p *Prepared) Cluster(chance *sim.Decisions) *Cluster {
	return p.ClusterOf(chance, nil)
}

// ClusterOf is Cluster with other clients than Kafka's: client makes the one of a member,
// given by its name. What the timeline tells it comes as orders of package consumer.
func (p *Prepared) ClusterOf(chance *sim.Decisions, client func(member string) sim.Actor) *Cluster {
	return p.ClusterIn(new(sim.World), chance, client)
}

// ClusterIn is ClusterOf in the room of a world that is over, see sim.World.Renew.
func (p *Prepared) ClusterIn(w *sim.World, chance *sim.Decisions, client func(member string) sim.Actor) *Cluster {
	s := p.scenario
	w.Renew(chance, s.Latency.Min, s.Latency.Max-s.Latency.Min)
	if !s.NoFetches {
		w.Routine(protocol.KindFetch)
	}
	if s.TellsFetches {
		w.TellRoutine()
	}
	for i := range s.Brokers {
		w.Add(s.Brokers[i].Name, coordinator.New(&p.servers[i], p.image))
	}
	for i := range s.Members {
		if client != nil {
			w.Add(s.Members[i].Name, client(s.Members[i].Name))
		} else {
			w.Add(s.Members[i].Name, consumer.New(p.clients[i]))
		}
	}
	d := &director{plan: p.plan, steps: make([]progress, len(s.Timeline)),
		ctl:   controller{image: p.image, leader: p.coord},
		lives: make([]life, len(s.Members)+len(s.Brokers))}
	for i := range d.lives {
		d.lives[i].task = none
	}
	d.group = groupView{id: s.Group.ID, brokers: p.plan.brokers, node: p.plan.client,
		started: make([]bool, len(p.names)), came: make([]bool, len(p.names)), removed: make([]removal, len(p.names)), unheard: make([]sim.Time, len(p.names)), asks: make([]sim.LinkID, len(p.names))}
	if p.byTheClock() {
		w.ByTheClock()
	}
	w.Direct(d)
	return &Cluster{World: w, Clients: p.plan.members}
}

// byTheClock reports whether no step acts because of what happens: none waits for something, for
// messages to hold back, or for the processes that it stops and starts.
func (p *plan) byTheClock() bool {
	for i := range p.scenario.Timeline {
		switch p.scenario.Timeline[i].Do.(type) {
		case Arrive, Restart, Deploy, Scale:
			return false
		}
	}
	return len(p.watches) == 0
}

// newPlan gives every process its node: brokers come first, then members.
func newPlan(s *Scenario) *plan {
	p := &plan{scenario: s, places: make(map[string]int, len(s.Members))}
	for i := range s.Brokers {
		p.brokers = append(p.brokers, sim.NodeID(i))
		p.names = append(p.names, s.Brokers[i].Name)
	}
	for i := range s.Members {
		p.places[s.Members[i].Name] = i
		p.members = append(p.members, sim.NodeID(len(s.Brokers)+i))
		p.names = append(p.names, s.Members[i].Name)
	}
	p.inFormed = make([]bool, len(s.Members))
	if s.Formed != nil {
		for _, name := range s.Formed.Members {
			p.inFormed[p.places[name]] = true
		}
	}
	return p
}

func (b *builder) addBrokers() {
	for i := range b.Brokers {
		b.servers = append(b.servers, b.brokerConfig(&b.Brokers[i]))
	}
	b.coord = b.brokers[max(0, b.plan.brokerPlace(b.Group.Coordinator))]
	partitions := b.servers[0].OffsetsPartitions
	b.plan.part = protocol.CoordinatorPartition(b.Group.ID, partitions)
	for _, name := range b.Group.Next {
		b.plan.next = append(b.plan.next, b.plan.brokerNamed(name))
	}
	b.image = b.clusterImage(partitions)
}

// clusterImage is the cluster at the beginning: partitions are led by the brokers in
// turn, unless a topic says otherwise.
func (b *builder) clusterImage(offsetsPartitions int32) *coordinator.Image {
	image := &coordinator.Image{Brokers: b.brokers}
	for i := range b.Topics {
		if t := &b.Topics[i]; !t.Absent {
			image.Topics = append(image.Topics, b.plan.newTopic(t, b.brokers, 0))
		}
	}
	sortTopics(image.Topics)
	for p := range int(offsetsPartitions) {
		image.OffsetsLeaders = append(image.OffsetsLeaders, b.brokers[p%len(b.brokers)])
	}
	image.OffsetsLeaders[b.plan.part] = b.coord
	return image
}

func (b *builder) addMembers() error {
	formed, err := b.formGroup()
	if err != nil {
		return &Error{File: b.File, Line: b.Formed.Pos.Line, Column: b.Formed.Pos.Column, Problem: err.Error()}
	}
	for i := range b.Members {
		m := &b.Members[i]
		cfg := b.clientConfig(m)
		if formed != nil {
			cfg.Formed = formed.client(i, b.coord)
		}
		if err := cfg.Check(); err != nil {
			return &Error{File: b.File, Line: m.Pos.Line, Column: m.Pos.Column, Problem: fmt.Sprintf("member %s: %s", m.Name, err)}
		}
		b.clients = append(b.clients, cfg)
		if cfg.Formed != nil && cfg.Formed.InFlight != 0 {
			b.plan.lost = append(b.plan.lost, b.members[i])
		}
	}
	if formed != nil {
		b.plan.formed = formed.order(b)
	}
	return nil
}

func (p *plan) trigger(w *Trigger) trigger {
	t := trigger{when: w}
	if w == nil {
		return t
	}
	if !w.Event.None() {
		t.nodes = p.nodesOf(w.Event.Node)
	}
	for _, parked := range w.Parked {
		for _, name := range parked.Members {
			t.waits = append(t.waits, waiting{p.nodesOf(name)[0], parked.Request})
		}
	}
	return t
}

// client is the node of a member, by its name; Nobody if there is none.
func (p *plan) client(name string) sim.NodeID {
	if i, ok := p.places[name]; ok {
		return p.members[i]
	}
	return sim.Nobody
}

// Run plays the scenario to its end.
func (c *Cluster) Run() {
	d := c.director()
	for events, at := 0, c.World.Now(); !d.over && c.World.Step(); events++ {
		if c.World.Now() != at {
			events, at = 0, c.World.Now()
		}
		if c.World.Steps() == tooMany {
			d.over = true
			d.ended = fmt.Sprintf("stopped at %s s: a run has at most %d events", at, tooMany)
		}
		if events == tooManyAtOnce {
			d.over = true
			d.ended = "stopped at " + at.String() + " s: steps of the timeline bring each other about, and no time passes"
		}
	}
}

// tooManyAtOnce is a number of events of one moment that no run comes to by itself.
const tooManyAtOnce = 1_000_000

// tooMany is a number of events that takes minutes.
const tooMany = 500_000_000

func (c *Cluster) director() *director { return c.World.Director().(*director) }

// Ended says why the run ended if it did not come to rest, "" if it did.
func (c *Cluster) Ended() string { return c.director().ended }

// Idle lists the steps of the timeline that were armed and never happened.
func (c *Cluster) Idle() []string { return c.director().idle(c.World) }

// String is what --kafka takes: "3.9.1", or "broker=3.9.1,client=3.3.2".
func (k Kafka) String() string {
	if k.Broker == k.Client {
		return k.Broker.String()
	}
	return fmt.Sprintf("broker=%s,client=%s", k.Broker, k.Client)
}

// Long is it in words: "3.9.1", or "3.9.1, client 3.3.2".
func (k Kafka) Long() string {
	if k.Broker == k.Client {
		return k.Broker.String()
	}
	return fmt.Sprintf("%s, client %s", k.Broker, k.Client)
}

// Releases are those that the scenario is played with: its own, or what is wanted, in
// the form of Kafka.String.
func (s *Scenario) Releases(want string) (Kafka, error) {
	k := s.Kafka
	if want == "" {
		return k, nil
	}
	var broker, client bool // given
	for _, part := range strings.Split(want, ",") {
		side, release, ok := strings.Cut(part, "=")
		if !ok {
			side, release = "both", part
		}
		r, err := protocol.ParseRelease(release)
		if err != nil {
			return k, err
		}
		both := side == "both" && !ok
		switch {
		case !both && side != "broker" && side != "client":
			return k, fmt.Errorf("--kafka %s: %q is neither broker nor client", want, side)
		case broker && side != "client", client && side != "broker":
			return k, fmt.Errorf("--kafka %s: one side has two releases", want)
		}
		if both || side == "broker" {
			k.Broker, broker = r, true
		}
		if both || side == "client" {
			k.Client, client = r, true
		}
	}
	return k, nil
}
