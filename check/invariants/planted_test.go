package invariants_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// lie is a violation that is planted into the trace of a run that has none: one record is
// told otherwise than it was, left out, or told twice.
type lie struct {
	invariant string
	place     string // the beginning of the finding's
	scenario  string
	kafka     string
	// tell changes the n-th record that it can be told of; it reports whether it can. It
	// is given a copy.
	tell        func(r *sim.Rec) bool
	nth         int
	twice, left bool // it is told twice, or not at all
	lies        bool // it is told of all that it can be told of
	all         bool // whatever it can be told of is left out
	mute        bool // nothing is told any more
	// facts changes what is known of the run before it begins.
	facts     func(f *invariants.Facts)
	unsettled bool   // the run is told to have been cut short
	later     bool   // others show before
	known     string // the issue that explains it
	event     string // what the finding's record is called, among others
	// also are invariants that the same lie breaks later on.
	also []string
}

// liar hands a run to a Monitor, with one lie in it.
type liar struct {
	*invariants.Monitor
	lie   *lie
	seen  int
	told  bool
	muted bool
}

func (l *liar) Observe(told *sim.Rec) {
	r, c := new(sim.Rec), *told
	*r = c
	defer func() { *r, c = sim.Rec{}, sim.Rec{} }() // a record is valid during the call only
	if l.muted {
		return
	}
	if (!l.told || l.lie.all || l.lie.lies) && l.lie.tell(&c) {
		if l.seen++; l.seen > l.lie.nth {
			l.told, l.muted = true, l.lie.mute
			if l.lie.left || l.lie.all {
				return
			}
			l.Monitor.Observe(&c)
			if !l.lie.twice {
				return
			}
		}
	}
	l.Monitor.Observe(r)
}

// note matches a note with a body of the type, which change may alter on a copy.
func note[T any, P interface {
	*T
	sim.Body
}](change func(r *sim.Rec, b P) bool) func(r *sim.Rec) bool {
	return func(r *sim.Rec) bool {
		b, ok := r.Note.Body.(P)
		if r.Op != sim.OpNote || !ok {
			return false
		}
		c := *b
		r.Note.Body = P(&c)
		return change(r, &c)
	}
}

// message matches a message that is sent or arrives, whose body change may alter.
func message[T any, P interface {
	*T
	sim.Body
}](op sim.Op, change func(r *sim.Rec, b P) bool) func(r *sim.Rec) bool {
	return func(r *sim.Rec) bool {
		b, ok := r.Msg.Body.(P)
		if r.Op != op || !ok {
			return false
		}
		c := *b
		r.Msg.Body = P(&c)
		return change(r, &c)
	}
}

func moves(to protocol.GroupState, change func(c *protocol.GroupChange)) func(r *sim.Rec) bool {
	return note(func(_ *sim.Rec, c *protocol.GroupChange) bool {
		if c.To != to || c.From == protocol.NoGroup {
			return false
		}
		change(c)
		return true
	})
}

func members(what string, change func(r *sim.Rec, c *protocol.MemberChange)) func(r *sim.Rec) bool {
	return note(func(r *sim.Rec, c *protocol.MemberChange) bool {
		if c.What != what {
			return false
		}
		change(r, c)
		return true
	})
}

func callback(code uint8, change func(r *sim.Rec, list *protocol.PartitionList)) func(r *sim.Rec) bool {
	return note(func(r *sim.Rec, list *protocol.PartitionList) bool {
		if r.Note.Code != code || len(list.Partitions) == 0 {
			return false
		}
		change(r, list)
		return true
	})
}

func answered(change func(a *protocol.HeartbeatAnswer)) func(r *sim.Rec) bool {
	return message(sim.OpSend, func(_ *sim.Rec, a *protocol.HeartbeatAnswer) bool { change(a); return true })
}

func joined(change func(a *protocol.JoinGroupAnswer) bool) func(r *sim.Rec) bool {
	return message(sim.OpSend, func(_ *sim.Rec, a *protocol.JoinGroupAnswer) bool {
		return a.Error == protocol.None && change(a)
	})
}

