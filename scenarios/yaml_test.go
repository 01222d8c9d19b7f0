package scenarios

import (
	"strings"
	"testing"
)

// Another command's file, read with nothing but the reader.
func TestReadYAML(t *testing.T) {
	root, err := ReadYAML("drive.yaml", []byte("release: 2.8.0\nrequests:\n  - {at: 5ms, op: join}\n  - {at: 7ms, op: leave, twice: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	f := root.Fields()
	release, requests := f.Need("release"), f.Need("requests")
	f.Done()
	if release.Text() != "2.8.0" || release.Pos != (Pos{1, 10}) {
		t.Errorf("got %q at %v", release.Text(), release.Pos)
	}
	var ops []string
	for _, r := range requests.List() {
		f := r.Fields()
		f.Get("at").Duration()
		ops = append(ops, f.Get("op").OneOf("join", "leaves"))
		f.Done()
	}
	const want = `drive.yaml:4:19: op is join or leaves, not "leave" (did you mean "leaves"?)
drive.yaml:4:26: unknown key "twice" (known: at, op)`
	if err := root.Err(); err == nil || err.Error() != want {
		t.Errorf("got %q, %v", ops, err)
	}
}

func TestAbsentValues(t *testing.T) {
	root, err := ReadYAML("f", []byte("a: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	n := root.Fields().Get("b")
	if n.Given() || n.IsMap() || n.IsList() || n.IsText() || n.Text() != "" || n.Int(1, 2) != 0 || n.Bool() || n.Duration() != 0 ||
		n.Span() != (Span{}) || n.OneOf("x") != "" || n.List() != nil || n.Entries() != nil {
		t.Error("what is absent has a value")
	}
	n.Fail("", "x")
	n.Fields().Done()
	if err := root.Err(); err != nil {
		t.Errorf("what is absent was complained of: %v", err)
	}
}

// Texts that general YAML readers take for something else stand as they are written.
func TestTextsStandAsTheyAre(t *testing.T) {
	for _, text := range []string{"no", "1:30", "0.10", "010", "1_000", "2024-01-01", "+1", "0x10", ".inf", "\"a b\"", "'it''s'"} {
		root, err := ReadYAML("f", []byte("key: "+text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.NewReplacer("\"", "", "''", "'", "'", "").Replace(text)
		if text == "'it''s'" {
			want = "it's"
		}
		if got := root.Fields().Get("key").Text(); got != want || root.Err() != nil {
			t.Errorf("%s became %q, %v", text, got, root.Err())
		}
	}
}

func TestWindowsFiles(t *testing.T) {
	if _, err := Load("f.yaml", []byte("\xef\xbb\xbf"+strings.ReplaceAll(good, "\n", "\r\n"))); err != nil {
		t.Error(err)
	}
}
