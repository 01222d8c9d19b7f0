package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/scenarios"
)

// Swarm is what scenarios are generated from: a swarm, each of which has its own size,
// settings and troubles, and most have few kinds of them. (Runs in which everything goes
// wrong at once all look alike.)
type Swarm struct {
	// Kafka is the releases of all, as --kafka takes them; "": each draws its own.
	Kafka string
	// Bugs and Behaviours are what all have: see Case.
	Bugs, Behaviours []string
}

// swarmReleases are those that are drawn: the oldest with a background heartbeat, the last of
// line 2, the last coordinator in Scala, the new coordinator.
const swarmReleases = "0.10.1 2.8.2 2.8.2 3.9 3.9 3.9 " + protocol.Snapshot + " " + protocol.Snapshot

// Generate makes the case of a seed: the same text on every machine.
func Generate(seed uint64) Case { return Swarm{}.Generate(seed) }

// Check says what is wrong with what is asked for. That single cases cannot be played, since
// a release cannot have what all are to have, is no error.
func (s Swarm) Check() error {
	if _, err := new(scenarios.Scenario).Releases(s.Kafka); err != nil {
		return err
	}
	c := Case{Bugs: s.Bugs, Behaviours: s.Behaviours}
	_, err := c.Force(&scenarios.Scenario{})
	return err
}

// Generate makes the case of a seed.
func (s Swarm) Generate(seed uint64) Case {
	g := &generator{dice: dice{seed}}
	g.draw(s)
	g.write()
	return Case{Name: fmt.Sprintf("%s%d", generatedName, seed), Scenario: g.out.String(),
		Bugs: s.Bugs, Behaviours: s.Behaviours, Seed: seed, Depth: depthOf(seed)}
}

// generator writes the scenario of a seed.
type generator struct {
	dice
	out     strings.Builder
	kafka   scenarios.Kafka
	brokers int
	members int
	topics  int
	formed  bool
	static  string // "all", "some", "none"
	session int    // ms
	poll    int    // max.poll.interval.ms
	formedN int    // so many of the members are in the formed group
	later   []bool // members that the timeline starts
	grown   []int  // how many partitions the timeline has given to each topic so far
	deleted bool   // the timeline deletes the last topic
	racks   bool
	never   bool // the last topic is not there at the beginning
}

func (g *generator) draw(s Swarm) {
	want := s.Kafka
	if want == "" {
		want = g.of(swarmReleases, "brokers' release")
		if client := g.of(swarmReleases, "clients' release"); g.oneIn(3, "mixed") {
			want = "broker=" + want + ",client=" + client
		}
	}
	g.kafka, _ = new(scenarios.Scenario).Releases(want) // who asked for it has looked at it
	g.brokers = 1 + g.n(3, "brokers")
	g.members = 1 + slices.Max([]int{g.n(4, "members"), g.n(4, "members again"), g.n(6, "many members") * g.n(2, "very many")})
	g.topics = 1 + min(g.n(4, "topics"), g.n(4, "topics again"))
	g.formed = g.oneIn(2, "formed")
	g.formedN = g.members - min(g.n(3, "newcomers"), g.members-1)
	g.racks = g.oneIn(6, "racks")
	g.never = g.topics > 1 && g.oneIn(8, "a topic is created")
	g.static = g.of("none none none all all some", "static")
	g.session = []int{6000, 6000, 10_000, 30_000}[g.n(4, "session")]
	g.poll = []int{10_000, 20_000, 30_000, 60_000}[g.n(4, "max poll interval")]
	if g.oneIn(15, "polls whenever") {
		g.poll = 1<<31 - 1
	}
	g.grown = make([]int, g.topics)
	for i := range g.grown {
		g.grown[i] = g.partitions(i)
	}
	g.later = make([]bool, g.members)
	for i := range g.later {
		g.later[i] = i > 0 && !g.inFormed(i) && g.oneIn(2, "starts later", i)
	}
}

func (g *generator) inFormed(i int) bool { return g.formed && i < g.formedN }

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.out, format+"\n", args...)
}

func (g *generator) write() {
	g.line("about: Generated from seed %d.", g.seed)
	if g.kafka.Broker == g.kafka.Client {
		g.line("kafka: %q", g.kafka.Broker)
	} else {
		g.line("kafka: {broker: %q, client: %q}", g.kafka.Broker, g.kafka.Client)
	}
	if far := g.n(10, "latency"); far > 0 {
		g.line("latency: 1ms..%s", []string{"1ms", "3ms", "5ms", "10ms", "50ms", "100ms", "300ms", "500ms", "1s", "2s"}[far])
	}
	g.writeBrokers()
	g.writeTopics()
	g.writeGroup()
	g.writeMembers()
	if g.formed {
		g.writeFormed()
	}
	g.writeTimeline()
	g.line("end: {settled-for: %s, at-most: 10m}", g.of("10s 15s 20s", "settled for"))
}

