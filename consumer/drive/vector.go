package drive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// A vector is a run of one client against scripted answers: a JSON object that says
// what the client is and, in its events, what was done to it ("in") and what it did
// ("out"). Recorded vectors hold both; Vector reads only what was done.
type vector struct {
	ID       string                     `json:"id"`
	Desc     string                     `json:"desc"`
	Version  string                     `json:"version"`
	Config   map[string]json.RawMessage `json:"config"`
	Brokers  []int32                    `json:"brokers"`
	Topics   map[string]int32           `json:"topics"`
	Fetch    bool                       `json:"fetch"`
	Listener map[string][]vectorStep    `json:"listener"`
	Events   []json.RawMessage          `json:"events"`
}

type vectorStep struct {
	CommitSync *int64 `json:"commitSync"`
	Seek       *int64 `json:"seek"`
	Sleep      int64  `json:"sleep"`
	Throw      string `json:"throw"`
}

// vectorInput is an event with "in".
type vectorInput struct {
	T         int64             `json:"t"`
	In        string            `json:"in"`
	Op        string            `json:"op"`
	Nested    bool              `json:"nested"`
	Skipped   bool              `json:"skipped"`
	Topics    json.RawMessage   `json:"topics"`
	Pattern   string            `json:"pattern"`
	Timeout   *int64            `json:"timeout"`
	Offset    int64             `json:"offset"`
	Offsets   map[string]int64  `json:"offsets"`
	Parts     []string          `json:"parts"`
	ID        int64             `json:"id"`
	Reason    *string           `json:"reason"`
	Conn      string            `json:"conn"`
	Broker    int32             `json:"broker"`
	Req       int               `json:"req"`
	Intrudes  bool              `json:"intrudes"`
	Kind      string            `json:"kind"`
	Error     string            `json:"error"`
	Node      int32             `json:"node"`
	Gen       int32             `json:"gen"`
	Member    string            `json:"member"`
	Leader    string            `json:"leader"`
	PType     *string           `json:"ptype"`
	PName     *string           `json:"pname"`
	Skip      bool              `json:"skip"`
	Members   []vectorMember    `json:"members"`
	Assigned  *vectorAssigned   `json:"assignment"`
	PartErrs  map[string]string `json:"partErrors"`
	MemberErr string            `json:"memberError"`
	Jump      int64             `json:"jump"` // ms
	raw       json.RawMessage
}

type vectorMember struct {
	Member   string    `json:"member"`
	Instance string    `json:"instance"`
	Sub      vectorSub `json:"sub"`
}

type vectorSub struct {
	Ver    int16              `json:"ver"`
	Topics []string           `json:"topics"`
	Owned  map[string][]int32 `json:"owned"`
	Gen    *int32             `json:"gen"`
	User   *vectorUser        `json:"user"`
}

type vectorUser struct {
	Gen  *int32             `json:"gen"`
	Prev map[string][]int32 `json:"prev"`
}

type vectorAssigned struct {
	Ver   int16              `json:"ver"`
	Parts map[string][]int32 `json:"parts"`
}

// maxVectorTime bounds the times of a vector, in milliseconds: some ten days.
const maxVectorTime = 1_000_000_000

// vectorRun replays a vector.
type vectorRun struct {
	cfg    *consumer.Config
	c      *consumer.Consumer
	solo   *sim.Solo
	bench  *consumer.Bench
	down   []int32
	out    [][]byte
	last   map[string]any // state as told last
	pollAt any
	reqs   []vectorRequest
	calls  [][]byte // ordered and not begun
	events int
	most   int // events, at most
	recopy bool
	err    error
}

type vectorRequest struct {
	kind uint8
	ord  uint32
	link sim.LinkID
	body sim.Body
	done bool
	req  int    // its number
	conn string // to whom it was sent
	lost bool   // with its connection
}

// newConfig is a client of a release that has nothing set and does nothing by itself.
func newConfig(version string) (*consumer.Config, error) {
	version, _, _ = strings.Cut(version, "-")
	release, err := protocol.ParseRelease(version)
	if err != nil {
		return nil, err
	}
	rules := protocol.ClientRulesOf(release)
	cfg := &consumer.Config{Rules: rules, Assignor: protocol.AssignorRulesOf(release), Versions: release.Versions(),
		Settings: consumer.SettingsOf(&rules), Group: "g", Program: consumer.Program{Driven: true}}
	cfg.Settings.OffsetReset = consumer.ResetEarliest
	return cfg, nil
}

