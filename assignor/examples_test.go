package assignor

import (
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
)

// The documented examples: of the javadoc of the four assignors, of KIP-54 and
// KIP-429, and of public write-ups that repeat them. A member is written
// "m0: t0 t1", with what it owns behind a bar. Results are compared as sets,
// since the documents list partitions in an order for reading.
var documented = []struct {
	name     string
	assignor string
	topics   string // "t0×4"
	members  []string
	want     []string
	from     string // first release in which the example holds, if not the first of all
	until    string // last one, if not the last of all
}{
	{
		name: "range, two topics of four", assignor: Range, topics: "t0×4 t1×4",
		members: []string{"m0: t0 t1", "m1: t0 t1"},
		want:    []string{"m0: t0-0,1 t1-0,1", "m1: t0-2,3 t1-2,3"},
	},
	{
		name: "range, two topics of three: the first member gets the spare one of each", assignor: Range, topics: "t0×3 t1×3",
		members: []string{"m0: t0 t1", "m1: t0 t1"},
		want:    []string{"m0: t0-0,1 t1-0,1", "m1: t0-2 t1-2"},
	},
	{
		name: "round robin, two topics of three", assignor: RoundRobin, topics: "t0×3 t1×3",
		members: []string{"m0: t0 t1", "m1: t0 t1"},
		want:    []string{"m0: t0-0,2 t1-1", "m1: t0-1 t1-0,2"},
	},
	{
		name: "round robin, differing subscriptions", assignor: RoundRobin, topics: "t0×1 t1×2 t2×3",
		members: []string{"m0: t0", "m1: t0 t1", "m2: t0 t1 t2"},
		want:    []string{"m0: t0-0", "m1: t1-0", "m2: t1-1 t2-0,1,2"},
	},
	{
		name: "sticky, four topics of two", assignor: Sticky, topics: "t0×2 t1×2 t2×2 t3×2",
		members: []string{"m0: t0 t1 t2 t3", "m1: t0 t1 t2 t3", "m2: t0 t1 t2 t3"},
		want:    []string{"m0: t0-0 t1-1 t3-0", "m1: t0-1 t2-0 t3-1", "m2: t1-0 t2-1"},
	},
	{
		name: "sticky, m1 dies", assignor: Sticky, topics: "t0×2 t1×2 t2×2 t3×2",
		members: []string{"m0: t0 t1 t2 t3 | t0-0 t1-1 t3-0", "m2: t0 t1 t2 t3 | t1-0 t2-1"},
		want:    []string{"m0: t0-0 t1-1 t3-0 t2-0", "m2: t1-0 t2-1 t0-1 t3-1"},
		until:   "2.4.0",
	},
	{
		// The javadoc still says what 2.4.0 did (vector
		// sticky-doc-ex1-step2-c1-left; KAFKA-9987).
		name: "sticky, m1 dies, since there is an algorithm for equal subscriptions", assignor: Sticky, topics: "t0×2 t1×2 t2×2 t3×2",
		members: []string{"m0: t0 t1 t2 t3 | t0-0 t1-1 t3-0", "m2: t0 t1 t2 t3 | t1-0 t2-1"},
		want:    []string{"m0: t0-0 t1-1 t3-0 t0-1", "m2: t1-0 t2-1 t2-0 t3-1"},
		from:    "2.5.1",
	},
	{
		name: "where round robin would start over", assignor: RoundRobin, topics: "t0×2 t1×2 t2×2 t3×2",
		members: []string{"m0: t0 t1 t2 t3", "m2: t0 t1 t2 t3"},
		want:    []string{"m0: t0-0 t1-0 t2-0 t3-0", "m2: t0-1 t1-1 t2-1 t3-1"},
	},
	{
		name: "sticky, differing subscriptions", assignor: Sticky, topics: "t0×1 t1×2 t2×3",
		members: []string{"m0: t0", "m1: t0 t1", "m2: t0 t1 t2"},
		want:    []string{"m0: t0-0", "m1: t1-0,1", "m2: t2-0,1,2"},
	},
	{
		name: "sticky, m0 dies", assignor: Sticky, topics: "t0×1 t1×2 t2×3",
		members: []string{"m1: t0 t1 | t1-0,1", "m2: t0 t1 t2 | t2-0,1,2"},
		want:    []string{"m1: t1-0,1 t0-0", "m2: t2-0,1,2"},
		from:    "3.0.0", // before, m1 lost its claims to the test for equal subscriptions
	},
	{
		name: "where round robin would move", assignor: RoundRobin, topics: "t0×1 t1×2 t2×3",
		members: []string{"m1: t0 t1", "m2: t0 t1 t2"},
		want:    []string{"m1: t0-0 t1-1", "m2: t1-0 t2-0,1,2"},
	},
	{
		name: "cooperative, a third member joins: what moves is withheld", assignor: CooperativeSticky, topics: "t0×6",
		members: []string{"m0: t0 | t0-0,2,4", "m1: t0 | t0-1,3,5", "m2: t0"},
		want:    []string{"m0: t0-0,2", "m1: t0-1,3", "m2:"},
	},
	{
		name: "cooperative, the rebalance after it: m2 gets what was revoked", assignor: CooperativeSticky, topics: "t0×6",
		members: []string{"m0: t0 | t0-0,2", "m1: t0 | t0-1,3", "m2: t0"},
		want:    []string{"m0: t0-0,2", "m1: t0-1,3", "m2: t0-4,5"},
	},
}

func TestDocumentedExamples(t *testing.T) {
	releases := []string{"2.4.0", "2.5.1", "2.8.0", "2.8.1", "3.0.0", "3.4.1", "3.5.0", "3.5.2", "3.7.1", "3.9.0"}
	for _, ex := range documented {
		t.Run(ex.name, func(t *testing.T) {
			in := readExample(t, ex.topics, ex.members)
			of := releases[max(0, slices.Index(releases, ex.from)):]
			if ex.until != "" {
				of = of[:1+slices.Index(of, ex.until)]
			}
			for _, release := range of {
				res, err := Assign(ex.assignor, rulesOf(t, release), in)
				if err != nil {
					t.Fatal(err)
				}
				for i, m := range in.Members {
					if got, want := showSorted(res.Assigned[i]), showSorted(parts(t, member(ex.want[i], m.ID))); got != want {
						t.Errorf("%s: %s has %s, want %s", release, m.ID, got, want)
					}
				}
			}
		})
	}
}

func member(line, id string) string {
	return strings.TrimPrefix(line, id+":")
}

func readExample(t testing.TB, topics string, members []string) Input {
	var in Input
	for _, s := range strings.Fields(topics) {
		name, n, _ := strings.Cut(s, "×")
		in.Topics = append(in.Topics, Topic{Name: name, Partitions: int32(n[0] - '0')})
	}
	for _, s := range members {
		id, rest, _ := strings.Cut(s, ":")
		subscribed, owned, has := strings.Cut(rest, "|")
		m := Member{ID: id, Topics: strings.Fields(subscribed), Owned: parts(t, owned)}
		if has {
			m.UserDataGeneration, m.SubscriptionGeneration = InGeneration(1), InGeneration(1)
		}
		in.Members = append(in.Members, m)
	}
	return in
}

func showSorted(list []protocol.TopicPartition) string {
	return show(slices.SortedFunc(slices.Values(list), protocol.TopicPartition.Compare))
}
