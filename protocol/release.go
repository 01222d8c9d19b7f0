package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Release is one release of Kafka: a number of three parts, before 1.0 of four. The
// first parts without the last name its line; the last counts the line's patches.
type Release struct {
	line  [3]int8 // 2.8 is {2, 8, 0}, 0.10.1 is {0, 10, 1}
	patch int8
}

// Snapshot is the state of Kafka's trunk of 25 October 2024 (commit 1eb7644), the
// only one after 3.9 that recorded answers exist of.
const Snapshot = "4.0-2024-10"

var snapshot = Release{line: [3]int8{4, 0, 0}}

// Default is the release that a scenario plays which names none: the last line with
// the coordinator written in Scala.
const Default = "3.9"

// patches holds for each line, in the order of time, its last patch.
var patches = []Release{
	{[3]int8{0, 9, 0}, 1},
	{[3]int8{0, 10, 0}, 1},
	{[3]int8{0, 10, 1}, 1},
	{[3]int8{0, 10, 2}, 2},
	{[3]int8{0, 11, 0}, 3},
	{[3]int8{1, 0, 0}, 2},
	{[3]int8{1, 1, 0}, 1},
	{[3]int8{2, 0, 0}, 1},
	{[3]int8{2, 1, 0}, 1},
	{[3]int8{2, 2, 0}, 2},
	{[3]int8{2, 3, 0}, 1},
	{[3]int8{2, 4, 0}, 1},
	{[3]int8{2, 5, 0}, 1},
	{[3]int8{2, 6, 0}, 3},
	{[3]int8{2, 7, 0}, 2},
	{[3]int8{2, 8, 0}, 2},
	{[3]int8{3, 0, 0}, 2},
	{[3]int8{3, 1, 0}, 2},
	{[3]int8{3, 2, 0}, 3},
	{[3]int8{3, 3, 0}, 2},
	{[3]int8{3, 4, 0}, 1},
	{[3]int8{3, 5, 0}, 2},
	{[3]int8{3, 6, 0}, 2},
	{[3]int8{3, 7, 0}, 2},
	{[3]int8{3, 8, 0}, 1},
	{[3]int8{3, 9, 0}, 1},
	{snapshot.line, 0},
}

// ParseRelease reads "2.8.1", or "2.8", which is its last patch, "0.10.2.1" or
// "0.10.2", or Snapshot. A release candidate is taken for its release.
func ParseRelease(s string) (Release, error) {
	if s == Snapshot || s == "4.0" {
		return snapshot, nil
	}
	r, hasPatch, err := splitRelease(s)
	if err != nil {
		return Release{}, err
	}
	for i, last := range patches {
		switch c := slices.Compare(r.line[:], last.line[:]); {
		case c < 0 && i > 0:
			return Release{}, fmt.Errorf("no Kafka %s is known: behind %s comes %s", s, patches[i-1], last)
		case c != 0:
		case !hasPatch:
			return last, nil
		case last.line == snapshot.line:
			return Release{}, fmt.Errorf("no Kafka %s is known: %s is what there was of it in October 2024", s, Snapshot)
		case r.patch > last.patch:
			return Release{}, fmt.Errorf("no Kafka %s is known: the last of its line is %s", s, last)
		default:
			return r, nil
		}
	}
	return Release{}, fmt.Errorf("no Kafka %s is known: write one from %s to %s", s, Release{line: patches[0].line}, Snapshot)
}

func splitRelease(s string) (r Release, hasPatch bool, err error) {
	base, _, _ := strings.Cut(s, "-rc")
	parts := strings.Split(base, ".")
	inLine := 2
	if parts[0] == "0" {
		inLine = 3
	}
	if len(parts) < inLine || len(parts) > inLine+1 {
		return r, false, fmt.Errorf("%q is not a release of Kafka: write it like 2.8.1 or 0.10.2.1", s)
	}
	for i, p := range parts {
		n, err := strconv.ParseInt(p, 10, 8)
		if err != nil || n < 0 || strconv.FormatInt(n, 10) != p {
			return r, false, fmt.Errorf("%q is not a release of Kafka: write it like 2.8.1 or 0.10.2.1", s)
		}
		if i < inLine {
			r.line[i] = int8(n)
		} else {
			r.patch = int8(n)
		}
	}
	return r, len(parts) == inLine+1, nil
}

// MustRelease is ParseRelease for names that are part of the program.
func MustRelease(s string) Release {
	r, err := ParseRelease(s)
	if err != nil {
		panic(err)
	}
	return r
}

// String is the release's full number.
func (r Release) String() string {
	if r == snapshot {
		return Snapshot
	}
	return fmt.Sprintf("%s.%d", r.Line(), r.patch)
}

// Line is the number without the patch: "2.8", "0.10.1".
func (r Release) Line() string {
	if r.line[0] == 0 {
		return fmt.Sprintf("0.%d.%d", r.line[1], r.line[2])
	}
	return fmt.Sprintf("%d.%d", r.line[0], r.line[1])
}

// Compare orders releases by number, which is not always the order of their changes:
// see Includes.
func (r Release) Compare(s Release) int {
	for i := range r.line {
		if d := int(r.line[i]) - int(s.line[i]); d != 0 {
			return d
		}
	}
	return int(r.patch) - int(s.patch)
}

// Includes reports whether what came with s is part of r. A line branches off before
// its first release and then gets fixes of its own: 2.8.0 came out after 2.7.2 and
// lacks what 2.7.2 mended, unless it got the same.
func (r Release) Includes(s Release) bool {
	if r.line == s.line {
		return s.patch <= r.patch
	}
	return s.patch == 0 && s.Compare(r) < 0
}

// Releases lists every known release in the order of numbers.
func Releases() []Release {
	var all []Release
	for _, last := range patches {
		for p := int8(0); p <= last.patch; p++ {
			all = append(all, Release{last.line, p})
		}
	}
	return all
}

// Row is a line of the table of releases: at Release something changed. Of the three
// functions at least one is set; each changes the rules from what they were before.
//
// A fix that went into several lines has a row in each, and one at the next x.y.0.
type Row struct {
	Release  string
	ID       string // the KIP or KAFKA issue that brought it
	What     string // what changed, in a sentence
	Broker   func(*BrokerRules)
	Client   func(*ClientRules)
	Assignor func(*AssignorRules)
}

// placedRow is a row with its release read.
type placedRow struct {
	Row
	at Release
}

// placed is the whole table, in the order of releases.
var placed = place(brokerRows, clientRows, assignorRows)

func place(tables ...[]Row) (all []placedRow) {
	for _, rows := range tables {
		for _, row := range rows {
			all = append(all, placedRow{row, MustRelease(row.Release)})
		}
	}
	slices.SortStableFunc(all, func(a, b placedRow) int { return a.at.Compare(b.at) })
	return all
}

// Rows is the whole table, in the order of releases.
func Rows() []Row {
	rows := make([]Row, len(placed))
	for i := range placed {
		rows[i] = placed[i].Row
	}
	return rows
}

// BrokerRulesOf are the rules of a release's brokers.
func BrokerRulesOf(r Release) BrokerRules {
	var rules BrokerRules
	for i := range placed {
		if row := &placed[i]; row.Broker != nil && r.Includes(row.at) {
			row.Broker(&rules)
		}
	}
	return rules
}

// ClientRulesOf are the rules of a release's Java client.
func ClientRulesOf(r Release) ClientRules {
	var rules ClientRules
	for i := range placed {
		if row := &placed[i]; row.Client != nil && r.Includes(row.at) {
			row.Client(&rules)
		}
	}
	return rules
}
