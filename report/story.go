package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// The screen that a story fits.
const (
	Columns = 80
	Lines   = 48
)

// leastRoom is how many lines there are for the rows of a run that failed, however much there is
// to say of that.
const leastRoom = 24

// Story writes a run on one screen: the verdict, what the coordinator handled and what
// happened to processes in its order, which rules made it so, and what each member paid.
func Story(w io.Writer, r *Run) error {
	var b bytes.Buffer
	verdict(&b, r, figuresTold)
	b.WriteByte('\n')
	about := Wrap(r.About, Columns, "")
	members := membersTold
	if r.Full {
		members = len(r.History.Clients)
	}
	tail := outcome(r, members)
	foot := footer(r)
	const between = 4 // empty lines
	room := Lines - bytes.Count(b.Bytes(), []byte{'\n'}) - len(about) - len(tail) - len(foot) - between
	if r.Failed() > 0 || r.Unexplained() > 0 {
		room = max(room, leastRoom)
	}
	body, notes := layout(r, room)
	for i, part := range [...][]string{about, body, notes, tail, foot} {
		for _, line := range part {
			b.WriteString(strings.TrimRight(line, " "))
			b.WriteByte('\n')
		}
		if len(part) > 0 && i < 4 {
			b.WriteByte('\n')
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// footer says how to see more and how to see it again, and what the timeline exercised.
func footer(r *Run) []string {
	happened := 0
	for _, s := range r.Steps {
		if s.Times > 0 && !s.Vain {
			happened++
		}
	}
	more := " more:   -v tells every event, and rebalsim why how one came about"
	if n := len(r.Steps); n > 0 {
		more = fmt.Sprintf(" more:   -v, rebalsim why.  Of the timeline %d of %d steps had an effect", happened, n)
	}
	foot := []string{more, " replay: " + r.Replay, " trace:  " + r.Hash + held(r)}
	for _, s := range r.Steps {
		if s.Why != "" && !s.Vain { // the verdict tells of that
			return append([]string{clipped(" in vain: "+s.Text+": "+s.Why, Columns)}, foot...)
		}
	}
	return foot
}

// clipped cuts the beginning of a text that is too long: what it ends with counts.
func clipped(text string, width int) string {
	if n := len(text) - width; n > 0 {
		return text[:10] + "…" + strings.ToValidUTF8(text[10+n+3:], "")
	}
	return text
}

// Wrap breaks a text into lines; the first begins with lead, the others are as far in. It breaks
// no command that stands in quotes.
func Wrap(text string, width int, lead string) []string {
	var lines []string
	line := lead
	empty := true
	for _, word := range unbroken(text) {
		if !empty && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line, empty = strings.Repeat(" ", len(lead)), true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	if empty {
		return lines
	}
	return append(lines, line)
}

// unbroken are the words of a text, and "rebalsim …" is one word.
func unbroken(text string) (words []string) {
	list := strings.Fields(text)
	for i := 0; i < len(list); i++ {
		word := list[i]
		if _, command, found := strings.Cut(word, `"rebalsim`); found && !strings.Contains(command, `"`) {
			for n, next := range list[i+1:] {
				if strings.Contains(next, `"`) {
					word = strings.Join(list[i:i+n+2], " ")
					i += n + 1
					break
				}
			}
		}
		words = append(words, word)
	}
	return words
}
