package scenarios

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxNesting bounds what the parser is given to recurse into, by a count of brackets
// and of "- - -" that knows nothing of quotes. Deeper than MaxDepth is refused once
// the file is parsed; this only keeps the parser itself out of trouble.
const maxNesting = 500

// maxValues bounds, by a count of commas and lines, how many values there can be: the
// parser makes few hundred thousand a second.
const maxValues = 20_000

// checkText looks at the bytes before anything reads them: size, encoding, control
// characters, tabs and hopeless nesting.
func (d *document) checkText(text []byte) bool {
	if len(text) > MaxSize {
		d.fail(Pos{}, fmt.Sprintf("the file is larger than %d KiB", MaxSize>>10), "")
		return false
	}
	at := Pos{1, 1}
	brackets, indicators, values := 0, 0, 0
	lineStart := true
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		problem, hint := "", ""
		switch {
		case r == utf8.RuneError && size == 1:
			problem, hint = "this is not UTF-8", "save the file as UTF-8 text"
		case r == '\t':
			problem, hint = "a tab", "YAML wants spaces"
		case r == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case r < ' ' && r != '\n', r == 0x7f, r >= 0x80 && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff:
			problem, hint = fmt.Sprintf("the control character %U", r), "take it out"
		case r == '[' || r == '{':
			brackets++
		case (r == ']' || r == '}') && brackets > 0:
			brackets--
		case lineStart && (r == '-' || r == '?' || r == ':'):
			indicators++
		}
		if r == ',' || r == '\n' {
			if values++; values > maxValues {
				problem = fmt.Sprintf("more than %d commas and lines", maxValues)
			}
		}
		if brackets > maxNesting || indicators > maxNesting {
			problem = fmt.Sprintf("more than %d maps and lists within each other", MaxDepth)
		}
		if problem != "" {
			d.fail(at, problem, hint)
			return false
		}
		i += size
		at.Column++
		if lineStart = lineStart && (r == ' ' || r == '-' || r == '?' || r == ':'); r == '\n' {
			at = Pos{at.Line + 1, 1}
			lineStart, indicators = true, 0
		}
	}
	return true
}

// explain turns the parser's complaint into an Error. The parser names a line at
// best, and often one far from the mistake, so the text is first searched for the
// mistakes that people make.
func (d *document) explain(text []byte, err error) {
	s := scanner{text: text}
	s.run()
	if s.problem != "" {
		d.fail(s.at, s.problem, s.hint)
		return
	}
	around, problem := parserProblem(err)
	at := firstBad(text, err)
	if at.Line == 0 {
		at = Pos{around, 1}
	}
	for _, k := range parserWords {
		if problem == k.says {
			if around >= at.Line || k.outer {
				around = outerLine(text, at)
			}
			hint := strings.ReplaceAll(k.hint, "LINE", strconv.Itoa(around))
			outer := outerLine(text, at)
			if outer != around && strings.Contains(k.problem, "does not fit in: ") {
				hint += fmt.Sprintf("; by its indentation it belongs to line %d, and what stands there first is on line %d", outer, nextLine(text, outer))
			}
			if strings.HasPrefix(k.problem, "a key without") && outer < at.Line-1 {
				hint += fmt.Sprintf("; it belongs to line %d", outer)
			}
			if n := keyInComment(text, at.Line); n > outer {
				hint += fmt.Sprintf("; line %d has a key in its comment", n)
			}
			d.fail(at, k.problem, hint)
			return
		}
	}
	d.fail(at, "this is not YAML: "+problem, "")
}

// firstBad finds the line that makes the text unreadable. The parser names the line
// on which the surrounding list or map began. But it reads from top to bottom, so its
// complaint is the same for every beginning of the text that has the bad line; the
// shortest of them ends there.
func firstBad(text []byte, err error) Pos {
	const most = 64 << 10 // so that the search is quick
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(text) > most {
		return Pos{}
	}
	ends := make([]int, len(lines))
	for i, n := 0, 0; i < len(lines); i++ {
		n += len(lines[i])
		ends[i] = n
	}
	bad, _ := slices.BinarySearchFunc(ends, err.Error(), func(end int, complaint string) int {
		if _, _, err := parse(text[:end]); err != nil && err.Error() == complaint {
			return 0
		}
		return -1
	})
	bad = min(bad, len(lines)-1)
	indent := len(lines[bad]) - len(bytes.TrimLeft(lines[bad], " "))
	return Pos{bad + 1, indent + 1}
}

var parserLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// parserProblem takes a complaint of the parser's apart: what it is, and the line on
// which the list, map or text begins in which it is. The parser counts lines from 0
// here, and leaves the first out.
func parserProblem(err error) (around int, problem string) {
	m := parserLine.FindStringSubmatch(err.Error())
	if m == nil {
		return 1, err.Error()
	}
	around, _ = strconv.Atoi(m[1])
	return around + 1, err.Error()[len(m[0]):]
}

// nextLine is the line after one that is not empty and no comment.
func nextLine(text []byte, line int) int {
	lines := bytes.Split(text, []byte("\n"))
	for i := line; i < len(lines); i++ {
		if bare := bytes.TrimSpace(lines[i]); len(bare) > 0 && bare[0] != '#' {
			return i + 1
		}
	}
	return line
}

var keyAtEnd = regexp.MustCompile(`#.*[ "'\w]: *$`)

// keyInComment is the nearest line above whose comment ends like a key: then what comes
// after it has lost what it belongs to. 0 if there is none.
func keyInComment(text []byte, line int) int {
	lines := bytes.Split(text, []byte("\n"))
	for i := min(line, len(lines)) - 2; i >= 0; i-- {
		if keyAtEnd.Match(bytes.TrimSuffix(lines[i], []byte("\r"))) {
			return i + 1
		}
	}
	return 0
}

// outerLine is the line above that is indented less.
func outerLine(text []byte, at Pos) int {
	lines := bytes.Split(text, []byte("\n"))
	for i := min(at.Line, len(lines)) - 2; i >= 0; i-- {
		bare := bytes.TrimLeft(lines[i], " ")
		if len(bare) > 0 && bare[0] != '#' && bare[0] != '\r' && len(lines[i])-len(bare) < at.Column-1 {
			return i + 1
		}
	}
	return 1
}

// parserWords are the parser's complaints in plain words. In a hint, LINE is the line
// on which the surrounding begins, or with outer the line above that is indented less.
var parserWords = []struct {
	says, problem, hint string
	outer               bool
}{
	{"mapping values are not allowed in this context", `a ": " that does not fit in here`,
		"check the indentation; is it part of the text of line LINE, then that needs quotes or \"|\"", true},
	{"did not find expected key", "this line does not fit in: a key is expected",
		"check the indentation: the map around it begins on line LINE", false},
	{"did not find expected '-' indicator", `this line does not fit in: a "- " is expected`,
		"check the indentation: the list around it begins on line LINE", false},
	{"could not find expected ':'", `a key without ":"`, `write "key: value", with a space after the colon`, false},
	{"did not find expected ',' or ']'", `a "," or "]" is missing`, "the list begins on line LINE", false},
	{"did not find expected ',' or '}'", `a "," or "}" is missing`, "the map begins on line LINE", false},
	{"block sequence entries are not allowed in this context", `a "- " that does not fit in here`, "check the indentation", false},
	{"did not find expected <document start>", "this does not belong to what is above it", "check the indentation", false},
}