// newVectorRun puts a client on a bench.
func newVectorRun(cfg *consumer.Config, topics map[string]int32) (*vectorRun, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	b := &vectorRun{cfg: cfg, bench: consumer.NewBench(cfg.Brokers), most: maxEvents}
	if err := b.setTopics(topics); err != nil {
		return nil, err
	}
	b.c = consumer.New(cfg)
	b.bench.Put(b.c, b.see)
	b.solo = sim.NewSolo("client", b.c)
	b.solo.Reach = func(to sim.NodeID, _ uint8) bool { return !slices.Contains(b.down, int32(to)) }
	return b, nil
}

// config is the client that the vector is about.
func (v *vector) config() (*consumer.Config, error) {
	cfg, err := newConfig(v.Version)
	if err != nil {
		return nil, err
	}
	for _, id := range v.Brokers {
		if id < 0 || len(cfg.Brokers) > 1000 {
			return nil, fmt.Errorf("brokers: numbers from 0, at most 1000")
		}
		cfg.Brokers = append(cfg.Brokers, sim.NodeID(id))
	}
	for _, k := range sortedKeys(v.Config) {
		if err := setByName(&cfg.Settings, k, v.Config[k]); err != nil {
			return nil, fmt.Errorf("config: %s: %w", k, err)
		}
	}
	l := &cfg.Listener
	l.PausesAll, l.HandlesLost = !v.Fetch, true
	for i, to := range [...]*[]consumer.CallbackStep{&l.Revoked, &l.Assigned, &l.Lost} {
		for _, s := range v.Listener[callbackKinds[i]] {
			step := consumer.CallbackStep{Sleep: min(max(s.Sleep, 0), maxVectorTime)}
			if s.CommitSync != nil {
				step.Commits, step.CommitSync = true, *s.CommitSync
			}
			if s.Seek != nil {
				step.Seeks, step.Seek = true, *s.Seek
			}
			if s.Throw != "" {
				class, ok := throws[s.Throw]
				if !ok {
					return nil, fmt.Errorf("listener: throw is %q, must be kafka, state or wakeup", s.Throw)
				}
				step.Throw = consumer.Thrown{Class: class}
			}
			*to = append(*to, step)
		}
	}
	return cfg, nil
}

// throws are the exceptions that a listener can throw.
var throws = map[string]consumer.Class{"kafka": consumer.Kafka, "state": consumer.IllegalState, "wakeup": consumer.Wakeup}

// setting is a setting by Kafka's name.
type setting struct {
	name string
	into any
}

func settings(s *consumer.Settings) []setting {
	return []setting{
		{"session.timeout.ms", &s.SessionTimeout}, {"heartbeat.interval.ms", &s.HeartbeatInterval}, {"max.poll.interval.ms", &s.MaxPollInterval},
		{"retry.backoff.ms", &s.RetryBackoff}, {"retry.backoff.max.ms", &s.RetryBackoffMax}, {"request.timeout.ms", &s.RequestTimeout},
		{"auto.commit.interval.ms", &s.AutoCommitInterval}, {"default.api.timeout.ms", &s.APITimeout}, {"metadata.max.age.ms", &s.MetadataMaxAge},
		{"reconnect.backoff.ms", &s.ReconnectBackoff}, {"reconnect.backoff.max.ms", &s.ReconnectMax}, {"max.poll.records", &s.MaxPollRecords},
		{"fetch.max.wait.ms", &s.FetchMaxWait}, {"enable.auto.commit", &s.AutoCommit}, {"partition.assignment.strategy", &s.Strategy},
		{"group.instance.id", &s.InstanceID}, {"client.rack", &s.Rack}, {"internal.leave.group.on.close", &s.LeaveOnClose},
	}
}

// setByName takes a setting from a vector.
func setByName(s *consumer.Settings, name string, raw json.RawMessage) error {
	if name == "assignors" {
		name = "partition.assignment.strategy"
	}
	for _, x := range settings(s) {
		if x.name == name {
			if err := json.Unmarshal(raw, x.into); err != nil {
				return fmt.Errorf("%.40s is of a wrong kind", raw)
			}
			return nil
		}
	}
	return fmt.Errorf("no setting of that name is known here")
}

