package sim

import (
	"slices"
	"testing"
)

// asking asks two servers at once, and notes whether it is alone as each answer comes.
type asking struct{ alone []bool }

func (a *asking) Clone() Actor { c := *a; c.alone = slices.Clone(a.alone); return &c }
func (a *asking) Hash(*Hasher) {}
func (a *asking) Step(in *Input, out *Out) {
	switch in.Kind {
	case InputStart:
		for server := range NodeID(2) {
			link, _ := out.Open(server, 0)
			out.Send(link, word{kindAcquire, 0}, 0, 0)
		}
	case InputAnswer:
		a.alone = append(a.alone, out.Alone())
	}
}

// echo answers at once.
type echo struct{}

func (echo) Clone() Actor { return echo{} }
func (echo) Hash(*Hasher) {}
func (echo) Step(in *Input, out *Out) {
	if in.Kind == InputRequest {
		out.Reply(in.Req, word{kindGranted, 0}, 0, 0)
	}
}

// A client is alone if nothing comes before its own turn at the moment; what comes to others
// does not count where the director cannot act on it.
func TestAlone(t *testing.T) {
	later := func(c *Control) { c.SetLatency(2, 1, 2*Millisecond, 0) }
	byTheClock := func(c *Control) { c.w.ByTheClock() }
	for _, x := range []struct {
		what    string
		clients int
		before  []func(c *Control)
		want    []bool // of the first client, at each answer
	}{
		{"two answers at one moment", 1, nil, []bool{false, true}},
		{"one is later", 1, []func(*Control){later}, []bool{true, true}},
		{"others get theirs", 2, nil, []bool{false, false}},
		{"others get theirs, and nobody acts on it", 2, []func(*Control){byTheClock}, []bool{false, true}},
		{"the environment is about to act", 1, []func(*Control){byTheClock, func(c *Control) { c.w.Direct(afterArrivals{}) }}, []bool{false, false}},
		{"a rule may break a connection", 2, []func(*Control){byTheClock, func(c *Control) { c.AddRule(Rule{From: 1, To: 0, Do: Break}) }}, []bool{false, false}},
		{"messages take no time", 1, []func(*Control){byTheClock, func(c *Control) { c.SetLatency(0, 2, 0, 0) }}, []bool{false, false}},
	} {
		w := askingWorld(x.clients, x.before)
		w.Run(Second)
		if got := w.Actor(2).(*asking).alone; !slices.Equal(got, x.want) {
			t.Errorf("%s: alone %v, want %v", x.what, got, x.want)
		}
	}
	w := askingWorld(1, []func(*Control){byTheClock})
	w.Explore(Second)
	for list := w.Choices(nil); len(list) > 0; list = w.Choices(list[:0]) {
		w.Take(list[0])
	}
	if got := w.Actor(2).(*asking).alone; !slices.Equal(got, []bool{false, false}) {
		t.Errorf("where others choose the order: alone %v, want never", got)
	}
}

func askingWorld(clients int, before []func(*Control)) *World {
	w := NewWorld(&Decisions{}, Millisecond, 0)
	w.Add("a", echo{})
	w.Add("b", echo{})
	for i := range clients {
		w.Add(string(rune('c'+i)), &asking{})
	}
	c := NewControl(w)
	for _, do := range before {
		do(c)
	}
	for i := range w.nodes {
		c.Start(NodeID(i), nil)
	}
	return w
}

// afterArrivals is a director that acts at once whenever an answer arrives.
type afterArrivals struct{}

func (afterArrivals) Wake(int32, *Control) {}
func (afterArrivals) Observe(r *Rec, c *Control) {
	if r.Op == OpArrive && r.Msg.Answer {
		c.After(0, 1)
	}
}
func (afterArrivals) Clone() Director { return afterArrivals{} }
func (afterArrivals) Hash(*Hasher)    {}