func records(offset bool, change func(r *sim.Rec, b *protocol.LogRecord) bool) func(r *sim.Rec) bool {
	return note(func(r *sim.Rec, b *protocol.LogRecord) bool {
		return r.Note.Code == protocol.NoteAppend && b.IsOffset == offset && !b.Tombstone && change(r, b)
	})
}

// plain is a group that forms, grows, shrinks, and loses a member.
const plain = `about: a group that forms, grows and shrinks
kafka: "3.9"
topics: {orders: {partitions: 6, rate: 60/s}}
group:
  id: g
  config: {session.timeout.ms: 10s, auto.offset.reset: earliest, partition.assignment.strategy: [range], auto.commit.interval.ms: 1s}
  program: {per-batch: 20ms}
members: {A: {}, B: {}, C: {start: 10s}, D: {start: 10s}}
timeline:
  - {at: 30s, close: C}
  - {at: 45s, kill: D}
`

// gone is a topic that is deleted while it is read.
const gone = `about: a topic that is deleted while it is read
kafka: "3.9"
topics: {orders: {partitions: 1, rate: 60/s}, audit: {partitions: 1}}
group: {id: g, config: {metadata.max.age.ms: 20s, auto.commit.interval.ms: 1s}}
members: {A: {subscribe: [orders, audit]}}
start: {formed: {leader: A, members: [A]}}
timeline: [{at: 5s, delete-topic: orders}]
end: {at: 15s}
`

// cooperative is one that grows by two steps.
var cooperative = strings.Replace(plain, "[range]", "[cooperative-sticky]", 1)

// byHand commits by itself.
var byHand = strings.Replace(strings.Replace(plain, "auto.commit.interval.ms: 1s", "enable.auto.commit: false", 1),
	"per-batch: 20ms", "per-batch: 20ms, commit: sync after batch", 1)

// static has static members, of which one comes back.
var static = strings.Replace(strings.Replace(plain, "auto.commit.interval.ms: 1s", `group.instance.id: "{name}"`, 1),
	"close: C", "restart: {of: A, down: 1s}", 1)

// moved is one whose coordinator changes.
var moved = strings.Replace(strings.Replace(plain, "members:", "brokers: {b1: {}, b2: {}}\nmembers:", 1), "close: C", "move: {to: b2}", 1)

// frozen has a member that comes back too late.
var frozen = strings.Replace(strings.Replace(plain, "auto.commit.interval.ms: 1s", "enable.auto.commit: false", 1), "close: C", "freeze: {of: A, for: 20s}", 1)

// slow has a program that takes longer than a session.
const slow = `about: a program that takes longer than a session
topics: {orders: {partitions: 6, rate: 60/s}}
group:
  id: g
  config: {session.timeout.ms: 10s, request.timeout.ms: 20s, auto.offset.reset: earliest, partition.assignment.strategy: [range]}
  program: {per-batch: 20s}
members: {A: {}}
end: {at: 100s}
`

// absorbed has a member whose program does not poll while the group collects.
const absorbed = `about: a program that does not poll
topics: {orders: {partitions: 4}}
group: {id: g, config: {session.timeout.ms: 6s, max.poll.interval.ms: 30s}}
members: {A: {}, B: {}, C: {start: 10s}}
start: {formed: {leader: A, members: [A, B]}}
timeline: [{at: 10200ms, slow: {of: B, for: 60s}}]
`

// stopsReading matches what A tells when it reads less than before.
func stopsReading(r *sim.Rec) bool {
	switch {
	case r.Op != sim.OpNote || r.Node != 1 || r.At < 9*sim.Second:
		return false
	case r.Note.Code == protocol.NoteRevoked || r.Note.Code == protocol.NoteLost:
		return true
	}
	return r.Note.Code == protocol.NoteServes
}

var other = protocol.TopicPartition{Topic: "orders", Partition: 77}

