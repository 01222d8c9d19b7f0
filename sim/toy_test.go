package sim

import "fmt"

// The toy of these tests is a lock with leases: a server that parks requests, grants
// the lock to one client at a time and takes it back when its holder is silent; and
// clients that ask, renew over a second connection, release and ask again. It uses
// everything the engine has: timers of every class, put off, freed and reused; parked
// and pipelined requests; choices; notes; refs.

const (
	kindAcquire = 1 + iota
	kindRenew
	kindRelease
	kindGranted
	kindDone
	kindRefused
)

var (
	pointGrant   = NewPoint("toy-grant")
	pointBackoff = NewPoint("toy-backoff")
)

// word is a message of the toy's.
type word struct {
	kind uint8
	n    int64
}

func (b word) Kind() uint8 { return b.kind }

func (b word) Sum() uint64 {
	var h Hasher
	h.Int(b.n)
	return h.Sum()
}

// lock is the server.
type lock struct {
	holder  int64 // 0: nobody
	waiters []waiter
	lease   TimerID
	cool    TimerID // passive: no grant before it is due
	recheck TimerID
	since   Ref // the record that made the state what it is
}

type waiter struct {
	client int64
	req    Request
	limit  TimerID
}

const (
	timerLease uint8 = 1 + iota
	timerCool
	timerRecheck
	timerLimit
)

func (l *lock) Step(in *Input, out *Out) {
	switch in.Kind {
	case InputStart:
		l.lease = out.NewTimer(ClassTimer, timerLease, 0)
		l.cool = out.NewTimer(ClassPassive, timerCool, 0)
		l.recheck = out.NewTimer(ClassTimer, timerRecheck, 0)
		out.Arm(l.cool, 20)
	case InputCrash:
		*l = lock{}
	case InputRequest:
		l.request(in, out)
	case InputTimer:
		switch in.Timer.Kind {
		case timerLease:
			l.free(out, 2)
		case timerRecheck:
			l.grant(out)
		case timerLimit:
			for i, w := range l.waiters {
				if w.client == int64(in.Timer.Arg) {
					l.drop(i, out)
					out.Reply(w.req, word{kindRefused, w.client}, 3, l.since)
					break
				}
			}
		}
	}
}

func (l *lock) request(in *Input, out *Out) {
	b := in.Msg.Body.(word)
	switch b.kind {
	case kindAcquire:
		for i, w := range l.waiters {
			if w.client == b.n {
				l.drop(i, out)
				out.Reply(w.req, word{kindRefused, 0}, 4, out.Cause())
				break
			}
		}
		w := waiter{client: b.n, req: in.Req, limit: out.NewTimer(ClassTimer, timerLimit, int32(b.n))}
		out.Arm(w.limit, 700)
		l.waiters = append(l.waiters, w)
		l.grant(out)
	case kindRenew:
		if l.holder != b.n {
			out.Reply(in.Req, word{kindRefused, b.n}, 5, l.since)
			return
		}
		out.Arm(l.lease, 300)
		out.Reply(in.Req, word{kindDone, b.n}, 0, 0)
	case kindRelease:
		out.Reply(in.Req, word{kindDone, b.n}, 0, 0)
		if l.holder == b.n {
			l.free(out, 1)
		}
	}
}

func (l *lock) drop(i int, out *Out) {
	out.FreeTimer(l.waiters[i].limit)
	l.waiters = append(l.waiters[:i], l.waiters[i+1:]...)
}

func (l *lock) free(out *Out, why uint16) {
	out.Note(Note{Code: 1, A: l.holder, B: -1}, why, out.SetBy(l.lease))
	l.holder, l.since = 0, out.Cause()
	out.Disarm(l.lease)
	out.Arm(l.cool, 5)
	l.grant(out)
}

