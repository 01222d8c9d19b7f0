package sim

// NodeID is a node's place in its world, counting from 0 in the order of adding.
type NodeID int32

// Nobody stands for no node, and in a Rule for every node.
const Nobody NodeID = -1

// LinkID is a connection's place in its world.
type LinkID int32

// MaxKinds bounds Body.Kind: kinds are numbers below it.
const MaxKinds = 64

// Body is the content of a message, a command or a note. A body is frozen: it is
// complete when it is first handed to an Out, and nobody writes to it afterwards,
// since copies of the message, forked worlds and observers share it. Sum is a hash
// of its content, the same in every process; bodies of one kind with equal content
// have equal sums.
type Body interface {
	Kind() uint8
	Sum() uint64
}

// Message is a request or an answer on its way over a connection.
type Message struct {
	Link LinkID
	From NodeID
	To   NodeID
	// Ord numbers the requests of one kind that one node has sent, from 1, over the
	// node's whole life. With the sender's name it is the message's stable name,
	// "F1.JoinGroup#2"; its answer is "F1.JoinGroup#2.answer".
	Ord  uint32
	Body Body
	// Ref is the record of its sending.
	Ref    Ref
	Answer bool
	// req is the kind of the request, which an answer's name has too.
	req     uint8
	routine bool // see World.Routine
}

// Kind is the kind of the request: that of the body, or of the body that is answered.
func (m *Message) Kind() uint8 { return m.req }

// Client is the node whose request it is, or is answered by it.
func (m *Message) Client() NodeID {
	if m.Answer {
		return m.To
	}
	return m.From
}

// Request is a request that awaits its answer: what a server keeps of it. Requests
// compare with ==; the zero Request is none.
type Request struct {
	Link  LinkID
	epoch uint32
	kind  uint8
	Ord   uint32
	// Ref is the record of its arrival.
	Ref Ref
}

// None reports whether r is no request at all.
func (r Request) None() bool { return r == Request{} }

// Note is something an actor makes known that is not a message: a change of state,
// of ownership, of a log.
type Note struct {
	Code    uint8
	A, B, C int64
	Body    Body
	// Comment marks a note that only explains. Comments are not hashed, so that a
	// better explanation changes no golden trace.
	Comment bool
}
