package history

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Wanted is what a history keeps one by one that a story does not tell.
type Wanted struct {
	Kinds   [sim.MaxKinds]bool // requests, by their kind, also those that are quiet
	Offsets bool               // what becomes of committed offsets in the log
}

// AllRequests wants every request.
func (w *Wanted) AllRequests() {
	for kind := range w.Kinds {
		w.Kinds[kind] = true
	}
}

// Quiet reports whether a request came, was answered and changed nothing that a
// person would look for: a heartbeat that was fine, a fetch, a lookup.
func (r *Request) Quiet() bool {
	switch r.Kind {
	case protocol.KindFetch, protocol.KindMetadata, protocol.KindListOffsets:
		return true
	case protocol.KindHeartbeat, protocol.KindOffsetCommit, protocol.KindOffsetFetch, protocol.KindFindCoordinator:
		return len(r.Moves) == 0 && !r.Lost && r.Answer != nil && r.Error() == protocol.None
	}
	return false
}

// quiet names the quiet requests of one client and kind.
type quiet struct {
	client sim.NodeID
	kind   uint8
}

// again are the kinds of requests that clients send again and again as long as all is well.
var again = []uint8{protocol.KindHeartbeat, protocol.KindOffsetCommit, protocol.KindFetch, protocol.KindMetadata}

// fold counts a request that was answered with one like it, if its client has sent none since then
// that is not quiet.
func (h *History) fold(q *Request) {
	if !q.Quiet() {
		h.begins(q.Client)
		return
	}
	if !slices.Contains(again, q.Kind) || h.wanted.Kinds[q.Kind] {
		return
	}
	k := quiet{q.Client, q.Kind}
	first := h.quiet[k]
	if first == nil {
		h.quiet[k], q.Until = q, q.Answered
		return
	}
	first.More++
	first.Until = q.Answered
	q.folded = true
	delete(h.byRef, q.Arrival)
	if h.gone++; h.gone > 64 && h.gone > len(h.Requests)/2 {
		h.compact()
	}
}

// compact drops the requests that are folded. Each is moved as often as there are others to drop.
func (h *History) compact() {
	h.Requests = slices.DeleteFunc(h.Requests, func(q *Request) bool { return q.folded })
	h.gone = 0
}

// begins is that what is quiet of a client from now on is counted anew.
func (h *History) begins(client sim.NodeID) {
	for _, kind := range again {
		delete(h.quiet, quiet{client, kind})
	}
}

// log is a broker's copy of a partition of __consumer_offsets.
type log struct {
	broker    sim.NodeID
	partition int64
}

// keeps reports whether a note is kept: not that offsets were committed or a commit was called
// back, as long as nobody asks. Of a broker's log that is when it holds what else was appended.
func (h *History) keeps(r *sim.Rec) bool {
	switch r.Note.Code {
	case protocol.NoteAppend:
		if body, ok := r.Note.Body.(*protocol.LogRecord); ok && body.IsOffset {
			return h.wanted.Offsets
		}
		h.logs[log{r.Node, r.Note.A}] = r.Note.B
	case protocol.NoteCommitted:
		if h.wanted.Offsets {
			return true
		}
		l := log{r.Node, r.Note.A}
		offset, open := h.logs[l]
		if open && r.Note.B > offset {
			delete(h.logs, l)
		}
		return open
	case protocol.NoteCommitCallback:
		return false
	}
	return true
}
