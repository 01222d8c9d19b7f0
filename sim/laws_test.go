package sim

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// plot is a random scenario for the lock: so many users, a latency, a seed, and what
// the director does to them. Worlds of one plot are equal.
type plot struct {
	users        int
	base, spread Time
	seed         uint64
	acts         []act
	text         []string
}

func (p *plot) world() *World {
	return lockWorld(&Decisions{Seed: p.seed}, p.users, p.base, p.spread, p.acts...)
}

func (p *plot) String() string {
	return fmt.Sprintf("%d users, latency %v+%v, seed %d: %v", p.users, p.base, p.spread, p.seed, p.text)
}

var plots = rapid.Custom(func(t *rapid.T) *plot {
	p := &plot{
		users:  rapid.IntRange(1, 5).Draw(t, "users"),
		base:   rapid.SampledFrom([]Time{0, 1, Millisecond, 1500, 40 * Millisecond}).Draw(t, "base"),
		spread: rapid.SampledFrom([]Time{0, 1, 3 * Millisecond}).Draw(t, "spread"),
		seed:   rapid.Uint64Range(0, 3).Draw(t, "seed"),
	}
	at := Time(0)
	for range rapid.IntRange(0, 25).Draw(t, "acts") {
		at += Time(rapid.IntRange(0, 300_000).Draw(t, "later"))
		p.acts = append(p.acts, act{at, p.draw(t)})
	}
	return p
})

// draw draws one thing to do.
func (p *plot) draw(t *rapid.T) func(c *Control) {
	node := func() NodeID { return NodeID(rapid.IntRange(0, p.users).Draw(t, "node")) }
	pair := func() (a, b NodeID) {
		if a = node(); a == 0 {
			return 0, NodeID(rapid.IntRange(1, p.users).Draw(t, "user"))
		}
		return a, 0
	}
	someone := func() NodeID { return NodeID(rapid.IntRange(-1, p.users).Draw(t, "someone")) }
	say := func(format string, args ...any) { p.text = append(p.text, fmt.Sprintf(format, args...)) }
	switch rapid.IntRange(0, 11).Draw(t, "act") {
	case 0:
		a := node()
		say("crash %d", a)
		return func(c *Control) { c.Crash(a) }
	case 1:
		a := node()
		say("restart %d", a)
		return func(c *Control) { c.Crash(a); c.Start(a, nil) }
	case 2:
		say("start all")
		return func(c *Control) {
			for i := range c.w.nodes {
				c.Start(NodeID(i), nil)
			}
		}
	case 3:
		a := node()
		say("freeze %d", a)
		return func(c *Control) { c.Freeze(a) }
	case 4:
		say("thaw all")
		return func(c *Control) {
			for i := range c.w.nodes {
				c.Thaw(NodeID(i))
			}
		}
	case 5:
		a, b := pair()
		say("cut %d-%d", a, b)
		return func(c *Control) { c.Cut(a, b) }
	case 6:
		say("heal all")
		return func(c *Control) {
			for i := 1; i < len(c.w.nodes); i++ {
				c.Heal(0, NodeID(i))
				c.Heal(NodeID(i), 0)
			}
		}
	case 7:
		a, b := node(), someone()
		say("disconnect %d-%d", a, b)
		return func(c *Control) { c.Disconnect(a, b) }
	case 8:
		a, b := pair()
		base := Time(rapid.IntRange(0, 50_000).Draw(t, "base"))
		spread := Time(rapid.SampledFrom([]int{0, 2000}).Draw(t, "spread"))
		say("latency %d-%d %v", a, b, base)
		return func(c *Control) { c.SetLatency(a, b, base, spread) }
	case 9:
		say("release")
		tag := int32(rapid.IntRange(0, 1).Draw(t, "tag"))
		return func(c *Control) { c.Release(tag, c.Now()+Time(tag)*Millisecond) }
	default:
		r := Rule{
			From: someone(), To: someone(),
			Kind:    uint8(rapid.IntRange(kindAcquire, kindRelease).Draw(t, "kind")),
			AnyKind: rapid.Bool().Draw(t, "any"),
			Answer:  rapid.Bool().Draw(t, "answer"),
			First:   uint32(rapid.IntRange(0, 8).Draw(t, "first")),
			Times:   uint32(rapid.IntRange(1, 2).Draw(t, "times")),
			Do:      rapid.SampledFrom([]Do{Hold, Drop, Break, Delay, Count}).Draw(t, "do"),
			Delay:   Time(rapid.IntRange(0, 400_000).Draw(t, "delay")),
			Tag:     int32(rapid.IntRange(0, 1).Draw(t, "tag")),
		}
		say("rule %+v", r)
		return func(c *Control) { c.AddRule(r) }
	}
}

