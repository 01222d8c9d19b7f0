package scenarios

import (
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
)

// The keys of the language. Texts are what an editor shows of a key.

var scenarioShape = &shape{name: "scenario", keys: []key{
	{"about", textValue{numeral: true}, true, "What the run shows. The first line is what lists show."},
	{"kafka", anyOf{releaseValue, kafkaShape}, false, "The release of Kafka: one, or one for each side; 3.9."},
	{"latency", spanValue, false, "What a message takes one way; 1ms."},
	{"brokers", anyOf{numberValue{1, MaxBrokers}, namedBy{pattern: newNames, of: brokerShape}}, false, "How many, b1 and on, or names with options; 1."},
	{"topics", namedBy{least: 1, of: topicShape}, true, "Names with options."},
	{"group", groupShape, true, "The consumer group."},
	{"members", namedBy{pattern: newNames, least: 1, of: memberShape}, true, "Names, or patterns like pod-{00..39}, with options."},
	{"start", startShape, false, "A beginning that is given instead of being played."},
	{"timeline", itemsOf{stepShape}, false, "What happens, and when."},
	{"end", endShape, false, "When the run is over."},
	{"measure", measureShape, false, "What figures are taken of, and with how many seeds compare plays."},
	{"variants", namedBy{pattern: variantPattern, of: variantShape}, false, "Named variants of the scenario, for compare."},
	{"expect", anyOf{itemsOf{expectShape}, expectationsShape}, false, "What the run must show: a list, or a map from releases and variants."},
}, asides: []aside{
	{"compare", "", "write variants: {…}, and what is expected of them in expect"},
	{"groups", "several groups in one scenario", "write group: {id: …}"},
	{"invariants", "", "they hold for every run: rebalsim invariants lists them"},
	{"seeds", "", "write measure: {seeds: …}, or --seed"},
}}

// newNames are names of members and brokers where they are introduced, and patterns.
const newNames = `^[A-Za-z0-9_-]*(\{[0-9]+\.\.[0-9]+\})?[A-Za-z0-9_-]*$`

// conditionPattern matches conditions on releases.
func conditionPattern() string {
	const release = `[0-4](\.[0-9]+){0,3}(-2024-10)?`
	bound := `((broker|client) +)?(>=|<=|<|>)? *` + release + `( *\.\. *` + release + `)?`
	bounds := bound + `( *, *` + bound + `)*`
	const plain = ` *seed +0`
	return `^ *(all|` + plain + `|(all|` + bounds + `)( *,` + plain + `)?)( +except +` + bounds + `)? *$`
}

var kafkaShape = &shape{name: "kafka", keys: []key{
	{"broker", releaseValue, false, "Of the brokers; 3.9."},
	{"client", releaseValue, false, "Of the clients; 3.9."},
	{"bugs", listOf{wordValue(protocol.BugIDs())}, false, "Known bugs that all of them have, whatever their release."},
	{"force", forceShape, false, "Behaviours that all of them have, whatever their release."},
}}

var brokerShape = &shape{name: "broker", keys: []key{
	{"config", brokerConfigShape, false, "Settings of the broker, by Kafka's names."},
	{"rack", anyTextValue, false, "The broker's rack."},
	{"kafka", releaseValue, false, "Its own release."},
	{"log-takes", millisValue, false, "What it takes until a record of __consumer_offsets is committed; 0s, in 4.0 10ms."},
}}

var topicShape = &shape{name: "topic", keys: []key{
	{"partitions", numberValue{1, MaxPartitions}, true, "How many."},
	{"rate", rateValue, false, "Records that are written to all its partitions together."},
	{"leader", nameValue, false, "The broker that leads all its partitions; they are spread in turn."},
	{"replicas", numberValue{1, MaxBrokers}, false, "On how many brokers each partition is, for racks; 1."},
	{"racks", itemsOf{listOf{anyTextValue}}, false, "Instead: the racks of each partition's replicas, in the order of partitions."},
	{"created", wordValue{"never"}, false, "never: it is not there until the timeline creates it."},
}, clash: [][2]string{{"racks", "replicas"}}}

