package scenarios

import (
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

const releasesHint = `write it like ">=3.4", "<0.11", "2.2..3.3" or "client >=3.4"; "all" for every release, "… except …" to leave some out`

// parseReleases reads a condition on releases: bounds that must all hold, separated by
// commas, and after "except" bounds of which none may hold. A bound is on the brokers'
// release unless it begins with "client".
func parseReleases(n *Node) (r Releases, ok bool) {
	bounds, except, excepts := strings.Cut(n.text, " except ")
	if parts := strings.Split(bounds, ","); strings.Join(strings.Fields(parts[len(parts)-1]), " ") == "seed 0" {
		r.Plain = true
		bounds = strings.Join(parts[:len(parts)-1], ",")
	}
	if bounds != "all" && (bounds != "" || !r.Plain) {
		if r.Bounds, ok = parseBounds(n, bounds); !ok {
			return r, false
		}
	}
	if excepts {
		if r.Except, ok = parseBounds(n, except); !ok {
			return r, false
		}
	}
	return r, true
}

func parseBounds(n *Node, text string) (list []Bound, ok bool) {
	for _, part := range strings.Split(text, ",") {
		var b Bound
		part = strings.TrimSpace(part)
		if rest, isClient := strings.CutPrefix(part, "client "); isClient {
			b.Client, part = true, strings.TrimSpace(rest)
		} else {
			part = strings.TrimSpace(strings.TrimPrefix(part, "broker "))
		}
		if seed, ok := strings.CutPrefix(part, "seed "); ok {
			n.Fail("", "a condition is on seed 0 alone, and stands last: not on seed %s", clip(seed))
			return list, false
		}
		if problem := b.parse(part); problem != "" {
			n.Fail(releasesHint, "%q says no releases: %s", clip(n.text), problem)
			return list, false
		}
		list = append(list, b)
	}
	return list, true
}

// parse reads ">=3.4", ">3.4", "<3.4", "<=3.4", "2.2..3.3" or "3.4". It gives what is
// wrong, or "".
func (b *Bound) parse(text string) string {
	var problem string
	get := func(s string) (first, last protocol.Release) {
		s = strings.TrimSpace(s)
		first, last, ok := releasesOf(s)
		if !ok {
			var err error
			if first, err = protocol.ParseRelease(s); err != nil {
				problem = err.Error()
			}
			last = first
		}
		return first, last
	}
	low, high, isRange := strings.Cut(text, "..")
	switch {
	case strings.HasPrefix(text, ">="):
		b.Min, _ = get(text[2:])
		b.HasMin = true
	case strings.HasPrefix(text, "<="):
		_, b.Max = get(text[2:])
		b.HasMax = true
	case strings.HasPrefix(text, "<"):
		b.Max, _ = get(text[1:])
		b.HasMax, b.Below = true, true
	case strings.HasPrefix(text, ">"):
		_, last := get(text[1:])
		for _, r := range protocol.Releases() {
			if !b.HasMin && r.Compare(last) > 0 {
				b.Min, b.HasMin = r, true
			}
		}
		if !b.HasMin && problem == "" {
			problem = "there is none above " + last.String()
		}
	case isRange:
		b.Min, _ = get(low)
		_, b.Max = get(high)
		b.HasMin, b.HasMax = true, true
		if problem == "" && b.Max.Compare(b.Min) < 0 {
			problem = "the range ends before it begins"
		}
	default:
		b.Min, b.Max = get(text)
		b.HasMin, b.HasMax = true, true
	}
	return problem
}
