package consumer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// A vector is a run of one client against scripted answers: a JSON object that says
// what the client is and, in its events, what was done to it ("in") and what it did
// ("out"). Recorded vectors hold both; ReplayVector reads only what was done.
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
	v       *vector
	cfg     *Config
	c       *Consumer
	solo    *sim.Solo
	cluster *instantCluster
	down    []int32
	out     []json.RawMessage
	last    map[string]any // state as told last
	pollAt  any
	reqs    []vectorRequest
	calls   []json.RawMessage // ordered and not begun
	events  int
	recopy  bool
	err     error
}

type vectorRequest struct {
	kind uint8
	ord  uint32
	link sim.LinkID
	body sim.Body
	done bool
}

// ReplayVector plays one line of vectors on the client of its version and gives the
// same line with what that client does. Errors say what in the line is unusable.
func ReplayVector(line []byte) ([]byte, error) { return replay(line, false, false) }

// replay is ReplayVector, on request with every idle tick played, or with a copy in the
// client's place after each step.
func replay(line []byte, everyTick, recopy bool) ([]byte, error) {
	var v vector
	if err := json.Unmarshal(line, &v); err != nil {
		return nil, err
	}
	b, err := newVectorRun(&v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.ID, err)
	}
	b.cfg.EveryTick, b.recopy = everyTick, recopy
	if err := b.play(); err != nil {
		return nil, fmt.Errorf("%s: %w", v.ID, err)
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(line, &whole); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	buf.WriteByte('{')
	for _, k := range []string{"id", "desc", "version", "config", "brokers", "topics", "fetch", "listener"} {
		if raw, ok := whole[k]; ok {
			fmt.Fprintf(&buf, "%q:%s,", k, raw)
		}
	}
	buf.WriteString(`"events":[`)
	for i, e := range b.out {
		if i > 0 {
			buf.WriteByte(',')
		}
		buf.Write(e)
	}
	buf.WriteString("]}")
	return buf.Bytes(), nil
}

func newVectorRun(v *vector) (*vectorRun, error) {
	version, _, _ := strings.Cut(v.Version, "-")
	release, err := protocol.ParseRelease(version)
	if err != nil {
		return nil, err
	}
	rules := protocol.ClientRulesOf(release)
	cfg := &Config{Rules: rules, Assignor: protocol.AssignorRulesOf(release), Versions: release.Versions(),
		Settings: SettingsOf(&rules), Group: "g", Program: Program{Driven: true}}
	cfg.Settings.OffsetReset = ResetEarliest
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
	cfg.Listener.PausesAll, cfg.Listener.HandlesLost = !v.Fetch, true
	for _, x := range []struct {
		name string
		to   *[]CallbackStep
	}{{"revoked", &cfg.Listener.Revoked}, {"assigned", &cfg.Listener.Assigned}, {"lost", &cfg.Listener.Lost}} {
		for _, s := range v.Listener[x.name] {
			step := CallbackStep{Sleep: min(max(s.Sleep, 0), maxVectorTime)}
			if s.CommitSync != nil {
				step.Commits, step.CommitSync = true, *s.CommitSync
			}
			if s.Seek != nil {
				step.Seeks, step.Seek = true, *s.Seek
			}
			switch s.Throw {
			case "":
			case "kafka":
				step.Throw = thrown(Kafka)
			case "state":
				step.Throw = thrown(IllegalState)
			default:
				return nil, fmt.Errorf("listener: throw is %q, must be kafka or state", s.Throw)
			}
			*x.to = append(*x.to, step)
		}
	}
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	b := &vectorRun{v: v, cfg: cfg, cluster: &instantCluster{brokers: cfg.Brokers}}
	if err := b.setTopics(v.Topics); err != nil {
		return nil, err
	}
	b.c = New(cfg)
	b.c.cluster, b.c.watch = b.cluster, b
	b.solo = sim.NewSolo("client", b.c)
	b.solo.Reach = func(to sim.NodeID, _ uint8) bool { return !slices.Contains(b.down, int32(to)) }
	return b, nil
}

func setByName(s *Settings, name string, raw json.RawMessage) error {
	ints := map[string]*int64{
		"session.timeout.ms": &s.SessionTimeout, "heartbeat.interval.ms": &s.HeartbeatInterval, "max.poll.interval.ms": &s.MaxPollInterval,
		"retry.backoff.ms": &s.RetryBackoff, "retry.backoff.max.ms": &s.RetryBackoffMax, "request.timeout.ms": &s.RequestTimeout,
		"auto.commit.interval.ms": &s.AutoCommitInterval, "default.api.timeout.ms": &s.APITimeout, "metadata.max.age.ms": &s.MetadataMaxAge,
		"reconnect.backoff.ms": &s.ReconnectBackoff, "reconnect.backoff.max.ms": &s.ReconnectMax, "max.poll.records": &s.MaxPollRecords,
	}
	if p := ints[name]; p != nil {
		return json.Unmarshal(raw, p)
	}
	switch name {
	case "enable.auto.commit":
		return json.Unmarshal(raw, &s.AutoCommit)
	case "assignors":
		return json.Unmarshal(raw, &s.Strategy)
	case "group.instance.id":
		return json.Unmarshal(raw, &s.InstanceID)
	}
	return fmt.Errorf("no setting of that name is known here")
}

