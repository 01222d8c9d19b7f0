package explore

import (
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/check/invariants"
	"github.com/rebalsim/rebalsim/golden"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/report/history"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// Case is everything that one run is. Equal cases have equal outcomes.
type Case struct {
	// Name is what messages call the scenario: a file's, or a built-in one's.
	Name string `json:"name"`
	// Scenario is its text, in the language of docs/language.md. Generated scenarios are
	// text too, so that whatever is found can be read, changed and played again.
	Scenario string `json:"scenario"`
	// Kafka is the releases to play, as --kafka takes them; "": the scenario's own.
	Kafka string `json:"kafka,omitempty"`
	// Bugs are known bugs that are switched on, by their ids, and Behaviours what is forced
	// against what the releases say: "broker.StaticStored=false".
	Bugs       []string `json:"bugs,omitempty"`
	Behaviours []string `json:"behaviours,omitempty"`
	// Seed answers what is left to chance, unless Recorded.
	Seed uint64 `json:"seed"`
	// Depth, if not 0, lets the seed answer by priorities with so many changes: see
	// sim.Decisions.
	Depth int `json:"depth,omitempty"`
	// Recorded is that Decisions answer instead of the seed, and whatever they do not
	// answer is plain.
	Recorded  bool           `json:"recorded,omitempty"`
	Decisions []sim.Decision `json:"decisions,omitempty"`
}

// Finding is one thing that went wrong in a run: an invariant that does not hold, or one
// of those below. Its Signature makes it the same as others in other runs.
type Finding = invariants.Finding

// The findings that are no invariant's.
const (
	// Expectation is that the run is not as its scenario expects.
	Expectation = "expectation"
	// InternalError is that the simulator panicked.
	InternalError = "internal error"
	// ClientPanic is that a client of one's own panicked.
	ClientPanic = "client panics"
)

// Outcome is what came of a case.
type Outcome struct {
	// Err is why the case cannot be played at all; then there is nothing else.
	Err error
	// Kafka is the releases that were played.
	Kafka scenarios.Kafka
	// Findings are in the order in which they showed. Known are those that are explained
	// by an issue of the releases: they are no failures.
	Findings, Known []Finding
	// Hash is the trace's, Events the number of facts in it, End the moment of the last.
	Hash   string
	Events uint64
	End    sim.Time
	// Ended says why the run was cut short, "" if it settled. Patience is the moment before which
	// that says nothing: it may take so long to settle.
	Ended    string
	Patience sim.Time
	// Coverage is what the run reached.
	Coverage *Coverage
	// Panicked is that it ended with a panic. Stack is where in the client, if that is one of
	// one's own and panicked.
	Panicked bool
	Stack    []string

	idle    []string       // steps of the timeline that never happened
	figures map[int]Spread // by the place in Findings: what those found that are of figures
}

// SignatureOf is what a finding is called: its signature, which ends with the name of what
// was broken if that has no place.
func SignatureOf(f *Finding) string { return trimSignature(f.Signature()) }

// trimSignature is a signature as files have it: on one line, and without what separates
// it from a place if there is none.
func trimSignature(s string) string {
	return strings.TrimSuffix(strings.Join(strings.Fields(s), " "), ":")
}

// Has reports whether the outcome has a finding of the signature.
func (o *Outcome) Has(signature string) bool {
	for i := range o.Findings {
		if SignatureOf(&o.Findings[i]) == trimSignature(signature) {
			return true
		}
	}
	return false
}

// Play plays a case.
func Play(c Case) Outcome {
	var p Player
	return p.Play(c)
}

// Player plays cases one after the other, and reads a scenario once as long as cases
// have the same.
type Player struct {
	// Client, if not nil, makes the client of a member instead of Kafka's. What a client is stepped
	// with is used again in the next run, so it must keep nothing of it.
	Client func(member string) sim.Actor

	last     Case // that was prepared
	scenario *scenarios.Scenario
	kafka    scenarios.Kafka
	prepared *scenarios.Prepared
	room     *sim.World // of the last run, that nobody looks at any more
}

// Play plays a case. More observers may watch: each gets the cluster before it begins.
func (p *Player) Play(c Case, more ...func(*scenarios.Cluster) sim.Observer) (o Outcome) {
	if err := p.prepare(c); err != nil {
		return Outcome{Err: err}
	}
	s, cluster := p.scenario, p.prepared.ClusterIn(p.takeRoom(), c.chance(), p.clients())
	o.Coverage, o.Kafka = &Coverage{}, p.kafka
	run := &running{scenario: s, cluster: cluster, hash: sim.NewTraceHash(cluster.World),
		monitor: invariants.New(invariants.FactsOf(cluster.World, cluster.Clients, s.Group.ID))}
	cluster.World.WatchEvents(run.hash)
	cluster.World.WatchEvents(run.monitor)
	cluster.World.WatchEvents(newCoverer(s, o.Coverage))
	expected := cluster.Expected(o.Kafka)
	gauge := cluster.Gauge(expected)
	if len(expected) > 0 {
		run.history = history.New(cluster.World, cluster.Clients, scenarios.Wants(expected))
		cluster.World.WatchEvents(run.history)
	}
	for _, watch := range more {
		cluster.World.Watch(watch(cluster))
	}
	defect := run.play(&o)
	o.Hash, o.Events, o.End, o.Ended = golden.Hash(run.hash), run.hash.Events, cluster.World.Now(), cluster.Ended()
	o.Patience = cluster.Patience(p.prepared)
	if o.Panicked = defect != nil; o.Panicked {
		o.Findings = append(o.Findings, *defect)
		return o
	}
	gauge.Done(cluster.World.Now())
	for i := range expected {
		run.judge(&o, &expected[i], gauge)
	}
	o.idle = cluster.Idle()
	if len(more) == 0 {
		p.room = cluster.World
	}
	return o
}

// takeRoom gives the room of the last run away.
func (p *Player) takeRoom() *sim.World {
	w := p.room
	p.room = nil
	if w == nil {
		w = new(sim.World)
	}
	return w
}

// Check says why a case cannot be played, nil if it can.
func Check(c Case) error { return new(Player).prepare(c) }

// prepare reads the scenario of a case and gets it ready for its releases.
func (p *Player) prepare(c Case) (err error) {
	if p.prepared != nil && p.last.sameScenario(&c) {
		return nil
	}
	*p = Player{Client: p.Client, last: c, room: p.room}
	if p.scenario, err = scenarios.Load(c.fileName(), []byte(c.Scenario)); err != nil {
		return err
	}
	if p.scenario, err = c.Force(p.scenario); err != nil {
		return err
	}
	if p.kafka, err = p.scenario.Releases(c.Kafka); err != nil {
		return err
	}
	p.prepared, err = scenarios.Prepare(p.scenario, p.kafka)
	return err
}

func (c *Case) fileName() string {
	if c.Name == "" {
		return "generated.yaml"
	}
	return c.Name
}

func (c *Case) chance() *sim.Decisions {
	if c.Recorded {
		return sim.Recorded(c.Decisions)
	}
	return &sim.Decisions{Seed: c.Seed, Depth: c.Depth}
}

// running is a run under way.
type running struct {
	scenario *scenarios.Scenario
	cluster  *scenarios.Cluster
	hash     *sim.TraceHash
	monitor  *invariants.Monitor
	history  *history.History
}

// play plays to the end. A panic is a finding like any other: it must not end the batch,
// and the seed that shows it is what its mending needs.
func (r *running) play(o *Outcome) (defect *Finding) {
	defer func() {
		if p := recover(); p != nil {
			defect, o.Stack = panicked(p, r.cluster.World.Now())
		}
	}()
	r.cluster.Run()
	for _, f := range r.monitor.Done(EndOf(r.cluster)) {
		if f.Known == "" || r.planted(f.Known) {
			o.Findings = append(o.Findings, f)
		} else {
			o.Known = append(o.Known, f)
		}
	}
	if r.history != nil {
		r.history.Done(r.cluster.World.Now())
	}
	return nil
}

// EndOf is how a run has ended, for who watched whether invariants hold.
func EndOf(c *scenarios.Cluster) invariants.End {
	return invariants.End{At: c.World.Now(), Settled: c.Ended() == "", Excuse: c.Unrest(), Latency: c.Latency()}
}

// planted reports whether an issue is a bug that was switched on: then what it explains is
// what was looked for.
func (r *running) planted(issue string) bool {
	return slices.ContainsFunc(r.scenario.Force.Bugs, func(b *protocol.Bug) bool { return b.ID == issue })
}

// Record plays a case and gives the same case with the answers of chance written down:
// what it answers no longer hangs on how a seed is mixed.
func Record(c Case) Case { return new(Player).Record(c) }

// Record plays a case and writes the answers of chance down.
func (p *Player) Record(c Case) Case {
	rec := &recorder{}
	p.Play(c, func(*scenarios.Cluster) sim.Observer { return rec })
	c.Recorded, c.Decisions = true, rec.list
	return c
}

// recorder keeps the answers of chance that were not plain.
type recorder struct{ list []sim.Decision }

// Observe takes one record.
func (d *recorder) Observe(r *sim.Rec) {
	if r.Op == sim.OpDecision {
		d.list = append(d.list, *r.Decision)
	}
}