var groupShape = &shape{name: "group", keys: []key{
	{"id", anyTextValue, true, "It decides which partition of __consumer_offsets the group is in."},
	{"coordinator", nameValue, false, "The broker that leads that partition; the first."},
	{"next", listOf{nameValue}, false, "The brokers that lead it after that one; the others, in turn."},
	{"config", consumerConfigShape, false, "Settings of all members."},
	{"program", programShape, false, "What the code around all members' consumers does."},
	{"subscribe", subscriptionValue, false, "What all members subscribe to; all topics."},
	{"habits", habitsShape, false, "What all members' clients do otherwise than Java's."},
}, asides: []aside{newProtocol}}

// newProtocol is the key of a group that says which protocol it speaks.
var newProtocol = aside{"protocol", "roadmap 1, the new consumer protocol (KIP-848)", "every group has the classic protocol; its assignors are config: {partition.assignment.strategy: …}"}

var memberShape = &shape{name: "member", keys: []key{
	{"config", consumerConfigShape, false, "Settings of the consumer, by Kafka's names."},
	{"program", programShape, false, "What the code around the consumer does."},
	{"subscribe", subscriptionValue, false, "What it subscribes to; the group's."},
	{"assign", partitionList, false, "Partitions that it takes by itself, instead of a subscription."},
	{"kafka", releaseValue, false, "Its own release."},
	{"start", anyOf{wordValue{"never"}, durationValue}, false, "When it starts; 0s. never: when the timeline starts it."},
	{"habits", habitsShape, false, "What its client does otherwise than Java's."},
	{"rack", anyTextValue, false, "Where it runs: its client.rack."},
}, asides: []aside{{"count", "", "write a pattern of names: pod-{00..39}"}}}

var subscriptionValue = anyOf{listOf{topicValue}, patternShape}

var patternShape = &shape{name: "pattern", keys: []key{
	{"pattern", anyTextValue, true, "A regular expression that the whole name of a topic matches."},
}}

var programShape = &shape{name: "program", keys: []key{
	{"poll", durationValue, false, "The timeout that poll is called with; 100ms."},
	{"idle", millisValue, false, "What passes between a turn of the program and its next poll; 0s."},
	{"batch", numberValue{1, maxInt}, false, "At most so many records from one poll: max.poll.records."},
	{"per-batch", spanValue, false, "How long it works on what one poll returned; 0s."},
	{"commit", wordsOf(commits), false, "How it commits, beside enable.auto.commit; never."},
	{"on-stop", wordsOf(stops), false, "What it does when it is told to stop; close."},
	{"on-throw", wordsOf(throws), false, "What it does when poll or a commit throws; close."},
	{"on-revoked", callbackValue, false, "What its listener does when it is told of a loss: each time, or in a list time by time."},
	{"on-assigned", callbackValue, false, "What its listener does when partitions are assigned."},
	{"on-lost", callbackValue, false, "What its listener does when partitions are lost; without it, as on-revoked."},
	{"assignor-takes", durationValue, false, "How long its assignor takes, if it leads: no heartbeat leaves meanwhile; 0s."},
	{"assignor-throws", boolValue{}, false, "Its assignor throws, if it leads; false."},
	{"poll-long", boolValue{}, false, "It calls poll(long), which until 3.9 waits for its group beyond the timeout; false."},
}, asides: []aside{
	{"ready", "", "the step says when the next one goes: rolling-restart: {next-when: ready}"},
	{"grace", "", "the step says when a close is a kill: close: {of: …, grace: 30s}"},
	{"wakeup", "", "it is a step of the timeline: wakeup: L"},
}}

