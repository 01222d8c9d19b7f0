package protocol

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// drawMetadata draws from so few values that equal pairs are common.
func drawMetadata(t *rapid.T, version int16) *Metadata {
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 2)
	partitions := func(label string) []TopicPartition {
		var list []TopicPartition
		for _, topic := range []string{"a", "b"} { // grouped, as it is written
			for _, p := range rapid.SliceOfN(rapid.Int32Range(0, 1), 0, 2).Draw(t, label+topic) {
				list = append(list, TopicPartition{topic, p})
			}
		}
		return list
	}
	m := &Metadata{Version: version, Topics: names.Draw(t, "topics"), Generation: -1}
	if version >= 1 {
		m.Owned = partitions("owned")
	}
	if version >= 2 {
		m.Generation = rapid.Int32Range(-1, 1).Draw(t, "generation")
	}
	if version >= 3 && rapid.Bool().Draw(t, "has rack") {
		m.Rack = Some(rapid.SampledFrom([]string{"", "r"}).Draw(t, "rack"))
	}
	m.UserData.Kind = rapid.SampledFrom([]UserDataKind{UserDataNone, UserDataSticky, UserDataGeneration}).Draw(t, "user data")
	switch m.UserData.Kind {
	case UserDataSticky:
		m.UserData.Partitions = partitions("previous")
		fallthrough
	case UserDataGeneration:
		m.UserData.Generation = rapid.Int32Range(0, 1).Draw(t, "user generation")
	}
	return m.Freeze()
}

// near is a with at most one part taken from other.
func near(t *rapid.T, a, other *Metadata) *Metadata {
	b := *a
	b.sum = 0
	switch rapid.IntRange(0, 5).Draw(t, "part") {
	case 0:
		b.Topics = other.Topics
	case 1:
		b.UserData = other.UserData
	case 2:
		b.Owned = other.Owned
	case 3:
		b.Generation = other.Generation
	case 4:
		b.Rack = other.Rack
	}
	return b.Freeze()
}

// A coordinator compares the bytes that members send. Here it compares values.
func TestMetadataIsEqualExactlyIfItsBytesAre(t *testing.T) {
	for version := int16(0); version <= 3; version++ {
		var equal, different int
		rapid.Check(t, func(t *rapid.T) {
			a := drawMetadata(t, version)
			b := near(t, a, drawMetadata(t, version))
			same := bytes.Equal(a.Encode(), b.Encode())
			if a.Equal(b) != same {
				t.Fatalf("Equal is %v, the bytes say %v:\n%+v\n%+v", !same, same, a, b)
			}
			if same && a.Sum() != b.Sum() {
				t.Fatalf("equal, with different sums: %+v", a)
			}
			if same {
				equal++
			} else {
				different++
			}
		})
		if equal == 0 || different == 0 {
			t.Errorf("version %d: %d equal pairs, %d different ones: it tested nothing", version, equal, different)
		}
	}
}