func (l *lock) grant(out *Out) {
	if l.holder != 0 || len(l.waiters) == 0 {
		return
	}
	if !out.Due(l.cool) {
		out.Arm(l.recheck, out.Left(l.cool))
		return
	}
	i := out.Choose(pointGrant, len(l.waiters))
	w := l.waiters[i]
	l.drop(i, out)
	l.holder, l.since = w.client, out.Cause()
	out.Arm(l.lease, 300)
	out.Note(Note{Code: 1, A: -1, B: w.client}, 6, w.req.Ref)
	out.Reply(w.req, word{kindGranted, w.client}, 0, 0)
}

func (l *lock) Clone() Actor {
	c := *l
	c.waiters = append([]waiter(nil), l.waiters...)
	return &c
}

func (l *lock) Hash(h *Hasher) {
	h.Int(l.holder)
	h.Int(int64(len(l.waiters)))
	for _, w := range l.waiters {
		h.Int(w.client)
		h.Int(int64(w.req.Link))
	}
}

func (l *lock) eachTimer(yield func(*TimerID)) {
	yield(&l.lease)
	yield(&l.cool)
	yield(&l.recheck)
	for i := range l.waiters {
		yield(&l.waiters[i].limit)
	}
}

// user is a client.
type user struct {
	num     int64
	server  NodeID
	busy    int64 // milliseconds for which it keeps the lock
	state   int8
	link    LinkID
	renewal LinkID
	tick    TimerID
	work    TimerID
	retry   TimerID
	timeout TimerID
	ask     Ref
}

const (
	userIdle int8 = iota
	userWaits
	userHolds
)

const (
	timerTick uint8 = 11 + iota
	timerWork
	timerRetry
	timerTimeout
)

func (u *user) Step(in *Input, out *Out) {
	switch in.Kind {
	case InputStart:
		u.tick = out.NewTimer(ClassTick, timerTick, 0)
		u.work = out.NewTimer(ClassUser, timerWork, 0)
		u.retry = out.NewTimer(ClassUser, timerRetry, 0)
		u.timeout = out.NewTimer(ClassTick, timerTimeout, 0)
		u.acquire(out)
	case InputCrash:
		*u = user{num: u.num, server: u.server, busy: u.busy}
	case InputAnswer:
		u.answer(in, out)
	case InputClosed:
		if in.Link == u.link {
			u.rest(out, 50)
		}
	case InputCommand:
		if u.state == userHolds {
			u.release(out)
		}
	case InputTimer:
		switch in.Timer.Kind {
		case timerTick:
			u.renew(out)
		case timerWork:
			u.release(out)
		case timerRetry:
			u.acquire(out)
		case timerTimeout:
			out.Close(u.link, 0, 0)
			u.rest(out, 40)
		}
	}
}

func (u *user) acquire(out *Out) {
	link, ok := out.Open(u.server, 0)
	if !ok {
		u.rest(out, 50)
		return
	}
	u.link, u.state, u.ask = link, userWaits, out.Cause()
	out.Send(link, word{kindAcquire, u.num}, 0, 0)
	out.Arm(u.timeout, 900)
}

func (u *user) answer(in *Input, out *Out) {
	switch b := in.Msg.Body.(word); {
	case in.Msg.Kind() == kindAcquire && b.kind == kindGranted && u.state == userWaits:
		out.Disarm(u.timeout)
		u.state = userHolds
		out.Arm(u.work, u.busy)
		u.renew(out)
	case in.Msg.Kind() == kindAcquire && u.state == userWaits,
		in.Msg.Kind() == kindRenew && b.kind == kindRefused && u.state == userHolds:
		u.rest(out, 10)
	}
}

// renew sends a renewal, and a second one right behind it.
func (u *user) renew(out *Out) {
	out.Arm(u.tick, 100)
	link, ok := out.Open(u.server, 1)
	if ok {
		u.renewal = link
		out.Send(link, word{kindRenew, u.num}, 7, u.ask)
		out.Send(link, word{kindRenew, u.num}, 7, u.ask)
	}
}

func (u *user) release(out *Out) {
	out.Send(u.link, word{kindRelease, u.num}, 0, 0)
	u.rest(out, 30)
}

