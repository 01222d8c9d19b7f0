package scenarios

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// The grammar of everything that is written as one text: lengths of time, rates,
// sizes, numbers, ranges, patterns and globs. There are no floats: 2.5s is exactly
// 2,500,000 microseconds.
//
// Errors say what is wrong; after a newline, if there is one, what to do.

var timeUnits = []struct {
	name string
	unit sim.Time
}{{"us", sim.Microsecond}, {"µs", sim.Microsecond}, {"ms", sim.Millisecond}, {"s", sim.Second}, {"m", sim.Minute}, {"h", sim.Hour}}

// parseDuration reads "250ms", "2.5s", "1m30s", "2h": parts from large to small.
func parseDuration(s string) (sim.Time, error) {
	wrong := func(problem string) (sim.Time, error) {
		return 0, fmt.Errorf("%q is not a length of time: %s\nwrite it like 250ms, 45s, 1m30s or 2h", clip(s), problem)
	}
	if s == "" {
		return wrong("it is empty")
	}
	if s[0] == '-' {
		return 0, fmt.Errorf("%q is negative: a length of time is 0s or more", clip(s))
	}
	if strings.ContainsAny(s, " \t\n") {
		return wrong("there is a space in it")
	}
	var total sim.Time
	last := MaxTime + 1
	for rest := s; rest != ""; {
		number := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789."))]
		rest = rest[len(number):]
		name := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzµABCDEFGHIJKLMNOPQRSTUVWXYZ"))]
		rest = rest[len(name):]
		if number == "" {
			return wrong("a number is missing")
		}
		if name == "" {
			if strings.HasPrefix(rest, ":") {
				return wrong("a clock's time is not one, and YAML makes a number of it")
			}
			return wrong("it has no unit")
		}
		unit := sim.Time(0)
		for _, u := range timeUnits {
			if u.name == name {
				unit = u.unit
			}
		}
		if unit == 0 {
			return wrong(fmt.Sprintf("there is no unit %q", name))
		}
		if unit >= last {
			return wrong("its units are not in order")
		}
		last = unit
		v, ok := scaled(number, int64(unit))
		if !ok || v > int64(MaxTime) || total+sim.Time(v) > MaxTime {
			return wrong(fmt.Sprintf("more than %d hours, or no whole number of microseconds", MaxTime/sim.Hour))
		}
		total += sim.Time(v)
	}
	return total, nil
}

// scaled is a decimal number times a unit, exactly; ok is false if the result is no
// whole number or does not fit.
func scaled(decimal string, unit int64) (v int64, ok bool) {
	whole, frac, _ := strings.Cut(decimal, ".")
	if whole == "" || len(frac) > 9 || strings.HasSuffix(decimal, ".") {
		return 0, false
	}
	w, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || w > (1<<62)/unit {
		return 0, false
	}
	v = w * unit
	if frac == "" {
		return v, true
	}
	f, err := strconv.ParseInt(frac, 10, 64)
	if err != nil {
		return 0, false
	}
	ten := int64(1)
	for range frac {
		ten *= 10
	}
	// f < 10^9 and unit is at most an hour, 3.6 * 10^9: the product fits.
	if f*unit%ten != 0 {
		return 0, false
	}
	return v + f*unit/ten, true
}

// parseSpan reads a length of time, or a range "8s..15s".
func parseSpan(s string) (Span, error) {
	low, high, isRange := strings.Cut(s, "..")
	if !isRange {
		d, err := parseDuration(strings.TrimSpace(s))
		return Span{Min: d, Max: d}, err
	}
	a, err := parseDuration(strings.TrimSpace(low))
	if err != nil {
		return Span{}, err
	}
	b, err := parseDuration(strings.TrimSpace(high))
	if err != nil {
		return Span{}, err
	}
	if b < a {
		return Span{}, fmt.Errorf("the range %q ends before it begins", s)
	}
	return Span{Min: a, Max: b}, nil
}

// parseRate reads "6000/s", "10/m" or "1/250ms".
func parseRate(s string) (Rate, error) {
	const hint = "write it like 6000/s or 10/m"
	n, per, ok := strings.Cut(s, "/")
	if !ok {
		return Rate{}, fmt.Errorf("%q is not a rate: per what?\n%s", clip(s), hint)
	}
	records, err := strconv.ParseInt(strings.TrimSpace(n), 10, 64)
	if err != nil || records < 0 || records > 1e9 {
		return Rate{}, fmt.Errorf("%q is not a rate: it wants a whole number of records, up to 10^9\n%s", clip(s), hint)
	}
	per = strings.TrimSpace(per)
	if per != "" && strings.Trim(per[:1], "0123456789") != "" {
		per = "1" + per
	}
	d, err := parseDuration(per)
	if err != nil || d == 0 {
		return Rate{}, fmt.Errorf("%q is not a rate: %q is no unit of time\n%s", clip(s), clip(per), hint)
	}
	if d > sim.Hour {
		return Rate{}, fmt.Errorf("%q is not a rate: per an hour at most\n%s", clip(s), hint)
	}
	return Rate{records, d}, nil
}

