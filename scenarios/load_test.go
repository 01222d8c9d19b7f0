package scenarios

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/check"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

func load(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Load("dir/test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDefaults(t *testing.T) {
	s := load(t, good)
	if s.Name != "test" || s.File != "dir/test.yaml" || s.About != "a test" {
		t.Errorf("got %q %q %q", s.Name, s.File, s.About)
	}
	def := protocol.MustRelease(protocol.Default)
	if s.Kafka != (Kafka{def, def}) || s.Latency != (Span{Min: sim.Millisecond, Max: sim.Millisecond}) {
		t.Errorf("got %v, %v", s.Kafka, s.Latency)
	}
	if len(s.Brokers) != 1 || s.Brokers[0].Name != "b1" {
		t.Errorf("got brokers %v", s.Brokers)
	}
	if s.Formed != nil || s.End != (End{SettledFor: 5 * sim.Second, AtMost: sim.Hour}) {
		t.Errorf("got %v, %v", s.Formed, s.End)
	}
	m := s.Members[2]
	if len(s.Members) != 3 || m.Name != "F2" || m.Pos != (Pos{4, 26}) || m.HasKafka || m.Never || m.Start != 0 ||
		!reflect.DeepEqual(m.Program, Program{Poll: 100 * sim.Millisecond}) || !slices.Equal(m.Topics, []string{"orders"}) {
		t.Errorf("got %+v", m)
	}
}

func TestMembers(t *testing.T) {
	s := load(t, `
about: a test
kafka: {broker: 2.8.0, client: "3.9"}
brokers: {"b{1..2}": {config: {offsets.retention.minutes: 1440, group.max.size: 7}}, c: {rack: r1}}
topics: {orders: {partitions: 3, rate: 10/m, leader: c}, other: {partitions: 1}}
group:
  id: "42"
  coordinator: b2
  config: {session.timeout.ms: 10000, heartbeat.interval.ms: 1s, group.instance.id: "i-{name}"}
  program: {commit: sync after batch}
members:
  pod-{08..10}: {config: {session.timeout.ms: 20s, heartbeat.interval.ms: unset}, kafka: 2.8.1, start: 5s, program: {per-batch: 1s..2s, on-stop: kill}}
  plain:
  late: {start: never, subscribe: other, config: {partition.assignment.strategy: "org.apache.kafka.clients.consumer.RangeAssignor, sticky"}}
`[1:])
	var names []string
	for _, m := range s.Members {
		names = append(names, m.Name)
	}
	if !slices.Equal(names, []string{"pod-08", "pod-09", "pod-10", "plain", "late"}) {
		t.Fatalf("got %v", names)
	}
	pod, plain, late := s.Members[1], s.Members[3], s.Members[4]
	if pod.Config.Millis("session.timeout.ms", 0) != 20_000 || pod.Config.Millis("heartbeat.interval.ms", -1) != -1 ||
		pod.Config.Text("group.instance.id", "") != "i-pod-09" || pod.Kafka.String() != "2.8.1" || !pod.HasKafka || pod.Start != 5*sim.Second {
		t.Errorf("got %+v", pod)
	}
	if !reflect.DeepEqual(pod.Program, Program{Poll: 100 * sim.Millisecond, PerBatch: Span{Min: sim.Second, Max: 2 * sim.Second}, Commit: CommitSyncAfterBatch, OnStop: StopKill}) {
		t.Errorf("got %+v", pod.Program)
	}
	if plain.Config.Millis("session.timeout.ms", 0) != 10_000 || plain.Config.Text("group.instance.id", "") != "i-plain" {
		t.Errorf("got %+v", plain)
	}
	if !late.Never || !slices.Equal(late.Topics, []string{"other"}) ||
		!slices.Equal(late.Config.Texts("partition.assignment.strategy", nil), []string{"range", "sticky"}) {
		t.Errorf("got %+v", late)
	}
	b := s.Brokers[1]
	if b.Name != "b2" || b.Config.Millis("offsets.retention.minutes", 0) != 24*3600*1000 || b.Config.Number("group.max.size", 0) != 7 || s.Brokers[2].Rack != "r1" {
		t.Errorf("got %+v", s.Brokers)
	}
	if s.Topics[0].Rate != (Rate{10, sim.Minute}) || s.Topics[0].Leader != "c" || s.Group.ID != "42" || s.Group.Coordinator != "b2" {
		t.Errorf("got %+v %+v", s.Topics, s.Group)
	}
}

func TestTimeline(t *testing.T) {
	s := load(t, good+`
timeline:
  - arrive: {request: JoinGroup, order: [F1, L], gap: 50ms}
  - {at: 1s, mark: begin, kill: "F*"}
  - {when: {message: L.SyncGroup#1}, hold: it}
  - {when: {group: Stable, generation: 3, members: 2, parked: {SyncGroup: F1}}, after: 2s, every: true, release: L.SyncGroup#1}
  - {when: F1.revoked#2, delay: {message: "*.JoinGroup#2..3.answer", by: 1s}}
  - {at: 2s, lose: F1.SyncGroup}
  - {at: 2s, disconnect: L}
  - {at: 2s, enforce-rebalance: {of: [L, F1], reason: why}}
  - {at: 3s, release: all}
`)
	want := []Step{
		{Do: Arrive{protocol.KindJoinGroup, []string{"F1", "L"}, 50 * sim.Millisecond}},
		{At: sim.Second, Mark: "begin", Do: Kill{[]string{"F1", "F2"}}},
		{When: &Trigger{Event: EventName{Node: "L", Verb: VerbRequest, Request: protocol.KindSyncGroup, First: 1, Last: 1}},
			Do: Hold{EventName{Node: "L", Verb: VerbRequest, Request: protocol.KindSyncGroup, First: 1, Last: 1}, true}},
		{When: &Trigger{State: protocol.Stable, Generation: 3, Members: 2, Parked: []Parked{{protocol.KindSyncGroup, []string{"F1"}}}},
			After: 2 * sim.Second, Every: true, Do: Release{2}},
		{When: &Trigger{Event: EventName{Node: "F1", Verb: VerbRevoked, First: 2, Last: 2}},
			Do: Delay{EventName{Node: "*", Verb: VerbAnswer, Request: protocol.KindJoinGroup, First: 2, Last: 3}, false, sim.Second, 0}},
		{At: 2 * sim.Second, Do: Drop{EventName{Node: "F1", Verb: VerbRequest, Request: protocol.KindSyncGroup}, false, true, 0}},
		{At: 2 * sim.Second, Do: Disconnect{Of: "L"}},
		{At: 2 * sim.Second, Do: EnforceRebalance{[]string{"L", "F1"}, "why"}},
		{At: 3 * sim.Second, Do: Release{-1}},
	}
	if len(s.Timeline) != len(want) {
		t.Fatalf("got %d steps", len(s.Timeline))
	}
	if text := s.Timeline[1].Text; text != `at: 1s, mark: begin, kill: "F*"` {
		t.Errorf("the text is %s", text)
	}
	for i, got := range s.Timeline {
		if got.Pos.Line != 7+i {
			t.Errorf("step %d is on line %d", i, got.Pos.Line)
		}
		got.Pos, got.Text = Pos{}, ""
		if got.When != nil {
			got.When.Pos = Pos{}
		}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("step %d: got\n%+v %+v, want\n%+v %+v", i, got, got.When, want[i], want[i].When)
		}
	}
}

