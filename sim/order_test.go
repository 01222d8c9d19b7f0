package sim

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The order of events, stated once more and naively: a list that is sorted anew for
// every event.
type naive struct {
	now    Time
	seq    int
	timers []naiveTimer
}

type naiveTimer struct {
	id       TimerID
	class    Class
	arg      int32
	armed    bool
	at       Time
	priority int
	seq      int // of the last setting
}

func (m *naive) next() *naiveTimer {
	var armed []*naiveTimer
	for i := range m.timers {
		if t := &m.timers[i]; t.armed && t.class != ClassPassive {
			armed = append(armed, t)
		}
	}
	if len(armed) == 0 {
		return nil
	}
	return slices.MinFunc(armed, func(a, b *naiveTimer) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.class, b.class),
			cmp.Compare(a.priority, b.priority), cmp.Compare(a.seq, b.seq))
	})
}

// TestTimersAgainstModel makes, arms, puts off, brings forward, disarms, frees and
// reuses timers of all classes and priorities at random, and compares what goes off, and
// in which order, with the naive list.
func TestTimersAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var real timers
		var m naive
		fire := func() {
			want := m.next()
			for len(q.heap) > 0 {
				e := q.pop()
				due := real.due(&e, &q)
				q.settle()
				if !due {
					continue
				}
				fired, ref := real.fire(e.slot)
				if want == nil {
					t.Fatalf("fired %v, model has none", fired)
				}
				if fired.ID != want.id || fired.Arg != want.arg || e.at != want.at || ref != Ref(want.seq) {
					t.Fatalf("fired %v at %v set by %d, model %+v", fired, e.at, ref, *want)
				}
				want.armed = false
				m.now = e.at
				return
			}
			if want != nil {
				t.Fatalf("nothing fired, model has %+v", *want)
			}
		}
		ops := []func(x *naiveTimer){
			func(x *naiveTimer) {
				m.seq++
				x.armed, x.seq = true, m.seq
				x.at = m.now + Time(rapid.IntRange(0, 4).Draw(t, "after"))
				x.priority = rapid.IntRange(0, 2).Draw(t, "priority")
				real.slots[x.id].arm(x.id, x.at, eventKey(x.class, x.priority, q.next()), Ref(m.seq), &q, 0)
			},
			func(*naiveTimer) { fire() },
			func(x *naiveTimer) {
				x.armed = false
				real.disarm(x.id)
			},
			func(x *naiveTimer) {
				real.release(x.id)
				real.release(x.id)
				m.timers = slices.DeleteFunc(m.timers, func(y naiveTimer) bool { return y.id == x.id })
			},
			func(*naiveTimer) {
				if rapid.IntRange(0, 9).Draw(t, "crash") == 9 {
					real.clear()
					m.timers = nil
				}
			},
			func(*naiveTimer) {
				real = real.clone()
				q.heap = slices.Clone(q.heap)
			},
		}
		arg := int32(0)
		for range rapid.IntRange(1, 200).Draw(t, "length") {
			for len(m.timers) < 4 {
				arg++
				class := rapid.SampledFrom([]Class{ClassTimer, ClassTick, ClassUser, ClassPassive}).Draw(t, "class")
				m.timers = append(m.timers, naiveTimer{id: real.make(class, 0, arg), class: class, arg: arg})
			}
			x := &m.timers[rapid.IntRange(0, len(m.timers)-1).Draw(t, "timer")]
			op := rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5}).Draw(t, "op")
			ops[op](x)
			for i, x := range m.timers {
				for _, y := range m.timers[:i] {
					if x.id == y.id {
						t.Fatalf("two timers in slot %d", x.id)
					}
				}
				if s := &real.slots[x.id]; x.armed != (s.deadline != never) || x.armed && s.deadline != x.at {
					t.Fatalf("%+v, model %+v", *s, x)
				}
			}
		}
		for m.next() != nil {
			fire()
		}
		fire()
	})
}

// A timer that is put off again and again has one entry in the queue.
func TestPuttingOffIsSilent(t *testing.T) {
	p := newPair(Millisecond)
	var timer TimerID
	p.clientAt(10, func(out *Out) { timer = out.NewTimer(ClassUser, 1, 1); out.Arm(timer, 50) })
	for ms := range int64(30) {
		p.clientAt(11+ms, func(out *Out) { out.Arm(timer, 50) })
	}
	p.run(t, 41)
	if n := len(p.queue.heap); n != 1 {
		t.Errorf("%d entries in the queue", n)
	}
	p.Run(Second)
	same(t, "client", p.client.got, "0.090 timer 1")
}

