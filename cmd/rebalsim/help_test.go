package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/report"
)

// What each command says of itself fits the screen.
func TestHelpFitsTheScreen(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &errs); code != exitGood || errs.Len() > 0 {
			t.Errorf("%v: exit code %d, %s", args, code, &errs)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > report.Columns {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
		examples(t, cmd)
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRootCmd())
}

// examples are such as can be typed.
func examples(t *testing.T, cmd *cobra.Command) {
	text := strings.ReplaceAll(cmd.Example, "\\\n", "")
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line, _, _ = strings.Cut(line, " <")
		line, _, _ = strings.Cut(line, " >")
		words := strings.Fields(regexp.MustCompile(`'[^']*'`).ReplaceAllString(line, "x"))
		if len(words) == 0 {
			continue
		}
		root := newRootCmd()
		usable(root)
		found, args, err := root.Find(words[1:])
		if err == nil {
			err = found.ParseFlags(args)
		}
		if err == nil {
			err = found.ValidateArgs(found.Flags().Args())
		}
		if err != nil || words[0] != "rebalsim" {
			t.Errorf("%s: %s: %v", cmd.CommandPath(), line, err)
		}
	}
}
