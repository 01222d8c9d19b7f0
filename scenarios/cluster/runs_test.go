package cluster

import (
	"bufio"
	"compress/gzip"
	"os"
	"slices"
	"testing"
)

// recorded are the runs of Kafka's own clients joined to Kafka's own coordinator.
func recorded(t testing.TB) [][]byte {
	f, err := os.Open("testdata/e2e.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		lines = append(lines, slices.Clone(in.Bytes()))
	}
	if in.Err() != nil {
		t.Fatal(in.Err())
	}
	return lines
}

func TestReport(t *testing.T) {
	for _, line := range recorded(t) {
		c, err := Compare(line)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s coordinator %v whole %v", c.ID, c.Coordinator.None(), c.Whole.None())
		if !c.Coordinator.None() {
			t.Log(c.Coordinator)
		}
		if !c.Whole.None() {
			t.Log(c.Whole)
		}
	}
}
