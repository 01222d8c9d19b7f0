package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// beginnings are the events that a chain may begin with: a step of the scenario, what it starts
// with, or that it starts a process.
var beginnings = regexp.MustCompile(`^(    | <- ) *\S+ +\S+ +(step +act#|starts +|is told +b\d+\.told#1\b|is cut off +| +decision#)`)

// cutWord is an error's name that does not stand there in full.
var cutWord = regexp.MustCompile(`error=[A-Z_]*\.\.`)

// Every event of the documented runs has a chain of causes that leads back to what the scenario
// says, fits the screen, and cuts no error.
func TestEveryEventHasItsCause(t *testing.T) {
	for _, b := range scenarios.List() {
		if b.Shelf != scenarios.Documented {
			continue
		}
		s, err := loadScenario(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		var causes *report.Causes
		if _, err := play(s, choice{}, func(w *sim.World, _ scenarios.Kafka) sim.Observer {
			causes = report.NewCauses(w, b.Name)
			return causes
		}); err != nil {
			t.Fatal(err)
		}
		for _, name := range firstOfEach(causes.Names()) {
			var out strings.Builder
			causes.Why(&out, name, false)
			for _, wrong := range wrongWith(out.String()) {
				t.Errorf("why %s %s: %s\n%s", b.Name, name, wrong, out.String())
			}
		}
	}
}

// firstOfEach leaves out events that only differ in their number from two before them.
func firstOfEach(names []string) (list []string) {
	seen := map[string]int{}
	number := regexp.MustCompile(`#\d+`)
	for _, n := range names {
		kind := number.ReplaceAllString(n, "#")
		if seen[kind]++; seen[kind] <= 2 {
			list = append(list, n)
		}
	}
	return list
}

func wrongWith(chain string) (list []string) {
	lines := strings.Split(strings.TrimSuffix(chain, "\n"), "\n")
	first := lines[0]
	for _, l := range lines {
		if strings.HasPrefix(l, " <- ") {
			first = l
		}
		if utf8.RuneCountInString(l) > report.Columns {
			list = append(list, "too wide: "+l)
		}
	}
	if !beginnings.MatchString(first) {
		list = append(list, "begins with "+first)
	}
	if len(lines) > 24 {
		list = append(list, "longer than a screen")
	}
	if cutWord.MatchString(chain) {
		list = append(list, "an error is cut")
	}
	return list
}
