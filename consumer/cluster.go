package consumer

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// instantCluster answers metadata requests at once: what a bench has in place of
// brokers. The recorded runs had one, too.
type instantCluster struct {
	brokers []sim.NodeID
	topics  []clusterTopic
	racks   []topicRacks
}

type clusterTopic struct {
	name       string
	partitions int32
}

// topicRacks are the racks in which a topic's replicas are, by partition.
type topicRacks struct {
	name  string
	racks [][]string
}

func (k *instantCluster) answer(all bool, topics []string) *protocol.MetadataAnswer {
	a := &protocol.MetadataAnswer{Brokers: k.brokers}
	if all {
		topics = nil
		for _, t := range k.topics {
			topics = append(topics, t.name)
		}
	}
	topics = slices.Clone(topics)
	slices.Sort(topics)
	for _, name := range topics {
		t := protocol.TopicMetadata{Name: name, Error: protocol.UnknownTopicOrPartition}
		for _, have := range k.topics {
			if have.name == name {
				t.Error = protocol.None
				for p := int32(0); p < have.partitions; p++ {
					t.Leaders = append(t.Leaders, k.brokers[int(p)%len(k.brokers)])
				}
			}
		}
		for _, r := range k.racks {
			if r.name == name {
				t.Racks = r.racks
			}
		}
		a.Topics = append(a.Topics, t)
	}
	return a.Freeze()
}
