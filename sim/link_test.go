package sim

import (
	"fmt"
	"slices"
	"testing"
)

// probe is an actor of one test: it tells what it gets and does what the test says.
type probe struct {
	got []string
	do  func(in *Input, out *Out)
}

func (p *probe) Step(in *Input, out *Out) {
	switch in.Kind {
	case InputRequest, InputAnswer:
		b := in.Msg.Body.(word)
		p.got = append(p.got, fmt.Sprint(out.At(), " ", "?!"[in.Kind-InputRequest:][:1], b.n))
	case InputClosed:
		p.got = append(p.got, fmt.Sprint(out.At(), " closed"))
	case InputTimer:
		p.got = append(p.got, fmt.Sprint(out.At(), " timer ", in.Timer.Arg))
	}
	if p.do != nil {
		p.do(in, out)
	}
}

func (p *probe) Clone() Actor { c := *p; c.got = slices.Clone(p.got); return &c }
func (p *probe) Hash(h *Hasher) {
	h.Strs(p.got)
}

// pairWorld is a server that answers at once (or as serve says) and a client which
// does what it is told: on a command, it calls the function that the command holds.
type pairWorld struct {
	*World
	server, client *probe
	script         *play
	tape           *tape
}

type order struct{ do func(out *Out) }

func (order) Kind() uint8 { return 9 }
func (order) Sum() uint64 { return 0 }

const (
	srv = NodeID(0)
	cli = NodeID(1)
)

func newPair(base Time) *pairWorld {
	p := &pairWorld{World: NewWorld(&Decisions{}, base, 0), script: &play{}}
	p.server = &probe{do: func(in *Input, out *Out) {
		if in.Kind == InputRequest {
			out.Reply(in.Req, in.Msg.Body, 0, 0)
		}
	}}
	p.client = &probe{do: func(in *Input, out *Out) {
		if order, ok := in.Body.(order); ok {
			order.do(out)
		}
	}}
	p.Add("s", p.server)
	p.Add("c", p.client)
	p.at(0, func(c *Control) { c.Start(srv, nil); c.Start(cli, nil) })
	p.tape = watched(p.World)
	return p
}

// at has the director do something at a moment, in milliseconds.
func (p *pairWorld) at(ms int64, do func(c *Control)) {
	p.script.acts = append(p.script.acts, act{Time(ms) * Millisecond, do})
}

// client does something at a moment.
func (p *pairWorld) clientAt(ms int64, do func(out *Out)) {
	p.at(ms, func(c *Control) { c.Command(cli, order{do}) })
}

// sendAt opens and sends requests.
func (p *pairWorld) sendAt(ms int64, numbers ...int64) {
	p.clientAt(ms, func(out *Out) {
		link, ok := out.Open(srv, 0)
		if !ok {
			out.Note(Note{Code: 200}, 0, 0)
			return
		}
		for _, n := range numbers {
			out.Send(link, word{kindAcquire, n}, 0, 0)
		}
	})
}

func (p *pairWorld) run(t *testing.T, untilMs int64) {
	t.Helper()
	p.Direct(p.script)
	p.Run(Time(untilMs) * Millisecond)
}

func (p *pairWorld) lost() (list []int64) {
	for i := range p.tape.recs {
		if r := &p.tape.recs[i]; r.Op == OpLost {
			list = append(list, r.Msg.Body.(word).n)
		}
	}
	return list
}

func (p *pairWorld) count(op Op) (n int) {
	for i := range p.tape.recs {
		if p.tape.recs[i].Op == op {
			n++
		}
	}
	return n
}