var habitsShape = &shape{name: "habits", keys: []key{
	{"leaves-on-close", boolValue{}, false, "It sends LeaveGroup when it is closed; true."},
	{"watches-metadata", boolValue{}, false, "A leader joins again when the number of partitions changes; true."},
	{"rejoins-after", durationValue, false, "It pauses so long before a JoinGroup, if it is in a generation; 0s."},
	{"rejoins-when-lost", boolValue{}, false, "It joins again after it has lost its generation; true."},
	{"keeps-member-id", boolValue{}, false, "It joins the next generation with its member id; true."},
	{"session-joins-anew", boolValue{}, false, "Without an answer to a heartbeat for session.timeout.ms it joins as a new member; false."},
	{"heartbeats-while-processing", boolValue{}, false, "It sends heartbeats while its program processes; true."},
	{"heartbeats-while-syncing", boolValue{}, false, "It sends heartbeats between the answers to JoinGroup and SyncGroup; true, from 2.6.1."},
	{"join-version", numberValue{0, consumer.MaxJoinVersion}, false, "The highest version of JoinGroup that it speaks; its release's."},
	{"read-timeout", durationValue, false, "How long it waits for an answer to JoinGroup; max.poll.interval.ms and 5s."},
}}

var callbackValue = listOf{callbackShape}

var callbackShape = &shape{name: "callback", keys: []key{
	{"pause", boolValue{}, false, "It pauses all that is assigned; false."},
	{"commit", boolValue{}, false, "It calls commitSync; false."},
	{"takes", durationValue, false, "How long it takes; 0s."},
	{"throws", boolValue{}, false, "It ends with an exception; false."},
}}

var startShape = &shape{name: "start", keys: []key{
	{"formed", formedShape, false, "The group is there, in a state in which a group can be."},
}}

var formedShape = &shape{name: "formed", keys: []key{
	{"leader", nameValue, false, "The first member."},
	{"generation", numberValue{1, 1<<31 - 2}, false, "1."},
	{"state", wordValue{"Stable", "CompletingRebalance", "Empty"}, false, "Stable."},
	{"members", membersValue, false, "In the order in which they joined; all that have no start of their own."},
	{"assignment", namedBy{of: partitionList}, false, "What members have been assigned, instead of what the leader's assignor would give."},
	{"offsets", namedBy{least: 1, of: numberValue{0, maxOffset}}, false, "Committed offsets of partitions: so many records they have."},
	{"lost-answers", namedBy{of: joinOrSync}, false, "Answers that a broken connection has lost: these members ask again."},
}, asides: []aside{newProtocol, {"away", "", "let it be a member, and its process die at once: timeline: [{at: 0s, kill: F1}]"}}}

var endShape = &shape{name: "end", keys: []key{
	{"at", durationValue, false, "The run is over then, settled or not."},
	{"settled-for", durationValue, false, "It is over when the timeline is through and the group has not changed for so long; 5s."},
	{"at-most", durationValue, false, "It is over then at the latest, and says so; 1h."},
}, clash: [][2]string{{"at", "settled-for"}, {"at", "at-most"}}}

// stepShape has the keys of all steps and, from the actions, what steps do.
var stepShape = &shape{name: "step", keys: []key{
	{"at", durationValue, false, "When, since the beginning of the run; 0s."},
	{"when", anyOf{eventValue, whenShape}, false, "What it waits for: an event, or conditions."},
	{"after", durationValue, false, "How long after when; 0s."},
	{"every", anyOf{boolValue{}, durationValue}, false, "With when: each time that it becomes true. With at: again and again, so far apart."},
	{"times", numberValue{1, maxTimes}, false, "With every and at: so many times in all."},
	{"mark", nameValue, false, "A name for the moment."},
}, asides: []aside{
	{"elect", "", "group: {next: […]} says who leads after a crash, and the step move: b2 makes another broker the coordinator"},
	{"set", "", "a process has its settings from its start: write restart: {of: …, config: {…}}"},
	{"log", "", "write mark: NAME to name a moment, or stall-log or fail-log for what the coordinator writes"},
	{"repeat", "", "write every: 10s, and times: 3"},
},
	or: "mark", needs: [][2]string{{"after", "when"}, {"times", "every"}}, clash: [][2]string{{"at", "when"}, {"when", "times"}}}

var whenShape = &shape{name: "when", keys: []key{
	{"event", eventValue, false, "It happens."},
	{"message", eventValue, false, "It is sent."},
	{"group", stateValue, false, "The group is in this state."},
	{"generation", numberValue{1, 1<<31 - 1}, false, "The group is in this generation."},
	{"members", numberValue{1, MaxMembers}, false, "The group has so many."},
	{"parked", parkedShape, false, "These members' requests wait at the coordinator."},
}}

