package drive

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/protocol/script"
	"github.com/rebalsim/rebalsim/sim"
)

// A Script is one client, what its program calls, and what the brokers answer: a bench
// for the question "what would the Java client send now?". Its text form is YAML; see
// Parse.
type Script struct {
	Release  string
	at       script.Place
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
	script.Place
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
	r := newReader(file)
	s := &Script{at: script.Place{File: file, Line: 1, Column: 1}, brokers: 1, topics: map[string]int32{}}
	doc := r.Document(text)
	if r.err != nil {
		return nil, r.err
	}
	r.each(doc, "a script", func(key string, at, n *yaml.Node) {
		switch key {
		case "about":
			r.Text(n, key)
		case "kafka":
			s.Release = r.Text(n, key)
			if _, err := protocol.ParseRelease(s.Release); err != nil {
				r.Fail(n, "kafka: %s", err)
			}
		case "config":
			s.config = n
			readSettings(r, n, &consumer.Settings{})
		case "brokers":
			s.brokers = int32(r.Number(n, key, 1, 1000))
		case "topics":
			r.each(n, key, func(name string, _, n *yaml.Node) {
				s.topics[name] = int32(r.Number(n, name, 0, maxPartitions))
			})
		case "fetch":
			s.fetch = r.Flag(n, key)
		case "listener":
			s.listener = readListener(r, n)
		case "assignor":
			s.own = []consumer.OwnAssignor{readAssignor(r, n)}
		case "steps":
			for _, n := range r.List(n, key) {
				s.steps = append(s.steps, step{r.At(n), r.Text(n, "a step")})
			}
		default:
			r.Unknown(at, scriptKeys)
		}
	})
	if release != "" {
		if _, err := protocol.ParseRelease(release); err != nil {
			return nil, err
		}
		s.Release = release
	}
	if s.Release == "" {
		r.Fail(doc, "the script lacks the key \"kafka\"")
	}
	if r.err != nil {
		return nil, r.err
	}
	_, err := s.begin() // what the settings and the release say together
	return s, err
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
			return step.Wrong("%s: %s", step.text, err)
		}
	}
	_, err = io.WriteString(w, r.text.String())
	return err
}

func (s *Script) begin() (*scriptRun, error) {
	cfg, err := newConfig(s.Release)
	if err != nil {
		return nil, s.at.Wrong("kafka: %s", err)
	}
	for i := range s.brokers {
		cfg.Brokers = append(cfg.Brokers, sim.NodeID(i))
	}
	at := s.at
	if s.config != nil {
		r := newReader(s.at.File)
		at = r.At(s.config)
		readSettings(r, s.config, &cfg.Settings)
	}
	cfg.Listener, cfg.Own = s.listener, s.own
	cfg.Listener.PausesAll = !s.fetch
	run, err := newVectorRun(cfg, s.topics)
	if err != nil {
		return nil, at.Wrong("%s", err)
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
