package consumer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// fakeBroker is as much of a broker as a client needs to see all its sides: it
// coordinates one group, in order and without timers, and has some topics.
type fakeBroker struct {
	self    sim.NodeID
	coord   sim.NodeID
	brokers []sim.NodeID
	topics  []clusterTopic
	end     int64 // every partition's end
	twoStep bool

	generation int32
	state      protocol.GroupState
	leader     string
	members    []fakeMember
	protocol   string
	committed  []protocol.PartitionOffset
	ids        int
	fetches    []parkedFetch // by connection
}

type fakeMember struct {
	id         string
	meta       *protocol.Metadata
	join, sync sim.Request
	assigned   *protocol.Assignment
	joined     bool
}

func (b *fakeBroker) Clone() sim.Actor {
	d := *b
	d.members = slices.Clone(b.members)
	d.committed = slices.Clone(b.committed)
	d.fetches = slices.Clone(b.fetches)
	return &d
}

func (b *fakeBroker) Hash(h *sim.Hasher) { h.Int(int64(b.generation)) }

func (b *fakeBroker) member(id string) *fakeMember {
	for i := range b.members {
		if b.members[i].id == id {
			return &b.members[i]
		}
	}
	return nil
}

func (b *fakeBroker) Step(in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputTimer:
		out.Reply(b.fetches[in.Timer.Arg].req, nothingFetched, 0, 0)
		return
	case sim.InputRequest:
	default:
		return
	}
	reply := func(body sim.Body) { out.Reply(in.Req, body, 0, 0) }
	switch q := in.Msg.Body.(type) {
	case *protocol.FindCoordinatorRequest:
		reply((&protocol.FindCoordinatorAnswer{Node: b.coord}).Freeze())
	case *protocol.MetadataRequest:
		k := instantCluster{brokers: b.brokers, topics: b.topics}
		reply(k.answer(q.All, q.Topics))
	case *protocol.JoinGroupRequest:
		b.join(q, in.Req, out)
	case *protocol.SyncGroupRequest:
		m := b.member(q.Member)
		if m == nil || q.Generation != b.generation {
			reply((&protocol.SyncGroupAnswer{Error: protocol.UnknownMemberID}).Freeze())
			return
		}
		m.sync = in.Req
		for _, a := range q.Assignments {
			if to := b.member(a.Member); to != nil {
				to.assigned = a.Assignment
			}
			b.state = protocol.Stable
		}
		if b.state == protocol.Stable {
			for i := range b.members {
				if m := &b.members[i]; !m.sync.None() {
					out.Reply(m.sync, (&protocol.SyncGroupAnswer{Assignment: m.assigned}).Freeze(), 0, 0)
					m.sync = sim.Request{}
				}
			}
		}
	case *protocol.HeartbeatRequest:
		switch {
		case b.member(q.Member) == nil:
			reply(protocol.AnswerHeartbeat(protocol.UnknownMemberID))
		case b.state == protocol.PreparingRebalance:
			reply(protocol.AnswerHeartbeat(protocol.RebalanceInProgress))
		default:
			reply(protocol.AnswerHeartbeat(protocol.None))
		}
	case *protocol.LeaveGroupRequest:
		b.members = slices.DeleteFunc(b.members, func(m fakeMember) bool { return m.id == q.Members[0].Member })
		b.state = protocol.PreparingRebalance
		reply((&protocol.LeaveGroupAnswer{}).Freeze())
		b.maybeComplete(out)
	case *protocol.OffsetCommitRequest:
		a := &protocol.OffsetCommitAnswer{}
		for _, o := range q.Offsets {
			b.committed = slices.DeleteFunc(b.committed, func(x protocol.PartitionOffset) bool { return x.TopicPartition == o.TopicPartition })
			b.committed = append(b.committed, o)
			a.Partitions = append(a.Partitions, protocol.PartitionOffset{TopicPartition: o.TopicPartition})
		}
		reply(a.Freeze())
	case *protocol.OffsetFetchRequest:
		a := &protocol.OffsetFetchAnswer{}
		for _, p := range q.Partitions {
			o := protocol.PartitionOffset{TopicPartition: p, Offset: -1}
			for _, x := range b.committed {
				if x.TopicPartition == p {
					o.Offset = x.Offset
				}
			}
			a.Partitions = append(a.Partitions, o)
		}
		reply(a.Freeze())
	case *protocol.ListOffsetsRequest:
		a := &protocol.ListOffsetsAnswer{}
		for _, p := range q.Partitions {
			a.Partitions = append(a.Partitions, protocol.PartitionOffset{TopicPartition: p.TopicPartition})
		}
		reply(a.Freeze())
	case *protocol.FetchRequest:
		a := &protocol.FetchAnswer{}
		for _, p := range q.Partitions {
			if p.Offset < b.end {
				a.Partitions = append(a.Partitions, protocol.PartitionOffset{TopicPartition: p.TopicPartition, Offset: b.end})
			}
		}
		if len(a.Partitions) > 0 || len(q.Partitions) == 0 {
			reply(a.Freeze())
			return
		}
		for len(b.fetches) <= int(in.Link) {
			b.fetches = append(b.fetches, parkedFetch{})
		}
		f := &b.fetches[in.Link]
		if f.timer == 0 {
			f.timer = out.NewTimer(sim.ClassTimer, 1, int32(in.Link))
		}
		f.req = in.Req
		out.Arm(f.timer, int64(q.MaxWait))
	}
}

