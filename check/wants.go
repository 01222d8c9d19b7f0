package check

import "github.com/rebalsim/rebalsim/report/history"

// Wants adds what the history of a run has to keep for an expectation to be judged.
func Wants(e Expected, w *history.Wanted) {
	switch e := e.(type) {
	case *ExpectEvent:
		wants(w, e.Event, e.With, e.After)
	case *ExpectMoment:
		e.How.wants(w)
	case *ExpectEventually:
		e.How.wants(w)
		wants(w, e.After)
	case *ExpectNever:
		wants(w, e.Event)
		if e.HasError && e.Error == 0 { // what is quiet has no error
			w.AllRequests()
		}
	case *ExpectOrder:
		wants(w, e.Events...)
	case *ExpectCount:
		wants(w, e.Event)
	}
}

func wants(w *history.Wanted, names ...EventName) {
	for _, name := range names {
		switch {
		case name.Verb != VerbRequest && name.Verb != VerbAnswer:
		case name.Request == 0:
			w.AllRequests()
		default:
			w.Kinds[name.Request] = true
		}
	}
}

func (h *How) wants(w *history.Wanted) { w.Offsets = w.Offsets || len(h.Committed) > 0 }
