package cluster

import (
	"maps"
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// director does what the script says. The plan is shared by all its copies.
type director struct {
	*plan
	topics map[string]int32
	coord  sim.NodeID // the broker that coordinates, or is to
	from   sim.NodeID // the last that did coordinate, whose log is loaded
	epoch  int32
}

// plan is what a director is built from.
type plan struct {
	run     *run
	bench   *consumer.Bench
	brokers []sim.NodeID
	clients []sim.NodeID
	nodes   []sim.NodeID // of each step, where it speaks of a client
}

// Clone copies the director.
func (d *director) Clone() sim.Director {
	c := *d
	c.topics = maps.Clone(d.topics)
	return &c
}

// Hash writes what the future depends on.
func (d *director) Hash(h *sim.Hasher) {
	h.Int(int64(d.coord))
	h.Int(int64(d.from))
	h.Int(int64(d.epoch))
	for _, name := range slices.Sorted(maps.Keys(d.topics)) {
		h.Str(name)
		h.Int(int64(d.topics[name]))
	}
}

// Observe does nothing: what is done is done at its moment.
func (*director) Observe(*sim.Rec, *sim.Control) {}

// Wake begins the run with key 0, and does the step key-1.
func (d *director) Wake(key int32, c *sim.Control) {
	if key > 0 {
		d.do(int(key-1), c)
		return
	}
	for _, b := range d.brokers {
		c.Start(b, nil)
	}
	for i := range d.run.Script {
		c.After(sim.Time(d.run.Script[i].At)*sim.Millisecond, int32(i+1))
	}
}

func (d *director) do(i int, c *sim.Control) {
	s := &d.run.Script[i]
	c.Act(sim.Note{Code: protocol.NoteAct, A: int64(i), Body: &protocol.Text{Text: s.Op}}, 0)
	node := d.nodes[i]
	switch s.Op {
	case "start":
		c.Start(node, nil)
	case "kill":
		c.Crash(node)
	case "close":
		c.Command(node, &consumer.Call{Op: consumer.OpClose, Timeout: 30_000})
	case "busy":
		c.Command(node, &consumer.Call{Op: consumer.OpBusy, Timeout: s.MS})
	case "cmd":
		c.Command(node, s.Cmd.call())
	case "topics":
		d.changeTopics(s.Topics, c)
	case "move":
		d.move(d.brokers[s.To], c)
	case "load":
		old := c.World().Actor(d.from).(*coordinator.Broker)
		c.Command(d.coord, &coordinator.Load{Epoch: d.epoch, Records: old.Log(0), Takes: -1})
	case "loaded":
		c.Command(d.coord, &coordinator.LoadDone{})
	case "down":
		c.Disconnect(sim.Nobody, d.brokers[s.Broker])
		for _, client := range d.clients {
			c.Cut(client, d.brokers[s.Broker])
		}
	case "up":
		for _, client := range d.clients {
			c.Heal(client, d.brokers[s.Broker])
		}
	}
}

// move takes the group from its coordinator. From now on everyone names the new one,
// which does not know yet.
func (d *director) move(to sim.NodeID, c *sim.Control) {
	d.epoch++
	if c.World().Actor(d.coord).(*coordinator.Broker).Coordinates(0) {
		d.from = d.coord
	}
	c.Command(d.coord, &coordinator.Unload{Epoch: d.epoch})
	d.coord = to
	d.tellBrokers(c)
}

func (d *director) tellBrokers(c *sim.Control) {
	image := imageOf(d.brokers, d.topics, d.coord)
	for _, b := range d.brokers {
		c.Command(b, &coordinator.SetImage{Image: image})
	}
}

// changeTopics creates topics or adds partitions. The group's leader learns of it at once,
// the others when they next ask for metadata.
func (d *director) changeTopics(topics map[string]int32, c *sim.Control) {
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		d.topics[name] = topics[name]
		d.bench.SetTopic(name, topics[name])
	}
	d.tellBrokers(c)
	for _, node := range d.clients {
		if c.World().Alive(node) && c.World().Actor(node).(*client).View().Leader {
			c.Command(node, &consumer.Call{Op: consumer.OpRefreshMetadata})
		}
	}
}
