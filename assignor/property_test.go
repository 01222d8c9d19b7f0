package assignor

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rebalsim/rebalsim/protocol"
)

var groupClasses = []string{
	"fresh", "consistent", "stale", "contradictory", "equal", "unequal", "static", "racks", "no topics", "unknown topic",
	"empty topic", "nothing to assign", "fewer partitions than members", "joined", "left", "grown", "resubscribed",
}

// Every partition of a subscribed topic goes to exactly one member, and nobody
// gets what it did not subscribe to, unless the input is contradictory or
// Kafka's own exceptions apply.
func TestEveryPartitionOnceToASubscriber(t *testing.T) {
	var seen shares
	rapid.Check(t, func(t *rapid.T) {
		d := drawGroup(t, judged)
		name := rapid.SampledFrom(Names()).Draw(t, "assignor")
		res, err := Assign(name, d.rules, d.in)
		if errors.Is(err, ErrNotInRelease) || errors.Is(err, ErrNotModelled) {
			return
		}
		sticky := name == Sticky || name == CooperativeSticky
		classes := append(d.classes, name)
		defer func() { seen.add(classes...) }()
		if d.mayThrow(name, err) {
			classes = append(classes, "thrown")
			return
		}
		if err != nil {
			t.Fatalf("%s: %v\n%v", name, err, d)
		}
		if sticky && d.has("contradictory") {
			return // one partition can end up in two lists
		}
		target := res.Target
		if target == nil {
			target = res.Assigned
		}
		if problem := assignedOnce(d.in, target); problem != "" {
			if name != CooperativeSticky || !d.has("stale") || d.rules.StickyClaims != protocol.StickyClaimsHighest {
				t.Fatalf("%s\n%v", problem, d)
			}
			// Owned partitions have no generation, so that two members are believed.
			classes = append(classes, "assigned twice (KAFKA-12984)")
			return
		}
		for i, list := range target {
			for _, p := range list {
				if slices.Contains(d.in.Members[i].Topics, p.Topic) {
					continue
				}
				switch {
				case sticky && len(d.in.Members[i].Topics) == 0 && res.Path == PathEqual:
					classes = append(classes, "given to a member without topics") // the first in the member map
				case sticky && slices.Contains(d.in.Members[i].Owned, p) && d.has("stale"):
					classes = append(classes, "given back to a former subscriber") // the previous owner of a claim of the newest generation
				default:
					t.Fatalf("%s: %s gets %s without a subscription\n%v", name, d.in.Members[i].ID, p, d)
				}
			}
		}
	})
	seen.log(t, append(groupClasses, Names()...)...)
}

// assignedOnce says what is wrong, if not every partition of a subscribed topic
// is in exactly one list.
func assignedOnce(in Input, lists [][]protocol.TopicPartition) (problem string) {
	count := make(map[protocol.TopicPartition]int)
	for _, list := range lists {
		for _, p := range list {
			count[p]++
		}
	}
	for _, topic := range in.Topics {
		wanted := 0
		for _, m := range in.Members {
			if slices.Contains(m.Topics, topic.Name) {
				wanted = 1
			}
		}
		for n := range topic.Partitions {
			p := protocol.TopicPartition{Topic: topic.Name, Partition: n}
			if count[p] != wanted {
				return fmt.Sprintf("%s is assigned %d times, not %d", p, count[p], wanted)
			}
			delete(count, p)
		}
	}
	if len(count) > 0 {
		return fmt.Sprintf("%d partitions are assigned that do not exist", len(count))
	}
	return ""
}

// Where all subscriptions are equal and the claims are those of one generation,
// the sticky pair moves no more than the loads of its result make necessary.
func TestStickyMovesTheLeast(t *testing.T) {
	var seen shares
	rapid.Check(t, func(t *rapid.T) {
		d := drawGroup(t, stickyReleases)
		if !d.consistent || !d.has("equal") || d.has("no topics") {
			return
		}
		res, err := Assign(Sticky, d.rules, d.in)
		if d.mayThrow(Sticky, err) {
			return
		}
		if err != nil {
			t.Fatalf("%v\n%v", err, d)
		}
		moved, least := Moves(d.in, res.Assigned)
		excess := "moves the least"
		switch {
		case moved < least:
			t.Fatalf("%d moves, fewer than the least, %d\n%v", moved, least, d)
		case moved > least && res.RacksMatched:
			excess = "moves more for racks" // a goal of its own
		case moved > least && d.rules.StickyEqual == protocol.StickyEqualAbsent:
			excess = "moves more in 2.4" // the general algorithm knows no least; vectors judge it
		case moved > least:
			t.Fatalf("%d moves, least %d\n%v", moved, least, d)
		}
		if moved > 0 {
			seen.add(append(d.classes, excess, "something moves")...)
		} else {
			seen.add(append(d.classes, excess)...)
		}
	})
	seen.log(t, "fresh", "consistent", "joined", "left", "grown", "racks", "static", "something moves")
}

// A cooperative assignment never gives a partition to a new owner while its old
// one still holds it.
func TestCooperativeNeverHandsOverAtOnce(t *testing.T) {
	var seen shares
	rapid.Check(t, func(t *rapid.T) {
		d := drawGroup(t, stickyReleases)
		if !d.consistent {
			return
		}
		res, err := Assign(CooperativeSticky, d.rules, d.in)
		if d.mayThrow(CooperativeSticky, err) {
			return
		}
		if err != nil {
			t.Fatalf("%v\n%v", err, d)
		}
		classes := d.classes
		for i, list := range res.Assigned {
			if len(list) < len(res.Target[i]) {
				classes = append(classes, "withheld")
			}
			for _, p := range list {
				for j, m := range d.in.Members {
					if i == j || !slices.Contains(m.Owned, p) {
						continue
					}
					if d.rules.StickyEqual == protocol.StickyEqualRacks && res.Path == PathEqual && res.RacksMatched {
						classes = append(classes, "KAFKA-15170") // given up for a rack, and not withheld
						continue
					}
					t.Fatalf("%s goes to %s while %s holds it\n%v", p, d.in.Members[i].ID, m.ID, d)
				}
			}
		}
		slices.Sort(classes)
		seen.add(slices.Compact(classes)...)
	})
	seen.log(t, "fresh", "consistent", "equal", "unequal", "joined", "left", "grown", "resubscribed", "withheld", "racks")
}

// A result is a function of the input alone, and the input stays as it was.
func TestAssignIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawGroup(t, stickyReleases)
		name := rapid.SampledFrom(Names()).Draw(t, "assignor")
		before := d.String()
		a, errA := Assign(name, d.rules, d.in)
		b, errB := Assign(name, d.rules, d.in)
		if d.String() != before {
			t.Fatalf("the input has changed: %v, before: %s", d, before)
		}
		if (errA == nil) != (errB == nil) {
			t.Fatalf("%v, then %v", errA, errB)
		}
		for i := range a.Assigned {
			if !slices.Equal(a.Assigned[i], b.Assigned[i]) {
				t.Fatalf("%s: %s, then %s", d.in.Members[i].ID, show(a.Assigned[i]), show(b.Assigned[i]))
			}
		}
	})
}
