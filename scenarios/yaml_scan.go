package scenarios

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// scanner looks through a text that is not YAML for the place where it stops to be:
// an open quote or bracket, a bracket of the wrong kind, a character that begins no
// value. It knows block texts, quotes, comments and brackets, and no more.
type scanner struct {
	text []byte
	i    int // the next byte
	pos  Pos // its place

	begun   bool // a line that is not blank or a comment has been read
	open    []bracket
	at      Pos
	problem string
	hint    string
}

type bracket struct {
	r      byte
	at     Pos
	indent int // of the line on which the outermost stands
}

func (s *scanner) fail(at Pos, problem, hint string) {
	if s.problem == "" {
		s.at, s.problem, s.hint = at, problem, hint
	}
}

// run stops at the first mistake.
func (s *scanner) run() {
	s.pos = Pos{1, 1}
	for s.i < len(s.text) && s.problem == "" {
		s.line()
	}
	if len(s.open) > 0 && s.problem == "" {
		s.unclosed()
	}
}

func (s *scanner) unclosed() {
	b := s.open[len(s.open)-1]
	s.fail(b.at, fmt.Sprintf("this %q is not closed", string(b.r)), "")
}

// next goes one character on.
func (s *scanner) next() {
	_, size := utf8.DecodeRune(s.text[s.i:])
	s.pos.Column++
	if s.text[s.i] == '\n' {
		s.pos = Pos{s.pos.Line + 1, 1}
	}
	s.i += size
}

func (s *scanner) peek() byte {
	if s.i < len(s.text) {
		return s.text[s.i]
	}
	return '\n'
}

func (s *scanner) restOfLine() string {
	rest, _, _ := strings.Cut(string(s.text[s.i:min(len(s.text), s.i+2000)]), "\n")
	return strings.TrimRight(rest, "\r ")
}

// line reads one line, or several if a quote goes over its end.
func (s *scanner) line() {
	for s.peek() == ' ' {
		s.next()
	}
	indent := s.pos.Column - 1
	if len(s.open) > 0 && indent <= s.open[0].indent && s.restOfLine() != "" && !strings.ContainsAny(string(s.peek()), "#]}") {
		s.unclosed()
		return
	}
	if len(s.open) == 0 {
		for (s.peek() == '-' || s.peek() == '?') && s.blankAfter() {
			s.next()
			for s.peek() == ' ' {
				s.next()
			}
		}
	}
	if c := s.peek(); c != '#' && c != '\n' && c != '\r' && len(s.open) == 0 {
		if indent == 0 {
			s.topKey()
		} else if !s.begun {
			s.fail(s.pos, "the file begins with an indented line", "the first key stands at the beginning of its line")
		}
		s.begun = true
	}
	for s.peek() != '\n' && s.problem == "" {
		if s.value(indent) {
			s.blockText(indent)
			return
		}
	}
	if s.i < len(s.text) && s.problem == "" {
		s.next()
	}
}

// topKey looks at what stands at the very beginning of a line: it can be nothing but a
// key, and no key of anyone's has a colon in it.
func (s *scanner) topKey() {
	line := s.restOfLine()
	if line == "" || strings.ContainsAny(line[:1], "#-\"'[]{}?%!&*") || strings.HasPrefix(line, "...") {
		return
	}
	key, _, _ := strings.Cut(line, " #")
	key, _, isKey := strings.Cut(key+" ", ": ")
	before, _, colon := strings.Cut(strings.TrimSpace(key), ":")
	switch {
	case colon:
		s.fail(s.pos, fmt.Sprintf("a key without \":\" after it: %q", clip(strings.TrimSpace(key))), fmt.Sprintf("write a space after the colon of %q", clip(before)))
	case !isKey:
		s.fail(s.pos, fmt.Sprintf("a key without \":\" after it: %q", clip(strings.TrimSpace(key))), `write "key: value"`)
	}
}

// blankAfter reports whether the character is followed by a blank or the line's end.
func (s *scanner) blankAfter() bool {
	if s.i+1 >= len(s.text) {
		return true
	}
	c := s.text[s.i+1]
	return c == ' ' || c == '\n' || c == '\r'
}

