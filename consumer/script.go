package consumer

import (
	"encoding/json"
	"fmt"
	"io"
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
	case "clock":
		if len(args) != 1 {
			return nil, fmt.Errorf("clock wants a duration")
		}
		ms, err := millis(strings.TrimPrefix(args[0], "-"))
		if in.Jump = ms; strings.HasPrefix(args[0], "-") {
			in.Jump = -ms
		}
		in.In = verb
		return in, err
	case "down", "up", "disconnect", "topics", "answer":
		in.In = verb
	default:
		return nil, fmt.Errorf("there is no step %q: write subscribe, subscribe-pattern, assign, unsubscribe, poll, commit-sync, commit-async, advance, pause, resume, position, enforce-rebalance, close, intrude, wakeup, refresh-metadata, clock, answer, disconnect, down, up, topics, join or wait", verb)
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
