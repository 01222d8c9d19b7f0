package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/sim"
)

// createTopic creates a topic that the scenario has declared.
func (d *director) createTopic(name string, c *sim.Control) int {
	i := slices.IndexFunc(d.scenario.Topics, func(t Topic) bool { return t.Name == name })
	if topicOf(d.ctl.image, name) >= 0 {
		return 0
	}
	d.change(c, func(image *coordinator.Image) {
		image.Topics = append(image.Topics, d.newTopic(&d.scenario.Topics[i], image.Brokers, c.Now()))
		sortTopics(image.Topics)
	})
	return 1
}

func (p *plan) newTopic(t *Topic, brokers []sim.NodeID, since sim.Time) coordinator.Topic {
	topic := coordinator.Topic{Name: t.Name}
	if t.Rate.Records > 0 {
		topic.Since = since
		topic.Rate = t.Rate.Records
		if t.Rate.Per != sim.Second {
			topic.Per = t.Rate.Per
		}
	}
	topic.Leaders = p.leaders(t, brokers, 0, int(t.Partitions))
	topic.Racks = p.racks(t, topic.Leaders, 0)
	topic.Start = p.written(t)
	return topic
}

// written is how many records partitions have when the run begins: as many as the formed
// group has committed; nil if that is nothing.
func (p *plan) written(t *Topic) (list []int64) {
	if p.scenario.Formed == nil {
		return nil
	}
	for _, o := range p.scenario.Formed.Offsets {
		if o.Topic == t.Name && o.Partition < t.Partitions { // a variant may have fewer
			if list == nil {
				list = make([]int64, t.Partitions)
			}
			list[o.Partition] = o.Offset
		}
	}
	return list
}

// racks are the racks of each partition's replicas: those that the topic gives, or those of
// its first leader and the brokers after it; nil if there are none. The first partition has
// the number first.
func (p *plan) racks(t *Topic, leaders []sim.NodeID, first int) [][]string {
	racks := make([][]string, len(leaders))
	if t.Racks != nil {
		copy(racks, t.Racks[min(first, len(t.Racks)):])
		return racks
	}
	if !slices.ContainsFunc(p.scenario.Brokers, func(b Broker) bool { return b.Rack != "" }) {
		return nil
	}
	for i, leader := range leaders {
		at := slices.Index(p.brokers, leader)
		for k := 0; at >= 0 && k < t.Replicas; k++ {
			if rack := p.scenario.Brokers[(at+k)%len(p.brokers)].Rack; rack != "" && !slices.Contains(racks[i], rack) {
				racks[i] = append(racks[i], rack)
			}
		}
	}
	return racks
}

// leaders are the leaders of new partitions: the brokers in turn, or the one that the
// topic wants.
func (p *plan) leaders(t *Topic, brokers []sim.NodeID, first, end int) []sim.NodeID {
	var list []sim.NodeID
	only := p.brokerNamed(t.Leader)
	for n := first; n < end; n++ {
		switch {
		case slices.Contains(brokers, only):
			list = append(list, only)
		case len(brokers) == 0:
			list = append(list, sim.Nobody)
		default:
			list = append(list, brokers[n%len(brokers)])
		}
	}
	return list
}

// brokerNamed is the node of a broker, sim.Nobody if there is none.
func (p *plan) brokerNamed(name string) sim.NodeID {
	for i := range p.scenario.Brokers {
		if p.scenario.Brokers[i].Name == name {
			return p.brokers[i]
		}
	}
	return sim.Nobody
}

// addPartitions makes a topic larger. What is in its partitions stays, and from now on
// what is produced goes to all of them.
func (d *director) addPartitions(a *AddPartitions, c *sim.Control) int {
	at := topicOf(d.ctl.image, a.Topic)
	if at < 0 || len(d.ctl.image.Topics[at].Leaders) >= int(a.To) {
		return 0
	}
	spec := &d.scenario.Topics[slices.IndexFunc(d.scenario.Topics, func(t Topic) bool { return t.Name == a.Topic })]
	d.change(c, func(image *coordinator.Image) {
		t := &image.Topics[at]
		old := *t
		if t.Rate > 0 {
			t.Start, t.Since = nil, c.Now()
			for p := range old.Leaders {
				t.Start = append(t.Start, old.EndOffset(int32(p), c.Now()))
			}
		}
		more := d.leaders(spec, image.Brokers, len(old.Leaders), int(a.To))
		t.Leaders = append(slices.Clip(t.Leaders), more...)
		if racks := d.racks(spec, more, len(old.Leaders)); racks != nil {
			t.Racks = append(slices.Clip(t.Racks), racks...)
		}
	})
	return 1
}

// fill takes into the image what partitions have: a leader that has not heard of new ones has
// filled the others faster, and the replicas have what it has.
func (d *director) fill(c *sim.Control) {
	for i := range d.ctl.image.Topics {
		ends, more := ends(&d.ctl.image.Topics[i], c)
		if !more {
			continue
		}
		image := *d.ctl.image
		image.Topics = slices.Clone(image.Topics)
		image.Topics[i].Start, image.Topics[i].Since = ends, c.Now()
		d.ctl.image = &image
	}
}

// ends is where a topic's partitions end, and whether that is more than the topic says.
func ends(t *coordinator.Topic, c *sim.Control) (ends []int64, more bool) {
	if t.Rate == 0 {
		return nil, false
	}
	ends = make([]int64, len(t.Leaders))
	for p, leader := range t.Leaders {
		ends[p] = t.EndOffset(int32(p), c.Now())
		if leader == sim.Nobody {
			continue
		}
		image := c.World().Actor(leader).(*coordinator.Broker).Image()
		at := topicOf(image, t.Name)
		if at < 0 || p >= len(image.Topics[at].Leaders) {
			continue
		}
		if end := image.Topics[at].EndOffset(int32(p), c.Now()); end > ends[p] {
			ends[p], more = end, true
		}
	}
	return ends, more
}

// deleteTopic deletes a topic with all that is in it.
func (d *director) deleteTopic(name string, c *sim.Control) int {
	at := topicOf(d.ctl.image, name)
	if at < 0 {
		return 0
	}
	d.change(c, func(image *coordinator.Image) { image.Topics = slices.Delete(image.Topics, at, at+1) })
	return 1
}

func topicOf(image *coordinator.Image, name string) int {
	return slices.IndexFunc(image.Topics, func(t coordinator.Topic) bool { return t.Name == name })
}
