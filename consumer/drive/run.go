package drive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/sim"
)

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
