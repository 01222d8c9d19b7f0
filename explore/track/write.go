package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// median is that of the seeds needed; places without a finding count as the most.
func (r *row) median() uint64 {
	if len(r.needed) == 0 {
		return 0
	}
	return r.needed[(len(r.needed)-1)/2]
}

func (r *row) found() string {
	if len(r.needed) == 0 {
		return "not found"
	}
	return fmt.Sprintf("%s, after %d seeds (%d to %d); %s", r.signature, r.median(), r.needed[0], r.needed[len(r.needed)-1], r.report)
}

func write(w io.Writer, rows []row, seeds uint64, rounds int) {
	var found, missed []row
	for _, r := range rows {
		if len(r.needed) > 0 && r.median() <= seeds {
			found = append(found, r)
		} else {
			missed = append(missed, r)
		}
	}
	fmt.Fprintf(w, `# Track record

Known bugs of Kafka, each switched on by `+"`--bug`"+` and nothing else, and the default swarm
of `+"`rebalsim fuzz`"+`: how many seeds it needs until a run breaks an invariant (median of %d
places, with the least and the most), which one, and how small that run becomes. A finding
counts only if the same seed does not have it without the bug.

%d of %d are found within %d seeds. `+"`rebalsim profiles --bugs`"+` says what each does. This page
is written by `+"`go run ./explore/track -seeds %d -dir docs/track-record > docs/track-record.md`"+`; each
small case is played by a test.

| bug | seeds | breaks | events | members | steps | decisions | replay |
| --- | ---: | --- | --- | --- | --- | --- | --- |
`, rounds, len(found), len(rows), seeds, seeds)
	for _, r := range found {
		b, a := r.report.Before, r.report.After
		fmt.Fprintf(w, "| %s | %d (%d-%s) | %s | %d → %d | %d → %d | %d → %d | %d → %d | `rebalsim replay %s` |\n",
			r.bug.ID, r.median(), r.needed[0], most(r.needed[len(r.needed)-1], seeds), escape(r.signature),
			b.Events, a.Events, b.Members, a.Members, b.Steps, a.Steps, b.Decisions, a.Decisions, r.file)
	}
	if len(found) > 0 {
		share := func(of func(r row) float64) float64 {
			var all []float64
			for _, r := range found {
				all = append(all, of(r))
			}
			slices.Sort(all)
			return all[(len(all)-1)/2]
		}
		fmt.Fprintf(w, "\nShrinking leaves %.1f %% of the events (median).\n", share(func(r row) float64 {
			return 100 * float64(r.report.After.Events) / float64(r.report.Before.Events)
		}))
	}
	if len(missed) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## Not found\n\n| bug | what it does |\n| --- | --- |\n")
	for _, r := range missed {
		fmt.Fprintf(w, "| %s | %s |\n", r.bug.ID, escape(r.bug.What))
	}
}

func most(n, seeds uint64) string {
	if n > seeds {
		return "not"
	}
	return fmt.Sprint(n)
}

func escape(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
