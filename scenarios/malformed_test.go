package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/consumer"
	"time"
)

// good is a scenario to which the malformed ones add a mistake.
const good = `about: a test
topics: {orders: {partitions: 8}}
group: {id: my-group}
members: {L: {}, F1: {}, F2: {}}
`

// malformed are texts with what must be said of them, all of it.
var malformed = []struct{ name, text, want string }{
	{"wrong key", strings.Replace(good, "members", "membres", 1),
		"f.yaml:1:1: the file lacks the key \"members\"\n" +
			`f.yaml:4:1: unknown key "membres" (did you mean "members"?)`},
	{"wrong key far down", good + "timeline:\n  - at: 1s\n    arive: {request: JoinGroup, order: [L]}\n",
		`f.yaml:7:5: unknown key "arive" (did you mean "arrive"?)`},
	{"wrong type", strings.Replace(good, "{L: {}, F1: {}, F2: {}}", "[L, F1, F2]", 1),
		`f.yaml:4:10: members wants a map, not a list (write {key: value})`},
	{"wrong type of a number", strings.Replace(good, "8", "eight", 1),
		`f.yaml:2:31: "eight" is not a whole number`},
	{"an empty release", good + "kafka: {broker: \"\"}\n",
		`f.yaml:5:17: no release of Kafka is given (write one like 3.9)`},
	{"a member of one letter that there is not", good + "timeline: [{kill: X}]\n",
		`f.yaml:5:19: there is no member "X" (the first member is on line 4)`},
	{"a back-off of nothing", strings.Replace(good, "L: {}", "L: {config: {retry.backoff.ms: 0ms}}", 1),
		`f.yaml:4:42: retry.backoff.ms must be from 1ms to 2147483647ms`},
	{"a retention of nothing", good + "brokers: {b1: {config: {offsets.retention.minutes: 0}}}\n",
		`f.yaml:5:52: offsets.retention.minutes must be from 1m to 35791m`},
	{"checks without end", good + "brokers: {b1: {config: {offsets.retention.check.interval.ms: 1ms}}}\n",
		`f.yaml:5:62: offsets.retention.check.interval.ms must be from 100ms to 2147483647ms`},
	{"too often", good + "timeline: [{at: 1s, every: 1us, kill: L}]\nend: {at: 1h}\n",
		`f.yaml:5:28: until the run ends this step happens more than 1000000 times`},
	{"a partition that two have", good + "start: {formed: {assignment: {L: [orders-0], F1: [orders-0]}}}\n",
		`f.yaml:5:51: L has orders-0 already`},
	{"an assignment of who is not there", good + "start: {formed: {members: [L, F1], assignment: {F2: [orders-0]}}}\n",
		`f.yaml:5:49: F2 is not a member of the formed group`},
	{"a condition on a seed", good + "expect: {\"seed 7\": [never: {state: Dead}]}\n",
		`f.yaml:5:10: a condition is on seed 0 alone, and stands last: not on seed 7`},
	{"a condition on a seed that does not stand last", good + "expect: {\"seed 0, 3.9\": [never: {state: Dead}]}\n",
		`f.yaml:5:10: a condition is on seed 0 alone, and stands last: not on seed 0`},
	{"a clock that is not set", good + "timeline: [{clock: {of: L}}]\n",
		`f.yaml:5:20: this sets no clock (write {of: …, jump: 5s} or {of: …, runs: 1.0001})`},
	{"a clock that jumps by less than it shows", good + "timeline: [{clock: {of: L, jump: -1us}}]\n",
		`f.yaml:5:34: a clock jumps by whole milliseconds, not -1us`},
	{"a clock that runs too fast", good + "timeline: [{clock: {of: L, runs: 3}}]\n",
		`f.yaml:5:34: "3" is no pace of a clock (write a number from 0.5 to 2 with up to six decimals; 1.0001 is 0.1 s in 1000 s fast)`},
	{"indentation", good + "start:\n  formed:\n    leader: L\n   generation: 2\n",
		`f.yaml:8:4: this line does not fit in: a key is expected (check the indentation: the map around it begins on line 6)`},
	{"duplicate key", good + "about: again\n",
		`f.yaml:5:1: "about" is given twice (first on line 1)`},
	{"second document", good + "---\nabout: another\n",
		`f.yaml:5:1: a second document begins here (a file has one: leave out the "---")`},
	{"unknown member", good + "timeline:\n  - {at: 1s, kill: F3}\n",
		`f.yaml:6:20: there is no member "F3" (did you mean "F1" of line 4?)`},
	{"unknown topic", strings.Replace(good, "F1: {}", "F1: {subscribe: [order]}", 1),
		`f.yaml:4:35: there is no topic "order" (did you mean "orders" of line 2?)`},
	{"unknown broker", strings.Replace(good, "my-group", "my-group, coordinator: b2", 1),
		`f.yaml:3:36: there is no broker "b2" (the file has no brokers, so there is b1 alone)`},
	{"unknown request", good + "timeline:\n  - arrive: {request: JoinGrup, order: [L, F1]}\n",
		`f.yaml:6:23: there is no request "JoinGrup" (did you mean "JoinGroup"?)`},
	{"unknown error", good + "expect:\n  - never: {error: UNKNOWN_MEMBER}\n",
		`f.yaml:6:20: there is no error "UNKNOWN_MEMBER" (did you mean "UNKNOWN_MEMBER_ID"?)`},
	{"unknown exception", good + "expect:\n  - F1.thrown#1: {error: CommitFailedExeption}\n",
		`f.yaml:6:26: there is no exception "CommitFailedExeption" (did you mean "CommitFailedException"?)`},
	{"an event of a process", good + "expect:\n  - F1#2.thrown#1: {}\n",
		`f.yaml:6:5: "F1#2.thrown#1": F1#2 is a process of F1, and events are of a name (numbers count over all its processes: rebalsim run -v tells them)`},
	{"an exception like no other", good + "expect:\n  - F1.thrown#1: {error: Kaputt}\n",
		`f.yaml:6:26: there is no exception "Kaputt" (known: ` + strings.Join(consumer.ExceptionNames(), ", ") + `)`},
	{"an error like no other", good + "expect:\n  - never: {error: Kaputt}\n",
		`f.yaml:6:20: there is no error "Kaputt" (write Kafka's name of it, like UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS, FENCED_INSTANCE_ID or NOT_COORDINATOR, or none)`},
	{"an error that is thrown", good + "expect:\n  - F1.thrown#1: {error: UNKNOWN_MEMBER_ID}\n",
		`f.yaml:6:26: what is thrown is no error like UNKNOWN_MEMBER_ID, but an exception (write error: UnknownMemberIdException)`},
	{"an exception in an answer", good + "expect:\n  - F1.JoinGroup#1: {error: RebalanceInProgressException}\n",
		`f.yaml:6:29: an answer has no exception like "RebalanceInProgressException", but an error (write error: REBALANCE_IN_PROGRESS)`},
	{"an exception of what is no throw", good + "expect:\n  - count: {\"F1.revoked\": 0, error: TimeoutException}\n",
		`f.yaml:6:37: F1.revoked has no exception: only what is thrown does`},
	{"unknown state", good + "expect:\n  - in the end: {state: Stabel}\n",
		`f.yaml:6:25: there is no group state "Stabel" (did you mean "Stable"?)`},
	{"old name of a state", good + "expect:\n  - in the end: {state: AwaitingSync}\n",
		`f.yaml:6:25: there is no group state "AwaitingSync" (its name from Kafka 1.1 on is CompletingRebalance)`},
	{"unknown event", good + "expect:\n  - F1.Join#1: {answered: at once}\n",
		`f.yaml:6:5: "F1.Join#1": there is no event "Join" (did you mean "JoinGroup"?)`},
	{"event without number", good + "expect:\n  - F1.JoinGroup: {answered: at once}\n",
		`f.yaml:6:5: an expectation is of one event, by its number (write F1.JoinGroup#1)`},
	{"unknown figure", good + "expect:\n  - metrics: {longst: 3s}\n",
		`f.yaml:6:15: unknown key "longst" (did you mean "longest"?)`},
	{"a figure under another name", good + "expect:\n  - metrics: {records.twice: 3}\n",
		`f.yaml:6:15: unknown key "records.twice" (it is called "twice")`},
	{"a figure under both its names", good + "expect:\n  - metrics: {standstill.longest: 3s, longest: 3s}\n",
		`f.yaml:6:35: standstill.longest is longest (leave one of them out)`},
	{"a wrong step and a variant's figures", good + "timeline: [{at: 1s, kil: L}]\nvariants: {eager: {}}\nexpect: {eager: {twice: 0}}\n",
		`f.yaml:5:21: unknown key "kil" (did you mean "kill"?)`},
	{"a figure without metrics", good + "expect:\n  - twice: 0\n",
		"f.yaml:6:5: twice is a figure (write metrics: {twice: …})"},
	{"a figure without unit", good + "expect:\n  - metrics: {longest: \"< 20\"}\n",
		`f.yaml:6:24: "20" is not a length of time: it has no unit (write it like 250ms, 45s, 1m30s or 2h)`},
	{"a relative figure", good + "expect:\n  - metrics: {generations: \"+1\"}\n",
		`f.yaml:6:28: "+1": a figure is counted within its window (write it without the +)`},
	{"a figure below 0", good + "expect:\n  - metrics: {twice: \"< 0\"}\n",
		`f.yaml:6:22: "< 0": no figure is below 0`},
	{"a figure that members do not have", good + "expect:\n  - metrics: {of: F1, lag: 0}\n",
		`f.yaml:6:28: lag is no figure of a member`},
	{"a figure that the whole does not have", good + "expect:\n  - metrics: {served-most: 0}\n",
		`f.yaml:6:28: served-most is no figure of the whole, only of one member`},
	{"figures of nobody", good + "expect:\n  - metrics: {of: F3, joins: 0}\n",
		`f.yaml:6:19: there is no member, topic or partition "F3" (did you mean "F1" of line 4?)`},
	{"figures of a partition that there is not", good + "expect:\n  - metrics: {of: orders-8, moves: 0}\n",
		`f.yaml:6:19: orders of line 2 has the partitions 0 to 7, not 8`},
	{"no figure", good + "expect:\n  - metrics: {from: 1s}\n",
		`f.yaml:6:14: no figure is named (write {longest: "< 20s"}; docs/metrics.md has all names)`},
	{"a window backwards", good + "expect:\n  - metrics: {from: 2s, to: 1s, twice: 0}\n",
		`f.yaml:6:29: the window ends before it begins`},
	{"an unknown mark", good + "timeline: [{at: 1s, mark: deploy}]\nexpect:\n  - metrics: {from: deplyo, twice: 0}\n  - at deplyo: {state: Stable}\n  - F1.JoinGroup#1: {at: 1s after deplyo}\n",
		"f.yaml:7:21: there is no mark \"deplyo\" (did you mean \"deploy\" of line 5?)\n" +
			"f.yaml:8:5: there is no mark \"deplyo\" (did you mean \"deploy\" of line 5?)\n" +
			"f.yaml:9:26: there is no mark \"deplyo\" (did you mean \"deploy\" of line 5?)"},
	{"an error of what is no request", good + "expect:\n  - count: {\"F1.revoked\": 0, error: none}\n",
		`f.yaml:6:37: F1.revoked has no error: only requests and answers do`},
	{"a member at a moment that there is not", good + "expect:\n  - at 3s: {owns: {F3: 1}}\n",
		`f.yaml:6:20: there is no member "F3" (did you mean "F1" of line 4?)`},
	{"a matter of a moment alone", good + "expect:\n  - all-served: true\n",
		`f.yaml:6:5: all-served is so at a moment (write in the end: {all-served: …}, at MOMENT: {…} or eventually: {…})`},
	{"served or not", good + "expect:\n  - in the end: {all-served: all}\n",
		`f.yaml:6:30: "all" is neither true nor false`},
	{"a relative lag", good + "expect:\n  - in the end: {lag: +5}\n",
		`f.yaml:6:23: a lag is not relative`},
	{"eventually nothing", good + "expect:\n  - eventually: {within: 5s}\n",
		`f.yaml:6:17: eventually says nothing (write {all-served: true, within: 20s})`},
	{"eventually without a length", good + "expect:\n  - eventually: {state: Stable, within: soon}\n",
		`f.yaml:6:41: "soon" is not a length of time: a number is missing (write it like 250ms, 45s, 1m30s or 2h)`},
	{"eventually within a range", good + "expect:\n  - eventually: {state: Stable, within: 5s..8s}\n",
		`f.yaml:6:41: within is up to one moment, not a range of them (write within: 8s)`},
	{"eventually after nothing known", good + "timeline: [{at: 1s, mark: deploy}]\nexpect:\n  - eventually: {state: Stable, within: 5s after deplyo}\n",
		`f.yaml:7:41: there is no mark "deplyo" (did you mean "deploy" of line 5?)`},
	{"eventually after no event", good + "expect:\n  - eventually: {state: Stable, within: 5s after F1.crasht}\n",
		`f.yaml:6:41: "F1.crasht": there is no event "crasht" (did you mean "crashed"?)`},
	{"a generation that is none", good + "expect:\n  - generation two: {handed-out: 2}\n",
		`f.yaml:6:5: "two" is not one generation (write generation 2, "generation +1" or "generation +1 since MARK")`},
	{"two generations", good + "expect:\n  - generation 2..3: {handed-out: 2}\n",
		`f.yaml:6:5: "2..3" is not one generation (write generation 2, "generation +1" or "generation +1 since MARK")`},
	{"a generation since no mark", good + "timeline: [{at: 1s, mark: deploy}]\nexpect:\n  - generation +1 since deplyo: {handed-out: 2}\n",
		`f.yaml:7:5: there is no mark "deplyo" (did you mean "deploy" of line 5?)`},
	{"a generation of which nothing is said", good + "expect:\n  - generation 2: {}\n",
		`f.yaml:6:19: "generation 2" says nothing`},
	{"a generation handed out often", good + "expect:\n  - generation 2: {handed-out: often}\n",
		`f.yaml:6:32: "often" is not an expected number (write it like 2, 2..3, ">= 2", +1 or "+1 since MARK")`},
	{"a generation for whom", good + "expect:\n  - generation 2: {to-different-members: L}\n",
		`f.yaml:6:42: to-different-members is true, false or maybe, not "L" (known: true, false, maybe)`},
	{"records within a window", good + "expect:\n  - records: {skipped: 0, from: 5s}\n",
		`f.yaml:6:27: records are counted of the whole run, and from is another matter (write metrics: {from: …})`},
	{"a length of records", good + "expect:\n  - records: {longest: 5s}\n",
		`f.yaml:6:15: records are counted of the whole run, and longest is another matter (write metrics: {longest: …})`},
	{"records that are not counted so", good + "expect:\n  - records: {lost: 0}\n",
		`f.yaml:6:15: unknown key "lost" (known: twice, twice-late, twice-zombie, twice-backward, skipped, skipped-reset, skipped-commit, skipped-seek, skipped-dropped, unfinished, delivered, finished, zombie-finished, lag-max, lag, behind-max, behind)`},
	{"records of nothing", good + "expect:\n  - records: {}\n",
		`f.yaml:6:14: "records" says nothing`},
	{"unknown setting", strings.Replace(good, "F1: {}", "F1: {config: {session_timeout_ms: 10s}}", 1),
		`f.yaml:4:32: there is no setting "session_timeout_ms" of a consumer (did you mean "session.timeout.ms"?)`},
	{"a broker's setting", strings.Replace(good, "F1: {}", "F1: {config: {group.max.size: 3}}", 1),
		`f.yaml:4:32: group.max.size is a broker's setting, not a consumer's`},
	{"a setting without part", strings.Replace(good, "F1: {}", "F1: {config: {bootstrap.servers: x}}", 1),
		`f.yaml:4:32: bootstrap.servers plays no part in a simulation (a member knows all brokers)`},
	{"a habit", strings.Replace(good, "F1: {}", "F1: {habits: {leave-on-close: false}}", 1),
		`f.yaml:4:32: unknown key "leave-on-close" (did you mean "leaves-on-close"?)`},
	{"a habit's value", strings.Replace(good, "F1: {}", "F1: {habits: {keeps-member-id: maybe}}", 1),
		`f.yaml:4:49: "maybe" is neither true nor false`},
	{"a version of JoinGroup", strings.Replace(good, "F1: {}", "F1: {habits: {join-version: 10}}", 1),
		`f.yaml:4:46: join-version must be from 0 to 9, not 10`},
	{"a habit in fractions", strings.Replace(good, "F1: {}", "F1: {habits: {read-timeout: 1500us}}", 1),
		`f.yaml:4:46: read-timeout must be a whole number of milliseconds, not 1500us`},
	{"habits of a kind", strings.Replace(good, "F1: {}", "F1: {habits: sarama}", 1),
		`f.yaml:4:31: habits wants a map, not "sarama" (write {key: value})`},
	{"the new protocol", strings.Replace(good, "F1: {}", "F1: {config: {group.protocol: consumer}}", 1),
		`f.yaml:4:32: not yet: roadmap 1, the new consumer protocol (KIP-848) (every group has the classic protocol)`},
	{"a key for later", good + "groups: {a: {}}\n",
		`f.yaml:5:1: not yet: several groups in one scenario (write group: {id: …})`},
	{"a group's protocol", strings.Replace(good, "my-group", "my-group, protocol: consumer", 1),
		`f.yaml:3:23: not yet: roadmap 1, the new consumer protocol (KIP-848) (every group has the classic protocol; its assignors are config: {partition.assignment.strategy: …})`},
	{"a key that has another name", good + "compare: {a: {}}\n",
		`f.yaml:5:1: unknown key "compare" (write variants: {…}, and what is expected of them in expect)`},
	{"members by number", strings.Replace(good, "F1: {}", "F1: {count: 3}", 1),
		`f.yaml:4:23: unknown key "count" (write a pattern of names: pod-{00..39})`},
	{"settings at run time", good + "timeline: [{at: 1s, set: {of: L, config: {}}}]\n",
		`f.yaml:5:21: unknown key "set" (a process has its settings from its start: write restart: {of: …, config: {…}})`},
	{"an election", good + "timeline: [{at: 1s, elect: b1}]\n",
		`f.yaml:5:21: unknown key "elect" (group: {next: […]} says who leads after a crash, and the step move: b2 makes another broker the coordinator)`},
	{"a member that is away", good + "start: {formed: {away: [F1]}}\n",
		`f.yaml:5:18: unknown key "away" (let it be a member, and its process die at once: timeline: [{at: 0s, kill: F1}])`},
	{"a variant that is a release", good + "variants: {all: {}}\n",
		`f.yaml:5:12: "all" has a meaning of its own in what is expected (take another name)`},
	{"a variant that is a number", good + "variants: {\"2 pods\": {}}\n",
		`f.yaml:5:12: "2 pods" is no name for a variant (a letter, then letters, digits, spaces, commas, dots, - and _; at most 60)`},
	{"a variant with an unknown setting", good + "variants: {a: {config: {session.timeout: 3s}}}\n",
		`f.yaml:5:25: there is no setting "session.timeout" of a consumer (did you mean "session.timeout.ms"?)`},
	{"a variant with a parameter of nothing", good + "variants: {a: {down: 3s}}\n",
		`f.yaml:5:16: no step of the timeline has down`},
	{"a variant with an unknown key", good + "variants: {a: {donw: 3s}}\n",
		`f.yaml:5:16: unknown key "donw" (did you mean "down"?)`},
	{"a variant whose session is too short", good + "variants: {a: {config: {session.timeout.ms: 2s}}}\n",
		`f.yaml:5:25: session.timeout.ms must be longer than heartbeat.interval.ms, here 3.000 s`},
	{"figures of an unknown variant", good + "variants: {eager: {}}\nexpect: {eger: {twice: 0}}\n",
		`f.yaml:6:10: there is no variant "eger" (did you mean "eager" of line 5?)`},
	{"figures of an unknown variant whose name begins as a moment", good + "variants: {at onec: {}}\nexpect: {at once: {twice: 0}}\n",
		`f.yaml:6:10: there is no variant "at once" (did you mean "at onec" of line 5?)`},
	{"an expectation of a variant that is no list", good + "variants: {eager: {}}\nexpect: {eager: {eventually: {all-served: true}}}\n",
		`f.yaml:6:18: eventually is expected in a list (begin each with "- ", and write metrics: {…} for figures beside it)`},
	{"figures of a variant without variants", good + "expect: {static: {rebalances: 0}}\n",
		`f.yaml:5:10: there is no variant "static" (the file has no variants)`},
	{"a generation that is no list", good + "expect:\n  generation 2: {handed-out: 1}\n",
		`f.yaml:6:3: expectations are a list (begin each with "- ")`},
	{"a bound by an unknown variant", good + "variants: {eager: {}, b: {}}\nexpect: {b: {twice: \"< egaer / 2\"}}\n",
		`f.yaml:6:21: there is no variant "egaer" (did you mean "eager" of line 5?)`},
	{"a bound by oneself", good + "variants: {eager: {}}\nexpect: {eager: {twice: \"< eager\"}}\n",
		`f.yaml:6:25: eager is compared with itself`},
	{"a bound without a relation", good + "variants: {a: {}, b: {}}\nexpect: {a: {twice: b}}\n",
		`f.yaml:6:21: "b" is no bound (write it like "< eager / 4")`},
	{"a bound over nothing", good + "variants: {a: {}, b: {}}\nexpect: {a: {twice: \"< b / 0\"}}\n",
		`f.yaml:6:21: "< b / 0": a variant's figure is taken times, or over, a number from 1 to 1000 (write it like "< eager / 4")`},
	{"a window to an unknown mark", good + "measure: {from: deploy}\n",
		`f.yaml:5:17: there is no mark "deploy"`},
	{"measure says nothing", good + "measure: {}\n",
		`f.yaml:5:10: "measure" says nothing`},
	{"negative time", good + "timeline:\n  - {at: -5s, kill: L}\n",
		`f.yaml:6:10: "-5s" is negative: a length of time is 0s or more`},
	{"time without unit", good + "timeline:\n  - {at: 5, kill: L}\n",
		`f.yaml:6:10: "5" is not a length of time: it has no unit (write it like 250ms, 45s, 1m30s or 2h)`},
	{"time of a clock", good + "timeline:\n  - {at: 1:30, kill: L}\n",
		`f.yaml:6:10: "1:30" is not a length of time: a clock's time is not one, and YAML makes a number of it (write it like 250ms, 45s, 1m30s or 2h)`},
	{"kafka 0.10", good + "kafka: 0.10\n",
		`f.yaml:5:8: 0.10 is a number to YAML, and no release of Kafka (write "0.10.2")`},
	{"kafka 3.10", good + "kafka: 3.10\n",
		`f.yaml:5:8: 3.10 is a number to YAML, and no release of Kafka`},
	{"kafka of the future", good + "kafka: 7.0.0\n",
		`f.yaml:5:8: no Kafka 7.0.0 is known: write one from 0.9.0.0 to 4.0-2024-10`},
	{"a name that is false", strings.Replace(good, "F2", "no", 1),
		`f.yaml:4:26: no is false to YAML (write "no", with the quotes)`},
	{"on for true", strings.Replace(good, "F1: {}", "F1: {config: {enable.auto.commit: on}}", 1),
		`f.yaml:4:52: "on" is neither true nor false (write true)`},
	{"no space after the colon", strings.Replace(good, "about: a", "about:a", 1),
		`f.yaml:1:1: a key without ":" after it: "about:a test" (write a space after the colon of "about")`},
	{"no space after the colon, in braces", strings.Replace(good, "partitions: 8", "partitions:8", 1),
		"f.yaml:2:18: orders lacks the key \"partitions\"\n" +
			`f.yaml:2:19: unknown key "partitions:8" (write a space after the colon of "partitions")`},
	{"open brace", strings.Replace(good, "8}}", "8}", 1),
		`f.yaml:2:9: this "{" is not closed`},
	{"open quote", strings.Replace(good, "my-group", `"my-group`, 1),
		`f.yaml:3:13: this quote is not closed`},
	{"wrong bracket", strings.Replace(good, "8}}", "8]}", 1),
		`f.yaml:2:32: this "]" closes nothing: a "{" is open, from line 2 column 18`},
	{"tab", strings.Replace(good, "about: ", "about:\t", 1),
		`f.yaml:1:7: a tab (YAML wants spaces)`},
	{"releases without quotes", good + "expect:\n  >=3.4:\n    - never: {state: Empty}\n",
		`f.yaml:6:3: no value begins with ">" (a text that begins with ">" needs quotes)`},
	{"glob without quotes", good + "timeline:\n  - {at: 1s, kill: *}\n",
		`f.yaml:6:20: anchors (&name) and aliases (*name) are not read here (a text that begins with "*" needs quotes)`},
	{"pattern within braces", strings.Replace(good, "F2", "pod-{00..39}", 1),
		`f.yaml:4:26: a "{" within a text (names with braces need quotes within braces)`},
	{"too many members", strings.Replace(good, "F2", `"p{1..1000000000}"`, 1),
		`f.yaml:4:26: "p{1..1000000000}" stands for 1000000000 names: at most 10000`},
	{"too many partitions", strings.Replace(good, "8", "1000000000", 1),
		`f.yaml:2:31: partitions must be from 1 to 100000, not 1000000000`},
	{"anchor", strings.Replace(good, "F1: {}, F2: {}", "F1: &a {}, F2: *a", 1),
		"f.yaml:4:22: anchors (&name) and aliases (*name) are not read here (write the value out; a text that begins with \"*\" or \"&\" needs quotes)\n" +
			"f.yaml:4:33: anchors (&name) and aliases (*name) are not read here (write the value out; a text that begins with \"*\" or \"&\" needs quotes)"},
	{"merge key", strings.Replace(good, "F1: {}", "F1: {<<: {}}", 1),
		`f.yaml:4:23: merge keys (<<) are not read here (write the keys out)`},
	{"tag", strings.Replace(good, "8", "!!int 8", 1),
		`f.yaml:2:31: tags (!name) are not read here (a text that begins with "!" needs quotes)`},
	{"an impossible beginning", good + "start:\n  formed: {leader: L, lost-answers: {L: JoinGroup}}\n",
		`f.yaml:6:41: the group cannot be Stable if its leader did not learn that it leads: nobody has assigned anything (only the leader's SyncGroup answer can be lost in Stable)`},
	{"two actions", good + "timeline:\n  - {at: 1s, kill: L, close: F1}\n",
		`f.yaml:6:20: a step does one thing: this one has close and kill (make it two steps)`},
	{"release without hold", good + "timeline:\n  - {at: 1s, hold: L.SyncGroup#1}\n  - {at: 2s, release: L.SyncGroup#2}\n",
		`f.yaml:7:23: no step above holds "L.SyncGroup#2" (did you mean "L.SyncGroup#1"?)`},
	{"session shorter than the heartbeat", strings.Replace(good, "F1: {}", "F1: {config: {session.timeout.ms: 2000}}", 1),
		`f.yaml:4:32: session.timeout.ms must be longer than heartbeat.interval.ms, here 3.000 s`},
	{"expectations that are no list", good + "expect:\n  F1.JoinGroup#1: {answered: at once}\n",
		`f.yaml:6:3: expectations are a list (begin each with "- ")`},
	{"releases that are none", good + "expect:\n  \">=5.0\": []\n",
		`f.yaml:6:3: ">=5.0" says no releases: no Kafka 5.0 is known: write one from 0.9.0.0 to 4.0-2024-10 (write it like ">=3.4", "<0.11", "2.2..3.3" or "client >=3.4"; "all" for every release, "… except …" to leave some out)`},
	{"a partition too many", good + "expect:\n  - in the end: {holds: {L: [orders-8]}}\n",
		`f.yaml:6:30: orders of line 2 has the partitions 0 to 7, not 8`},
	{"two ends", good + "end: {at: 10s, at-most: 1m}\n",
		`f.yaml:5:25: the run ends at a given moment, so at-most has no meaning`},
	{"a step after the end", good + "end: {at: 10s}\ntimeline: [{at: 10s, kill: L}]\n",
		`f.yaml:6:17: the run is over by then: it lasts 10.000 s at most (see end)`},
	{"settled for longer than all", good + "end: {settled-for: 1h, at-most: 1m}\n",
		`f.yaml:5:20: settled-for is longer than the run may last (at-most)`},
	{"no members", strings.Replace(good, "{L: {}, F1: {}, F2: {}}", "{}", 1),
		`f.yaml:4:10: members has nobody (write {C1: {}, C2: {}})`},
	{"no topics", strings.Replace(good, "{orders: {partitions: 8}}", "", 1),
		`f.yaml:2:8: topics has no topic (write {orders: {partitions: 8}})`},
	{"a topic without partitions", strings.Replace(good, "{partitions: 8}", "", 1),
		`f.yaml:2:10: orders lacks the key "partitions"`},
	{"the same name twice", strings.Replace(good, "F1: {}", `"F{1..2}": {}`, 1),
		`f.yaml:4:33: the name "F2" is taken already`},
	{"a name with a meaning", strings.Replace(good, "F1", "all", 1),
		`f.yaml:4:18: "all" has a meaning of its own in the language (take another name)`},
	{"a timeline that is no list", good + "timeline: {at: 1s, kill: L}\n",
		`f.yaml:5:11: timeline wants a list, not a map (write [a, b])`},
	{"a step that does nothing", good + "timeline: [{at: 1s}]\n",
		`f.yaml:5:12: this step does nothing`},
	{"it without a message", good + "timeline: [{when: {group: Stable}, hold: it}]\n",
		`f.yaml:5:42: nothing says which message "it" is (write "when: {message: L.SyncGroup#1}")`},
	{"an event that is no message", good + "timeline: [{at: 1s, hold: F1.revoked#1}]\n",
		`f.yaml:5:27: "F1.revoked#1" is not a message (write it like L.SyncGroup#1 or F1.JoinGroup.answer)`},
	{"every without when", good + "timeline: [{at: 1s, every: true, kill: L}]\n",
		`f.yaml:5:28: every: true goes with when (with at, say how long after: every: 10s)`},
	{"a mark that is not set", good + "expect: [in the end: {generation: +1 since deploy}]\n",
		`f.yaml:5:35: there is no mark "deploy"`},
	{"a formed group without its leader", good + "start: {formed: {leader: F2, members: [L, F1]}}\n",
		`f.yaml:5:26: the leader F2 is not a member of the formed group`},
	{"a leader of nobody", good + "start: {formed: {state: Empty, leader: L, members: [L, F1]}}\n",
		"f.yaml:5:40: a group that is Empty has no members, and so no leader (leave it out)\n" +
			`f.yaml:5:52: a group that is Empty has no members, and so no members (leave it out)`},
	{"a formed group that is dead", good + "start: {formed: {state: Dead}}\n",
		`f.yaml:5:25: a group that is Dead is not there (leave out start)`},
	{"an offset below 0", good + "start: {formed: {offsets: {orders-0: -1}}}\n",
		`f.yaml:5:38: orders-0 must be from 0 to 1125899906842624, not -1`},
	{"an offset of no partition", good + "start: {formed: {offsets: {orders: 1}}}\n",
		`f.yaml:5:28: "orders" is not a partition (write it like orders-3)`},
	{"an offset of a topic to come", strings.Replace(good, "8}", "8, created: never}", 1) + "start: {formed: {offsets: {orders-0: 1}}}\n",
		`f.yaml:5:28: orders-0 is not there when the run begins`},
	{"no offsets", good + "start: {formed: {offsets: {}}}\n",
		`f.yaml:5:27: "offsets" says nothing`},
	{"racks of fewer partitions", strings.Replace(good, "8}", "2, racks: [east]}", 1),
		`f.yaml:2:41: orders has 2 partitions, and racks of 1 are given (write a list for each: [[east, west], [west]])`},
	{"racks and replicas", strings.Replace(good, "8}", "1, racks: [east], replicas: 1}", 1),
		`f.yaml:2:41: where its replicas are is said by racks, or by the brokers' racks and replicas (leave one of them out)`},
	{"a formed member with a start", strings.Replace(good, "F1: {}", "F1: {start: 5s}", 1) + "start: {formed: {members: [L, F1]}}\n",
		`f.yaml:5:17: F1 is in the formed group, so it has no start of its own`},
	{"a subscription and partitions", strings.Replace(good, "F1: {}", "F1: {subscribe: [orders], assign: [orders-0]}", 1),
		`f.yaml:4:52: a consumer that takes partitions by itself cannot subscribe (leave one of them out)`},
	{"no partition", strings.Replace(good, "F1: {}", "F1: {assign: [orders]}", 1),
		`f.yaml:4:32: "orders" is not a partition (write it like orders-3)`},
	{"a formed member that takes partitions", strings.Replace(good, "F1: {}", "F1: {assign: [orders-0]}", 1) + "start: {formed: {members: [L, F1]}}\n",
		`f.yaml:5:27: F1 takes partitions by itself: it is in no group`},
	{"a pattern that is none", strings.Replace(good, "F1: {}", "F1: {subscribe: {pattern: \"(x\"}}", 1),
		"f.yaml:4:44: \"(x\" is not a regular expression: error parsing regexp: missing closing ): `(x`"},
	{"at once, and waits", good + "expect: [F1.JoinGroup#1: {answered: at once, waits: true}]\n",
		`f.yaml:5:37: a request that is answered at once does not fit to "waits"`},
	{"an unknown assignor", strings.Replace(good, "F1: {}", "F1: {config: {partition.assignment.strategy: stiky}}", 1),
		`f.yaml:4:63: there is no assignor "stiky" (did you mean "sticky"?)`},
	{"an empty step", good + "timeline:\n  - # {at: 1s}\n",
		`f.yaml:6:4: this step does nothing`},
	{"a program's word", strings.Replace(good, "F1: {}", "F1: {program: {on-stop: exit}}", 1),
		`f.yaml:4:42: on-stop is close, close-in-turn or kill, not "exit" (known: close, close-in-turn, kill)`},
	{"a program's callback", strings.Replace(good, "F1: {}", "F1: {program: {on-revoked: commit}}", 1),
		`f.yaml:4:45: on-revoked wants a map, or a list of maps, not "commit" (write {takes: 2s})`},
	{"a callback's key", strings.Replace(good, "F1: {}", "F1: {program: {on-revoked: {sleep: 2s}}}", 1),
		`f.yaml:4:46: unknown key "sleep" (known: pause, commit, takes, throws)`},
	{"a list of callbacks", strings.Replace(good, "F1: {}", "F1: {program: {on-lost: [{}, {takes: long}]}}", 1),
		`f.yaml:4:55: "long" is not a length of time: a number is missing (write it like 250ms, 45s, 1m30s or 2h)`},
	{"no records in a batch", strings.Replace(good, "F1: {}", "F1: {program: {batch: 0}}", 1),
		`f.yaml:4:40: batch must be from 1 to 2147483647, not 0`},
	{"a commit style", strings.Replace(good, "F1: {}", "F1: {program: {commit: after batch}}", 1),
		`f.yaml:4:41: commit is never, sync after batch, async after batch or sync before batch, not "after batch" (did you mean "sync after batch"?)`},
	{"topics and pattern", good + "timeline: [{at: 1s, subscribe: {of: L, topics: [orders], pattern: x}}]\n",
		`f.yaml:5:67: a subscription is to topics or to a pattern`},
	{"a subscription to nothing", good + "timeline: [{at: 1s, subscribe: {of: L}}]\n",
		`f.yaml:5:32: this subscribes to nothing (write topics or pattern; or unsubscribe: …)`},
	{"a topic that is created twice", good + "timeline: [{at: 1s, create-topic: orders}]\n",
		`f.yaml:5:35: orders is there already (give it created: never, on line 2)`},
	{"a topic's creation", strings.Replace(good, "partitions: 8", "partitions: 8, created: later", 1),
		`f.yaml:2:43: created is never, not "later" (known: never)`},
	{"more replicas than brokers", strings.Replace(good, "partitions: 8", "partitions: 8, replicas: 2", 1),
		`f.yaml:2:44: there are 1 brokers, too few for 2 replicas`},
	{"fewer partitions", good + "timeline: [{at: 1s, add-partitions: {topic: orders, to: 8}}]\n",
		`f.yaml:5:57: orders has 8 partitions already (see line 2)`},
	{"partitions without number", good + "timeline: [{at: 1s, add-partitions: {topic: orders}}]\n",
		`f.yaml:5:37: add-partitions lacks the key "to"`},
	{"deletion of an unknown topic", good + "timeline: [{at: 1s, delete-topic: order}]\n",
		`f.yaml:5:35: there is no topic "order" (did you mean "orders" of line 2?)`},
	{"crash of a member", good + "timeline: [{at: 1s, crash: F1}]\n",
		`f.yaml:5:28: F1 is a member, and a broker is wanted`},
	{"crash without broker", good + "timeline: [{at: 1s, crash: {elected-after: 1s}}]\n",
		`f.yaml:5:28: crash lacks the key "broker"`},
	{"crash with a wrong key", good + "timeline: [{at: 1s, crash: {broker: b1, elected: 1s}}]\n",
		`f.yaml:5:41: unknown key "elected" (did you mean "elected-after"?)`},
	{"move to nowhere", good + "timeline: [{at: 1s, move: {load-takes: 1s}}]\n",
		`f.yaml:5:27: move lacks the key "to"`},
	{"a load of half a millisecond", good + "timeline: [{at: 1s, move: {to: b1, load-takes: 500us}}]\n",
		`f.yaml:5:48: load-takes must be a whole number of milliseconds, not 500us`},
	{"a log without error", good + "timeline: [{at: 1s, fail-log: {for: 1s}}]\n",
		`f.yaml:5:31: fail-log lacks the key "error"`},
	{"a log that fails with nothing", good + "timeline: [{at: 1s, fail-log: {error: none}}]\n",
		`f.yaml:5:39: an append that is not refused does not fail`},
	{"a log that fails with something unknown", good + "timeline: [{at: 1s, fail-log: {error: NOT_ENOUGH_REPLICA}}]\n",
		`f.yaml:5:39: there is no error "NOT_ENOUGH_REPLICA" (did you mean "NOT_ENOUGH_REPLICAS"?)`},
	{"members and brokers at once", good + "timeline: [{at: 1s, restart: [F1, b1]}]\n",
		`f.yaml:5:35: b1 is a broker, and a member is wanted`},
	{"a roll without anybody", good + "timeline: [{at: 1s, rolling-restart: {down: 1s}}]\n",
		`f.yaml:5:38: rolling-restart lacks the key "of"`},
	{"a roll's readiness", good + "timeline: [{at: 1s, rolling-restart: {of: L, next-when: started}}]\n",
		`f.yaml:5:57: "started" is not a length of time: a number is missing (write it like 250ms, 45s, 1m30s or 2h)`},
	{"a roll of none at a time", good + "timeline: [{at: 1s, rolling-restart: {of: L, at-a-time: 0}}]\n",
		`f.yaml:5:57: at-a-time must be from 1 to 10000, not 0`},
	{"a roll that is not one by one", good + "timeline: [{at: 1s, rolling-restart: {of: L, one-by-one: false}}]\n",
		`f.yaml:5:58: a rolling restart is one by one (say how many at once: at-a-time: 2; restart stops them all)`},
	{"a roll one by one, two at a time", good + "timeline: [{at: 1s, rolling-restart: {of: L, one-by-one: true, at-a-time: 2}}]\n",
		`f.yaml:5:58: at-a-time says how many are on their way at once (leave one of them out)`},
	{"a range that ends before it begins", good + "timeline: [{at: 1s, restart: {of: L, down: 15s..8s}}]\n",
		`f.yaml:5:44: the range "15s..8s" ends before it begins`},
	{"a broker's setting for a member", good + "timeline: [{at: 1s, restart: {of: L, config: {group.max.size: 3}}}]\n",
		`f.yaml:5:47: group.max.size is a broker's setting, not a consumer's`},
	{"a broker that subscribes", good + "timeline: [{at: 1s, restart: {of: b1, subscribe: orders}}]\n",
		`f.yaml:5:50: brokers subscribe to nothing`},
	{"a deploy of who runs", good + "timeline: [{at: 1s, deploy: {of: L, by: F1}}]\n",
		`f.yaml:5:41: F1 runs already (give it start: never, on line 4)`},
	{"a deploy of fewer", strings.Replace(good, "F2: {}", "N: {start: never}", 1) + "timeline: [{at: 1s, deploy: {of: [L, F1], by: N}}]\n",
		`f.yaml:5:47: 2 members go, and only 1 come (see line 4)`},
	{"a deploy in one's own place", strings.Replace(good, "F2: {}", "N: {start: never}", 1) + "timeline: [{at: 1s, deploy: {of: N, by: N}}]\n",
		`f.yaml:5:41: N cannot come in its own place`},
	{"more members than there are", good + "timeline: [{at: 1s, scale: {of: \"F*\", to: 3}}]\n",
		`f.yaml:5:43: there are 2 of them, not 3 (declare more, with start: never; see line 4)`},
	{"a scale without number", good + "timeline: [{at: 1s, scale: {of: \"F*\"}}]\n",
		`f.yaml:5:28: scale lacks the key "to"`},
	{"slow for half a millisecond", good + "timeline: [{at: 1s, slow: {of: L, for: 500us}}]\n",
		`f.yaml:5:40: for must be a whole number of milliseconds, not 500us`},
	{"a cut's way", good + "timeline: [{at: 1s, cut: {of: L, way: in}}]\n",
		`f.yaml:5:39: way is both, to or from, not "in" (known: both, to, from)`},
	{"a cut from oneself", good + "timeline: [{at: 1s, cut: {of: L, from: L}}]\n",
		`f.yaml:5:26: L has no connection to itself`},
	{"a cut of nobody", good + "timeline: [{at: 1s, cut: {from: b1}}]\n",
		`f.yaml:5:26: cut lacks the key "of"`},
	{"a heal of nobody known", good + "timeline: [{at: 1s, heal: X}]\n",
		`f.yaml:5:27: there is no member or broker "X" (the first member or broker is on line 4)`},
	{"a latency that is not said", good + "timeline: [{at: 1s, latency: {of: L}}]\n",
		`f.yaml:5:30: latency lacks the key "is"`},
	{"a share of more than all", good + "timeline: [{at: 1s, drop: {message: \"*.Heartbeat\", share: 120%}}]\n",
		`f.yaml:5:59: "120%" is not a share (write it like 5% or 0.5%: from 0.1% to 100%)`},
	{"a share without sign", good + "timeline: [{at: 1s, drop: {message: \"*.Heartbeat\", share: 0.1}}]\n",
		`f.yaml:5:59: "0.1" is not a share (write it like 5% or 0.5%: from 0.1% to 100%)`},
	{"a delay by nothing", good + "timeline: [{at: 1s, delay: {message: L.SyncGroup}}]\n",
		`f.yaml:5:28: delay lacks the key "by"`},
	{"a commit of nobody", good + "timeline: [{at: 1s, commit: {async: true}}]\n",
		`f.yaml:5:29: commit lacks the key "of"`},
	{"for ever", good + "timeline: [{at: 1s, every: 1s, disconnect: L}]\n",
		`f.yaml:5:28: this step happens for ever, so the run never settles (say how many times, or end the run: end: {at: …})`},
	{"again after no time", good + "timeline: [{at: 1s, every: 0s, times: 2, disconnect: L}]\n",
		`f.yaml:5:28: a step cannot happen again after no time`},
	{"times without every", good + "timeline: [{at: 1s, times: 2, disconnect: L}]\n",
		`f.yaml:5:28: times goes with every`},
	{"times with when", good + "timeline: [{when: F1.started#1, times: 2, every: true, disconnect: L}]\n",
		`f.yaml:5:40: times goes with at`},
	{"a time and a trigger", good + "timeline: [{at: 1s, when: F1.started#1, disconnect: L}]\n",
		`f.yaml:5:27: a step has either a time (at) or a trigger (when)`},
	{"something parked that never is", good + "timeline: [{when: {parked: {Heartbeat: L}}, kill: L}]\n",
		`f.yaml:5:29: unknown key "Heartbeat" (known: JoinGroup, SyncGroup)`},
	{"a coordinator to come", strings.Replace(good, "my-group", "my-group, next: [b2]", 1),
		`f.yaml:3:30: there is no broker "b2" (the file has no brokers, so there is b1 alone)`},
	{"a broker's release", good + "brokers: {b1: {kafka: 9.9}}\n",
		`f.yaml:5:23: no Kafka 9.9 is known: write one from 0.9.0.0 to 4.0-2024-10`},
	{"a log that takes half a millisecond", good + "brokers: {b1: {log-takes: 500us}}\n",
		`f.yaml:5:27: log-takes must be a whole number of milliseconds, not 500us`},
	{"exceptions that are none", good + "expect:\n  \"all except 9.9\":\n    - never: {state: Dead}\n",
		`f.yaml:6:3: "all except 9.9" says no releases: no Kafka 9.9 is known: write one from 0.9.0.0 to 4.0-2024-10 (write it like ">=3.4", "<0.11", "2.2..3.3" or "client >=3.4"; "all" for every release, "… except …" to leave some out)`},
	{"a broker that is closed", good + "timeline: [{at: 1s, close: b1}]\n",
		`f.yaml:5:28: b1 is a broker, and a member is wanted`},
	{"two mistakes", strings.Replace(good, "8", "0", 1) + "latency: 5\n",
		"f.yaml:2:31: partitions must be from 1 to 100000, not 0\n" +
			`f.yaml:5:10: "5" is not a length of time: it has no unit (write it like 250ms, 45s, 1m30s or 2h)`},
	{"a document of nothing", "---", `f.yaml:1:1: a scenario is a map of keys, not nothing (begin with "about: …")`},
	{"nothing", "# only a comment\n", `f.yaml:1:1: there is nothing in the file`},
	{"a list", "- about: x\n", `f.yaml:1:1: a scenario is a map of keys, not a list (begin with "about: …")`},
	{"not UTF-8", "about: \xff\n", `f.yaml:1:8: this is not UTF-8 (save the file as UTF-8 text)`},
	{"control character", "about: \x00\n", `f.yaml:1:8: the control character U+0000 (take it out)`},
}

