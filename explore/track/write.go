package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/explore"
	"github.com/rebalsim/rebalsim/explore/shrink"
	"github.com/rebalsim/rebalsim/protocol"
)

// row is what came of one bug.
type row struct {
	Bug       string      `json:"bug"`
	Seeds     uint64      `json:"seeds"`            // that were played at most, in each place
	Places    int         `json:"places"`           // where it was looked for
	Needed    []uint64    `json:"needed,omitempty"` // seeds until the first finding, of each place, sorted; Seeds+1: none
	Signature string      `json:"signature,omitempty"`
	Before    shrink.Size `json:"before"`
	After     shrink.Size `json:"after"`
}

// median is that of the seeds needed; places without a finding count as the most.
func (r *row) median() uint64 {
	if len(r.Needed) == 0 {
		return 0
	}
	return r.Needed[(len(r.Needed)-1)/2]
}

// isFound reports whether half of the places have a finding.
func (r *row) isFound() bool { return len(r.Needed) > 0 && r.median() <= r.Seeds }

func (r *row) found() string {
	if len(r.Needed) == 0 {
		return "not found"
	}
	return fmt.Sprintf("%s, after %d seeds (%d to %s)", r.Signature, r.median(), r.Needed[0], r.most())
}

func (r *row) most() string {
	if n := r.Needed[len(r.Needed)-1]; n <= r.Seeds {
		return fmt.Sprint(n)
	}
	return "not"
}

// results is where the rows are kept, from which the page is written.
const results = "track-record/results.json"

// record puts what came of a bug into docs, beside what is known of others: its row, and its
// small case if half of the places have it, in place of an older one.
func record(docs string, r row, small *explore.Failure) error {
	known, err := readRows(docs)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	var all []row
	for _, b := range protocol.Bugs() {
		if b.ID == r.Bug {
			all = append(all, r)
		} else if i := slices.IndexFunc(known, func(k row) bool { return k.Bug == b.ID }); i >= 0 {
			all = append(all, known[i])
		}
	}
	file := filepath.Join(docs, "track-record", r.Bug+".yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if r.isFound() {
		err = os.WriteFile(file, small.Marshal(), 0o666)
	} else if err = os.Remove(file); os.IsNotExist(err) {
		err = nil
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, results), append(text, '\n'), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(docs, "track-record.md"), []byte(page(all)), 0o666)
}

func readRows(docs string) (rows []row, err error) {
	text, err := os.ReadFile(filepath.Join(docs, results))
	if err != nil {
		return nil, err
	}
	return rows, json.Unmarshal(text, &rows)
}

// page is docs/track-record.md.
func page(rows []row) string {
	var found, missed []row
	looked := map[string]bool{}
	for _, r := range rows {
		looked[r.Bug] = true
		if r.isFound() {
			found = append(found, r)
		} else {
			missed = append(missed, r)
		}
	}
	var w strings.Builder
	fmt.Fprintf(&w, `# Track record

Known bugs of Kafka, each switched on by `+"`--bug`"+` and nothing else, and the default swarm
of `+"`rebalsim fuzz`"+`: how many seeds it needs until a run breaks an invariant (median of the
places where it was looked for, ten unless said otherwise, with the least and the most), which
one, and how small that run becomes. A finding counts only if the same seed does not have it
without the bug.

%d of %d are found. `+"`rebalsim profiles --bugs`"+` says what each does. This page is written by
`+"`go run ./explore/track`"+`, or by that with the names of some bugs; each small case is played
by a test.

| bug | seeds | breaks | events | members | steps | decisions | replay |
| --- | ---: | --- | --- | --- | --- | --- | --- |
`, len(found), len(rows))
	for _, r := range found {
		b, a := r.Before, r.After
		fmt.Fprintf(&w, "| %s | %d (%d-%s%s) | %s | %d → %d | %d → %d | %d → %d | %d → %d | `rebalsim replay docs/track-record/%s.yaml` |\n",
			r.Bug, r.median(), r.Needed[0], r.most(), r.places(), escape(r.Signature),
			b.Events, a.Events, b.Members, a.Members, b.Steps, a.Steps, b.Decisions, a.Decisions, r.Bug)
	}
	if len(found) > 0 {
		var left []float64
		for _, r := range found {
			left = append(left, 100*float64(r.After.Events)/float64(r.Before.Events))
		}
		slices.Sort(left)
		fmt.Fprintf(&w, "\nShrinking leaves %.1f %% of the events (median).\n", left[(len(left)-1)/2])
	}
	if len(missed) > 0 {
		fmt.Fprint(&w, `
## Not found

Where the first place has no finding within so many seeds the others are left out, as each
would take as long: the bug counts as not found.

| bug | what it does | seeds | why the swarm does not find it |
| --- | --- | ---: | --- |
`)
		for _, r := range missed {
			b, _ := protocol.FindBug(r.Bug)
			fmt.Fprintf(&w, "| %s | %s | %d | %s |\n", r.Bug, escape(b.What), r.Seeds, reasons[r.Bug])
		}
	}
	var rest []string
	for _, b := range protocol.Bugs() {
		if !looked[b.ID] {
			rest = append(rest, b.ID)
		}
	}
	if len(rest) > 0 {
		fmt.Fprintf(&w, "\nNot looked for yet: %s.\n", strings.Join(rest, ", "))
	}
	return w.String()
}

// places says how many there were, if not ten.
func (r *row) places() string {
	if r.Places == 10 {
		return ""
	}
	return fmt.Sprintf(" of %d", r.Places)
}

func escape(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
