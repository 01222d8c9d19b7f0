package gotest_test

import (
	"testing"

	"github.com/rebalsim/rebalsim/explore/gotest"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// A scenario of one's own in five lines.
func TestDeploy(t *testing.T) {
	gotest.Fuzz(t, "testdata/deploy.yaml", 40)
}

// A client of one's own, on the simulated brokers.
func TestMyClient(t *testing.T) {
	gotest.FuzzClient(t, "testdata/my-client.yaml", 100, func(member string) sim.Actor {
		return &myClient{name: member, topic: "orders"}
	})
}

// myClient is a client without finesse: it finds its coordinator, joins, syncs and
// heartbeats each second, and begins anew at every error. It is a state machine without
// hands: what comes to it comes as an Input, and it acts through the Out alone. It keeps
// no clock, no goroutine and no random number, so its runs can be played again.
type myClient struct {
	name, topic string
	asks        sim.NodeID // the broker that it asks next
	link        sim.LinkID
	linked      bool
	member      string
	generation  int32
	wake        sim.TimerID
}

// Clone copies it: a world can be forked at any moment.
func (c *myClient) Clone() sim.Actor { d := *c; return &d }

// Hash writes all that its future hangs on.
func (c *myClient) Hash(h *sim.Hasher) {
	h.Int(int64(c.asks))
	h.Bool(c.linked)
	h.Str(c.member)
	h.Int(int64(c.generation))
}

// Step handles one input.
func (c *myClient) Step(in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputStart:
		*c = myClient{name: c.name, topic: c.topic, wake: out.NewTimer(sim.ClassUser, 0, 0)}
		c.find(out)
	case sim.InputClosed:
		c.linked = false
		out.Arm(c.wake, 100)
	case sim.InputTimer:
		if !c.linked {
			c.find(out)
			return
		}
		c.send(out, (&protocol.HeartbeatRequest{Group: "my-group", Generation: c.generation, Member: c.member}).Freeze())
	case sim.InputAnswer:
		c.answered(in.Msg.Body, out)
	}
}

func (c *myClient) send(out *sim.Out, request sim.Body) { out.Send(c.link, request, 0, 0) }

// find connects to the next broker and asks it for the coordinator.
func (c *myClient) find(out *sim.Out) {
	if c.link, c.linked = out.Open(c.asks, 0); !c.linked {
		c.again(out)
		return
	}
	c.send(out, (&protocol.FindCoordinatorRequest{Group: "my-group"}).Freeze())
}

// again asks the next of the three brokers a little later.
func (c *myClient) again(out *sim.Out) {
	c.asks, c.linked = (c.asks+1)%3, false
	out.Arm(c.wake, 100)
}

func (c *myClient) join(out *sim.Out) {
	metadata := (&protocol.Metadata{Topics: []string{c.topic}, Generation: -1}).Freeze()
	c.send(out, (&protocol.JoinGroupRequest{Version: 5, Group: "my-group", ClientID: c.name, Member: c.member,
		SessionTimeout: 10_000, RebalanceTimeout: 30_000, ProtocolType: "consumer",
		Protocols: []protocol.GroupProtocol{{Name: "range", Metadata: metadata}}}).Freeze())
}

func (c *myClient) answered(body sim.Body, out *sim.Out) {
	var failed protocol.Error
	switch a := body.(type) {
	case *protocol.FindCoordinatorAnswer:
		failed = a.Error
		if failed == protocol.None {
			if c.link, c.linked = out.Open(a.Node, 0); c.linked {
				c.join(out)
			} else {
				c.again(out)
			}
		}
	case *protocol.JoinGroupAnswer:
		c.member, failed = a.Member, a.Error
		if failed == protocol.None {
			c.generation = a.Generation
			c.sync(a, out)
		}
	case *protocol.SyncGroupAnswer:
		failed = a.Error
		out.Arm(c.wake, 1000)
	case *protocol.HeartbeatAnswer:
		failed = a.Error
		out.Arm(c.wake, 1000)
	}
	switch failed {
	case protocol.None:
	case protocol.RebalanceInProgress, protocol.MemberIDRequired:
		out.Disarm(c.wake)
		c.join(out)
	case protocol.NotCoordinator, protocol.CoordinatorLoadInProgress, protocol.CoordinatorNotAvailable:
		c.again(out)
	default: // it is no member any more
		out.Disarm(c.wake)
		c.member = ""
		c.join(out)
	}
}

// sync asks for its part. The leader gives the first member everything.
func (c *myClient) sync(a *protocol.JoinGroupAnswer, out *sim.Out) {
	request := &protocol.SyncGroupRequest{Version: 3, Group: "my-group", Generation: a.Generation, Member: a.Member}
	for i, m := range a.Members {
		part := &protocol.Assignment{}
		if i == 0 {
			part.Partitions = []protocol.TopicPartition{{Topic: c.topic, Partition: 0}, {Topic: c.topic, Partition: 1}}
		}
		request.Assignments = append(request.Assignments, protocol.MemberAssignment{Member: m.ID, Assignment: part.Freeze()})
	}
	c.send(out, request.Freeze())
}
