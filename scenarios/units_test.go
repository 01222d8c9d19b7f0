package scenarios

import (
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/sim"
)

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		text string
		want sim.Time
	}{
		{"0s", 0}, {"250ms", 250_000}, {"2.5s", 2_500_000}, {"1m30s", 90_000_000}, {"2h", 7_200_000_000},
		{"1us", 1}, {"1µs", 1}, {"0.000001s", 1}, {"1h1m1s1ms1us", 3_661_001_001}, {"1000h", MaxTime},
	} {
		if got, err := parseDuration(c.text); err != nil || got != c.want {
			t.Errorf("%s: got %d, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", "5", "s", "-1s", "1:30", "1 s", "1s 5ms", "5ms1s", "1s1s", "1001h", "1.s", ".5s",
		"1.5us", "99999999999999999999h", "1d", "1S", "1e3s", "+1s", "0x1s", "1..2s", "1s..2s", "1.1.1s"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%q was taken for %d", text, got)
		}
	}
}

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		text     string
		min, max sim.Time
	}{{"8s..15s", 8 * sim.Second, 15 * sim.Second}, {"1ms", 1000, 1000}, {"0s .. 1.5s", 0, 1_500_000}} {
		if got, err := parseSpan(c.text); err != nil || got.Min != c.min || got.Max != c.max {
			t.Errorf("%s: got %v, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"8..15s", "2s..1s", "..", "1s..", "..1s", "1s...2s"} {
		if _, err := parseSpan(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestRatesAndSizes(t *testing.T) {
	for _, c := range []struct {
		text string
		want Rate
	}{{"6000/s", Rate{6000, sim.Second}}, {"10/m", Rate{10, sim.Minute}}, {"1/250ms", Rate{1, 250 * sim.Millisecond}}, {"0/h", Rate{0, sim.Hour}}} {
		if got, err := parseRate(c.text); err != nil || got != c.want {
			t.Errorf("%s: got %v, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", "6000", "/s", "6000/", "-1/s", "1.5/s", "1/0s", "1/-s", "1/é", "10000000000/s"} {
		if got, err := parseRate(text); err == nil {
			t.Errorf("%q was taken for %v", text, got)
		}
	}
	for _, c := range []struct {
		text string
		want int64
	}{{"0", 0}, {"4096", 4096}, {"64KiB", 65536}, {"1 MiB", 1 << 20}, {"2MB", 2_000_000}} {
		if got, err := parseSize(c.text); err != nil || got != c.want {
			t.Errorf("%s: got %d, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", "KiB", "-1", "1.5MiB", "1 m", "9999999999GiB"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q was taken for %d", text, got)
		}
	}
}

func TestExpectedNumbers(t *testing.T) {
	const most = 1<<63 - 1
	for _, c := range []struct {
		text string
		want Number
	}{
		{"2", Number{Min: 2, Max: 2}}, {"2..3", Number{Min: 2, Max: 3}}, {">= 2", Number{Min: 2, Max: most}}, {">2", Number{Min: 3, Max: most}},
		{"<= 2", Number{Min: 0, Max: 2}}, {"< 5", Number{Min: 0, Max: 4}}, {"+1", Number{Min: 1, Max: 1, Relative: true}},
		{"+1..+2", Number{Min: 1, Max: 2, Relative: true}}, {"+1 since deploy", Number{Min: 1, Max: 1, Relative: true, Since: "deploy"}},
	} {
		if got, err := parseNumber(c.text); err != nil || *got != c.want {
			t.Errorf("%s: got %v, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", "x", "-1", "3..2", "+1..2", "1 since deploy", "+1 since ", "< 0", "1.5", "..", ">", "99999999999"} {
		if got, err := parseNumber(text); err == nil {
			t.Errorf("%q was taken for %v", text, *got)
		}
	}
}

func TestPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"F1": "F1", "pod-{00..02}": "pod-00 pod-01 pod-02", "b{9..11}": "b9 b10 b11", "{1..1}x": "1x",
	} {
		if got, err := expandPattern(text, 10); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"{", "a{1..2", "a{1}", "a{}", "a{1,2}", "a{2..1}", "a{1..11}", "a{1..2}{1..2}", "a{-1..2}", "a{0..99999999999}"} {
		if got, err := expandPattern(text, 10); err == nil {
			t.Errorf("%q was taken for %v", text, got)
		}
	}
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"F1", "F1", true}, {"F1", "F11", false}, {"F?", "F1", true}, {"F?", "F", false}, {"*", "", true}, {"*", "x", true},
		{"pod-*", "pod-07", true}, {"pod-*", "pad-07", false}, {"*-0*7", "pod-0107", true}, {"*a*b", "xaxbxa", false}, {"**", "x", true}, {"", "", true}, {"", "x", false},
	} {
		if matchGlob(c.glob, c.name) != c.want {
			t.Errorf("%q and %q: not %v", c.glob, c.name, c.want)
		}
	}
}

// FuzzGrammar reads texts by every grammar: none may panic, and what is taken is
// within its limits.
func FuzzGrammar(f *testing.F) {
	for _, s := range []string{"1m30s", "8s..15s", "6000/s", "64KiB", "+1 since x", "pod-{00..39}", "*a?b", "0.10", "1:30"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := parseDuration(s); err == nil && (d < 0 || d > MaxTime) {
			t.Errorf("%q is %d", s, d)
		}
		if x, err := parseSpan(s); err == nil && x.Min > x.Max {
			t.Errorf("%q is %v", s, x)
		}
		if r, err := parseRate(s); err == nil && (r.Records < 0 || r.Per <= 0) {
			t.Errorf("%q is %v", s, r)
		}
		if n, err := parseSize(s); err == nil && n < 0 {
			t.Errorf("%q is %d", s, n)
		}
		if n, err := parseNumber(s); err == nil && (n.Min < 0 || n.Max < n.Min) {
			t.Errorf("%q is %v", s, *n)
		}
		if list, err := expandPattern(s, 100); err == nil && (len(list) == 0 || len(list) > 100) {
			t.Errorf("%q is %d names", s, len(list))
		}
		matchGlob(s, "pod-07")
	})
}
