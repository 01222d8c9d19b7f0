package drive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/internal/vectors"
)

// every is which of the random vectors are run without REBALSIM_ALL: one in so many.
const every = 20

// TestVectors plays what was recorded from Kafka's own coordinators and wants the
// same answers, records, states and timers, to the byte. What an exception said
// ("thrown" in an entry) is not compared.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("../testdata/classic-*.jsonl.gz")
	if err != nil || len(files) != 16 {
		t.Fatalf("%d files of vectors, %v; 16 are wanted", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".jsonl.gz"), func(t *testing.T) {
			step := 1
			if strings.Contains(name, "-random") && os.Getenv("REBALSIM_ALL") == "" {
				step = every
			}
			total, same, shown := 0, 0, 0
			for i, line := range vectors.Lines(t, name) {
				if i%step != 0 {
					continue
				}
				total++
				diff := compareVector(line)
				if diff == "" {
					same++
				} else if shown++; shown <= 5 {
					t.Error(diff)
				}
			}
			t.Logf("%d of %d identical", same, total)
			if same != total {
				t.Errorf("%d of %d identical", same, total)
			}
		})
	}
}

type vector struct {
	ID    string           `json:"id"`
	Title string           `json:"title"`
	Steps []map[string]any `json:"steps"`
}

// compareVector is empty if a vector comes out as it was recorded, else says where
// it first does not.
func compareVector(line []byte) string {
	var want, got vector
	if err := json.Unmarshal(line, &want); err != nil {
		return err.Error()
	}
	answered, err := Vector(line)
	if err != nil {
		return want.ID + ": " + err.Error()
	}
	if bytes.Equal(answered, line) {
		return ""
	}
	if err := json.Unmarshal(answered, &got); err != nil {
		return want.ID + ": " + err.Error()
	}
	for i := range want.Steps {
		if i >= len(got.Steps) {
			return fmt.Sprintf("%s (%s) step %d: missing %s", want.ID, want.Title, i, text2(want.Steps[i]))
		}
		delete(want.Steps[i], "thrown")
		delete(got.Steps[i], "thrown")
		if reflect.DeepEqual(want.Steps[i], got.Steps[i]) {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s (%s) step %d", want.ID, want.Title, i)
		request := map[string]any{}
		for k, v := range want.Steps[i] {
			if w, ok := got.Steps[i][k]; !ok || !reflect.DeepEqual(v, w) {
				fmt.Fprintf(&b, "\n  %s\n    want %s\n    got  %s", k, text2(v), text2(got.Steps[i][k]))
			} else if !strings.Contains("out records state timers fired", k) {
				request[k] = v
			}
		}
		for k, v := range got.Steps[i] {
			if _, ok := want.Steps[i][k]; !ok {
				fmt.Fprintf(&b, "\n  %s\n    want none\n    got  %s", k, text2(v))
			}
		}
		fmt.Fprintf(&b, "\n  in %s", text2(request))
		return b.String()
	}
	if len(got.Steps) == len(want.Steps) && !bytes.Contains(line, []byte(`"thrown":[`)) {
		return want.ID + ": the same, written in another way"
	}
	if len(got.Steps) > len(want.Steps) {
		return fmt.Sprintf("%s: %d steps too many: %s", want.ID, len(got.Steps)-len(want.Steps), text2(got.Steps[len(want.Steps)]))
	}
	return ""
}

func text2(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestVectorsOnCopies replaces the broker by its copy after every input, which must
// change nothing.
func TestVectorsOnCopies(t *testing.T) {
	files, _ := filepath.Glob("../testdata/classic-*.jsonl.gz")
	for _, name := range files {
		for i, line := range vectors.Lines(t, name) {
			if i%every != 0 {
				continue
			}
			want, err := Vector(line)
			if err != nil {
				t.Fatal(err)
			}
			got, err := playVector(line, nil, nil, func(b *bench) {
				b.after = func() {
					b.broker = b.broker.Clone().(*coordinator.Broker)
					b.solo.Actor = b.broker
				}
			})
			if err != nil || !bytes.Equal(want, got) {
				t.Errorf("%s: vector %d is not the same on copies (%v)", filepath.Base(name), i, err)
			}
		}
	}
}

// TestVectorsHoldInvariants looks after every input for what can never be.
func TestVectorsHoldInvariants(t *testing.T) {
	files, _ := filepath.Glob("../testdata/classic-*.jsonl.gz")
	for _, name := range files {
		for i, line := range vectors.Lines(t, name) {
			if strings.Contains(name, "-random") && i%every != 0 {
				continue
			}
			var first error
			_, err := playVector(line, nil, nil, func(b *bench) {
				b.after = func() {
					if err := b.broker.Check(); err != nil && first == nil {
						first = err
					}
				}
			})
			if err != nil || first != nil {
				t.Errorf("%s: vector %d: %v %v", filepath.Base(name), i, err, first)
			}
		}
	}
}
