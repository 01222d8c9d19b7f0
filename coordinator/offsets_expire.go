package coordinator

import "github.com/rebalsim/rebalsim/protocol"

// cleanupRuns is the check for expired offsets, every
// offsets.retention.check.interval.ms. A group without members and offsets goes too.
func (b *Broker) cleanupRuns(n int32) {
	t := b.cleanup
	if n != none {
		t = b.parts[n].cleanup
	}
	b.out.Arm(t, b.cfg.RetentionCheck)
	for _, g := range b.groups {
		if g != nil && (n == none || g.partition == n) && b.parts[g.partition].state == partOwned {
			b.expireOffsets(g)
		}
	}
}

func (b *Broker) expireOffsets(g *group) {
	for i := len(g.offsets) - 1; i >= 0; i-- {
		if e := &g.offsets[i]; len(e.pending) == 0 && e.committed != nil && b.expired(g, e.committed) {
			b.deleteOffset(g, e.partition, protocol.RuleExpired)
		}
	}
	if len(g.offsets) > 0 {
		return
	}
	switch g.state {
	case protocol.NoGroup:
		b.dropGroup(g)
	case protocol.Empty:
		b.removeGroup(g, protocol.RuleGroupExpired)
	}
}

// removeGroup deletes a group that has no members.
func (b *Broker) removeGroup(g *group, why protocol.Rule) {
	if g.generation > 0 || b.cfg.Rules.TombstonesAlways {
		if b.append(g.partition, &protocol.LogRecord{Group: g.id, Tombstone: true}, why) != protocol.None {
			return
		}
	}
	b.move(g, protocol.Dead, why)
	b.dropGroup(g)
}

// expired compares stored times with the clock, as Kafka does: these are data of the
// log, not deadlines of this broker.
func (b *Broker) expired(g *group, o *protocol.LogRecord) bool {
	now, rule := b.out.Now(), b.cfg.Rules.Expiry
	if rule == protocol.ExpiryByCommit {
		return o.ExpireTime < now
	}
	if o.ExpireTime >= 0 {
		return now >= o.ExpireTime
	}
	old := now-o.CommitTime >= b.cfg.OffsetsRetention
	switch {
	case g.typ == "":
		return old
	case g.state == protocol.Empty:
		if g.moved < 0 {
			return old
		}
		return now-g.moved >= b.cfg.OffsetsRetention
	case g.typ == "consumer" && g.knowsTopic && rule >= protocol.ExpirySubscribed &&
		(rule != protocol.ExpirySubscribedStable || g.state == protocol.Stable):
		return old && !g.subscribes(o.Partition.Topic)
	}
	return false
}
