package sim

import "strconv"

// Time is a moment, or a length, of virtual time in microseconds. Runs start at 0.
type Time int64

// Units of Time.
const (
	Microsecond Time = 1
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
	Minute           = 60 * Second
	Hour             = 60 * Minute
)

// never is later than every moment of a run.
const never Time = 1<<63 - 1

// Millis is the moment as a node's clock shows it: whole milliseconds, as Kafka's do.
func (t Time) Millis() int64 { return int64(t / Millisecond) }

// String gives seconds with the digits that matter and at least three: "3.107", "0.0005".
func (t Time) String() string {
	if t < 0 {
		return "-" + (-t).String()
	}
	b := strconv.AppendInt(nil, int64(t/Second), 10)
	frac := strconv.AppendInt(nil, int64(t%Second)+int64(Second), 10)[1:]
	for len(frac) > 3 && frac[len(frac)-1] == '0' {
		frac = frac[:len(frac)-1]
	}
	return string(append(append(b, '.'), frac...))
}

// Span is a length of time, or a moment, from Min to Max, both included.
type Span struct{ Min, Max Time }

// Fixed reports whether it is just one.
func (s Span) Fixed() bool { return s.Min == s.Max }

// Contains reports whether the moment lies in the span.
func (s Span) Contains(t Time) bool { return s.Min <= t && t <= s.Max }
