package assignor

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/internal/vectors"
)

// Every recorded line, through the batch, gets the recorded answer.
func TestBatchAnswersVectors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	lines := 0
	for _, file := range files {
		var in, out bytes.Buffer
		var asked []*vector
		for _, line := range vectors.Lines(t, file) {
			v := new(vector)
			if err := json.Unmarshal(line, v); err != nil {
				t.Fatal(err)
			}
			if sampled(v) && !isTreeBin(v) {
				asked = append(asked, v)
				in.Write(append(line, '\n'))
			}
		}
		if err := Batch(&in, &out); err != nil {
			t.Fatal(err)
		}
		answers := strings.SplitAfter(out.String(), "\n")
		if len(answers) != len(asked)+1 {
			t.Fatalf("%s: %d answers to %d lines", file, len(answers)-1, len(asked))
		}
		lines += len(asked)
		for i, v := range asked {
			checkAnswer(t, v, answers[i])
		}
	}
	t.Logf("%d lines", lines)
}

func checkAnswer(t *testing.T, v *vector, answer string) {
	t.Helper()
	type result struct {
		Out map[string]partitionRuns
		Err bool
	}
	var got struct {
		ID string
		result
		Steps []result
	}
	dec := json.NewDecoder(strings.NewReader(answer))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	results := got.Steps
	if v.Steps == nil {
		results = []result{got.result}
	}
	calls := v.calls()
	if got.ID != v.ID || len(results) != len(calls) {
		t.Fatalf("%s is not the answer to %s", answer, v.ID)
	}
	same := func(a, b partitionRuns) bool { return slices.Equal(a, b) }
	for i, r := range results {
		if r.Err != (calls[i].Err != "") || !maps.EqualFunc(r.Out, calls[i].Out, same) {
			t.Errorf("%s %s step %d: %s", v.Version, v.ID, i, answer)
		}
	}
}

func TestBatchRefuses(t *testing.T) {
	const good = `{"id":"x","a":"range","v":"2.8.0","topics":[["t0",2]],"members":[{"id":"C0","topics":["t0"]}]}`
	const answer = `{"id":"x","out":{"C0":[["t0",0,1]]}}` + "\n"
	for _, c := range []struct{ line, problem string }{
		{`{`, "unexpected end of JSON input"},
		{`[]`, "cannot unmarshal array"},
		{`{"a":"range","v":"2.8.0"}`, `there is no "id"`},
		{strings.Replace(good, "2.8.0", "two", 1), `"two" is not a release`},
		{strings.Replace(good, "2.8.0", "2.9.0", 1), `no Kafka 2.9.0 is known`},
		{strings.Replace(good, "range", "rnage", 1), `unknown assignor "rnage"`},
		{strings.Replace(good, `"range","v":"2.8.0"`, `"sticky","v":"2.3.0"`, 1), ErrNotModelled.Error()},
		{strings.Replace(good, `"range","v":"2.8.0"`, `"cooperative-sticky","v":"2.3.0"`, 1), ErrNotInRelease.Error()},
		{strings.Replace(good, `["t0",2]`, `["t0"]`, 1), "a topic is"},
		{strings.Replace(good, `["t0",2]`, `["t0",-1]`, 1), "-1 partitions"},
		{strings.Replace(good, `["t0",2]`, `["t0",2],["t0",2]`, 1), "listed twice"},
		{strings.Replace(good, `["t0",2]`, `["t0",2000000000]`, 1), "2000000000 partitions, at most"},
		{strings.Replace(good, `["t0",2]`, `["t0",3000000000]`, 1), "3000000000"},
		{strings.Replace(good, `}]}`, `},{"id":"C0"}]}`, 1), "listed twice"},
		{strings.Replace(good, `}]}`, `,"owned":[[]]}]}`, 1), "needs a topic"},
		{strings.Replace(good, `}]}`, `}],"racks":{"t1":[]}}`, 1), "not in topics"},
		{strings.Replace(good, `}]}`, `}],"racks":{"t0":[[],[],[]]}}`, 1), "racks for 3 partitions"},
		{`{"id":"x","a":"range","v":"2.8.0","steps":[{},{"members":[{"id":"C0"},{"id":"C0"}]}]}`, "step 1: "},
	} {
		var out bytes.Buffer
		err := Batch(strings.NewReader(good+"\n\n"+c.line+"\n"+good), &out)
		var at *LineError
		if !errors.As(err, &at) || at.Line != 3 || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s\n  %v, want line 3: … %s", c.line, err, c.problem)
		}
		if out.String() != answer {
			t.Errorf("%s\n  after %q", c.line, out.String())
		}
	}
}

