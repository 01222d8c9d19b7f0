package consumer

import (
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// circleBroker makes whoever joins the leader of a group whose members claim what the
// sticky assignor of 3.0.0 never sorts out.
type circleBroker struct {
	after   int // requests after the answer to JoinGroup, other than lookups
	joined  bool
	members []protocol.JoinedMember
}

func (b *circleBroker) Clone() sim.Actor   { c := *b; return &c }
func (b *circleBroker) Hash(h *sim.Hasher) { h.Int(int64(b.after)) }
func (b *circleBroker) Step(in *sim.Input, out *sim.Out) {
	if in.Kind != sim.InputRequest {
		return
	}
	switch in.Msg.Body.(type) {
	case *protocol.FindCoordinatorRequest:
		out.Reply(in.Req, (&protocol.FindCoordinatorAnswer{Node: out.Self()}).Freeze(), 0, 0)
	case *protocol.MetadataRequest:
		a := &protocol.MetadataAnswer{Brokers: []sim.NodeID{out.Self()}}
		for _, t := range []protocol.TopicMetadata{{Name: "s0", Leaders: make([]sim.NodeID, 5)}, {Name: "s1", Leaders: make([]sim.NodeID, 15)}} {
			a.Topics = append(a.Topics, t)
		}
		out.Reply(in.Req, a.Freeze(), 0, 0)
	case *protocol.JoinGroupRequest:
		b.joined = true
		out.Reply(in.Req, (&protocol.JoinGroupAnswer{Generation: 6, Protocol: protocol.Some("sticky"), ProtocolType: protocol.Some("consumer"),
			Leader: "mt0", Member: "mt0", Members: b.members}).Freeze(), 0, 0)
	default:
		if b.joined {
			b.after++
		}
	}
}

func claims(id string, topics []string, generation int32, s0, s1 []int32) protocol.JoinedMember {
	var list []protocol.TopicPartition
	for _, p := range s0 {
		list = append(list, protocol.TopicPartition{Topic: "s0", Partition: p})
	}
	for _, p := range s1 {
		list = append(list, protocol.TopicPartition{Topic: "s1", Partition: p})
	}
	return protocol.JoinedMember{ID: id, Metadata: (&protocol.Metadata{Version: 1, Topics: topics, Generation: -1,
		UserData: protocol.UserData{Kind: protocol.UserDataSticky, Partitions: list, Generation: generation}}).Freeze()}
}

// hangs watches for the rule by which the leader hangs.
type hangs struct{ seen int }

func (h *hangs) Observe(r *sim.Rec) {
	if protocol.Rule(r.Why) == protocol.RuleAssignorHangs {
		h.seen++
	}
}

func TestLeaderHangsWithItsAssignor(t *testing.T) {
	release := protocol.MustRelease("3.0.0")
	cfg := &Config{Rules: protocol.ClientRulesOf(release), Assignor: protocol.AssignorRulesOf(release), Versions: release.Versions(),
		Group: "g", Brokers: []sim.NodeID{0}, Subscription: Subscription{Topics: []string{"s0", "s1"}}, Program: Program{Poll: 100}}
	cfg.Settings = SettingsOf(&cfg.Rules)
	cfg.Settings.Strategy = []string{"sticky"}
	w := sim.NewWorld(&sim.Decisions{}, sim.Millisecond, 0)
	both := []string{"s0", "s1"}
	b := &circleBroker{members: []protocol.JoinedMember{
		claims("mt0", []string{"s1"}, 5, nil, []int32{5, 14, 6, 13, 7, 1, 3, 12, 2, 8, 11, 4, 0, 9}),
		claims("mf1", both, 4, []int32{0, 2, 4}, []int32{1, 5, 6, 7, 9, 11}),
		claims("mn2", []string{"s0"}, 5, []int32{0, 2, 3, 4}, nil),
		claims("mo3", both, 4, []int32{1, 4}, []int32{6, 14, 12, 8, 2, 10, 9, 7, 4, 1}),
	}}
	w.Add("b1", b)
	w.Add("mt0", New(cfg))
	watch := &hangs{}
	w.Watch(watch)
	c := sim.NewControl(w)
	c.Start(0, nil)
	c.Start(1, nil)
	w.Run(10 * sim.Minute)
	if !b.joined || watch.seen != 1 || b.after != 0 {
		t.Errorf("joined %v, hung %d times, then %d requests: it should hang once and send nothing", b.joined, watch.seen, b.after)
	}
}
