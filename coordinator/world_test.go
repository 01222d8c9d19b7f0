package coordinator

import (
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// user is a client without finesse: it finds its coordinator, joins, syncs, heartbeats
// each second and commits, and begins anew at every error.
type user struct {
	name       string
	brokers    int32
	asks       int32 // the broker that it asks next
	link       sim.LinkID
	linked     bool
	member     string
	generation int32
	tick       sim.TimerID
	answers    int
	topic      string
}

const (
	tickBeat uint8 = iota
	tickFind
)

func (u *user) Clone() sim.Actor { c := *u; return &c }
func (u *user) Hash(h *sim.Hasher) {
	h.Str(u.member)
	h.Int(int64(u.generation))
	h.Int(int64(u.asks))
	h.Int(int64(u.link))
	h.Bool(u.linked)
}

func (u *user) Step(in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputStart:
		u.tick = out.NewTimer(sim.ClassUser, 1, 0)
		u.find(out)
	case sim.InputClosed:
		u.linked = false
		out.Arm(u.tick, 100)
	case sim.InputTimer:
		if !u.linked || u.generation < 0 {
			u.find(out)
			return
		}
		out.Send(u.link, (&protocol.HeartbeatRequest{Group: "g", Generation: u.generation, Member: u.member}).Freeze(), 0, 0)
	case sim.InputAnswer:
		u.answers++
		u.answer(in.Msg.Body, out)
	}
}

func (u *user) find(out *sim.Out) {
	link, ok := out.Open(sim.NodeID(u.asks), 0)
	if !ok {
		u.asks = (u.asks + 1) % u.brokers
		out.Arm(u.tick, 100)
		return
	}
	u.link, u.linked = link, true
	out.Send(link, (&protocol.FindCoordinatorRequest{Group: "g"}).Freeze(), 0, 0)
}

func (u *user) join(out *sim.Out) {
	md := (&protocol.Metadata{Topics: []string{u.topic}, Generation: -1}).Freeze()
	out.Send(u.link, (&protocol.JoinGroupRequest{Version: 5, Group: "g", ClientID: u.name, Member: u.member, SessionTimeout: 6000,
		RebalanceTimeout: 10_000, ProtocolType: "consumer", Protocols: []protocol.GroupProtocol{{Name: "range", Metadata: md}}}).Freeze(), 0, 0)
}

func (u *user) answer(body sim.Body, out *sim.Out) {
	switch a := body.(type) {
	case *protocol.FindCoordinatorAnswer:
		u.generation = -1
		if a.Error != protocol.None {
			u.asks = (u.asks + 1) % u.brokers
			out.Arm(u.tick, 100)
			return
		}
		if link, ok := out.Open(a.Node, 0); ok {
			u.link, u.linked = link, true
			u.join(out)
		} else {
			out.Arm(u.tick, 100)
		}
	case *protocol.JoinGroupAnswer:
		switch a.Error {
		case protocol.None:
			u.member, u.generation = a.Member, a.Generation
			s := &protocol.SyncGroupRequest{Version: 3, Group: "g", Generation: a.Generation, Member: a.Member}
			for _, m := range a.Members {
				s.Assignments = append(s.Assignments, protocol.MemberAssignment{Member: m.ID,
					Assignment: (&protocol.Assignment{Raw: protocol.Some("for " + m.ID)}).Freeze()})
			}
			out.Send(u.link, s.Freeze(), 0, 0)
		case protocol.MemberIDRequired:
			u.member = a.Member
			u.join(out)
		default:
			u.fail(a.Error, out)
		}
	case *protocol.SyncGroupAnswer:
		if a.Error != protocol.None {
			u.fail(a.Error, out)
			return
		}
		out.Send(u.link, (&protocol.OffsetCommitRequest{Version: 7, Group: "g", Generation: u.generation, Member: u.member, Retention: -1,
			Offsets: []protocol.PartitionOffset{{TopicPartition: protocol.TopicPartition{Topic: u.topic}, Offset: int64(u.generation)}}}).Freeze(), 0, 0)
	case *protocol.HeartbeatAnswer:
		if a.Error != protocol.None {
			u.fail(a.Error, out)
			return
		}
		out.Arm(u.tick, 1000)
	case *protocol.OffsetCommitAnswer:
		out.Arm(u.tick, 1000)
	}
}

func (u *user) fail(err protocol.Error, out *sim.Out) {
	switch err {
	case protocol.RebalanceInProgress:
		u.join(out)
	case protocol.NotCoordinator, protocol.CoordinatorLoadInProgress, protocol.CoordinatorNotAvailable:
		u.generation = -1
		out.Arm(u.tick, 100)
	default:
		u.member = ""
		u.join(out)
	}
}

// plan starts two brokers and four users, kills the coordinator and lets the other
// broker load its log, then brings the first one back.
type plan struct{ images [2]*Image }

func (p *plan) Observe(*sim.Rec, *sim.Control) {}
func (p *plan) Clone() sim.Director            { return p }
func (p *plan) Hash(*sim.Hasher)               {}
func (p *plan) Wake(key int32, c *sim.Control) {
	const partition = 3 // of "g", of 10
	switch key {
	case 0:
		for i := range c.World().Nodes() {
			c.Start(sim.NodeID(i), nil)
		}
		c.After(20*sim.Second, 1)
	case 1:
		c.Crash(0)
		c.Command(1, &SetImage{p.images[1]})
		first := c.World().Actor(0).(*Broker)
		c.Command(1, &Load{Partition: partition, Epoch: 1, Records: first.Log(partition), Queued: 50, Takes: 300})
		c.After(20*sim.Second, 2)
	case 2:
		c.Start(0, &SetImage{p.images[1]})
	}
}

