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
	busy    bool // the server has read a request and owes its answer
	reading Request
	parked  bool   // and keeps it, see Out.Park
	since   Time   // when it was disturbed; never: it is not
	epoch   uint32 // counts openings and closings; messages of an earlier one are left over
	dir     [3]direction
}

// The directions. A client that closes its connection leaves behind what was on its way
// to the server, and it arrives all the same, beside what the next connection carries.
const (
	toServer = iota
	toClient
	leftBehind
)

// direction is what is on its way, in order. Only its head has an entry in the queue
// of events.
type direction struct {
	line   []transit
	head   int
	gen    uint32 // of the head's entry
	queued bool
	cut    bool // nothing arrives until it is healed
	base   Time // latency
	spread Time // at most this much more, by PointLatency
}

// transit is a message on its way, or the news that the connection was closed.
type transit struct {
	msg    Message
	at     Time // it arrives then, or as soon after as what is before it in line has
	epoch  uint32
	tag    int32
	held   bool
	hangup bool
	late   bool // see Choices
}

func (d *direction) empty() bool     { return d.head == len(d.line) }
func (d *direction) first() *transit { return &d.line[d.head] }
func (d *direction) rest() []transit { return d.line[d.head:] }
func (d *direction) forgetEntry()    { d.gen++; d.queued = false }

func (d *direction) clear() {
	clear(d.line)
	d.line, d.head = d.line[:0], 0
	d.forgetEntry()
}

func (d *direction) put(t *transit) {
	if d.head > 0 && len(d.line) == cap(d.line) { // reuse the room before growing
		n := copy(d.line, d.rest())
		clear(d.line[n:])
		d.line, d.head = d.line[:n], 0
	}
	if d.line == nil {
		d.line = make([]transit, 0, 2)
	}
	d.line = append(d.line, *t)
}

// drop takes the head off.
func (d *direction) drop() {
	d.first().msg.Body = nil
	d.head++
	if d.empty() {
		d.line, d.head = d.line[:0], 0
	}
}

// believed reports whether the client takes the connection to be open: until the news
// that it was closed has arrived, which is the only thing on its way to the client then.
func (l *link) believed() bool { return l.up || !l.dir[toClient].empty() }

// ends are the nodes between which a direction leads.
func (l *link) ends(dir int) (from, to NodeID) {
	if dir == toClient {
		return l.server, l.client
	}
	return l.client, l.server
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
		w.copyLink(id)
	}
	return w.links[id]
}

//go:noinline // so that mine is inlined, which mostly copies nothing
func (w *World) copyLink(id LinkID) {
	w.links[id] = w.links[id].clone()
	w.ownLink[id] = true
}

func (w *World) open(from, to NodeID, channel uint8) (LinkID, bool) {
	id, found := w.findLink(from, to, channel)
	if found && w.links[id].believed() {
		return id, true // what is sent over a broken one is lost, as the client will learn
	}
	if !found {
		id = w.newLink(from, to, channel)
	}
	l := w.links[id]
	if !w.nodes[to].alive || l.dir[toServer].cut || l.dir[toClient].cut {
		return id, false
	}
	l = w.mine(id)
	w.leaveBehind(id)
	l.up, l.busy = true, false
	l.epoch++
	r := w.rec(OpOpen, from)
	r.Msg.Link = id
	w.emit(r)
	return id, true
}

// leaveBehind takes what a closed connection has still on its way to the server out of
// the way of the next one.
func (w *World) leaveBehind(id LinkID) {
	l := w.links[id]
	old, d := &l.dir[leftBehind], &l.dir[toServer]
	if d.empty() {
		return
	}
	for i := range d.rest() {
		old.put(&d.rest()[i])
	}
	d.clear()
	w.schedule(id, leftBehind)
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
	l := w.room.link(id)
	if l.client != from || l.server != to || l.channel != channel || l.asker.name == "" {
		l.asker = newAsker(w.linkName(from, to, channel))
	}
	l.client, l.server, l.channel, l.since = from, to, channel, never
	for i := range l.dir {
		d := &l.dir[i]
		from, to := l.ends(i)
		d.base, d.spread = w.latencyBetween(from, to)
		d.cut = w.IsCut(from, to)
	}
	w.links = append(w.links, l)
	w.ownLink = append(w.ownLink, true)
	n := w.own(from)
	n.links = append(n.links, id)
	w.assess(id)
	return id
}

func (w *World) linkName(from, to NodeID, channel uint8) string {
	name := w.nodes[from].asker.name + "->" + w.nodes[to].asker.name
	if channel > 0 {
		name += "/" + string(rune('0'+channel))
	}
	return name
}

// shut closes the connection from the client's side.
func (w *World) shut(node NodeID, id LinkID, why uint16, ref Ref) {
	if !w.links[id].believed() {
		return
	}
	r := w.rec(OpClose, node)
	r.Msg.Link, r.Why, r.Ref = id, why, ref
	w.emit(r)
	w.abandon(id)
}

// abandon ends a connection from the client's side: what it sent still arrives, what it
// was to get is lost.
func (w *World) abandon(id LinkID) {
	l := w.mine(id)
	w.unpark(id)
	l.up, l.busy = false, false
	l.epoch++
	w.losePending(id, toClient)
	w.schedule(id, toServer)
}

// hangUp closes an open connection from outside: the server died, or the network broke.
// What was on its way is lost, and the client is told.
func (w *World) hangUp(id LinkID) {
	l := w.mine(id)
	w.unpark(id)
	l.up, l.busy = false, false
	l.epoch++
	w.losePending(id, toServer)
	w.losePending(id, toClient)
	d := &l.dir[toClient]
	d.put(&transit{msg: Message{Ref: w.cause}, at: w.now, hangup: true})
	w.schedule(id, toClient)
}

