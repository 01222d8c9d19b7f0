package drive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line of vectors, in bytes.
const maxLine = 64 << 20

// Batch plays vectors, one a line, and writes each with what the simulated client does.
// Empty lines stay. An error names the line.
func Batch(r io.Reader, w io.Writer) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	out := bufio.NewWriter(w)
	n := 0
	for in.Scan() {
		n++
		if line := bytes.TrimSpace(in.Bytes()); len(line) > 0 {
			got, err := Vector(line)
			if err != nil {
				return errors.Join(out.Flush(), fmt.Errorf("line %d: %w", n, err))
			}
			out.Write(got)
		}
		out.WriteByte('\n')
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return errors.Join(out.Flush(), fmt.Errorf("line %d: it is longer than %d MiB", n+1, maxLine>>20))
	} else if err != nil {
		return err
	}
	return out.Flush()
}

// Vector plays one line of vectors on the client of its version and gives the same line
// with what that client does. Errors say what in the line is unusable.
func Vector(line []byte) ([]byte, error) { return replay(line, false, false) }

// vectorKeys are what Vector gives back as it stands, in this order.
var vectorKeys = []string{"id", "desc", "version", "config", "brokers", "topics", "fetch", "listener"}

// replay is Vector, on request with every idle tick played, or with a copy in the
// client's place after each step.
func replay(line []byte, everyTick, recopy bool) ([]byte, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(line, &whole); err != nil {
		return nil, notJSON(err)
	}
	if whole == nil {
		return nil, errors.New("a vector is a JSON object, not null")
	}
	for _, key := range []string{"version", "brokers", "events"} {
		if whole[key] == nil {
			return nil, fmt.Errorf("a client's vector has the key %q", key)
		}
	}
	var v vector
	if err := json.Unmarshal(line, &v); err != nil {
		return nil, notJSON(err)
	}
	got, err := v.replay(everyTick, recopy)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.ID, err)
	}
	var buf bytes.Buffer
	buf.WriteByte('{')
	for _, k := range vectorKeys {
		if raw, ok := whole[k]; ok {
			fmt.Fprintf(&buf, "%q:%s,", k, raw)
		}
	}
	fmt.Fprintf(&buf, `"events":[%s]}`, bytes.Join(got, []byte{','}))
	return buf.Bytes(), nil
}

func (v *vector) replay(everyTick, recopy bool) ([][]byte, error) {
	cfg, err := v.config()
	if err != nil {
		return nil, err
	}
	cfg.EveryTick = everyTick
	b, err := newVectorRun(cfg, v.Topics)
	if err != nil {
		return nil, err
	}
	b.recopy = recopy
	if err := b.play(v); err != nil {
		return nil, err
	}
	return b.out, nil
}

// notJSON says what is wrong with a line without Go's own names of types.
func notJSON(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &kind):
		return fmt.Errorf("this is not JSON: %w", err)
	case kind.Field == "":
		return fmt.Errorf("a vector is a JSON object, and this is of another kind: %s", kind.Value)
	}
	return fmt.Errorf("%s is of a wrong kind: %s", kind.Field, kind.Value)
}
