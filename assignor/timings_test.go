package assignor

import (
	"encoding/json"
	"os"
	"testing"
)

// timing is one recorded row of the Java assignors' speed.
type timing struct {
	construction
	javaMedian float64 // milliseconds
}

func javaTimings(tb testing.TB) []timing {
	tb.Helper()
	b, err := os.ReadFile("testdata/java-timings.json")
	if err != nil {
		tb.Fatal(err)
	}
	var file struct {
		Rows []struct {
			V, A, Subscriptions, Scenario string
			Members, Partitions           int
			PerTopic                      int     `json:"per_topic"`
			Median                        float64 `json:"median_ms"`
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		tb.Fatal(err)
	}
	var rows []timing
	for _, r := range file.Rows {
		rows = append(rows, timing{
			construction{r.V, r.A, r.Subscriptions, r.Scenario, r.Members, r.Partitions, r.PerTopic}, r.Median,
		})
	}
	return rows
}
