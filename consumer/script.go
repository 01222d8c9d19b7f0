package consumer

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// A Script is one client, what its program calls, and what the brokers answer: a bench
// for the question "what would the Java client send now?". Its text form is YAML; see
// ParseScript.
type Script struct {
	Release  string                      `yaml:"kafka"`
	Config   map[string]any              `yaml:"config"`
	Brokers  int                         `yaml:"brokers"`
	Topics   map[string]int32            `yaml:"topics"`
	Fetch    bool                        `yaml:"fetch"`
	Listener map[string][]scriptListener `yaml:"listener"`
	Steps    []string                    `yaml:"steps"`
}

type scriptListener struct {
	CommitSync string `yaml:"commit-sync"`
	Seek       *int64 `yaml:"seek"`
	Sleep      string `yaml:"sleep"`
	Throw      string `yaml:"throw"`
}

// maxScript bounds a script's text, in bytes.
const maxScript = 256 << 10

// ParseScript reads a script:
//
//	kafka: 3.9
//	config: {session.timeout.ms: 10s, partition.assignment.strategy: [range]}
//	brokers: 2                  # numbered from 0
//	topics: {orders: 2}
//	steps:
//	- subscribe orders
//	- poll 1s
//	- +1ms answer FindCoordinator node=0
//	- +1ms answer JoinGroup error=MEMBER_ID_REQUIRED member=m-1
//
// A step takes place when the one before did, or so much later as it says with + in
// front. The steps of the program (subscribe, poll, commit-sync …) are made one after
// the other: a call waits until the one before has returned.
func ParseScript(text []byte) (*Script, error) {
	if len(text) > maxScript {
		return nil, fmt.Errorf("the script is longer than %d bytes", maxScript)
	}
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	var s Script
	if err := d.Decode(&s); err != nil {
		return nil, err
	}
	if err := d.Decode(new(Script)); err != io.EOF {
		return nil, fmt.Errorf("the script must be one YAML document")
	}
	if _, err := protocol.ParseRelease(s.Release); err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	return &s, nil
}

// scriptRun plays a script.
type scriptRun struct {
	*vectorRun
	now  int64
	told int // events written
	text strings.Builder
}

// Play plays the script and writes what the client does, a line each. Errors say which
// step cannot be used.
func (s *Script) Play(w io.Writer) error {
	r, err := s.begin()
	if err != nil {
		return err
	}
	for i, step := range s.Steps {
		if err := r.do(step); err != nil {
			return fmt.Errorf("step %d, %q: %w", i+1, step, err)
		}
	}
	_, err = io.WriteString(w, r.text.String())
	return err
}

func (s *Script) begin() (*scriptRun, error) {
	v := &vector{Version: s.Release, Topics: s.Topics, Fetch: s.Fetch, Config: map[string]json.RawMessage{}}
	n := s.Brokers
	if n == 0 {
		n = 1
	}
	if n < 0 || n > 1000 {
		return nil, fmt.Errorf("brokers: a number from 1 to 1000")
	}
	for i := 0; i < n; i++ {
		v.Brokers = append(v.Brokers, int32(i))
	}
	for _, k := range sortedKeys(s.Config) {
		value := s.Config[k]
		if text, ok := value.(string); ok && strings.HasSuffix(k, ".ms") {
			ms, err := millis(text)
			if err != nil {
				return nil, fmt.Errorf("config: %s: %w", k, err)
			}
			value = ms
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("config: %s: %w", k, err)
		}
		if k == "partition.assignment.strategy" {
			k = "assignors"
		}
		v.Config[k] = raw
	}
	v.Listener = map[string][]vectorStep{}
	for _, k := range sortedKeys(s.Listener) {
		for _, l := range s.Listener[k] {
			step := vectorStep{Seek: l.Seek, Throw: l.Throw}
			if l.CommitSync != "" {
				ms, err := millis(l.CommitSync)
				if err != nil {
					return nil, fmt.Errorf("listener: %w", err)
				}
				step.CommitSync = &ms
			}
			if l.Sleep != "" {
				ms, err := millis(l.Sleep)
				if err != nil {
					return nil, fmt.Errorf("listener: %w", err)
				}
				step.Sleep = ms
			}
			v.Listener[k] = append(v.Listener[k], step)
		}
	}
	run, err := newVectorRun(v)
	if err != nil {
		return nil, err
	}
	r := &scriptRun{vectorRun: run}
	r.start()
	r.told = len(r.out) // the beginning is no news
	return r, nil
}