func TestExpectations(t *testing.T) {
	s := load(t, good+`
timeline: [{at: 1s, mark: deploy}]
expect:
  "all":
    - F1.JoinGroup#1: {answered: at once, in: Stable, generation: +1 since deploy, members: none, error: MEMBER_ID_REQUIRED, at: 1s..2s}
    - L.JoinGroup#2: {moves: Stable -> PreparingRebalance, waits: true, answered with: F1.JoinGroup#2, leader: L, members: all}
    - F2.SyncGroup#1: {moves: nothing, waits: false, partitions: [orders-1]}
  ">=2.2, client <3.4":
    - in the end: {state: Stable, generation: 2..3, members: [L, F1], holds: {L: 3, F1: none}}
    - never: {state: Empty, error: none}
    - order: [L.JoinGroup#1, b1.group.Stable#2]
    - count: {"*.JoinGroup": ">= 2", F1.crashed: 0}
`)
	join := func(node string, n uint32) EventName {
		return EventName{Node: node, Verb: VerbRequest, Request: protocol.KindJoinGroup, First: n, Last: n}
	}
	sync := join("F2", 1)
	sync.Request = protocol.KindSyncGroup
	want := []Expected{
		&ExpectEvent{Event: join("F1", 1), Answered: AnsweredAtOnce, In: protocol.Stable, Members: &Members{}, HasError: true, Error: protocol.MemberIDRequired,
			Generation: &Number{Min: 1, Max: 1, Relative: true, Since: "deploy"}, HasAt: true, At: Span{Min: sim.Second, Max: 2 * sim.Second}},
		&ExpectEvent{Event: join("L", 2), Waits: Yes, With: join("F1", 2), MovesFrom: protocol.Stable, MovesTo: protocol.PreparingRebalance,
			Leader: "L", Members: &Members{Count: 3}},
		&ExpectEvent{Event: sync, Waits: No, Stays: true, Partitions: &Partitions{List: []protocol.TopicPartition{{Topic: "orders", Partition: 1}}, Count: 1}},
		&ExpectMoment{How: check.How{State: protocol.Stable, Generation: &Number{Min: 2, Max: 3}, Members: &Members{Names: []string{"L", "F1"}, Count: 2},
			Holds: []Holds{{Member: "L", Partitions: Partitions{Count: 3}}, {Member: "F1"}}}},
		&ExpectNever{State: protocol.Empty},
		&ExpectNever{HasError: true},
		&ExpectOrder{Events: []EventName{join("L", 1), {Node: "b1", Verb: VerbGroup, State: protocol.Stable, First: 2, Last: 2}}},
		&ExpectCount{Event: EventName{Node: "*", Verb: VerbRequest, Request: protocol.KindJoinGroup}, Times: Number{Min: 2, Max: 1<<63 - 1}},
		&ExpectCount{Event: EventName{Node: "F1", Verb: VerbCrashed}},
	}
	if len(s.Expect) != len(want) {
		t.Fatalf("got %d", len(s.Expect))
	}
	for i, e := range s.Expect {
		if !reflect.DeepEqual(e.What, want[i]) {
			t.Errorf("%s: got\n%+v, want\n%+v", e.Text, e.What, want[i])
		}
	}
	if got := s.Expect[2].Text; got != "F2.SyncGroup#1: {moves: nothing, waits: false, partitions: [orders-1]}" {
		t.Errorf("the text is %s", got)
	}
	for _, c := range []struct {
		broker, client string
		want           int
	}{{"3.9", "3.9", 3}, {"3.9", "3.3", 9}, {"2.2.0", "0.10.0.1", 9}, {"2.1", "3.3", 3}, {"3.4", "3.4.0", 3}} {
		k := Kafka{protocol.MustRelease(c.broker), protocol.MustRelease(c.client)}
		if got := len(s.Expected(k)); got != c.want {
			t.Errorf("%s and %s: %d expectations, not %d", c.broker, c.client, got, c.want)
		}
	}
}

