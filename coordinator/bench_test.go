package coordinator

import (
	"fmt"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// table is a coordinator with a group of n members that is Stable, called directly:
// no engine, no trace. It is what Java's figures were taken from, too.
type table struct {
	solo   *sim.Solo
	broker *Broker
	ids    []string
	joins  []*protocol.JoinGroupRequest
	beats  []*protocol.HeartbeatRequest
	syncs  []*protocol.SyncGroupRequest
	gen    int32
}

func newTable(tb testing.TB, release string, n int) *table {
	cfg := Defaults(protocol.MustRelease(release))
	cfg.OffsetsPartitions = 1
	cfg.AppendLinger = 0
	b := New(&cfg, &Image{Brokers: []sim.NodeID{0}, OffsetsLeaders: []sim.NodeID{0}})
	t := &table{solo: sim.NewSolo("b1", b), broker: b}
	t.solo.Input(sim.Input{Kind: sim.InputStart})
	md := (&protocol.Metadata{Topics: []string{"t1"}, Generation: -1}).Freeze()
	protocols := []protocol.GroupProtocol{{Name: "range", Metadata: md}, {Name: "roundrobin", Metadata: md}}
	part := (&protocol.Assignment{Raw: protocol.Some(string(make([]byte, 100)))}).Freeze()
	form := &Form{Group: "g", State: protocol.Stable, Generation: 1, Protocol: "range"}
	for i := range n {
		id := fmt.Sprintf("consumer-%d-1", i)
		t.ids = append(t.ids, id)
		form.Members = append(form.Members, FormedMember{ID: id, ClientID: fmt.Sprintf("consumer-%d", i),
			SessionTimeout: 45_000, RebalanceTimeout: 300_000, Protocols: protocols, Assignment: part})
	}
	form.Leader = t.ids[0]
	t.solo.Input(sim.Input{Kind: sim.InputCommand, Body: form})
	t.gen = 1
	var all []protocol.MemberAssignment
	for _, id := range t.ids {
		all = append(all, protocol.MemberAssignment{Member: id, Assignment: part})
	}
	for i, id := range t.ids {
		t.joins = append(t.joins, (&protocol.JoinGroupRequest{Version: 9, Group: "g", Member: id, SessionTimeout: 45_000,
			RebalanceTimeout: 300_000, ProtocolType: "consumer", Protocols: protocols}).Freeze())
		t.beats = append(t.beats, &protocol.HeartbeatRequest{Group: "g", Generation: 1, Member: id})
		s := &protocol.SyncGroupRequest{Group: "g", Version: 5, Member: id, ProtocolType: protocol.Some("consumer"), Protocol: protocol.Some("range")}
		if i == 0 {
			s.Assignments = all
		}
		t.syncs = append(t.syncs, s)
	}
	t.solo.Acts = t.solo.Acts[:0]
	return t
}

// read looks at every answer and makes room for the next ones.
func (t *table) read() (answers int) {
	for i := range t.solo.Acts {
		if a := &t.solo.Acts[i]; a.Kind == sim.ActReply && a.Body != nil {
			answers++
		}
	}
	t.solo.Acts = t.solo.Acts[:0]
	return answers
}

// round lets all members ask again, the leader first, then all sync, the leader first.
func (t *table) round(tb testing.TB) {
	answers := 0
	for _, r := range t.joins {
		t.solo.Request(0, r)
		answers += t.read()
	}
	t.gen++
	for _, r := range t.syncs {
		r.Generation = t.gen
		t.solo.Request(0, r)
		answers += t.read()
	}
	if g := t.broker.groups[0]; answers != 2*len(t.ids) || g.state != protocol.Stable || g.generation != t.gen {
		tb.Fatalf("%d answers to %d requests, %s, generation %d", answers, 2*len(t.ids), g.state, g.generation)
	}
	// A coordinator's log is not cut in a run of the engine's length; here it would
	// be millions of records.
	p := &t.broker.parts[0]
	p.log, p.base = p.log[:0], p.end
}

func BenchmarkJoinSync(b *testing.B) {
	for _, release := range []string{"3.9", protocol.Snapshot} {
		for _, n := range []int{100, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", release, n), func(b *testing.B) {
				t := newTable(b, release, n)
				t.round(b)
				b.ReportAllocs()
				requests := 0
				for b.Loop() {
					t.round(b)
					requests += 2 * n
				}
				b.ReportMetric(float64(requests)/b.Elapsed().Seconds(), "requests/s")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(requests), "ns/request")
			})
		}
	}
}

func BenchmarkHeartbeat(b *testing.B) {
	for _, release := range []string{"3.9", protocol.Snapshot} {
		for _, n := range []int{100, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", release, n), func(b *testing.B) {
				t := newTable(b, release, n)
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					t.solo.Request(0, t.beats[i])
					t.read()
					if i++; i == n {
						i = 0
						t.solo.Skip(t.solo.Now() + sim.Millisecond)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "heartbeats/s")
			})
		}
	}
}

// TestHeartbeatAllocates: answering a heartbeat makes nothing.
func TestHeartbeatAllocates(t *testing.T) {
	for _, release := range []string{"0.10.0.1", "3.9", protocol.Snapshot} {
		x := newTable(t, release, 100)
		i := 0
		if n := testing.AllocsPerRun(1000, func() {
			x.solo.Request(0, x.beats[i%100])
			x.solo.Acts = x.solo.Acts[:0]
			i++
		}); n != 0 {
			t.Errorf("%s: %v allocations for a heartbeat", release, n)
		}
	}
}
