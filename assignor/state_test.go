package assignor

import (
	"errors"
	"slices"
	"testing"
)

// Since 3.0.0 an assignor object remembers the highest generation it has seen
// (KAFKA-12984). A group that starts over with the same client objects has its
// claims taken for old ones until it gets there again.
func TestTopGenerationIsRemembered(t *testing.T) {
	in := readExample(t, "t0×4", []string{"m0: t0 | t0-2,3", "m1: t0 | t0-0,1"})
	for i := range in.Members {
		in.Members[i].setGeneration(7)
	}
	kept := []string{"t0-2,3", "t0-0,1"}
	for _, c := range []struct {
		release string
		top     State
		want    []string
		after   State
	}{
		{"2.8.2", State{InGeneration(9)}, kept, State{InGeneration(9)}}, // not looked at
		{"3.0.0", State{}, kept, State{InGeneration(7)}},
		{"3.0.0", State{InGeneration(7)}, kept, State{InGeneration(7)}},
		{"3.0.0", State{InGeneration(9)}, []string{"t0-0,2", "t0-1,3"}, State{InGeneration(9)}},
		{"3.9.0", State{InGeneration(9)}, kept, State{InGeneration(9)}}, // nobody else claims them (KAFKA-14639)
	} {
		in.State = c.top
		res, err := Assign(Sticky, rulesOf(t, c.release), in)
		if err != nil {
			t.Fatal(err)
		}
		for i := range in.Members {
			if got := showSorted(res.Assigned[i]); got != c.want[i] {
				t.Errorf("%s after %v: %s has %s, want %s", c.release, c.top, in.Members[i].ID, got, c.want[i])
			}
		}
		if res.State != c.after {
			t.Errorf("%s after %v: now %v, want %v", c.release, c.top, res.State, c.after)
		}
	}
}

// The order of the member map can be given instead of following from the ids.
func TestMemberOrderIsGiven(t *testing.T) {
	in := readExample(t, "t0×2", []string{"m0: t0", "m1: t0", "m2: t0"})
	rules := rulesOf(t, "2.8.0") // deals fewer partitions than members in the order of the map
	for _, c := range []struct {
		order []int
		want  []string
	}{
		{nil, []string{"t0-0", "t0-1", ""}},
		{[]int{0, 1, 2}, []string{"t0-0", "t0-1", ""}},
		{[]int{2, 0, 1}, []string{"t0-1", "", "t0-0"}},
	} {
		in.MemberOrder = c.order
		res, err := Assign(Sticky, rules, in)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got := show(res.Assigned[i]); got != want {
				t.Errorf("%v: %s has %q, want %q", c.order, in.Members[i].ID, got, want)
			}
		}
	}
	for _, order := range [][]int{{}, {0, 1}, {0, 1, 3}, {0, 1, 1}, {0, 1, 2, 2}, {-1, 0, 1}} {
		in.MemberOrder = order
		if _, err := Assign(Sticky, rules, in); !errors.Is(err, ErrInput) {
			t.Errorf("%v: %v", order, err)
		}
	}
}

// Partitions of topics whose names differ in the tens collide in Java's tables.
func TestTreeBinsAreTold(t *testing.T) {
	var in Input
	for i := range 30 {
		in.Topics = append(in.Topics, Topic{Name: "topic-" + string(rune('0'+i/10)) + string(rune('0'+i%10)), Partitions: 9})
	}
	names := make([]string, len(in.Topics))
	var owned Member
	for i, topic := range in.Topics {
		names[i] = topic.Name
		owned.Owned = append(owned.Owned, parts(t, topic.Name+"-0,1,2,3,4,5,6,7,8")...)
	}
	owned.ID, owned.Topics = "m0", names
	in.Members = []Member{owned, {ID: "m1", Topics: names[1:]}}
	res, err := Assign(CooperativeSticky, rulesOf(t, "2.8.0"), in)
	if err != nil || res.TreeBins {
		t.Errorf("three tens: %v, %v", res.TreeBins, err)
	}
	for i := 30; i < 120; i++ {
		name := "topic-" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		in.Topics = append(in.Topics, Topic{Name: name, Partitions: 9})
		in.Members[0].Topics = append(slices.Clone(in.Members[0].Topics), name)
		in.Members[0].Owned = append(in.Members[0].Owned, parts(t, name+"-0,1,2,3,4,5,6,7,8")...)
	}
	res, err = Assign(CooperativeSticky, rulesOf(t, "2.8.0"), in)
	if err != nil || !res.TreeBins {
		t.Errorf("twelve tens: %v, %v", res.TreeBins, err)
	}
}