// parseShare reads "5%" or "0.1%", in thousandths.
func parseShare(s string) (int, error) {
	number, ok := strings.CutSuffix(s, "%")
	v, whole := scaled(number, 10)
	if !ok || !whole || v < 1 || v > 1000 {
		return 0, fmt.Errorf("%q is not a share\nwrite it like 5%% or 0.5%%: from 0.1%% to 100%%", clip(s))
	}
	return int(v), nil
}

// parseSize reads a number of bytes: "1048576", "64KiB", "1MiB".
func parseSize(s string) (int64, error) {
	unit, number := int64(1), s
	for _, u := range []struct {
		name string
		unit int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}} {
		if n, ok := strings.CutSuffix(s, u.name); ok {
			unit, number = u.unit, strings.TrimSpace(n)
		}
	}
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil || v < 0 || v > (1<<50)/unit {
		return 0, fmt.Errorf("%q is not a size\nwrite a number of bytes, or 64KiB, 1MiB", clip(s))
	}
	return v * unit, nil
}

func parseInt(s string) (int64, error) {
	v, err := strconv.ParseInt(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("the number %s is too large", clip(s))
	case err != nil:
		return 0, fmt.Errorf("%q is not a whole number", clip(s))
	}
	return v, nil
}

func parseBool(s string) (bool, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	hint := ""
	switch strings.ToLower(s) {
	case "yes", "on", "y":
		hint = "\nwrite true"
	case "no", "off", "n":
		hint = "\nwrite false"
	}
	return false, fmt.Errorf("%q is neither true nor false%s", clip(s), hint)
}

// parseNumber reads what a number is expected to be: "2", "2..3", ">= 2", "< 5",
// "+1", "+1..+2", "+1 since deploy".
func parseNumber(s string) (*Number, error) {
	wrong := fmt.Errorf("%q is not an expected number\nwrite it like 2, 2..3, \">= 2\", +1 or \"+1 since MARK\"", clip(s))
	n := &Number{}
	text, since, hasSince := strings.Cut(s, " since ")
	if hasSince {
		n.Since = strings.TrimSpace(since)
	}
	text = strings.TrimSpace(text)
	n.Relative = strings.HasPrefix(text, "+")
	if hasSince && (!n.Relative || n.Since == "") {
		return nil, wrong
	}
	number := func(s string) (int64, bool) {
		s = strings.TrimSpace(s)
		if strings.HasPrefix(s, "+") != n.Relative {
			return 0, false
		}
		v, err := strconv.ParseInt(strings.TrimPrefix(s, "+"), 10, 32)
		return v, err == nil && v >= 0
	}
	const most = 1<<63 - 1
	ok, ok2 := false, true
	switch {
	case strings.HasPrefix(text, ">="):
		n.Min, ok = number(text[2:])
		n.Max = most
	case strings.HasPrefix(text, ">"):
		n.Min, ok = number(text[1:])
		n.Min++
		n.Max = most
	case strings.HasPrefix(text, "<="):
		n.Max, ok = number(text[2:])
	case strings.HasPrefix(text, "<"):
		n.Max, ok = number(text[1:])
		n.Max--
		ok = ok && n.Max >= 0
	default:
		low, high, isRange := strings.Cut(text, "..")
		n.Min, ok = number(low)
		n.Max = n.Min
		if isRange {
			n.Max, ok2 = number(high)
		}
	}
	if !ok || !ok2 {
		return nil, wrong
	}
	if n.Max < n.Min {
		return nil, fmt.Errorf("the range %q ends before it begins", clip(s))
	}
	return n, nil
}

// expandPattern gives the names that one with a range stands for: pod-{00..39} is
// pod-00 to pod-39, as many digits as were written. A name without braces is itself.
func expandPattern(s string, most int) ([]string, error) {
	before, rest, braces := strings.Cut(s, "{")
	if !braces {
		return []string{s}, nil
	}
	inner, after, closed := strings.Cut(rest, "}")
	low, high, isRange := strings.Cut(inner, "..")
	if !closed || !isRange || strings.ContainsAny(after, "{}") {
		return nil, fmt.Errorf("%q is not a pattern of names\nwrite it like pod-{00..39}", clip(s))
	}
	a, errA := strconv.ParseUint(low, 10, 31)
	b, errB := strconv.ParseUint(high, 10, 31)
	if errA != nil || errB != nil {
		return nil, fmt.Errorf("%q is not a pattern of names: a range wants two numbers\nwrite it like pod-{00..39}", clip(s))
	}
	if b < a {
		return nil, fmt.Errorf("the range of %q ends before it begins", clip(s))
	}
	if b-a >= uint64(most) {
		return nil, fmt.Errorf("%q stands for %d names: at most %d", clip(s), b-a+1, most)
	}
	list := make([]string, 0, b-a+1)
	for i := a; i <= b; i++ {
		list = append(list, fmt.Sprintf("%s%0*d%s", before, len(low), i, after))
	}
	return list, nil
}

// isGlob reports whether a text names things by a glob.
func isGlob(s string) bool { return strings.ContainsAny(s, "*?") }

// matchGlob reports whether a name fits a glob: * is any number of characters, ? is
// one. It takes time in proportion to the product of both lengths at most.
func matchGlob(glob, name string) bool {
	g, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, mark = g, n
			g++
		case g < len(glob) && (glob[g] == '?' || glob[g] == name[n]):
			g, n = g+1, n+1
		case star >= 0:
			mark++
			g, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(glob[g:], "*") == ""
}
