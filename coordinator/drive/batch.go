package drive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// The group of every vector.
const group = "g"

// step is a request of a vector, or an order to the bench. Of what was observed
// nothing is read.
type step struct {
	N         *int            `json:"n"`
	At        int64           `json:"at"`
	Op        string          `json:"op"`
	V         int16           `json:"v"`
	Client    string          `json:"client"`
	Member    string          `json:"member"`
	Inst      string          `json:"inst"`
	Session   int32           `json:"session"`
	Rebalance int32           `json:"rebalance"`
	PType     *string         `json:"ptype"`
	PName     *string         `json:"pname"`
	Protocols [][2]string     `json:"protocols"`
	Gen       int32           `json:"gen"`
	Assign    [][2]string     `json:"assign"`
	Members   [][2]*string    `json:"members"`
	Offsets   [][]any         `json:"offsets"`
	Async     bool            `json:"async"`
	Error     *string         `json:"error"`
	raw       json.RawMessage // all of it
}

// observed are the keys of an entry that are never read.
var observed = []string{"out", "records", "state", "timers", "fired", "thrown"}

// Batch reads vectors, one a line, and writes each as the simulated coordinator
// answers it. Empty lines stay. An error names the line.
func Batch(r io.Reader, w io.Writer) error {
	in := bufio.NewReaderSize(r, 1<<20)
	out := bufio.NewWriter(w)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			answered, err := Vector(text)
			if err != nil {
				out.Flush()
				return fmt.Errorf("line %d: %w", n, inPlainWords(err))
			}
			out.Write(answered)
			out.WriteByte('\n')
		} else if err == nil {
			out.WriteByte('\n')
		}
		if err == io.EOF {
			return out.Flush()
		}
		if err != nil {
			return err
		}
	}
}

// inPlainWords says in JSON's own words what does not fit, and not in Go's.
func inPlainWords(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	where, _, _ := strings.Cut(err.Error(), "json: ")
	if wrong.Field != "" {
		where += wrong.Field + ": "
	}
	return fmt.Errorf("%sa JSON %s does not fit there", where, wrong.Value)
}

// Vector plays one vector's requests and gives the vector with what the simulated
// coordinator did.
func Vector(line []byte) ([]byte, error) { return playVector(line, nil, nil, nil) }

// coverVector is Vector, and counts what was answered in which state.
func coverVector(line []byte, c *Coverage) ([]byte, error) {
	return playVector(line, nil, c, nil)
}

// bentVector is Vector with other rules than the release's.
func bentVector(line []byte, bend func(*protocol.BrokerRules)) ([]byte, error) {
	return playVector(line, bend, nil, nil)
}

