package sim

// Alone reports whether nothing comes to a client at this moment before the turn of its user
// thread: then, handed an answer, it may do right now what it would do in that turn. What comes
// to others counts, as it may be what the director freezes the client at, unless the world is
// ByTheClock. It is false where others choose the order, see World.Choices.
func (o *Out) Alone() bool { return o.where.alone(o.node) }

// ByTheClock says that the director acts on nodes at moments that it has set before they come,
// and not at what it observes in them. What comes to one node at such a moment is of no concern
// to another, if messages take time.
func (w *World) ByTheClock() { w.byTheClock = true }

func (w *World) alone(id NodeID) bool {
	next := eventKey(ClassUser, min(int(id), lastPriority), 0)
	if w.byTheClock && len(w.rules) == 0 {
		next = eventKey(ClassTimer, 0, 0) // the environment's
	}
	if !w.queue.hole || !w.queue.isFirst(w.now, next) {
		return false
	}
	for _, link := range w.nodes[id].links { // of what has just arrived, the next is not queued yet
		if d := &w.links[link].dir[toClient]; d.base == 0 || !d.empty() && d.first().at <= w.now {
			return false
		}
	}
	return true
}
