package metrics

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/rebalsim/rebalsim/protocol"
)

// storesTopics writes an assignment of partitions of several topics, by member; each member
// subscribes to the topics given.
func (t *tape) storesTopics(topics [][]string, lists [][]protocol.TopicPartition) {
	r := &protocol.LogRecord{Group: "g"}
	for i, list := range lists {
		n := string(rune('A' + i))
		r.Members = append(r.Members, protocol.StoredMember{ID: n + "-1", ClientID: n, Metadata: &protocol.Metadata{Topics: topics[i]},
			Assignment: (&protocol.Assignment{Partitions: list}).Freeze()})
	}
	t.note(broker, protocol.NoteAppend, 7, 0, r, 0, 0)
}

// Two members of three exchange partitions of a topic that both want, for nothing; the third
// has to give one up that it does not subscribe to any more.
func TestLeastMovesOfUnequalSubscriptions(t *testing.T) {
	p := func(topic string, n int32) protocol.TopicPartition {
		return protocol.TopicPartition{Topic: topic, Partition: n}
	}
	x := newTape(3)
	x.forms(nil, nil, nil)
	both, one := []string{"a", "b"}, []string{"a"}
	x.storesTopics([][]string{both, both, both}, [][]protocol.TopicPartition{{p("a", 0), p("a", 1)}, {p("a", 2), p("b", 0)}, {p("b", 1)}})
	x.storesTopics([][]string{both, both, one}, [][]protocol.TopicPartition{{p("a", 2), p("b", 0)}, {p("a", 0), p("b", 1)}, {p("a", 1)}})
	r := x.done(10)
	// a-0, a-1, a-2, b-0 and b-1 moved. With the same loads, a-0 could have stayed with A, and
	// a-2 with B, if b-1 goes to either of them and a partition of a comes to C for it.
	same(t, "moves", r.Total.Moves, 5)
	same(t, "forced", r.Total.Forced, 1)
	same(t, "undefined", r.LeastUndefined, false)
	same(t, "least", r.Least, 2)
}

// The least number is what trying everything finds.
func TestFewestIsFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members, partitions := rapid.IntRange(1, 3).Draw(t, "members"), rapid.IntRange(1, 6).Draw(t, "partitions")
		wants := make([]map[int32]bool, members)
		for m := range wants {
			wants[m] = map[int32]bool{0: rapid.Bool().Draw(t, "0"), 1: rapid.Bool().Draw(t, "1")}
		}
		var items []item
		loads := make([]int, members)
		for range partitions {
			x := item{topic: int32(rapid.IntRange(0, 1).Draw(t, "topic")), had: none, at: none}
			var able []int
			for m := range wants {
				if wants[m][x.topic] {
					able = append(able, m)
				}
			}
			if len(able) == 0 {
				continue
			}
			x.at = rapid.SampledFrom(able).Draw(t, "at")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				x.fresh = true
			case 1: // its owner is gone
			default:
				x.had = rapid.SampledFrom(able).Draw(t, "had")
			}
			loads[x.at]++
			items = append(items, x)
		}
		least := partitions + 1
		var try func(i int, loads []int, moves int)
		try = func(i int, loads []int, moves int) {
			if i == len(items) {
				least = min(least, moves)
				return
			}
			for m := range wants {
				if loads[m] == 0 || !wants[m][items[i].topic] {
					continue
				}
				loads[m]--
				cost := 0
				if items[i].had != m && !items[i].fresh {
					cost = 1
				}
				try(i+1, loads, moves+cost)
				loads[m]++
			}
		}
		try(0, loads, 0)
		for {
			circle := circleOf(items, wants)
			if circle == nil {
				break
			}
			gain := 0
			for _, s := range circle {
				if items[s.item].at != s.from {
					t.Fatalf("%v gives what it does not have", s)
				}
				items[s.item].at = s.to
				gain += s.gain
			}
			if gain <= 0 {
				t.Fatalf("a circle that gains %d", gain)
			}
		}
		moves := 0
		for _, x := range items {
			if x.had != x.at && !x.fresh {
				moves++
			}
		}
		if moves != least {
			t.Fatalf("%d moves, %d are the least: %+v", moves, least, items)
		}
	})
}