// millis reads a duration: 100ms, 5s, 1m30s.
func millis(s string) (int64, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d.Milliseconds() > maxVectorTime {
		return 0, fmt.Errorf("%q is not a duration: write it like 100ms, 5s or 1m30s", s)
	}
	return d.Milliseconds(), nil
}

// do takes one step.
func (r *scriptRun) do(step string) error {
	words := strings.Fields(step)
	if len(words) > 0 && strings.HasPrefix(words[0], "+") {
		ms, err := millis(words[0][1:])
		if err != nil {
			return err
		}
		if err := r.pass(ms); err != nil {
			return err
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	if words[0] == "wait" {
		if len(words) != 2 {
			return fmt.Errorf("wait wants a duration")
		}
		ms, err := millis(words[1])
		if err != nil {
			return err
		}
		return r.pass(ms)
	}
	if words[0] == "join" {
		return r.join(words[1:])
	}
	in, err := r.parse(words)
	if err != nil {
		return err
	}
	return r.take(in)
}

func (r *scriptRun) take(in *vectorInput) error {
	in.T = r.now
	in.raw = []byte("{}")
	if err := r.input(in); err != nil {
		return err
	}
	r.stepped()
	if err := r.settleAt(r.now); err != nil {
		return err
	}
	return r.flush()
}

// pass lets time pass.
func (r *scriptRun) pass(ms int64) error {
	until := r.now + ms
	for {
		at, ok := r.solo.NextTimer()
		if !ok || at.Millis() > until {
			break
		}
		if err := r.settleAt(at.Millis()); err != nil {
			return err
		}
	}
	r.now = until
	r.solo.Skip(sim.Time(until) * sim.Millisecond)
	return r.flush()
}

// parse reads a step other than wait and join.
func (r *scriptRun) parse(words []string) (*vectorInput, error) {
	verb, args := words[0], words[1:]
	in := &vectorInput{In: "op"}
	switch verb {
	case "subscribe":
		in.Op = "subscribe"
		in.Topics, _ = json.Marshal(args)
	case "subscribe-pattern":
		in.Op, in.Pattern = "subscribePattern", strings.Join(args, " ")
	case "assign":
		in.Op, in.Parts = "assign", args
	case "unsubscribe":
		in.Op = "unsubscribe"
	case "pause", "resume":
		in.Op, in.Parts = verb, args
	case "poll", "commit-sync", "close", "position", "intrude":
		in.Op = map[string]string{"poll": "poll", "commit-sync": "commitSync", "close": "close", "position": "position", "intrude": "poll"}[verb]
		in.Intrudes = verb == "intrude"
		if len(args) > 1 || verb == "poll" && len(args) == 0 {
			return nil, fmt.Errorf("%s wants a duration", verb)
		}
		if len(args) == 1 {
			ms, err := millis(args[0])
			if err != nil {
				return nil, err
			}
			in.Timeout = &ms
		}
	case "commit-async":
		in.Op = "commitAsync"
	case "advance":
		in.Op = "advance"
	case "enforce-rebalance":
		in.Op = "enforceRebalance"
		reason := strings.Join(args, " ")
		in.Reason = &reason
	case "wakeup":
		in.In = "wakeup"
	case "refresh-metadata":
		in.In = "metadata-refresh-requested"
	case "down", "up", "disconnect", "topics", "answer":
		in.In = verb
	default:
		return nil, fmt.Errorf("there is no step %q: write subscribe, subscribe-pattern, assign, unsubscribe, poll, commit-sync, commit-async, advance, pause, resume, position, enforce-rebalance, close, intrude, wakeup, refresh-metadata, answer, disconnect, down, up, topics, join or wait", verb)
	}
	return in, r.parseArgs(in, verb, args)
}

func (r *scriptRun) parseArgs(in *vectorInput, verb string, args []string) error {
	number := func(bits int) (int64, error) {
		if len(args) != 1 {
			return 0, fmt.Errorf("%s wants a number", verb)
		}
		n, err := strconv.ParseInt(args[0], 10, bits)
		if err != nil {
			return 0, fmt.Errorf("%q is no number", args[0])
		}
		return n, nil
	}
	switch verb {
	case "commit-async", "advance":
		n, err := number(64)
		in.ID, in.Offset = n, n
		return err
	case "down", "up":
		n, err := number(32)
		in.Broker = int32(n)
		return err
	case "disconnect":
		if len(args) != 1 {
			return fmt.Errorf("disconnect wants a connection: coord:0 or broker:0")
		}
		in.Conn = args[0]
	case "topics":
		topics := map[string]int32{}
		for _, a := range args {
			name, count, _ := strings.Cut(a, "=")
			n, err := strconv.ParseInt(count, 10, 32)
			if err != nil {
				return fmt.Errorf("%q: write it like orders=4", a)
			}
			topics[name] = int32(n)
		}
		in.Topics, _ = json.Marshal(topics)
	case "answer":
		return r.parseAnswer(in, args)
	}
	return nil
}

// parseAnswer reads the answer to the oldest open request of a kind.
func (r *scriptRun) parseAnswer(in *vectorInput, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("answer wants a kind of request")
	}
	kind := protocol.KindOf(args[0])
	if kind == 0 {
		return fmt.Errorf("there is no kind of request %q", args[0])
	}
	open := r.open(kind)
	if open == nil {
		return fmt.Errorf("no %s is open", args[0])
	}
	in.In, in.Kind, in.Error = "response", vectorKind(kind), "NONE"
	r.usualAnswer(in, open)
	for _, a := range args[1:] {
		key, value, _ := strings.Cut(a, "=")
		if err := r.answerField(in, open, key, value); err != nil {
			return err
		}
	}
	return nil
}

func (r *scriptRun) open(kind uint8) *vectorRequest {
	for i := range r.reqs {
		if q := &r.reqs[i]; q.kind == kind && !q.done {
			return q
		}
	}
	return nil
}

// usualAnswer fills in what a broker would answer if all is well: the member is what it
// says or m-1, it follows, its generation is the next one, its offsets are 0.
func (r *scriptRun) usualAnswer(in *vectorInput, open *vectorRequest) {
	consumer, name := "consumer", ""
	if len(r.cfg.Settings.Strategy) > 0 {
		name = r.cfg.Settings.Strategy[0]
	}
	switch q := open.body.(type) {
	case *protocol.JoinGroupRequest:
		in.Gen = max(r.c.gen.id, 0) + 1
		in.Member, in.Leader = q.Member, "other"
		if in.Member == "" {
			in.Member = "m-1"
		}
		in.PType, in.PName = &consumer, &name
	case *protocol.SyncGroupRequest:
		in.PType, in.PName = &consumer, &name
		in.Assigned = &vectorAssigned{Parts: map[string][]int32{}}
		for _, a := range q.Assignments {
			if a.Member == q.Member {
				in.Assigned.Parts = byTopic(a.Assignment.Partitions)
			}
		}
	case *protocol.OffsetFetchRequest:
		in.Offsets = map[string]int64{}
		for _, p := range q.Partitions {
			in.Offsets[p.String()] = 0
		}
	}
}

func (r *scriptRun) answerField(in *vectorInput, open *vectorRequest, key, value string) error {
	number := func() (int64, error) {
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%s=%s is no number", key, value)
		}
		return n, nil
	}
	switch key {
	case "error":
		if _, ok := protocol.ErrorOf(value); !ok {
			return fmt.Errorf("there is no error %q", value)
		}
		in.Error = value
		if _, join := open.body.(*protocol.JoinGroupRequest); join && value != "NONE" {
			in.Gen = -1
		}
	case "node":
		n, err := number()
		in.Node = int32(n)
		return err
	case "generation":
		n, err := number()
		in.Gen = int32(n)
		return err
	case "member":
		in.Member = value
	case "type":
		in.PType = &value
	case "protocol":
		in.PName = &value
	case "skip-assignment":
		in.Skip = value == "true"
	case "leads":
		q, ok := open.body.(*protocol.JoinGroupRequest)
		if !ok || value != "true" {
			return nil
		}
		in.Leader = in.Member
		for _, p := range q.Protocols {
			if p.Name == *in.PName {
				in.Members = []vectorMember{{Member: in.Member, Instance: q.Instance, Sub: subOf(p.Metadata)}}
			}
		}
	case "with": // another member that subscribes to the same, and what it says it owned: k0, or k0:t1-0,t1-1@3
		if len(in.Members) == 0 {
			return fmt.Errorf("with follows leads=true")
		}
		m, err := otherMember(in.Members[0], value)
		in.Members = append(in.Members, m)
		return err
	case "gives":
		in.Assigned = &vectorAssigned{Parts: map[string][]int32{}}
		for _, name := range strings.FieldsFunc(value, func(ch rune) bool { return ch == ',' }) {
			tp, err := parsePartition(name)
			if err != nil {
				return err
			}
			in.Assigned.Parts[tp.Topic] = append(in.Assigned.Parts[tp.Topic], tp.Partition)
		}
	case "part-error":
		if _, ok := protocol.ErrorOf(value); !ok {
			return fmt.Errorf("there is no error %q", value)
		}
		in.PartErrs = map[string]string{}
		for _, name := range sortedKeys(in.Offsets) {
			in.PartErrs[name] = value
		}
	case "offset":
		n, err := number()
		for _, name := range sortedKeys(in.Offsets) {
			in.Offsets[name] = n
		}
		return err
	default:
		return fmt.Errorf("an answer has no field %q: write error, node, generation, member, type, protocol, leads, with, skip-assignment, gives, offset or part-error", key)
	}
	return nil
}

