package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// Whatever happens in a run with clocks happens without: the same events, in the same
// order, with what the clocks said of deadlines for answers, make everyone send the same and
// the group move the same. Many runs, with faults and late messages, drawn by chance.
func TestRealRunsAreAmongThoseWithoutClocks(t *testing.T) {
	cooperative := strings.ReplaceAll(joining, "[range]", "[cooperative-sticky]")
	static := strings.ReplaceAll(groupText(2, false, "timeline: [{at: 1s, restart: F1}]\n"), "enable.auto", "group.instance.id: '{name}', enable.auto")
	cases := []struct{ name, text, kafka string }{
		{"at rest", groupText(2, false, ""), "3.9"},
		{"lost answers", groupText(3, true, ""), "3.9"},
		{"joining", joining, "3.9"},
		{"joining", joining, "0.11.0.2"},
		{"joining", joining, "2.3"},
		{"joining", joining, "0.10.0.1"},
		{"joining", joining, "broker=4.0-2024-10,client=3.9"},
		{"cooperative", cooperative, "3.9"},
		{"cooperative", cooperative, "2.8"},
		{"static", static, "3.9"},
		{"static", static, "2.4"},
	}
	for _, c := range cases {
		for seed := range uint64(20) {
			if what := shadow(t, c.text, c.kafka, seed); what != "" {
				t.Errorf("%s, Kafka %s, seed %d: %s", c.name, c.kafka, seed, what)
				break
			}
		}
	}
}

// shadow plays a run that is drawn, and beside it the same without clocks. It says where
// they part.
func shadow(t *testing.T, text, kafka string, seed uint64) string {
	s := load(t, text)
	s.EveryTick = true
	var names []string
	for i := range s.Members {
		names = append(names, s.Members[i].Name)
	}
	u := setup(s, Faults{Crash: true, Kill: names, DropAnswer: true, LoseAnswer: true})
	var err error
	if u.Kafka, err = s.Releases(kafka); err != nil {
		t.Fatal(err)
	}
	u.Bound.Late, u.Bound.Faults, u.Bound.Waits = 100, 3, 1000
	with, a, err := newModel(u)
	if err != nil {
		t.Fatal(err)
	}
	u.AnyTime = true
	without, b, err := newModel(u)
	if err != nil {
		t.Fatal(err)
	}
	a.world.TellAsked()
	heardA, heardB := &heard{}, &heard{}
	a.world.Watch(heardA)
	b.world.Watch(heardB)
	armed := map[sim.Setting]int64{} // by node and timer, in milliseconds
	rnd := rand.New(rand.NewPCG(seed, 1))
	for step := range 600 {
		list, _ := with.moves(a, nil, nil)
		if len(list) == 0 {
			return ""
		}
		v := list[0]
		if rnd.IntN(3) == 0 {
			v = list[rnd.IntN(len(list))]
		}
		if (v.step > 0 || v.choice.Kind > sim.ChoiceLate) && rnd.IntN(20) > 0 {
			v = list[0]
		}
		name, same, found := with.name(a, v), move{}, false
		if v.step > 0 || v.choice.Kind != sim.ChoiceMove && v.choice.Kind != sim.ChoiceLate {
			same, found = counterpart(with, a, v, without, b)
			if !found {
				return fmt.Sprintf("step %d: %s cannot happen without clocks", step, name)
			}
		}
		a.world.Answer(nil)
		with.make(a, v)
		if found {
			same.answers = slices.Clone(a.world.Asked())
			for i := range same.answers {
				q := &same.answers[i]
				if q.N == 3 && q.Answer == sim.AskNot && q.Left == armed[sim.Setting{Node: q.Node, Timer: q.Timer.ID}] {
					q.Answer = sim.AskAllLeft
				}
			}
			without.make(b, same)
		}
		for _, x := range a.world.Settings() {
			armed[sim.Setting{Node: x.Node, Timer: x.Timer}] = x.For.Millis()
		}
		if i := heardA.differs(heardB); i >= 0 {
			return fmt.Sprintf("step %d, %s at %s s: with clocks %q, without %q", step, name, a.world.Now(), heardA.at(i), heardB.at(i))
		}
	}
	return ""
}

// counterpart is the same move in another world.
func counterpart(m *model, n *node, v move, other *model, in *node) (move, bool) {
	list, _ := other.moves(in, nil, nil)
	for _, w := range list {
		if v.step != w.step || v.step == 0 && v.choice.Kind != w.choice.Kind {
			continue
		}
		if v.step > 0 || key(n.world, v.choice) == key(in.world, w.choice) {
			return w, true
		}
	}
	return move{}, false
}

// heard is what is sent, and how the group moves.
type heard struct{ list []string }

func (h *heard) Observe(r *sim.Rec) {
	switch r.Op {
	case sim.OpSend:
		h.list = append(h.list, fmt.Sprintf("%d sends %s %x", r.Node, stableName(r.Msg.Client(), &r.Msg), r.Msg.Body.Sum()))
	case sim.OpNote:
		if g, ok := r.Note.Body.(*protocol.GroupChange); ok {
			h.list = append(h.list, fmt.Sprintf("%d has %s in %s, generation %d", r.Node, g.Group, g.To, g.Generation))
		}
	}
}

func (h *heard) at(i int) string {
	if i < len(h.list) {
		return h.list[i]
	}
	return "nothing"
}

