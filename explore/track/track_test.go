package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/explore/shrink"
	"github.com/rebalsim/rebalsim/protocol"
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

// What is searched for anew takes its place among what is known, and the page follows.
func TestRecord(t *testing.T) {
	docs := t.TempDir()
	found := func(bug string, needed ...uint64) row {
		return row{Bug: bug, Seeds: 100, Places: len(needed), Needed: needed, Signature: "one-owner: range",
			Before: shrink.Size{Events: 100}, After: shrink.Size{Events: 10}}
	}
	for _, r := range []row{
		found("KAFKA-9752", 2, 3, 4), found("KAFKA-8104", 3, 5, 101), {Bug: "KAFKA-3470", Seeds: 100, Places: 10},
		found("KAFKA-3470", 7), found("KAFKA-9752", 2, 101, 101),
	} {
		if err := record(docs, r, &explore.Failure{}); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := filepath.Glob(filepath.Join(docs, "track-record", "*.yaml"))
	if err != nil || len(cases) != 2 {
		t.Errorf("the cases are %v, %v: those of what is found, and no others, are wanted", cases, err)
	}
	rows, err := readRows(docs)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(docs, "track-record.md"))
	if err != nil || string(text) != page(rows) {
		t.Errorf("the page is not that of its rows: %v", err)
	}
	for _, want := range []string{
		"2 of 3 are found",
		"| KAFKA-3470 | 7 (7-7 of 1) | one-owner: range | 100 → 10 |",
		"| KAFKA-8104 | 5 (3-not of 3) |",
		"| KAFKA-9752 | a new member's session",
		"Shrinking leaves 10.0 %",
		"Not looked for yet: KAFKA-2877, KAFKA-2913, KAFKA-3590,",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

// A case is left out if its release has the bug, or cannot have it, and only then.
func TestHas(t *testing.T) {
	for _, tc := range []struct {
		bug, kafka string
		want       bool
	}{
		{"KAFKA-12890", `"2.8.2"`, false},
		{"KAFKA-3470", `"0.9.0.1"`, true},
		{"KAFKA-3470", `{broker: "3.9", client: "0.9.0.1"}`, false},
		{"KAFKA-12984", `"2.8.0"`, true},
		{"KAFKA-13214", `{broker: "3.9", client: "2.8.0"}`, true},
		{"KAFKA-13214", `{broker: "2.8.0", client: "3.9"}`, false},
		{"KAFKA-3470", "\"0.9.0.1\"\nmembers: {A: {kafka: \"3.9\"}}", false},
	} {
		b, err := protocol.FindBug(tc.bug)
		if err != nil {
			t.Fatal(err)
		}
		if got := has(b, &explore.Case{Scenario: "about: x\nkafka: " + tc.kafka + "\n"}); got != tc.want {
			t.Errorf("%s with %s: %t", tc.bug, tc.kafka, got)
		}
	}
}

// Whoever gives a reason gives it for a bug that there is.
func TestReasons(t *testing.T) {
	for id := range reasons {
		if _, err := protocol.FindBug(id); err != nil {
			t.Error(err)
		}
	}
}
