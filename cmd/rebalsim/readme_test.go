package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocks finds the outputs that the README shows: a comment that says of which command, and
// what part of it, and the block below it.
var blocks = regexp.MustCompile("(?s)<!-- (all|rows|verdict|refused) ([^\n]*) -->\n```\n(.*?)```\n")

// written is a file that the README shows.
var written = regexp.MustCompile("(?s)<!-- file ([^\n]*) -->\n```yaml\n(.*?)```\n")

// exits are the exit codes that come with what is shown.
var exits = map[string]int{"all": exitGood, "rows": exitGood, "verdict": exitFailed, "refused": exitUnusable}

// The README shows real output. Run with -update to write it anew.
func TestReadmeShowsRealOutput(t *testing.T) {
	file, err := filepath.Abs("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	scenario := written.FindSubmatch(text)
	if scenario == nil || bytes.Count(scenario[2], []byte{'\n'}) > 10 {
		t.Fatal("the README has no scenario of ten lines")
	}
	write := func(text string) {
		if err := os.WriteFile(string(scenario[1]), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	now := blocks.ReplaceAllStringFunc(string(text), func(block string) string {
		found++
		m := blocks.FindStringSubmatch(block)
		write(string(scenario[2]))
		if m[1] == "refused" {
			write(strings.Replace(string(scenario[2]), "kill: B", "kill: C", 1))
		}
		args := strings.Fields(m[2])
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &errs); code != exits[m[1]] {
			t.Errorf("rebalsim %s: exit code %d\n%s%s", strings.Join(args, " "), code, &out, &errs)
		}
		shown := out.String()
		switch m[1] {
		case "rows":
			shown = rowsOf(shown)
		case "verdict":
			shown, _, _ = strings.Cut(shown, "\n\n")
			shown += "\n"
		case "refused":
			shown = errs.String()
		}
		return strings.Replace(block, "```\n"+m[3]+"```\n", "```\n"+shown+"```\n", 1)
	})
	if found != 6 {
		t.Errorf("the README shows %d outputs, not 6", found)
	}
	write(string(scenario[2]))
	var out, errs bytes.Buffer
	if code := run([]string{"run", string(scenario[1])}, nil, &out, &errs); code != exitGood {
		t.Errorf("%s as it is: exit code %d\n%s%s", scenario[1], code, &out, &errs)
	}
	mustShow(t, file, string(text), now)
}

// mustShow fails if a document does not show what the program prints now, or, with -update,
// writes it anew.
func mustShow(t *testing.T, file, was, now string) {
	t.Helper()
	if now == was {
		return
	}
	if !*update {
		t.Fatalf("%s does not show what the program prints; go test ./cmd/rebalsim -run '%s' -update writes it", file, t.Name())
	}
	if err := os.WriteFile(file, []byte(now), 0o666); err != nil {
		t.Fatal(err)
	}
}

// rowsOf is the part of a story between its heading and its notes.
func rowsOf(story string) string {
	parts := strings.Split(story, "\n\n")
	for _, p := range parts {
		if strings.HasPrefix(p, "    s   who") {
			return p + "\n"
		}
	}
	return ""
}
