package scenarios

import (
	"strings"
	"testing"
)

// recorded says which scenario shows which recorded run of Kafka's own clients joined to
// Kafka's own coordinator. Package cluster plays the same runs event for event.
var recorded = [...]struct{ id, name string }{
	{"E01", "recorded-first-range"},
	{"E04", "recorded-first-no-delay-coop"},
	{"E05", "recorded-first-five-range"},
	{"E08", "recorded-leader-first-coop"},
	{"E09", "recorded-follower-enforce-range"},
	{"E12", "recorded-leader-not-first-coop"},
	{"E13", "recorded-new-member-range"},
	{"E16", "recorded-two-new-members-coop"},
	{"E17", "recorded-close-follower-range"},
	{"E20", "recorded-close-leader-coop"},
	{"E21", "recorded-crash-follower-range"},
	{"E24", "recorded-crash-leader-coop"},
	{"E25", "recorded-crash-in-prepare-range"},
	{"E28", "recorded-busy-member-coop"},
	{"E29", "recorded-busy-beyond-poll-interval-range"},
	{"E32", "recorded-busy-beyond-rebalance-timeout-coop"},
	{"E33", "recorded-failover-stable-graceful-range"},
	{"E36", "recorded-failover-preparing-graceful-coop"},
	{"E37", "recorded-failover-completing-graceful-range"},
	{"E40", "recorded-failover-stable-crash-coop"},
	{"E41", "recorded-failover-preparing-crash-range"},
	{"E44", "recorded-failover-completing-crash-coop"},
	{"E45", "recorded-failover-initial-delay-range"},
	{"E48", "recorded-late-leader-coop"},
	{"E49", "recorded-late-leader-evicted-range"},
	{"E52", "recorded-late-leader-assigned-coop"},
	{"E53", "recorded-slow-revoke-range"},
	{"E56", "recorded-rolling-dynamic-coop"},
	{"E57", "recorded-rolling-static-range"},
	{"E60", "recorded-static-slow-restart-coop"},
	{"E61", "recorded-static-duplicate-range"},
	{"E64", "recorded-static-crash-restart-coop"},
	{"E65", "recorded-partitions-added-range"},
	{"E68", "recorded-all-close-coop"},
	{"E69", "recorded-commit-in-rebalance-range"},
	{"E72", "recorded-long-polls-coop"},
	{"E73", "recorded-scale-out-range"},
}

// Each recorded run has a scenario that is as it was recorded, with the releases that
// were recorded, says which run it is, and expects something at a time; and no scenario
// says that it is recorded without being one of them.
func TestRecordedRuns(t *testing.T) {
	if len(recorded) != 37 {
		t.Fatalf("%d runs, 37 are recorded", len(recorded))
	}
	known := map[string]bool{}
	for _, r := range recorded {
		known[r.name] = true
		t.Run(r.name, func(t *testing.T) {
			b, err := Find(r.name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(b.Text), "Recorded: "+r.id+".)") {
				t.Errorf("it does not say that it is %s", r.id)
			}
			s, err := b.Load()
			if err != nil {
				t.Fatal(err)
			}
			if k := s.Kafka; k.Broker.String() != "4.0-2024-10" || k.Client.String() != "3.9.0" {
				t.Errorf("it is played with %v", k)
			}
			failures, expected := played(t, s, s.Kafka)
			if expected < 4 {
				t.Errorf("it expects %d things", expected)
			}
			for _, f := range failures {
				t.Error(f)
			}
		})
	}
	for _, b := range List() {
		if (b.Shelf == Recorded || strings.HasPrefix(b.Name, "recorded-")) != known[b.Name] {
			t.Errorf("%s: is it a recorded run?", b.Name)
		}
	}
}