// Run ends at its moment also if an entry in the queue turns out to be stale.
func TestRunEndsInTime(t *testing.T) {
	p := newPair(Millisecond)
	p.clientAt(10, func(out *Out) {
		timer := out.NewTimer(ClassUser, 1, 1)
		out.Arm(timer, 10)
		out.Arm(timer, 500)
	})
	p.run(t, 100)
	if same(t, "client", p.client.got); p.Now() != 100*Millisecond {
		t.Errorf("now %v", p.Now())
	}
	p.Run(510 * Millisecond)
	same(t, "client", p.client.got, "0.510 timer 1")
}

func TestTimersGoByTheNodesClock(t *testing.T) {
	p := newPair(1700)
	p.server.do = func(in *Input, out *Out) {
		if in.Kind == InputRequest {
			timer := func(n int32, ms int64) { out.Arm(out.NewTimer(ClassTimer, 1, n), ms) }
			timer(1, 0)
			timer(2, 1)
			timer(3, 2)
			timer(4, 1<<63-1) // longer than any run
			timer(5, -1<<63)
			far := out.NewTimer(ClassPassive, 1, 6)
			out.Arm(far, 3)
			out.Note(Note{Code: 1, A: out.Now(), B: out.Left(far)}, 0, 0)
		}
	}
	p.sendAt(10, 1)
	p.run(t, 1000)
	same(t, "server", p.server.got, "0.0117 ?1", "0.0117 timer 1", "0.0117 timer 5", "0.012 timer 2", "0.013 timer 3")
	for _, r := range p.tape.recs {
		if r.Op == OpNote && (r.Note.A != 11 || r.Note.B != 3) {
			t.Errorf("clock %d, left %d", r.Note.A, r.Note.B)
		}
	}
}

// All that can happen in one instant, set up in the opposite order.
func TestOneInstant(t *testing.T) {
	p := newPair(10 * Millisecond)
	var log []string
	say := func(who, what string) { log = append(log, who+" "+what) }
	timer := func(out *Out, class Class, n int32, ms int64) TimerID {
		id := out.NewTimer(class, 1, n)
		out.Arm(id, ms)
		return id
	}
	p.client.do = func(in *Input, out *Out) {
		switch in.Kind {
		case InputCommand:
			in.Body.(order).do(out)
		case InputTimer:
			say("c", fmt.Sprint("timer ", in.Timer.Arg))
		case InputAnswer:
			say("c", fmt.Sprint("answer ", in.Msg.Body.(word).n))
		}
	}
	var parked []Request
	p.server.do = func(in *Input, out *Out) {
		switch in.Kind {
		case InputStart:
			first := timer(out, ClassTimer, 1, 5)
			timer(out, ClassTimer, 2, 100)
			out.Arm(first, 100) // set last: goes last, though its entry is older
		case InputRequest:
			say("s", fmt.Sprint("request ", in.Msg.Body.(word).n))
			parked = append(parked, in.Req)
		case InputTimer:
			say("s", fmt.Sprint("timer ", in.Timer.Arg))
		case InputCommand:
			out.Reply(parked[0], word{kindDone, 1}, 0, 0)
		}
	}
	p.clientAt(1, func(out *Out) {
		timer(out, ClassUser, 1, 99)
		timer(out, ClassTick, 2, 99)
		timer(out, ClassUser, 3, 99)
		a, _ := out.Open(srv, 0)
		out.Send(a, word{kindAcquire, 1}, 0, 0)
	})
	p.clientAt(90, func(out *Out) {
		b, _ := out.Open(srv, 1)
		out.Send(b, word{kindAcquire, 2}, 0, 0)
		c, _ := out.Open(srv, 2)
		out.Send(c, word{kindAcquire, 3}, 0, 0)
	})
	p.at(90, func(c *Control) { c.Command(srv, nil) })
	p.at(100, func(c *Control) { say("d", "acts") })
	p.run(t, 200)
	same(t, "order", log, "s request 1", "d acts", "s timer 2", "s timer 1", "s request 2", "s request 3", "c answer 1",
		"c timer 2", "c timer 1", "c timer 3")
}

func TestTimeString(t *testing.T) {
	for _, c := range []struct {
		at   Time
		want string
	}{{0, "0.000"}, {3107 * Millisecond, "3.107"}, {500, "0.0005"}, {-Second - 1, "-1.000001"}, {Hour, "3600.000"}} {
		if got := c.at.String(); got != c.want {
			t.Errorf("%d: %s, want %s", int64(c.at), got, c.want)
		}
	}
}
