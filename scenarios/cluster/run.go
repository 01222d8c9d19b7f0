// Package cluster plays whole runs: clients, brokers and what was done to them, as lines
// of JSON, in the form in which runs of Kafka's own client joined to Kafka's own
// coordinator were recorded. Recorded runs hold their events; Play reads only what was
// done, plays it on a simulated cluster and writes the events that came of it.
//
// Such a cluster is simpler than life: two brokers, one group "g", one millisecond each
// way, connections in no time, metadata in no time, no records and no chance. Its clients
// are those of 3.9.0, its coordinator that of 4.0-2024-10, as recorded.
package cluster

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
)

// The limits of a run. Hostile input ends at them with an error.
const (
	maxTime       = 1_000_000_000 // ms
	maxClients    = 1000
	maxSteps      = 10_000
	maxPartitions = 10_000
	maxEvents     = 2_000_000
)

// run is a line, without its events.
type run struct {
	ID        string                     `json:"id"`
	Config    map[string]json.RawMessage `json:"config"` // of the clients
	Broker    map[string]json.RawMessage `json:"broker"`
	Topics    map[string]int32           `json:"topics"`
	Subscribe []string                   `json:"subscribe"`
	Poll      int64                      `json:"poll"`    // ms, the timeout given to poll
	Work      int64                      `json:"work"`    // ms, between two polls
	Latency   int64                      `json:"latency"` // ms, each way
	Script    []step                     `json:"script"`
	// Until is when the run ends, in ms. Recorded runs do not say; without it a run goes
	// on for a minute after the last that is done.
	Until *int64 `json:"until"`
}

// step is something done to the cluster.
type step struct {
	At     int64            `json:"at"`
	Op     string           `json:"op"`
	Client clientSpec       `json:"client"` // start
	C      string           `json:"c"`      // close, kill, busy, cmd: the client
	MS     int64            `json:"ms"`     // busy
	Cmd    command          `json:"cmd"`
	To     int32            `json:"to"`     // move: the broker
	Broker int32            `json:"broker"` // down, up
	Topics map[string]int32 `json:"topics"`
}

// clientSpec is a process that starts.
type clientSpec struct {
	ID           string `json:"id"`       // names the process
	Client       string `json:"client"`   // client.id; "": the id
	Instance     string `json:"instance"` // group.instance.id
	SlowAssigned int64  `json:"slowAssigned"`
	SlowRevoked  int64  `json:"slowRevoked"` // ms that each such callback takes
}

// command is a call that a client's program makes at its next turn.
type command struct {
	Op      string   `json:"op"`
	Topics  []string `json:"topics"`
	Reason  string   `json:"reason"`
	Timeout *int64   `json:"timeout"`
}

// defaultTail is how long a run goes on after the last step of its script.
const defaultTail = 60_000

// parse reads a line and looks for what cannot be played.
func parse(line []byte) (*run, error) {
	r := &run{Poll: 100, Latency: 1}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(line, r); errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s: a JSON %s does not fit there", cmp.Or(wrong.Field, "the line"), wrong.Value)
	} else if err != nil {
		return nil, err
	}
	if r.Script == nil {
		return nil, errors.New("this is no run: it has no script")
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	// total: steps of one moment stay in their order
	slices.SortStableFunc(r.Script, func(a, b step) int { return cmp.Compare(a.At, b.At) })
	return r, nil
}

func (r *run) check() error {
	for _, x := range []struct {
		name string
		ms   int64
	}{{"poll", r.Poll}, {"work", r.Work}, {"latency", r.Latency}, {"until", r.end()}} {
		if x.ms < 0 || x.ms > maxTime {
			return fmt.Errorf("%s is %d: it must be from 0 to %d ms", x.name, x.ms, int64(maxTime))
		}
	}
	if err := checkTopics(r.Topics); err != nil {
		return err
	}
	if len(r.Script) > maxSteps {
		return fmt.Errorf("script: %d steps are too many, %d can be played", len(r.Script), maxSteps)
	}
	started := 0
	for i := range r.Script {
		if err := r.Script[i].check(); err != nil {
			return fmt.Errorf("script[%d]: %w", i, err)
		}
		if r.Script[i].Op == "start" {
			started++
		}
	}
	if started > maxClients {
		return fmt.Errorf("script: %d clients are too many, %d can be played", started, maxClients)
	}
	return nil
}

func checkTopics(topics map[string]int32) error {
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		if n := topics[name]; name == "" || n < 1 || n > maxPartitions {
			return fmt.Errorf("topics: %q has %d partitions: it must have a name and from 1 to %d", name, n, maxPartitions)
		}
	}
	return nil
}

func (s *step) check() error {
	for _, ms := range []int64{s.At, s.MS, s.Client.SlowAssigned, s.Client.SlowRevoked} {
		if ms < 0 || ms > maxTime {
			return fmt.Errorf("%d ms: times are from 0 to %d", ms, int64(maxTime))
		}
	}
	switch s.Op {
	case "start":
		if s.Client.ID == "" || strings.Contains(s.Client.ID, ":") {
			return fmt.Errorf("start: the client's id is %q: it must be a name without a colon", s.Client.ID)
		}
	case "close", "kill", "busy", "load", "loaded":
	case "cmd":
		if s.Cmd.call() == nil {
			return fmt.Errorf("there is no cmd %q: write commitSync, enforceRebalance, subscribe or unsubscribe", s.Cmd.Op)
		}
	case "topics":
		return checkTopics(s.Topics)
	case "move":
		return checkBroker(s.To)
	case "down", "up":
		return checkBroker(s.Broker)
	default:
		return fmt.Errorf("there is no op %q: write start, close, kill, busy, cmd, topics, move, load, loaded, down or up", s.Op)
	}
	return nil
}