// What a line means does not hang on how it is written.
func TestBatchForms(t *testing.T) {
	for _, c := range []struct{ line, answer string }{
		{`{"id":"a b\"<é","a":"range","v":"3.9.0-rc3","topics":[["t<0",1]],"mtopics":["t<0"],"members":[{"id":"C\\"}]}`,
			`{"id":"a b\"<é","out":{"C\\":[["t\u003c0",0]]}}`},
		{`{"id":7,"a":"roundrobin","v":"0.10.1.0","topics":[],"members":[]}`, `{"id":7,"out":{}}`},
		{`{"id":"n","a":"sticky","v":"3.9","topics":[["t0",0]],"members":[{"id":"C0","topics":["t0"],"owned":[],"gen":-1}]}`,
			`{"id":"n","out":{"C0":[]}}`},
		{`{"id":"m","a":"range","v":"2.4.0","steps":[]}`, `{"id":"m","steps":[]}`},
		{`{"id":"r","a":"range","v":"3.5.0","topics":[["t0",2]],"racks":{"t0":[["r1",null],["r0"]]},"mtopics":["t0"],` +
			`"members":[{"id":"C0","rack":"r0"},{"id":"C1","rack":"r1"}]}`, `{"id":"r","out":{"C0":[["t0",1]],"C1":[["t0",0]]}}`},
	} {
		var out bytes.Buffer
		if err := Batch(strings.NewReader(c.line), &out); err != nil {
			t.Errorf("%s: %v", c.line, err)
		} else if out.String() != c.answer+"\n" {
			t.Errorf("%s\n  %s  want %s", c.line, out.String(), c.answer)
		}
	}
}

// An assignor that never ends is an error of the call, not of the line.
func TestBatchEndlessLoop(t *testing.T) {
	b := []byte(`{"id":"loop","a":"sticky","v":"3.0.0","topics":[["s0",5],["s1",15]],"members":[`)
	for i, m := range endlessGroup(t).Members {
		if i > 0 {
			b = append(b, ',')
		}
		topics, err := json.Marshal(m.Topics)
		if err != nil {
			t.Fatal(err)
		}
		gen, err := json.Marshal(m.UserDataGeneration.Number)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, `{"id":"`+m.ID+`","topics":`+string(topics)+`,"gen":`+string(gen)+`,"owned":`...)
		b = append(appendRuns(b, m.Owned), '}')
	}
	b = append(b, "]}"...)
	var out bytes.Buffer
	if err := Batch(bytes.NewReader(b), &out); err != nil || out.String() != "{\"id\":\"loop\",\"err\":true}\n" {
		t.Errorf("%s, %v", out.String(), err)
	}
}

func FuzzBatch(f *testing.F) {
	f.Add([]byte(`{"id":"x","a":"sticky","v":"3.0.0","topics":[["t0",2],["t1",3]],"members":[{"id":"C0","topics":["t0"],"owned":[["t0",0,0,-1,7],["t1",2]],"gen":5},{"id":"C1","topics":["t0","t1","t1"],"owned":[["t0",0]],"gen":5}]}`))
	f.Add([]byte(`{"id":"x","a":"cooperative-sticky","v":"3.5.0","topics":[["t0",2]],"racks":{"t0":[["a"],["b",null]]},"mtopics":["t0"],"members":[{"id":"C0","rack":"a"},{"id":"","rack":"b","sgen":3}]}`))
	f.Add([]byte(`{"id":"x","a":"range","v":"0.10.2.1","steps":[{"topics":[["t0",2]],"members":[{"id":"C0","inst":"i","topics":["t0","t0"]}]}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var out bytes.Buffer
		if err := Batch(bytes.NewReader(line), &out); err == nil && bytes.Count(out.Bytes(), []byte("\n")) > bytes.Count(line, []byte("\n"))+1 {
			t.Errorf("%q for %q", out.Bytes(), line)
		}
	})
}
