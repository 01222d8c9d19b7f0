package sim

// room is what a world that is over leaves to the next: memory, and names with their hashes.
type room struct {
	nodes []*node
	links []*link
}

// Renew makes a new and empty world of one that is over, in the room that it has. Nobody may
// look at the old one any more, or at a fork of it.
func (w *World) Renew(chance *Decisions, base, spread Time) {
	*w = World{chance: chance, base: base, spread: spread, room: room{w.nodes, w.links},
		ownNode: w.ownNode[:0], ownLink: w.ownLink[:0],
		queue: queue{heap: w.queue.heap[:0]}, watch: w.watch[:0]}
	w.nodes, w.links = make([]*node, 0, len(w.room.nodes)), make([]*link, 0, len(w.room.links))
	w.bind()
}

// node is a node in the room, or a new one.
func (r *room) node(id NodeID, name string, a Actor) *node {
	if int(id) >= len(r.nodes) {
		return &node{asker: newAsker(name), actor: a}
	}
	n := r.nodes[id]
	if n.asker.name != name {
		n.asker, r.links = newAsker(name), nil // which have the names of their nodes in theirs
	}
	*n = node{asker: n.asker.again(), actor: a, timers: n.timers.again(), links: n.links[:0], waiting: n.waiting[:0]}
	return n
}

// link is a connection in the room that still has its ends, or a new one.
func (r *room) link(id LinkID) *link {
	if int(id) >= len(r.links) {
		return &link{}
	}
	l := r.links[id]
	again := link{asker: l.asker.again(), client: l.client, server: l.server, channel: l.channel}
	for i := range l.dir {
		again.dir[i].line = l.dir[i].line[:0]
	}
	*l = again
	return l
}
