package cluster

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/internal/vectors"
	"github.com/rebalsim/rebalsim/sim"
)

// recorded are runs of Kafka's own clients joined to Kafka's own coordinator.
func recorded(t testing.TB) (lines [][]byte) {
	for _, line := range vectors.Lines(t, "testdata/e2e.jsonl.gz") {
		lines = append(lines, bytes.Clone(line))
	}
	return lines
}

// differing are the recorded runs that are not identical event for event, and why. The
// list may only shrink.
var differing = []struct{ id, cause string }{}

func TestRecordedRuns(t *testing.T) {
	var whole, coordinator, order int
	lines := recorded(t)
	for _, line := range lines {
		c, err := Compare(line)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			known := slices.IndexFunc(differing, func(d struct{ id, cause string }) bool { return d.id == c.ID })
			switch {
			case !c.Whole.None() && known < 0:
				t.Error(c.Whole)
			case c.Whole.None() && known >= 0:
				t.Errorf("it is identical now: take it off the list (%s)", differing[known].cause)
			}
			if !c.Coordinator.None() {
				t.Errorf("the coordinator's view differs: %s", c.Coordinator)
			}
		})
		if c.Whole.None() {
			whole++
		}
		if c.Coordinator.None() {
			coordinator++
		}
		if c.Order.None() {
			order++
		} else {
			t.Logf("%s, within a millisecond: %s", c.ID, c.Order)
		}
	}
	t.Logf("%d runs: %d identical event for event (%d in the very order within each millisecond), %d in the coordinator's view",
		len(lines), whole, order, coordinator)
}

// line gives one recorded run.
func line(t testing.TB, id string) []byte {
	for _, l := range recorded(t) {
		if bytes.Contains(l, []byte(`"`+id)) {
			return l
		}
	}
	t.Fatalf("there is no run %s", id)
	return nil
}

