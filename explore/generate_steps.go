package explore

import (
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

// trouble is a kind of thing that the timeline can do. Each generated scenario has few.
type trouble struct {
	name string
	// step says what the i-th step does, "" if this scenario cannot have it.
	step func(g *generator, i int) string
}

// troubles is the list from which a scenario draws its own. The order has no meaning.
var troubles = []trouble{
	{"kill", func(g *generator, i int) string { return "kill: " + g.someone(i) }},
	{"close", func(g *generator, i int) string {
		return fmt.Sprintf("close: {of: %s, grace: %s}", g.someone(i), g.of("1s 5s 30s", "grace", i))
	}},
	{"restart", func(g *generator, i int) string {
		return fmt.Sprintf("restart: {of: %s, down: %s, grace: %s%s}", g.someone(i), g.of("0s 1s 3s 8s", "down", i), g.of("1s 10s", "grace", i), g.otherSettings(i))
	}},
	{"roll", func(g *generator, i int) string {
		return fmt.Sprintf("rolling-restart: {of: \"c*\", down: %s, next-when: %s, grace: 5s%s}", g.of("0s 1s 5s", "down", i), g.of("1s 5s 20s", "next", i), g.otherSettings(i))
	}},
	{"freeze", func(g *generator, i int) string {
		return fmt.Sprintf("freeze: {of: %s, for: %s}", g.someone(i), g.span(500, 2*g.session, 1000, "freeze", i))
	}},
	{"slow", func(g *generator, i int) string {
		return fmt.Sprintf("slow: {of: %s, for: %s}", g.someone(i), g.span(500, min(2*g.poll, 90_000), 1000, "slow", i))
	}},
	{"subscribe", (*generator).subscribes},
	{"enforce", func(g *generator, i int) string {
		if g.kafka.Client.Compare(protocol.MustRelease("2.6.0")) < 0 {
			return ""
		}
		return "enforce-rebalance: " + g.someone(i)
	}},
	{"commit", func(g *generator, i int) string {
		return fmt.Sprintf("commit: {of: %s, async: %t}", g.someone(i), g.oneIn(2, "async", i))
	}},
	{"cut", func(g *generator, i int) string {
		return fmt.Sprintf("cut: {of: %s%s, way: %s, for: %s}", g.someone(i), g.from(i), g.of("both to from", "way", i), g.span(500, 2*g.session, 1000, "cut", i))
	}},
	{"isolate", func(g *generator, i int) string {
		return fmt.Sprintf("cut: {of: %s, for: %s}", g.broker(i), g.span(500, g.session, 1000, "isolate", i))
	}},
	{"disconnect", func(g *generator, i int) string {
		return fmt.Sprintf("disconnect: {of: %s%s}", g.someone(i), g.from(i))
	}},
	{"drop", func(g *generator, i int) string { return "drop: " + g.message(i) }},
	{"lose", func(g *generator, i int) string { return "lose: " + g.message(i) }},
	{"delay", func(g *generator, i int) string {
		message, longest := g.message(i), 2*g.session
		if !strings.Contains(message, "Group#") { // the run may end before one that nobody waits for
			longest = 8000
		}
		return fmt.Sprintf("delay: {message: %s, by: %s}", message, g.span(100, longest, 1000, "delay", i))
	}},
	{"latency", func(g *generator, i int) string {
		return fmt.Sprintf("latency: {of: %s, from: %s, is: %s}", g.someone(i), g.broker(i), g.of("5ms 20ms..80ms 200ms 1ms..900ms", "slow way", i))
	}},
	{"crash", func(g *generator, i int) string {
		return fmt.Sprintf("crash: {broker: %s, noticed-after: %s, elected-after: %s, load-takes: %s%s}",
			g.broker(i), g.of("0s 0s 1s 6s", "noticed", i), g.of("0s 0s 1s", "elected", i), g.of("0s 0s 100ms 2s", "load", i), g.news(i))
	}},
	{"move", func(g *generator, i int) string {
		again := ""
		if g.oneIn(4, "told again", i) {
			again = ", told-again-after: " + g.of("500ms 2s 8s", "told again after", i)
		}
		return fmt.Sprintf("move: {to: %s, noticed-after: %s, load-takes: %s%s%s}",
			g.broker(i), g.of("0s 0s 500ms 4s", "noticed", i), g.of("0s 0s 100ms 2s", "load", i), g.news(i), again)
	}},
	{"move another partition", func(g *generator, i int) string {
		return fmt.Sprintf("move: {to: %s, partition: other}", g.broker(i))
	}},
	{"broker restart", func(g *generator, i int) string {
		return fmt.Sprintf("restart: {of: %s, down: %s, load-takes: %s}", g.broker(i), g.of("0s 1s 5s", "down", i), g.of("0s 100ms 1s", "load", i))
	}},
	{"partitions", func(g *generator, i int) string {
		t := g.n(g.topics, "which topic", i)
		g.grown[t] += 1 + g.n(3, "more partitions", i)
		return fmt.Sprintf("add-partitions: {topic: %s, to: %d}", topic(t), g.grown[t])
	}},
	{"topic", func(g *generator, i int) string {
		if g.topics == 1 || g.deleted {
			return ""
		}
		g.deleted = true
		return "delete-topic: " + topic(g.topics-1)
	}},
	{"clock", func(g *generator, i int) string {
		who := g.someone(i)
		if g.oneIn(3, "a broker's clock", i) {
			who = g.broker(i)
		}
		return fmt.Sprintf("clock: {of: %s, jump: %s}", who, g.of("1s 5s 20s -500ms -5s", "jump", i))
	}},
	{"calls", func(g *generator, i int) string {
		who := g.someone(i)
		return []string{"refresh-metadata: " + who, "pause: " + who, "resume: " + who,
			fmt.Sprintf("seek: {of: %s, to: 0}", who)}[g.n(4, "call", i)]
	}},
	{"wakeup", func(g *generator, i int) string { return "wakeup: " + g.someone(i) }},
	{"stall", func(g *generator, i int) string {
		return fmt.Sprintf("stall-log: {for: %s}", g.span(100, 8000, 500, "stall", i))
	}},
	{"fail log", func(g *generator, i int) string {
		return fmt.Sprintf("fail-log: {error: %s, for: %s}", g.of("NOT_ENOUGH_REPLICAS NOT_LEADER_OR_FOLLOWER NOT_COORDINATOR REQUEST_TIMED_OUT MESSAGE_TOO_LARGE", "log error", i), g.span(100, 5000, 500, "fail", i))
	}},
}

// writeTimeline writes up to eight steps of few kinds, and what undoes them: whatever a
// step breaks is whole again some time later, so that the group can settle.
func (g *generator) writeTimeline() {
	var kinds []trouble
	for i, t := range troubles {
		if g.oneIn(5, "has "+t.name) || i == g.n(len(troubles), "has at least") {
			kinds = append(kinds, t)
		}
	}
	g.line("timeline:")
	g.line("  - {at: 0s, mark: begin}")
	if g.retention() && g.oneIn(2, "waits for it") {
		g.line("  - {at: %s, mark: later}", g.of("70s 100s 150s", "later"))
	}
	for i, later := range g.later {
		if later {
			g.line("  - {%s, start: %s}", g.when(100+i), member(i))
		}
	}
	if g.never {
		g.line("  - {%s, create-topic: %s}", g.when(200), topic(g.topics-1))
	}
	for i := range 1 + g.n(8, "steps") {
		if text := kinds[g.n(len(kinds), "kind", i)].step(g, i); text != "" {
			g.line("  - {%s, %s}", g.when(i), text)
		}
	}
	for i := range g.brokers {
		g.line("  - {when: {event: %s.crashed}, every: true, after: %s, start: %s}", broker(i), g.of("0s 1s 5s 20s", "broker is back", i), broker(i))
	}
	for i := range g.members {
		if g.oneIn(2, "comes back", i) {
			g.line("  - {when: {event: %s.crashed}, every: true, after: %s, start: %s}", member(i), g.of("0s 1s 10s", "member is back", i), member(i))
		}
	}
}

// when is the moment of a step: a time, or something that the protocol does.
func (g *generator) when(i int) string {
	after := ""
	if g.oneIn(2, "after", i) {
		after = ", after: " + g.span(1, 3000, 500, "how long after", i)
	}
	switch g.n(8, "when", i) {
	case 0:
		return "when: {group: " + g.of("PreparingRebalance CompletingRebalance CompletingRebalance Stable", "state", i) + "}" + after
	case 1:
		return "when: {event: " + broker(g.n(g.brokers, "whose state", i)) + ".group." + g.of("PreparingRebalance#1 PreparingRebalance#2 CompletingRebalance#1 CompletingRebalance#2 Stable#2", "state", i) + "}" + after
	case 2:
		return "when: {message: " + g.message(i) + "}" + after
	}
	return "at: " + g.span(0, 25_000, 1000, "at", i)
}

// message is the name of a request or answer that may well come about.
func (g *generator) message(i int) string {
	kind := g.of("JoinGroup JoinGroup JoinGroup SyncGroup SyncGroup SyncGroup Heartbeat LeaveGroup OffsetCommit OffsetFetch FindCoordinator", "message", i)
	most := 3
	if kind == "Heartbeat" {
		most = 8
	}
	answer := ""
	if g.oneIn(2, "answer", i) {
		answer = ".answer"
	}
	return fmt.Sprintf("%s.%s#%d%s", member(g.n(g.members, "whose message", i)), kind, 1+g.n(most, "message number", i), answer)
}

// otherSettings is what a restart may bring along.
func (g *generator) otherSettings(i int) string {
	if !g.oneIn(3, "other settings", i) {
		return ""
	}
	return ", config: {session.timeout.ms: " + g.of("6s 12s 30s", "new session", i) + "}"
}

// news says who hears late, or too early, that there is another coordinator.
func (g *generator) news(i int) string {
	news := ""
	if g.oneIn(6, "is unaware", i) {
		news += ", unaware-for: " + g.of("100ms 1s", "unaware", i)
	}
	if g.oneIn(6, "has not heard", i) {
		news += fmt.Sprintf(", unheard-by: {of: %s, for: %s}", broker(g.n(g.brokers, "who has not heard", i)), g.of("1s 5s", "unheard", i))
	}
	return news
}

func (g *generator) someone(i int) string { return member(g.n(g.members, "who", i)) }
func (g *generator) broker(i int) string  { return broker(g.n(g.brokers, "which broker", i)) }

// from limits something between nodes to one broker, half of the time.
func (g *generator) from(i int) string {
	if g.oneIn(2, "from all", i) {
		return ""
	}
	return ", from: " + g.broker(i)
}

func (g *generator) subscribes(i int) string {
	who := g.n(g.members, "who", i)
	if g.assigns(who) { // either, not both
		return ""
	}
	if g.oneIn(6, "unsubscribes", i) {
		return "unsubscribe: " + member(who)
	}
	var list []string
	for t := range g.topics {
		if g.oneIn(2, "new subscription", i, t) {
			list = append(list, topic(t))
		}
	}
	if len(list) == 0 {
		list = append(list, topic(0))
	}
	return fmt.Sprintf("subscribe: {of: %s, topics: [%s]}", member(who), strings.Join(list, ", "))
}