func same[T comparable](t *testing.T, what string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func TestRoundTrip(t *testing.T) {
	p := newPair(2 * Millisecond)
	p.sendAt(10, 1)
	p.run(t, 100)
	same(t, "server", p.server.got, "0.012 ?1")
	same(t, "client", p.client.got, "0.014 !1")
}

func TestServerReadsOneRequestAtATime(t *testing.T) {
	p := newPair(2 * Millisecond)
	var parked Request
	p.server.do = func(in *Input, out *Out) {
		if in.Kind == InputRequest && in.Msg.Body.(word).n == 1 {
			parked = in.Req
		} else if in.Kind == InputRequest {
			out.Reply(in.Req, in.Msg.Body, 0, 0)
		} else if in.Kind == InputCommand {
			out.Reply(parked, word{kindDone, 1}, 0, 0)
		}
	}
	p.sendAt(10, 1, 2, 3)
	p.at(50, func(c *Control) { c.Command(srv, nil) })
	p.run(t, 100)
	same(t, "server", p.server.got, "0.012 ?1", "0.050 ?2", "0.050 ?3")
	same(t, "client", p.client.got, "0.052 !1", "0.052 !2", "0.052 !3")
}

func TestDrop(t *testing.T) {
	p := newPair(Millisecond)
	p.at(0, func(c *Control) {
		c.AddRule(Rule{From: cli, To: Nobody, Kind: kindAcquire, First: 2, Last: 2, Do: Drop})
		c.AddRule(Rule{From: Nobody, To: cli, Kind: kindAcquire, Answer: true, First: 3, Last: 3, Do: Drop})
	})
	p.sendAt(10, 1, 2, 3, 4)
	p.run(t, 100)
	same(t, "server", p.server.got, "0.011 ?1", "0.011 ?3", "0.011 ?4")
	same(t, "client", p.client.got, "0.012 !1", "0.012 !4")
	same(t, "lost", p.lost(), 2, 3)
}

func TestBreakOnRequest(t *testing.T) {
	p := newPair(Millisecond)
	p.at(0, func(c *Control) {
		c.AddRule(Rule{From: Nobody, To: Nobody, AnyKind: true, First: 2, Last: 2, Do: Break})
	})
	p.sendAt(10, 1, 2, 3)
	p.sendAt(20, 4)
	p.run(t, 100)
	same(t, "server", p.server.got, "0.021 ?4")
	same(t, "client", p.client.got, "0.010 closed", "0.022 !4")
	same(t, "lost", p.lost(), 2, 1, 3)
}

func TestBreakOnAnswer(t *testing.T) {
	p := newPair(Millisecond)
	p.at(0, func(c *Control) {
		c.AddRule(Rule{From: Nobody, To: Nobody, AnyKind: true, Answer: true, Times: 1, Do: Break})
	})
	p.sendAt(10, 1, 2)
	p.sendAt(20, 3)
	p.run(t, 100)
	same(t, "server", p.server.got, "0.011 ?1", "0.021 ?3")
	same(t, "client", p.client.got, "0.011 closed", "0.022 !3")
	same(t, "lost", p.lost(), 1, 2)
}

func TestDelayKeepsOrder(t *testing.T) {
	p := newPair(Millisecond)
	p.at(0, func(c *Control) {
		c.AddRule(Rule{From: cli, To: srv, Kind: kindAcquire, First: 1, Last: 1, Do: Delay, Delay: 7 * Millisecond})
	})
	p.sendAt(10, 1, 2)
	p.run(t, 100)
	same(t, "server", p.server.got, "0.018 ?1", "0.018 ?2")
}

// What a lost connection was late with does not make the next connection late.
func TestDelayEndsWithItsConnection(t *testing.T) {
	p := newPair(Millisecond)
	p.at(0, func(c *Control) {
		c.AddRule(Rule{From: cli, To: srv, Kind: kindAcquire, First: 1, Last: 1, Do: Delay, Delay: 60 * Millisecond})
	})
	p.sendAt(10, 1)
	p.at(20, func(c *Control) { c.Disconnect(cli, srv) })
	p.sendAt(30, 2)
	p.run(t, 100)
	same(t, "server", p.server.got, "0.031 ?2")
}

func TestHoldAndRelease(t *testing.T) {
	p := newPair(Millisecond)
	released := 0
	p.at(0, func(c *Control) {
		c.AddRule(Rule{From: cli, To: srv, Kind: kindAcquire, First: 2, Last: 3, Do: Hold, Tag: 5})
	})
	p.sendAt(10, 1, 2, 3, 4)
	p.at(40, func(c *Control) { n, _ := c.Release(6, c.Now()); released += n })
	p.at(50, func(c *Control) { n, _ := c.Release(5, 60*Millisecond); released += n })
	p.run(t, 100)
	same(t, "server", p.server.got, "0.011 ?1", "0.060 ?2", "0.060 ?3", "0.060 ?4")
	if released != 2 || p.count(OpHeld) != 2 || p.count(OpReleased) != 2 {
		t.Errorf("released %d, held %d", released, p.count(OpHeld))
	}
}

// A connection is a connection: what is held on one that the client gave up does not
// stand in the way of the next one.
func TestHeldOnAClosedConnection(t *testing.T) {
	p := newPair(Millisecond)
	p.at(0, func(c *Control) {
		c.AddRule(Rule{From: cli, To: srv, Kind: kindAcquire, First: 1, Last: 1, Do: Hold, Tag: 5})
	})
	p.sendAt(10, 1)
	p.clientAt(20, func(out *Out) { out.Close(0, 0, 0) })
	p.sendAt(30, 2)
	p.at(50, func(c *Control) { c.Release(5, c.Now()) })
	p.run(t, 100)
	same(t, "server", p.server.got, "0.031 ?2", "0.050 ?1")
	same(t, "client", p.client.got, "0.032 !2")
	same(t, "lost", p.lost(), 1) // the answer to it
}

func TestCloseLetsRequestsArriveAndLosesAnswers(t *testing.T) {
	p := newPair(2 * Millisecond)
	p.sendAt(10, 1)
	p.sendAt(11, 2, 3)
	p.clientAt(12, func(out *Out) { out.Close(0, 0, 0) })
	p.run(t, 100)
	// The director comes first at 12 ms, so 1 has not arrived yet.
	same(t, "server", p.server.got, "0.012 ?1", "0.013 ?2", "0.013 ?3")
	same(t, "client", p.client.got)
	same(t, "lost", p.lost(), 1, 2, 3)
	if p.count(OpClose) != 1 || p.count(OpClosed) != 0 {
		t.Errorf("%d OpClose, %d OpClosed", p.count(OpClose), p.count(OpClosed))
	}
}

// A client that closes a connection that is broken already, and does not know it,
// hears no more of it.
func TestCloseOfABrokenConnection(t *testing.T) {
	p := newPair(Millisecond)
	p.at(0, func(c *Control) { c.AddRule(Rule{From: cli, To: srv, AnyKind: true, Do: Break}) })
	p.clientAt(10, func(out *Out) {
		link, _ := out.Open(srv, 0)
		out.Send(link, word{kindAcquire, 1}, 0, 0)
		out.Close(link, 0, 0)
	})
	p.run(t, 100)
	same(t, "client", p.client.got)
	if p.count(OpOpen) != 1 || p.count(OpClose) != 1 || p.count(OpClosed) != 0 {
		t.Errorf("%d OpOpen, %d OpClose, %d OpClosed", p.count(OpOpen), p.count(OpClose), p.count(OpClosed))
	}
}

// As over TCP, a client that does not know yet that its connection is broken sends into
// the void, and learns of it before it may connect anew.
func TestOpenOfABrokenConnection(t *testing.T) {
	p := newPair(Millisecond)
	p.at(0, func(c *Control) { c.AddRule(Rule{From: cli, To: srv, AnyKind: true, First: 1, Last: 1, Do: Break}) })
	p.clientAt(10, func(out *Out) {
		for n := range int64(2) {
			link, _ := out.Open(srv, 0)
			out.Send(link, word{kindAcquire, n}, 0, 0)
		}
	})
	p.sendAt(20, 2)
	p.run(t, 100)
	same(t, "client", p.client.got, "0.010 closed", "0.022 !2")
	same(t, "lost", p.lost(), 0, 1)
}

func TestDisconnect(t *testing.T) {
	p := newPair(2 * Millisecond)
	p.sendAt(10, 1)
	p.sendAt(13, 2)
	p.at(14, func(c *Control) { c.Disconnect(srv, Nobody) })
	p.sendAt(20, 3)
	p.run(t, 100)
	same(t, "server", p.server.got, "0.012 ?1", "0.022 ?3")
	same(t, "client", p.client.got, "0.014 closed", "0.024 !3")
	same(t, "lost", p.lost(), 2, 1)
}

// Disconnect breaks the network, so it takes along what a closed connection left on
// its way.
func TestDisconnectAfterClose(t *testing.T) {
	p := newPair(5 * Millisecond)
	p.sendAt(10, 1)
	p.clientAt(11, func(out *Out) { out.Close(0, 0, 0) })
	p.at(12, func(c *Control) { c.Disconnect(cli, srv) })
	p.sendAt(30, 2)
	p.clientAt(31, func(out *Out) { out.Close(0, 0, 0) })
	p.sendAt(32, 3)
	p.at(33, func(c *Control) { c.Disconnect(cli, srv) })
	p.run(t, 100)
	same(t, "server", p.server.got)
	same(t, "client", p.client.got, "0.033 closed")
	same(t, "lost", p.lost(), 1, 2, 3)
}

func TestServerCrash(t *testing.T) {
	p := newPair(3 * Millisecond)
	p.sendAt(10, 1)
	p.sendAt(14, 2)
	p.at(15, func(c *Control) { c.Crash(srv) })
	p.sendAt(20, 3) // nobody there: Open fails
	p.at(30, func(c *Control) { c.Start(srv, nil) })
	p.sendAt(40, 4)
	p.run(t, 100)
	same(t, "server", p.server.got, "0.013 ?1", "0.043 ?4")
	same(t, "client", p.client.got, "0.015 closed", "0.046 !4")
	same(t, "lost", p.lost(), 2, 1)
}

// A process that starts again does not get what was sent to the one before it.
func TestServerCrashAfterClose(t *testing.T) {
	p := newPair(9 * Millisecond)
	p.sendAt(10, 1)
	p.clientAt(11, func(out *Out) { out.Close(0, 0, 0) })
	p.at(12, func(c *Control) { c.Crash(srv); c.Start(srv, nil) })
	p.run(t, 100)
	same(t, "server", p.server.got)
	same(t, "lost", p.lost(), 1)
}

func TestClientCrash(t *testing.T) {
	p := newPair(3 * Millisecond)
	p.sendAt(10, 1)
	p.sendAt(12, 2)
	p.at(14, func(c *Control) { c.Crash(cli); c.Start(cli, nil) })
	p.sendAt(15, 3)
	p.run(t, 100)
	same(t, "server", p.server.got, "0.013 ?1", "0.015 ?2", "0.018 ?3")
	same(t, "client", p.client.got, "0.021 !3")
	same(t, "lost", p.lost(), 1, 2)
}

// A process that starts again knows nothing of the connections of the one before it.
func TestNewsOfAConnectionDiesWithTheClient(t *testing.T) {
	p := newPair(3 * Millisecond)
	p.sendAt(10, 1)
	p.at(20, func(c *Control) { c.Crash(srv); c.Crash(cli); c.Start(srv, nil); c.Start(cli, nil) })
	p.run(t, 100)
	same(t, "client", p.client.got, "0.016 !1")
	if p.count(OpClosed) != 0 {
		t.Error("the new process was told of the old one's connection")
	}
}

func TestTimersDieWithTheProcess(t *testing.T) {
	p := newPair(3 * Millisecond)
	p.clientAt(10, func(out *Out) { out.Arm(out.NewTimer(ClassUser, 1, 1), 30) })
	p.at(20, func(c *Control) { c.Crash(cli); c.Start(cli, nil) })
	p.clientAt(21, func(out *Out) { out.Arm(out.NewTimer(ClassUser, 1, 2), 50) })
	p.run(t, 100)
	same(t, "client", p.client.got, "0.071 timer 2")
}

func TestCutKeepsWhatTCPSendsAgain(t *testing.T) {
	p := newPair(2 * Millisecond)
	p.sendAt(10, 1)
	p.at(11, func(c *Control) { c.Cut(cli, srv) })
	p.sendAt(20, 2)
	p.at(50, func(c *Control) { c.Heal(cli, srv) })
	p.run(t, 100)
	same(t, "server", p.server.got, "0.052 ?1", "0.052 ?2")
	same(t, "client", p.client.got, "0.054 !1", "0.054 !2")
}

func TestCutOneWay(t *testing.T) {
	p := newPair(2 * Millisecond)
	p.sendAt(10, 1)
	p.at(11, func(c *Control) { c.Cut(srv, cli) })
	p.at(50, func(c *Control) { c.Heal(srv, cli) })
	p.run(t, 100)
	same(t, "server", p.server.got, "0.012 ?1")
	same(t, "client", p.client.got, "0.052 !1")
}

func TestOpenFailsWhileCut(t *testing.T) {
	p := newPair(2 * Millisecond)
	p.at(5, func(c *Control) { c.Cut(srv, cli) })
	p.sendAt(10, 1)
	p.at(20, func(c *Control) { c.Heal(srv, cli) })
	p.sendAt(30, 2)
	p.run(t, 100)
	same(t, "server", p.server.got, "0.032 ?2")
	if p.count(OpNote) != 1 {
		t.Error("Open did not fail")
	}
}

func TestHealOfWhatIsWhole(t *testing.T) {
	p := newPair(10 * Millisecond)
	p.sendAt(10, 1)
	p.at(19, func(c *Control) { c.Heal(cli, srv) })
	p.run(t, 100)
	same(t, "server", p.server.got, "0.020 ?1")
}

func TestSetLatencyIsOneWay(t *testing.T) {
	p := newPair(Millisecond)
	p.sendAt(10, 1)
	p.at(20, func(c *Control) { c.SetLatency(srv, cli, 9*Millisecond, 0) })
	p.sendAt(30, 2)
	p.at(40, func(c *Control) { c.SetLatency(cli, srv, 5*Millisecond, 0) })
	p.sendAt(50, 3)
	p.clientAt(70, func(out *Out) { // the same for connections yet to be made
		link, _ := out.Open(srv, 1)
		out.Send(link, word{kindAcquire, 4}, 0, 0)
	})
	p.run(t, 100)
	same(t, "server", p.server.got, "0.011 ?1", "0.031 ?2", "0.055 ?3", "0.075 ?4")
	same(t, "client", p.client.got, "0.012 !1", "0.040 !2", "0.064 !3", "0.084 !4")
}

// What came to a frozen process comes to it when it thaws, by class and else as it came.
func TestFreezeAndThaw(t *testing.T) {
	p := newPair(2 * Millisecond)
	p.clientAt(5, func(out *Out) {
		a, b, c := out.NewTimer(ClassUser, 1, 1), out.NewTimer(ClassUser, 1, 2), out.NewTimer(ClassTick, 1, 3)
		d, e := out.NewTimer(ClassUser, 1, 4), out.NewTimer(ClassUser, 1, 5)
		out.Arm(a, 20)
		out.Arm(b, 10)
		out.Arm(c, 30)
		out.Arm(d, 15)
		out.Arm(d, 95) // due after the thaw
		out.Arm(e, 6)
		out.Arm(e, 16) // put off, and due while frozen
	})
	p.sendAt(10, 1)
	p.at(11, func(c *Control) { c.Freeze(cli) })
	p.at(90, func(c *Control) { c.Thaw(cli) })
	p.run(t, 200)
	same(t, "server", p.server.got, "0.012 ?1")
	same(t, "client", p.client.got, "0.090 !1", "0.090 timer 3", "0.090 timer 2", "0.090 timer 5", "0.090 timer 1", "0.100 timer 4")
}

func TestCrashOfAFrozenProcess(t *testing.T) {
	p := newPair(2 * Millisecond)
	p.clientAt(5, func(out *Out) { out.Arm(out.NewTimer(ClassUser, 1, 1), 20) })
	p.at(10, func(c *Control) { c.Freeze(cli) })
	p.at(50, func(c *Control) { c.Crash(cli); c.Start(cli, nil) })
	p.sendAt(60, 1)
	p.run(t, 200)
	same(t, "client", p.client.got, "0.064 !1")
}

func TestFrozenServer(t *testing.T) {
	p := newPair(2 * Millisecond)
	p.sendAt(10, 1, 2)
	p.at(11, func(c *Control) { c.Freeze(srv) })
	p.clientAt(50, func(out *Out) { out.Close(0, 0, 0) })
	p.sendAt(60, 3)
	p.at(90, func(c *Control) { c.Thaw(srv) })
	p.run(t, 200)
	same(t, "server", p.server.got, "0.090 ?1", "0.090 ?3", "0.090 ?2")
	same(t, "client", p.client.got, "0.092 !3")
}

func TestCauseIsWhatIsHandled(t *testing.T) {
	p := newPair(5 * Millisecond)
	p.client.do = func(in *Input, out *Out) {
		if in.Kind == InputCommand && out.Now() == 19 {
			link, _ := out.Open(srv, 0)
			out.Send(link, word{kindAcquire, 1}, 0, 0)
		}
	}
	p.at(10, func(c *Control) { c.Command(srv, nil); c.Command(cli, nil) })
	p.at(19, func(c *Control) { c.Command(cli, nil) })
	p.at(20, func(c *Control) { c.Act(Note{Code: 7}, 0); c.Crash(srv); c.Start(srv, nil); c.Command(cli, nil) })
	p.run(t, 100)
	var act, crash Ref
	for i := range p.tape.recs {
		want := act
		switch r := &p.tape.recs[i]; r.Op {
		case OpAct:
			act = r.ID
			continue
		case OpCrash:
			crash = r.ID
		case OpLost:
			want = crash
		case OpOpen, OpSend:
			want = p.tape.recs[i].Cause
		case OpClosed:
			want = 0
		}
		if p.tape.recs[i].Cause != want {
			t.Errorf("want cause %d in %s", want, p.tape.line(i))
		}
	}
	if p.count(OpLost) != 1 {
		t.Error("nothing was lost in the crash")
	}
}

// A queue that never runs empty does not grow.
func TestLineDoesNotGrow(t *testing.T) {
	p := newPair(Millisecond)
	p.client.do = func(in *Input, out *Out) {
		switch in.Kind {
		case InputStart:
			link, _ := out.Open(srv, 0)
			for n := range int64(3) {
				out.Send(link, word{kindAcquire, n}, 0, 0)
			}
		case InputAnswer:
			out.Send(in.Link, in.Msg.Body, 0, 0)
		}
	}
	p.watch = nil
	p.run(t, 5000)
	for i := range p.links[0].dir {
		if n := cap(p.links[0].dir[i].line); n > 64 {
			t.Errorf("direction %d has room for %d messages", i, n)
		}
	}
}
