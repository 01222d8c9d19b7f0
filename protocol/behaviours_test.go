package protocol

import (
	"slices"
	"testing"
)

// Each behaviour is changed by a row, or nothing that releases do hangs on it; and what it can
// be can be forced.
func TestBehaviours(t *testing.T) {
	list := Behaviours()
	if n := len(BrokerBehaviours()) + len(ClientBehaviours()) + len(AssignorBehaviours()); len(list) != n {
		t.Fatalf("%d behaviours of %d", len(list), n)
	}
	for _, b := range list {
		if len(b.Rows) == 0 {
			t.Errorf("%s.%s: no row changes it", b.Side, b.Name)
		}
		for _, v := range b.Values {
			err := map[string]func(string, string) error{
				"broker": new(BrokerRules).Force, "client": new(ClientRules).Force, "assignor": new(AssignorRules).Force,
			}[b.Side](b.Name, v)
			if err != nil {
				t.Error(err)
			}
		}
	}
	at := slices.IndexFunc(list, func(b Behaviour) bool { return b.Side == "broker" && b.Name == "PendingSync" })
	if at < 0 || len(list[at].Rows) == 0 || list[at].Rows[0].ID != "KAFKA-12890" {
		t.Errorf("PendingSync is %+v", list[at])
	}
}