// parkedFetch is a fetch that waits for records, which never come.
type parkedFetch struct {
	req   sim.Request
	timer sim.TimerID
}

var nothingFetched = (&protocol.FetchAnswer{}).Freeze()

func (b *fakeBroker) join(q *protocol.JoinGroupRequest, req sim.Request, out *sim.Out) {
	id := q.Member
	if id == "" {
		b.ids++
		id = fmt.Sprintf("%s-%d", q.ClientID, b.ids)
		if b.twoStep && q.Version >= 4 {
			out.Reply(req, (&protocol.JoinGroupAnswer{Error: protocol.MemberIDRequired, Member: id, Generation: -1}).Freeze(), 0, 0)
			return
		}
	}
	m := b.member(id)
	if m == nil {
		b.members = append(b.members, fakeMember{id: id})
		m = &b.members[len(b.members)-1]
	}
	m.meta, m.join, m.joined = q.Protocols[0].Metadata, req, true
	b.protocol = q.Protocols[0].Name
	b.state = protocol.PreparingRebalance
	b.maybeComplete(out)
}

func (b *fakeBroker) maybeComplete(out *sim.Out) {
	for i := range b.members {
		if !b.members[i].joined {
			return
		}
	}
	if len(b.members) == 0 || b.state != protocol.PreparingRebalance {
		return
	}
	b.generation++
	b.state = protocol.CompletingRebalance
	if b.member(b.leader) == nil {
		b.leader = b.members[0].id
	}
	for i := range b.members {
		m := &b.members[i]
		m.joined = false
		a := &protocol.JoinGroupAnswer{Generation: b.generation, ProtocolType: protocol.Some("consumer"), Protocol: protocol.Some(b.protocol), Leader: b.leader, Member: m.id}
		if m.id == b.leader {
			for _, x := range b.members {
				a.Members = append(a.Members, protocol.JoinedMember{ID: x.id, Metadata: x.meta})
			}
		}
		out.Reply(m.join, a.Freeze(), 0, 0)
		m.join = sim.Request{}
	}
}

// script is a director that does what it is told at the times given.
type script struct {
	at []step
}

type step struct {
	at sim.Time
	do func(c *sim.Control)
}

func (s *script) Observe(*sim.Rec, *sim.Control) {}
func (s *script) Wake(key int32, c *sim.Control) {
	if key == 0 {
		for i, x := range s.at {
			c.After(x.at, int32(i+1))
		}
		return
	}
	s.at[key-1].do(c)
}
func (s *script) Clone() sim.Director { return s }
func (s *script) Hash(*sim.Hasher)    {}

// story writes a trace's facts as lines.
type story struct {
	w     *sim.World
	lines []string
}

