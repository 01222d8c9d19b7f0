package coordinator

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// offsetEntry is a group's offset of one partition: what is committed in the log, and
// what is written and not committed yet.
type offsetEntry struct {
	partition protocol.TopicPartition
	committed *protocol.LogRecord
	pending   []pendingOffset
}

type pendingOffset struct {
	record *protocol.LogRecord
	at     int64 // in the log
}

func findOffset(list []offsetEntry, p protocol.TopicPartition) (int, bool) {
	return slices.BinarySearchFunc(list, p, func(e offsetEntry, p protocol.TopicPartition) int {
		return e.partition.Compare(p)
	})
}

func (e *offsetEntry) hash(h *sim.Hasher) {
	h.Str(e.partition.Topic)
	h.Int(int64(e.partition.Partition))
	if e.committed != nil {
		h.Uint(e.committed.Sum())
	} else {
		h.Uint(0)
	}
	h.Int(int64(len(e.pending)))
	for i := range e.pending {
		h.Uint(e.pending[i].record.Sum())
	}
}

// OffsetCommit. Versions 2 to 4 bring a retention time; 7 knows instance ids (KIP-345).
func (b *Broker) offsetCommit(r *protocol.OffsetCommitRequest) {
	a := &protocol.OffsetCommitAnswer{Partitions: make([]protocol.PartitionOffset, len(r.Offsets))}
	if b.knowsNone(r.Offsets, a.Partitions) {
		b.reply(a.Freeze(), protocol.RuleUnknownTopic, 0)
		return
	}
	if err, why := b.admit(r.Group, protocol.KindOffsetCommit); err != protocol.None {
		b.refuseCommit(a, err, why, 0)
		return
	}
	g := b.group(r.Group)
	if g == nil {
		if r.Generation >= 0 {
			err := protocol.IllegalGeneration
			if b.cfg.Rules.CommitWithoutGroup && r.Version >= 9 {
				err = protocol.GroupIDNotFound
			}
			b.refuseCommit(a, err, protocol.RuleCommitNoGroup, 0)
			return
		}
		g = b.simpleGroup(r.Group) // it is there from now on, also if the commit is refused
	}
	if g.state != protocol.NoGroup {
		if err, why := b.judgeCommit(g, r); err != protocol.None {
			b.refuseCommit(a, err, why, g.movedBy)
			return
		}
	}
	if i := g.member(r.Member); i != none && b.cfg.Rules.CommitRenews && r.Generation >= 0 {
		b.renewSession(g, i)
	}
	expire := int64(-1)
	switch {
	case r.Version >= 2 && r.Version <= 4 && r.Retention >= 0:
		expire = b.out.Now() + r.Retention
	case b.cfg.Rules.Expiry == protocol.ExpiryByCommit:
		expire = b.out.Now() + b.cfg.OffsetsRetention
	}
	b.storeOffsets(g, r.Offsets, expire, a)
}

// knowsNone begins the answer to a commit with the partitions that the broker does not know,
// which the coordinator does not see, and reports whether that is all there is. A commit of
// nothing is the coordinator's. Before KAFKA-6796 the topic alone had to be known.
func (b *Broker) knowsNone(offsets, answer []protocol.PartitionOffset) bool {
	unknown := 0
	for i := range offsets {
		answer[i].TopicPartition = offsets[i].TopicPartition
		if !b.knows(offsets[i].TopicPartition) {
			answer[i].Error = protocol.UnknownTopicOrPartition
			unknown++
		}
	}
	return unknown > 0 && unknown == len(offsets)
}

// simpleGroup is the group of a consumer that only commits. Before Empty existed it
// was none.
func (b *Broker) simpleGroup(id string) *group {
	if i := b.byGroup.find(id); i != none {
		return b.groups[i]
	}
	g := b.newGroup(id, protocol.CoordinatorPartition(id, int32(len(b.parts))))
	if !b.cfg.Rules.EmptyState {
		g.state = protocol.NoGroup
	}
	return g
}

// judgeCommit decides whether a commit is for the group to take. While the leader
// assigns it is not: the committer's generation has ended.
func (b *Broker) judgeCommit(g *group, r *protocol.OffsetCommitRequest) (protocol.Error, protocol.Rule) {
	rule := b.cfg.Rules.Commit
	if g.state == protocol.Dead {
		return b.deadError(), protocol.RuleDead
	}
	simple := r.Generation < 0
	switch rule {
	case protocol.CommitSimpleFirst:
		if simple && g.state == protocol.Empty {
			return protocol.None, 0
		}
		fallthrough
	case protocol.CommitUnified:
		if !simple || r.Member != "" || r.Instance != "" {
			if err, why := b.judge(g, g.member(r.Member), r.Instance, false); err != protocol.None {
				return err, why
			}
			if r.Generation != g.generation {
				return protocol.IllegalGeneration, protocol.RuleIllegalGeneration
			}
		} else if g.state != protocol.Empty {
			return protocol.UnknownMemberID, protocol.RuleSimpleCommit
		}
		if g.state == protocol.CompletingRebalance {
			return protocol.RebalanceInProgress, protocol.RuleCommitCompleting
		}
		return protocol.None, 0
	}
	if owner := g.byStatic.find(r.Instance); r.Instance != "" && owner != none && owner != g.member(r.Member) {
		return protocol.FencedInstanceID, protocol.RuleFenced
	}
	if rule != protocol.CommitMembers && simple && g.state == protocol.Empty {
		return protocol.None, 0
	}
	if rule != protocol.CommitMemberFirst && g.state == protocol.CompletingRebalance {
		return protocol.RebalanceInProgress, protocol.RuleCommitCompleting
	}
	if g.member(r.Member) == none {
		return protocol.UnknownMemberID, protocol.RuleUnknownMember
	}
	if r.Generation != g.generation {
		return protocol.IllegalGeneration, protocol.RuleIllegalGeneration
	}
	if g.state == protocol.CompletingRebalance {
		return protocol.RebalanceInProgress, protocol.RuleCommitCompleting
	}
	return protocol.None, 0
}

