package protocol

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// brokerChoices are the names of the values of those behaviours that are more than on
// or off, in the order of the values.
var brokerChoices = map[string][]string{
	"Heartbeat":    {"blind", "phases", "checked"},
	"MaxSize":      {"none", "first", "last"},
	"Commit":       {"members", "empty", "member-first", "unified", "simple-first"},
	"StoreTimeout": {"passed", "rebalances", "unavailable"},
	"Expiry":       {"by-commit", "by-group", "subscribed", "subscribed-stable"},
	"HashOrder":    {"scala", "java"},
	"Nameless":     {"never", "from-v7", "unknown"},
}

// BrokerBehaviours lists the names of the behaviours in BrokerRules, in their order.
func BrokerBehaviours() []string {
	t := reflect.TypeOf(BrokerRules{})
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Name
	}
	return names
}

// Force sets one behaviour by its name: "true" or "false", one of a choice of names,
// or a number. The error says what there is.
func (r *BrokerRules) Force(name, value string) error {
	f := reflect.ValueOf(r).Elem().FieldByName(name)
	if !f.IsValid() {
		return fmt.Errorf("%q is no behaviour of a broker", name)
	}
	if f.Kind() == reflect.Bool {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%s is true or false, not %q", name, value)
		}
		f.SetBool(on)
		return nil
	}
	if choices := brokerChoices[name]; choices != nil {
		for i, c := range choices {
			if c == value {
				f.SetUint(uint64(i))
				return nil
			}
		}
		return fmt.Errorf("%s is one of %s, not %q", name, strings.Join(choices, ", "), value)
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return fmt.Errorf("%s is a number, not %q", name, value)
	}
	f.SetInt(n)
	return nil
}

// Check says which behaviours cannot be had together: no release could have them, and
// nothing says what they would do.
func (r *BrokerRules) Check() error {
	for _, c := range []struct {
		is    bool
		what  string
		needs string
		has   bool
	}{
		{r.InitialDelay, "InitialDelay", "EmptyState", r.EmptyState},
		{r.DelayByState, "DelayByState", "InitialDelay", r.InitialDelay},
		{r.ExpiryEndsDelay, "ExpiryEndsDelay", "InitialDelay", r.InitialDelay},
		{r.MemberIDRequired, "MemberIDRequired", "NewMemberTimeout", r.NewMemberTimeout},
		{r.StaticMembers, "StaticMembers", "MemberIDRequired", r.MemberIDRequired},
		{r.MemberUnified, "MemberUnified", "StaticMembers", r.StaticMembers},
		{r.Commit != CommitMembers, "Commit", "EmptyState", r.EmptyState},
		{r.StaticStored, "StaticStored", "StaticMembers", r.StaticMembers},
		{r.StaticStored, "StaticStored", "StaticMovesCompleting", r.StaticMovesCompleting},
		{r.SkipAssignment, "SkipAssignment", "StaticStored", r.StaticStored},
		{r.StaticRevertsProtocols, "StaticRevertsProtocols", "StaticStored", r.StaticStored},
		{r.StaticAnswersAny, "StaticAnswersAny", "StaticStored", r.StaticStored},
		{r.PendingSync, "PendingSync", "EmptyState", r.EmptyState},
		{r.Expiry != ExpiryByCommit, "Expiry", "EmptyState", r.EmptyState},
		{r.StableFetchWaits, "StableFetchWaits", "WaitsForLog", r.WaitsForLog},
		{r.LoadingWhenScheduled, "LoadingWhenScheduled", "LoadingFirst", r.LoadingFirst},
		{r.RecordsNewGroup, "RecordsNewGroup", "WaitsForLog", r.WaitsForLog},
	} {
		if c.is && !c.has {
			return fmt.Errorf("%s cannot be had without %s", c.what, c.needs)
		}
	}
	return nil
}

// BrokerChoices are the names of a behaviour's values, nil if it is on or off, or a
// number.
func BrokerChoices(name string) []string { return brokerChoices[name] }
