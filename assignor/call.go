package assignor

import (
	"encoding/json"
	"fmt"

	"github.com/rebalsim/rebalsim/protocol"
)

// call is one call of an assignor in the form of the recorded vectors (see
// Batch).
type call struct {
	Topics  []topicCount           `json:"topics"`
	Racks   map[string][][]*string `json:"racks"`
	MTopics *[]string              `json:"mtopics"` // every member's topics
	Members []callMember           `json:"members"`
}

type callMember struct {
	ID       string        `json:"id"`
	Instance string        `json:"inst"`
	Rack     *string       `json:"rack"`
	Topics   []string      `json:"topics"`
	Owned    partitionRuns `json:"owned"`
	Gen      *int32        `json:"gen"`
	SGen     *int32        `json:"sgen"`
	UGen     *int32        `json:"ugen"`
}

// topicCount is ["orders",5].
type topicCount struct {
	Name       string
	Partitions int32
}

func (t *topicCount) UnmarshalJSON(b []byte) error {
	pair := [2]any{&t.Name, &t.Partitions}
	list := pair[:]
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list) != 2 {
		return fmt.Errorf(`%s: a topic is ["name",partitions]`, b)
	}
	return nil
}

// partitionRuns is a list of partitions as [["t0",0,1],["t1",4],["t0",2]].
type partitionRuns []protocol.TopicPartition

func (l *partitionRuns) UnmarshalJSON(b []byte) error {
	var runs [][]json.RawMessage
	if err := json.Unmarshal(b, &runs); err != nil {
		return err
	}
	*l = make(partitionRuns, 0, len(runs))
	for _, run := range runs {
		if len(run) == 0 {
			return fmt.Errorf("a run of partitions needs a topic")
		}
		var topic string
		if err := json.Unmarshal(run[0], &topic); err != nil {
			return err
		}
		for _, number := range run[1:] {
			var n int32
			if err := json.Unmarshal(number, &n); err != nil {
				return err
			}
			if n < 0 {
				return fmt.Errorf("%s has no partition %d", topic, n)
			}
			*l = append(*l, protocol.TopicPartition{Topic: topic, Partition: n})
		}
	}
	return nil
}

// appendRuns writes a list of partitions in that form.
func appendRuns(b []byte, list []protocol.TopicPartition) []byte {
	b = append(b, '[')
	for i, p := range list {
		if i == 0 || p.Topic != list[i-1].Topic {
			if i > 0 {
				b = append(b, "],"...)
			}
			b = append(b, '[')
			b = appendString(b, p.Topic)
		}
		b = append(b, ',')
		b = fmt.Appendf(b, "%d", p.Partition)
	}
	if len(list) > 0 {
		b = append(b, ']')
	}
	return append(b, ']')
}

func appendString(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil { // a string always marshals
		return append(b, `""`...)
	}
	return append(b, quoted...)
}

// input is what the leader knows in the call.
func (c *call) input(assignor string) (Input, error) {
	in := Input{Topics: make([]Topic, len(c.Topics)), Members: make([]Member, len(c.Members))}
	withRacks := 0
	for i, t := range c.Topics {
		in.Topics[i] = Topic{Name: t.Name, Partitions: t.Partitions}
		racks, ok := c.Racks[t.Name]
		if !ok {
			continue
		}
		withRacks++
		in.Topics[i].Racks = make([][]string, len(racks))
		for p, replicas := range racks {
			for _, rack := range replicas {
				if rack != nil {
					in.Topics[i].Racks[p] = append(in.Topics[i].Racks[p], *rack)
				}
			}
		}
	}
	if withRacks < len(c.Racks) {
		return Input{}, fmt.Errorf("racks are given for a topic that is not in topics")
	}
	for i := range c.Members {
		in.Members[i] = c.Members[i].member(assignor)
		if c.MTopics != nil {
			in.Members[i].Topics = *c.MTopics
		}
	}
	return in, nil
}

func (m *callMember) member(assignor string) Member {
	out := Member{ID: m.ID, InstanceID: m.Instance, Topics: m.Topics, Owned: m.Owned}
	if m.Rack != nil {
		out.Rack = *m.Rack
	}
	out.UserDataGeneration = generation(m.Gen)
	if assignor == CooperativeSticky && m.UGen != nil {
		out.UserDataGeneration = generation(m.UGen)
	}
	out.SubscriptionGeneration = generation(m.SGen)
	return out
}

func generation(n *int32) Generation {
	if n == nil {
		return Generation{}
	}
	return InGeneration(*n)
}