// differs is the first place in which two differ, -1 if there is none.
func (h *heard) differs(g *heard) int {
	for i := range max(len(h.list), len(g.list)) {
		if h.at(i) != g.at(i) {
			return i
		}
	}
	return -1
}

// withoutClocks is a search without clocks.
func withoutClocks(s *scenarios.Scenario, f Faults, waits int) Setup {
	u := setup(s, f)
	u.AnyTime, u.Bound.Waits = true, waits
	return u
}

// What is tried alone without clocks loses nothing either: every state from which nothing
// is, is reached with the reduction and without it.
func TestReductionLosesNothingWithoutClocks(t *testing.T) {
	for _, c := range []struct {
		members, waits int
		faults         Faults
	}{
		{1, 1, Faults{}},
		{2, 1, Faults{}},
		{2, 0, Faults{Kill: []string{"L", "F1"}}},
		{1, 1, Faults{Crash: true}},
		{1, 1, Faults{DropAnswer: true}},
	} {
		u := withoutClocks(group(t, c.members, false, ""), c.faults, c.waits)
		all := search1(t, u, Options{FactsOnly: true})
		few := search1(t, u, Options{FactsOnly: true, Reduce: true})
		if all.Waiting > 0 || few.Waiting > 0 || all.Broken != nil || few.Broken != nil {
			t.Fatalf("%+v: %+v, %+v", c, all, few)
		}
		if all.Moments != few.Moments || few.States > all.States || few.Moments.N < 5 {
			t.Errorf("%+v: %d states and %+v, with the reduction %d and %+v", c, all.States, all.Moments, few.States, few.Moments)
		}
		t.Logf("%+v: %d states, with the reduction %d", c, all.States, few.States)
	}
}

// Equal hashes mean equal futures without clocks, too.
func TestStatesThatComeAgainWithoutClocks(t *testing.T) {
	u := withoutClocks(group(t, 1, false, ""), Faults{}, 2)
	u.Bound.States = 1500
	r := search1(t, u, Options{Reduce: true, FactsOnly: true, Exact: true})
	if r.Broken != nil || r.Again < 100 {
		t.Errorf("%+v, %d came again", r.Broken, r.Again)
	}
}

// isMember reports whether L takes itself for a member of the group, and whether the
// coordinator does.
func isMember(w *sim.World) (itself, there bool) {
	if w.Steps() < 2 {
		return true, true // it has not begun
	}
	v, _ := w.Actor(nodeNamed(w, "b1")).(*coordinator.Broker).View("my-group")
	return w.Actor(nodeNamed(w, "L")).(*consumer.Consumer).View().Generation > 0, len(v.Members) > 0
}

// A heartbeat that takes longer than the session is an order that no punctual run has. It
// is found without clocks, its moments are worked out, and a plain run shows it.
func TestWithoutClocksMoreIsFound(t *testing.T) {
	text := strings.Replace(groupText(1, false, ""), "enable.auto", "session.timeout.ms: 6s, enable.auto", 1)
	lost := func(w *sim.World) string {
		if itself, there := isMember(w); !itself && !there {
			return "L is told that it is no member any more"
		}
		return ""
	}
	u := setup(load(t, text), Faults{})
	u.own = lost
	if r := search1(t, u, Options{Reduce: true, FactsOnly: true}); r.Broken != nil || r.Waiting > 0 {
		t.Fatalf("with clocks: %+v", r.Broken)
	}
	u = withoutClocks(load(t, text), Faults{}, 2)
	u.own = lost
	b := search1(t, u, Options{Reduce: true, FactsOnly: true}).Broken
	if b == nil {
		t.Fatal("without clocks nothing is found")
	}
	if p, err := u.Play(b.Path, nil); err != nil || p.Broken == nil || p.Broken.What != b.What {
		t.Errorf("played again: %+v, %v", p, err)
	}
	told := u.Retell(b, text, nil)
	if b.Apart || told == nil {
		t.Fatalf("needs clocks that run apart: %t; told: %+v", b.Apart, told)
	}
	if len(told.Added) > 3 || !slices.ContainsFunc(told.Added, func(s string) bool { return strings.Contains(s, "delay: {message: L.Heartbeat#1") }) {
		t.Errorf("added %q", told.Added)
	}
}

// A member that has not polled for five minutes, when its session of 45 s is not over,
// needs clocks that run apart: this is said, and no scenario is told.
func TestClocksThatRunApart(t *testing.T) {
	text := groupText(1, false, "")
	u := withoutClocks(load(t, text), Faults{}, 1)
	u.own = func(w *sim.World) string {
		if itself, there := isMember(w); !itself && there {
			return "L has left"
		}
		return ""
	}
	b := search1(t, u, Options{Reduce: true, FactsOnly: true}).Broken
	if b == nil || !b.Apart {
		t.Fatalf("found %+v", b)
	}
	if told := u.Retell(b, text, nil); told != nil {
		t.Errorf("told as %q", told.Added)
	}
}

// A member that compares clocks is refused, not misread.
func TestCommitsNeedClocks(t *testing.T) {
	text := strings.ReplaceAll(joining, "enable.auto.commit: false, ", "")
	u := withoutClocks(load(t, text), Faults{}, 1)
	if _, err := u.Search(Options{}); err == nil || !strings.Contains(err.Error(), "L commits by itself") {
		t.Errorf("not refused: %v", err)
	}
}
