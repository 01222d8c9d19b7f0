package cluster

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

const (
	group   = "g"
	brokers = 2

	clientRelease = "3.9.0"
	brokerRelease = protocol.Snapshot
)

// world is a run that is ready to be played.
type world struct {
	run    *run
	sim    *sim.World
	bench  *consumer.Bench
	scribe *scribe
}

// build makes the cluster at the moment before anything happens.
func build(r *run) (*world, error) {
	w := &world{run: r, sim: sim.NewWorld(&sim.Decisions{}, sim.Time(r.Latency)*sim.Millisecond, 0)}
	plan := &plan{run: r, nodes: make([]sim.NodeID, len(r.Script))}
	for i := range brokers {
		plan.brokers = append(plan.brokers, sim.NodeID(i))
	}
	if err := w.addBrokers(plan); err != nil {
		return nil, err
	}
	w.bench = consumer.NewBench(plan.brokers)
	plan.bench = w.bench
	for _, name := range slices.Sorted(maps.Keys(r.Topics)) {
		w.bench.SetTopic(name, r.Topics[name])
	}
	w.scribe = newScribe(w)
	if err := w.addClients(plan); err != nil {
		return nil, err
	}
	w.sim.Watch(w.scribe)
	w.sim.Direct(&director{plan: plan, topics: maps.Clone(r.Topics)})
	return w, nil
}

func (w *world) addBrokers(p *plan) error {
	release, err := protocol.ParseRelease(brokerRelease)
	if err != nil {
		return err
	}
	cfg := coordinator.Defaults(release)
	cfg.AppendLinger = 0
	cfg.OffsetsPartitions = 1
	for _, name := range slices.Sorted(maps.Keys(w.run.Broker)) {
		if err := setBroker(&cfg, name, w.run.Broker[name]); err != nil {
			return fmt.Errorf("broker: %s: %w", name, err)
		}
	}
	image := imageOf(p.brokers, w.run.Topics, p.brokers[0])
	for i := range p.brokers {
		w.sim.Add(fmt.Sprintf("broker:%d", i), coordinator.New(&cfg, image))
	}
	return nil
}

// imageOf is the cluster as brokers know it, with the one that coordinates.
func imageOf(brokers []sim.NodeID, topics map[string]int32, coordinates sim.NodeID) *coordinator.Image {
	image := &coordinator.Image{Brokers: brokers, OffsetsLeaders: []sim.NodeID{coordinates}}
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		t := coordinator.Topic{Name: name}
		for i := range topics[name] {
			t.Leaders = append(t.Leaders, brokers[int(i)%len(brokers)])
		}
		image.Topics = append(image.Topics, t)
	}
	return image
}

// addClients adds a node for every process that the script starts, and finds out whom its
// other steps speak of.
func (w *world) addClients(p *plan) error {
	release, err := protocol.ParseRelease(clientRelease)
	if err != nil {
		return err
	}
	var names []string
	for i := range w.run.Script {
		s := &w.run.Script[i]
		if s.Op != "start" {
			continue
		}
		if slices.Contains(names, s.Client.ID) {
			return fmt.Errorf("script: %s starts twice: give the second process an id of its own", s.Client.ID)
		}
		cfg, err := w.clientConfig(release, &s.Client, p.brokers)
		if err != nil {
			return err
		}
		c := consumer.New(cfg)
		p.nodes[i] = w.sim.Add(s.Client.ID, &client{c})
		w.bench.Put(c, w.scribe.watch(p.nodes[i], &s.Client))
		names = append(names, s.Client.ID)
		p.clients = append(p.clients, p.nodes[i])
	}
	for i := range w.run.Script {
		s := &w.run.Script[i]
		switch s.Op {
		case "close", "kill", "busy", "cmd":
			at := slices.Index(names, s.C)
			if at < 0 {
				return fmt.Errorf("script: %s at %d: there is no client %q", s.Op, s.At, s.C)
			}
			p.nodes[i] = p.clients[at]
		}
	}
	return nil
}

func (w *world) clientConfig(release protocol.Release, s *clientSpec, brokers []sim.NodeID) (*consumer.Config, error) {
	rules := protocol.ClientRulesOf(release)
	cfg := &consumer.Config{
		Rules: rules, Assignor: protocol.AssignorRulesOf(release), Versions: release.Versions(),
		Settings: consumer.SettingsOf(&rules), Group: group, Brokers: brokers,
		Subscription: consumer.Subscription{Topics: w.run.Subscribe},
		Program:      consumer.Program{Poll: w.run.Poll, Idle: w.run.Work, CountsPolls: true, AfterThrow: consumer.ThrowIdles},
		Listener:     consumer.Listener{PausesAll: true, Repeat: true, HandlesLost: true},
		EveryTick:    true,
	}
	for _, name := range slices.Sorted(maps.Keys(w.run.Config)) {
		if err := setClient(&cfg.Settings, name, w.run.Config[name]); err != nil {
			return nil, fmt.Errorf("config: %s: %w", name, err)
		}
	}
	cfg.Settings.InstanceID, cfg.Settings.ClientID = s.Instance, s.Client
	if s.Client == "" {
		cfg.Settings.ClientID = s.ID
	}
	if s.SlowAssigned > 0 {
		cfg.Listener.Assigned = []consumer.CallbackStep{{Sleep: s.SlowAssigned}}
	}
	if s.SlowRevoked > 0 {
		cfg.Listener.Revoked = []consumer.CallbackStep{{Sleep: s.SlowRevoked}}
	}
	return cfg, cfg.Check()
}

// play lets the run happen and gives its events.
func (w *world) play() ([][]byte, error) {
	now, end := int64(0), w.run.end()
	for {
		at, ok := w.sim.Next()
		if !ok || at.Millis() > end {
			break
		}
		if at.Millis() != now {
			w.scribe.settle()
			now = at.Millis()
		}
		w.sim.Run(at)
		if w.sim.Steps() > maxEvents {
			return nil, fmt.Errorf("the run has more than %d events by %d ms", maxEvents, now)
		}
	}
	w.scribe.settle()
	return w.scribe.events, w.scribe.err
}

// client is a consumer to which offsets that were never committed read as 0.
type client struct{ *consumer.Consumer }

// Step handles one input.
func (c *client) Step(in *sim.Input, out *sim.Out) {
	if a, ok := in.Msg.Body.(*protocol.OffsetFetchAnswer); ok && in.Kind == sim.InputAnswer {
		read := *in
		read.Msg.Body = fromZero(a)
		in = &read
	}
	c.Consumer.Step(in, out)
}

// Clone copies the client.
func (c *client) Clone() sim.Actor { return &client{c.Consumer.Clone().(*consumer.Consumer)} }

func fromZero(a *protocol.OffsetFetchAnswer) *protocol.OffsetFetchAnswer {
	b := &protocol.OffsetFetchAnswer{Error: a.Error, Partitions: slices.Clone(a.Partitions)}
	for i := range b.Partitions {
		b.Partitions[i].Offset = max(b.Partitions[i].Offset, 0)
	}
	return b.Freeze()
}
