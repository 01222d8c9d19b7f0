// Package golden keeps traces and compares runs with them.
//
// A golden trace is a text file: three lines that say what it is, then one line for
// each fact of the run (see sim.Rec.Fact), in their order. Reasons and comments are
// not in it, so a better explanation changes no golden trace. Of a long run it has the
// beginning, and the hash of all.
//
// The folder holds the traces of the built-in scenarios, which the program carries.
package golden

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/sim"
)

// Format is the number of the format of golden traces and of trace hashes. It changes
// whenever the same run is written or hashed differently.
const Format = 1

// MaxLines is how many facts of a run a golden trace has at most. The hash is of all of it.
const MaxLines = 2000

//go:embed *.trace
var kept embed.FS

// FileName is the name of the file that holds the trace of a scenario as a release
// plays it.
func FileName(scenario, release string) string { return scenario + "@" + release + ".trace" }

// Kept is the trace of a built-in scenario that the program carries; ok is false if
// it has none for the release.
func Kept(scenario, release string) (text string, ok bool) {
	b, err := kept.ReadFile(path.Base(FileName(scenario, release)))
	return string(b), err == nil
}

// Names lists the files that the program carries for a scenario.
func Names(scenario string) []string {
	files, err := kept.ReadDir(".")
	if err != nil {
		return nil // an embedded folder can be read
	}
	var names []string
	for _, f := range files {
		if strings.HasPrefix(f.Name(), scenario+"@") {
			names = append(names, f.Name())
		}
	}
	return names
}

// Hash writes a trace hash with the number of its format in front: "t1:3f9ac0d2b7715e08".
func Hash(t *sim.TraceHash) string { return fmt.Sprintf("t%d:%016x", Format, t.Sum()) }

// Recorder is an observer that writes a run down as a golden trace.
type Recorder struct {
	w      *sim.World
	names  *history.Names
	byRef  []string // the names of all records
	lines  []string
	causes []string // why each line came about
	hash   *sim.TraceHash
}

// NewRecorder records what is yet to happen in w.
func NewRecorder(w *sim.World) *Recorder {
	return &Recorder{w: w, names: history.NewNames(w), byRef: []string{""}, hash: sim.NewTraceHash(w)}
}

// Observe takes one record.
func (g *Recorder) Observe(r *sim.Rec) {
	name := g.names.Of(r)
	g.byRef = append(g.byRef, name)
	g.hash.Observe(r)
	if !r.Fact() {
		return
	}
	g.lines = append(g.lines, Line(g.w, r, name))
	g.causes = append(g.causes, g.cause(r))
}

// cause names what brought a record about. What comes by itself rests on something: an
// arrival on its sending, a timer on its last setting.
func (g *Recorder) cause(r *sim.Rec) string {
	switch {
	case r.Cause != 0:
		return g.byRef[r.Cause]
	case r.Ref != 0 && (r.Op == sim.OpArrive || r.Op == sim.OpLost):
		return g.w.Name(r.Msg.From) + "'s sending of " + g.byRef[r.Ref]
	}
	return g.byRef[r.Ref]
}

// Hash is the hash of what was recorded.
func (g *Recorder) Hash() string { return Hash(g.hash) }

// Text is the golden trace. About says in a few words what run it is of.
func (g *Recorder) Text(about string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# rebalsim trace, format %d\n# %s\n# %s\n", Format, about, g.Hash())
	for _, l := range g.lines[:min(len(g.lines), MaxLines)] {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	if more := len(g.lines) - MaxLines; more > 0 {
		fmt.Fprintf(&b, moreLines, more)
	}
	return b.String()
}

// moreLines is the last line of a golden trace that does not have them all.
const moreLines = "# and %d more, of which it has the hash\n"

// Line writes a record on one line: when, who, what, its name, its content.
func Line(w *sim.World, r *sim.Rec, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%9s  %-6s %-7s %s", r.At, nodeName(w, r.Node), history.Verb(r.Op), name)
	if content := content(w, r); content != "" {
		b.WriteString("  ")
		b.WriteString(content)
	}
	return b.String()
}

func nodeName(w *sim.World, id sim.NodeID) string {
	if id == sim.Nobody {
		return "-"
	}
	return w.Name(id)
}

// content is what a record says beyond its name.
func content(w *sim.World, r *sim.Rec) string {
	switch r.Op {
	case sim.OpTimer:
		return fmt.Sprintf("kind %d of %d", r.Timer.Kind, r.Timer.Arg)
	case sim.OpNote:
		s := history.Body(r.Note.Body)
		if r.Note.A != 0 || r.Note.B != 0 || r.Note.C != 0 {
			s = strings.TrimSpace(fmt.Sprintf("%d %d %d %s", r.Note.A, r.Note.B, r.Note.C, s))
		}
		return s
	}
	return history.Content(w, r)
}

// Lines are the facts of the run, one a line.
func (g *Recorder) Lines() []string { return g.lines }
