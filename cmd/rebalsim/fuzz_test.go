package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/explore"
)

func TestShards(t *testing.T) {
	env := map[string]string{}
	for _, x := range []struct {
		text, env string
		shard, of uint64
		wrong     string
	}{
		{"", "", 0, 0, ""},
		{"2/8", "", 2, 8, ""},
		{"auto", "CI_NODE_INDEX=3 CI_NODE_TOTAL=4", 3, 4, ""},
		{"auto/8", "JOB_COMPLETION_INDEX=0", 1, 8, ""},
		{"auto/8", "JOB_COMPLETION_INDEX=7", 8, 8, ""},
		{"auto/8", "JOB_COMPLETION_INDEX=8", 0, 0, "JOB_COMPLETION_INDEX is 8, counted from 0, and there are 8 parts"},
		{"auto", "JOB_COMPLETION_INDEX=0", 0, 0, "write --shard auto/8"},
		{"auto", "", 0, 0, "write --shard 1/8"},
		{"2", "", 0, 0, "write 1/8"},
		{"0/8", "", 0, 0, "counted from 1"},
		{"9/8", "", 0, 0, "there is no part 9 of 8"},
		{"a/b", "", 0, 0, "two whole numbers"},
	} {
		clear(env)
		for _, set := range strings.Fields(x.env) {
			k, v, _ := strings.Cut(set, "=")
			env[k] = v
		}
		shard, of, err := shardOf(x.text, func(k string) string { return env[k] })
		if shard != x.shard || of != x.of || (err != nil) != (x.wrong != "") || err != nil && !strings.Contains(err.Error(), x.wrong) {
			t.Errorf("%s with %s: %d/%d, %v", x.text, x.env, shard, of, err)
		}
	}
}

func TestSeedOfCommit(t *testing.T) {
	for _, name := range commitVariables {
		t.Setenv(name, "")
	}
	t.Setenv("CIRCLE_SHA1", "00000000001f0123456789")
	if seed, err := seedOfCommit(); seed != 0x1f || err != nil {
		t.Errorf("%d, %v", seed, err)
	}
	t.Setenv("CIRCLE_SHA1", "main")
	if _, err := seedOfCommit(); err == nil {
		t.Error("main is taken for a hash")
	}
}

// The commands that docs/fuzz.md shows are such as there are.
func TestFuzzDocumentsCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/fuzz.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^\$ rebalsim ([^#\n]*)|cmd/rebalsim (fuzz .*)$|args: \[(.*)\]`).FindAllStringSubmatch(string(text), -1)
	if len(commands) < 8 {
		t.Errorf("only %d commands are found", len(commands))
	}
	for _, m := range commands {
		line := strings.NewReplacer(",", "", `"`, "").Replace(m[3])
		if m[3] == "" {
			line = regexp.MustCompile(`'[^']*'`).ReplaceAllString(m[1]+m[2], "x")
			line = regexp.MustCompile(`\$\{\{.*?\}\}`).ReplaceAllString(line, "1")
		}
		cmd, args, err := newRootCmd().Find(strings.Fields(line))
		if err == nil {
			err = cmd.ParseFlags(args)
		}
		if err != nil {
			t.Errorf("rebalsim %s: %v", line, err)
		}
	}
}

// What was found is told although it cannot be saved, and fails.
func TestWhatCannotBeSavedIsTold(t *testing.T) {
	f := fuzzing{format: "text", failures: filepath.Join(t.TempDir(), "file")}
	if err := os.WriteFile(f.failures, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if canFill(f.failures) == nil {
		t.Error("a file is taken for a folder")
	}
	c := explore.Generate(1)
	found := explore.Finding{Invariant: "one-owner", Place: "Stable"}
	r := &explore.Result{What: "x", Runs: 1, Failures: []explore.Group{{Signature: "one-owner: Stable", Runs: 1, Shortest: explore.Found{Case: c, Finding: found}}}}
	var out, problems bytes.Buffer
	err := f.finish(r, nil, nil, &out, &problems)
	if err != (failed{exitFailed}) || !strings.Contains(out.String(), "one-owner: Stable") || !strings.Contains(problems.String(), "one-owner: Stable is not saved: ") {
		t.Errorf("%v\n%s\n%s", err, out.String(), problems.String())
	}
}
