package sim

import (
	"fmt"
	"testing"
)

// idler is an actor that does nothing but set its timer again: the kernel's floor.
type idler struct {
	timer  TimerID
	period int64
}

func (a *idler) Step(in *Input, out *Out) {
	if in.Kind == InputStart {
		a.timer = out.NewTimer(ClassUser, 1, 0)
	}
	out.Arm(a.timer, a.period)
}

func (a *idler) Clone() Actor   { c := *a; return &c }
func (a *idler) Hash(h *Hasher) {}

// pinger sends the same request again as soon as it is answered, or answers.
type pinger struct {
	client bool
	link   LinkID
	body   Body
}

func (a *pinger) Step(in *Input, out *Out) {
	switch {
	case in.Kind == InputRequest:
		out.Reply(in.Req, a.body, 0, 0)
	case a.client && in.Kind == InputStart:
		a.link, _ = out.Open(0, 0)
		fallthrough
	case in.Kind == InputAnswer:
		out.Send(a.link, a.body, 0, 0)
	}
}

func (a *pinger) Clone() Actor   { c := *a; return &c }
func (a *pinger) Hash(h *Hasher) {}

// sessions is a server with a session timer for each client, which every request puts
// off: what heartbeats do to a coordinator. Clients of it send every 3 s.
type sessions struct {
	timers []TimerID
	body   Body
}

func (a *sessions) Step(in *Input, out *Out) {
	if in.Kind != InputRequest {
		return
	}
	for len(a.timers) <= int(in.Link) {
		a.timers = append(a.timers, out.NewTimer(ClassTimer, 1, int32(len(a.timers))))
	}
	out.Arm(a.timers[in.Link], 45_000)
	out.Reply(in.Req, a.body, 0, 0)
}

func (a *sessions) Clone() Actor   { c := *a; return &c }
func (a *sessions) Hash(h *Hasher) {}

type heartbeater struct {
	pinger
	tick  TimerID
	limit TimerID
}

func (a *heartbeater) Step(in *Input, out *Out) {
	switch in.Kind {
	case InputStart:
		a.tick, a.limit = out.NewTimer(ClassTick, 1, 0), out.NewTimer(ClassTick, 2, 0)
		a.link, _ = out.Open(0, 0)
		fallthrough
	case InputTimer:
		out.Send(a.link, a.body, 0, 0)
		out.Arm(a.tick, 3000)
		out.Arm(a.limit, 30_000)
	case InputAnswer:
		out.Disarm(a.limit)
	}
}

func (a *heartbeater) Clone() Actor { c := *a; return &c }

// benchWorld starts a server and n clients, one a microsecond, and lets them settle.
func benchWorld(server Actor, client func(i int) Actor, n int, chance *Decisions, spread, settle Time) *World {
	w := NewWorld(chance, Millisecond, spread)
	w.Add("b1", server)
	for i := range n {
		w.Add(fmt.Sprint("m", i), client(i))
	}
	w.Direct(starter{})
	w.Run(settle)
	return w
}

// starter starts one node each microsecond.
type starter struct{}

func (starter) Wake(key int32, c *Control) {
	c.Start(NodeID(key), nil)
	if int(key) < c.World().Nodes()-1 {
		c.After(Microsecond, key+1)
	}
}

func (starter) Observe(*Rec, *Control) {}
func (s starter) Clone() Director      { return s }
func (starter) Hash(*Hasher)           {}

func benchSteps(b *testing.B, w *World) {
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		w.Step()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mev/s")
}

var benchSizes = []int{10, 1000, 10_000}

// Kernel: one timer each, nothing else. An event is one timer going off and set again.
func BenchmarkKernel(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchSteps(b, kernelWorld(n))
		})
	}
}

func kernelWorld(n int) *World {
	return benchWorld(&pinger{}, func(i int) Actor { return &idler{period: int64(1000 + i%7)} }, n, &Decisions{}, 0, 2*Second)
}

// Round trips: each client sends again as soon as it is answered; every record hashed.
// An event is one message arriving and one being sent, four records hashed.
func BenchmarkRoundTrip(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := tripWorld(n, &Decisions{}, 0)
			w.Watch(NewTraceHash(w))
			benchSteps(b, w)
		})
	}
}

func tripWorld(n int, chance *Decisions, spread Time) *World {
	body := word{kindRenew, 1}
	return benchWorld(&pinger{body: body}, func(int) Actor { return &pinger{client: true, body: body} }, n, chance, spread, 20*Millisecond)
}

// The same with seeded latencies and ties, which makes a decision of every message.
func BenchmarkRoundTripSeeded(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := tripWorld(n, &Decisions{Seed: 1}, Millisecond)
			w.Watch(NewTraceHash(w))
			benchSteps(b, w)
		})
	}
}

// Heartbeats: ticks, requests, answers, and on both sides a long timer that is always
// put off and never goes off; every record hashed.
func BenchmarkHeartbeat(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := heartbeatWorld(n)
			w.Watch(NewTraceHash(w))
			benchSteps(b, w)
			b.ReportMetric(float64(len(w.queue.heap))/float64(n), "entries/member")
		})
	}
}

func heartbeatWorld(n int) *World {
	body := word{kindRenew, 1}
	return benchWorld(&sessions{body: body}, func(int) Actor { return &heartbeater{pinger: pinger{body: body}} }, n, &Decisions{}, 0, 10*Second)
}

// Fork, step and hash: what exhaustive search does.
func BenchmarkForkStepHash(b *testing.B) {
	w := lockWorld(&Decisions{}, 3, Millisecond, 0)
	w.Run(Second)
	b.ReportAllocs()
	sum := uint64(0)
	for range b.N {
		f := w.Fork()
		f.Step()
		sum += f.Hash()
	}
	_ = sum
}

// Once everything has grown to its size, an event allocates nothing.
func TestNoAllocationPerEvent(t *testing.T) {
	worlds := []struct {
		name string
		w    *World
	}{
		{"kernel", kernelWorld(100)},
		{"round trips", tripWorld(100, &Decisions{}, 0)},
		{"seeded round trips", tripWorld(100, &Decisions{Seed: 1}, Millisecond)},
		{"heartbeats", heartbeatWorld(100)},
	}
	for _, x := range worlds {
		x.w.Watch(NewTraceHash(x.w))
		steps(x.w, 100_000)
		if n := testing.AllocsPerRun(10, func() { steps(x.w, 1000) }); n > 0 {
			t.Errorf("%s: %v allocations in 1,000 events", x.name, n)
		}
	}
}
