package coordinator

import (
	"slices"
)

// learnTopics notes what the group's members subscribe to, as far as it is known.
func (g *group) learnTopics() {
	g.knowsTopic, g.topics = false, nil
	if g.typ != "consumer" || g.members.n > 0 && g.protocol == "" {
		return
	}
	g.knowsTopic = true
	for i := g.members.first; i != none; i = g.slots[i].next {
		md, _ := g.slots[i].metadata(g.protocol)
		if md == nil || md.Raw.Valid {
			g.knowsTopic, g.topics = false, nil
			return
		}
		for _, t := range md.Topics {
			if j, ok := slices.BinarySearch(g.topics, t); !ok {
				g.topics = slices.Insert(g.topics, j, t)
			}
		}
	}
}

// subscribes says whether the group reads a topic, as far as that is known.
func (g *group) subscribes(topic string) bool {
	if !g.knowsTopic {
		return true
	}
	_, ok := slices.BinarySearch(g.topics, topic)
	return ok
}
