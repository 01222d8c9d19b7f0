package assignor

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rebalsim/rebalsim/protocol"
)

func init() {
	// Enough for the shares of input classes to mean something.
	for _, f := range [][2]string{{"rapid.checks", "1500"}, {"rapid.nofailfile", "true"}} {
		if err := flag.Set(f[0], f[1]); err != nil {
			panic(err)
		}
	}
}

// judged are the releases at which some assignor changed.
var judged = []string{
	"0.10.0.1", "2.1.0", "2.4.0", "2.5.1", "2.8.0", "2.8.1", "3.0.0", "3.1.0", "3.4.0", "3.4.1", "3.5.0", "3.5.2", "3.7.1", "3.9.0",
}

var stickyReleases = judged[2:]

// drawnGroup is a random group, and what is special about it.
type drawnGroup struct {
	in      Input
	release string
	rules   protocol.AssignorRules
	classes []string
	// consistent: the claims are what an earlier generation really had.
	consistent bool
}

func (d *drawnGroup) is(class string, yes bool) {
	if yes {
		d.classes = append(d.classes, class)
	}
}

func (d *drawnGroup) has(class string) bool { return slices.Contains(d.classes, class) }

func (d *drawnGroup) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v\n", d.release, d.in.Topics)
	for _, m := range d.in.Members {
		fmt.Fprintf(&b, "%s inst=%q rack=%q %v owned %s in %v/%v\n", m.ID, m.InstanceID, m.Rack, m.Topics,
			show(m.Owned), m.UserDataGeneration, m.SubscriptionGeneration)
	}
	return b.String()
}

var (
	topicNames = []string{"t0", "t1", "orders", "AaAa", "AaBB", "BBBB", "é\U0001F600"}
	memberIDs  = []string{"C0", "C1", "C2", "consumer-1-9b2c", "AaBBAa", "BBAaAa", "AaAaAa", "zz", "\uFFEE", "m10"}
	rackNames  = []string{"r0", "r1", "r2"}
)

// drawGroup draws a group for the sticky pair or, with releases before 2.4.0,
// for the others.
func drawGroup(t *rapid.T, releases []string) *drawnGroup {
	d := &drawnGroup{release: rapid.SampledFrom(releases).Draw(t, "release"), consistent: true}
	r, err := protocol.ParseRelease(d.release)
	if err != nil {
		t.Fatal(err)
	}
	d.rules = protocol.AssignorRulesOf(r)

	names := rapid.Permutation(topicNames).Draw(t, "names")[:rapid.IntRange(1, 5).Draw(t, "topics")]
	most := rapid.SampledFrom([]int32{2, 4, 9}).Draw(t, "most")
	for _, name := range names {
		d.in.Topics = append(d.in.Topics, Topic{Name: name, Partitions: rapid.Int32Range(0, most).Draw(t, "partitions")})
	}
	ids := rapid.Permutation(memberIDs).Draw(t, "ids")[:rapid.IntRange(1, 7).Draw(t, "members")]
	equal := rapid.Bool().Draw(t, "equal")
	odd := rapid.IntRange(0, 9).Draw(t, "odd") // unknown names, members without topics
	static := rapid.IntRange(0, 3).Draw(t, "static") == 0
	for i, id := range ids {
		m := Member{ID: id, Topics: drawTopics(t, names, equal)}
		if odd == 0 {
			m.Topics = append(m.Topics, "unknown")
		}
		if odd == 1 && rapid.IntRange(0, 2).Draw(t, "none") == 0 {
			m.Topics = nil
		}
		if static && rapid.Bool().Draw(t, "instance") {
			m.InstanceID = fmt.Sprintf("i%d", (i*7)%10)
		}
		d.in.Members = append(d.in.Members, m)
	}
	if rapid.IntRange(0, 2).Draw(t, "racks") == 0 {
		d.drawRacks(t)
	}
	d.drawClaims(t)
	d.classify()
	return d
}

func drawTopics(t *rapid.T, names []string, equal bool) []string {
	topics := slices.Clone(rapid.Permutation(names).Draw(t, "subscription"))
	if !equal {
		topics = topics[:rapid.IntRange(1, len(names)).Draw(t, "subscribed")]
	}
	return topics
}

func (d *drawnGroup) drawRacks(t *rapid.T) {
	racks := rackNames[:rapid.IntRange(1, 3).Draw(t, "rack names")]
	for i := range d.in.Members {
		if rapid.IntRange(0, 5).Draw(t, "racked") > 0 {
			d.in.Members[i].Rack = rapid.SampledFrom(racks).Draw(t, "rack")
		}
	}
	for i := range d.in.Topics {
		for range d.in.Topics[i].Partitions {
			of := rapid.SliceOfN(rapid.SampledFrom(rackNames), 0, 2).Draw(t, "replicas")
			d.in.Topics[i].Racks = append(d.in.Topics[i].Racks, of)
		}
	}
}

// drawClaims gives the members a past: none, the assignment of a generation
// before something changed, such a one with members that were away, or nonsense.
func (d *drawnGroup) drawClaims(t *rapid.T) {
	past := rapid.SampledFrom([]string{"fresh", "consistent", "consistent", "stale", "contradictory"}).Draw(t, "past")
	d.is(past, true)
	if past == "fresh" {
		return
	}
	if past == "contradictory" {
		d.consistent = false
		for i := range d.in.Members {
			m := &d.in.Members[i]
			n := rapid.IntRange(0, 6).Draw(t, "claims")
			for range n {
				topic := rapid.SampledFrom(d.in.Topics).Draw(t, "claimed")
				m.Owned = append(m.Owned, protocol.TopicPartition{
					Topic: topic.Name, Partition: rapid.Int32Range(0, topic.Partitions).Draw(t, "number"),
				})
			}
			m.setGeneration(rapid.Int32Range(3, 5).Draw(t, "generation"))
		}
		return
	}
	d.remember(t, 5, func(int) bool { return true })
	if past == "stale" {
		away := rapid.IntRange(0, len(d.in.Members)-1).Draw(t, "away")
		d.consistent = false
		d.remember(t, 4, func(i int) bool { return i == away })
	}
}

