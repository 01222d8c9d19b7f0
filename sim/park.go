package sim

// Long polls. A client asks, the server has nothing to say and answers so after a while,
// the client asks the same again: a round in which nothing happens. Rounds are not played
// as long as both sides go on like that. The server parks the request at the end of a
// round, and it stays parked, as if asked anew again and again, until the server has
// something to say, or one of these comes about:
//
//   - the client does something else: it is not idle any more;
//   - something else that it sent waits behind the request;
//   - the connection is disturbed: cut, subject to a message rule, or its server stands
//     still. Then each message counts.
//
// Then rounds are played again, beginning with the rest of the present one.

// Routine says that requests of a kind and their answers are routine. They go their way
// like others, and rules, cuts and broken connections do to them what they do to others;
// but they are no facts, chance has no say in how long they take, and no record tells of
// them unless TellRoutine was called. Call it before anything happens.
func (w *World) Routine(kind uint8) { w.routine[kind], w.anyRoutine = true, true }

// TellRoutine lets records tell of what is routine.
func (w *World) TellRoutine() { w.tellRoutine = true }

// PlayRounds lets every round of a long poll be played: the slow way, to compare with.
func (w *World) PlayRounds() { w.playRounds = true }

// Idle says whether the client waits and would at once send again any request that comes
// back with nothing.
func (o *Out) Idle(on bool) { o.where.idle(o.node, on) }

// Goes reports whether a round goes on without being played: if so the server may Park
// the request.
func (o *Out) Goes(req Request) bool { return o.where.goes(req) }

// Park keeps a request for which Goes holds. InputParked tells when it does not any more.
func (o *Out) Park(req Request) { o.where.park(req) }

// Live reports whether there is still a connection on which to answer the request.
func (o *Out) Live(req Request) bool { return o.where.lives(req) }

// RoundTrip is how many whole milliseconds a round takes besides the server's waiting.
func (o *Out) RoundTrip(req Request) int64 { return o.where.roundTrip(req) }

// Disturbed is for how many milliseconds a connection has been disturbed, -1 if it is not.
func (o *Out) Disturbed(link LinkID) int64 { return o.where.disturbed(link) }

func (w *World) idle(id NodeID, on bool) {
	n := w.own(id)
	n.idle = on
	if on {
		return
	}
	for _, link := range n.links {
		w.unpark(link)
	}
}

func (w *World) goes(req Request) bool {
	l := w.links[req.Link]
	d := &l.dir[toServer]
	n := w.nodes[l.client]
	return !w.playRounds && n.idle && !n.frozen && l.since == never && (d.empty() || d.first().at > w.now)
}

func (w *World) park(req Request) {
	w.mine(req.Link).parked = true
	w.schedule(req.Link, toServer) // what is on its way will not wait long behind it
}

func (w *World) lives(req Request) bool {
	l := w.links[req.Link]
	return l.up && l.epoch == req.epoch
}

func (w *World) roundTrip(req Request) int64 {
	l := w.links[req.Link]
	return (l.dir[toServer].base + l.dir[toClient].base).Millis()
}

func (w *World) disturbed(id LinkID) int64 {
	if l := w.links[id]; l.since != never {
		return (w.now - l.since).Millis()
	}
	return -1
}

// unpark tells a server that parks a request to look at it again, after what happens now.
func (w *World) unpark(id LinkID) {
	if !w.links[id].parked {
		return
	}
	l := w.mine(id)
	l.parked = false
	w.queue.push(event{at: w.now, key: eventKey(ClassArrival, 0, w.queue.next()), what: fromPark, id: int32(id)})
}

// look lets the server look at what it has parked.
func (w *World) look(id LinkID) {
	if server := w.links[id].server; w.nodes[server].alive {
		w.in = Input{Kind: InputParked, Link: id}
		w.step(server, &w.in, 0)
	}
}

// assess finds out whether a connection is disturbed, where anything is routine.
func (w *World) assess(id LinkID) {
	if !w.anyRoutine {
		return
	}
	l := w.links[id]
	is := l.dir[toServer].cut || l.dir[toClient].cut || w.nodes[l.server].frozen || w.ruled(l)
	if is == (l.since != never) {
		return
	}
	l = w.mine(id)
	l.since = never
	if is {
		l.since = w.now
		w.unpark(id)
	}
}

// freezes sees to the connections of a process that stands still, or goes on.
func (w *World) freezes(id NodeID) {
	for i, l := range w.links {
		switch id {
		case l.server:
			w.assess(LinkID(i))
		case l.client:
			w.unpark(LinkID(i))
		}
	}
}

func (w *World) assessAll() {
	for id := range w.links {
		w.assess(LinkID(id))
	}
}

// ruled reports whether a rule may do something to a routine message of the connection.
func (w *World) ruled(l *link) bool {
	is := func(id, want NodeID) bool { return want == Nobody || want == id }
	for i := range w.rules {
		r := &w.rules[i]
		from, to := l.client, l.server
		if r.Answer {
			from, to = to, from
		}
		if r.Do != Count && !r.spent() && (r.AnyKind || w.routine[r.Kind]) && is(from, r.From) && is(to, r.To) {
			return true
		}
	}
	return false
}