func (b *Broker) txnOffsetCommit(r *protocol.TxnOffsetCommitRequest) {
	a := &protocol.TxnOffsetCommitAnswer{Partitions: make([]protocol.PartitionOffset, len(r.Offsets))}
	if b.knowsNone(r.Offsets, a.Partitions) {
		b.reply(a.Freeze(), protocol.RuleUnknownTopic, 0)
		return
	}
	err, why := b.admit(r.Group, protocol.KindTxnOffsetCommit)
	g := b.group(r.Group)
	switch {
	case err != protocol.None:
	case g == nil && b.cfg.Rules.TxnCommitChecked && r.Generation >= 0:
		err, why = protocol.IllegalGeneration, protocol.RuleCommitNoGroup
	case g == nil:
		g = b.simpleGroup(r.Group)
	case g.state == protocol.Dead:
		err, why = b.deadError(), protocol.RuleDead
	case b.cfg.Rules.TxnCommitChecked && (r.Generation >= 0 || r.Member != "" || r.Instance != ""):
		if err, why = b.judge(g, g.member(r.Member), r.Instance, false); err == protocol.None && r.Generation >= 0 && r.Generation != g.generation {
			err, why = protocol.IllegalGeneration, protocol.RuleIllegalGeneration
		}
	}
	if err != protocol.None {
		refuse(a.Partitions, err)
		b.reply(a.Freeze(), why, 0)
		return
	}
	b.storeOffsets(g, r.Offsets, -1, a)
}

// storeOffsets writes what is committed and answers when the log has it; in the answer stands
// already what the broker does not know.
func (b *Broker) storeOffsets(g *group, offsets []protocol.PartitionOffset, expire int64, answer sim.Body) {
	parts := answerPartitions(answer)
	p := &b.parts[g.partition]
	first, stored := p.end, false
	records := make([]protocol.LogRecord, len(offsets))
	var fresh []offsetEntry // of partitions that have none yet, in order
	err := protocol.None
	for i := range offsets {
		o := &offsets[i]
		if parts[i].Error != protocol.None {
			continue
		}
		if o.MetadataSize > b.cfg.MetadataMaxBytes {
			parts[i].Error = protocol.OffsetMetadataTooLarge
			continue
		}
		if err != protocol.None {
			continue
		}
		r := &records[i]
		*r = protocol.LogRecord{Group: g.id, IsOffset: true, Partition: o.TopicPartition, Offset: o.Offset,
			CommitTime: b.out.Now(), ExpireTime: expire, MetadataSize: o.MetadataSize}
		if err = b.append(g.partition, r, protocol.RuleCommitted); err != protocol.None {
			continue
		}
		stored = true
		ordered := len(fresh) == 0 || fresh[len(fresh)-1].partition.Compare(r.Partition) < 0
		if _, known := findOffset(g.offsets, r.Partition); !known && ordered && p.hw == p.end {
			fresh = append(fresh, offsetEntry{partition: r.Partition, committed: r})
			continue
		}
		if g.adopt(fresh); p.hw == p.end {
			g.offsetOf(r.Partition).committed = r
		} else {
			g.pend(r, p.end-1)
		}
		fresh = nil
	}
	g.adopt(fresh)
	w := waiting{what: waitOffsets, group: g.slot, born: g.born, req: b.req, answer: answer, first: first}
	switch {
	case err != protocol.None:
		b.failed = protocol.None
		b.offsetsStored(g, &w, err)
	case !stored && !b.cfg.Rules.WaitsForLog:
		b.out.Reply(b.req, freeze(answer), uint16(protocol.RuleCommitted), 0)
	default:
		if p.hw < p.end {
			b.park(protocol.RuleCommitWaits)
		}
		b.wait(g.partition, w)
	}
}

func answerPartitions(a sim.Body) []protocol.PartitionOffset {
	switch a := a.(type) {
	case *protocol.OffsetCommitAnswer:
		return a.Partitions
	case *protocol.TxnOffsetCommitAnswer:
		return a.Partitions
	}
	return nil
}

