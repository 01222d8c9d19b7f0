package assignor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/rebalsim/rebalsim/protocol"
)

// MaxBatchLine bounds one line of a batch, in bytes.
const MaxBatchLine = 64 << 20

// LineError says which line of a batch cannot be used.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// Batch reads calls of assignors, one JSON object a line, and writes a line with
// the result of each, in order. A line is
//
//	{"id":…,"a":"range","v":"2.8.0","topics":[["t0",4],…],"members":[{"id":"C0","topics":["t0"]},…]}
//
// and its answer {"id":…,"out":{"C0":[["t0",0,1,2,3]]}}, or {"id":…,"err":true}
// where the assignor throws or never ends. A topic may have racks, in "racks":
// {"t0":[["r0","r1"],…]}, a member "inst", "rack", "owned" and the generations
// "gen" (of what it owned), "sgen" (the subscription's own) and "ugen" (in
// cooperative user data, where it is not "gen"); "mtopics" are the topics of every
// member. A line with "steps" is a list of such calls, each by a new assignor
// object, and its answer has as many. Other keys are left out of account.
//
// Batch stops at the first line that it cannot use, with a *LineError; the lines
// before it have been answered.
func Batch(r io.Reader, w io.Writer) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), MaxBatchLine)
	out := bufio.NewWriterSize(w, 1<<16)
	var answer []byte
	line := 0
	for in.Scan() {
		line++
		text := bytes.TrimSpace(in.Bytes())
		if len(text) == 0 {
			continue
		}
		var err error
		if answer, err = batchLine(answer[:0], text); err != nil {
			return errors.Join(&LineError{line, err}, out.Flush())
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return errors.Join(&LineError{line + 1, err}, out.Flush())
	}
	return out.Flush()
}

func batchLine(b, text []byte) ([]byte, error) {
	var line struct {
		ID       json.RawMessage `json:"id"`
		Assignor string          `json:"a"`
		Release  string          `json:"v"`
		Steps    *[]call         `json:"steps"`
		call
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return b, err
	}
	if line.ID == nil {
		return b, errors.New(`there is no "id"`)
	}
	release, err := protocol.ParseRelease(line.Release)
	if err != nil {
		return b, err
	}
	rules := protocol.AssignorRulesOf(release)
	b = append(b, `{"id":`...)
	b = append(b, line.ID...)
	b = append(b, ',')
	if line.Steps == nil {
		if b, err = line.call.answer(b, line.Assignor, rules); err != nil {
			return b, err
		}
		return append(b, "}\n"...), nil
	}
	b = append(b, `"steps":[`...)
	for i := range *line.Steps {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		if b, err = (*line.Steps)[i].answer(b, line.Assignor, rules); err != nil {
			return b, fmt.Errorf("step %d: %w", i, err)
		}
		b = append(b, '}')
	}
	return append(b, "]}\n"...), nil
}

// answer appends the result of the call: "out":{…} or "err":true.
func (c *call) answer(b []byte, assignor string, rules protocol.AssignorRules) ([]byte, error) {
	in, err := c.input(assignor)
	if err != nil {
		return b, err
	}
	res, err := Assign(assignor, rules, in)
	var thrown *ThrownError
	switch {
	case errors.As(err, &thrown), errors.Is(err, ErrNeverEnds), errors.Is(err, ErrTooLong):
		return append(b, `"err":true`...), nil
	case err != nil:
		return b, err
	}
	b = append(b, `"out":{`...)
	for i := range in.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, in.Members[i].ID)
		b = append(b, ':')
		b = appendRuns(b, res.Assigned[i])
	}
	return append(b, '}'), nil
}