func broker(i int) string { return fmt.Sprintf("b%d", i+1) }
func member(i int) string { return fmt.Sprintf("c%d", i+1) }
func rackOf(i int) string { return []string{"east", "west"}[i%2] }
func topic(i int) string  { return fmt.Sprintf("t%d", i+1) }

func (g *generator) writeBrokers() {
	config := []string{"group.initial.rebalance.delay.ms: " + g.of("0s 0s 500ms 3s", "initial delay")}
	if g.oneIn(15, "max size") {
		config = append(config, fmt.Sprintf("group.max.size: %d", max(1, g.members-g.n(2, "room"))))
	}
	if g.retention() {
		config = append(config, "offsets.retention.minutes: 1m", "offsets.retention.check.interval.ms: 5s")
	}
	g.line("brokers:")
	for i := range g.brokers {
		takes := ""
		if g.oneIn(4, "slow log") {
			takes = ", log-takes: " + g.of("1ms 10ms 100ms 500ms", "log takes", i)
		}
		rack := ""
		if g.racks {
			rack = ", rack: " + rackOf(i)
		}
		g.line("  %s: {config: {%s}%s%s}", broker(i), strings.Join(config, ", "), takes, rack)
	}
}

// retention reports whether offsets expire within the run.
func (g *generator) retention() bool { return g.oneIn(15, "retention") }

// partitions is how many the topic has at the beginning.
func (g *generator) partitions(i int) int { return 1 + g.n(6, "partitions", i) }

func (g *generator) writeTopics() {
	g.line("topics:")
	for i := range g.topics {
		rate := ""
		if r := g.of("none 1/s 10/s", "rate", i); r != "none" {
			rate = ", rate: " + r
		}
		if g.racks {
			rate += fmt.Sprintf(", replicas: %d", 1+g.n(g.brokers, "replicas", i))
		}
		if g.never && i == g.topics-1 {
			rate += ", created: never"
		}
		g.line("  %s: {partitions: %d%s}", topic(i), g.partitions(i), rate)
	}
}

func (g *generator) writeGroup() {
	g.line("group:")
	g.line("  id: %s", g.of("g my-group orders payments x7", "group id"))
	g.line("  coordinator: %s", broker(g.n(g.brokers, "coordinator")))
	g.line("  config:")
	g.line("    session.timeout.ms: %dms", g.session)
	g.line("    heartbeat.interval.ms: %s", g.of("1s 2s 3s", "heartbeat"))
	if protocol.ClientRulesOf(g.kafka.Client).HeartbeatThread {
		g.line("    max.poll.interval.ms: %dms", g.poll)
	}
	g.line("    partition.assignment.strategy: [%s]", g.assignors())
	g.line("    fetch.max.wait.ms: %s", g.of("500ms 5s 5s", "fetch wait"))
	g.line("    enable.auto.commit: %t", g.oneIn(2, "auto commit"))
	g.line("    auto.offset.reset: %s", g.of("earliest latest", "reset"))
	if g.static == "all" && g.hasStatic() {
		g.line("    group.instance.id: \"{name}\"")
	}
	if g.oneIn(4, "metadata age") {
		g.line("    metadata.max.age.ms: 5s")
	}
}

// hasStatic reports whether there are static members in both releases.
func (g *generator) hasStatic() bool {
	return g.kafka.Client.Compare(protocol.MustRelease("2.3.0")) >= 0
}

// isStatic reports whether the member is a static one.
func (g *generator) isStatic(i int) bool {
	return g.hasStatic() && (g.static == "all" || g.static == "some" && g.oneIn(2, "is static", i))
}

// assignors are what all members list. One list for all: members that have nothing in
// common form no group.
func (g *generator) assignors() string {
	lists := "range roundrobin range,roundrobin"
	if protocol.AssignorRulesOf(g.kafka.Client).Sticky == protocol.StickyBoth {
		lists += " sticky sticky,range cooperative-sticky cooperative-sticky cooperative-sticky range,cooperative-sticky cooperative-sticky,range"
	}
	return strings.ReplaceAll(g.of(lists, "assignors"), ",", ", ")
}

func (g *generator) writeMembers() {
	g.line("members:")
	for i := range g.members {
		var keys []string
		if config := g.memberConfig(i); len(config) > 0 {
			keys = append(keys, "config: {"+strings.Join(config, ", ")+"}")
		}
		if program := g.program(i); len(program) > 0 {
			keys = append(keys, "program: {"+strings.Join(program, ", ")+"}")
		}
		if !g.isStatic(i) && g.oneIn(30, "has a habit", i) {
			keys = append(keys, "habits: {join-version: "+g.of("0 1 3 4", "join version", i)+"}")
		}
		if g.assigns(i) {
			keys = append(keys, fmt.Sprintf("assign: [%s-0]", topic(0)))
		} else if topics := g.subscription(i); topics != "" {
			keys = append(keys, "subscribe: "+topics)
		}
		switch {
		case g.later[i]:
			keys = append(keys, "start: never")
		case g.inFormed(i):
		case i > 0 && g.oneIn(2, "starts at", i):
			keys = append(keys, "start: "+g.span(0, 8000, 1000, "start", i))
		}
		g.line("  %s: {%s}", member(i), strings.Join(keys, ", "))
	}
}

