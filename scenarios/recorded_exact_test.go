package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/internal/vectors"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// recordedRun is a line of the recorded runs, as far as the coordinators' view goes.
type recordedRun struct {
	ID     string `json:"id"`
	Script []struct {
		At     float64 `json:"at"`
		Op     string  `json:"op"`
		Client struct {
			ID     string `json:"id"`
			Client string `json:"client"`
		} `json:"client"`
	} `json:"script"`
	Events []struct {
		T      float64         `json:"t"`
		Broker any             `json:"broker"`
		C      string          `json:"c"`
		Kind   string          `json:"kind"`
		Error  string          `json:"error"`
		Group  json.RawMessage `json:"group"`
	} `json:"events"`
}

func recordedRuns(t *testing.T) map[string]recordedRun {
	t.Helper()
	runs := map[string]recordedRun{}
	for _, line := range vectors.Lines(t, "cluster/testdata/e2e.jsonl.gz") {
		var r recordedRun
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		runs[r.ID[:3]] = r
	}
	return runs
}

// coordinatorsView is what happens at the coordinators: "ms client kind", and with an error
// when it is answered. The order within a millisecond does not count.
// With apart, two processes of one client id have names of their own.
func (r *recordedRun) coordinatorsView(apart bool) []string {
	called, down := map[string]string{}, -1.0
	for _, s := range r.Script {
		if s.Client.Client != "" && !apart {
			called[s.Client.ID] = s.Client.Client
		}
		if s.Op == "down" { // what it still answers reaches nobody
			down = s.At
		}
	}
	var list []string
	for _, e := range r.Events {
		name := e.C
		if c, ok := called[name]; ok {
			name = c
		}
		switch e.Broker {
		case "request":
			list = append(list, fmt.Sprintf("%7.0f %s asks %s", e.T, name, bareKind(e.Kind)))
		case "answer":
			if e.T == down {
				continue
			}
			list = append(list, fmt.Sprintf("%7.0f %s is told %s %s", e.T, name, bareKind(e.Kind), e.Error))
		}
	}
	slices.Sort(list)
	return list
}

// bareKind makes FIND_COORDINATOR and FindCoordinator one.
func bareKind(kind string) string { return strings.ReplaceAll(strings.ToLower(kind), "_", "") }

// viewer writes down the same of a run here.
type viewer struct {
	w    *sim.World
	list []string
}

func (v *viewer) Observe(r *sim.Rec) {
	if r.Op != sim.OpArrive && r.Op != sim.OpSend || (r.Op == sim.OpSend) != r.Msg.Answer {
		return
	}
	switch r.Msg.Kind() {
	case protocol.KindMetadata, protocol.KindFetch, protocol.KindListOffsets:
		return
	}
	name, kind := v.w.Name(r.Msg.Client()), bareKind(protocol.KindName(r.Msg.Kind()))
	if r.Op == sim.OpArrive {
		v.list = append(v.list, fmt.Sprintf("%7d %s asks %s", r.At.Millis(), name, kind))
		return
	}
	v.list = append(v.list, fmt.Sprintf("%7d %s is told %s %s", r.At.Millis(), name, kind, protocol.ErrorIn(r.Msg.Body)))
}

// inexact are the recorded runs whose scenarios differ, and by what. The list may only
// shrink.
var inexact = map[string]string{
	"E44": "A asks for metadata before it looks for the coordinator: 2 ms, which recorded clients need not",
}

// The scenarios of the recorded runs are as recorded to the millisecond, as the
// coordinators see it: who asks what, and what is answered.
func TestRecordedRunsAreExact(t *testing.T) {
	runs := recordedRuns(t)
	for _, x := range recorded {
		t.Run(x.id, func(t *testing.T) {
			r := runs[x.id]
			want, got := r.coordinatorsView(x.id == "E61"), coordinatorsViewOf(t, x.name)
			n := 0
			for n < len(want) && n < len(got) && want[n] == got[n] {
				n++
			}
			exact := n == len(got) || n == len(want)
			if known := inexact[x.id]; exact && known != "" {
				t.Errorf("it is exact now: take it off the list (%s)", known)
			} else if !exact && known == "" {
				t.Errorf("%s: the first %d are equal\n  recorded\n    %s\n  here\n    %s", x.name, n, around(want, n), around(got, n))
			}
		})
	}
}

// around are the lines around the n-th.
func around(list []string, n int) string {
	return strings.Join(list[max(0, n-2):min(n+4, len(list))], "\n    ")
}

func coordinatorsViewOf(t *testing.T, name string) []string {
	t.Helper()
	b, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Load()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Build(s, s.Kafka, &sim.Decisions{})
	if err != nil {
		t.Fatal(err)
	}
	v := &viewer{w: c.World}
	c.World.Watch(v)
	c.Run()
	slices.Sort(v.list)
	return v.list
}
