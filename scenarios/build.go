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

// builder puts a cluster together.
type builder struct {
	*Scenario
	kafka Kafka
	world *sim.World
	plan  *plan
	image *coordinator.Image
	coord sim.NodeID // the coordinator at the beginning
	err   error      // what cannot be had
}

// Build makes the cluster that a scenario describes, with the releases given, at the
// moment before anything happens.
func Build(s *Scenario, kafka Kafka, chance *sim.Decisions) (*Cluster, error) {
	b := &builder{Scenario: s, kafka: kafka, plan: &plan{scenario: s, places: make(map[string]int, len(s.Members))}}
	for i := range s.Members {
		b.plan.places[s.Members[i].Name] = i
	}
	b.world = sim.NewWorld(chance, s.Latency.Min, s.Latency.Max-s.Latency.Min)
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
		b.plan.triggers = append(b.plan.triggers, b.trigger(s.Timeline[i].When))
	}
	d := &director{plan: b.plan, steps: make([]progress, len(s.Timeline)),
		ctl:   controller{image: b.image, leader: b.coord},
		lives: make([]life, len(s.Members)+len(s.Brokers))}
	for i := range d.lives {
		d.lives[i].task = none
	}
	d.group.id, d.group.brokers, d.group.node = s.Group.ID, b.plan.brokers, b.plan.client
	b.world.Direct(d)
	return &Cluster{World: b.world, Clients: b.plan.members}, nil
}

func (b *builder) addBrokers() {
	configs := make([]coordinator.Config, len(b.Brokers))
	for i := range b.Brokers {
		configs[i] = b.brokerConfig(&b.Brokers[i])
		b.plan.brokers = append(b.plan.brokers, sim.NodeID(i))
	}
	b.coord = b.plan.brokers[max(0, b.plan.brokerPlace(b.Group.Coordinator))]
	b.plan.part = protocol.CoordinatorPartition(b.Group.ID, configs[0].OffsetsPartitions)
	for _, name := range b.Group.Next {
		b.plan.next = append(b.plan.next, b.plan.brokerNamed(name))
	}
	b.image = b.clusterImage(configs[0].OffsetsPartitions)
	for i := range b.Brokers {
		b.world.Add(b.Brokers[i].Name, coordinator.New(&configs[i], b.image))
	}
}

// clusterImage is the cluster at the beginning: partitions are led by the brokers in
// turn, unless a topic says otherwise.
func (b *builder) clusterImage(offsetsPartitions int32) *coordinator.Image {
	image := &coordinator.Image{Brokers: b.plan.brokers}
	for i := range b.Topics {
		if t := &b.Topics[i]; !t.Absent {
			image.Topics = append(image.Topics, b.plan.newTopic(t, b.plan.brokers, 0))
		}
	}
	sortTopics(image.Topics)
	for p := range int(offsetsPartitions) {
		image.OffsetsLeaders = append(image.OffsetsLeaders, b.plan.brokers[p%len(b.plan.brokers)])
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
			cfg.Formed = formed.client(m.Name, b.coord)
		}
		if err := cfg.Check(); err != nil {
			return &Error{File: b.File, Line: m.Pos.Line, Column: m.Pos.Column, Problem: fmt.Sprintf("member %s: %s", m.Name, err)}
		}
		id := b.world.Add(m.Name, consumer.New(cfg))
		b.plan.members = append(b.plan.members, id)
		if cfg.Formed != nil && cfg.Formed.InFlight != 0 {
			b.plan.lost = append(b.plan.lost, id)
		}
	}
	if formed != nil {
		b.plan.formed = formed.order(b)
	}
	return nil
}

func (b *builder) trigger(w *Trigger) trigger {
	t := trigger{when: w}
	if w == nil {
		return t
	}
	if !w.Event.None() {
		t.nodes = nodesOf(b.world, w.Event.Node)
	}
	for _, p := range w.Parked {
		for _, name := range p.Members {
			t.waits = append(t.waits, waiting{nodesOf(b.world, name)[0], p.Request})
		}
	}
	return t
}

// client is the node of a member, by its name; Nobody if there is none.
func (p *plan) client(name string) sim.NodeID {
	for i := range p.members {
		if p.scenario.Members[i].Name == name {
			return p.members[i]
		}
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
		if events == tooManyAtOnce {
			d.over = true
			d.ended = "stopped at " + at.String() + " s: steps of the timeline bring each other about, and no time passes"
		}
	}
}

// tooManyAtOnce is a number of events of one moment that no run comes to by itself.
const tooManyAtOnce = 1_000_000

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
	for _, part := range strings.Split(want, ",") {
		side, release, ok := strings.Cut(part, "=")
		if !ok {
			side, release = "", part
		}
		r, err := protocol.ParseRelease(release)
		if err != nil {
			return k, err
		}
		switch side {
		case "":
			k.Broker, k.Client = r, r
		case "broker":
			k.Broker = r
		case "client":
			k.Client = r
		default:
			return k, fmt.Errorf("--kafka %s: %q is neither broker nor client", want, side)
		}
	}
	return k, nil
}
