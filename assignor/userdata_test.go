package assignor

import (
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/rebalsim/rebalsim/internal/vectors"
	"github.com/rebalsim/rebalsim/protocol"
)

// encodeUserData writes what a sticky member sends.
func encodeUserData(list []protocol.TopicPartition, g Generation) []byte {
	list = GroupByTopic(list)
	topics := 0
	var body []byte
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n].Topic == list[i].Topic {
			n++
		}
		body = binary.BigEndian.AppendUint16(body, uint16(len(list[i].Topic)))
		body = append(body, list[i].Topic...)
		body = binary.BigEndian.AppendUint32(body, uint32(n))
		for _, p := range list[i : i+n] {
			body = binary.BigEndian.AppendUint32(body, uint32(p.Partition))
		}
		topics, i = topics+1, i+n
	}
	raw := append(binary.BigEndian.AppendUint32(nil, uint32(topics)), body...)
	if g.Known {
		raw = binary.BigEndian.AppendUint32(raw, uint32(g.Number))
	}
	return raw
}

// TestUserDataOrder encodes what each recorded sticky member held and compares
// what the leader reads with what Java's leader read.
func TestUserDataOrder(t *testing.T) {
	files, err := filepath.Glob("testdata/sticky-*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	members, regrouped := 0, 0
	type call struct {
		Members []struct {
			Owned, Held partitionRuns
			Gen         *int32
			UD          string
		}
	}
	check := func(line []byte, c *call) {
		for _, m := range c.Members {
			if m.UD == "bad" || m.UD == "none" {
				continue
			}
			held := m.Held // absent if it is what the leader read
			if held == nil {
				held = m.Owned
			}
			if held == nil {
				continue
			}
			members++
			if !slices.Equal(held, m.Owned) {
				regrouped++
			}
			owned, g := DecodeUserData(encodeUserData(held, generation(m.Gen)))
			if !slices.Equal(owned, m.Owned) || g != generation(m.Gen) {
				t.Errorf("%.80s: %s read as %s %v, want %s", line, show(held), show(owned), g, show(m.Owned))
			}
		}
	}
	for _, file := range files {
		for _, line := range vectors.Lines(t, file) {
			var v struct {
				call
				Steps []call
			}
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			check(line, &v.call)
			for i := range v.Steps {
				check(line, &v.Steps[i])
			}
		}
	}
	t.Logf("%d members, %d of them read in another order than they held", members, regrouped)
	if regrouped == 0 {
		t.Error("no member's order changes: the test tests nothing")
	}
}

func TestUserDataThatCannotBeRead(t *testing.T) {
	whole := encodeUserData(parts(t, "t0-0,1 t1-4"), InGeneration(7))
	for n := range len(whole) {
		owned, g := DecodeUserData(whole[:n])
		switch {
		case n == 0:
			if owned != nil || g.Known {
				t.Errorf("nothing read as %s, %v", show(owned), g)
			}
		case n >= len(whole)-4: // the older form, without a generation
			if show(owned) != "t0-0,1 t1-4" || g.Known {
				t.Errorf("%d bytes read as %s, %v", n, show(owned), g)
			}
		default:
			if owned != nil || g != InGeneration(-1) {
				t.Errorf("%d bytes read as %s, %v", n, show(owned), g)
			}
		}
	}
	if owned, g := DecodeUserData(append(whole, 1, 2, 3)); show(owned) != "t0-0,1 t1-4" || g != InGeneration(7) {
		t.Errorf("bytes behind the end: read as %s, %v", show(owned), g)
	}
	for _, hostile := range []string{"\xff\xff\xff\xff", "\x7f\xff\xff\xff", "\x00\x00\x00\x01\xff\xff\x00\x00", "\x00\x00\x00\x01\x00\x01a\x7f\xff\xff\xff"} {
		if owned, g := DecodeUserData([]byte(hostile)); owned != nil || g != InGeneration(-1) {
			t.Errorf("%q read as %s, %v", hostile, show(owned), g)
		}
	}
}

// What a leader's assignor reads of a subscription.
func TestNewMember(t *testing.T) {
	owned := parts(t, "t1-0 t0-1,2")
	whole := encodeUserData(parts(t, "t0-7"), InGeneration(9))
	for _, c := range []struct {
		name, assignor string
		sub            protocol.Metadata
		want           Member
	}{
		{"sticky reads its user data, not the field", Sticky,
			protocol.Metadata{Version: 1, Owned: parts(t, "t9-9"), UserData: protocol.UserData{Kind: protocol.UserDataSticky, Partitions: owned, Generation: 4}},
			Member{Owned: owned, UserDataGeneration: InGeneration(4)}},
		{"user data of before 2.3", Sticky,
			protocol.Metadata{UserData: protocol.UserData{Kind: protocol.UserDataStickyV0, Partitions: owned}},
			Member{Owned: owned}},
		{"user data as bytes", Sticky,
			protocol.Metadata{UserData: protocol.UserData{Kind: protocol.UserDataRaw, Raw: string(whole)}},
			Member{Owned: parts(t, "t0-7"), UserDataGeneration: InGeneration(9)}},
		{"bytes that are none", Sticky,
			protocol.Metadata{UserData: protocol.UserData{Kind: protocol.UserDataRaw, Raw: "?"}},
			Member{UserDataGeneration: InGeneration(-1)}},
		{"no user data", Sticky, protocol.Metadata{}, Member{}},
		{"cooperative reads the field, and the generation of both", CooperativeSticky,
			protocol.Metadata{Version: 3, Owned: owned, Generation: 6, Rack: protocol.Some("r"), UserData: protocol.UserData{Kind: protocol.UserDataGeneration, Generation: 5}},
			Member{Owned: owned, Rack: "r", UserDataGeneration: InGeneration(5), SubscriptionGeneration: InGeneration(6)}},
		{"an older version has neither generation nor rack", CooperativeSticky,
			protocol.Metadata{Version: 1, Owned: owned, Generation: 6, Rack: protocol.Some("r")},
			Member{Owned: owned}},
		{"the oldest has no owned partitions", CooperativeSticky, protocol.Metadata{Owned: owned}, Member{}},
		{"an unknown generation is none", CooperativeSticky, protocol.Metadata{Version: 3, Generation: -1}, Member{}},
		{"too few bytes for a generation", CooperativeSticky,
			protocol.Metadata{Version: 1, UserData: protocol.UserData{Kind: protocol.UserDataRaw, Raw: "abc"}},
			Member{UserDataGeneration: InGeneration(-1)}},
		{"range looks at nothing of it", Range,
			protocol.Metadata{Version: 3, Owned: owned, Generation: -1, UserData: protocol.UserData{Kind: protocol.UserDataSticky, Partitions: owned}},
			Member{}},
	} {
		got := NewMember(c.assignor, "id", "inst", &c.sub)
		c.want.ID, c.want.InstanceID = "id", "inst"
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