// A member's rack is a setting of its consumer, over that of the group.
func TestRackOfMember(t *testing.T) {
	s := load(t, strings.NewReplacer("{id: my-group}", "{id: my-group, config: {client.rack: west}}", "L: {}", "L: {rack: east}").Replace(good))
	for i, want := range []string{"east", "west", "west"} {
		if got := s.Members[i].Config.Text("client.rack", ""); got != want {
			t.Errorf("%s is in %q", s.Members[i].Name, got)
		}
	}
}

// What stands under seed 0 is expected of the plain run only.
func TestSeedConditions(t *testing.T) {
	s := load(t, good+`expect:
  "seed 0": [never: {state: Dead}]
  ">=3.4, seed 0": [never: {state: Empty}]
  "all": [never: {error: none}]
  "all, seed 0 except 3.9": [never: {error: UNKNOWN_MEMBER_ID}]
`)
	for _, c := range []struct {
		release      string
		every, plain int
	}{{"3.9", 1, 3}, {"3.8", 1, 4}, {"2.8.1", 1, 3}} {
		v := protocol.MustRelease(c.release)
		if every, plain := len(s.Expected(Kafka{v, v})), len(s.ExpectedPlain(Kafka{v, v})); every != c.every || plain != c.plain {
			t.Errorf("%s: %d of every run and %d of the plain one, not %d and %d", c.release, every, plain, c.every, c.plain)
		}
	}
}

func TestReleaseConditions(t *testing.T) {
	for _, c := range []struct{ when, in, out string }{
		{"3.4", "3.4.0 3.4.1", "3.3.2 3.5.0"},
		{">=3.4", "3.4.0 3.9.1", "3.3.2"},
		{">3.4", "3.5.0", "3.4.1 3.4.0"},
		{"<3.4", "3.3.2 0.9.0.1", "3.4.0"},
		{"<=3.4", "3.4.1", "3.5.0"},
		{"0.10..2.1", "0.10.0.0 0.10.2.2 2.1.1", "0.9.0.1 2.2.0"},
		{"0.11", "0.11.0.0 0.11.0.3", "0.10.2.2 1.0.0"},
		{"2.8.1", "2.8.1", "2.8.0 2.8.2"},
		{"broker <2.2, client >=2.2", "", "2.1.0 2.2.0"},
		{"all", "0.9.0.0 3.9.1", ""},
	} {
		s := load(t, good+"expect:\n  \""+c.when+"\":\n    - never: {state: Dead}\n")
		check := func(list string, want int) {
			for _, r := range strings.Fields(list) {
				v := protocol.MustRelease(r)
				if len(s.Expected(Kafka{v, v})) != want {
					t.Errorf("%q and %s: not %d", c.when, r, want)
				}
			}
		}
		check(c.in, 1)
		check(c.out, 0)
	}
}