// otherMember reads "k0:t1-0,t1-1@3": a member, what it claims, and the generation in
// which it owned that.
func otherMember(like vectorMember, value string) (vectorMember, error) {
	value, gen, dated := strings.Cut(value, "@")
	id, claims, _ := strings.Cut(value, ":")
	m := like
	m.Member, m.Instance, m.Sub.Owned, m.Sub.User = id, "", map[string][]int32{}, nil
	for _, name := range strings.FieldsFunc(claims, func(ch rune) bool { return ch == ',' }) {
		tp, err := parsePartition(name)
		if err != nil {
			return m, err
		}
		m.Sub.Owned[tp.Topic] = append(m.Sub.Owned[tp.Topic], tp.Partition)
	}
	if dated {
		n, err := strconv.ParseInt(gen, 10, 32)
		if err != nil {
			return m, fmt.Errorf("%q is no generation", gen)
		}
		g := int32(n)
		m.Sub.User = &vectorUser{Gen: &g}
		if like.Sub.Gen != nil {
			m.Sub.Gen = &g
		}
	}
	return m, nil
}

func subOf(m *protocol.Metadata) vectorSub {
	s := vectorSub{Ver: m.Version, Topics: m.Topics, Owned: byTopic(m.Owned)}
	if m.Version >= 2 {
		g := m.Generation
		s.Gen = &g
	}
	if u := m.UserData; u.Kind == protocol.UserDataGeneration {
		s.User = &vectorUser{Gen: &u.Generation}
	}
	return s
}