// quickly is how long a refusal may take on a busy machine; on an idle one the slowest takes
// 50 ms. What grows with a power of its input is far beyond.
const quickly = time.Second

// timedLoad loads a text and says how long that takes: the best of a few tries, since
// the machine may be busy with something else.
func timedLoad(text string) (best time.Duration, err error) {
	for range 5 {
		begin := time.Now()
		_, err = Load("f.yaml", []byte(text))
		if took := time.Since(begin); best == 0 || took < best {
			best = took
		}
		if best < 10*time.Millisecond {
			break
		}
	}
	return best, err
}

func TestMalformed(t *testing.T) {
	if _, err := Load("good.yaml", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range malformed {
		t.Run(c.name, func(t *testing.T) {
			took, err := timedLoad(c.text)
			if err == nil {
				t.Fatal("it was taken")
			}
			if err.Error() != c.want {
				t.Errorf("got\n%s\nwant\n%s", err, c.want)
			}
			if took > quickly {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// hostile are texts that are made to cost time or memory.
var hostile = []struct {
	name string
	text string
	want string // a part of what is said
}{
	{"5 MB", "about: " + strings.Repeat("x", 5<<20), "f.yaml: the file is larger than 256 KiB"},
	{"depth 10,000 of lists", "about: " + strings.Repeat("[", 10_000), "f.yaml:1:508: more than 32 maps and lists within each other"},
	{"depth 10,000 of maps", "about: " + strings.Repeat("{a: ", 10_000) + "b" + strings.Repeat("}", 10_000), "more than 32 maps and lists within each other"},
	{"depth 10,000 of dashes", "about:\n  " + strings.Repeat("- ", 10_000) + "x", "more than 32 maps and lists within each other"},
	{"depth 10,000 of question marks", strings.Repeat("? ", 10_000) + "x", "more than 32 maps and lists within each other"},
	{"depth 600 of indentation", stairs(600), "more than 32 maps and lists within each other"},
	{"depth 33", "about: " + strings.Repeat("[", 33) + strings.Repeat("]", 33), "f.yaml:1:39: more than 32 maps and lists within each other"},
	{"alias bomb", aliasBomb(), "anchors (&name) and aliases (*name) are not read here"},
	{"19,000 keys", manyKeys(19_000), "unknown key"},
	{"19,000 unknown members", good + "timeline:\n  - {kill: [" + strings.Repeat("Lx, ", 19_000) + "]}\n", "there is no member"},
	{"120,000 colons", "a" + strings.Repeat(": ", 120_000), ""},
	{"250,000 question marks", strings.Repeat("?", 250_000), ""},
	{"250,000 quotes", strings.Repeat("\"", 250_000), ""},
	{"250,000 stars", "about: " + strings.Repeat("*", 250_000), ""},
	{"120,000 comments", strings.Repeat("#\n", 120_000), ""},
	{"120,000 empty lines in braces", "{" + strings.Repeat("\n ", 120_000), ""},
	{"80,000 commas", "a: [" + strings.Repeat("a, ", 80_000) + "]", "more than 20000 commas and lines"},
	{"19,000 commas", "a: [" + strings.Repeat("a, ", 19_000) + "]", ""},
	{"120,000 open maps and lists", strings.Repeat("[{", 120_000), ""},
	{"120,000 pairs", strings.Repeat("[]", 120_000), ""},
	{"10 members of 10,000 each", strings.Replace(good, "F2: {}", patterns(10), 1), "more than 10000 members"},
	{"a bad line at the end of a long file", good + strings.Repeat("# a comment to make it long\n", 2000) + "  x: y: z\n", ""},
}

func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%sa:\n", strings.Repeat(" ", i))
	}
	return b.String()
}

func aliasBomb() string {
	s := "about: &a0 [x, x]\n"
	for i := 1; i < 30; i++ {
		s += fmt.Sprintf("k%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return s
}

func manyKeys(n int) string {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	return b.String()
}

func patterns(n int) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(`"p%d-{0..9999}": {}`, i))
	}
	return strings.Join(parts, ", ")
}

func TestHostile(t *testing.T) {
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			took, err := timedLoad(c.text)
			var list Errors
			if !errors.As(err, &list) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got\n%s\nwant\n%s", err, c.want)
			}
			for _, e := range list {
				if len(e.Error()) > 500 {
					t.Errorf("a message of %d bytes", len(e.Error()))
				}
			}
			if took > quickly {
				t.Errorf("it took %v", took)
			}
			t.Logf("%v: %s", took, list[0])
		})
	}
}

// What stands in comments behind a scenario, as in the file of a saved run, does not count.
func TestLastCommentsMayBeLong(t *testing.T) {
	long := strings.Repeat("#: latency c1->b1 0=117/3000\n", 20_000)
	if _, err := Load("f.yaml", []byte(good+"\n"+long)); err != nil {
		t.Error(err)
	}
	for _, text := range []string{long + good, good + long + "start: {}\n"} {
		if _, err := Load("f.yaml", []byte(text)); err == nil || err.Error() != "f.yaml: the file is larger than 256 KiB" {
			t.Errorf("got %v", err)
		}
	}
}