// What an event's name says is what it is read as, and written as.
func TestEventNames(t *testing.T) {
	for _, name := range []string{"F1.JoinGroup#1", "F1.JoinGroup#1.answer", "*.Heartbeat", "F?.*", "*.*.answer", "L.SyncGroup#2..4", "b1.group.Stable#3",
		"*.group.Empty", "F1.revoked#1", "F1.assigned#1", "F1.lost", "F1.serves#1", "F1.thrown#1", "b1.loaded#1", "b1.unloaded#1", "F1.started#1", "b1.crashed#1"} {
		s := load(t, good+"expect: [{never: \""+name+"\"}]\n")
		if got := s.Expect[0].What.(*ExpectNever).Event; got.String() != name {
			t.Errorf("%s became %s: %+v", name, got, got)
		}
	}
	for _, name := range []string{"F1", "F1.", ".JoinGroup", "F1.JoinGroup#0", "F1.JoinGroup#", "F1.JoinGroup#x", "F1.JoinGroup#2..1", "F1.JoinGroup#99999999999",
		"F1.group.Stable#1", "b1.JoinGroup#1", "b1.revoked#1", "F1.loaded#1", "b1.group.Stabel", "F1.revoked#1.answer", "x*.JoinGroup", "F1.joingroup#1", "F1.JoinGroup.reply"} {
		if _, err := Load("test.yaml", []byte(good+"expect: [{never: \""+name+"\"}]\n")); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestErrorsAreInOrderAndFew(t *testing.T) {
	text := good + "expect:\n" + strings.Repeat("  - never: {state: Stabel}\n", 50) + "latency: x\n"
	_, err := Load("test.yaml", []byte(text))
	list := err.(Errors)
	if len(list) != MaxErrors || len(list.Unwrap()) != MaxErrors {
		t.Fatalf("got %d", len(list))
	}
	for i := range list[1:] {
		if list[i].Line >= list[i+1].Line {
			t.Errorf("line %d before line %d", list[i].Line, list[i+1].Line)
		}
	}
}

func TestLibrary(t *testing.T) {
	list := List()
	var files []string
	for _, s := range Shelves {
		more, _ := filepath.Glob(s.folder + "/*.yaml")
		files = append(files, more...)
	}
	if len(files) != len(list) {
		t.Fatalf("%d files, %d in the library", len(files), len(list))
	}
	names := map[string]bool{}
	for _, b := range list {
		if names[b.Name] {
			t.Errorf("two scenarios have the name %s", b.Name)
		}
		names[b.Name] = true
		t.Run(b.Name, func(t *testing.T) {
			s, err := b.Load()
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != b.Name || len(b.About()) > 100 || !strings.ContainsAny(b.About()[max(0, len(b.About())-1):], ".?") || !strings.HasPrefix(s.About, b.About()) {
				t.Errorf("name %q, about %q", s.Name, b.About())
			}
			if len(s.ExpectedPlain(s.Kafka)) == 0 {
				t.Error("nothing is expected of the releases that it is played with: it cannot fail")
			}
			text, err := os.ReadFile(b.File())
			if err != nil || string(text) != string(b.Text) {
				t.Errorf("the library is not the file, %v", err)
			}
			again, err := Find(b.Name)
			if err != nil || again.Name != b.Name {
				t.Errorf("found %q, %v", again.Name, err)
			}
		})
	}
	if _, err := Find("leader-not-fist"); err == nil || !strings.Contains(err.Error(), `did you mean "leader-not-first"?`) {
		t.Errorf("got %v", err)
	}
}

// FuzzLoad reads anything: it must not panic, must take little time, and either gives
// a scenario that is complete or errors with places within the text. Run it with
// -fuzzminimizetime 50x: minimizing whole scenarios byte by byte takes all the time.
func FuzzLoad(f *testing.F) {
	for _, b := range List() {
		f.Add(b.Text)
	}
	for _, c := range malformed {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Load("f.yaml", text)
		if (s == nil) != (err != nil) {
			t.Fatalf("got %v and %v", s, err)
		}
		if err != nil {
			list, ok := err.(Errors)
			if !ok || len(list) == 0 {
				t.Fatalf("got %T", err)
			}
			lines := 1 + strings.Count(string(text), "\n")
			for _, e := range list {
				if e.Line < 0 || e.Line > lines || e.Problem == "" || (e.Line == 0) != (e.Column == 0) {
					t.Errorf("of %d lines: %+v", lines, *e)
				}
			}
			return
		}
		if len(s.Members) == 0 || len(s.Brokers) == 0 || s.Group.ID == "" || s.About == "" {
			t.Errorf("an incomplete scenario: %+v", s)
		}
	})
}
