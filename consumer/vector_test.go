package consumer

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The vectors are runs of Kafka's real client of 3.9.0 (rc3) and 2.8.0, recorded in
// virtual time. Two real threads would race within a millisecond, so runs are compared
// as they were recorded to be: which thread wrote a request does not count, and within one
// millisecond neither does the order between the threads. What counts there is each
// connection's order, and the order of callbacks, returns and the states at them.

// event is one "out" event, with its place.
type event map[string]any

func (e event) String() string {
	b, _ := json.Marshal(e)
	return string(b)
}

// lane is the sequence that an event belongs to within its millisecond.
func (e event) lane() string {
	switch e["out"] {
	case "send":
		return "1 " + e["conn"].(string)
	case "connect-failed", "client-disconnect", "request-timeout":
		return "2 " + e["conn"].(string)
	case "metadata":
		return "3"
	}
	return "0"
}

func outs(line []byte) ([]event, error) {
	var v struct{ Events []event }
	if err := json.Unmarshal(line, &v); err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(v.Events, func(e event) bool { _, ok := e["out"]; return !ok })
	state := event{}
	for i, e := range list {
		delete(e, "thr")
		delete(e, "req")
		if e["out"] == "state" { // as a whole, not as a change
			for k, x := range e {
				state[k] = x
			}
			whole := event{}
			for k, x := range state {
				whole[k] = x
			}
			list[i] = whole
		}
	}
	slices.SortStableFunc(list, func(a, b event) int {
		return cmp.Or(cmp.Compare(a["t"].(float64), b["t"].(float64)), strings.Compare(a.lane(), b.lane()))
	})
	return list, nil
}

// differ says where two runs first differ; "" if they do not.
func differ(want, got []byte) string {
	w, err := outs(want)
	if err != nil {
		return err.Error()
	}
	g, err := outs(got)
	if err != nil {
		return err.Error()
	}
	for i := 0; i < max(len(w), len(g)); i++ {
		switch {
		case i >= len(w):
			return fmt.Sprintf("event %d: recorded nothing more\n      got %s", i, g[i])
		case i >= len(g):
			return fmt.Sprintf("event %d: recorded %s\n      got nothing more", i, w[i])
		case !reflect.DeepEqual(w[i], g[i]):
			return fmt.Sprintf("event %d: recorded %s\n      got %s", i, w[i], g[i])
		}
	}
	return ""
}

func readVectors(t testing.TB, name string) [][]byte {
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	s := bufio.NewScanner(z)
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		lines = append(lines, slices.Clone(s.Bytes()))
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return lines
}

var vectorFiles = []struct {
	name   string
	sample int // every so-manieth unless REBALSIM_ALL is set
}{
	{"handmade-3.9.0.jsonl.gz", 1},
	{"random-3.9.0.jsonl.gz", 20},
	{"handmade-2.8.0.jsonl.gz", 1},
	{"random-2.8.0.jsonl.gz", 20},
}

func TestVectors(t *testing.T) {
	for _, file := range vectorFiles {
		t.Run(file.name, func(t *testing.T) {
			lines := readVectors(t, file.name)
			same, played := 0, 0
			for i, line := range lines {
				if file.sample > 1 && i%file.sample != 0 && os.Getenv("REBALSIM_ALL") == "" {
					continue
				}
				played++
				id := idOf(line)
				got, err := ReplayVector(line)
				if err != nil {
					t.Errorf("%v", err)
					continue
				}
				if d := differ(line, got); d != "" {
					t.Errorf("%s: %s", id, d)
					continue
				}
				same++
			}
			t.Logf("%d of %d played are identical, of %d", same, played, len(lines))
		})
	}
}

func idOf(line []byte) string {
	var v struct{ ID string }
	_ = json.Unmarshal(line, &v)
	return v.ID
}
