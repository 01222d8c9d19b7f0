package invariants

import (
	"fmt"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// none is no member id, no client, no partition.
const none = -1

// Monitor watches a run. Observe every record, then call Done.
type Monitor struct {
	f        Facts
	names    *history.Names
	findings []Finding
	byPlace  map[string]int // findings by signature

	brokers  []broker
	clients  []client
	brokerOf []int32 // by node; none: it is no broker
	clientOf []int32
	byName   map[string]int32 // clients
	ids      ids
	parts    parts
	log      log
	lives    int32  // incarnations of the group so far
	chosen   string // the protocol of the generation that was formed or loaded last

	now    sim.Time
	booted sim.Time // when a broker last came up: until then there may have been none to ask
	rec    *sim.Rec // at hand; nil: none is
	over   string   // the name of one that is over, when none is at hand
	in     input
	pair   []overlap
}

// input is what a broker handles now: a request, a timer, an order.
type input struct {
	ref     sim.Ref
	broker  int32
	client  int32 // whose request it is
	kind    uint8 // of the request
	ord     uint32
	added   int32 // the member id that came into the group by it
	removed bool  // a member left the group by it
	formed  bool  // the group's state has to be looked at when it is over
}

// New is a Monitor of a run that is yet to begin.
func New(f Facts) *Monitor {
	m := &Monitor{f: f, names: history.NewNames(namer(f.Name)), byPlace: map[string]int{}, in: input{broker: none, client: none, added: none}}
	m.ids.byName = map[string]int32{}
	m.parts.byTopic, m.parts.list = map[string]int32{}, make([]part, 0, 16)
	m.byName = map[string]int32{}
	m.log.stored.byID = map[int32]int32{}
	m.brokers = make([]broker, 0, len(f.Brokers))
	for i := range f.Brokers {
		m.brokers = append(m.brokers, newBroker(f.Brokers[i]))
		m.brokerOf = place(m.brokerOf, f.Brokers[i].Node, i)
	}
	m.clients = make([]client, 0, len(f.Clients))
	for i := range f.Clients {
		m.clients = append(m.clients, newClient(f.Clients[i]))
		m.byName[f.Name(f.Clients[i].Node)] = int32(i)
		m.clientOf = place(m.clientOf, f.Clients[i].Node, i)
	}
	return m
}

// namer lets a function give the names of nodes.
type namer func(sim.NodeID) string

// Name gives a node's name.
func (n namer) Name(id sim.NodeID) string { return n(id) }

func place(list []int32, node sim.NodeID, i int) []int32 {
	for int(node) >= len(list) {
		list = append(list, none)
	}
	list[node] = int32(i)
	return list
}

// broker is the broker that runs on a node, nil if it is none.
func (m *Monitor) broker(id sim.NodeID) *broker {
	if id < 0 || int(id) >= len(m.brokerOf) || m.brokerOf[id] == none {
		return nil
	}
	return &m.brokers[m.brokerOf[id]]
}

// client is the client that runs on a node, nil if it is none.
func (m *Monitor) client(id sim.NodeID) *client {
	if id < 0 || int(id) >= len(m.clientOf) || m.clientOf[id] == none {
		return nil
	}
	return &m.clients[m.clientOf[id]]
}

// Observe takes one record.
func (m *Monitor) Observe(r *sim.Rec) {
	m.names.Count(r)
	if len(m.pair) > 0 && r.At > m.now {
		m.overlapsLast()
	}
	m.now, m.rec = r.At, r
	switch r.Op {
	case sim.OpSend:
		m.sent(r)
	case sim.OpArrive:
		m.arrived(r)
	case sim.OpNote:
		m.note(r)
	case sim.OpTimer:
		m.begins(r)
	case sim.OpCommand:
		m.begins(r)
		m.ordered(r)
	case sim.OpStart:
		m.begins(r)
		m.started(r)
	case sim.OpCrash, sim.OpExit:
		m.begins(r)
		m.stopped(r)
	case sim.OpClock:
		m.clockIsOff(r)
	case sim.OpFreeze, sim.OpThaw:
		m.froze(r)
	case sim.OpOpen, sim.OpClose, sim.OpClosed:
		m.connection(r)
	case sim.OpLost:
		m.lost(r)
	}
	m.rec = nil
}

// begins notes that something new is handled: what was handled before is over, and
// must have done all that it had to.
func (m *Monitor) begins(r *sim.Rec) {
	if m.in.formed {
		m.stepEnds()
	}
	m.in = input{ref: r.ID, broker: none, client: none, added: none}
	if int(r.Node) < len(m.brokerOf) && r.Node >= 0 {
		m.in.broker = m.brokerOf[r.Node]
	}
}

func (m *Monitor) note(r *sim.Rec) {
	if b := m.broker(r.Node); b != nil {
		m.brokerNote(b, r)
		return
	}
	if c := m.client(r.Node); c != nil {
		m.clientNote(c, r)
	}
}

func (m *Monitor) brokerNote(b *broker, r *sim.Rec) {
	switch r.Note.Code {
	case protocol.NoteGroup:
		if c := r.Note.Body.(*protocol.GroupChange); c.Group == m.f.Group {
			m.groupMoves(b, c, protocol.Rule(r.Why))
		}
	case protocol.NoteMember:
		if c := r.Note.Body.(*protocol.MemberChange); c.Group == m.f.Group {
			m.memberChanges(b, c, protocol.Rule(r.Why))
		}
	case protocol.NotePark:
		m.parked(b, r.Ref, protocol.Rule(r.Why))
	case protocol.NoteForgot:
		m.forgot(b, r.Ref, protocol.Rule(r.Why))
	case protocol.NoteAppend:
		if c := r.Note.Body.(*protocol.LogRecord); c.Group == m.f.Group {
			m.appended(b, r, c)
		}
	case protocol.NoteUnwritten:
		if c := r.Note.Body.(*protocol.LogRecord); c.Group == m.f.Group {
			b.unwritten = append(b.unwritten, c)
		}
	case protocol.NoteCommitted:
		m.committed(b, int32(r.Note.A), r.Note.B)
	case protocol.NoteLoaded:
		b.loading = false
	case protocol.NoteUnloaded:
		m.unloaded(b, int32(r.Note.A))
	}
}

// find takes down a finding, with the rules in force where it was made: b or c may be nil.
func (m *Monitor) find(b *broker, c *client, invariant, place, format string, args ...any) {
	f := Finding{Invariant: invariant, Place: place}
	sign := f.Signature()
	if i, ok := m.byPlace[sign]; ok {
		m.findings[i].Times++
		return
	}
	f.At, f.Times, f.Event = m.now, 1, m.event()
	f.Text = fmt.Sprintf(format, args...)
	f.Known = m.known(&f, b, c)
	m.byPlace[sign] = len(m.findings)
	m.findings = append(m.findings, f)
}

// event is the name of the record at hand.
func (m *Monitor) event() string {
	if m.rec != nil {
		return m.names.Name(m.rec)
	}
	return m.over
}

// nodeName is the name of a client by its place, "somebody" for none.
func (m *Monitor) clientName(i int32) string {
	if i == none {
		return "somebody"
	}
	return m.f.Name(m.clients[i].node)
}