func (g *generator) memberConfig(i int) (config []string) {
	switch {
	case !g.hasStatic():
	case g.static == "some" && g.isStatic(i):
		config = append(config, "group.instance.id: "+member(i))
	case g.static == "all" && i > 0 && !g.inFormed(i) && g.oneIn(12, "takes another's id", i):
		config = append(config, "group.instance.id: "+member(g.n(i, "whose id", i)))
	}
	if g.racks {
		config = append(config, "client.rack: "+rackOf(i))
	}
	if g.oneIn(5, "other session", i) {
		config = append(config, "session.timeout.ms: "+g.of("6s 12s 30s", "its session", i))
	}
	if g.oneIn(8, "stays on close", i) && g.kafka.Client.Compare(protocol.MustRelease("0.11.0.0")) >= 0 {
		config = append(config, "internal.leave.group.on.close: false")
	}
	return config
}

func (g *generator) program(i int) (program []string) {
	if g.oneIn(3, "poll", i) {
		program = append(program, "poll: "+g.of("50ms 500ms 1s", "poll timeout", i))
	}
	if g.oneIn(3, "works", i) {
		program = append(program, "per-batch: "+g.of("10ms 50ms..200ms 500ms 1s..4s", "per batch", i))
	}
	if g.oneIn(2, "commits", i) {
		program = append(program, "commit: "+[]string{"sync after batch", "async after batch", "sync before batch"}[g.n(3, "commit", i)])
	}
	if g.oneIn(6, "idles", i) {
		program = append(program, "idle: "+g.of("10ms 500ms 3s", "idle", i))
	}
	if g.oneIn(2, "stops", i) {
		program = append(program, "on-stop: "+g.of("kill kill close-in-turn", "on stop", i))
	}
	program = append(program, "on-throw: "+g.of("go-on go-on close", "on throw", i))
	for _, callback := range []string{"on-revoked", "on-assigned", "on-lost"} {
		if g.oneIn(4, callback, i) {
			program = append(program, callback+": "+g.callback(callback, i))
		}
	}
	return program
}

func (g *generator) callback(which string, i int) string {
	var keys []string
	if which != "on-lost" && g.oneIn(2, which+" commits", i) {
		keys = append(keys, "commit: true")
	}
	if g.oneIn(2, which+" takes", i) {
		keys = append(keys, "takes: "+g.of("10ms 500ms 2s 5s", which+" how long", i))
	}
	if len(keys) == 0 || g.oneIn(6, which+" throws", i) {
		return "[{" + strings.Join(append(keys, "throws: true"), ", ") + "}]" // once
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// assigns reports whether the member assigns a partition to itself, and is in no group.
func (g *generator) assigns(i int) bool { return !g.inFormed(i) && g.oneIn(12, "assigns", i) }

// subscription is what a member subscribes to, if it is not all. The first has all.
func (g *generator) subscription(i int) string {
	switch {
	case i == 0 || g.topics == 1 || !g.oneIn(4, "subscribes", i):
		return ""
	case g.oneIn(4, "by pattern", i) && !g.inFormed(i):
		return "{pattern: \"t[12]\"}"
	}
	var list []string
	for t := range g.topics {
		if g.oneIn(2, "subscribes to", i, t) {
			list = append(list, topic(t))
		}
	}
	if len(list) == 0 {
		list = []string{topic(g.n(g.topics, "subscribes to one", i))}
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func (g *generator) writeFormed() {
	state := "Stable"
	if g.oneIn(4, "completing") { // nobody has a part yet, so everyone has to ask
		state = "CompletingRebalance"
	}
	var in, lost []string
	for i := range g.formedN {
		in = append(in, member(i))
		switch {
		case state == "Stable" && !g.oneIn(4, "loses", i):
		case state == "Stable" && (i == 0 || g.oneIn(2, "loses which", i)):
			lost = append(lost, member(i)+": SyncGroup")
		default:
			lost = append(lost, member(i)+": JoinGroup")
		}
	}
	more := ""
	if len(lost) > 0 {
		more = ", lost-answers: {" + strings.Join(lost, ", ") + "}"
	}
	g.line("start: {formed: {leader: %s, generation: %d, state: %s, members: [%s]%s}}",
		member(0), 1+g.n(5, "generation"), state, strings.Join(in, ", "), more)
}
