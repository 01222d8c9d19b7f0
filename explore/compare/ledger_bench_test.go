package compare

import (
	"cmp"
	"testing"

	"github.com/rebalsim/rebalsim/scenarios"
)

// What two questions turn on: one of few members, and one of forty.
func BenchmarkLedger(b *testing.B) {
	for _, name := range []string{"lost-coordinator", "deploy-40"} {
		builtin, err := scenarios.Find(name)
		if err != nil {
			b.Fatal(err)
		}
		s, err := builtin.Load()
		if err != nil {
			b.Fatal(err)
		}
		c := New(s, 1, min(cmp.Or(s.Measure.Seeds, ledgerSeeds), ledgerSeeds))
		if err := c.AddVariants(""); err != nil {
			b.Fatal(err)
		}
		if err := c.Play(nil); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			runs := 0
			for b.Loop() {
				if _, err := c.Ledger(func(_, of int) { runs = of }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(runs), "runs")
		})
	}
}
