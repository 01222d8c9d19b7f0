package scenarios

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/report/metrics"
)

func readReference(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every example of the reference loads, together with what every scenario must have.
func TestReferenceExamples(t *testing.T) {
	text := readReference(t)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatchIndex(text, -1)
	if len(blocks) < 10 {
		t.Fatalf("only %d examples were found", len(blocks))
	}
	for _, at := range blocks {
		example := completed(text[at[2]:at[3]])
		line := 1 + strings.Count(text[:at[2]], "\n")
		if _, err := Load(fmt.Sprintf("language.md, from line %d", line), []byte(example)); err != nil {
			t.Errorf("%v\n%s", err, example)
		}
	}
}

// The reference's tables have every setting and every step, with the right default.
func TestReferenceIsComplete(t *testing.T) {
	text := readReference(t)
	examples := ""
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(text, -1) {
		examples += block[1]
	}
	for _, table := range [][]settingSpec{consumerSettings, brokerSettings} {
		for _, s := range table {
			row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta("`"+s.name+"`") + ` \| .* \| ` + regexp.QuoteMeta(s.defaults()) + ` \|$`)
			if !row.MatchString(text) {
				t.Errorf("no row for %s with the default %q", s.name, s.defaults())
			}
		}
	}
	maps, _ := parts()
	for _, s := range maps {
		if s == forcedBroker || s == forcedClient || s == forcedAssignor {
			continue // names of fields, which have their documentation there
		}
		for _, k := range s.keys {
			if (s == metricsShape || s == variantFiguresShape || s == recordsShape) && metrics.MeasureNamed(k.name) != nil {
				continue // docs/metrics.md has them all
			}
			word := regexp.QuoteMeta(k.name)
			if !regexp.MustCompile("(?m)`[^`\n]*\\b" + word + "\\b[^`\n]*`|^### " + word + "$").MatchString(text) {
				t.Errorf("the key %s of %s is not mentioned", k.name, s.name)
			}
			if !strings.Contains(examples, k.name+":") {
				t.Errorf("no example has the key %s of %s", k.name, s.name)
			}
		}
	}
	for _, v := range verbNames {
		if !strings.Contains(text, "."+v.name+"#1`") {
			t.Errorf("no row for the event %s", v.name)
		}
	}
}