// object is a line as its keys and values.
func object(t testing.TB, line []byte) map[string]json.RawMessage {
	var o map[string]json.RawMessage
	if err := json.Unmarshal(line, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func marshal(t testing.TB, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Events of a line are not read, and what a line says besides stays as it is.
func TestOnlyTheScriptIsRead(t *testing.T) {
	whole := object(t, line(t, "E44"))
	with, err := Play(marshal(t, whole))
	if err != nil {
		t.Fatal(err)
	}
	delete(whole, "events")
	without, err := Play(marshal(t, whole))
	if err != nil {
		t.Fatal(err)
	}
	got := object(t, without)
	if !bytes.Equal(object(t, with)["events"], got["events"]) {
		t.Error("with its events at hand the run is another")
	}
	for key, value := range whole {
		if !bytes.Equal(got[key], value) {
			t.Errorf("%s: %s has become %s", key, value, got[key])
		}
	}
}

// Replacing every node by its copy before each event changes nothing.
func TestCopies(t *testing.T) {
	for _, id := range []string{"E44", "E52", "E61"} {
		r, err := parse(line(t, id))
		if err != nil {
			t.Fatal(err)
		}
		play := func(copies bool) []byte {
			w, err := build(r)
			if err != nil {
				t.Fatal(err)
			}
			if copies {
				w.sim.Watch(copier{w.sim})
			}
			events, err := w.play()
			if err != nil {
				t.Fatal(err)
			}
			return bytes.Join(events, []byte{'\n'})
		}
		if !bytes.Equal(play(false), play(true)) {
			t.Errorf("%s: copies make another run", id)
		}
	}
}

// copier replaces the node of each event that is about to be handled.
type copier struct{ world *sim.World }

func (c copier) Observe(r *sim.Rec) {
	switch r.Op {
	case sim.OpArrive, sim.OpClosed, sim.OpCommand, sim.OpTimer:
		for id := range sim.NodeID(c.world.Nodes()) {
			c.world.Recopy(id)
		}
	}
}

// A run ends a minute after the last that is done, or when the line says.
func TestEnd(t *testing.T) {
	o := object(t, line(t, "E05"))
	delete(o, "events")
	last := func() float64 {
		played, err := Play(marshal(t, o))
		if err != nil {
			t.Fatal(err)
		}
		var events []event
		if err := json.Unmarshal(object(t, played)["events"], &events); err != nil {
			t.Fatal(err)
		}
		return events[len(events)-1].time()
	}
	if at := last(); at < 57_000 || at > 60_012 {
		t.Errorf("the last event is at %v", at)
	}
	o["until"] = json.RawMessage("6009")
	if at := last(); at != 6009 {
		t.Errorf("until 6009 the last event is at %v", at)
	}
}

// A comparison finds a difference, and tells what it concerns.
func TestCompareFindsDifferences(t *testing.T) {
	for _, x := range []struct {
		name, old, new            string
		whole, coordinator, order bool
	}{
		{"nothing", `"t"`, `"t"`, true, true, true},
		{"a request's time", `{"t":3,"broker":"request"`, `{"t":2,"broker":"request"`, false, false, false},
		{"an answer", `"error":"MEMBER_ID_REQUIRED","gen":-1`, `"error":"NONE","gen":-1`, false, false, false},
		{"a client's state", `"st":"COMPLETING_REBALANCE"`, `"st":"STABLE"`, false, true, false},
		{"a thread", `"thr":"hb"`, `"thr":"user"`, true, true, false},
	} {
		l := bytes.Replace(compact(t, line(t, "E01")), []byte(x.old), []byte(x.new), 1)
		c, err := Compare(l)
		if err != nil {
			t.Fatal(err)
		}
		if c.Whole.None() != x.whole || c.Coordinator.None() != x.coordinator || c.Order.None() != x.order {
			t.Errorf("%s: same as a whole %v, for the coordinator %v, in order %v", x.name, c.Whole.None(), c.Coordinator.None(), c.Order.None())
		}
	}
}

func compact(t testing.TB, line []byte) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, line); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRefusals(t *testing.T) {
	for _, x := range []struct{ line, want string }{
		{`[]`, "a JSON array does not fit there"},
		{`null`, "it has no script"},
		{`{}`, "it has no script"},
		{`{"script":[{"op":"stop"}]}`, `there is no op "stop"`},
		{`{"script":[{"op":"cmd","c":"A","cmd":{"op":"seek"}}]}`, `there is no cmd "seek"`},
		{`{"script":[{"op":"close","c":"A"}]}`, `there is no client "A"`},
		{`{"script":[{"op":"start","client":{"id":""}}]}`, "must be a name"},
		{`{"subscribe":["t"],"script":[{"op":"start","client":{"id":"A"}},{"op":"start","client":{"id":"A"}}]}`, "A starts twice"},
		{`{"script":[{"op":"move","to":2}]}`, "there is no broker 2"},
		{`{"script":[{"op":"down","broker":-1}]}`, "there is no broker -1"},
		{`{"script":[{"op":"busy","c":"A","at":-1}]}`, "times are from 0"},
		{`{"topics":{"t":1000000000},"script":[]}`, "1000000000 partitions"},
		{`{"poll":-5,"script":[]}`, "poll is -5"},
		{`{"until":2000000000,"script":[]}`, "until is"},
		{`{"broker":{"num.io.threads":1},"script":[]}`, "num.io.threads: no setting"},
		{`{"config":{"fetch.min.bytes":1},"script":[{"op":"start","client":{"id":"A"}}]}`, "fetch.min.bytes: no setting"},
		{`{"config":{"partition.assignment.strategy":"x.Y"},"script":[{"op":"start","client":{"id":"A"}}]}`, `there is no assignor "x.Y"`},
		{`{"config":{"session.timeout.ms":0},"script":[{"op":"start","client":{"id":"A"}}]}`, "session.timeout.ms is 0"},
		{`{"poll":0,"work":0,"script":[{"op":"start","client":{"id":"A"}}]}`, "never let time pass"},
	} {
		_, err := Play([]byte(x.line))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.line, err, x.want)
		}
	}
	err := Batch(strings.NewReader("\n{\"topics\":1}\n"), &bytes.Buffer{})
	if err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("the line is not named: %v", err)
	}
}