var parkedShape = &shape{name: "parked", keys: []key{
	{"JoinGroup", membersValue, false, ""},
	{"SyncGroup", membersValue, false, ""},
}}

var arriveShape = &shape{name: "arrive", keys: []key{
	{"request", requestValue, true, "The kind of request."},
	{"order", membersValue, true, "The members, in the order of arrival."},
	{"gap", durationValue, false, "How long each comes after the one before; 0s."},
}}

var closeShape = &shape{name: "close", keys: []key{
	{"of", membersValue, true, "Who."},
	{"grace", durationValue, false, "A close that takes longer is a kill; for ever."},
}}

var betweenKeys = []key{
	{"of", nameValue, true, "A member or broker."},
	{"from", nameValue, false, "The other side; all."},
}

var disconnectShape = &shape{name: "disconnect", keys: betweenKeys}

var cutShape = &shape{name: "cut", keys: append([]key{
	{"way", wordValue{"both", "to", "from"}, false, "Which messages do not arrive: both, those to it, or those from it; both."},
	{"for", durationValue, false, "It heals by itself; never."},
}, betweenKeys...)}

var healShape = &shape{name: "heal", keys: betweenKeys}

var latencyShape = &shape{name: "latency", keys: append([]key{
	{"is", spanValue, true, "What a message takes, each way."},
}, betweenKeys...)}

var messageShape = &shape{name: "messages", keys: []key{
	{"message", messageValue, true, "Requests or answers, or it."},
	{"share", shareValue, false, "So many of them, by chance; all. Seed 0 takes none."},
}}

var delayShape = &shape{name: "delay", keys: append([]key{
	{"by", durationValue, true, "How much longer they take."},
}, messageShape.keys...)}

var forShape = &shape{name: "during", keys: []key{
	{"of", membersValue, true, "Who."},
	{"for", durationValue, true, "How long."},
}}

var slowShape = &shape{name: "slow", keys: []key{
	{"of", membersValue, true, "Who."},
	{"for", millisValue, true, "How long."},
}}

var subscribeShape = &shape{name: "subscribe", keys: []key{
	{"of", membersValue, true, "Who."},
	{"topics", listOf{topicValue}, false, "To these topics,"},
	{"pattern", anyTextValue, false, "or to all whose whole name matches."},
}, some: []string{"topics", "pattern"}, clash: [][2]string{{"topics", "pattern"}}}

var enforceShape = &shape{name: "enforce-rebalance", keys: []key{
	{"of", membersValue, true, "Who."},
	{"reason", anyTextValue, false, "What it gives as the reason."},
}}

var commitShape = &shape{name: "commit", keys: []key{
	{"of", membersValue, true, "Who."},
	{"async", boolValue{}, false, "It calls commitAsync; false."},
}}

// newCoordinatorKeys are about what follows when another broker becomes the coordinator.
var newCoordinatorKeys = []key{
	{"load-takes", millisValue, false, "So long the new coordinator loads; 0s."},
	{"unaware-for", durationValue, false, "So long, before that, it does not know that it is the coordinator; 0s."},
	{"unheard-by", unheardShape, false, "Brokers that name the old coordinator for a time."},
}

var unheardShape = &shape{name: "unheard-by", keys: []key{
	{"of", membersValue, true, "Which brokers."},
	{"for", durationValue, true, "How long."},
}}

var crashShape = &shape{name: "crash", keys: append([]key{
	{"broker", nameValue, true, "Which."},
	{"noticed-after", durationValue, false, "So long the other brokers take it for alive; 0s."},
	{"elected-after", durationValue, false, "So long after that its partitions have no leader; 0s."},
}, newCoordinatorKeys...)}

