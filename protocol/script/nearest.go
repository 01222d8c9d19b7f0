package script

import "strings"

// Nearest gives the name that was probably meant by one that is not known, "" if none
// is near: a slip of a letter or two, another case, other separators, a part.
func Nearest(name string, known []string) string {
	if all := AllNearest(name, known); len(all) > 0 {
		return all[0]
	}
	return ""
}

// AllNearest gives all names that are as near as the nearest.
func AllNearest(name string, known []string) (best []string) {
	least := 1 << 30
	if len(name) > 100 {
		return nil
	}
	bare := bareName(name)
	for _, k := range known {
		d := distance(bare, bareName(k))
		if limit := 1 + min(len(bare), len(k))/4; d > limit || d > 0 && d >= max(len(bare), len(bareName(k))) {
			if !isPart(bare, bareName(k)) {
				continue
			}
			d += 10 // a part is a worse guess than a slip
		}
		if d == 0 && k != name && len(name) < 4 {
			d = 1 // of short names another case is as likely a slip as another letter
		}
		if d < least {
			best, least = best[:0], d
		}
		if d == least {
			best = append(best, k)
		}
	}
	return best
}

// bareName takes away what people write differently: session_timeout_ms and
// sessionTimeoutMs are session.timeout.ms.
func bareName(s string) string {
	return strings.ToLower(strings.NewReplacer(".", "", "_", "", "-", "", " ", "").Replace(s))
}

func isPart(part, of string) bool {
	return len(part) >= 4 && (strings.HasPrefix(of, part) || strings.HasSuffix(of, part)) ||
		len(of) >= 4 && strings.HasPrefix(part, of)
}

// distance counts the letters to insert, take out, replace or swap with their
// neighbour (optimal string alignment).
func distance(a, b string) int {
	if len(a) > len(b)+8 || len(b) > len(a)+8 {
		return 1 << 20 // far apart: not worth the work
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	short := min(len(a), len(b)) < 4
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			switch {
			case a[i-1] == b[j-1]:
				cost = 0
			case short && !(isDigit(a[i-1]) && isDigit(b[j-1])):
				cost = 2 // another letter makes another word of one so short, another digit one of its kind
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