var lies = []lie{
	{invariant: "legal-move", place: "PreparingRebalance is left as Stable", scenario: plain,
		tell: moves(protocol.CompletingRebalance, func(c *protocol.GroupChange) { c.From = protocol.Stable })},
	{invariant: "next-generation", scenario: plain,
		tell: moves(protocol.PreparingRebalance, func(c *protocol.GroupChange) { c.Generation += 5 }), also: []string{"next-generation", "true-answer"}},
	{invariant: "moves-for-a-reason", scenario: "consumer-crash", also: []string{"expired-at-last", "stored-as-assigned", "stable-is-stored", "join-answer", "all-have-asked", "sync-answer"}, left: true,
		tell: members("removed", func(*sim.Rec, *protocol.MemberChange) {})},
	{invariant: "leader-is-member", scenario: plain, also: []string{"join-answer", "stored-as-assigned"},
		tell: moves(protocol.CompletingRebalance, func(c *protocol.GroupChange) { c.Leader = "nobody" })},
	{invariant: "member-once", place: "added", scenario: plain, twice: true,
		tell: members("added", func(*sim.Rec, *protocol.MemberChange) {})},
	{invariant: "expired-in-time", place: "after ", scenario: plain, also: []string{"moves-for-a-reason"},
		tell: members("removed", func(r *sim.Rec, _ *protocol.MemberChange) { r.Why = uint16(protocol.RuleSessionExpired) })},
	{invariant: "true-answer", place: "Heartbeat UNKNOWN_MEMBER_ID in Stable", scenario: plain,
		tell: answered(func(a *protocol.HeartbeatAnswer) { a.Error = protocol.UnknownMemberID })},
	{invariant: "true-answer", place: "Heartbeat ILLEGAL_GENERATION in Stable", scenario: plain,
		tell: answered(func(a *protocol.HeartbeatAnswer) { a.Error = protocol.IllegalGeneration })},
	{invariant: "true-answer", place: "Heartbeat REBALANCE_IN_PROGRESS in Stable", scenario: plain,
		tell: answered(func(a *protocol.HeartbeatAnswer) { a.Error = protocol.RebalanceInProgress })},
	{invariant: "true-answer", place: "Heartbeat FENCED_INSTANCE_ID", scenario: "static-restart",
		tell: message(sim.OpSend, func(_ *sim.Rec, a *protocol.HeartbeatAnswer) bool {
			ok := a.Error == protocol.None
			a.Error = protocol.FencedInstanceID
			return ok
		})},
	{invariant: "true-answer", place: "OffsetCommit UNKNOWN_TOPIC_OR_PARTITION in Stable", scenario: plain,
		tell: message(sim.OpSend, func(_ *sim.Rec, a *protocol.OffsetCommitAnswer) bool {
			a.Partitions[0].Error = protocol.UnknownTopicOrPartition
			return true
		})},
	{invariant: "true-answer", place: "OffsetCommit NONE in Stable", scenario: gone, also: []string{"commit-stored"},
		tell: message(sim.OpSend, func(_ *sim.Rec, a *protocol.OffsetCommitAnswer) bool {
			last := &a.Partitions[len(a.Partitions)-1].Error // orders-0 comes after audit-0
			unknown := *last == protocol.UnknownTopicOrPartition
			*last = protocol.None
			return unknown
		})},
	{invariant: "expected-error", place: "Heartbeat OFFSET_OUT_OF_RANGE", scenario: plain, also: []string{"true-answer"},
		tell: answered(func(a *protocol.HeartbeatAnswer) { a.Error = protocol.OffsetOutOfRange })},
	{invariant: "no-exception", scenario: plain, also: []string{"expected-error"},
		tell: answered(func(a *protocol.HeartbeatAnswer) { a.Error = protocol.UnknownServerError })},
	{invariant: "parked-is-answered", place: "SyncGroup in Stable", scenario: plain, left: true, also: []string{"one-parked", "settles", "expired-at-last", "own-generation", "sync-answer", "owns-what-was-given"},
		tell: message(sim.OpSend, func(_ *sim.Rec, a *protocol.SyncGroupAnswer) bool { return a.Error == protocol.None })},
	{invariant: "join-answer", place: "generation", scenario: plain, also: []string{"own-generation", "settles", "two-current", "true-answer"},
		tell: joined(func(a *protocol.JoinGroupAnswer) bool { a.Generation++; return true })},
	{invariant: "join-answer", place: "leader", scenario: plain,
		tell: joined(func(a *protocol.JoinGroupAnswer) bool { a.Leader = "nobody"; return true })},
	{invariant: "join-answer", place: "members", scenario: plain,
		tell: joined(func(a *protocol.JoinGroupAnswer) bool {
			if len(a.Members) < 2 {
				return false
			}
			a.Members = a.Members[1:]
			return true
		})},
	{invariant: "sync-answer", scenario: plain, also: []string{"owns-what-was-given"},
		tell: message(sim.OpSend, func(_ *sim.Rec, a *protocol.SyncGroupAnswer) bool {
			if a.Error != protocol.None {
				return false
			}
			a.Assignment = (&protocol.Assignment{Partitions: []protocol.TopicPartition{other}}).Freeze()
			return true
		})},
	{invariant: "stable-is-stored", place: "generation", scenario: plain, left: true, also: []string{"sync-answer", "settles", "two-current", "commit-current"},
		tell: records(false, func(*sim.Rec, *protocol.LogRecord) bool { return true }), nth: 1},
	{invariant: "stored-as-assigned", place: "assignment", scenario: plain, nth: 1, also: []string{"all-assigned", "one-owner", "sync-answer", "settles", "owns-what-was-given", "cooperative-waits", "zombie-ends"},
		tell: records(false, func(_ *sim.Rec, b *protocol.LogRecord) bool {
			if len(b.Members) < 2 {
				return false
			}
			b.Members = slices.Clone(b.Members)
			b.Members[0].Assignment, b.Members[1].Assignment = b.Members[1].Assignment, b.Members[0].Assignment
			return true
		})},
	{invariant: "one-owner", scenario: plain, nth: 1, also: []string{"all-assigned", "stored-as-assigned", "sync-answer", "settles", "cooperative-waits"},
		tell: records(false, func(_ *sim.Rec, b *protocol.LogRecord) bool {
			if len(b.Members) < 2 {
				return false
			}
			b.Members = slices.Clone(b.Members)
			b.Members[0].Assignment = b.Members[1].Assignment
			return true
		})},
	{invariant: "log-generation", place: "not the group's", scenario: plain, nth: 1, also: []string{"stable-is-stored", "sync-answer"},
		tell: records(false, func(_ *sim.Rec, b *protocol.LogRecord) bool { b.Generation += 3; return true })},
	{invariant: "load-is-log", place: "generation", scenario: "failover-stable", kafka: "3.9", also: []string{"true-answer", "settles", "next-generation", "own-generation", "join-answer", "commit-current", "log-generation"},
		tell: note(func(r *sim.Rec, c *protocol.GroupChange) bool {
			c.Generation++
			return protocol.Rule(r.Why) == protocol.RuleLoaded
		})},
	{invariant: "commit-current", place: "generation", scenario: plain,
		tell: message(sim.OpArrive, func(_ *sim.Rec, b *protocol.OffsetCommitRequest) bool { b.Generation += 3; return true })},
	{invariant: "commit-stored", scenario: plain, left: true, also: []string{"committed-is-told"},
		tell: records(true, func(*sim.Rec, *protocol.LogRecord) bool { return true })},
	{invariant: "committed-is-told", scenario: plain,
		tell: message(sim.OpSend, func(_ *sim.Rec, a *protocol.OffsetFetchAnswer) bool {
			if len(a.Partitions) == 0 || a.Partitions[0].Offset < 0 {
				return false
			}
			a.Partitions = slices.Clone(a.Partitions)
			a.Partitions[0].Offset += 1000
			return true
		})},
	{invariant: "commit-delivered", scenario: plain,
		tell: message(sim.OpSend, func(_ *sim.Rec, b *protocol.OffsetCommitRequest) bool {
			b.Offsets = slices.Clone(b.Offsets)
			b.Offsets[0].Offset += 1000
			return true
		})},
	{invariant: "nothing-skipped", scenario: plain, nth: 3,
		tell: func(r *sim.Rec) bool {
			if r.Op != sim.OpNote || r.Note.Code != protocol.NoteDelivered || r.Note.B-r.Note.A < 2 {
				return false
			}
			r.Note.A++
			return true
		}},
	{invariant: "callbacks-alternate", place: "revoked or lost", scenario: plain, also: []string{"two-current"},
		tell: callback(protocol.NoteRevoked, func(_ *sim.Rec, l *protocol.PartitionList) { l.Partitions = append(slices.Clone(l.Partitions), other) })},
	{invariant: "callbacks-alternate", place: "assigned", scenario: plain, left: true, also: []string{"two-current", "commit-then-revoke", "nothing-skipped"},
		tell: callback(protocol.NoteRevoked, func(*sim.Rec, *protocol.PartitionList) {})},
	{invariant: "one-callback", scenario: plain, left: true,
		tell: func(r *sim.Rec) bool { return r.Op == sim.OpNote && r.Note.Code == protocol.NoteCallbackEnd }},
	{invariant: "owns-what-was-given", place: "assigned", scenario: plain, also: []string{"callbacks-alternate"},
		tell: callback(protocol.NoteAssigned, func(_ *sim.Rec, l *protocol.PartitionList) { l.Partitions = []protocol.TopicPartition{other} })},
	{invariant: "own-generation", place: "Heartbeat", scenario: plain,
		tell: message(sim.OpSend, func(_ *sim.Rec, b *protocol.HeartbeatRequest) bool { b.Generation += 3; return true })},
	{invariant: "one-asked", place: "JoinGroup", scenario: plain, twice: true,
		tell: message(sim.OpSend, func(*sim.Rec, *protocol.JoinGroupRequest) bool { return true })},
	{invariant: "keeps-its-id", scenario: plain, also: []string{"settles", "own-generation", "two-current", "throws-what-is-known"},
		tell: note(func(_ *sim.Rec, c *protocol.ClientChange) bool {
			ok := c.State == "STABLE"
			c.Member, c.Generation = "", -1
			return ok
		})},
	{invariant: "leader-watches", scenario: plain,
		tell: message(sim.OpSend, func(r *sim.Rec, b *protocol.JoinGroupRequest) bool {
			r.Why = uint16(protocol.RuleMetadataChanged)
			return true
		}), nth: 1},
	{invariant: "lost-for-a-reason", scenario: plain,
		tell: callback(protocol.NoteRevoked, func(r *sim.Rec, _ *protocol.PartitionList) { r.Note.Code = protocol.NoteLost })},
	{invariant: "throws-what-is-known", place: "IllegalStateException", scenario: plain,
		tell: func(r *sim.Rec) bool {
			if r.Op != sim.OpNote || r.Note.Code != protocol.NoteCallbackEnd {
				return false
			}
			r.Note = sim.Note{Code: protocol.NoteThrown, A: 2}
			return true
		}, twice: true},
	{invariant: "restart-is-stored", scenario: "static-restart", kafka: "3.9", left: true, also: []string{"settles"},
		tell: records(false, func(r *sim.Rec, _ *protocol.LogRecord) bool { return protocol.Rule(r.Why) == protocol.RuleStaticStored })},
	{invariant: "phase-ends", place: "PreparingRebalance", scenario: plain, also: []string{"expired-in-time"},
		tell: func(r *sim.Rec) bool {
			ok := moves(protocol.CompletingRebalance, func(*protocol.GroupChange) {})(r)
			r.At += 10 * sim.Minute
			return ok
		}},
	{invariant: "within-size", scenario: plain,
		tell: func(*sim.Rec) bool { return true },
		facts: func(f *invariants.Facts) {
			c := *f.Brokers[0].Config
			c.MaxSize = 2
			f.Brokers[0].Config = &c
		}},
	{invariant: "expired-at-last", scenario: plain, mute: true, also: []string{"settles"},
		tell: func(r *sim.Rec) bool { return r.Op == sim.OpCrash }},
	{invariant: "one-parked", place: "JoinGroup", scenario: plain, twice: true,
		tell: func(r *sim.Rec) bool { return r.Op == sim.OpNote && r.Note.Code == protocol.NotePark }},
	{invariant: "unload-in-order", place: "another partition", scenario: moved,
		tell: func(r *sim.Rec) bool {
			o, ok := r.Body.(*coordinator.Unload)
			if !ok {
				return false
			}
			r.Body = &coordinator.Unload{Partition: o.Partition + 1, Epoch: o.Epoch}
			return true
		}},
	{invariant: "unload-in-order", place: "an older order", scenario: moved, also: []string{"expired-at-last"},
		tell: func(r *sim.Rec) bool {
			o, ok := r.Body.(*coordinator.Unload)
			if !ok {
				return false
			}
			r.Body = &coordinator.Unload{Partition: o.Partition, Epoch: -1}
			return true
		}},
	{invariant: "all-assigned", scenario: plain, also: []string{"stored-as-assigned", "sync-answer", "settles"},
		tell: records(false, func(_ *sim.Rec, b *protocol.LogRecord) bool {
			if len(b.Members) == 0 {
				return false
			}
			b.Members = slices.Clone(b.Members)
			a := *b.Members[0].Assignment
			a.Partitions = a.Partitions[1:]
			b.Members[0].Assignment = a.Freeze()
			return true
		})},
	{invariant: "cooperative-waits", scenario: cooperative, all: true, also: []string{"two-current", "callbacks-alternate", "settles", "nothing-skipped"},
		tell: stopsReading},
	{invariant: "two-current", scenario: plain, all: true, also: []string{"callbacks-alternate", "settles", "commit-then-revoke", "nothing-skipped"}, later: true,
		event: ".serves#", tell: stopsReading},
	{invariant: "zombie-ends", scenario: plain[:strings.Index(plain, "timeline")] + "end: {at: 10m}\n", all: true, also: []string{"callbacks-alternate", "settles", "two-current", "commit-then-revoke"}, later: true,
		tell: stopsReading},
	{invariant: "committed-falls", scenario: byHand, nth: 100, also: []string{"commit-current"},
		tell: records(true, func(_ *sim.Rec, b *protocol.LogRecord) bool {
			ok := b.Offset > 20
			b.Offset -= 20
			return ok
		})},
	{invariant: "offset-kept", place: "a living group", scenario: plain, nth: 10,
		tell: records(true, func(r *sim.Rec, b *protocol.LogRecord) bool {
			b.Tombstone, r.Why = true, uint16(protocol.RuleExpired)
			return true
		})},
	{invariant: "auto-commits", place: "a member", scenario: plain, all: true, later: true, also: []string{"commit-stored", "committed-is-told", "commit-current", "true-answer"},
		tell: func(r *sim.Rec) bool {
			return r.Msg.Kind() == protocol.KindOffsetCommit && (r.Op == sim.OpSend && !r.Msg.Answer || r.Op == sim.OpArrive && r.Msg.Answer)
		}},
	{invariant: "commit-finished", scenario: byHand, left: true,
		tell: func(r *sim.Rec) bool { return r.Op == sim.OpNote && r.Note.Code == protocol.NoteFinished }},
	{invariant: "commit-then-revoke", scenario: plain,
		tell: message(sim.OpSend, func(r *sim.Rec, _ *protocol.OffsetCommitRequest) bool {
			r.Why = uint16(protocol.RulePrepareCommit)
			return true
		})},
	{invariant: "late-errors-are-late", scenario: frozen, also: []string{"own-generation"}, later: true,
		tell: message(sim.OpSend, func(_ *sim.Rec, b *protocol.HeartbeatRequest) bool { b.Generation += 3; return true }), lies: true},
	{invariant: "claims-what-it-owns", scenario: plain,
		tell: message(sim.OpSend, func(_ *sim.Rec, b *protocol.JoinGroupRequest) bool {
			md := *b.Protocols[0].Metadata
			md.Owned = []protocol.TopicPartition{other}
			b.Protocols = slices.Clone(b.Protocols)
			b.Protocols[0].Metadata = md.Freeze()
			return true
		})},
	{invariant: "heartbeats-go-on", scenario: slow, kafka: "0.10.0", known: "KIP-62", also: []string{"keeps-its-id"}, later: true, tell: func(*sim.Rec) bool { return true }},
	{invariant: "join-is-waited-for", scenario: strings.Replace(plain, "30s, close: C", "9500ms, slow: {of: A, for: 20s}", 1), nth: 6, also: []string{"settles", "own-generation", "two-current", "commit-current"},
		tell: message(sim.OpArrive, func(r *sim.Rec, _ *protocol.JoinGroupAnswer) bool {
			r.Op = sim.OpClose
			return true
		})},
	{invariant: "joins-in-time", scenario: absorbed, left: true, all: true, also: []string{"keeps-its-id", "lost-for-a-reason"},
		tell: func(r *sim.Rec) bool {
			o, ok := r.Body.(*consumer.Call)
			return ok && o.Op == consumer.OpBusy || r.Op == sim.OpNote && r.Note.Code == protocol.NoteBusy
		}},
	{invariant: "close-leaves", scenario: plain, all: true, later: true, also: []string{"moves-for-a-reason", "expired-at-last", "stored-as-assigned", "stable-is-stored", "join-answer", "all-have-asked", "sync-answer", "parked-is-answered"},
		tell: func(r *sim.Rec) bool {
			_, leave := r.Msg.Body.(*protocol.LeaveGroupRequest)
			return r.Op == sim.OpSend && leave || r.Op == sim.OpNote && protocol.Rule(r.Why) == protocol.RuleLeft && r.Note.Code == protocol.NoteMember
		}},
	{invariant: "settles", place: "never", scenario: plain, unsettled: true,
		tell: func(*sim.Rec) bool { return true }},
	{invariant: "id-once", scenario: static, also: []string{"settles", "join-answer", "true-answer", "commit-current", "leader-is-member", "stored-as-assigned", "stable-is-stored"},
		tell: members("added", func(r *sim.Rec, c *protocol.MemberChange) {
			if protocol.Rule(r.Why) == protocol.RuleStaticReplaced {
				c.Member = "A-1"
			}
		}), lies: true},
	{invariant: "all-have-asked", scenario: plain, left: true, also: []string{"join-answer"}, nth: 2,
		tell: func(r *sim.Rec) bool {
			return r.Op == sim.OpNote && r.Note.Code == protocol.NotePark && strings.Contains(protocol.Rule(r.Why).String(), "collecting")
		}},
}

