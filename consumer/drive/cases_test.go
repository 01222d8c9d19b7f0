package drive

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
)

// The cases are small scripts (see Parse), each played on several releases. What is
// shown is what the client does after the step "show", once for all releases in a row that do
// the same.

// caseSettings are the settings of cases that do not say "defaults".
var caseSettings = map[string]any{"enable.auto.commit": false, "partition.assignment.strategy": []string{"range"}, "session.timeout.ms": "10s",
	"max.poll.interval.ms": "60s", "request.timeout.ms": "30s", "heartbeat.interval.ms": "3s", "retry.backoff.ms": "100ms"}

// caseScript reads a case: keys of a script, one a line, and steps.
func caseScript(t testing.TB, input string) *Script {
	script := map[string]any{"kafka": "3.9", "topics": map[string]int{"t1": 1, "t2": 1}}
	config := maps.Clone(caseSettings)
	steps := []string{}
	for _, line := range strings.Split(input, "\n") {
		key, _, _ := strings.Cut(line, ": ")
		switch {
		case slices.Contains(scriptKeys, key):
			if err := yaml.Unmarshal([]byte(line), &script); err != nil {
				t.Fatal(err)
			}
		case strings.TrimSpace(line) != "":
			for _, step := range strings.Split(line, ";") {
				steps = append(steps, strings.TrimSpace(step))
			}
		}
	}
	if steps[0] == "defaults" {
		clear(config)
		script["topics"] = map[string]int{"t1": 1}
		steps = steps[1:]
	}
	if own, ok := script["config"].(map[string]any); ok {
		maps.Copy(config, own)
	}
	script["config"], script["steps"] = config, steps
	text, err := yaml.Marshal(script)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse("case", text, "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s
}

// playCase gives what the client does after "show".
func playCase(s *Script, rules func(*protocol.ClientRules)) (string, error) {
	r, err := s.begin()
	if err != nil {
		return "", err
	}
	if rules != nil {
		rules(&r.cfg.Rules)
		if len(s.config.Content) == 0 {
			r.cfg.Settings = consumer.SettingsOf(&r.cfg.Rules)
		}
	}
	for _, line := range s.steps {
		step := line.text
		switch step {
		case "show":
			r.text.Reset()
			continue
		case "start":
			for _, x := range []string{"subscribe t1", "poll 100s", "join gives=t1-0"} {
				if err := r.do(x); err != nil {
					return "", fmt.Errorf("%s: %w", x, err)
				}
			}
			continue
		}
		maybe := strings.HasPrefix(step, "?") // not every release has asked
		if err := r.do(strings.TrimPrefix(step, "?")); err != nil && !maybe {
			return "", fmt.Errorf("%s: %w", step, err)
		}
	}
	return r.text.String(), nil
}

func TestCases(t *testing.T) {
	datadriven.Walk(t, "testdata/cases", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var releases []string
			for _, a := range d.CmdArgs {
				if a.Key == "on" {
					releases = a.Vals
				}
			}
			var names []string
			var last string
			var out strings.Builder
			end := func() {
				if len(names) > 0 {
					fmt.Fprintf(&out, "%s\n%s", strings.Join(names, " "), last)
				}
			}
			for _, release := range releases {
				s := caseScript(t, d.Input)
				s.Release = release
				text, err := playCase(s, nil)
				if err != nil {
					text = "error: " + err.Error() + "\n"
				}
				if text != last {
					end()
					names = nil
				}
				names, last = append(names, release), text
			}
			end()
			return out.String()
		})
	})
}

// Flips: every row of the table of releases changes what some case shows. unseen are the
// rows of which no case can show anything, with the reason.
var unseen = map[string]string{
	"2.2.0 KIP-394": "before, a member left if its generation was not empty, and one that has an id has none that is",
}

// namedCase is a case and the comment above it.
type namedCase struct {
	*Script
	about string
}

var caseText = regexp.MustCompile(`(?m)^((?:#.*\n)*)play on=.*\n((?s:.*?))\n----$`)

func allCases(t *testing.T) (list []namedCase) {
	for _, path := range caseFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		about := ""
		for _, m := range caseText.FindAllStringSubmatch(string(text), -1) {
			if m[1] != "" {
				about = m[1]
			}
			list = append(list, namedCase{caseScript(t, m[2]), about})
		}
	}
	return list
}

func TestEveryRowFlipsACase(t *testing.T) {
	cases := allCases(t)
	rows := protocol.Rows()
	tested := 0
	for i, row := range rows {
		if row.Client == nil {
			continue
		}
		tested++
		without := func(r *protocol.ClientRules) {
			*r = protocol.ClientRules{}
			for j, other := range rows {
				if j != i && other.Client != nil && protocol.MustRelease(row.Release).Includes(protocol.MustRelease(other.Release)) {
					other.Client(r)
				}
			}
		}
		flips := func(c namedCase) bool {
			c.Release = row.Release
			with, err1 := playCase(c.Script, nil)
			other, err2 := playCase(c.Script, without)
			return with != other || (err1 == nil) != (err2 == nil)
		}
		name := row.Release + " " + row.ID
		named := func(c namedCase) bool { return strings.Contains(c.about, row.ID) } // most likely
		found := slices.ContainsFunc(cases, func(c namedCase) bool { return named(c) && flips(c) }) ||
			slices.ContainsFunc(cases, func(c namedCase) bool { return !named(c) && flips(c) })
		if why, known := unseen[name]; found == known {
			t.Errorf("%s (%s): changes a case: %v %s", name, row.What, found, why)
		}
	}
	t.Logf("%d rows, %d cases", tested, len(cases))
}

func caseFiles(t testing.TB) []string {
	list, err := filepath.Glob("testdata/cases/*")
	if err != nil {
		t.Fatal(err)
	}
	return list
}
