package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/explore"
)

// Each case of the track record still shows what it was kept for, with its bug, and does
// not without.
func TestTrackRecord(t *testing.T) {
	doc, err := os.ReadFile("../../docs/track-record.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../docs/track-record/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d cases: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := explore.ReadCase(file, text)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if len(f.Bugs) != 1 || f.Bugs[0] != name || !strings.Contains(string(doc), "track-record/"+name+".yaml") {
			t.Errorf("%s is of %v, and is to be in the table", file, f.Bugs)
		}
		if o := explore.Play(f.Case); !o.Has(f.Signature) {
			t.Errorf("%s: %v, not %s", name, o.Findings, f.Signature)
		}
		f.Case.Bugs = nil
		if o := explore.Play(f.Case); o.Has(f.Signature) {
			t.Errorf("%s: %s without the bug", name, f.Signature)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, tc := range []struct {
		needed []uint64
		want   uint64
	}{{nil, 0}, {[]uint64{7}, 7}, {[]uint64{1, 2, 50}, 2}, {[]uint64{1, 2, 3, 4}, 2}} {
		if got := (&row{Needed: tc.needed}).median(); got != tc.want {
			t.Errorf("%v: %d, not %d", tc.needed, got, tc.want)
		}
	}
}
