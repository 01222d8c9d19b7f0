package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/explore.md shows what its commands print: of runs to the letter, with -update what
// is shown is written anew. How many states there are hangs on each detail of the client, and
// how fast it was on the machine.
func TestExploreDocs(t *testing.T) {
	number := regexp.MustCompile(`[0-9][0-9.,e-]*`)
	file, err := filepath.Abs("../../docs/explore.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	now := string(text)
	files := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	t.Chdir(t.TempDir())
	for i, name := range []string{"two.yaml", "join.yaml"} {
		if err := os.WriteFile(name, files[i][1], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	blocks := regexp.MustCompile("(?s)```console\n\\$ rebalsim ([^\n]*)\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) != 6 {
		t.Errorf("%d commands are shown", len(blocks))
	}
	for _, b := range blocks {
		var out, problems bytes.Buffer
		want := 0
		if strings.Contains(string(b[1]), "join") { // something is wrong
			want = exitFailed
		}
		if code := run(strings.Fields(string(b[1])), nil, &out, &problems); code != want {
			t.Errorf("rebalsim %s: exit code %d: %s", b[1], code, problems.String())
		}
		got := strings.Split(out.String(), "\n")
		shown := strings.Split(string(b[2]), "\n")
		exact := !strings.HasPrefix(string(b[1]), "explore") || strings.HasSuffix(string(b[1]), "--table")
		if *update && exact {
			if n := slices.Index(shown, "…"); n >= 0 {
				shown = slices.Concat(got[:min(n, len(got))], []string{"…", ""})
			} else {
				shown = got
			}
			now = strings.Replace(now, string(b[0]), strings.TrimSuffix(string(b[0]), string(b[2])+"```")+strings.Join(shown, "\n")+"```", 1)
		}
		for i, want := range shown {
			if want == "…" {
				break
			}
			if i < len(got) && !exact {
				got[i], want = number.ReplaceAllString(got[i], "#"), number.ReplaceAllString(want, "#")
			}
			if i >= len(got) || got[i] != want {
				t.Errorf("rebalsim %s: line %d should be\n%q\nand all is\n%s", b[1], i+1, want, out.String())
				break
			}
		}
	}
	if now != string(text) {
		if err := os.WriteFile(file, []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// In every order of up to five members, the followers before the leader, and before a new
// member, are answered at once, and nobody else.
func TestTableFollowsTheRule(t *testing.T) {
	for _, args := range []string{"leader-not-first", "leader-not-first --kafka 3.9", "leader-not-first-3.9", "follower-asks-again-3.4 --kafka broker=3.9,client=3.3"} {
		var out, problems bytes.Buffer
		if code := run(append(strings.Fields("explore --orders"), strings.Fields(args)...), nil, &out, &problems); code != 0 {
			t.Fatalf("%s: exit code %d: %s", args, code, problems.String())
		}
		orders := 0
		for _, line := range strings.Split(out.String(), "\n") {
			arrivals, ok := strings.CutPrefix(line, "    ")
			if !ok {
				continue
			}
			orders++
			atOnce := true
			for _, name := range strings.Fields(arrivals) {
				atOnce = atOnce && strings.HasPrefix(name, "F")
				if strings.HasSuffix(name, "!") != atOnce {
					t.Errorf("%s: %s", args, arrivals)
				}
			}
		}
		if want := 2 + 6 + 24 + 120 + 6 + 24 + 120 + 720; orders != want {
			t.Errorf("%s: %d orders, not %d", args, orders, want)
		}
	}
}

// What cannot be explored is said in a sentence.
func TestExploreRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"explore leader-not-first --crash coordinator":     "one broker",
		"explore leader-not-first --crash b1":              "it takes coordinator",
		"explore leader-not-first --kill F9":               "no such member",
		"explore leader-not-first --late -1":               "0 or more",
		"explore leader-not-first --states 0":              "1 or more",
		"explore leader-not-first --fault crash":           "crash",
		"explore leader-not-first --clocks some":           "it takes any",
		"explore leader-not-first --clocks any --late 1":   "every message may be late",
		"explore leader-not-first --clocks any --waits -1": "0 or more",
		"explore first-rebalance --table":                  "needs a group that is formed",
	} {
		var out, problems bytes.Buffer
		code := run(strings.Fields(args), nil, &out, &problems)
		if code != exitUnusable || !strings.Contains(problems.String(), want) {
			t.Errorf("%s: exit code %d, %q", args, code, problems.String())
		}
		if out.Len() > 0 {
			t.Errorf("%s: it is refused, and tells %s", args, out.String())
		}
	}
	if list, _ := filepath.Glob("rebalsim-failures"); list != nil {
		t.Error("a folder was made")
	}
}
