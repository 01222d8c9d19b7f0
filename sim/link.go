package sim

// link is a connection from a client to a server. It delivers in order, each way.
// A server reads the next request only when it has answered the one before, as
// Kafka's brokers do.
type link struct {
	asker   asker
	client  NodeID
	server  NodeID
	channel uint8
	up      bool
	busy    bool   // the server has read a request and owes its answer
	epoch   uint32 // counts openings; messages of an earlier one are left over
	base    Time   // latency, one way
	spread  Time   // at most this much more, by PointLatency
	dir     [2]direction
}

// The directions.
const (
	toServer = 0
	toClient = 1
)

// direction is what is on its way, in order. Only its head has an entry in the queue
// of events.
type direction struct {
	line   []transit
	head   int
	last   Time   // no message arrives before the one sent before it
	gen    uint32 // of the head's entry
	queued bool
	cut    bool // nothing arrives until it is healed
}

// transit is a message on its way, or the news that the connection was closed.
type transit struct {
	msg    Message
	at     Time // it arrives now or later
	epoch  uint32
	tag    int32
	held   bool
	hangup bool
}

func (d *direction) empty() bool     { return d.head == len(d.line) }
func (d *direction) first() *transit { return &d.line[d.head] }
func (d *direction) put(t transit)   { d.line = append(d.line, t) }
func (d *direction) rest() []transit { return d.line[d.head:] }
func (d *direction) forgetEntry()    { d.gen++; d.queued = false }
func (d *direction) setRest(n int)   { d.line = d.line[:d.head+n] }
func (d *direction) take() transit {
	t := d.line[d.head]
	d.line[d.head] = transit{}
	d.head++
	if d.empty() {
		d.line, d.head = d.line[:0], 0
	}
	return t
}

func (l *link) clone() *link {
	c := *l
	c.asker = l.asker.clone()
	for i := range c.dir {
		c.dir[i].line = append([]transit(nil), l.dir[i].rest()...)
		c.dir[i].head = 0
	}
	return &c
}

// mine gives a link that this world may write.
func (w *World) mine(id LinkID) *link {
	if !w.ownLink[id] {
		w.links[id] = w.links[id].clone()
		w.ownLink[id] = true
	}
	return w.links[id]
}

func (w *World) open(from, to NodeID, channel uint8) (LinkID, bool) {
	id, found := w.findLink(from, to, channel)
	if found && w.links[id].up {
		return id, true
	}
	if !found {
		id = w.newLink(from, to, channel)
	}
	l := w.links[id]
	if !w.nodes[to].alive || l.dir[toServer].cut || l.dir[toClient].cut {
		return id, false
	}
	l = w.mine(id)
	l.up, l.busy = true, false
	l.epoch++
	r := w.rec(OpOpen, from)
	r.Msg.Link = id
	w.emit(r)
	return id, true
}

func (w *World) findLink(from, to NodeID, channel uint8) (LinkID, bool) {
	for _, id := range w.nodes[from].links {
		if l := w.links[id]; l.server == to && l.channel == channel {
			return id, true
		}
	}
	return 0, false
}

func (w *World) newLink(from, to NodeID, channel uint8) LinkID {
	id := LinkID(len(w.links))
	name := w.nodes[from].asker.name + "->" + w.nodes[to].asker.name
	if channel > 0 {
		name += "/" + string(rune('0'+channel))
	}
	l := &link{asker: newAsker(name), client: from, server: to, channel: channel}
	l.base, l.spread = w.latencyBetween(from, to)
	l.dir[toServer].cut = w.isCut(from, to)
	l.dir[toClient].cut = w.isCut(to, from)
	w.links = append(w.links, l)
	w.ownLink = append(w.ownLink, true)
	n := w.own(from)
	n.links = append(n.links, id)
	return id
}

// shut closes the connection from the client's side.
func (w *World) shut(node NodeID, id LinkID) {
	l := w.mine(id)
	if !l.up {
		return
	}
	r := w.rec(OpClose, node)
	r.Msg.Link = id
	w.emit(r)
	l.up, l.busy = false, false
	l.epoch++
	w.losePending(id, toClient)
	w.schedule(id, toServer)
}

// hangUp closes the connection from outside: the server died, or the network broke.
// What was on its way is lost, and the client is told.
func (w *World) hangUp(id LinkID) {
	l := w.mine(id)
	if !l.up {
		return
	}
	l.up, l.busy = false, false
	l.epoch++
	w.losePending(id, toServer)
	w.losePending(id, toClient)
	d := &l.dir[toClient]
	d.put(transit{at: w.now, epoch: l.epoch, hangup: true})
	d.last = w.now
	w.schedule(id, toClient)
}

func (w *World) losePending(id LinkID, dir int) {
	d := &w.links[id].dir[dir]
	for i := range d.rest() {
		if t := &d.rest()[i]; !t.hangup {
			w.lose(&t.msg)
		}
	}
	d.line, d.head = d.line[:0], 0
	d.forgetEntry()
}