// join answers everything that a member asks until it has its partitions and their
// offsets: "join gives=a-0,a-1 [leads=true] [generation=5]". Each answer takes a
// millisecond.
func (r *scriptRun) join(args []string) error {
	for range 12 {
		if err := r.pass(1); err != nil {
			return err
		}
		var answered bool
		for _, kind := range [...]uint8{protocol.KindFindCoordinator, protocol.KindJoinGroup, protocol.KindSyncGroup, protocol.KindOffsetFetch} {
			if r.open(kind) == nil {
				continue
			}
			words := []string{protocol.KindName(kind)}
			for _, a := range args {
				key, _, _ := strings.Cut(a, "=")
				if fits := map[uint8][]string{protocol.KindFindCoordinator: {"node"}, protocol.KindJoinGroup: {"generation", "member", "leads", "with"},
					protocol.KindSyncGroup: {"gives"}, protocol.KindOffsetFetch: {"offset"}}; slices.Contains(fits[kind], key) {
					words = append(words, a)
				}
			}
			in := &vectorInput{}
			if err := r.parseAnswer(in, words); err != nil {
				return err
			}
			if err := r.take(in); err != nil {
				return err
			}
			answered = true
			break
		}
		if !answered {
			return nil
		}
	}
	return nil
}

// flush writes what the client has done since the last time.
func (r *scriptRun) flush() error {
	for ; r.told < len(r.out); r.told++ {
		var e map[string]any
		if err := json.Unmarshal(r.out[r.told], &e); err != nil {
			return err
		}
		if line := eventLine(e); line != "" {
			r.text.WriteString(line)
			r.text.WriteByte('\n')
		}
	}
	return nil
}

