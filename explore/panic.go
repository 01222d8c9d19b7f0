package explore

import (
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// panicked is the finding of a panic that is being recovered, and for one of a client of one's
// own its stack.
func panicked(p any, at sim.Time) (f *Finding, stack []string) {
	if c, ok := p.(*clientPanic); ok {
		return &Finding{Invariant: ClientPanic, Place: c.place(), At: at, Text: fmt.Sprint(c.value)}, c.stack()
	}
	return &Finding{Invariant: InternalError, Place: panicFrames()[0].function(), At: at, Text: fmt.Sprint(p)}, nil
}

// frame is a function that was being executed, and where.
type frame runtime.Frame

func (f *frame) function() string { return path.Base(f.Function) }

// panicFrames are the functions that the panic which is being recovered went through, the
// innermost first, without those of the runtime. There is at least one.
func panicFrames() (list []frame) {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	after := false
	for {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if after && !inRuntime {
			list = append(list, frame(f))
		}
		after = after || f.Function == "runtime.gopanic"
		if !more {
			break
		}
	}
	if list == nil {
		list = []frame{{}}
	}
	return list
}

// clientPanic is a panic that went through a client of one's own.
type clientPanic struct {
	value  any
	frames []frame
}

// place is the innermost function of the client: what it called of the simulator is where its
// mistake showed.
func (c *clientPanic) place() string {
	for _, f := range c.frames {
		if p := path.Base(f.Function); !strings.HasPrefix(p, "sim.") && !strings.HasPrefix(p, "protocol.") {
			return p
		}
	}
	return c.frames[0].function()
}

// stack tells the frames up to the simulator's call of the client.
func (c *clientPanic) stack() (list []string) {
	for _, f := range c.frames {
		if strings.Contains(f.Function, "/explore.guarded.") {
			break
		}
		list = append(list, fmt.Sprintf("%s\n    %s:%d", f.function(), f.File, f.Line))
	}
	return list
}

// guarded is a client of one's own: what panics in it is no defect of the simulator's.
type guarded struct{ sim.Actor }

func (g guarded) Step(in *sim.Input, out *sim.Out) {
	defer blame()
	g.Actor.Step(in, out)
}

func (g guarded) Clone() sim.Actor {
	defer blame()
	return guarded{g.Actor.Clone()}
}

func (g guarded) Hash(h *sim.Hasher) {
	defer blame()
	g.Actor.Hash(h)
}

// blame lays a panic at the client's door.
func blame() {
	if p := recover(); p != nil {
		panic(&clientPanic{p, panicFrames()})
	}
}

// clients are those that a run is to have: nil for Kafka's.
func (p *Player) clients() func(member string) sim.Actor {
	if p.Client == nil {
		return nil
	}
	return func(member string) sim.Actor { return guarded{p.Client(member)} }
}
