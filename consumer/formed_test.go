package consumer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// formedWorld has one broker and a member that waits for an answer that is lost.
func formedWorld(t testing.TB, release string, inFlight uint8) (*sim.World, *story) {
	w := sim.NewWorld(&sim.Decisions{}, sim.Millisecond, 0)
	b := &fakeBroker{brokers: []sim.NodeID{0}, topics: []clusterTopic{{"orders", 4}}, generation: 2, state: protocol.Stable, leader: "F1-1",
		members: []fakeMember{{id: "F1-1"}}}
	w.Add("b0", b)
	cfg := testConfig(t, release, 0)
	cfg.Settings.ClientID = "F1"
	gen := int32(2)
	if inFlight == protocol.KindJoinGroup {
		gen = 1
	}
	cfg.Formed = &Formed{Coordinator: 0, Member: "F1-1", Generation: gen, Protocol: "range", Leader: true, InFlight: inFlight,
		Owned: []protocol.PartitionOffset{{TopicPartition: protocol.TopicPartition{Topic: "orders"}, Offset: 10}}, GroupTopics: []string{"orders"}}
	if err := cfg.Check(); err != nil {
		t.Fatal(err)
	}
	id := w.Add("F1", New(cfg))
	s := &story{w: w}
	w.Watch(s)
	w.Direct(&script{at: []step{
		{0, func(c *sim.Control) { c.Start(0, nil); c.Start(id, nil) }},
		{2 * sim.Millisecond, func(c *sim.Control) {
			if inFlight != 0 {
				c.Disconnect(id, 0)
			}
		}},
	}})
	return w, s
}

func TestFormed(t *testing.T) {
	for _, release := range []string{"3.9", "3.3.2", "2.8.1", "2.6.1", "2.4.0", "0.10.2.1", "0.10.0.1"} {
		for _, kind := range []uint8{0, protocol.KindJoinGroup, protocol.KindSyncGroup} {
			t.Run(release+"/"+protocol.KindName(kind), func(t *testing.T) {
				w, s := formedWorld(t, release, kind)
				for i := 0; w.Step() && w.Now() < 4*sim.Second; i++ {
					if i > 100_000 {
						t.Fatal("time stands still")
					}
				}
				text := strings.Join(s.lines, "\n")
				if testing.Verbose() {
					fmt.Println(text)
				}
				if kind == 0 {
					if strings.Contains(text, "JoinGroup") || !strings.Contains(text, "3.000 F1.Heartbeat#1") {
						t.Errorf("a formed member joins, or is silent:\n%s", text)
					}
					return
				}
				if release == "0.10.2.1" && kind == protocol.KindSyncGroup { // KAFKA-5154
					if strings.Contains(text, "F1.JoinGroup#1") {
						t.Errorf("it joins again, which this release did not:\n%s", text)
					}
					return
				}
				if strings.Contains(text, "revoked") && strings.Index(text, "revoked") < strings.Index(text, "JoinGroup#1") {
					t.Errorf("the listener is called twice:\n%s", text)
				}
				if !strings.Contains(text, "F1.FindCoordinator#1") || !strings.Contains(text, "F1.JoinGroup#1 (") || !strings.Contains(text, " F1-1 ") {
					t.Errorf("it does not ask again:\n%s", text)
				}
			})
		}
	}
}

// A consumer's copy goes on as the consumer would: a trace in which the node is
// replaced by its copy at every event has the same bytes.
func TestCloneChangesNothing(t *testing.T) {
	run := func(recopy bool) (uint64, uint64) {
		w, s := formedWorld(t, "3.9", protocol.KindJoinGroup)
		h := sim.NewTraceHash(w)
		w.Watch(h)
		for w.Step() && w.Now() < 20*sim.Second {
			if recopy {
				w.Recopy(0)
				w.Recopy(1)
			}
		}
		_ = s
		return h.Sum(), h.Events
	}
	a, n := run(false)
	b, m := run(true)
	if a != b || n != m {
		t.Errorf("trace %x of %d facts; with copies %x of %d", a, n, b, m)
	}
}

// A program that processes for longer than max.poll.interval.ms is taken out of the group
// by its own heartbeat thread, and joins again when it comes back.
func TestSlowProgram(t *testing.T) {
	w := sim.NewWorld(&sim.Decisions{}, sim.Millisecond, 0)
	w.Add("b0", &fakeBroker{brokers: []sim.NodeID{0}, topics: []clusterTopic{{"orders", 4}}, end: 700})
	cfg := testConfig(t, "3.9", 0)
	cfg.Settings.ClientID = "F1"
	cfg.Settings.MaxPollInterval = 5000
	cfg.Program.BatchMin, cfg.Program.BatchMax = 8000, 8000
	id := w.Add("F1", New(cfg))
	s := &story{w: w}
	w.Watch(s)
	w.Direct(&script{at: []step{{0, func(c *sim.Control) { c.Start(0, nil); c.Start(id, nil) }}}})
	w.Run(12 * sim.Second)
	text := strings.Join(s.lines, "\n")
	for _, want := range []string{"5.104 F1.LeaveGroup#1 (poll-timeout)", "F1 lost [orders-0", "F1.JoinGroup#2 (poll-timeout)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
