package coordinator

import (
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// bench is a broker by hand, with one partition of __consumer_offsets.
func newBench(release string, image *Image) (*sim.Solo, *Broker) {
	cfg := Defaults(protocol.MustRelease(release))
	cfg.OffsetsPartitions = 1
	cfg.AppendLinger = 0
	if image == nil {
		image = &Image{Brokers: []sim.NodeID{0}, OffsetsLeaders: []sim.NodeID{0}, AnyTopic: true}
	}
	b := New(&cfg, image)
	s := sim.NewSolo("b1", b)
	s.Input(sim.Input{Kind: sim.InputStart})
	s.Acts = s.Acts[:0]
	return s, b
}

// answers empties the acts and gives the answers among them.
func answers(s *sim.Solo) (all []sim.Body) {
	for i := range s.Acts {
		if s.Acts[i].Kind == sim.ActReply {
			all = append(all, s.Acts[i].Body)
		}
	}
	s.Acts = s.Acts[:0]
	return all
}

func commit(group string, partition int32, offset int64) *protocol.OffsetCommitRequest {
	return &protocol.OffsetCommitRequest{Version: 7, Group: group, Generation: -1, Retention: -1, Offsets: []protocol.PartitionOffset{
		{TopicPartition: protocol.TopicPartition{Topic: "t", Partition: partition}, Offset: offset}}}
}

// TestLogIsCleaned: a log does not grow with what is committed over and over, and
// still holds the last offset of each partition.
func TestLogIsCleaned(t *testing.T) {
	for _, release := range []string{"0.10.0.1", "3.9", protocol.Snapshot} {
		s, b := newBench(release, nil)
		for i := range int64(30_000) {
			s.Request(0, commit("g", int32(i%100), i))
			s.Acts = s.Acts[:0]
		}
		if n := len(b.Log(0)); n < 100 || n > cleanAt {
			t.Errorf("%s: %d records are left", release, n)
		}
		if err := b.Check(); err != nil {
			t.Errorf("%s: %v", release, err)
		}
		next, _ := newBench(release, &Image{Brokers: []sim.NodeID{0}, OffsetsLeaders: []sim.NodeID{sim.Nobody}, AnyTopic: true})
		next.Input(sim.Input{Kind: sim.InputCommand, Body: &Load{Epoch: 1, Records: b.Log(0)}})
		answers(next)
		next.Request(0, &protocol.OffsetFetchRequest{Version: 7, Group: "g", All: true})
		got := answers(next)[0].(*protocol.OffsetFetchAnswer).Partitions
		if len(got) != 100 {
			t.Fatalf("%s: %d offsets after a load", release, len(got))
		}
		for i := range got {
			if want := int64(29_900 + i); got[i].Offset != want {
				t.Errorf("%s: %s is at %d, not %d", release, got[i].TopicPartition, got[i].Offset, want)
			}
		}
	}
}

// TestFetch: a Fetch waits for the next record, and no longer than it may.
func TestFetch(t *testing.T) {
	image := &Image{Brokers: []sim.NodeID{0}, OffsetsLeaders: []sim.NodeID{0},
		Topics: []Topic{{Name: "t", Leaders: []sim.NodeID{0, 0, 7}, Rate: 6}}}
	s, _ := newBench("3.9", image)
	at := func(p int32, offset int64) []protocol.PartitionOffset {
		return []protocol.PartitionOffset{{TopicPartition: protocol.TopicPartition{Topic: "t", Partition: p}, Offset: offset}}
	}
	fetched := func() *protocol.FetchAnswer {
		t.Helper()
		got := answers(s)
		if len(got) != 1 {
			t.Fatalf("%d answers at %s", len(got), s.Now())
		}
		return got[0].(*protocol.FetchAnswer)
	}

	// Six records a second in turn to three partitions: the first of partition 0 comes
	// at 1/6 s, of partition 1 at 2/6 s.
	s.Request(0, &protocol.FetchRequest{MaxWait: 500, Partitions: at(1, 0)})
	s.Advance(333 * sim.Millisecond)
	if got := answers(s); len(got) != 0 {
		t.Fatalf("answered at %s: %+v", s.Now(), got)
	}
	s.Advance(334 * sim.Millisecond)
	if a := fetched(); len(a.Partitions) != 1 || a.Partitions[0].Offset != 1 {
		t.Errorf("at 334 ms: %+v", a)
	}

	// Nothing comes in time.
	s.Request(0, &protocol.FetchRequest{MaxWait: 100, Partitions: at(1, 1)})
	s.Advance(s.Now() + 99*sim.Millisecond)
	if got := answers(s); len(got) != 0 {
		t.Fatalf("answered at %s: %+v", s.Now(), got)
	}
	s.Advance(s.Now() + sim.Millisecond)
	if a := fetched(); len(a.Partitions) != 0 {
		t.Errorf("after 100 ms: %+v", a)
	}

	// Errors are told at once, and so is what is there.
	s.Request(0, &protocol.FetchRequest{MaxWait: 100, Partitions: at(2, 0)})
	if a := fetched(); a.Partitions[0].Error != protocol.NotLeaderOrFollower {
		t.Errorf("of another leader: %+v", a)
	}
	s.Request(0, &protocol.FetchRequest{MaxWait: 100, Partitions: at(0, 99)})
	if a := fetched(); a.Partitions[0].Error != protocol.OffsetOutOfRange {
		t.Errorf("beyond the end: %+v", a)
	}
	s.Request(0, &protocol.FetchRequest{MaxWait: 100, Partitions: at(0, 0)})
	if a := fetched(); a.Partitions[0].Offset != 1 {
		t.Errorf("of what is there: %+v", a)
	}

	// A new image wakes what waits.
	s.Request(0, &protocol.FetchRequest{MaxWait: 60_000, Partitions: at(0, 1)})
	moved := *image
	moved.Topics = []Topic{{Name: "t", Leaders: []sim.NodeID{7, 0, 7}}}
	s.Input(sim.Input{Kind: sim.InputCommand, Body: &SetImage{Image: &moved}})
	s.Advance(s.Now())
	if a := fetched(); a.Partitions[0].Error != protocol.NotLeaderOrFollower {
		t.Errorf("after the leader has moved: %+v", a)
	}
}

// TestIDsAreUnique: no two brokers make the same id, and none makes one that is in a log.
func TestIDsAreUnique(t *testing.T) {
	_, first := newBench("3.9", nil)
	_, second := newBench("3.9", nil)
	first.self, second.self = 0, 1
	g := &group{}
	seen := map[string]bool{}
	for range 3 {
		for _, b := range []*Broker{first, second} {
			id := b.makeID(g, "app", "")
			if seen[id] {
				t.Errorf("%s was made twice", id)
			}
			seen[id] = true
		}
	}
	if !seen["app-1"] || !seen["app-1b"] {
		t.Errorf("ids are %v", seen)
	}
	first.idIsTaken("app", "", "app-9")
	if id := first.makeID(g, "app", ""); id != "app-10" {
		t.Errorf("after app-9 comes %s", id)
	}
}
