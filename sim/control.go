package sim

// Control is what a Director acts with.
type Control struct{ w *World }

// NewControl lets something other than the world's director act on it, between events.
func NewControl(w *World) *Control { return &Control{w} }

// Now is the moment.
func (c *Control) Now() Time { return c.w.now }

// After wakes the director with the key when d has passed, before anything else of
// that moment. What it does then has the cause that this has.
func (c *Control) After(d Time, key int32) {
	w := c.w
	w.queue.push(event{at: w.now + max(d, 0), key: eventKey(ClassEnvironment, 0, w.queue.next()), what: fromDirector, id: key, gen: uint32(w.cause)})
}

// Start lets a node run. Starting one that runs does nothing.
func (c *Control) Start(id NodeID, with Body) {
	w := c.w
	n := w.own(id)
	if n.alive {
		return
	}
	n.alive = true
	r := w.rec(OpStart, id)
	r.Body = with
	ref := w.emit(r)
	w.in = Input{Kind: InputStart, Body: with}
	w.step(id, &w.in, ref)
}

// Crash stops a node without a word: its timers are gone and its connections broken.
// What it had sent still arrives. Who had connected to it learns that the connection
// is closed.
func (c *Control) Crash(id NodeID) { c.stop(id, OpCrash) }

// Exit is Crash for a process that has come to its end: only the record differs.
func (c *Control) Exit(id NodeID) { c.stop(id, OpExit) }

func (c *Control) stop(id NodeID, op Op) {
	w := c.w
	n := w.own(id)
	if !n.alive {
		return
	}
	ref := w.emit(w.rec(op, id))
	c.Thaw(id)
	n.alive, n.idle = false, false
	n.timers.clear()
	w.in = Input{Kind: InputCrash}
	w.step(id, &w.in, ref)
	before := w.cause
	w.cause = ref
	for i, l := range w.links {
		if l.server == id {
			w.sever(LinkID(i))
		}
		if l.client == id && w.links[i].believed() {
			w.abandon(LinkID(i))
		}
	}
	w.cause = before
}

// Command gives a running node an order, which it gets at once.
func (c *Control) Command(id NodeID, order Body) {
	w := c.w
	if !w.nodes[id].alive {
		return
	}
	r := w.rec(OpCommand, id)
	r.Body = order
	ref := w.emit(r)
	w.in = Input{Kind: InputCommand, Body: order}
	w.step(id, &w.in, ref)
}

// Act puts into the trace that the director does something, which becomes the cause
// of what it does until its wake-up ends.
func (c *Control) Act(n Note, ref Ref) {
	r := c.w.rec(OpAct, Nobody)
	r.Note, r.Ref = n, ref
	c.w.cause = c.w.emit(r)
}

// Cause is the record of what is being handled.
func (c *Control) Cause() Ref { return c.w.cause }

// Because makes a record the cause of what the director does until its wake-up ends.
func (c *Control) Because(ref Ref) { c.w.cause = ref }

// AddRule adds a message rule and returns its index in World.Rules. Earlier rules
// come first.
func (c *Control) AddRule(r Rule) int {
	r.By = c.w.cause
	c.w.rules = append(c.w.rules, r)
	c.w.assessAll()
	return len(c.w.rules) - 1
}

// StopRule takes a rule, by its index, out of action.
func (c *Control) StopRule(i int) {
	c.w.rules[i].Do = Count
	c.w.assessAll()
}

// Release lets what rules hold under the tag go on, to arrive at the moment given or
// later. It returns how many messages it released, and when the last of them arrives.
func (c *Control) Release(tag int32, at Time) (released int, last Time) {
	w := c.w
	for i := range w.links {
		for dir := range w.links[i].dir {
			for j := range w.links[i].dir[dir].rest() {
				if t := &w.links[i].dir[dir].rest()[j]; t.held && t.tag == tag {
					last = max(last, c.release(LinkID(i), dir, j, at))
					released++
				}
			}
		}
	}
	return released, last
}

func (c *Control) release(id LinkID, dir, j int, at Time) Time {
	w := c.w
	d := &w.mine(id).dir[dir]
	t := &d.rest()[j]
	t.held = false
	t.at = max(t.at, at, w.now)
	w.tell(OpReleased, t.msg.From, &t.msg, 0, t.msg.Ref)
	w.schedule(id, dir)
	return t.at
}

