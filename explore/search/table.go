package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// Rejoin is a group of which every member joins again, perhaps together with a new one.
// Only the order in which their JoinGroups reach the coordinator is open: what else
// happens goes its plain way. So N! orders come from a few states.
type Rejoin struct {
	Members int // of the formed group, 2 or more
	New     bool
	// Orders are all orders of arrival, by the members' names, with those who were
	// answered at once.
	Orders []Order
	// States is how many different states there were.
	States int
}

// Order is an order of arrival, and who was answered at once in it.
type Order struct {
	Arrivals []string
	AtOnce   []string
}

// newcomer is the name of the new member.
const newcomer = "N"

// NewRejoin plays the orders of n members of a group that is formed as the scenario's is:
// with the releases given, and the answers lost that its leader and its followers lost.
func NewRejoin(s *scenarios.Scenario, kafka scenarios.Kafka, n int, new bool) (*Rejoin, error) {
	text, err := rejoinText(s, n, new)
	if err != nil {
		return nil, err
	}
	one, err := scenarios.Load("rejoin.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	one.Force = s.Force
	m, root, err := newModel(Setup{Scenario: one, Kafka: kafka, Bound: Bound{Horizon: sim.Hour}})
	if err != nil {
		return nil, err
	}
	t := &rejoining{model: m, after: make(map[uint64]map[sim.NodeID]arrived)}
	if err := t.assemble(root.world); err != nil {
		return nil, err
	}
	r := &Rejoin{Members: n, New: new}
	t.orders(root.world, nil, nil, func(o Order) { r.Orders = append(r.Orders, o) })
	r.States = len(t.after)
	return r, nil
}

// rejoinText is the scenario of n members that join again.
func rejoinText(s *scenarios.Scenario, n int, new bool) (string, error) {
	if s.Formed == nil || len(s.Formed.LostAnswers) == 0 {
		return "", fmt.Errorf("%s: the table needs a group that is formed, whose members lost answers (start: {formed: {lost-answers: …}})", s.Name)
	}
	leader, followers := "SyncGroup", "JoinGroup"
	for _, l := range s.Formed.LostAnswers {
		if l.Member == s.Formed.Leader {
			leader = protocol.KindName(l.Request)
		} else {
			followers = protocol.KindName(l.Request)
		}
	}
	members, lost := []string{"L"}, []string{"L: " + leader}
	for i := 1; i < n; i++ {
		f := fmt.Sprintf("F%d", i)
		members, lost = append(members, f), append(lost, f+": "+followers)
	}
	formed := strings.Join(members, ", ")
	if new {
		members = append(members, newcomer)
	}
	return fmt.Sprintf(`about: members join again
topics: {orders: {partitions: %d}}
group: {id: my-group, config: {enable.auto.commit: false, partition.assignment.strategy: [range]}}
members: {%s: {}}
start: {formed: {leader: L, generation: 2, state: Stable, members: [%s], lost-answers: {%s}}}
`, 2*n, strings.Join(members, ": {}, "), formed, strings.Join(lost, ", ")), nil
}

// rejoining plays orders of arrival.
type rejoining struct {
	*model
	after map[uint64]map[sim.NodeID]arrived
}

// arrived is what an arrival led to.
type arrived struct {
	world  *sim.World
	atOnce bool
}

// races reports whether a choice is the arrival of a JoinGroup whose place in the order is
// open. That of a new member is, once it asks with an id (KIP-394).
func (t *rejoining) races(w *sim.World, c sim.Choice) bool {
	if c.Kind != sim.ChoiceArrive {
		return false
	}
	msg := w.Message(c)
	q, ok := msg.Body.(*protocol.JoinGroupRequest)
	if !ok {
		return false
	}
	b := w.Actor(msg.To).(*coordinator.Broker)
	return q.Member != "" || !b.Config().Rules.MemberIDRequired || q.Version < 4
}

// assemble plays until the JoinGroups of all are on their way.
func (t *rejoining) assemble(w *sim.World) error {
	for range 100_000 {
		choices := w.Choices(nil)
		next, waiting := -1, 0
		for i, c := range choices {
			if t.races(w, c) {
				waiting++
			} else if next < 0 {
				next = i
			}
		}
		switch {
		case waiting == len(t.clients) && next < 0:
			return nil
		case next >= 0:
			w.Take(choices[next])
		case waiting > 0:
			for _, c := range choices {
				w.Take(c.As(sim.ChoiceLate))
			}
		default:
			return fmt.Errorf("nothing happens any more, and not all have asked")
		}
		if w.Now() > sim.Minute {
			break
		}
	}
	return fmt.Errorf("a minute has gone, and not all members have asked to join: with these releases the group does something else")
}

// orders tries every arrival that is left, each in every state once.
func (t *rejoining) orders(w *sim.World, before, atOnce []string, f func(Order)) {
	if len(before) == len(t.clients) {
		f(Order{slices.Clone(before), slices.Clone(atOnce)})
		return
	}
	key := w.StateHash()
	if t.after[key] == nil {
		t.after[key] = make(map[sim.NodeID]arrived)
	}
	for _, id := range t.clients {
		name := w.Name(id)
		if slices.Contains(before, name) {
			continue
		}
		a, ok := t.after[key][id]
		if !ok {
			a = t.arrive(w, id)
			t.after[key][id] = a
		}
		with := atOnce
		if a.atOnce {
			with = append(slices.Clip(atOnce), name)
		}
		t.orders(a.world, append(slices.Clip(before), name), with, f)
	}
}

// arrive lets a member's JoinGroup arrive, and then all else that happens at the moment
// but the other JoinGroups.
func (t *rejoining) arrive(w *sim.World, id sim.NodeID) arrived {
	f := w.Fork()
	a := arrived{world: f}
	for _, c := range f.Choices(nil) {
		if t.races(f, c) && f.Message(c).From == id {
			saw := &sawAnswer{to: id}
			f.Watch(saw)
			f.Take(c)
			a.atOnce = saw.yes && !saw.moved
			break
		}
	}
	for {
		choices := f.Choices(nil)
		i := slices.IndexFunc(choices, func(c sim.Choice) bool { return c.Kind != sim.ChoiceMove && !t.races(f, c) })
		if i < 0 {
			a.world = f.Fork() // without the watcher
			return a
		}
		f.Take(choices[i])
	}
}

// sawAnswer looks for an answer to a member's JoinGroup that does not move the group. The
// one that completes a round is answered by its arrival, too, and that is another matter.
type sawAnswer struct {
	to    sim.NodeID
	yes   bool
	moved bool
}

// Observe takes one record.
func (s *sawAnswer) Observe(r *sim.Rec) {
	if r.Op == sim.OpSend && r.Msg.Answer && r.Msg.To == s.to && r.Msg.Kind() == protocol.KindJoinGroup {
		s.yes = true
	}
	if r.Op == sim.OpNote && r.Note.Code == protocol.NoteGroup {
		s.moved = true
	}
}

// Outcome is what several orders have in common: who was answered at once.
type Outcome struct {
	AtOnce []string // sorted
	Orders int
	First  []string // the first of the orders
}

// Outcomes sums up the orders: few answered at once come first.
func (r *Rejoin) Outcomes() []Outcome {
	var list []Outcome
	for _, o := range r.Orders {
		who := slices.Sorted(slices.Values(o.AtOnce))
		i := slices.IndexFunc(list, func(x Outcome) bool { return slices.Equal(x.AtOnce, who) })
		if i < 0 {
			i = len(list)
			list = append(list, Outcome{AtOnce: who, First: o.Arrivals})
		}
		list[i].Orders++
	}
	slices.SortStableFunc(list, func(a, b Outcome) int {
		if d := len(a.AtOnce) - len(b.AtOnce); d != 0 {
			return d
		}
		return slices.Compare(a.AtOnce, b.AtOnce)
	})
	return list
}