func (m *Member) setGeneration(n int32) {
	m.UserDataGeneration, m.SubscriptionGeneration = InGeneration(n), InGeneration(n)
}

// remember gives some members what they would have had in a group that was a
// little different.
func (d *drawnGroup) remember(t *rapid.T, generation int32, whom func(i int) bool) {
	before := Input{Topics: slices.Clone(d.in.Topics), Members: slices.Clone(d.in.Members)}
	for i := range before.Members {
		before.Members[i].Owned = nil
		before.Members[i].UserDataGeneration, before.Members[i].SubscriptionGeneration = Generation{}, Generation{}
	}
	joined := ""
	switch change := rapid.SampledFrom([]string{"nothing", "joined", "left", "left", "grown", "resubscribed"}).Draw(t, "change"); change {
	case "joined":
		joined = before.Members[len(before.Members)-1].ID
		before.Members = before.Members[:len(before.Members)-1]
		d.is(change, true)
	case "left":
		gone := before.Members[0]
		gone.ID = "gone"
		gone.InstanceID = ""
		before.Members = append(before.Members, gone)
		d.is(change, true)
	case "grown":
		before.Topics[0].Partitions /= 2
		before.Topics[0].Racks = nil
		d.is(change, true)
	case "resubscribed":
		m := &before.Members[0]
		m.Topics = append(slices.Clone(m.Topics[:len(m.Topics)/2]), before.Topics[0].Name)
		slices.Sort(m.Topics)
		m.Topics = slices.Compact(m.Topics)
		d.is(change, true)
	}
	rules := d.rules
	if rules.Sticky != protocol.StickyBoth {
		rules = rulesOf(t, "3.9.0") // the other assignors do not look at claims
	}
	res, err := Assign(Sticky, rules, before)
	if d.mayThrow(Sticky, err) {
		return
	}
	if err != nil {
		t.Fatalf("%v\n%v", err, d)
	}
	for i := range before.Members {
		m := &before.Members[i]
		if m.ID == joined || m.ID == "gone" || !whom(i) {
			continue
		}
		d.in.Members[i].Owned = GroupByTopic(res.Assigned[i])
		d.in.Members[i].setGeneration(generation)
	}
}

// mayThrow says that the error is an exception that Kafka's assignor really
// throws: on contradictory claims, and on good input because of a defect.
func (d *drawnGroup) mayThrow(assignor string, err error) bool {
	var thrown *ThrownError
	switch {
	case !errors.As(err, &thrown):
		return false
	case d.rules.StickyEqual == protocol.StickyEqualRacks && d.in.racked():
		return true // KAFKA-15170: the rack round fills too many members to the upper quota
	case assignor == CooperativeSticky && d.rules.StickyClaims == protocol.StickyClaimsHighest && d.has("stale"):
		return true // KAFKA-12984: owned partitions have no generation, so two members are believed
	}
	// A previous owner that is out of the balancing can be one that was away.
	return d.has("contradictory") || d.has("stale") && thrown.Class == "NullPointerException"
}

func (in *Input) racked() bool {
	return slices.ContainsFunc(in.Members, func(m Member) bool { return m.Rack != "" })
}

func (d *drawnGroup) classify() {
	g, err := newGroup(d.rules, d.in)
	if err != nil {
		return
	}
	equal, _ := g.equalSubscriptions()
	d.is("equal", equal)
	d.is("unequal", !equal)
	for _, m := range d.in.Members {
		d.is("static", m.InstanceID != "")
		d.is("racks", m.Rack != "")
		d.is("no topics", len(m.Topics) == 0)
		d.is("unknown topic", slices.Contains(m.Topics, "unknown"))
	}
	for _, t := range d.in.Topics {
		d.is("empty topic", t.Partitions == 0)
	}
	d.is("nothing to assign", g.total == 0)
	d.is("fewer partitions than members", g.total > 0 && int(g.total) < len(d.in.Members))
	slices.Sort(d.classes)
	d.classes = slices.Compact(d.classes)
}

// shares counts how often each class of input came up.
type shares struct {
	total int
	names []string
	count []int
}

func (s *shares) add(classes ...string) {
	s.total++
	for _, c := range classes {
		i := slices.Index(s.names, c)
		if i < 0 {
			i = len(s.names)
			s.names, s.count = append(s.names, c), append(s.count, 0)
		}
		s.count[i]++
	}
}

// log prints the shares and fails if a class that is wanted came up in less than
// one case of a hundred.
func (s *shares) log(t *testing.T, wanted ...string) {
	t.Helper()
	for _, c := range wanted {
		if i := slices.Index(s.names, c); i < 0 || 100*s.count[i] < s.total {
			t.Errorf("class %q hardly ever came up", c)
		}
	}
	var b strings.Builder
	order := slices.Sorted(slices.Values(s.names))
	for _, c := range order {
		fmt.Fprintf(&b, ", %s %.1f %%", c, 100*float64(s.count[slices.Index(s.names, c)])/float64(s.total))
	}
	t.Logf("%d cases: %s", s.total, strings.TrimPrefix(b.String(), ", "))
}
