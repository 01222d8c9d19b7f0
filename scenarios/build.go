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
	part  int32 // of __consumer_offsets, that the group is in
}

// Build makes the cluster that a scenario describes, with the releases given, at the
// moment before anything happens.
func Build(s *Scenario, kafka Kafka, chance *sim.Decisions) (*Cluster, error) {
	b := &builder{Scenario: s, kafka: kafka, plan: &plan{scenario: s}}
	b.world = sim.NewWorld(chance, s.Latency.Min, s.Latency.Max-s.Latency.Min)
	b.addBrokers()
	if err := b.addMembers(); err != nil {
		return nil, err
	}
	for i := range s.Timeline {
		b.plan.triggers = append(b.plan.triggers, b.trigger(s.Timeline[i].When))
	}
	d := &director{plan: b.plan, steps: make([]progress, len(s.Timeline))}
	d.group.id = s.Group.ID
	b.world.Direct(d)
	return &Cluster{World: b.world, Clients: b.plan.members}, nil
}

func (b *builder) addBrokers() {
	configs := make([]coordinator.Config, len(b.Brokers))
	for i := range b.Brokers {
		configs[i] = brokerConfig(b.kafka.Broker, b.Brokers[i].Config)
		b.plan.brokers = append(b.plan.brokers, sim.NodeID(i))
	}
	b.plan.coord = b.plan.brokers[max(0, b.brokerPlace(b.Group.Coordinator))]
	b.part = protocol.CoordinatorPartition(b.Group.ID, configs[0].OffsetsPartitions)
	b.image = b.clusterImage(configs[0].OffsetsPartitions)
	for i := range b.Brokers {
		b.world.Add(b.Brokers[i].Name, coordinator.New(&configs[i], b.image))
	}
}

// brokerPlace is the index of the broker with the name, -1 if there is none.
func (b *builder) brokerPlace(name string) int {
	for i := range b.Brokers {
		if b.Brokers[i].Name == name {
			return i
		}
	}
	return -1
}

// clusterImage is the cluster at the beginning: partitions are led by the brokers in
// turn, unless a topic says otherwise.
func (b *builder) clusterImage(offsetsPartitions int32) *coordinator.Image {
	image := &coordinator.Image{Brokers: b.plan.brokers}
	for i := range b.Topics {
		t := &b.Topics[i]
		topic := coordinator.Topic{Name: t.Name}
		if t.Rate.Records > 0 {
			topic.Rate = t.Rate.Records * int64(sim.Second) / int64(t.Rate.Per)
		}
		only := b.brokerPlace(t.Leader)
		for p := range int(t.Partitions) {
			leader := b.plan.brokers[p%len(b.plan.brokers)]
			if only >= 0 {
				leader = b.plan.brokers[only]
			}
			topic.Leaders = append(topic.Leaders, leader)
		}
		image.Topics = append(image.Topics, topic)
	}
	sortTopics(image.Topics)
	for p := range int(offsetsPartitions) {
		image.OffsetsLeaders = append(image.OffsetsLeaders, b.plan.brokers[p%len(b.plan.brokers)])
	}
	image.OffsetsLeaders[b.part] = b.plan.coord
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
			cfg.Formed = formed.client(m.Name, b.plan.coord)
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

// What a member's program can be told.
func stopOrder() sim.Body { return &consumer.Call{Op: consumer.OpStop} }

func subscribeOrder(topics []string) sim.Body {
	return &consumer.Call{Op: consumer.OpSubscribe, Topics: topics}
}

func enforceOrder(reason string) sim.Body {
	return &consumer.Call{Op: consumer.OpEnforceRebalance, Reason: reason}
}

// Run plays the scenario to its end.
func (c *Cluster) Run() {
	for !c.director().over && c.World.Step() {
	}
}

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

// Long is it in words: "3.9.1", or "3.9.1, clients 3.3.2".
func (k Kafka) Long() string {
	if k.Broker == k.Client {
		return k.Broker.String()
	}
	return fmt.Sprintf("%s, clients %s", k.Broker, k.Client)
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