func freeze(a sim.Body) sim.Body {
	switch a := a.(type) {
	case *protocol.OffsetCommitAnswer:
		return a.Freeze()
	case *protocol.TxnOffsetCommitAnswer:
		return a.Freeze()
	}
	return a
}

func (g *group) pend(r *protocol.LogRecord, at int64) {
	e := g.offsetOf(r.Partition)
	e.pending = append(e.pending, pendingOffset{r, at})
}

// offsetOf is the group's offset of a partition; it is made if there is none.
func (g *group) offsetOf(p protocol.TopicPartition) *offsetEntry {
	i, ok := findOffset(g.offsets, p)
	if !ok {
		g.offsets = slices.Insert(g.offsets, i, offsetEntry{partition: p})
	}
	return &g.offsets[i]
}

// adopt adds offsets, in order, of partitions that have none: all at once, since each alone may
// move all others.
func (g *group) adopt(fresh []offsetEntry) {
	if len(fresh) < 2 {
		for i := range fresh {
			*g.offsetOf(fresh[i].partition) = fresh[i]
		}
		return
	}
	all := make([]offsetEntry, 0, len(g.offsets)+len(fresh))
	for _, e := range g.offsets {
		for len(fresh) > 0 && fresh[0].partition.Compare(e.partition) < 0 {
			all, fresh = append(all, fresh[0]), fresh[1:]
		}
		all = append(all, e)
	}
	g.offsets = append(all, fresh...)
}

// offsetsStored makes a commit visible, or tells the client why it failed.
func (b *Broker) offsetsStored(g *group, w *waiting, err protocol.Error) {
	answer, waited := w.answer, w.op != 0
	if waited { // and copies of this world may wait with the same one
		answer = copyAnswer(answer)
	}
	parts := answerPartitions(answer)
	if g != nil {
		for i := 0; waited && i < len(parts); i++ {
			if j, ok := findOffset(g.offsets, parts[i].TopicPartition); ok && err == protocol.None {
				g.offsets[j].promote(w.until)
			}
		}
		if err != protocol.None && !(b.cfg.Rules.CommitOutlivesTimeout && err == protocol.RequestTimedOut) {
			g.withdraw(w.first, w.first+int64(stored(parts)))
		}
	}
	why := protocol.RuleCommitted
	if slices.ContainsFunc(parts, func(p protocol.PartitionOffset) bool { return p.Error == protocol.UnknownTopicOrPartition }) {
		why = protocol.RuleUnknownPartly
	}
	if err != protocol.None {
		why = protocol.RuleStoreFailed
		for i := range parts {
			if parts[i].Error == protocol.None || b.cfg.Rules.WaitsForLog && parts[i].Error == protocol.OffsetMetadataTooLarge {
				parts[i].Error = b.storeError(err, true)
			}
		}
	}
	b.out.Reply(w.req, freeze(answer), uint16(why), w.req.Ref)
}

// stored is how many partitions of a commit were written.
func stored(answer []protocol.PartitionOffset) int {
	n := 0
	for i := range answer {
		if answer[i].Error == protocol.None {
			n++
		}
	}
	return n
}

func copyAnswer(a sim.Body) sim.Body {
	if t, ok := a.(*protocol.TxnOffsetCommitAnswer); ok {
		return &protocol.TxnOffsetCommitAnswer{Partitions: slices.Clone(t.Partitions)}
	}
	return &protocol.OffsetCommitAnswer{Partitions: slices.Clone(answerPartitions(a))}
}

// promote makes visible what is committed before an offset of the log.
func (e *offsetEntry) promote(until int64) {
	for len(e.pending) > 0 && e.pending[0].at < until {
		e.committed = e.pending[0].record
		e.pending = slices.Delete(e.pending, 0, 1)
	}
}

// withdraw forgets what was written to the log from first on and before last: the
// client has been told that it failed.
func (g *group) withdraw(first, last int64) {
	kept := g.offsets[:0]
	for i := range g.offsets {
		e := g.offsets[i]
		e.pending = slices.DeleteFunc(e.pending, func(p pendingOffset) bool { return p.at >= first && p.at < last })
		if e.committed != nil || len(e.pending) > 0 {
			kept = append(kept, e)
		}
	}
	g.offsets = kept
}

// promote makes visible in all groups of a partition what is committed, where that
// does not wait for the commit's own answer.
func (b *Broker) promote(n int32) {
	if !b.cfg.Rules.CommitOutlivesTimeout {
		return
	}
	for _, g := range b.groups {
		if g != nil && g.partition == n {
			for i := range g.offsets {
				g.offsets[i].promote(b.parts[n].hw)
			}
		}
	}
}

func (b *Broker) refuseCommit(a *protocol.OffsetCommitAnswer, err protocol.Error, why protocol.Rule, ref sim.Ref) {
	refuse(a.Partitions, err)
	b.reply(a.Freeze(), why, ref)
}

// refuse is what a coordinator answers for all that it sees of a commit.
func refuse(answer []protocol.PartitionOffset, err protocol.Error) {
	for i := range answer {
		if answer[i].Error == protocol.None {
			answer[i].Error = err
		}
	}
}