const plotSteps = 800

// TestLaws reads traces of random plots for what must hold in every trace.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plots.Draw(t, "plot")
		w := p.world()
		l := newLaws(w)
		w.Watch(l)
		steps(w, plotSteps)
		if l.broken != "" {
			t.Fatal(l.broken)
		}
	})
}

// laws is an observer that knows what every trace keeps to.
type laws struct {
	world  *World
	now    Time
	last   Ref
	alive  map[NodeID]bool
	conns  map[LinkID]*conn
	sent   map[Ref]*letter
	ords   map[string]uint32
	broken string
}

// conn is a connection from its opening to its closing, as the trace tells of it.
type conn struct {
	open    bool
	reading Ref // the arrived request that is not answered yet
	arrived [2]Ref
}

type letter struct {
	conn  *conn
	msg   Message
	at    Time
	ended bool
}

func newLaws(w *World) *laws {
	return &laws{world: w, alive: map[NodeID]bool{}, conns: map[LinkID]*conn{}, sent: map[Ref]*letter{}, ords: map[string]uint32{}}
}

func (l *laws) check(r *Rec, ok bool, law string) {
	if !ok && l.broken == "" {
		l.broken = fmt.Sprintf("%s: %+v", law, *r)
	}
}

func (l *laws) Observe(r *Rec) {
	l.check(r, r.ID == l.last+1, "records are numbered")
	l.check(r, r.At >= l.now, "time goes on")
	l.check(r, r.Cause < r.ID && r.Ref < r.ID, "causes come first")
	l.last, l.now = r.ID, r.At
	c := l.conns[r.Msg.Link]
	switch r.Op {
	case OpStart:
		l.check(r, !l.alive[r.Node], "what starts was down")
		l.alive[r.Node] = true
	case OpCrash:
		l.check(r, l.alive[r.Node], "what crashes was up")
		l.alive[r.Node] = false
		for id, c := range l.conns {
			if l.world.links[id].client == r.Node {
				c.open = false
			}
		}
	case OpOpen:
		l.check(r, c == nil || !c.open, "what is opened was closed, and its client knew it")
		l.check(r, l.alive[l.world.links[r.Msg.Link].server], "only what runs can be connected to")
		l.conns[r.Msg.Link] = &conn{open: true}
	case OpClose, OpClosed:
		l.check(r, c != nil && c.open, "what closes was open")
		c.open = false
	case OpSend:
		x := &letter{conn: c, msg: r.Msg, at: r.At}
		l.sent[r.ID] = x
		l.check(r, r.Node == r.Msg.From && l.alive[r.Node], "who sends is alive")
		if !r.Msg.Answer {
			name := fmt.Sprint(r.Node, r.Msg.req)
			l.ords[name]++
			l.check(r, r.Msg.Ord == l.ords[name], "requests are numbered by kind")
		} else if c.reading != 0 && l.sent[c.reading].msg.Ord == r.Msg.Ord && l.sent[c.reading].msg.req == r.Msg.req {
			c.reading = 0
		}
	case OpArrive, OpLost:
		x := l.sent[r.Ref]
		l.check(r, x != nil && !x.ended, "a message ends once")
		x.ended = true
		l.check(r, r.Msg.Ord == x.msg.Ord && r.Msg.Body == x.msg.Body && r.Msg.Ref == r.Ref, "a message stays as it was sent")
		if r.Op == OpLost {
			break
		}
		dir := 0
		if r.Msg.Answer {
			dir = 1
			l.check(r, x.conn == c && c.open, "answers arrive over the connection they were sent on")
		}
		l.check(r, l.alive[r.Node], "only the living receive")
		l.check(r, x.conn.arrived[dir] < r.Ref, "a connection keeps the order")
		x.conn.arrived[dir] = r.Ref
		if dir == 0 && x.conn.open {
			l.check(r, x.conn.reading == 0, "one request at a time")
			x.conn.reading = r.Ref
		}
	case OpTimer:
		l.check(r, l.alive[r.Node] && r.Ref != 0, "a timer goes off at who set it")
	}
}

// Two worlds of one plot have one trace.
func TestSamePlotSameTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plots.Draw(t, "plot")
		a, b := p.world(), p.world()
		x, y := watched(a), watched(b)
		steps(a, plotSteps)
		steps(b, plotSteps)
		if d := firstDifference(x, y); d != "" {
			t.Fatal(d)
		}
	})
}
