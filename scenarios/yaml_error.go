package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is something that is wrong with a file.
type Error struct {
	File string
	// Line and Column count from 1, columns in characters; both are 0 if it is not a
	// matter of one place.
	Line, Column int
	// Problem says what is wrong; Hint, if not "", what to do.
	Problem string
	Hint    string
}

// Error is "file:line:column: problem (hint)".
func (e *Error) Error() string {
	s := e.File + ": "
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Column)
	}
	s += e.Problem
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Errors are the things that are wrong with a file, in the order of the file. There
// is at least one, and not more than MaxErrors.
type Errors []*Error

// MaxErrors is how many errors of a file are reported.
const MaxErrors = 10

// Error has a line for each.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the single errors.
func (e Errors) Unwrap() []error {
	list := make([]error, len(e))
	for i := range e {
		list[i] = e[i]
	}
	return list
}

// document collects what is wrong with one file.
type document struct {
	file  string
	text  []byte
	lines int
	errs  []*Error
}

// collected bounds the work on a file in which nearly everything is wrong.
const collected = 4 * MaxErrors

func (d *document) full() bool { return len(d.errs) >= collected }

func (d *document) fail(at Pos, problem, hint string) {
	if d.full() {
		return
	}
	for _, e := range d.errs {
		if e.Line == at.Line && e.Column == at.Column && (at.Line > 0 || d.text == nil) {
			return // one complaint for one place: the first is the cause of the others
		}
	}
	d.errs = append(d.errs, &Error{File: d.file, Line: at.Line, Column: at.Column, Problem: problem, Hint: hint})
}

// err gives what has been collected, nil if nothing.
func (d *document) err() error {
	if len(d.errs) == 0 {
		return nil
	}
	sorted := slices.Clone(d.errs)
	slices.SortStableFunc(sorted, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return Errors(sorted[:min(len(sorted), MaxErrors)])
}

// commented says on which line a comment has what would introduce a name: a mark, or a key
// with a map.
func (d *document) commented(name string) string {
	for i, line := range strings.Split(string(d.text), "\n") {
		if _, comment, ok := strings.Cut(line, "#"); ok &&
			(strings.Contains(comment, "mark: "+name) || strings.Contains(comment, name+": {")) {
			return fmt.Sprintf("line %d has it in a comment", i+1)
		}
	}
	return ""
}

// inComment says on which line a key that is missing stands in a comment.
func (d *document) inComment(key string) string {
	for i, line := range strings.Split(string(d.text), "\n") {
		if _, comment, ok := strings.Cut(line, "#"); ok && strings.Contains(comment, key+":") {
			return fmt.Sprintf("line %d has it in a comment", i+1)
		}
	}
	return ""
}
