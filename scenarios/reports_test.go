package scenarios

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// reportRow is what a row of docs/reports.md says in its first two columns.
type reportRow struct {
	number   string // R21
	links    []string
	scenario string
}

var (
	reportNumber = regexp.MustCompile(`^\| \[?(R\d+)\b`)
	reportLink   = regexp.MustCompile(`\]\((https://[^)]+)\)`)
)

// reportRows reads the rows of tables that begin with a report's number.
func reportRows(t *testing.T, file string) []reportRow {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []reportRow
	for _, line := range strings.Split(string(text), "\n") {
		m := reportNumber.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		cells := strings.Split(line, " | ")
		row := reportRow{number: m[1], scenario: cells[1]}
		for _, link := range reportLink.FindAllStringSubmatch(cells[0], -1) {
			row.links = append(row.links, link[1])
		}
		rows = append(rows, row)
	}
	return rows
}

// docs/reports.md has each field report of the library once, and each scenario says which
// report it is and where that is to be read. What is not shown is in docs/roadmap.md.
func TestReportsAreListed(t *testing.T) {
	texts := map[string]string{}
	for _, b := range List() {
		if b.Shelf == Reports {
			texts[b.Name] = string(b.Text)
		}
	}
	seen := map[string]bool{}
	for _, row := range reportRows(t, "../docs/reports.md") {
		text, ok := texts[row.scenario]
		if !ok {
			t.Errorf("%s: there is no scenario %q, or an earlier row has it", row.number, row.scenario)
			continue
		}
		delete(texts, row.scenario)
		if seen[row.number] {
			t.Errorf("%s is listed twice", row.number)
		}
		seen[row.number] = true
		if !strings.Contains(text, "# Report "+row.number[1:]+":") {
			t.Errorf("%s does not say that it is report %s", row.scenario, row.number[1:])
		}
		for _, link := range row.links {
			if !strings.Contains(text, link) {
				t.Errorf("%s does not cite %s", row.scenario, link)
			}
		}
	}
	for name := range texts {
		t.Errorf("docs/reports.md does not have %s", name)
	}
	for _, row := range reportRows(t, "../docs/roadmap.md") {
		if seen[row.number] {
			t.Errorf("docs/roadmap.md: %s is shown, or listed twice", row.number)
		}
		seen[row.number] = true
	}
	if len(seen) != 60 {
		t.Errorf("docs/reports.md and docs/roadmap.md have %d reports, want 60", len(seen))
	}
}
