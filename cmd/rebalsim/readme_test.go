package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// blocks finds the outputs that the README shows: a comment that says of which command,
// and whether all or just the rows of a story, and the block below it.
var blocks = regexp.MustCompile("(?s)<!-- (all|rows) ([^\n]*) -->\n```\n(.*?)```\n")

// The README shows real output. Run with -update to write it anew.
func TestReadmeShowsRealOutput(t *testing.T) {
	const file = "../../README.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	now := blocks.ReplaceAllStringFunc(string(text), func(block string) string {
		found++
		m := blocks.FindStringSubmatch(block)
		args := strings.Fields(m[2])
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &errs); code != 0 {
			t.Errorf("rebalsim %s: exit code %d\n%s%s", strings.Join(args, " "), code, &out, &errs)
		}
		shown := out.String()
		if m[1] == "rows" {
			shown = rowsOf(shown)
		}
		return strings.Replace(block, "```\n"+m[3]+"```\n", "```\n"+shown+"```\n", 1)
	})
	if found != 4 {
		t.Errorf("the README shows %d outputs, not 4", found)
	}
	if now == string(text) {
		return
	}
	if !*update {
		t.Fatal("the README does not show what the program prints; go test ./cmd/rebalsim -update writes it")
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
