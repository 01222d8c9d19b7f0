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

// A client is alone if neither another message nor the environment comes to it at the moment.
func TestAlone(t *testing.T) {
	for _, c := range []struct {
		what string
		acts []act
		want []bool
	}{
		{"two answers at one moment", nil, []bool{false, true}},
		{"one is later", []act{{0, func(c *Control) { c.SetLatency(2, 1, 2*Millisecond, 0) }}}, []bool{true, true}},
	} {
		if got := answersAlone(c.acts, func(w *World) { w.Run(Second) }); !slices.Equal(got, c.want) {
			t.Errorf("%s: alone %v, want %v", c.what, got, c.want)
		}
	}
	chosen := answersAlone(nil, func(w *World) {
		w.Explore(Second)
		for list := w.Choices(nil); len(list) > 0; list = w.Choices(list[:0]) {
			w.Take(list[0])
		}
	})
	if !slices.Equal(chosen, []bool{false, false}) {
		t.Errorf("where others choose the order: alone %v, want never", chosen)
	}
	// What the environment does because of what came is before all else of the moment.
	w := askingWorld(nil)
	w.Direct(&afterArrivals{})
	NewControl(w).Start(2, nil)
	w.Run(Second)
	if got := w.Actor(2).(*asking).alone; !slices.Equal(got, []bool{false, false}) {
		t.Errorf("with the environment about to act: alone %v, want never", got)
	}
}

func askingWorld(acts []act) *World {
	w := NewWorld(&Decisions{}, Millisecond, 0)
	w.Add("a", echo{})
	w.Add("b", echo{})
	w.Add("c", &asking{})
	c := NewControl(w)
	c.Start(0, nil)
	c.Start(1, nil)
	for _, a := range acts {
		a.do(c)
	}
	return w
}

func answersAlone(acts []act, run func(*World)) []bool {
	w := askingWorld(acts)
	NewControl(w).Start(2, nil)
	run(w)
	return w.Actor(2).(*asking).alone
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