func checkBroker(n int32) error {
	if n < 0 || n >= brokers {
		return fmt.Errorf("there is no broker %d: there are 0 and 1", n)
	}
	return nil
}

// call is what the client's program is told; nil: there is no such command.
func (c *command) call() *consumer.Call {
	switch c.Op {
	case "commitSync":
		timeout := int64(60_000)
		if c.Timeout != nil {
			timeout = min(max(*c.Timeout, 0), maxTime)
		}
		return &consumer.Call{Op: consumer.OpCommitSync, Timeout: timeout}
	case "enforceRebalance":
		return &consumer.Call{Op: consumer.OpEnforceRebalance, Reason: c.Reason}
	case "subscribe":
		return &consumer.Call{Op: consumer.OpSubscribe, Topics: c.Topics}
	case "unsubscribe":
		return &consumer.Call{Op: consumer.OpUnsubscribe}
	}
	return nil
}

// end is the last moment that is played, in ms.
func (r *run) end() int64 {
	if r.Until != nil {
		return *r.Until
	}
	last := int64(0)
	for i := range r.Script {
		last = max(last, r.Script[i].At+r.Script[i].MS)
	}
	return min(last+defaultTail, maxTime)
}

// Play plays one line and gives it back with what came of it.
func Play(line []byte) ([]byte, error) {
	r, err := parse(line)
	if err != nil {
		return nil, err
	}
	w, err := build(r)
	if err != nil {
		return nil, err
	}
	events, err := w.play()
	if err != nil {
		return nil, err
	}
	return rewrite(line, events)
}

// rewrite gives the line's own keys, as they stand, and the events.
func rewrite(line []byte, events [][]byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if key == "events" {
			continue
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
		b.WriteByte(',')
	}
	b.WriteString(`"events":[`)
	b.Write(bytes.Join(events, []byte{','}))
	b.WriteString("]}")
	return b.Bytes(), nil
}

// setBroker sets a broker's setting by Kafka's name.
func setBroker(c *coordinator.Config, name string, raw json.RawMessage) error {
	ints := []struct {
		name string
		to   *int32
	}{
		{"group.initial.rebalance.delay.ms", &c.InitialRebalanceDelay},
		{"group.min.session.timeout.ms", &c.MinSessionTimeout},
		{"group.max.session.timeout.ms", &c.MaxSessionTimeout},
		{"group.max.size", &c.MaxSize},
	}
	for _, x := range ints {
		if x.name == name {
			return json.Unmarshal(raw, x.to)
		}
	}
	return fmt.Errorf("no setting of that name is known here")
}

// setClient sets a client's setting by Kafka's name.
func setClient(s *consumer.Settings, name string, raw json.RawMessage) error {
	ints := []struct {
		name string
		to   *int64
	}{
		{"session.timeout.ms", &s.SessionTimeout}, {"heartbeat.interval.ms", &s.HeartbeatInterval},
		{"max.poll.interval.ms", &s.MaxPollInterval}, {"retry.backoff.ms", &s.RetryBackoff},
		{"retry.backoff.max.ms", &s.RetryBackoffMax}, {"request.timeout.ms", &s.RequestTimeout},
		{"auto.commit.interval.ms", &s.AutoCommitInterval}, {"default.api.timeout.ms", &s.APITimeout},
		{"metadata.max.age.ms", &s.MetadataMaxAge}, {"reconnect.backoff.ms", &s.ReconnectBackoff},
		{"reconnect.backoff.max.ms", &s.ReconnectMax},
	}
	for _, x := range ints {
		if x.name == name {
			return json.Unmarshal(raw, x.to)
		}
	}
	switch name {
	case "enable.auto.commit":
		return json.Unmarshal(raw, &s.AutoCommit)
	case "partition.assignment.strategy":
		return setStrategy(s, raw)
	}
	return fmt.Errorf("no setting of that name is known here")
}

// setStrategy takes Java classes, in a list or separated by commas.
func setStrategy(s *consumer.Settings, raw json.RawMessage) error {
	var classes []string
	if err := json.Unmarshal(raw, &classes); err != nil {
		var all string
		if err := json.Unmarshal(raw, &all); err != nil {
			return err
		}
		classes = strings.Split(all, ",")
	}
	s.Strategy = nil
	for _, class := range classes {
		short := strings.TrimPrefix(strings.TrimSpace(class), "org.apache.kafka.clients.consumer.")
		switch short {
		case "RangeAssignor":
			s.Strategy = append(s.Strategy, "range")
		case "RoundRobinAssignor":
			s.Strategy = append(s.Strategy, "roundrobin")
		case "StickyAssignor":
			s.Strategy = append(s.Strategy, "sticky")
		case "CooperativeStickyAssignor":
			s.Strategy = append(s.Strategy, "cooperative-sticky")
		default:
			return fmt.Errorf("there is no assignor %q", class)
		}
	}
	return nil
}

// Batch plays the lines of r, one run a line, and writes each with what came of it. Empty
// lines stay. An error names the line.
func Batch(r io.Reader, w io.Writer) error {
	return eachLine(r, func(line []byte) error {
		if len(line) > 0 {
			played, err := Play(line)
			if err != nil {
				return err
			}
			line = played
		}
		_, err := w.Write(append(line, '\n'))
		return err
	})
}