func (b *vectorRun) setTopics(topics map[string]int32) error {
	b.cluster.topics = nil
	for _, name := range sortedKeys(topics) {
		if n := topics[name]; n < 0 || n > 10_000 {
			return fmt.Errorf("topics: %s has %d partitions", name, n)
		}
		b.cluster.topics = append(b.cluster.topics, clusterTopic{name, topics[name]})
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// maxEvents bounds what one vector may make the client do.
const maxEvents = 200_000

// play plays the inputs in their order: at each moment first what the environment does, then the
// client's two threads.
func (b *vectorRun) play() error {
	inputs, err := b.inputs()
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
		} else if !ok || i >= len(inputs) && b.c.present == nil || next > maxVectorTime {
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
		if b.events++; b.events > maxEvents {
			return fmt.Errorf("the client does more than %d things; it may be spinning at %d ms", maxEvents, now)
		}
	}
}

// stepped is told that the client was stepped.
func (b *vectorRun) stepped() {
	if b.recopy {
		b.c = b.c.Clone().(*Consumer)
		b.solo.Actor = b.c
	}
}

func (b *vectorRun) env(in *vectorInput) bool { return in.In != "op" }

func (b *vectorRun) inputs() ([]vectorInput, error) {
	var list []vectorInput
	for _, raw := range b.v.Events {
		var kind struct{ In string }
		if err := json.Unmarshal(raw, &kind); err != nil {
			return nil, fmt.Errorf("event %s: %w", raw, err)
		}
		if kind.In == "" {
			continue
		}
		var in vectorInput
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, fmt.Errorf("event %s: %w", raw, err)
		}
		if in.Nested { // the listener's script says it, too
			continue
		}
		if n := len(list); in.T < 0 || in.T > maxVectorTime || n > 0 && in.T < list[n-1].T {
			return nil, fmt.Errorf("event %s: times go up from 0 to %d", raw, maxVectorTime)
		}
		in.raw = raw
		list = append(list, in)
	}
	return list, nil
}

func (b *vectorRun) emit(raw json.RawMessage) { b.out = append(b.out, raw) }

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
		b.solo.Input(sim.Input{Kind: sim.InputCommand, Body: &Call{Op: OpWakeup}})
	case "metadata-refresh-requested":
		b.solo.Input(sim.Input{Kind: sim.InputCommand, Body: &Call{Op: OpRefreshMetadata}})
	case "clock":
		b.solo.JumpClock(sim.Time(in.Jump) * sim.Millisecond)
	case "topics":
		var topics map[string]int32
		if err := json.Unmarshal(in.Topics, &topics); err != nil {
			return err
		}
		return b.setTopics(topics)
	case "down":
		if !slices.Contains(b.down, in.Broker) {
			b.down = append(b.down, in.Broker)
		}
		for i := range b.c.conns {
			if k := &b.c.conns[i]; k.state == connUp && int32(k.node) == in.Broker {
				b.solo.Closed(k.link)
			}
		}
	case "up":
		b.down = slices.DeleteFunc(b.down, func(n int32) bool { return n == in.Broker })
	case "disconnect":
		for i := range b.c.conns {
			if k := &b.c.conns[i]; k.state == connUp && b.connName(int16(i)) == in.Conn {
				b.solo.Closed(k.link)
			}
		}
	case "response":
		return b.respond(in)
	case "respond-skipped", "skipped":
	default:
		return fmt.Errorf("there is no input %q", in.In)
	}
	return nil
}

func (b *vectorRun) call(in *vectorInput) (*Call, error) {
	call := &Call{OtherThread: in.Intrudes, ID: in.ID, Offset: in.Offset, Pattern: in.Pattern, Timeout: b.cfg.Settings.APITimeout}
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
	for op, name := range opNames {
		if name == in.Op && name != "" {
			call.Op = Op(op)
		}
	}
	switch call.Op {
	case 0:
		return nil, fmt.Errorf("there is no op %q", in.Op)
	case OpSubscribe:
		if err := json.Unmarshal(in.Topics, &call.Topics); err != nil {
			return nil, err
		}
	case OpClose:
		if in.Timeout == nil {
			call.Timeout = 30_000
		}
	}
	return call, nil
}

// opNames are the calls as vectors name them.
var opNames = [...]string{OpSubscribe: "subscribe", OpSubscribePattern: "subscribePattern", OpAssign: "assign", OpUnsubscribe: "unsubscribe", OpPoll: "poll",
	OpCommitSync: "commitSync", OpCommitAsync: "commitAsync", OpAdvance: "advance", OpSeek: "seek", OpEnforceRebalance: "enforceRebalance", OpClose: "close",
	OpPause: "pause", OpResume: "resume", OpPosition: "position"}

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
