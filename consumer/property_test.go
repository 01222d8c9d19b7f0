package consumer

import (
	"fmt"
	"os"
	"testing"

	"github.com/rebalsim/rebalsim/sim"
)

// rough is a group in a rough world: latencies and ties are drawn, connections break and
// the coordinator goes away and comes back, members come, stop and are killed.
//
// It gives what happened at each node, in that node's order. Between nodes the order within one
// microsecond is that in which timers were set, which is another one if every tick is set.
func rough(t testing.TB, seed uint64, release string, everyTick, recopy bool) (*nodeTraces, uint64) {
	w := sim.NewWorld(&sim.Decisions{Seed: seed}, 700, 2500)
	brokers := []sim.NodeID{0, 1}
	for i := range brokers {
		w.Add(fmt.Sprintf("b%d", i), &fakeBroker{brokers: brokers, topics: []clusterTopic{{"orders", 6}}, end: 3000, twoStep: seed%2 == 0})
	}
	var members []sim.NodeID
	for i := range 3 {
		cfg := testConfig(t, release, brokers...)
		cfg.Settings.ClientID = fmt.Sprintf("F%d", i+1)
		cfg.Settings.MaxPollInterval = 6000
		if seed%7 < 4 { // sessions end at the client, and answers are given up
			cfg.Settings.SessionTimeout, cfg.Settings.RequestTimeout = 5000, 2000
			if cfg.Rules.ChecksRequestTimeout {
				cfg.Settings.RequestTimeout = 5500
			}
		}
		if seed%4 == 1 {
			cfg.Settings.MetadataMaxAge = 1700
		}
		switch seed % 11 {
		case 1:
			cfg.Habits = Habits{BeatsInPoll: true}
		case 2:
			cfg.Habits = Habits{BeatsWhenStable: true, ForgetsMemberID: true, RejoinsAfter: 30}
		case 3:
			cfg.Habits = Habits{SessionJoinsAnew: true, ReadTimeout: 1200}
		case 4:
			cfg.Habits = Habits{StaysOut: true, IgnoresMetadata: true, StaysOnClose: true, JoinVersions: 1}
		}
		if err := cfg.Check(); err != nil {
			t.Fatal(err)
		}
		cfg.Settings.AutoCommit = seed%3 == 0
		cfg.Program.Commit = CommitStyle(seed % 4)
		cfg.Program.BatchMin, cfg.Program.BatchMax = 50, 2000+int64(seed%5)*1500
		cfg.Program.AfterThrow = ThrowGoesOn
		cfg.EveryTick = everyTick
		if seed%5 == 0 && cfg.Rules.Cooperative {
			cfg.Settings.Strategy = []string{"cooperative-sticky"}
		}
		members = append(members, w.Add(cfg.Settings.ClientID, New(cfg)))
	}
	at := func(ms int, do func(c *sim.Control)) step { return step{sim.Time(ms) * sim.Millisecond, do} }
	s := seed
	w.Direct(&script{at: []step{
		at(0, func(c *sim.Control) { c.Start(0, nil); c.Start(1, nil); c.Start(members[0], nil) }),
		at(int(700+s%900), func(c *sim.Control) { c.Start(members[1], nil); c.Start(members[2], nil) }),
		at(int(4000+s%3000), func(c *sim.Control) { c.Disconnect(members[s%3], 0) }),
		at(int(9000+s%3700), func(c *sim.Control) { c.Command(members[(s+1)%3], &Call{Op: OpWakeup}) }),
		at(int(11000+s%4100), func(c *sim.Control) { c.Crash(members[(s+2)%3]) }),
		at(int(15000+s%2900), func(c *sim.Control) { c.Cut(members[s%3], 0); c.Cut(0, members[s%3]) }),
		at(int(19000+s%5300+s%3*1500), func(c *sim.Control) { c.Heal(members[s%3], 0); c.Heal(0, members[s%3]) }),
		at(int(23000+s%3100), func(c *sim.Control) { c.Crash(0) }),
		at(int(26000+s%1900), func(c *sim.Control) { c.Start(0, nil); c.Start(members[(s+2)%3], nil) }),
		at(int(33000+s%2300), func(c *sim.Control) { c.Command(members[(s+1)%3], &Call{Op: OpStop}) }),
	}})
	h := &nodeTraces{end: 60 * sim.Second}
	for range w.Nodes() {
		h.nodes = append(h.nodes, sim.NewTraceHash(w))
	}
	w.Watch(h)
	for i := 0; w.Step() && w.Now() < h.end; i++ {
		if i > 400_000 {
			t.Fatalf("seed %d on %s: time stands still at %s", seed, release, w.Now())
		}
		if recopy {
			for _, id := range members {
				w.Recopy(id)
			}
		}
	}
	return h, h.facts
}

// nodeTraces hashes the trace of each node.
type nodeTraces struct {
	nodes []*sim.TraceHash
	end   sim.Time
	facts uint64
}

func (n *nodeTraces) Observe(r *sim.Rec) {
	if r.Node >= 0 && r.At < n.end {
		n.nodes[r.Node].Observe(r)
		n.facts++
	}
}

func (n *nodeTraces) equal(m *nodeTraces) bool {
	for i := range n.nodes {
		if n.nodes[i].Sum() != m.nodes[i].Sum() {
			return false
		}
	}
	return n.facts == m.facts
}

// The computed idle gives the same trace as playing every tick of the heartbeat thread.
func TestComputedIdle(t *testing.T) {
	releases := []string{"3.9", "2.8.0", "2.8.2", "2.6.1", "2.4.1", "2.0.1", "1.1.1", "0.11.0.1", "0.10.2.2", "0.10.0.1"}
	seeds := uint64(250)
	if os.Getenv("REBALSIM_ALL") != "" {
		seeds = 1000
	}
	var facts uint64
	for seed := uint64(1); seed <= seeds; seed++ {
		release := releases[seed%uint64(len(releases))]
		computed, n := rough(t, seed, release, false, false)
		played, m := rough(t, seed, release, true, false)
		if !computed.equal(played) {
			t.Errorf("seed %d on %s: the traces differ (%d and %d facts)", seed, release, n, m)
		}
		facts += n
	}
	t.Logf("%d facts in %d runs", facts, seeds)
}

// A copy goes on as the consumer would have, in rough worlds, too.
func TestCloneInRoughWorlds(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		release := []string{"3.9", "2.8.0", "0.10.0.1"}[seed%3]
		a, n := rough(t, seed, release, false, false)
		b, m := rough(t, seed, release, false, true)
		if !a.equal(b) {
			t.Errorf("seed %d on %s: the traces differ (%d facts, with copies %d)", seed, release, n, m)
		}
	}
}
