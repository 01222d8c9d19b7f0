package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// shownRuns is what docs/explore.md shows: a scenario, or a command with what it prints.
	shownRuns = regexp.MustCompile("(?s)```(yaml|console)\n(.*?)```\n")
	asCommand = regexp.MustCompile(`^\$ rebalsim ([^\n]*)\n`)
	// ofMachine are figures that each machine has its own of.
	ofMachine = regexp.MustCompile(`(?m)^  [0-9.]+ s: \d+ states/s; \d+ MB: \d+ bytes/state$`)
)

// docs/explore.md shows what its commands print, one after the other. A line of … stands for the
// rest. Run with -update to write it anew.
func TestExploreDocsShowRealOutput(t *testing.T) {
	file, err := filepath.Abs("../../docs/explore.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	scenario, played := "", 0
	now := shownRuns.ReplaceAllStringFunc(string(text), func(block string) string {
		m := shownRuns.FindStringSubmatch(block)
		if m[1] == "yaml" {
			scenario = m[2]
			return block
		}
		command := asCommand.FindStringSubmatch(m[2])
		args := strings.Fields(command[1])
		if strings.HasSuffix(args[1], ".yaml") && !strings.Contains(args[1], "/") && !exists(args[1]) {
			if err := os.WriteFile(args[1], []byte(scenario), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &errs); code > exitFailed {
			t.Errorf("%s: exit code %d\n%s", command[1], code, &errs)
		}
		played++
		shown := strings.TrimPrefix(m[2], command[0])
		return strings.Replace(block, shown, asShown(shown, out.String()), 1)
	})
	if played != 6 {
		t.Errorf("docs/explore.md shows %d runs, not 6", played)
	}
	mustShow(t, file, string(text), now)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// asShown is an output as the docs show it: with the figures of the machine on which they were
// written, and as far as they show it.
func asShown(shown, out string) string {
	figures := ofMachine.FindAllString(shown, -1)
	out = ofMachine.ReplaceAllStringFunc(out, func(now string) string {
		if len(figures) == 0 {
			return now
		}
		was := figures[0]
		figures = figures[1:]
		return was
	})
	lines := strings.SplitAfter(out, "\n")
	if n := strings.Count(shown, "\n"); strings.HasSuffix(shown, "\n…\n") && n <= len(lines) {
		return strings.Join(lines[:n-1], "") + "…\n"
	}
	return out
}