func newCluster(release string, chance *sim.Decisions) *sim.World {
	cfg := Defaults(protocol.MustRelease(release))
	cfg.OffsetsPartitions = 10
	leaders := func(n sim.NodeID) []sim.NodeID {
		l := make([]sim.NodeID, 10)
		for i := range l {
			l[i] = n
		}
		return l
	}
	topics := []Topic{{Name: "t", Leaders: []sim.NodeID{0, 1}, Rate: 7}}
	p := &plan{images: [2]*Image{
		{Brokers: []sim.NodeID{0, 1}, Topics: topics, OffsetsLeaders: leaders(0)},
		{Brokers: []sim.NodeID{0, 1}, Topics: topics, OffsetsLeaders: leaders(1)},
	}}
	w := sim.NewWorld(chance, sim.Millisecond, 2*sim.Millisecond)
	w.Add("b1", New(&cfg, p.images[0]))
	w.Add("b2", New(&cfg, p.images[0]))
	for _, name := range []string{"A", "B", "C", "D"} {
		w.Add(name, &user{name: name, brokers: 2, generation: -1, topic: "t"})
	}
	w.Direct(p)
	return w
}

var clusterReleases = []string{"0.10.0.1", "0.11.0.2", "2.4.1", "2.8.0", "3.9", protocol.Snapshot}

// TestCluster: a group forms, its coordinator dies, and the next one carries on from
// the log.
func TestCluster(t *testing.T) {
	if got := protocol.CoordinatorPartition("g", 10); got != 3 {
		t.Fatalf("group g is in partition %d", got)
	}
	for _, release := range clusterReleases {
		w := newCluster(release, &sim.Decisions{})
		w.Run(19 * sim.Second)
		v, ok := w.Actor(0).(*Broker).View("g")
		if !ok || v.State != protocol.Stable || len(v.Members) != 4 {
			t.Fatalf("%s: before the crash the group is %+v", release, v)
		}
		for i := range v.Members {
			if a := v.Members[i].Assignment; a == nil || a.Raw.Value != "for "+v.Members[i].ID {
				t.Errorf("%s: %s has %v", release, v.Members[i].ID, a)
			}
		}
		before := v.Generation
		w.Run(80 * sim.Second)
		v, ok = w.Actor(1).(*Broker).View("g")
		if !ok || v.State != protocol.Stable || len(v.Members) != 4 || v.Generation < before {
			t.Errorf("%s: after the crash the group is %+v", release, v)
		}
		if _, ok := w.Actor(0).(*Broker).View("g"); ok {
			t.Errorf("%s: the broker that came back coordinates the group", release)
		}
	}
}

// TestCopies: replacing brokers by their copies at every event, or going on in a fork,
// changes no fact of the trace, and hashes of the state agree.
func TestCopies(t *testing.T) {
	for _, release := range clusterReleases {
		for _, seed := range []uint64{0, 1, 2} {
			plain := newCluster(release, &sim.Decisions{Seed: seed})
			hash := sim.NewTraceHash(plain)
			plain.Watch(hash)
			plain.Run(60 * sim.Second)

			w := newCluster(release, &sim.Decisions{Seed: seed})
			copied := sim.NewTraceHash(w)
			w.Watch(copied)
			for step := 0; ; step++ {
				if at, ok := w.Next(); !ok || at > 60*sim.Second {
					break
				}
				w.Step()
				w.Recopy(0)
				w.Recopy(1)
				if seed == 0 && step%50 == 0 {
					if f := w.Fork(); f.Hash() != w.Hash() {
						t.Fatalf("%s: a fork at step %d has another hash", release, step)
					}
				}
			}
			if hash.Sum() != copied.Sum() || hash.Events != copied.Events {
				t.Errorf("%s, seed %d: copies change the trace: %d events, %d", release, seed, hash.Events, copied.Events)
			}
		}
	}
}

// TestForkFutures: a fork and its original have the same future, whichever goes first.
func TestForkFutures(t *testing.T) {
	for _, release := range clusterReleases {
		w := newCluster(release, &sim.Decisions{})
		w.Run(10 * sim.Second)
		for round := range 12 {
			f := w.Fork()
			for range 300 {
				f.Step()
			}
			for range 300 {
				w.Step()
			}
			if f.Hash() != w.Hash() || f.Now() != w.Now() {
				t.Fatalf("%s: round %d: the futures differ", release, round)
			}
		}
	}
}

// TestEndOffsets: what is produced is dealt to the partitions in turn.
func TestEndOffsets(t *testing.T) {
	topic := &Topic{Name: "t", Leaders: make([]sim.NodeID, 3), Rate: 10, Since: 2 * sim.Second, Start: []int64{5, 0, 0}}
	for at := sim.Time(0); at < 10*sim.Second; at += 37 * sim.Millisecond {
		var sum int64
		for p := range int32(3) {
			end := topic.EndOffset(p, at) - topic.start(p)
			sum += end
			reached, ok := topic.reaches(p, topic.EndOffset(p, at))
			if !ok || reached <= at || topic.EndOffset(p, reached) != topic.EndOffset(p, at)+1 || topic.EndOffset(p, reached-1) != topic.EndOffset(p, at) {
				t.Fatalf("partition %d at %s: the next record comes at %s", p, at, reached)
			}
		}
		if want := int64(max(at-2*sim.Second, 0)) * 10 / int64(sim.Second); sum != want {
			t.Fatalf("at %s: %d records, want %d", at, sum, want)
		}
	}
}
