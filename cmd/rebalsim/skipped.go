package main

import (
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/scenarios"
)

// counter counts the records that a run skips, nil if nothing is ever written.
func counter(s *scenario, c *scenarios.Cluster) *metrics.Fold {
	for i := range s.Topics {
		if s.Topics[i].Rate.Records > 0 {
			f := metrics.New(c.Measured(metrics.Window{}))
			c.World.Watch(f)
			return f
		}
	}
	return nil
}

// skipped says how many records nobody processed although the group went on beyond them,
// and why; "" if there are none.
func skipped(f *metrics.Fold, c *scenarios.Cluster) string {
	if f == nil {
		return ""
	}
	cost := f.Done(c.World.Now()).Total
	if cost.Skipped == 0 {
		return ""
	}
	var reasons []string
	only := ""
	for _, r := range []struct {
		n   int64
		why string
	}{
		{cost.SkippedReset, "jumped over by auto.offset.reset"},
		{cost.SkippedCommit, "committed before they were processed"},
		{cost.SkippedSeek, "moved past by the program"},
		{cost.SkippedDropped, "given up by the program after an exception"},
		{cost.SkippedOther, "for no reason that is known"},
	} {
		if r.n > 0 {
			reasons = append(reasons, fmt.Sprintf("%d %s", r.n, r.why))
			only = r.why
		}
	}
	if len(reasons) == 1 {
		return fmt.Sprintf("skipped: %s, %s", plural(int(cost.Skipped), "record"), only)
	}
	return fmt.Sprintf("skipped: %s: %s", plural(int(cost.Skipped), "record"), strings.Join(reasons, ", "))
}