func (w *World) lose(m *Message) {
	r := w.rec(OpLost, m.From)
	r.Msg, r.Ref = *m, m.Ref
	w.emit(r)
}

func (w *World) send(node NodeID, id LinkID, body Body, why uint16, ref Ref) uint32 {
	n := w.own(node)
	kind := body.Kind()
	n.sent[kind]++
	l := w.links[id]
	m := Message{Link: id, From: node, To: l.server, Ord: n.sent[kind], Body: body, req: kind}
	w.convey(&m, toServer, l.up, l.epoch, why, ref)
	return m.Ord
}

func (w *World) reply(node NodeID, req Request, body Body, why uint16, ref Ref) {
	l := w.mine(req.Link)
	m := Message{Link: req.Link, From: node, To: l.client, Answer: true, Ord: req.Ord, Body: body, req: req.kind}
	live := l.up && l.epoch == req.epoch
	w.convey(&m, toClient, live, req.epoch, why, ref)
	if live && l.epoch == req.epoch && l.busy {
		l.busy = false
		w.schedule(req.Link, toServer)
	}
}

// convey puts a message on its way, as the rules will have it.
func (w *World) convey(m *Message, dir int, live bool, epoch uint32, why uint16, ref Ref) {
	r := w.rec(OpSend, m.From)
	r.Msg, r.Why, r.Ref = *m, why, ref
	m.Ref = w.emit(r)
	if !live {
		w.lose(m)
		return
	}
	l := w.mine(m.Link)
	t := transit{msg: *m, epoch: epoch, at: w.now + l.base}
	if l.spread > 0 {
		t.at += Time(w.choose(PointLatency, &l.asker, int(l.spread)+1))
	}
	switch rule := w.judge(m); {
	case rule == nil:
	case rule.Do == Drop:
		w.lose(m)
		return
	case rule.Do == Break:
		w.lose(m)
		w.hangUp(m.Link)
		return
	case rule.Do == Delay:
		t.at += rule.Delay
	case rule.Do == Hold:
		t.held, t.tag = true, rule.Tag
		r := w.rec(OpHeld, m.From)
		r.Msg, r.Ref, r.Note.A = *m, m.Ref, int64(rule.Tag)
		defer w.emit(r) // observers may release it, so it must be in line by then
	}
	d := &l.dir[dir]
	if t.at < d.last {
		t.at = d.last
	}
	d.last = t.at
	d.put(t)
	w.schedule(m.Link, dir)
}

// schedule sees to it that the head of a line has its entry in the queue of events,
// if it can arrive.
func (w *World) schedule(id LinkID, dir int) {
	l := w.links[id]
	d := &l.dir[dir]
	if d.queued || d.empty() || d.cut {
		return
	}
	t := d.first()
	if t.held || dir == toServer && l.busy && t.epoch == l.epoch {
		return
	}
	l = w.mine(id)
	d = &l.dir[dir]
	at := max(d.first().at, w.now)
	priority := 0
	if !w.chance.Plain() {
		priority = w.choose(PointTie, &l.asker, tieRange)
	}
	d.gen++
	d.queued = true
	w.queue.push(event{at: at, key: eventKey(ClassArrival, priority, w.queue.next()), what: fromLink, id: int32(id), slot: int32(dir), gen: d.gen})
}

// arrive delivers the head of a line.
func (w *World) arrive(id LinkID, dir int) {
	l := w.mine(id)
	d := &l.dir[dir]
	d.queued = false
	t := d.take()
	switch {
	case t.hangup:
		if t.epoch == l.epoch { // else the client closed it itself meanwhile
			w.deliverHangup(id, l)
		}
	case dir == toServer && !w.nodes[l.server].alive,
		dir == toClient && (t.epoch != l.epoch || !w.nodes[l.client].alive):
		w.lose(&t.msg)
	case dir == toServer:
		if t.epoch == l.epoch {
			l.busy = true
		}
		w.deliver(InputRequest, &t)
	default:
		w.deliver(InputAnswer, &t)
	}
	w.schedule(id, dir)
}

func (w *World) deliver(kind InputKind, t *transit) {
	r := w.rec(OpArrive, t.msg.To)
	r.Msg, r.Ref = t.msg, t.msg.Ref
	ref := w.emit(r)
	in := &w.in
	*in = Input{Kind: kind, Link: t.msg.Link, Msg: t.msg}
	if kind == InputRequest {
		in.Req = Request{Link: t.msg.Link, epoch: t.epoch, kind: t.msg.req, Ord: t.msg.Ord, Ref: ref}
	}
	w.step(t.msg.To, in, ref)
}

func (w *World) deliverHangup(id LinkID, l *link) {
	if !w.nodes[l.client].alive {
		return
	}
	r := w.rec(OpClosed, l.client)
	r.Msg.Link = id
	ref := w.emit(r)
	w.in = Input{Kind: InputClosed, Link: id}
	w.step(l.client, &w.in, ref)
}
