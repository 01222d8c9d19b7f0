package scenarios

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxNesting bounds what the parser is given to recurse into, by a count of brackets
// and of "- - -" that knows nothing of quotes. Deeper than MaxDepth is refused once
// the file is parsed; this only keeps the parser itself out of trouble.
const maxNesting = 500

// checkText looks at the bytes before anything reads them: size, encoding, control
// characters, tabs and hopeless nesting.
func (d *document) checkText(text []byte) bool {
	if len(text) > MaxSize {
		d.fail(Pos{}, fmt.Sprintf("the file is larger than %d KiB", MaxSize>>10), "")
		return false
	}
	at := Pos{1, 1}
	brackets, indicators := 0, 0
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
	line, problem := parserLine(err)
	at := Pos{}
	if line > 0 {
		lines := bytes.Split(text, []byte("\n"))
		line = min(line, len(lines))
		rest := bytes.TrimLeft(lines[line-1], " ")
		at = Pos{line, 1 + len(lines[line-1]) - len(rest)}
	}
	for _, k := range parserWords {
		if problem == k.says {
			d.fail(at, k.problem, k.hint)
			return
		}
	}
	d.fail(at, "this is not YAML: "+problem, "")
}

// parserLine takes a complaint of the parser apart.
func parserLine(err error) (line int, problem string) {
	problem = err.Error()
	if _, scanErr := fmt.Sscanf(problem, "yaml: line %d:", &line); scanErr == nil {
		_, after, _ := bytes.Cut([]byte(problem), []byte(": "))
		_, after, _ = bytes.Cut(after, []byte(": "))
		return line, string(after)
	}
	_, after, found := bytes.Cut([]byte(problem), []byte("yaml: "))
	if found {
		problem = string(after)
	}
	return 0, problem
}

var parserWords = []struct{ says, problem, hint string }{
	{"mapping values are not allowed in this context", `a ": " that does not fit in here`, "check the indentation; a text with a colon needs quotes"},
	{"did not find expected key", "this line does not fit in: a key is expected", "check the indentation"},
	{"did not find expected '-' indicator", `this line does not fit in: a "- " is expected`, "check the indentation"},
	{"could not find expected ':'", `a key without ":"`, `write "key: value", with a space after the colon`},
	{"did not find expected ',' or ']'", `a "," or "]" is missing`, ""},
	{"did not find expected ',' or '}'", `a "," or "}" is missing`, "names with braces need quotes within braces"},
	{"block sequence entries are not allowed in this context", `a "- " that does not fit in here`, "check the indentation"},
	{"did not find expected <document start>", "this does not belong to the document above it", "check the indentation"},
}
