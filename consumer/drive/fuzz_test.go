package drive

import (
	"bytes"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/internal/vectors"
)

// Whatever the text, a script is played or refused with a sentence that has a place.
func FuzzScript(f *testing.F) {
	f.Add("kafka: 3.9\ntopics: {t1: 1}\nsteps: [subscribe t1, poll 1s, join gives=t1-0, +3s answer Heartbeat error=REBALANCE_IN_PROGRESS, wait 1s]\n")
	f.Add("kafka: 2.8.0\nconfig: {group.instance.id: i, partition.assignment.strategy: [mine]}\nassignor: {name: mine, gives: {m-1: [t1-0]}}\nsteps: [assign t1-0, advance 5, commit-sync 1s, down 0, up 0, close 1s]\n")
	f.Add("kafka: 0.10.0.1\nfetch: true\nlistener: {revoked: [{sleep: 1s, seek: 1, commit-sync: 1s, throw: wakeup}]}\nsteps: [subscribe-pattern t.*, poll-long 1s, racks t1=a/b, clock -1h, wakeup, wait 1s]\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("s.yaml", []byte(text), "")
		if err == nil {
			err = s.Play(io.Discard)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "s.yaml:") {
			t.Errorf("no place in %q", err)
		}
	})
}

func firstVectors(t testing.TB, file string, n int) (lines [][]byte) {
	for i, line := range vectors.Lines(t, filepath.Join("testdata", file)) {
		if i == n {
			break
		}
		lines = append(lines, bytes.Clone(line))
	}
	return lines
}

// Whatever the line, a vector is played or refused: here single values of recorded ones are
// replaced by others.
func TestHostileVectors(t *testing.T) {
	hostile := []string{"null", "-1", "0", "1e9", "9223372036854775807", "-9223372036854775808", "0.5", `""`, `"x"`, `"coord:7"`, `"t-99999999999"`, "[]", "[null]", "{}", `{"a":null}`, "true", "false"}
	value := regexp.MustCompile(`:(-?[0-9]+|"[^"]*"|true|false|null|\[\]|\{\})`)
	draw := rand.New(rand.NewPCG(1, 2))
	refused, played := 0, 0
	for _, line := range append(firstVectors(t, "random-2.8.0.jsonl.gz", 6), firstVectors(t, "random-3.9.0.jsonl.gz", 6)...) {
		places := value.FindAllIndex(line, -1)
		for range 30 {
			at := places[draw.IntN(len(places))]
			if draw.IntN(4) == 0 { // the head of the line
				at = places[draw.IntN(20)]
			}
			put := hostile[draw.IntN(len(hostile))]
			other := slices.Concat(line[:at[0]+1], []byte(put), line[at[1]:])
			switch _, err := Vector(other); {
			case err == nil:
				played++
			case strings.Contains(err.Error(), "Go "): // names of Go's types are nobody's business
				t.Errorf("%s: %v", put, err)
			default:
				refused++
			}
		}
	}
	t.Logf("%d played, %d refused", played, refused)
	if refused < 20 || played < 20 {
		t.Error("too few of one kind")
	}
}