func (u *user) rest(out *Out, ms int64) {
	u.state = userIdle
	out.Disarm(u.tick)
	out.Disarm(u.work)
	out.Disarm(u.timeout)
	out.Arm(u.retry, ms+int64(out.Choose(pointBackoff, 20)))
}

func (u *user) Clone() Actor { c := *u; return &c }

func (u *user) Hash(h *Hasher) {
	h.Int(u.num)
	h.Int(u.busy)
	h.Int(int64(u.state))
	h.Int(int64(u.link))
	h.Int(int64(u.renewal))
}

func (u *user) eachTimer(yield func(*TimerID)) {
	yield(&u.tick)
	yield(&u.work)
	yield(&u.retry)
	yield(&u.timeout)
}

// play is a director that acts at given moments, and once more a while after every
// hundredth record.
type play struct {
	acts []act
	next int
	seen int
}

type act struct {
	at Time
	do func(c *Control)
}

const wakeForRecord = 1

func (p *play) Wake(key int32, c *Control) {
	if key == wakeForRecord {
		c.Command(1, word{kindRelease, 0})
		return
	}
	for p.next < len(p.acts) && p.acts[p.next].at <= c.Now() {
		p.next++
		p.acts[p.next-1].do(c)
	}
	if p.next < len(p.acts) {
		c.After(p.acts[p.next].at-c.Now(), 0)
	}
}

func (p *play) Observe(r *Rec, c *Control) {
	if p.seen++; p.seen == 100 {
		p.seen = 0
		c.After(3*Millisecond, wakeForRecord)
	}
}

func (p *play) Clone() Director { c := *p; return &c }
func (p *play) Hash(h *Hasher)  { h.Int(int64(p.next)); h.Int(int64(p.seen)) }

// lockWorld is a server, node 0, and users, nodes 1 to n, which all start at once.
func lockWorld(chance *Decisions, users int, base, spread Time, acts ...act) *World {
	return lockWorldIn(NewWorld(chance, base, spread), "u", users, acts...)
}

// lockWorldIn is lockWorld in a world that is empty; the users' names begin with name.
func lockWorldIn(w *World, name string, users int, acts ...act) *World {
	w.Add("lock", &lock{})
	for i := 1; i <= users; i++ {
		w.Add(fmt.Sprint(name, i), &user{num: int64(i), busy: 150 + 40*int64(i)})
	}
	start := act{0, func(c *Control) {
		for i := range w.nodes {
			c.Start(NodeID(i), nil)
		}
	}}
	w.Direct(&play{acts: append([]act{start}, acts...)})
	return w
}

// tape keeps records.
type tape struct{ recs []Rec }

func (t *tape) Observe(r *Rec) {
	t.recs = append(t.recs, *r)
	if r.Decision != nil {
		d := *r.Decision
		t.recs[len(t.recs)-1].Decision = &d
	}
}

// line is a record as text.
func (t *tape) line(i int) string {
	if i >= len(t.recs) {
		return "(end)"
	}
	r := t.recs[i]
	d := ""
	if r.Decision != nil {
		d = fmt.Sprintf(" %+v", *r.Decision)
	}
	r.Decision = nil
	return fmt.Sprintf("%+v%s", r, d)
}

// watched records all that happens in w from now on.
func watched(w *World) *tape {
	t := &tape{}
	w.Watch(t)
	return t
}

// firstDifference shows where two tapes part.
func firstDifference(a, b *tape) string {
	for i := range max(len(a.recs), len(b.recs)) {
		if i >= len(a.recs) || i >= len(b.recs) || !equalRecs(a.recs[i], b.recs[i]) {
			return fmt.Sprintf("record %d:\n%s\n%s", i, a.line(i), b.line(i))
		}
	}
	return ""
}

func equalRecs(a, b Rec) bool {
	if a.Decision != nil && b.Decision != nil && *a.Decision == *b.Decision {
		a.Decision, b.Decision = nil, nil
	}
	return a == b
}

func steps(w *World, n int) {
	for range n {
		if !w.Step() {
			return
		}
	}
}
