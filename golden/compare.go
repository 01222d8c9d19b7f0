package golden

import (
	"fmt"
	"strings"
)

// Difference is the first place where a run departs from its golden trace.
type Difference struct {
	Line   int      // of the golden file, from 1
	Before []string // the lines before it, which agree
	Want   string   // "": the golden trace ends here
	Got    string   // "": the run ends here
	Cause  string   // the stable name of what brought Got about; "": the run's beginning
}

// context is the number of lines shown before a difference.
const context = 3

// Compare finds the first difference between a kept trace and a run, nil if there is
// none. It fails if the kept text is no golden trace of this format.
func Compare(kept string, got *Recorder) (*Difference, error) {
	head := fmt.Sprintf("# rebalsim trace, format %d", Format)
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(kept, "\r\n", "\n"), "\n"), "\n")
	if lines[0] != head {
		return nil, fmt.Errorf("not a golden trace of format %d: it begins %q (verify --update writes it anew)", Format, lines[0])
	}
	at := 0
	for at < len(lines) && strings.HasPrefix(lines[at], "#") {
		at++
	}
	want, ran := lines[at:], got.lines
	last := ""
	if n := len(want); n > 0 && strings.HasPrefix(want[n-1], "# and ") { // the beginning of a long one
		last, want = want[n-1]+"\n", want[:n-1]
		ran = ran[:min(len(ran), MaxLines)]
	}
	for i := 0; i < len(want) || i < len(ran); i++ {
		if i < len(want) && i < len(ran) && want[i] == ran[i] {
			continue
		}
		d := &Difference{Line: at + i + 1}
		d.Before = want[max(0, min(i, len(want))-context):min(i, len(want))]
		if i < len(want) {
			d.Want = want[i]
		}
		if i < len(ran) {
			d.Got, d.Cause = ran[i], got.causes[i]
		}
		return d, nil
	}
	if now := fmt.Sprintf(moreLines, len(got.lines)-len(ran)); last != "" && last != now {
		return &Difference{Line: len(lines), Want: strings.TrimSpace(last), Got: strings.TrimSpace(now)}, nil
	}
	if hash := "# " + got.Hash(); lines[at-1] != hash { // something that no line shows
		return &Difference{Line: at, Want: lines[at-1], Got: hash}, nil
	}
	return nil, nil
}

// String shows the difference as a diff does, with what caused the event.
func (d *Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  first difference at line %d:\n", d.Line)
	for _, l := range d.Before {
		fmt.Fprintf(&b, "    %s\n", l)
	}
	switch {
	case d.Want == "":
		b.WriteString("  - (the golden trace ends here)\n")
	default:
		fmt.Fprintf(&b, "  - %s\n", d.Want)
	}
	switch {
	case d.Got == "":
		b.WriteString("  + (the run ends here)\n")
	default:
		fmt.Fprintf(&b, "  + %s\n", d.Got)
	}
	if d.Cause != "" {
		fmt.Fprintf(&b, "  caused by %s\n", d.Cause)
	}
	return b.String()
}
