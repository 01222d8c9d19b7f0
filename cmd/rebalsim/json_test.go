package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Keys of JSON are written alike wherever they come from, as the trace has them: sessionTimeout.
// Where names of the scenario are keys, they are as the scenario has them. What --batch
// writes is left out: it is in the form of the recorded runs that it reads.
func TestKeysOfJSON(t *testing.T) {
	names := map[string]bool{"/variants/figures": true}
	key := regexp.MustCompile(`^[a-z]+([A-Z][a-zA-Z]*)?$`)
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{
		"late.yaml": `about: It cannot be as it is expected.
latency: 1ms..900ms
topics: {orders: {partitions: 6}}
group: {id: g}
members: {L: {}, F1: {}}
start: {formed: {leader: L}}
timeline: [{at: 5s, kill: F1}]
expect: [{b1.group.Stable#2: {at: 1s}}]
`,
		"group.yaml": "topics: {orders: 4}\nmembers: {A: {topics: orders, owned: [orders-0..3], generation: 1}, B: {topics: orders}}\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{
		"run leader-not-first --format jsonl", "run lost-coordinator --seed 3 --format jsonl",
		"run r074-restart-inside-and-outside-the-session --format jsonl", "run r020-killed-on-sigterm --kafka 2.4 --format jsonl",
		"list --format json", "invariants --format json", "invariants --flaws --format json",
		"compare slow-handler --seeds 2 --format json",
		"assign group.yaml --assignor sticky --compare 3.9,2.8.0 --format json",
		"fuzz late.yaml --seeds 3 --json one.json --shard 1/2 --format json", "fuzz late.yaml --seeds 3 --json two.json --shard 2/2 --format json",
		"fuzz merge one.json two.json --format json", "fuzz --seeds 50 --failures= --format json",
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(args), nil, &out, &errs); code > exitFailed {
			t.Errorf("%s: exit code %d: %s", args, code, &errs)
		}
		seen := 0
		var walk func(v any, path string)
		walk = func(v any, path string) {
			switch v := v.(type) {
			case []any:
				for _, x := range v {
					walk(x, path)
				}
			case map[string]any:
				for k, x := range v {
					if seen++; !key.MatchString(k) && !names[path] {
						t.Errorf("%s: %s has the key %q", args, path, k)
						key = regexp.MustCompile(key.String() + "|^" + regexp.QuoteMeta(k) + "$") // told once
					}
					walk(x, path+"/"+k)
				}
			}
		}
		for d := json.NewDecoder(&out); ; {
			var v any
			err := d.Decode(&v)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", args, err)
			}
			walk(v, "")
		}
		if seen == 0 {
			t.Errorf("%s: there are no keys", args)
		}
	}
}
