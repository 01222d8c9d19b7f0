package scenarios

import (
	"path"
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// trigger is a Trigger with its names looked up.
type trigger struct {
	when  *Trigger
	nodes []sim.NodeID // of the event
	waits []waiting    // that must be parked
}

// waiting is a request that waits at the coordinator for its answer.
type waiting struct {
	client sim.NodeID
	kind   uint8
}

// happens reports whether the record is the trigger's event, or, if it has none,
// always: then what it holds for decides.
func (t *trigger) happens(r *sim.Rec, p *progress) bool {
	e := &t.when.Event
	if e.None() {
		return true
	}
	if !t.names(r) {
		return false
	}
	n := p.seen + 1
	if e.Verb == VerbRequest || e.Verb == VerbAnswer {
		n = r.Msg.Ord
	}
	p.seen++
	return n >= e.First && (e.Last == 0 || n <= e.Last)
}

// names reports whether the record is of the kind that the event's name means.
func (t *trigger) names(r *sim.Rec) bool {
	e := &t.when.Event
	switch e.Verb {
	case VerbRequest, VerbAnswer:
		return r.Op == sim.OpSend && r.Msg.Answer == (e.Verb == VerbAnswer) &&
			(e.Request == 0 || r.Msg.Kind() == e.Request) && slices.Contains(t.nodes, r.Msg.Client())
	case VerbGroup:
		g, ok := r.Note.Body.(*protocol.GroupChange)
		return r.Op == sim.OpNote && ok && g.To == e.State && slices.Contains(t.nodes, r.Node)
	case VerbStarted:
		return r.Op == sim.OpStart && slices.Contains(t.nodes, r.Node)
	case VerbCrashed:
		return r.Op == sim.OpCrash && slices.Contains(t.nodes, r.Node)
	case VerbEnded:
		return r.Op == sim.OpExit && slices.Contains(t.nodes, r.Node)
	}
	return r.Op == sim.OpNote && r.Note.Code == noteOf[e.Verb] && slices.Contains(t.nodes, r.Node)
}

var noteOf = [...]uint8{
	VerbRevoked: protocol.NoteRevoked, VerbAssigned: protocol.NoteAssigned, VerbLost: protocol.NoteLost,
	VerbServes: protocol.NoteServes, VerbThrown: protocol.NoteThrown,
	VerbLoaded: protocol.NoteLoaded, VerbUnloaded: protocol.NoteUnloaded,
}

// holds reports whether the group is as the trigger wants it.
func (t *trigger) holds(g *groupView) bool {
	w := t.when
	if w.State != protocol.NoGroup && w.State != g.state.To ||
		w.Generation != 0 && w.Generation != g.state.Generation ||
		w.Members != 0 && w.Members != g.state.Members {
		return false
	}
	for _, x := range t.waits {
		if !slices.Contains(g.parked, x) {
			return false
		}
	}
	return true
}

// groupView is the scenario's group as its director sees it.
type groupView struct {
	id       string
	state    protocol.GroupChange
	parked   []waiting
	arrived  waiting // the request that is being handled
	arrivals sim.Ref
	started  []bool // by node
	brokers  []sim.NodeID
	roster   []rosterEntry // the members, as the coordinator has them
	came     []bool        // by node: the clients that have been members since they started
	removed  []removal     // by node: when the coordinator removed the client last
	unheard  []sim.Time    // by node: when the connection broke on which it had asked to join
	// asks has, by node, the connection on which a client waits for the answer to a
	// JoinGroup or SyncGroup, plus 1; 0: none.
	asks []sim.LinkID
	node func(name string) sim.NodeID
}

// removal is when a member was removed, and the record that says so.
type removal struct {
	at sim.Time
	by sim.Ref
}

// rosterEntry is a member of the group: its id, its instance id and its client.
type rosterEntry struct {
	id, instance string
	client       sim.NodeID
}

// observe follows one record, and reports whether it changed the group. What a broker
// makes of it that is not the coordinator any more does not count.
func (g *groupView) observe(r *sim.Rec, coordinator sim.NodeID) (changed bool) {
	switch r.Op {
	case sim.OpStart, sim.OpCrash, sim.OpExit:
		g.asks[r.Node], g.unheard[r.Node] = 0, 0
		if r.Op == sim.OpStart {
			g.started[r.Node] = true
		} else if slices.Contains(g.brokers, r.Node) { // whatever waited there, waits no more
			g.parked, g.arrived = nil, waiting{}
			if r.Node == coordinator { // who is in the group is what is loaded next
				g.empties()
			}
		}
		return true
	case sim.OpArrive:
		if !r.Msg.Answer {
			g.arrived, g.arrivals = waiting{r.Msg.From, r.Msg.Kind()}, r.ID
		} else if g.asks[r.Node] == r.Msg.Link+1 && joins(r.Msg.Kind()&^protocol.Answers) {
			g.asks[r.Node] = 0
		}
	case sim.OpSend, sim.OpLost:
		if r.Msg.Answer {
			g.answered(waiting{r.Msg.To, r.Msg.Kind()})
		} else if r.Op == sim.OpSend && joins(r.Msg.Kind()) {
			g.asks[r.Node], g.unheard[r.Node] = r.Msg.Link+1, 0
		}
	case sim.OpClosed, sim.OpClose:
		if g.asks[r.Node] == r.Msg.Link+1 { // it will ask again
			g.asks[r.Node], g.unheard[r.Node] = 0, r.At
			return true
		}
	case sim.OpNote:
		return g.note(r, coordinator)
	}
	return false
}

// joins reports whether a kind of request is a step on the way into a generation.
func joins(kind uint8) bool { return kind == protocol.KindJoinGroup || kind == protocol.KindSyncGroup }

func (g *groupView) note(r *sim.Rec, coordinator sim.NodeID) bool {
	switch body := r.Note.Body.(type) {
	case *protocol.GroupChange:
		if body.Group == g.id && r.Node == coordinator {
			if body.From == protocol.NoGroup || body.To == protocol.Dead { // loaded: who is in it is told next
				g.empties()
			}
			g.state = *body
			return true
		}
	case *protocol.MemberChange:
		if body.Group == g.id && r.Node == coordinator {
			g.member(body, r)
		}
		return body.Group == g.id
	case *protocol.PartitionList: // that records are read changes nothing
		return r.Note.Code != protocol.NoteDelivered && r.Note.Code != protocol.NoteFinished
	}
	if r.Note.Code == protocol.NoteLoaded && r.Node == coordinator && r.Note.B == 0 { // the log has no group
		g.empties()
		g.state = protocol.GroupChange{}
		return true
	}
	if r.Note.Code == protocol.NotePark && r.Cause == g.arrivals && !slices.Contains(g.parked, g.arrived) {
		g.parked = append(g.parked, g.arrived)
		return g.arrived.kind == protocol.KindJoinGroup || g.arrived.kind == protocol.KindSyncGroup
	}
	return false
}

// member follows who is in the group. A static member that is replaced is added anew;
// its client id stays the old one, so who asked is the client, if somebody did.
func (g *groupView) member(m *protocol.MemberChange, r *sim.Rec) {
	g.roster = slices.DeleteFunc(g.roster, func(e rosterEntry) bool {
		gone := e.id == m.Member || m.Instance != "" && e.instance == m.Instance
		if gone && m.What == "removed" && e.client != sim.Nobody {
			g.removed[e.client] = removal{r.At, r.ID}
		}
		return gone
	})
	if m.What != "added" {
		return
	}
	client := g.node(m.Client)
	if r.Cause == g.arrivals && g.arrived.kind == protocol.KindJoinGroup {
		client = g.arrived.client
	}
	g.roster = append(g.roster, rosterEntry{m.Member, m.Instance, client})
	if client != sim.Nobody {
		g.came[client] = true
	}
}

// empties forgets who is in the group. Who was and is not again once it is loaded has yet to
// learn of it, and to join.
func (g *groupView) empties() {
	for _, e := range g.roster {
		if e.client != sim.Nobody {
			g.came[e.client] = false
		}
	}
	g.roster = nil
}

// forget takes back that a client has been a member since it started.
func (g *groupView) forget(client sim.NodeID) { g.came[client] = false }

func (g *groupView) answered(x waiting) {
	if i := slices.Index(g.parked, x); i >= 0 {
		g.parked = slices.Delete(g.parked, i, i+1)
	}
}

func (g *groupView) seen(id sim.NodeID) bool { return g.started[id] }

// atRest reports whether the group is in a state in which it may stay. What a process that
// has ended has parked is nobody's any more.
func (g *groupView) atRest(w *sim.World) bool {
	return g.state.To != protocol.PreparingRebalance && g.state.To != protocol.CompletingRebalance &&
		!slices.ContainsFunc(g.parked, func(x waiting) bool {
			return (x.kind == protocol.KindJoinGroup || x.kind == protocol.KindSyncGroup) && w.Alive(x.client)
		})
}

// hash writes the lists as sets: nobody asks for their order.
func (g *groupView) hash(h *sim.Hasher) {
	h.Uint(g.state.Sum())
	var parked, roster uint64
	for _, x := range g.parked {
		parked += hashOf(int64(x.client), int64(x.kind))
	}
	for _, e := range g.roster {
		roster += hashOf(int64(sim.HashString(e.id)), int64(sim.HashString(e.instance)), int64(e.client))
	}
	h.Uint(parked)
	h.Uint(roster)
	for id := range g.started {
		h.Bool(g.started[id])
		h.Bool(g.came[id])
		h.Bool(g.asks[id] > 0)
	}
}

func hashOf(words ...int64) uint64 {
	var h sim.Hasher
	for _, x := range words {
		h.Int(x)
	}
	return h.Sum()
}

// nodesOf lists the nodes whose names match.
func (p *plan) nodesOf(pattern string) []sim.NodeID {
	var ids []sim.NodeID
	for id, name := range p.names {
		if ok, _ := path.Match(pattern, name); ok {
			ids = append(ids, sim.NodeID(id))
		}
	}
	return ids
}
