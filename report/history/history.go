// Package history reads a trace: it names its records, writes them as text, and folds
// them into what a group's coordinator was asked and answered. Stories, checks and
// golden traces stand on it.
//
// A History keeps what a story tells, and what else is wanted of it: what goes well again and
// again it only counts, so that it does not grow as long as nothing happens.
package history

import (
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Request is one request to the coordinator, from its sending to its answer.
type Request struct {
	Name   string
	Client sim.NodeID
	Broker sim.NodeID
	Link   sim.LinkID // the connection that it came by
	Kind   uint8
	Ord    uint32
	Body   sim.Body

	Sent, Arrived, Answered sim.Time      // -1: not yet
	Sending                 sim.Ref       // the record of its sending
	Cause                   sim.Ref       // what was being handled when it was sent
	Asks                    protocol.Rule // why it was sent
	Arrival                 sim.Ref       // the record of its arrival
	Why                     protocol.Rule // why it was answered so
	Waits                   protocol.Rule // why it was parked
	Answer                  sim.Body
	AnswerBy                sim.Ref  // the record that was handled when it was answered
	AnswerRef               sim.Ref  // the record of the answer's sending
	Got                     sim.Time // when the client had the answer, -1: not yet
	Lost                    bool     // it, or its answer, did not get through

	// In is the group's state when the request arrived, and what it did to it.
	In    protocol.GroupChange
	Moves []Move

	// More is how many like it its client sent then, before any request that is not quiet, and
	// Until when the last of them was answered.
	More  int
	Until sim.Time

	folded bool // it is one of the more of another
}

// Move is a change of a group's state.
type Move struct {
	Name string // "b1.group.Stable#3"
	At   sim.Time
	Ref  sim.Ref // the record of the change
	By   sim.Ref // what was handled: a request, a timer
	Why  protocol.Rule
	Node sim.NodeID
	protocol.GroupChange
}

// AtOnce reports whether the request was answered when it was handled.
func (r *Request) AtOnce() bool { return r.Answer != nil && r.AnswerBy == r.Arrival }

// Error is the error in the answer, None without one.
func (r *Request) Error() protocol.Error { return protocol.ErrorIn(r.Answer) }

// GroupOf is the group that a request is about, "" if none.
func GroupOf(b sim.Body) string {
	group, _, _, _ := protocol.IDsIn(b)
	return group
}

// Event is a record that is no message to or from a coordinator, kept with its name:
// a node's beginning, end or standing still, a broken connection, a timer, a change of
// ownership.
type Event struct {
	Name string
	Rec  sim.Rec
}

// History is the fold. Observe every record, then call Done.
type History struct {
	World    *sim.World
	Requests []*Request // by their arrival
	Unheard  []*Request // that were lost on the way to the broker
	Moves    []Move
	Events   []Event
	Joined   []Joined
	Clients  []*Client
	End      sim.Time

	names  *Names
	wanted Wanted
	open   map[key]*Request     // sent, not yet answered
	byRef  map[sim.Ref]*Request // by the record of its arrival
	quiet  map[quiet]*Request   // that more like it can be counted with
	gone   int                  // how many of the requests are folded
	timer  Event                // the last that went off: nothing has come of it yet
	logs   map[log]int64        // that have to commit what is kept: up to which offset
	groups map[string]protocol.GroupChange
	moved  map[string]sim.NodeID // which broker moved each last
	byNode map[sim.NodeID]*Client
}

// Joined is that a broker says of a member that it has come into its group, or is gone.
type Joined struct {
	Group, Member, Instance string
	Name                    string // of its node
	Gone                    bool
	Node                    sim.NodeID // the broker
	Why                     protocol.Rule
	At                      sim.Time
	Ref                     sim.Ref
	By                      sim.Ref // what was handled
}

type key struct {
	node sim.NodeID
	kind uint8
	ord  uint32
}

// New is a history of what is yet to happen in w, whose clients are the nodes given.
func New(w *sim.World, clients []sim.NodeID, wanted Wanted) *History {
	h := &History{World: w, names: NewNames(w), wanted: wanted, open: map[key]*Request{}, byRef: map[sim.Ref]*Request{},
		quiet: map[quiet]*Request{}, logs: map[log]int64{}, groups: map[string]protocol.GroupChange{}, moved: map[string]sim.NodeID{}, byNode: map[sim.NodeID]*Client{}}
	for _, id := range clients {
		c := &Client{Node: id}
		h.Clients = append(h.Clients, c)
		h.byNode[id] = c
	}
	return h
}

// Observe takes one record.
func (h *History) Observe(r *sim.Rec) {
	h.names.Count(r)
	switch r.Op {
	case sim.OpSend, sim.OpArrive, sim.OpLost:
		h.message(r)
	case sim.OpNote:
		h.note(r)
	case sim.OpTimer:
		h.timer = Event{h.names.Name(r), *r}
	case sim.OpStart, sim.OpCrash, sim.OpExit, sim.OpFreeze, sim.OpThaw, sim.OpClock, sim.OpClose, sim.OpClosed, sim.OpCommand, sim.OpAct:
		h.event(r)
		if c := h.byNode[r.Node]; c != nil {
			c.running(r)
		}
	}
}

func (h *History) event(r *sim.Rec) {
	h.comesOf(r.Cause)
	h.Events = append(h.Events, Event{h.names.Name(r), *r})
}

// comesOf keeps the timer that something came of.
func (h *History) comesOf(cause sim.Ref) {
	if cause != 0 && cause == h.timer.Rec.ID {
		h.Events = append(h.Events, h.timer)
		h.timer = Event{}
	}
}

func (h *History) message(r *sim.Rec) {
	m := &r.Msg
	k := key{m.Client(), m.Kind(), m.Ord}
	switch {
	case r.Op == sim.OpSend && !m.Answer:
		h.open[k] = &Request{Name: h.names.Name(r), Client: m.From, Broker: m.To, Link: m.Link, Kind: k.kind, Ord: m.Ord,
			Body: m.Body, Sent: r.At, Arrived: -1, Answered: -1, Got: -1, Sending: r.ID, Cause: r.Cause, Asks: protocol.Rule(r.Why)}
	case h.open[k] == nil:
	case r.Op == sim.OpArrive && !m.Answer:
		q := h.open[k]
		q.Arrived, q.Arrival = r.At, r.ID
		q.In = h.groups[GroupOf(q.Body)]
		h.byRef[r.ID] = q
		h.Requests = append(h.Requests, q)
	case r.Op == sim.OpSend:
		h.comesOf(r.Cause)
		q := h.open[k]
		q.Answered, q.Answer, q.AnswerBy, q.AnswerRef, q.Why = r.At, m.Body, r.Cause, r.ID, protocol.Rule(r.Why)
	case r.Op == sim.OpLost:
		q := h.open[k]
		q.Lost = true
		if q.Arrived < 0 {
			h.Unheard = append(h.Unheard, q)
		}
		h.begins(q.Client)
		delete(h.open, k)
	case r.Op == sim.OpArrive:
		q := h.open[k]
		q.Got = r.At
		delete(h.open, k)
		h.fold(q)
	}
}

func (h *History) note(r *sim.Rec) {
	switch body := r.Note.Body.(type) {
	case *protocol.GroupChange:
		h.comesOf(r.Cause)
		m := Move{Name: h.names.Name(r), At: r.At, Ref: r.ID, By: r.Cause, Why: protocol.Rule(r.Why), Node: r.Node, GroupChange: *body}
		if m.Why != protocol.RuleUnloaded || h.moved[body.Group] == r.Node { // not one that gives up late
			h.groups[body.Group] = *body
			h.moved[body.Group] = r.Node
		}
		h.Moves = append(h.Moves, m)
		if q := h.byRef[r.Cause]; q != nil {
			q.Moves = append(q.Moves, m)
		}
	case *protocol.ClientChange:
		c := h.byNode[r.Node]
		c.Member, c.Generation, c.Leader, c.State = body.Member, body.Generation, body.Leader, body.State
	case *protocol.MemberChange:
		h.comesOf(r.Cause)
		h.memberChange(r, body)
	case *protocol.PartitionList:
		switch c := h.byNode[r.Node]; r.Note.Code {
		case protocol.NoteServes:
			c.serve(r.At, body.Partitions)
		case protocol.NoteRevoked, protocol.NoteLost:
			c.serve(r.At, without(c.Serves, body.Partitions))
		case protocol.NoteDelivered, protocol.NoteFinished:
			return
		}
		h.event(r)
	default:
		switch {
		case r.Note.Code == protocol.NotePark:
			if q := h.byRef[r.Ref]; q != nil {
				q.Waits = protocol.Rule(r.Why)
			}
		case h.keeps(r):
			h.event(r)
		}
	}
}

func (h *History) memberChange(r *sim.Rec, c *protocol.MemberChange) {
	j := Joined{Member: c.Member, Instance: c.Instance, Name: c.Client, Group: c.Group, Gone: c.What != "added",
		Node: r.Node, Why: protocol.Rule(r.Why), At: r.At, Ref: r.ID, By: r.Cause}
	if q := h.byRef[r.Cause]; q != nil && q.Kind == protocol.KindJoinGroup && !j.Gone {
		j.Name = h.World.Name(q.Client)
	}
	if n := len(h.Joined); n > 0 && !j.Gone && h.Joined[n-1].renamed(&j) {
		if g := h.groups[j.Group]; g.Leader == h.Joined[n-1].Member {
			g.Leader = j.Member
			h.groups[j.Group] = g
		}
	}
	h.Joined = append(h.Joined, j)
}

// renamed reports whether a static member that is gone has come back under another id.
func (j *Joined) renamed(to *Joined) bool {
	return j.Gone && j.Instance != "" && j.Instance == to.Instance && j.Group == to.Group && j.Node == to.Node && j.By == to.By
}

// IsMember reports whether a member id was in a group when last was heard of it.
func (h *History) IsMember(id string) bool {
	for i := len(h.Joined) - 1; i >= 0; i-- {
		if j := &h.Joined[i]; j.Member == id {
			return !j.Gone
		}
	}
	return false
}

// MemberName is the name of the node that has, or last had, the member id; the id
// itself if nobody had it.
func (h *History) MemberName(id string) string {
	for i := len(h.Joined) - 1; i >= 0; i-- {
		if j := &h.Joined[i]; j.Member == id && !j.Gone {
			return j.Name
		}
	}
	return id
}

// Done ends the history at the moment given. One that is gone then does not pause.
func (h *History) Done(at sim.Time) {
	h.End = at
	h.compact()
	for _, c := range h.Clients {
		if c.now != Down {
			c.pauseEnds(at)
		}
	}
}

// Group is the state in which a group was left.
func (h *History) Group(id string) protocol.GroupChange { return h.groups[id] }

// By is the request whose arrival a reference names, nil if it names none.
func (h *History) By(ref sim.Ref) *Request { return h.byRef[ref] }

// Find is the request with the stable name, nil if there was none.
func (h *History) Find(name string) *Request {
	for _, q := range h.Requests {
		if q.Name == name {
			return q
		}
	}
	return nil
}