// Freeze stops a process, as a long garbage collection does: its connections stay and
// it does nothing. What comes to it waits for Thaw.
func (c *Control) Freeze(id NodeID) {
	n := c.w.own(id)
	if n.frozen || !n.alive {
		return
	}
	if n.timers.holdAll(c.w.now) { // it does nothing again and again while it stands still
		c.w.in = Input{Kind: InputClock}
		c.w.step(id, &c.w.in, c.w.lastRec)
	}
	n.frozen = true
	c.w.emit(c.w.rec(OpFreeze, id))
	c.w.freezes(id)
}

// Thaw lets a frozen process go on, with all that came meanwhile.
func (c *Control) Thaw(id NodeID) {
	n := c.w.own(id)
	if !n.frozen {
		return
	}
	n.frozen = false
	c.w.emit(c.w.rec(OpThaw, id))
	q := &c.w.queue
	for _, e := range n.waiting {
		if e.what == fromTimer {
			n.timers.thaw(&e, c.w.now, q)
		} else {
			e.at, e.key = c.w.now, later(e.key, q)
			q.push(e)
		}
	}
	n.waiting = nil
	c.w.freezes(id)
}

// Disconnect breaks all connections between two nodes, or with Nobody all of one.
// What is on its way is lost. It returns how many were open.
func (c *Control) Disconnect(a, b NodeID) (open int) {
	for i := range c.w.links {
		if l := c.w.links[i]; touches(l, a, b) || touches(l, b, a) {
			if l.up {
				open++
			}
			c.w.sever(LinkID(i))
		}
	}
	return open
}

func touches(l *link, a, b NodeID) bool {
	return a != Nobody && l.client == a && (b == Nobody || l.server == b) ||
		a == Nobody && l.server == b
}

// SetLatency sets what messages from one node to the other take from now on.
func (c *Control) SetLatency(from, to NodeID, base, spread Time) {
	w := c.w
	p := w.pairOf(from, to)
	p.base, p.spread, p.latency = base, spread, true
	for i, l := range w.links {
		for dir := range l.dir {
			if f, t := l.ends(dir); f == from && t == to {
				d := &w.mine(LinkID(i)).dir[dir]
				d.base, d.spread = base, spread
			}
		}
	}
}

// Cut lets nothing from one node arrive at the other until Heal: like a network that
// drops packets, it keeps what TCP would send again.
func (c *Control) Cut(from, to NodeID) { c.setCut(from, to, true) }

// Heal undoes Cut.
func (c *Control) Heal(from, to NodeID) { c.setCut(from, to, false) }

func (c *Control) setCut(from, to NodeID, cut bool) {
	w := c.w
	w.pairOf(from, to).cut = cut
	for i, l := range w.links {
		for dir := range l.dir {
			if f, t := l.ends(dir); f != from || t != to || l.dir[dir].cut == cut {
				continue
			}
			d := &w.mine(LinkID(i)).dir[dir]
			d.cut = cut
			if cut {
				d.forgetEntry()
			} else {
				w.resend(LinkID(i), dir)
			}
			w.assess(LinkID(i))
		}
	}
}

// resend lets what waited for a cut to heal take the way once more.
func (w *World) resend(id LinkID, dir int) {
	d := &w.links[id].dir[dir]
	for i := range d.rest() {
		t := &d.rest()[i]
		t.at = max(t.at, w.now+d.base)
	}
	w.schedule(id, dir)
}

func (w *World) pairOf(from, to NodeID) *pair {
	for i := range w.pairs {
		if p := &w.pairs[i]; p.from == from && p.to == to {
			return p
		}
	}
	w.pairs = append(w.pairs, pair{from: from, to: to})
	return &w.pairs[len(w.pairs)-1]
}

func (w *World) latencyBetween(from, to NodeID) (base, spread Time) {
	for i := range w.pairs {
		if p := &w.pairs[i]; p.from == from && p.to == to && p.latency {
			return p.base, p.spread
		}
	}
	return w.base, w.spread
}

// IsCut reports whether messages from one node to another do not arrive.
func (w *World) IsCut(from, to NodeID) bool {
	for i := range w.pairs {
		if p := &w.pairs[i]; p.from == from && p.to == to {
			return p.cut
		}
	}
	return false
}

// Choose asks chance for a number in [0, n), with a node as the one that asks.
func (c *Control) Choose(p *Point, id NodeID, n int) int { return c.w.choose(p, &c.w.own(id).asker, n) }

// World gives the world, to look at.
func (c *Control) World() *World { return c.w }
