package drive

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/internal/vectors"
	"github.com/rebalsim/rebalsim/protocol"
)

// TestEachBehaviourCounts bends each behaviour of the table, one at a time, in every
// release that has vectors, and wants that some vector or script then ends
// differently: a behaviour that nothing tells apart would be judged by nobody.
func TestEachBehaviourCounts(t *testing.T) {
	w := newWitnesses(t)
	for _, name := range protocol.BrokerBehaviours() {
		t.Run(name, func(t *testing.T) {
			for _, c := range changesOf(name) {
				if by := w.find(c.from, c.to); by == "" {
					t.Errorf("%s: %s: nothing is different", name, c.what)
				} else if testing.Verbose() {
					t.Logf("%s: %s: %s", name, c.what, by)
				}
			}
		})
	}
}

// change is a behaviour in two values that are to be told apart.
type change struct {
	what     string
	from, to func(*protocol.BrokerRules)
}

// changesOf are the neighbouring values of a behaviour.
func changesOf(name string) []change {
	set := func(v any) func(*protocol.BrokerRules) {
		return func(r *protocol.BrokerRules) {
			f := reflect.ValueOf(r).Elem().FieldByName(name)
			f.Set(reflect.ValueOf(v).Convert(f.Type()))
		}
	}
	f, _ := reflect.TypeOf(protocol.BrokerRules{}).FieldByName(name)
	switch f.Type.Kind() {
	case reflect.Bool:
		return []change{{"off and on", set(false), set(true)}}
	case reflect.Int32: // a number: the two that releases have
		values := map[string][2]int32{"ErrorGeneration": {0, -1}, "MaxSession": {300_000, 1_800_000}}[name]
		return []change{{"two numbers", set(values[0]), set(values[1])}}
	}
	var all []change
	for i, choices := 1, protocol.BrokerChoices(name); i < len(choices); i++ {
		all = append(all, change{choices[i-1] + " and " + choices[i], set(i - 1), set(i)})
	}
	return all
}

// witnesses are what can tell rules apart: the hand-made vectors and the scripts.
type witnesses struct {
	vectors []witness
	scripts []witness
}

type witness struct {
	name    string
	release string
	text    []byte
}

func newWitnesses(t *testing.T) *witnesses {
	w := &witnesses{}
	files, _ := filepath.Glob("../testdata/classic-*-handmade.jsonl.gz")
	slices.Reverse(files)
	for _, name := range files {
		release := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "classic-"), "-handmade.jsonl.gz")
		for _, line := range vectors.Lines(t, name) {
			w.vectors = append(w.vectors, witness{release + " " + string(line[7:11]), release, bytes.Clone(line)})
		}
	}
	for _, line := range derived {
		w.vectors = append(w.vectors, witness{"derived", protocol.Snapshot, []byte(line.request)})
	}
	w.readScripts(t)
	return w
}

// readScripts takes in all scripts.
func (w *witnesses) readScripts(t *testing.T) {
	for _, dir := range []string{"testdata/cases/*", "testdata/bugs/*", "testdata/cells/*"} {
		scripts, _ := filepath.Glob(dir)
		for _, name := range scripts {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, body, _ := bytes.Cut(text, []byte("\ndrive"))
			_, body, _ = bytes.Cut(body, []byte("\n"))
			body, _, _ = bytes.Cut(body, []byte("----"))
			if !bytes.Contains(body, []byte("config:")) {
				body = append([]byte(fixture), body...)
			}
			w.scripts = append(w.scripts, witness{name: filepath.Base(name), text: body})
		}
	}
}

// find names a witness that comes out differently.
func (w *witnesses) find(from, to func(*protocol.BrokerRules)) string {
	for _, release := range []string{"2.1.1", "3.9", protocol.Snapshot, "0.9.0.0", "0.10.2.1", "2.4.0", "2.8.0", "2.0.0"} {
		for _, x := range w.scripts {
			a, b := playBent(x.text, release, from), playBent(x.text, release, to)
			if a != b {
				return x.name + " on " + release
			}
		}
	}
	for _, x := range w.vectors {
		a, err := bentVector(x.text, from)
		b, err2 := bentVector(x.text, to)
		if err == nil && err2 == nil && !bytes.Equal(a, b) {
			return x.name
		}
	}
	return ""
}

// playBent plays a script with other rules; a script that the rules do not allow says
// nothing.
func playBent(text []byte, release string, bend func(*protocol.BrokerRules)) string {
	s, err := parse("x", text, release, bend)
	if err != nil {
		return ""
	}
	var out strings.Builder
	if err := s.Play(&out, Show{Owing: true}); err != nil {
		return ""
	}
	return out.String()
}