// eventLine is an event in a line of text.
func eventLine(e map[string]any) string {
	t, _ := e["t"].(float64)
	at := fmt.Sprintf("%8s  ", sim.Time(t)*sim.Millisecond)
	switch e["out"] {
	case "send":
		return at + sendLine(e)
	case "callback":
		return at + fmt.Sprintf("%s %s", e["cb"], short(e["parts"]))
	case "callback-end":
		if e["throws"] != nil {
			return at + fmt.Sprintf("%s throws", e["cb"])
		}
		return ""
	case "commit-callback":
		return at + fmt.Sprintf("callback of commit %v%s", e["id"], with(e["ex"]))
	case "return":
		if e["ex"] == nil && e["op"] != "close" && e["op"] != "commitSync" {
			return ""
		}
		return at + fmt.Sprintf("%s returns%s", e["op"], with(e["ex"]))
	case "connect-failed", "client-disconnect", "request-timeout":
		return at + fmt.Sprintf("%s %s", e["conn"], e["out"])
	case "state":
		return stateLine(at, e)
	}
	return ""
}

func with(ex any) string {
	if ex == nil {
		return ""
	}
	return fmt.Sprintf(" %v", ex)
}

func short(v any) string {
	b, _ := json.Marshal(v)
	return strings.ReplaceAll(string(b), `"`, "")
}

func sendLine(e map[string]any) string {
	kind := kindOfVector(e["kind"].(string))
	line := fmt.Sprintf("%s %s", e["conn"], protocol.KindName(kind))
	if kind == protocol.KindJoinGroup {
		line += fmt.Sprintf(" timeout=%.0f", e["tmo"])
	}
	for _, k := range []string{"gen", "member", "instance", "members", "assignments", "offsets", "parts"} {
		if v, ok := e[k]; ok {
			line += " " + k + "=" + short(v)
		}
	}
	if list, ok := e["protocols"].([]any); ok {
		for _, p := range list {
			m := p.(map[string]any)
			sub := m["sub"].(map[string]any)
			line += fmt.Sprintf(" %s:%s owned=%s", m["name"], short(sub["topics"]), short(sub["owned"]))
			if sub["gen"] != nil {
				line += fmt.Sprintf(" in=%v", sub["gen"])
			}
		}
	}
	if reason, ok := e["reason"].(string); ok && reason != "" {
		line += fmt.Sprintf(" reason=%q", reason)
	}
	return line
}

// stateNames are the fields of a state that a script shows, with their names there.
var stateNames = [...][2]string{{"st", "state"}, {"gen", "generation"}, {"member", "member"}, {"coord", "coordinator"}, {"rejoin", "rejoin"}, {"owned", "owned"}, {"hb", "heartbeats"}}

func stateLine(at string, e map[string]any) string {
	var parts []string
	for _, k := range stateNames {
		if v, ok := e[k[0]]; ok {
			parts = append(parts, k[1]+"="+short(v))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return at + "  (" + strings.Join(parts, " ") + ")"
}