func (s *story) Observe(r *sim.Rec) {
	at := r.At.String()
	switch r.Op {
	case sim.OpSend:
		name := protocol.KindName(r.Msg.Kind())
		if name == "Fetch" || name == "Metadata" {
			return
		}
		ans := ""
		if r.Msg.Answer {
			ans = ".answer"
		}
		client := s.w.Name(r.Msg.Client())
		s.lines = append(s.lines, fmt.Sprintf("%s %s.%s#%d%s (%s)", at, client, name, r.Msg.Ord, ans, protocol.Rule(r.Why)))
	case sim.OpNote:
		text := ""
		switch b := r.Note.Body.(type) {
		case *protocol.ClientChange:
			text = fmt.Sprintf("%s %d %s", b.State, b.Generation, b.Member)
		case *protocol.PartitionList:
			text = fmt.Sprint(b.Partitions)
		}
		names := map[uint8]string{protocol.NoteClient: "is", protocol.NoteRevoked: "revoked", protocol.NoteAssigned: "assigned", protocol.NoteLost: "lost",
			protocol.NoteServes: "serves", protocol.NoteDelivered: "delivered", protocol.NoteFinished: "finished", protocol.NoteClosed: "closed", protocol.NoteThrown: "thrown"}
		if n := names[r.Note.Code]; n != "" {
			s.lines = append(s.lines, fmt.Sprintf("%s %s %s %s %d %d", at, s.w.Name(r.Node), n, text, r.Note.A, r.Note.B))
		}
	}
}

func testConfig(t testing.TB, release string, brokers ...sim.NodeID) *Config {
	r := protocol.MustRelease(release)
	rules := protocol.ClientRulesOf(r)
	cfg := &Config{Rules: rules, Versions: r.Versions(), Settings: SettingsOf(&rules), Group: "my-group", Brokers: brokers,
		Subscription: Subscription{Topics: []string{"orders"}}, Program: Program{Poll: 100, BatchMin: 10, BatchMax: 10}}
	cfg.Settings.OffsetReset = ResetEarliest
	if err := cfg.Check(); err != nil {
		t.Fatal(err)
	}
	return cfg
}

func play(t testing.TB, release string, members int, until sim.Time, also ...step) *story {
	w := sim.NewWorld(&sim.Decisions{}, sim.Millisecond, 0)
	w.Add("b0", &fakeBroker{brokers: []sim.NodeID{0}, topics: []clusterTopic{{"orders", 4}}, end: 700, twoStep: true})
	d := &script{at: []step{{0, func(c *sim.Control) { c.Start(0, nil) }}}}
	for i := 0; i < members; i++ {
		cfg := testConfig(t, release, 0)
		cfg.Settings.ClientID = fmt.Sprintf("F%d", i+1)
		id := w.Add(cfg.Settings.ClientID, New(cfg))
		d.at = append(d.at, step{sim.Time(i) * 5 * sim.Second, func(c *sim.Control) { c.Start(id, nil) }})
	}
	d.at = append(d.at, also...)
	s := &story{w: w}
	w.Watch(s)
	w.Direct(d)
	for i := 0; w.Step() && w.Now() < until; i++ {
		if i > 100_000 {
			t.Fatalf("time stands still at %s:\n%s", w.Now(), strings.Join(s.lines[max(0, len(s.lines)-30):], "\n"))
		}
	}
	return s
}

func TestGroupInWorld(t *testing.T) {
	for _, release := range []string{"3.9", "2.8.0", "2.6.1", "2.4.0", "1.1.0", "0.10.2.1", "0.10.0.1"} {
		t.Run(release, func(t *testing.T) {
			s := play(t, release, 2, 30*sim.Second, step{20 * sim.Second, func(c *sim.Control) { c.Command(2, &Call{Op: OpStop}) }})
			text := strings.Join(s.lines, "\n")
			for _, want := range []string{"F1.JoinGroup#1", "F1.SyncGroup#1", "F2 assigned [orders-2 orders-3]", "F1 assigned [orders-0 orders-1]",
				"F2.LeaveGroup#1", "F1 assigned [orders-0 orders-1 orders-2 orders-3] 0 0", "F2 closed", "F1 finished [orders-0] 0 500"} {
				if release == "0.10.0.1" && strings.Contains(want, "finished") {
					want = "F1 finished [orders-0] 0 700"
				}
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
					return
				}
			}
		})
	}
}