// maxPartitions bounds the partitions of a topic.
const maxPartitions = 10_000

func (b *vectorRun) setTopics(topics map[string]int32) error {
	b.bench.ForgetTopics()
	for _, name := range sortedKeys(topics) {
		if n := topics[name]; n < 0 || n > maxPartitions {
			return fmt.Errorf("topics: %s has %d partitions", name, n)
		}
		b.bench.SetTopic(name, topics[name])
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// What one vector, or one script, may make the client do. Recorded vectors take some 2,000.
const (
	maxEvents       = 20_000
	maxScriptEvents = 200_000
)

// play plays the inputs in their order: at each moment first what the environment does, then the
// client's two threads.
func (b *vectorRun) play(v *vector) error {
	inputs, err := v.inputs()
	if err != nil {
		return err
	}
	for len(inputs) > 0 && inputs[0].T == 0 && inputs[0].In == "down" { // before the client is there
		b.down = append(b.down, inputs[0].Broker)
		b.emit(inputs[0].raw)
		inputs = inputs[1:]
	}
	b.start()
	for i := 0; ; {
		at, ok := b.solo.NextTimer()
		next := at.Millis()
		if i < len(inputs) && (!ok || inputs[i].T <= next) {
			next = inputs[i].T
		} else if !ok || i >= len(inputs) && !b.c.View().InCall || next > maxVectorTime {
			break
		}
		b.solo.Skip(sim.Time(next) * sim.Millisecond)
		for ; i < len(inputs) && inputs[i].T == next; i++ {
			if b.env(&inputs[i]) {
				b.emit(inputs[i].raw)
			}
			if err := b.input(&inputs[i]); err != nil {
				return err
			}
			b.stepped()
		}
		if err := b.settleAt(next); err != nil {
			return err
		}
	}
	return b.err
}

// start starts the client.
func (b *vectorRun) start() {
	b.solo.Input(sim.Input{Kind: sim.InputStart})
	b.settle()
}

// settleAt lets both threads run until nothing can at this moment.
func (b *vectorRun) settleAt(now int64) error {
	for {
		at, ok := b.solo.NextTimer()
		if !ok || at.Millis() > now {
			b.settle()
			return nil
		}
		b.solo.Fire()
		b.stepped()
		if b.events++; b.events > b.most {
			return fmt.Errorf("the client does more than %d things; it may be spinning at %d ms", b.most, now)
		}
	}
}

// stepped is told that the client was stepped.
func (b *vectorRun) stepped() {
	if b.recopy {
		b.c = b.c.Clone().(*consumer.Consumer)
		b.solo.Actor = b.c
	}
}

func (b *vectorRun) env(in *vectorInput) bool { return in.In != "op" }

func (v *vector) inputs() ([]vectorInput, error) {
	var list []vectorInput
	for i, raw := range v.Events {
		var kind *struct{ In string }
		if err := json.Unmarshal(raw, &kind); err != nil || kind == nil {
			return nil, fmt.Errorf("event %d: an event is a JSON object, not %.20s", i+1, raw)
		}
		if kind.In == "" {
			continue
		}
		var in vectorInput
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, fmt.Errorf("event %d: %w", i+1, notJSON(err))
		}
		if in.Nested { // the listener's script says it, too
			continue
		}
		if n := len(list); in.T < 0 || in.T > maxVectorTime || n > 0 && in.T < list[n-1].T {
			return nil, fmt.Errorf("event %d: times go up from 0 to %d, and this is %d", i+1, maxVectorTime, in.T)
		}
		in.raw = raw
		list = append(list, in)
	}
	return list, nil
}

func (b *vectorRun) emit(raw []byte) { b.out = append(b.out, raw) }

// tell writes an event of the client's: keys and values in turn.
func (b *vectorRun) tell(out string, kv ...any) {
	var buf bytes.Buffer
	fmt.Fprintf(&buf, `{"t":%d,"out":%q`, b.solo.Now().Millis(), out)
	for i := 0; i < len(kv); i += 2 {
		value, err := json.Marshal(kv[i+1])
		if err != nil {
			b.err = err
			return
		}
		fmt.Fprintf(&buf, ",%q:%s", kv[i], value)
	}
	buf.WriteByte('}')
	b.emit(buf.Bytes())
	b.solo.Acts = b.solo.Acts[:0]
}

func (b *vectorRun) input(in *vectorInput) error {
	if in.Skipped {
		return nil
	}
	switch in.In {
	case "op":
		call, err := b.call(in)
		if err != nil {
			return err
		}
		b.calls = append(b.calls, in.raw)
		b.solo.Input(sim.Input{Kind: sim.InputCommand, Body: call})
	case "wakeup":
		b.solo.Input(sim.Input{Kind: sim.InputCommand, Body: &consumer.Call{Op: consumer.OpWakeup}})
	case "metadata-refresh-requested":
		b.solo.Input(sim.Input{Kind: sim.InputCommand, Body: &consumer.Call{Op: consumer.OpRefreshMetadata}})
	case "clock":
		b.solo.JumpClock(sim.Time(in.Jump) * sim.Millisecond)
	case "topics":
		var topics map[string]int32
		if err := json.Unmarshal(in.Topics, &topics); err != nil {
			return fmt.Errorf("topics is of a wrong kind")
		}
		return b.setTopics(topics)
	case "down":
		if !slices.Contains(b.down, in.Broker) {
			b.down = append(b.down, in.Broker)
		}
		for _, k := range b.c.Connections() {
			if int32(k.Node) == in.Broker {
				b.lose(connName(k.Node, k.Channel))
				b.solo.Closed(k.Link)
			}
		}
	case "up":
		b.down = slices.DeleteFunc(b.down, func(n int32) bool { return n == in.Broker })
	case "disconnect":
		for _, k := range b.c.Connections() {
			if connName(k.Node, k.Channel) == in.Conn {
				b.lose(in.Conn)
				b.solo.Closed(k.Link)
			}
		}
	case "response":
		return b.respond(in)
	case "racks": // of a script, and done already
	case "respond-skipped", "skipped":
	default:
		return fmt.Errorf("there is no input %q", in.In)
	}
	return nil
}

func (b *vectorRun) call(in *vectorInput) (*consumer.Call, error) {
	call := &consumer.Call{OtherThread: in.Intrudes, ID: in.ID, Offset: in.Offset, Pattern: in.Pattern, Timeout: b.cfg.Settings.APITimeout}
	if in.Timeout != nil {
		call.Timeout = min(max(*in.Timeout, 0), maxVectorTime)
	}
	if in.Reason != nil {
		call.Reason = *in.Reason
	}
	if in.Offsets != nil {
		call.Offsets = []protocol.PartitionOffset{}
		for _, name := range sortedKeys(in.Offsets) {
			tp, err := parsePartition(name)
			if err != nil {
				return nil, err
			}
			call.Offsets = append(call.Offsets, protocol.PartitionOffset{TopicPartition: tp, Offset: in.Offsets[name]})
		}
	}
	for _, name := range in.Parts {
		tp, err := parsePartition(name)
		if err != nil {
			return nil, err
		}
		call.Partitions = append(call.Partitions, tp)
	}
	switch call.Op = consumer.OpNamed(in.Op); {
	case call.Op == 0 || call.Op >= consumer.OpWakeup:
		return nil, fmt.Errorf("there is no op %q", in.Op)
	case call.Op == consumer.OpSubscribe:
		if err := json.Unmarshal(in.Topics, &call.Topics); err != nil {
			return nil, fmt.Errorf("topics is of a wrong kind")
		}
	case call.Op == consumer.OpClose:
		if in.Timeout == nil {
			call.Timeout = 30_000
		}
	}
	return call, nil
}

func parsePartition(s string) (protocol.TopicPartition, error) {
	i := strings.LastIndexByte(s, '-')
	if i < 0 {
		return protocol.TopicPartition{}, fmt.Errorf("%q is no partition: write topic-0", s)
	}
	n, err := strconv.ParseInt(s[i+1:], 10, 32)
	if err != nil || n < 0 {
		return protocol.TopicPartition{}, fmt.Errorf("%q is no partition: write topic-0", s)
	}
	return protocol.TopicPartition{Topic: s[:i], Partition: int32(n)}, nil
}
