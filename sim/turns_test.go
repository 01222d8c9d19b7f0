package sim

import (
	"slices"
	"testing"
)

// waker sets a timer for each of its two threads, the later the lower its number, all to
// go off at one moment, and notes their turns.
type waker struct{ tick, user TimerID }

func (k *waker) Step(in *Input, out *Out) {
	switch in.Kind {
	case InputStart:
		k.user = out.NewTimer(ClassUser, 2, 0)
		k.tick = out.NewTimer(ClassTick, 1, 0)
		out.Arm(k.user, 10-int64(out.Self()))
	case InputTimer:
		if in.Timer.Kind == 2 && out.Now() < 20 { // nodes get here in the reverse of their order
			out.Arm(k.user, 20-out.Now())
			out.Arm(k.tick, 20-out.Now())
			return
		}
		out.Note(Note{A: int64(in.Timer.Kind), B: int64(out.Self())}, 0, 0)
	}
}

func (k *waker) Clone() Actor { c := *k; return &c }
func (k *waker) Hash(*Hasher) {}

// turns are the threads, as kind and node, that had a turn.
type turns [][2]int64

func (t *turns) Observe(r *Rec) {
	if r.Op == OpNote {
		*t = append(*t, [2]int64{r.Note.A, r.Note.B})
	}
}

func TestTurnsByNode(t *testing.T) {
	w := NewWorld(&Decisions{}, 0, 0)
	for _, name := range []string{"a", "b", "c"} {
		w.control.Start(w.Add(name, &waker{}), nil)
	}
	w = w.Fork() // a fork takes turns as its origin does
	var got turns
	w.Watch(&got)
	w.Run(Second)
	if want := (turns{{1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}}); !slices.Equal(got, want) {
		t.Errorf("turns are %v, want %v", got, want)
	}
}
