package protocol

import (
	"reflect"
	"strings"
	"testing"
)

// TestBugs: a release that has a bug is not changed by its switch, or only in that it
// has nothing else of later; the release that a run plays by default is changed by it.
func TestBugs(t *testing.T) {
	def := MustRelease(Default)
	seen := map[string]bool{}
	for _, b := range Bugs() {
		if seen[b.ID] {
			t.Errorf("%s is there twice", b.ID)
		}
		seen[b.ID] = true
		if !strings.HasPrefix(b.ID, "KAFKA-") && b.ID != "endless-sticky" || b.What == "" {
			t.Errorf("%s: %q", b.ID, b.What)
		}
		f := &Force{Bugs: []*Bug{&b}}
		in := MustRelease(b.In)
		switch b.Side() {
		case "broker":
			if got, err := f.BrokerRules(in); err != nil || got != BrokerRulesOf(in) {
				t.Errorf("%s: %s does not have it: %v", b.ID, in, err)
			}
			if got, _ := f.BrokerRules(def); got == BrokerRulesOf(def) {
				t.Errorf("%s changes nothing in %s", b.ID, def)
			}
		case "client":
			got, err := f.ClientRules(in)
			if was := ClientRulesOf(in); err != nil || !same(got, was) {
				t.Errorf("%s: %s does not have it: %v", b.ID, in, err)
			}
			if got, _ := f.ClientRules(def); same(got, ClientRulesOf(def)) {
				t.Errorf("%s changes nothing in %s", b.ID, def)
			}
		case "assignor":
			if got, err := f.AssignorRules(in); err != nil || got != AssignorRulesOf(in) {
				t.Errorf("%s: %s does not have it: %v", b.ID, in, err)
			}
			if got, _ := f.AssignorRules(def); got == AssignorRulesOf(def) {
				t.Errorf("%s changes nothing in %s", b.ID, def)
			}
		}
	}
}

func same(a, b ClientRules) bool {
	a.Defaults, b.Defaults = ClientDefaults{}, ClientDefaults{}
	return reflect.DeepEqual(a, b)
}

func TestForce(t *testing.T) {
	for _, tc := range []struct {
		f    Force
		want string
	}{
		{Force{Broker: []Forced{{"PendingSync", "no"}}}, `PendingSync is true or false, not "no"`},
		{Force{Broker: []Forced{{"Pending", "true"}}}, `"Pending" is no behaviour of a broker`},
		{Force{Broker: []Forced{{"Heartbeat", "loud"}}}, `Heartbeat is one of blind, phases, checked, not "loud"`},
		{Force{Broker: []Forced{{"EmptyState", "false"}}}, "InitialDelay cannot be had without EmptyState"},
		{Force{Client: []Forced{{"Defaults", "1"}}}, `"Defaults" is no behaviour of a client`},
		{Force{Client: []Forced{{"HeartbeatThread", "false"}}}, "Poll cannot be had without HeartbeatThread"},
		{Force{Client: []Forced{{"SubscriptionVersion", "70000"}}}, `SubscriptionVersion is a number of 16 bits, not "70000"`},
		{Force{Assignor: []Forced{{"StickyClaims", "absent"}}}, "the sticky pair needs a general algorithm and a way to settle claims"},
		{Force{Broker: []Forced{{"PendingSync", "false"}}, Client: []Forced{{"JoinTimeout", "request"}}}, ""},
	} {
		_, b := tc.f.BrokerRules(MustRelease(Default))
		_, c := tc.f.ClientRules(MustRelease(Default))
		_, a := tc.f.AssignorRules(MustRelease(Default))
		got := ""
		for _, err := range []error{b, c, a} {
			if err != nil {
				got = err.Error()
			}
		}
		if got != tc.want {
			t.Errorf("%s: %q, not %q", tc.f.String(), got, tc.want)
		}
	}
}
