package drive

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// A Script is one client, what its program calls, and what the brokers answer: a bench
// for the question "what would the Java client send now?". Its text form is YAML; see
// Parse.
type Script struct {
	Release  string
	at       place
	config   *yaml.Node
	brokers  int32
	topics   map[string]int32
	fetch    bool
	listener consumer.Listener
	own      []consumer.OwnAssignor
	steps    []step
}

// step is a line of the steps, and where it stands.
type step struct {
	place
	text string
}

var scriptKeys = []string{"about", "kafka", "config", "brokers", "topics", "fetch", "listener", "assignor", "steps"}

// Parse reads a script. File is its name in errors, which have line and column. Release,
// if not "", is taken instead of the script's own.
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
func Parse(file string, text []byte, release string) (*Script, error) {
	r := &reader{file: file}
	s := &Script{at: place{file, 1, 1}, brokers: 1, topics: map[string]int32{}}
	doc := r.document(text)
	if r.err != nil {
		return nil, r.err
	}
	r.each(doc, "a script", func(key string, at, n *yaml.Node) {
		switch key {
		case "about":
			r.text(n, key)
		case "kafka":
			s.Release = r.text(n, key)
			if _, err := protocol.ParseRelease(s.Release); err != nil {
				r.fail(n, "kafka: %s", err)
			}
		case "config":
			s.config = n
			readSettings(r, n, &consumer.Settings{})
		case "brokers":
			s.brokers = int32(r.number(n, key, 1, 1000))
		case "topics":
			r.each(n, key, func(name string, _, n *yaml.Node) {
				s.topics[name] = int32(r.number(n, name, 0, maxPartitions))
			})
		case "fetch":
			s.fetch = r.flag(n, key)
		case "listener":
			s.listener = readListener(r, n)
		case "assignor":
			s.own = []consumer.OwnAssignor{readAssignor(r, n)}
		case "steps":
			for _, n := range r.list(n, key) {
				s.steps = append(s.steps, step{r.at(n), r.text(n, "a step")})
			}
		default:
			r.unknown(at, scriptKeys...)
		}
	})
	if release != "" {
		if _, err := protocol.ParseRelease(release); err != nil {
			return nil, err
		}
		s.Release = release
	}
	if s.Release == "" {
		r.fail(doc, "the script lacks the key \"kafka\"")
	}
	if r.err != nil {
		return nil, r.err
	}
	_, err := s.begin() // what the settings and the release say together
	return s, err
}

// readSettings reads settings by Kafka's names, over what s has.
func readSettings(r *reader, n *yaml.Node, s *consumer.Settings) {
	known := settings(s)
	r.each(n, "config", func(name string, at, n *yaml.Node) {
		i := slices.IndexFunc(known, func(x setting) bool { return x.name == name })
		if i < 0 {
			names := make([]string, len(known))
			for i := range known {
				names[i] = known[i].name
			}
			r.unknown(at, names...)
			return
		}
		switch into := known[i].into.(type) {
		case *int64:
			if *into = 0; strings.HasSuffix(name, ".ms") {
				*into = r.millis(n, name)
			} else {
				*into = r.number(n, name, 1, 1<<31-1)
			}
		case *bool:
			*into = r.flag(n, name)
		case *string:
			*into = r.text(n, name)
		case *[]string:
			*into = nil
			for _, item := range r.list(n, name) {
				*into = append(*into, r.text(item, name))
			}
		}
	})
}

var callbackKinds = []string{"revoked", "assigned", "lost"}

// readListener reads what the rebalance listener does, time by time. One that says nothing of
// lost has the interface's own method, which calls that for revoked.
func readListener(r *reader, n *yaml.Node) (l consumer.Listener) {
	r.each(n, "listener", func(name string, at, n *yaml.Node) {
		i := slices.Index(callbackKinds, name)
		if i < 0 {
			r.unknown(at, callbackKinds...)
			return
		}
		for _, n := range r.list(n, name) {
			step := consumer.CallbackStep{}
			r.each(n, "a callback", func(key string, at, n *yaml.Node) {
				switch key {
				case "commit-sync":
					step.Commits, step.CommitSync = true, r.millis(n, key)
				case "seek":
					step.Seeks, step.Seek = true, r.number(n, key, 0, 1<<62)
				case "sleep":
					step.Sleep = r.millis(n, key)
				case "throw":
					class, ok := throws[r.text(n, key)]
					if !ok {
						r.fail(n, "throw is %q, must be kafka, state or wakeup", n.Value)
					}
					step.Throw = consumer.Thrown{Class: class}
				default:
					r.unknown(at, "commit-sync", "seek", "sleep", "throw")
				}
			})
			to := [...]*[]consumer.CallbackStep{&l.Revoked, &l.Assigned, &l.Lost}[i]
			*to = append(*to, step)
		}
		l.HandlesLost = l.HandlesLost || name == "lost"
	})
	return l
}

