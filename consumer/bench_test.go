package consumer

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// calmBroker keeps a group of any size in peace: everyone is a follower of generation 1
// with one partition, and there is never a record.
type calmBroker struct {
	self    sim.NodeID
	topics  []clusterTopic
	joined  int32
	fetches []parkedFetch
}

func (b *calmBroker) Clone() sim.Actor   { d := *b; return &d }
func (b *calmBroker) Hash(h *sim.Hasher) { h.Int(int64(b.joined)) }
func (b *calmBroker) Step(in *sim.Input, out *sim.Out) {
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
	case *protocol.HeartbeatRequest:
		reply(protocol.AnswerHeartbeat(protocol.None))
	case *protocol.FetchRequest:
		for len(b.fetches) <= int(in.Link) {
			b.fetches = append(b.fetches, parkedFetch{})
		}
		f := &b.fetches[in.Link]
		if f.timer == 0 {
			f.timer = out.NewTimer(sim.ClassTimer, 1, int32(in.Link))
		}
		f.req = in.Req
		out.Arm(f.timer, int64(q.MaxWait))
	case *protocol.FindCoordinatorRequest:
		reply((&protocol.FindCoordinatorAnswer{Node: b.self}).Freeze())
	case *protocol.MetadataRequest:
		k := instantCluster{brokers: []sim.NodeID{b.self}, topics: b.topics}
		reply(k.answer(q.All, q.Topics))
	case *protocol.JoinGroupRequest:
		reply((&protocol.JoinGroupAnswer{Generation: 1, ProtocolType: protocol.Some("consumer"), Protocol: protocol.Some("range"), Leader: "other", Member: q.ClientID}).Freeze())
	case *protocol.SyncGroupRequest:
		a := &protocol.Assignment{Partitions: []protocol.TopicPartition{{Topic: "orders", Partition: b.joined % 100}}}
		b.joined++
		reply((&protocol.SyncGroupAnswer{Assignment: a.Freeze()}).Freeze())
	case *protocol.OffsetFetchRequest:
		a := &protocol.OffsetFetchAnswer{}
		for _, p := range q.Partitions {
			a.Partitions = append(a.Partitions, protocol.PartitionOffset{TopicPartition: p})
		}
		reply(a.Freeze())
	case *protocol.OffsetCommitRequest:
		a := &protocol.OffsetCommitAnswer{Partitions: make([]protocol.PartitionOffset, len(q.Offsets))}
		for i, o := range q.Offsets {
			a.Partitions[i].TopicPartition = o.TopicPartition
		}
		reply(a.Freeze())
	}
}

// calmGroup is a group of n consumers that have joined. maxWait is fetch.max.wait.ms.
func calmGroup(t testing.TB, n int, maxWait int64) *sim.World {
	w := sim.NewWorld(&sim.Decisions{}, sim.Millisecond, 0)
	w.Add("b0", &calmBroker{topics: []clusterTopic{{"orders", 100}}})
	d := &script{at: []step{{0, func(c *sim.Control) { c.Start(0, nil) }}}}
	cfg := *testConfig(t, "3.9", 0)
	cfg.Settings.FetchMaxWait = maxWait
	cfg.Settings.RequestTimeout = max(cfg.Settings.RequestTimeout, 2*maxWait)
	cfg.Settings.AutoCommit = false
	cfg.Program = Program{Poll: 1000}
	for i := range n {
		own := cfg
		own.Settings.ClientID = fmt.Sprintf("c%d", i)
		id := w.Add(own.Settings.ClientID, New(&own))
		d.at = append(d.at, step{sim.Time(i%3000) * sim.Millisecond, func(c *sim.Control) { c.Start(id, nil) }})
	}
	w.Watch(sim.NewTraceHash(w))
	w.Direct(d)
	w.Run(10 * sim.Second)
	return w
}

// BenchmarkCalmHour is one virtual hour of 10,000 consumers in a calm group, fully
// hashed. A fetch that finds nothing comes back after an hour, so that what is measured
// are heartbeats, polls and their waits.
func BenchmarkCalmHour(b *testing.B) {
	for range b.N {
		w := calmGroup(b, 10_000, 3_600_000)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		steps := w.Steps()
		b.ResetTimer()
		w.Run(w.Now() + sim.Hour)
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&after)
		n := float64(w.Steps() - steps)
		b.ReportMetric(n, "events")
		b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Mev/s")
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/n, "allocs/event")
		b.ReportMetric(float64(before.HeapAlloc)/1e6, "MB-before")
		b.ReportMetric(float64(after.HeapAlloc)/1e6, "MB-after")
		runtime.KeepAlive(w)
	}
}

// BenchmarkFetching is the same for a minute, with Kafka's 500 ms for a fetch.
func BenchmarkFetching(b *testing.B) {
	for range b.N {
		w := calmGroup(b, 10_000, 500)
		steps := w.Steps()
		b.ResetTimer()
		w.Run(w.Now() + sim.Minute)
		b.StopTimer()
		n := float64(w.Steps() - steps)
		b.ReportMetric(n, "events")
		b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Mev/s")
	}
}

// A heartbeat, its answer and the polls between allocate nothing.
func TestHeartbeatAllocatesNothing(t *testing.T) {
	w := calmGroup(t, 20, 3_600_000)
	if n := testing.AllocsPerRun(20, func() { w.Run(w.Now() + 3*sim.Second) }); n > 0 {
		t.Errorf("20 consumers in 3 s: %.1f allocations", n)
	}
}