var moveShape = &shape{name: "move", keys: append([]key{
	{"to", nameValue, true, "The new coordinator."},
	{"noticed-after", durationValue, false, "So long the old one takes itself for the coordinator; 0s."},
	{"told-again-after", durationValue, false, "So long after, the old one is told once more to give the group up; never."},
	{"partition", wordValue{"group", "other"}, false, "group: the group's; other: another one that its coordinator leads, without groups; group."},
}, newCoordinatorKeys...)}

var stallShape = &shape{name: "stall-log", keys: []key{
	{"for", durationValue, false, "How long; for ever."},
}}

var failLogShape = &shape{name: "fail-log", keys: []key{
	{"error", wordValue(errorNames()[1:]), true, "What an append is refused with."},
	{"for", durationValue, false, "How long; for ever."},
}}

var partitionsShape = &shape{name: "add-partitions", keys: []key{
	{"topic", topicValue, true, "Which."},
	{"to", numberValue{2, MaxPartitions}, true, "So many it has then."},
}}

var changeKeys = []key{
	{"config", consumerConfigShape, false, "Settings that they have from then on."},
	{"kafka", releaseValue, false, "The release that they run from then on."},
	{"subscribe", subscriptionValue, false, "What they subscribe to from then on."},
}

var restartShape = &shape{name: "restart", keys: append([]key{
	{"of", membersValue, true, "Members, or brokers."},
	{"down", spanValue, false, "How long each does not run; 0s."},
	{"grace", durationValue, false, "A close that takes longer is a kill; 30s."},
	{"load-takes", millisValue, false, "Of brokers: how long a new coordinator loads; 0s."},
}, changeKeys...)}

var rollShape = &shape{name: "rolling-restart", keys: append([]key{
	{"at-a-time", numberValue{1, MaxMembers}, false, "So many are on their way at once; 1."},
	{"one-by-one", boolValue{}, false, "true: at-a-time is 1, as it is if nothing is said."},
	{"next-when", anyOf{wordValue{"ready"}, durationValue}, false, "The next one goes when one is ready, or so long after it has started; ready."},
}, restartShape.keys...), clash: [][2]string{{"one-by-one", "at-a-time"}}}

var deployShape = &shape{name: "deploy", keys: []key{
	{"of", membersValue, true, "The members that go."},
	{"by", membersValue, true, "The members that come in their place; they have start: never."},
	{"surge", numberValue{1, MaxMembers}, false, "So many more than before may run at once; 1."},
	{"next-when", anyOf{wordValue{"ready"}, durationValue}, false, "An old one stops when a new one is ready, or so long after it has started; ready."},
	{"grace", durationValue, false, "A close that takes longer is a kill; 30s."},
}}

var scaleShape = &shape{name: "scale", keys: []key{
	{"of", membersValue, true, "The members that there can be."},
	{"to", numberValue{0, MaxMembers}, true, "So many of them run then: the first ones start, the last ones close."},
	{"gap", durationValue, false, "How long each comes after the one before; 0s."},
	{"grace", durationValue, false, "A close that takes longer is a kill; 30s."},
}}

var (
	consumerConfigShape = configShape("consumer-settings", consumerSettings)
	brokerConfigShape   = configShape("broker-settings", brokerSettings)
)

func configShape(name string, table []settingSpec) *shape {
	s := &shape{name: name}
	for i := range table {
		s.keys = append(s.keys, key{table[i].name, anyOf{table[i].value(), wordValue{"unset"}}, false, "Default: " + table[i].defaults() + "."})
	}
	return s
}

// value is how a setting is written.
func (spec *settingSpec) value() value {
	switch spec.kind {
	case settingDuration, settingMinutes:
		return textValue{pattern: `^([0-9]{1,10}|([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+)$`, numeral: true, example: "45s"}
	case settingNumber:
		return numberValue{spec.low, spec.max}
	case settingSize:
		return textValue{pattern: `^[0-9]+ *([KMG]iB|kB|[MG]B)?$`, numeral: true, example: "64KiB"}
	case settingBool:
		return boolValue{}
	case settingWord:
		return wordValue(spec.words)
	case settingAssignors:
		return listOf{textValue{pattern: `(?i)(range|roundrobin|sticky)`, example: "cooperative-sticky"}}
	}
	return anyTextValue
}