// sever breaks the connection, if it is open, and whatever earlier ones left behind.
func (w *World) sever(id LinkID) {
	w.losePending(id, leftBehind)
	if w.links[id].up {
		w.hangUp(id)
	} else {
		w.losePending(id, toServer)
	}
}

// losePending loses what is on its way.
func (w *World) losePending(id LinkID, dir int) {
	d := &w.mine(id).dir[dir]
	for i := range d.rest() {
		if t := &d.rest()[i]; !t.hangup {
			w.lose(&t.msg)
		}
	}
	d.clear()
}

func (w *World) lose(m *Message) {
	if m.routine && !w.tellRoutine {
		return
	}
	w.tell(OpLost, m.From, m, 0, m.Ref)
}

// loseFor loses a message as a rule says.
func (w *World) loseFor(rule *Rule, m *Message) {
	before := w.cause
	if rule.By != 0 {
		w.cause = rule.By
	}
	w.lose(m)
	if rule.Do == Break {
		w.hangUp(m.Link)
	}
	w.cause = before
}

func (w *World) send(node NodeID, id LinkID, body Body, why uint16, ref Ref) (uint32, Ref) {
	n := w.own(node)
	kind := body.Kind()
	n.sent[kind]++
	l := w.links[id]
	t := transit{epoch: l.epoch, msg: Message{Link: id, From: node, To: l.server, Ord: n.sent[kind],
		Body: body, req: kind, routine: w.routine[kind]}}
	w.convey(&t, toServer, l.up, why, ref)
	return t.msg.Ord, t.msg.Ref
}

func (w *World) reply(node NodeID, req Request, body Body, why uint16, ref Ref) {
	l := w.mine(req.Link)
	t := transit{epoch: req.epoch, msg: Message{Link: req.Link, From: node, To: l.client, Answer: true, Ord: req.Ord,
		Body: body, req: req.kind, routine: w.routine[req.kind]}}
	live := l.up && l.epoch == req.epoch
	w.convey(&t, toClient, live, why, ref)
	if live && l.epoch == req.epoch && l.busy { // unless a rule broke it
		l.busy, l.parked = false, false
		w.schedule(req.Link, toServer)
	}
}

// convey puts a message on its way, as the rules will have it.
func (w *World) convey(t *transit, dir int, live bool, why uint16, ref Ref) {
	m := &t.msg
	m.Ref = w.cause
	if !m.routine || w.tellRoutine {
		m.Ref = w.tell(OpSend, m.From, m, why, ref)
	}
	if !live {
		w.lose(m)
		return
	}
	l := w.mine(m.Link)
	d := &l.dir[dir]
	t.at = w.now + d.base
	if d.spread > 0 && !m.routine {
		t.at += Time(w.choose(PointLatency, &l.asker, int(d.spread)+1))
	}
	switch rule := w.judge(m); {
	case rule == nil:
	case rule.Do == Drop:
		w.loseFor(rule, m)
		return
	case rule.Do == Break:
		w.loseFor(rule, m)
		return
	case rule.Do == Delay:
		t.at += rule.Delay
	case rule.Do == Hold:
		t.held, t.tag = true, rule.Tag
	}
	d.put(t)
	w.schedule(m.Link, dir)
	if t.held {
		r := w.rec(OpHeld, m.From)
		r.Msg, r.Ref, r.Note.A = *m, m.Ref, int64(t.tag)
		w.emit(r)
	}
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
	if t.held || dir == toServer && l.busy && !l.parked {
		return
	}
	l = w.mine(id)
	d = &l.dir[dir]
	at := max(d.first().at, w.now)
	priority := 0
	if !w.chance.Plain() && !d.first().msg.routine && !(dir == toServer && l.busy) { // before a parked request it does not arrive yet
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
	if dir == toServer && l.busy { // what is parked does not keep it waiting for long
		l.parked = false
		if w.look(id); l.busy {
			return
		}
		d.forgetEntry() // its answer is on its way: this one arrives right now
	}
	switch t := d.first(); {
	case t.hangup:
		by := t.msg.Ref
		d.drop()
		w.deliverHangup(id, l, by)
	case dir == toClient:
		w.deliver(InputAnswer, d, Request{})
	default:
		req := Request{Link: id, epoch: t.epoch, kind: t.msg.req, Ord: t.msg.Ord}
		if l.up && dir == toServer {
			l.busy, l.reading = true, req
		}
		w.deliver(InputRequest, d, req)
	}
	w.schedule(id, dir)
}

// deliver hands the head of a line to its node, and takes it off. Req is what a request is
// answered by.
func (w *World) deliver(kind InputKind, d *direction, req Request) {
	t := d.first()
	to, ref := t.msg.To, t.msg.Ref
	if !t.msg.routine || w.tellRoutine {
		ref = w.tell(OpArrive, to, &t.msg, 0, ref)
	}
	in := &w.mail
	in.Kind, in.Link, in.Req, in.Msg = kind, t.msg.Link, req, t.msg
	if kind == InputRequest {
		in.Req.Ref = ref
	}
	d.drop()
	w.step(to, in, ref)
}

func (w *World) deliverHangup(id LinkID, l *link, by Ref) {
	r := w.rec(OpClosed, l.client)
	r.Msg.Link, r.Ref = id, by
	ref := w.emit(r)
	w.in = Input{Kind: InputClosed, Link: id}
	w.step(l.client, &w.in, ref)
}
