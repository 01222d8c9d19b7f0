package check

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/sim"
)

// standing is what package metrics says of a moment.
type standing struct {
	seen  sim.Time
	ref   sim.Ref // the record before it
	still int     // partitions that stand still; -1: none has been assigned yet
	lag   int64   // -1: there is none, or nothing asks
}

// watch sees how a run stands whenever that may matter to an expectation: as partitions
// stand still or are served again, at the moments that are spoken of, and if the lag is
// asked for as the group changes. To look at the lag takes as long as there are partitions.
type watch struct {
	fold  *metrics.Fold
	lag   bool
	times []sim.Time // that are spoken of, those to come, in order
	last  sim.Ref    // the record that was observed last
	list  []standing
}

// newWatch is nil if no expectation asks for what it sees.
func newWatch(opt metrics.Options, expected []Expected) *watch {
	w := &watch{}
	some := false
	for _, e := range expected {
		var how *How
		switch x := e.(type) {
		case *ExpectMoment:
			how = &x.How
			if x.At.Given && x.At.Mark == "" {
				w.times = append(w.times, x.At.At)
			}
		case *ExpectEventually:
			how = &x.How
		default:
			continue
		}
		some = some || how.AllServed != Unsaid || how.Lag != nil
		w.lag = w.lag || how.Lag != nil
	}
	if !some {
		return nil
	}
	slices.Sort(w.times)
	opt.Window = Window{From: Moment{Given: true}}
	w.fold = metrics.New(opt)
	return w
}

func (w *watch) observe(r *sim.Rec) {
	w.passes(r.At - 1)
	w.fold.Observe(r)
	w.last = r.ID
	changed := len(w.list) == 0 || w.list[len(w.list)-1].still != w.fold.Still()
	if changed || w.lag && r.Op == sim.OpNote || r.Op == sim.OpAct && r.Note.Code == protocol.NoteMark {
		w.look(r.At, r.ID)
	}
}

// passes looks at the moments up to one.
func (w *watch) passes(until sim.Time) {
	for len(w.times) > 0 && w.times[0] <= until {
		w.look(w.times[0], w.last)
		w.times = w.times[1:]
	}
}

func (w *watch) look(at sim.Time, ref sim.Ref) {
	s := standing{at, ref, w.fold.Still(), -1}
	if w.lag {
		s.lag = w.fold.Lag(at)
	}
	w.list = append(w.list, s)
}

// stood is how the run stood, in the order of time.
func (g *Gauge) stood() []standing {
	if g == nil || g.between == nil {
		return nil
	}
	return g.between.list
}
