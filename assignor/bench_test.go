package assignor

import (
	"fmt"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
)

// The constructions of the recorded Java timings (testdata/java-timings.json).
//
// topics: topic-%05d with perTopic partitions each. Members: member-%05d, in
// that order; equal: all topics; unequal: member i has topic j unless (i+j)
// mod 5 is 0. Scenario one-left: all partitions were dealt to the members in a
// circle, and the one in the middle is gone; one-joined: the last one is new.
type construction struct {
	release, assignor, subscriptions, scenario string
	members, partitions, perTopic              int
}

func (c construction) String() string {
	return fmt.Sprintf("%s/%s/%s/%dx%d/%s", c.release, c.assignor, c.subscriptions, c.members, c.partitions, c.scenario)
}

func (c construction) input() Input {
	in := Input{Topics: make([]Topic, c.partitions/c.perTopic)}
	for j := range in.Topics {
		in.Topics[j] = Topic{Name: fmt.Sprintf("topic-%05d", j), Partitions: int32(c.perTopic)}
	}
	subscribes := func(i, j int) bool { return c.subscriptions == "equal" || (i+j)%5 != 0 }
	for i := range c.members {
		m := Member{ID: fmt.Sprintf("member-%05d", i)}
		for j, t := range in.Topics {
			if subscribes(i, j) {
				m.Topics = append(m.Topics, t.Name)
			}
		}
		in.Members = append(in.Members, m)
	}
	owners := c.members
	switch c.scenario {
	case "fresh":
		return in
	case "one-joined":
		owners--
	}
	next := 0
	for j, t := range in.Topics {
		for p := range t.Partitions {
			for !subscribes(next, j) {
				next = (next + 1) % owners
			}
			m := &in.Members[next]
			m.Owned = append(m.Owned, protocol.TopicPartition{Topic: t.Name, Partition: p})
			next = (next + 1) % owners
		}
	}
	for i := range owners {
		in.Members[i].UserDataGeneration = InGeneration(1)
		in.Members[i].SubscriptionGeneration = InGeneration(1)
	}
	if c.scenario == "one-left" {
		in.Members = append(in.Members[:c.members/2:c.members/2], in.Members[c.members/2+1:]...)
	}
	return in
}

func BenchmarkAssign(b *testing.B) {
	for _, row := range javaTimings(b) {
		b.Run(row.construction.String(), func(b *testing.B) {
			in := row.input()
			rules := rulesOf(b, row.release)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Assign(row.assignor, rules, in); err != nil {
					b.Fatal(err)
				}
			}
			ms := float64(b.Elapsed().Microseconds()) / 1000 / float64(b.N)
			b.ReportMetric(row.javaMedian, "java-ms")
			b.ReportMetric(row.javaMedian/ms, "times-faster")
		})
	}
}
