package consumer

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// sendFetches asks each leader for more of the partitions that can be read and have
// nothing buffered, unless a fetch to it is under way.
func (c *Consumer) sendFetches() bool {
	if c.cfg.NoFetches {
		return false
	}
	sent := false
	for _, node := range c.meta.brokers {
		i := c.connTo(node, ChannelBroker)
		if c.fetching(i) || c.unavailable(i) {
			continue
		}
		n := 0
		for j := range c.sub.parts {
			if c.sub.parts[j].wants(node) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		list := make([]protocol.PartitionOffset, 0, n)
		for j := range c.sub.parts {
			if p := &c.sub.parts[j]; p.wants(node) {
				list = append(list, protocol.PartitionOffset{TopicPartition: p.tp, Offset: p.position})
			}
		}
		body := &protocol.FetchRequest{MaxWait: int32(c.cfg.Settings.FetchMaxWait), Partitions: list}
		c.queue(request{conn: i, use: useFetch, why: protocol.RuleFetch, ref: c.cause, body: body})
		sent = true
	}
	return sent
}

// wants reports whether the partition's leader is to be asked for records.
func (p *partition) wants(leader sim.NodeID) bool {
	return p.fetchable() && p.buffered == p.position && p.leader == leader
}

func (c *Consumer) fetching(i int16) bool {
	for j := range c.unsent {
		if c.unsent[j].conn == i && c.unsent[j].use == useFetch {
			return true
		}
	}
	for j := range c.inflight {
		if c.inflight[j].conn == i && c.inflight[j].use == useFetch {
			return true
		}
	}
	for j := range c.completions {
		if c.completions[j].req.conn == i && c.completions[j].req.use == useFetch {
			return true
		}
	}
	return false
}

// handleFetch takes in what a fetch brought.
func (c *Consumer) handleFetch(d *completion) {
	answer, _ := d.body.(*protocol.FetchAnswer)
	if answer == nil {
		return
	}
	asked := d.req.body.(*protocol.FetchRequest).Partitions
	for _, o := range answer.Partitions {
		p := c.sub.find(o.TopicPartition)
		if p == nil || p.state != posFetched {
			continue
		}
		switch o.Error {
		case protocol.None:
			for _, a := range asked {
				if a.TopicPartition == o.TopicPartition && a.Offset == p.position && o.Offset > p.position {
					p.buffered = o.Offset
				}
			}
		case protocol.OffsetOutOfRange:
			p.state = posReset
			c.noteServes(protocol.RuleOffsetReset)
		default:
			c.requestMetadata()
		}
	}
}

// fetchedSomething reports whether records lie ready.
func (c *Consumer) fetchedSomething() bool {
	for i := range c.sub.parts {
		if p := &c.sub.parts[i]; p.buffered > p.position && p.fetchable() {
			return true
		}
	}
	return false
}

// delivered is a piece of a partition that poll has handed to the user.
type delivered struct {
	list     *protocol.PartitionList
	from, to int64
}

// collect hands buffered records to the user, up to max.poll.records, and reports
// whether there were any.
func (c *Consumer) collect() bool {
	room := c.cfg.Settings.MaxPollRecords
	c.batch = c.batch[:0]
	for i := range c.sub.parts {
		p := &c.sub.parts[i]
		if p.buffered <= p.position || !p.fetchable() || room == 0 {
			continue
		}
		n := min(room, p.buffered-p.position)
		room -= n
		c.batch = append(c.batch, delivered{p.list, p.position, p.position + n})
		p.position += n
		c.because.batch = c.out.Note(sim.Note{Code: protocol.NoteDelivered, A: p.position - n, B: p.position, Body: p.list}, uint16(protocol.RuleDelivered), c.because.serves)
	}
	return len(c.batch) > 0
}

// finishBatch makes known that the user has processed what poll returned.
func (c *Consumer) finishBatch() {
	for _, d := range c.batch {
		c.out.Note(sim.Note{Code: protocol.NoteFinished, A: d.from, B: d.to, Body: d.list}, uint16(protocol.RuleFinished), c.because.batch)
	}
	c.batch = c.batch[:0]
}