// loaded is a scenario by its text, or one of the library's by its name.
func loaded(t *testing.T, scenario string) *scenarios.Scenario {
	t.Helper()
	load := func() (*scenarios.Scenario, error) { return scenarios.Load("plain.yaml", []byte(scenario)) }
	if !strings.Contains(scenario, "\n") {
		b, err := scenarios.Find(scenario)
		if err != nil {
			t.Fatal(err)
		}
		load = b.Load
	}
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPlanted: each planted violation shows as what it is, first and under its own name.
func TestPlanted(t *testing.T) {
	for i := range lies {
		l := &lies[i]
		t.Run(l.invariant+"/"+l.place, func(t *testing.T) {
			s := loaded(t, l.scenario)
			kafka := l.kafka
			if kafka == "" {
				kafka = "3.9"
			}
			k, err := s.Releases(kafka)
			if err != nil {
				t.Fatal(err)
			}
			c, err := scenarios.Build(s, k, &sim.Decisions{})
			if err != nil {
				t.Fatal(err)
			}
			facts := invariants.FactsOf(c.World, c.Clients, s.Group.ID)
			if l.facts != nil {
				l.facts(&facts)
			}
			w := &liar{Monitor: invariants.New(facts), lie: l}
			c.World.Watch(w)
			c.Run()
			list := w.Done(invariants.End{At: c.World.Now(), Settled: c.Ended() == "" && !l.unsettled, Excuse: c.Unrest(), Latency: c.Latency()})
			if !w.told {
				t.Fatal("there was nothing to lie about")
			}
			if len(list) == 0 {
				t.Fatal("nothing was found")
			}
			if l.later {
				list = slices.DeleteFunc(list, func(f invariants.Finding) bool { return slices.Contains(l.also, f.Invariant) })
				if len(list) == 0 {
					t.Fatal("it was not found")
				}
			}
			if f := list[0]; f.Invariant != l.invariant || !strings.HasPrefix(f.Place, l.place) || f.Known != l.known || !strings.Contains(f.Event, l.event) {
				t.Errorf("found first: %s", f.String())
			}
			for _, f := range list {
				if f.Invariant != l.invariant && !slices.Contains(l.also, f.Invariant) {
					t.Errorf("found too: %s", f.String())
				}
			}
		})
	}
}