// value reads one token. It reports whether a block text begins on the next line.
func (s *scanner) value(indent int) (block bool) {
	switch c := s.peek(); c {
	case ' ', '\r':
		s.next()
	case '#':
		for s.peek() != '\n' {
			s.next()
		}
	case '[', '{':
		s.open = append(s.open, bracket{c, s.pos, indent})
		s.next()
	case ']', '}':
		s.closing(c)
	case '"', '\'':
		s.quoted(c)
	case '|', '>':
		if len(s.open) == 0 {
			rest := strings.Trim(s.restOfLine()[1:], "+-0123456789 ")
			if rest == "" || rest[0] == '#' {
				return true
			}
		}
		hint := fmt.Sprintf("a text that begins with %q needs quotes", string(c))
		s.fail(s.pos, fmt.Sprintf("no value begins with %q", string(c)), hint)
	case '*', '&':
		s.fail(s.pos, "anchors (&name) and aliases (*name) are not read here",
			fmt.Sprintf("a text that begins with %q needs quotes", string(c)))
	case '!':
		s.fail(s.pos, "tags (!name) are not read here", `a text that begins with "!" needs quotes`)
	case '@', '`', '%':
		s.fail(s.pos, fmt.Sprintf("no value begins with %q", string(c)), "put it in quotes")
	case ',':
		if len(s.open) == 0 {
			s.fail(s.pos, `no value begins with ","`, "put it in quotes")
			return
		}
		s.next()
	case ':':
		s.next()
	default:
		s.plainText()
	}
	return false
}

func (s *scanner) closing(c byte) {
	if len(s.open) == 0 {
		s.fail(s.pos, fmt.Sprintf("this %q closes nothing", string(c)), "a text that begins with a bracket needs quotes")
		return
	}
	b := s.open[len(s.open)-1]
	if b.r == '[' && c != ']' || b.r == '{' && c != '}' {
		s.fail(s.pos, fmt.Sprintf("this %q closes nothing: a %q is open, from line %d column %d",
			string(c), string(b.r), b.at.Line, b.at.Column), "")
		return
	}
	s.open = s.open[:len(s.open)-1]
	s.next()
}

func (s *scanner) quoted(quote byte) {
	begin := s.pos
	s.next()
	for s.i < len(s.text) {
		switch c := s.peek(); {
		case c == '\\' && quote == '"':
			s.next()
			if s.i < len(s.text) {
				s.next()
			}
		case c == quote:
			s.next()
			if quote == '\'' && s.peek() == '\'' && s.i < len(s.text) {
				s.next()
				continue
			}
			if rest := s.restOfLine(); rest != "" && !strings.ContainsAny(rest[:1], " ,:]}") {
				if s.pos.Line > begin.Line {
					s.fail(begin, "this quote is not closed", fmt.Sprintf("the next one is on line %d", s.pos.Line))
				}
				s.fail(s.pos, "something follows the closing quote", "")
			}
			return
		default:
			s.next()
		}
	}
	s.fail(begin, "this quote is not closed", "")
}

// plainText reads a text without quotes up to what ends it.
func (s *scanner) plainText() {
	begin := s.pos
	for s.i < len(s.text) {
		c := s.peek()
		switch {
		case c == '\n':
			return
		case c == ':' && s.blankAfter():
			return
		case c == '#' && s.text[s.i-1] == ' ' && s.pos != begin:
			return
		case len(s.open) > 0 && strings.ContainsAny(string(c), ",[]{}"):
			if c == '[' || c == '{' {
				if s.text[s.i-1] != ' ' {
					s.fail(begin, fmt.Sprintf("a %q within a text", string(c)), "names with braces need quotes within braces")
				} else {
					s.fail(s.pos, fmt.Sprintf("a \",\" or \":\" is missing before this %q", string(c)), "")
				}
			}
			return
		}
		s.next()
	}
}

// blockText skips the text after "|" or ">": the lines that are blank or indented
// more than the line before it.
func (s *scanner) blockText(indent int) {
	for s.peek() != '\n' {
		s.next()
	}
	for s.i < len(s.text) {
		s.next() // the newline
		rest := s.restOfLine()
		if bare := strings.TrimLeft(rest, " "); bare != "" && len(rest)-len(bare) <= indent {
			return
		}
		for s.peek() != '\n' {
			s.next()
		}
	}
}