// readAssignor reads what an assignor of one's own does.
func readAssignor(r *reader, n *yaml.Node) (own consumer.OwnAssignor) {
	r.each(n, "assignor", func(key string, at, n *yaml.Node) {
		switch key {
		case "name":
			own.Name = r.text(n, key)
		case "cooperative":
			own.Cooperative = r.flag(n, key)
		case "takes":
			own.Takes = r.millis(n, key)
		case "throws":
			own.Throws = r.flag(n, key)
		case "gives":
			r.each(n, key, func(member string, _, n *yaml.Node) {
				a := &protocol.Assignment{}
				for _, item := range r.list(n, member) {
					tp, err := parsePartition(r.text(item, "a partition"))
					if err != nil {
						r.fail(item, "%s", err)
					}
					a.Partitions = append(a.Partitions, tp)
				}
				own.Gives = append(own.Gives, protocol.MemberAssignment{Member: member, Assignment: a.Freeze()})
			})
		default:
			r.unknown(at, "name", "cooperative", "takes", "throws", "gives")
		}
	})
	return own
}

// scriptRun plays a script.
type scriptRun struct {
	*vectorRun
	now  int64
	told int // events written
	text strings.Builder
}

// Play plays the script and writes what the client does, a line each. Errors name the
// step that cannot be used.
func (s *Script) Play(w io.Writer) error {
	r, err := s.begin()
	if err != nil {
		return err
	}
	for _, step := range s.steps {
		if err := r.do(step.text); err != nil {
			return step.wrong("%s: %s", step.text, err)
		}
	}
	_, err = io.WriteString(w, r.text.String())
	return err
}

func (s *Script) begin() (*scriptRun, error) {
	cfg, err := newConfig(s.Release)
	if err != nil {
		return nil, s.at.wrong("kafka: %s", err)
	}
	for i := range s.brokers {
		cfg.Brokers = append(cfg.Brokers, sim.NodeID(i))
	}
	at := s.at
	if s.config != nil {
		r := &reader{file: s.at.file}
		at = r.at(s.config)
		readSettings(r, s.config, &cfg.Settings)
	}
	cfg.Listener, cfg.Own = s.listener, s.own
	cfg.Listener.PausesAll = !s.fetch
	run, err := newVectorRun(cfg, s.topics)
	if err != nil {
		return nil, at.wrong("%s", err)
	}
	run.most = maxScriptEvents
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

// stepNames are the steps that there are.
var stepNames = []string{"subscribe", "subscribe-pattern", "assign", "unsubscribe", "poll", "poll-long", "commit-sync", "commit-async", "advance", "pause", "resume", "committed",
	"position", "enforce-rebalance", "close", "intrude", "wakeup", "refresh-metadata", "clock", "answer", "disconnect", "down", "up", "topics", "racks", "join", "wait"}

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
	case "pause", "resume", "committed":
		in.Op, in.Parts = verb, args
	case "poll", "poll-long", "commit-sync", "close", "position", "intrude":
		in.Op = map[string]string{"poll": "poll", "poll-long": "pollLong", "commit-sync": "commitSync", "close": "close", "position": "position", "intrude": "poll"}[verb]
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
	case "down", "up", "disconnect", "topics", "racks", "answer":
		in.In = verb
	default:
		if best := nearest(verb, stepNames); best != "" {
			return nil, fmt.Errorf("there is no step %q (did you mean %q?)", verb, best)
		}
		return nil, fmt.Errorf("there is no step %q: write one of %s", verb, strings.Join(stepNames, ", "))
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
	case "racks":
		for _, a := range args {
			name, list, _ := strings.Cut(a, "=")
			var racks [][]string
			for _, one := range strings.Split(list, "/") {
				racks = append(racks, strings.Split(one, ","))
			}
			r.bench.SetRacks(name, racks)
		}
	case "answer":
		return r.parseAnswer(in, args)
	}
	return nil
}
