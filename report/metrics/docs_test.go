package metrics

import (
	"os"
	"strings"
	"testing"
)

// docs/metrics.md defines every figure.
func TestEveryFigureIsDefined(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range MeasureNames() {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("%s is not defined", name)
		}
	}
}
