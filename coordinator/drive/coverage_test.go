package drive

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/internal/vectors"
	"github.com/rebalsim/rebalsim/protocol"
)

// TestCoverage plays vectors, scripts and random scripts on every release that has
// vectors: nothing is answered that cannot be, and all that can be is.
func TestCoverage(t *testing.T) {
	var c Coverage
	files, _ := filepath.Glob("../testdata/classic-*.jsonl.gz")
	for _, name := range files {
		for i, line := range vectors.Lines(t, name) {
			if strings.Contains(name, "-random") && i%every != 0 && os.Getenv("REBALSIM_ALL") == "" {
				continue
			}
			if _, err := coverVector(line, &c); err != nil {
				t.Fatal(err)
			}
		}
	}
	judged := make([]string, 0, len(c.releases))
	for i := range c.releases {
		judged = append(judged, c.releases[i].release)
	}
	w := &witnesses{}
	w.readScripts(t)
	seed := uint64(7)
	for _, release := range protocol.Releases() {
		if !slices.Contains(judged, release.String()) {
			continue
		}
		for _, x := range w.scripts {
			if s, err := Parse(x.name, x.text, release.String()); err == nil {
				if err := s.playCovered(io.Discard, Show{}, &c); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 300 {
			data := make([]byte, 300)
			for i := range data {
				seed = seed*6364136223846793005 + 1442695040888963407
				data[i] = byte(seed >> 56)
			}
			if err := made(release, data).playCovered(io.Discard, Show{}, &c); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, x := range c.Impossible() {
		t.Errorf("cannot be: %s", x)
	}
	for i := range c.releases {
		x := &c.releases[i]
		reached, open, proved := x.sort()
		t.Logf("%s: %d cells reached, %d open, %d proved impossible", x.release, reached, len(open), proved)
		for _, o := range open {
			t.Errorf("%s: open: %s", x.release, o)
		}
	}
}