func playVector(line []byte, bend func(*protocol.BrokerRules), cover *Coverage, prepare func(*bench)) ([]byte, error) {
	head, err := members(line)
	if err != nil {
		return nil, err
	}
	release := protocol.Snapshot
	var config []keyValue
	var raw []json.RawMessage
	for _, m := range head {
		switch m.key {
		case "release":
			err = json.Unmarshal(m.value, &release)
		case "config":
			config, err = members(m.value)
		case "steps":
			err = json.Unmarshal(m.value, &raw)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.key, err)
		}
	}
	if raw == nil {
		return nil, errors.New("this is no vector of a coordinator: there are no steps")
	}
	rel, err := protocol.ParseRelease(release)
	if err != nil {
		return nil, err
	}
	cfg, err := benchConfig(rel, config, bend)
	if err != nil {
		return nil, err
	}
	b := newBench(cfg)
	if prepare != nil {
		prepare(b)
	}
	if cover != nil {
		b.cover = cover.of(cfg, rel.String())
	}
	for i, text := range raw {
		s := step{Gen: -1, raw: text}
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("steps[%d]: %w", i, err)
		}
		if s.Op == "timer" {
			continue
		}
		if err := b.play(&s); err != nil {
			return nil, fmt.Errorf("steps[%d]: %w", i, err)
		}
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range head {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(m.name)
		out.WriteByte(':')
		if m.key == "steps" {
			out.WriteByte('[')
			out.Write(bytes.Join(b.entries, []byte{','}))
			out.WriteByte(']')
		} else {
			out.Write(m.value)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

type keyValue struct {
	key         string
	name, value json.RawMessage
}

// members splits an object into its members, in order and as they stand.
func members(text []byte) ([]keyValue, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("a JSON object is wanted")
	}
	var all []keyValue
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := keyValue{key: t.(string)}
		if m.name, err = json.Marshal(m.key); err != nil {
			return nil, err
		}
		if err := d.Decode(&m.value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.key, err)
		}
		all = append(all, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	return all, nil
}

// benchConfig is a release on the recorders' bench: ids m1, m2, …, members in the order
// of Kafka's hash maps there, a log that commits at once, and no wire, so that
// nothing can fail to be written to it (KAFKA-14422).
func benchConfig(rel protocol.Release, set []keyValue, bend func(*protocol.BrokerRules)) (*coordinator.Config, error) {
	rules := protocol.BrokerRulesOf(rel)
	rules.OldLeaderWedges = false
	if bend != nil {
		bend(&rules)
	}
	c := coordinator.DefaultsOf(rules, rel.Versions())
	c.IDs = coordinator.IDsPlain
	c.LastAddedFirst = rules.HashOrder == protocol.HashScala
	c.AppendLinger = 0
	c.OffsetsPartitions = 1
	for _, m := range set {
		var v int64
		if err := json.Unmarshal(m.value, &v); err != nil {
			return nil, fmt.Errorf("%s: %w", m.key, err)
		}
		if err := setting(&c, m.key, v); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

// setting sets a broker's setting by Kafka's name.
func setting(c *coordinator.Config, key string, v int64) error {
	least := int64(0)
	if key == "offsets.retention.check.interval.ms" {
		least = 1 // a check that follows upon itself would let no time pass
	}
	if v < least || v > 1<<40 {
		return fmt.Errorf("%s: %d is out of range", key, v)
	}
	i := int32(min(v, 1<<31-1))
	switch key {
	case "group.initial.rebalance.delay.ms":
		c.InitialRebalanceDelay = i
	case "group.min.session.timeout.ms":
		c.MinSessionTimeout = i
	case "group.max.session.timeout.ms":
		c.MaxSessionTimeout = i
	case "group.max.size":
		c.MaxSize = i
	case "offsets.commit.timeout.ms":
		c.CommitTimeout = v
	case "offsets.retention.minutes":
		c.OffsetsRetention = v * 60_000
	case "offsets.retention.check.interval.ms":
		c.RetentionCheck = v
	case "offset.metadata.max.bytes":
		c.MetadataMaxBytes = i
	case "group.coordinator.append.linger.ms":
		c.AppendLinger = v
	default:
		return fmt.Errorf("%q is not a setting of this coordinator", key)
	}
	return nil
}

// bench is one coordinator under observation.
type bench struct {
	cfg     *coordinator.Config
	broker  *coordinator.Broker
	solo    *sim.Solo
	asked   map[sim.Ref]asked // requests by the number of their input
	entries [][]byte

	out     []answer // of the current entry
	records []recordOut

	state  []byte           // as it was shown last
	timers map[string]int64 // as they were shown last
	shown  []string         // their names, in order
	known  map[string]*protocol.Metadata
	loaded bool
	epochs int32
	cover  *covered // nil: nobody counts
	after  func()   // after each input; nil: nothing
}

type asked struct {
	n  int
	op string
}

func newBench(cfg *coordinator.Config) *bench {
	image := &coordinator.Image{Brokers: []sim.NodeID{0}, OffsetsLeaders: []sim.NodeID{0}, AnyTopic: true}
	b := &bench{cfg: cfg, broker: coordinator.New(cfg, image), asked: map[sim.Ref]asked{}, timers: map[string]int64{},
		known: map[string]*protocol.Metadata{}, loaded: true}
	b.solo = sim.NewSolo("b1", b.broker)
	b.solo.Input(sim.Input{Kind: sim.InputStart})
	b.solo.Acts = b.solo.Acts[:0]
	return b
}

// play advances to the step's moment, then does what it says.
func (b *bench) play(s *step) error {
	if s.N == nil {
		return fmt.Errorf("n is missing")
	}
	at := sim.Time(s.At) * sim.Millisecond
	if at < b.solo.Now() || s.At > 1<<40 {
		return fmt.Errorf("at %d is before the step before it, or too late", s.At)
	}
	for {
		due, ok := b.solo.NextTimer()
		if !ok || due > at {
			break
		}
		b.fireAll(due)
	}
	b.solo.Skip(at)
	if err := b.do(s); err != nil {
		return fmt.Errorf("%s: %w", s.Op, err)
	}
	for { // timers of no delay that the request has set
		due, ok := b.solo.NextTimer()
		if !ok || due > at {
			break
		}
		b.solo.Fire()
		b.stepped()
	}
	head, err := members(s.raw)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	buf.WriteByte('{')
	for _, m := range head {
		if slices.Contains(observed, m.key) {
			continue
		}
		if buf.Len() > 1 {
			buf.WriteByte(',')
		}
		buf.Write(m.name)
		buf.WriteByte(':')
		buf.Write(m.value)
	}
	b.show(&buf, true)
	buf.WriteByte('}')
	b.entries = append(b.entries, buf.Bytes())
	return nil
}

// fireAll lets all timers of one moment go off: an entry of its own, which names them
// in that order.
func (b *bench) fireAll(at sim.Time) {
	fired := []string{}
	for {
		due, ok := b.solo.NextTimer()
		if !ok || due > at {
			break
		}
		next, _ := b.solo.Next()
		key := b.timerKey(next.ID)
		b.solo.Fire()
		b.stepped()
		if key != "" && !slices.Contains(fired, key) {
			fired = append(fired, key)
		}
	}
	var buf bytes.Buffer
	fmt.Fprintf(&buf, `{"at":%d,"op":"timer","fired":`, at.Millis())
	writeJSON(&buf, fired)
	n := buf.Len()
	b.show(&buf, false)
	if buf.Len() == n {
		return
	}
	buf.WriteByte('}')
	b.entries = append(b.entries, buf.Bytes())
}

// timerKey is the name that the vectors give a timer, "" if they do not show it.
func (b *bench) timerKey(id sim.TimerID) string {
	kind, _, member := b.broker.TimerOf(id)
	switch kind {
	case coordinator.TimerSession, coordinator.TimerLeftover, coordinator.TimerIdle:
		return "session:" + member
	case coordinator.TimerJoin:
		return "join"
	case coordinator.TimerSync:
		return "sync"
	case coordinator.TimerCleanup:
		if b.loaded {
			return "cleanup"
		}
	}
	return ""
}

// compareKeys orders names by their letters, then by their number.
func compareKeys(a, b string) int {
	pa, na := splitNumber(a)
	pb, nb := splitNumber(b)
	if pa != pb {
		return strings.Compare(pa, pb)
	}
	if na != nb {
		return na - nb
	}
	return strings.Compare(a, b)
}

func splitNumber(s string) (string, int) {
	i := len(s)
	for i > 0 && s[i-1] >= '0' && s[i-1] <= '9' {
		i--
	}
	n, _ := strconv.Atoi(s[i:])
	return s[:i], n
}

func (b *bench) order(body sim.Body) {
	b.solo.Input(sim.Input{Kind: sim.InputCommand, Body: body})
	b.stepped()
}

func (b *bench) stepped() {
	if b.after != nil {
		b.after()
	}
}

func (b *bench) ask(s *step, body sim.Body) {
	state := ""
	if b.cover != nil {
		state = stateOf(b.broker, group, 0)
	}
	req := b.solo.Request(0, body)
	b.stepped()
	if b.cover != nil {
		b.cover.add(s.Op, state, outcome(b.solo.Acts, req.Ref))
	}
	b.asked[req.Ref] = asked{*s.N, s.Op}
	b.answered()
}
